"""Routes of sharing: the agent's flag, and copies of its memories (SPEC M8, E4, E6, E7)."""

from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memory.api.queries import described
from memory.api.setup import IF_MATCH
from memory.policies.ownership import as_actor
from memory.schemas.agents import AgentQuery
from memory.schemas.answers import ErrorOut
from memory.schemas.community import SharedOut, SharingChange, SharingOut
from memory.schemas.parsing import read
from memory.schemas.setup import if_match
from memory.selectors import access, sharing
from memory.services import community
from memory.services.forgetting import cause_of

ETAG = OpenApiParameter(
    "ETag", str, OpenApiParameter.HEADER, response=[200], description="Its version."
)


class Sharing(APIView):
    """Whether an agent shares."""

    @extend_schema(
        operation_id="get_community_sharing",
        parameters=[*described(AgentQuery), ETAG],
        responses={200: SharingOut},
    )
    def get(self, request: Request) -> Response:
        """Tell whether the agent shares with others, and reads what they share."""
        query = read(AgentQuery, request.query_params)
        agent = access.access_strategies(as_actor(request.user), query.agent)
        answer = sharing.sharing_answer(agent)
        return Response(answer, headers={"ETag": answer.etag})

    @extend_schema(
        operation_id="set_community_sharing",
        request=SharingChange,
        parameters=[*described(AgentQuery), IF_MATCH, ETAG],
        responses={200: SharingOut, 412: ErrorOut},
        examples=[OpenApiExample("Share", value={"enabled": True}, request_only=True)],
    )
    def put(self, request: Request) -> Response:
        """Turn sharing on or off, for the agent's owner or staff.

        Off: the agent reads nothing of others and shares nothing new; what it has shared stays
        until it is withdrawn.
        """
        query = read(AgentQuery, request.query_params)
        agent = access.access_setting_sharing(as_actor(request.user), query.agent)
        condition = if_match(request.headers)
        to = SharingChange.parse(request.data)
        changed = community.set_sharing(agent_id=agent.id, enabled=to.enabled, condition=condition)
        answer = sharing.sharing_answer(changed)
        return Response(answer, headers={"ETag": answer.etag})


class Share(APIView):
    """A memory among others'."""

    @extend_schema(
        operation_id="share_strategy_memory",
        request=None,
        parameters=described(AgentQuery),
        responses={200: SharedOut, 201: SharedOut, 422: ErrorOut},
    )
    def post(self, request: Request, strategy: UUID) -> Response:
        """Share a rule or an insight: a copy of it, which others read and judge.

        200: it is shared already; a copy that ended before its memory, which was restored or merged
        since, lives as long again, if all is as for a new one. 409 `sharing_off`; 409
        `memory_ended`: it is expired or merged. 422 `community_gate`: `missing` names what it is
        short of, of `type`, `insight`, `outcome`, `trades`, `days` and `community`.
        """
        now = timezone.now()
        actor = as_actor(request.user)
        query = read(AgentQuery, request.query_params)
        standing = access.access_shareable(actor, query.agent, strategy)
        copy, is_new = community.share(
            agent_id=standing.agent_id, record_id=standing.pk, by=cause_of(actor), now=now
        )
        return Response(sharing.shared_answer(copy), status=201 if is_new else 200)

    @extend_schema(
        operation_id="withdraw_strategy_memory",
        parameters=described(AgentQuery),
        responses={204: None},
    )
    def delete(self, request: Request, strategy: UUID) -> Response:
        """Withdraw what was shared: the copy is gone at once, and what others made of it.

        404 also when it is not shared.
        """
        now = timezone.now()
        actor = as_actor(request.user)
        query = read(AgentQuery, request.query_params)
        standing = access.access_shareable(actor, query.agent, strategy)
        community.unshare(
            agent_id=standing.agent_id, record_id=standing.pk, by=cause_of(actor), now=now
        )
        return Response(status=204)
