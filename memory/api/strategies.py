"""Routes of strategy memory: list, read, delete (SPEC E6, E7)."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memory.api.queries import asked, described
from memory.models import Standing
from memory.policies.ownership import as_actor
from memory.schemas.agents import AgentQuery
from memory.schemas.answers import ErrorOut
from memory.schemas.parsing import read
from memory.schemas.setup import may_match
from memory.schemas.standings import ForgetQuery, StandingOut, StandingQuery
from memory.selectors import access, names, strategies
from memory.services import forgetting

ETAG = OpenApiParameter(
    "ETag", str, OpenApiParameter.HEADER, response=[200], description="Its version."
)
MAY_MATCH = OpenApiParameter(
    "If-Match",
    str,
    OpenApiParameter.HEADER,
    description="The ETag of the version that is to be deleted; left out, whichever there is.",
)


class StrategyMemories(GenericAPIView[Standing]):
    """An agent's live strategy memory: look it through, or delete from it."""

    queryset = Standing.objects.none()
    filter_backends = ()
    ordered_by = ("-created_at", "-record_id")
    listed_for: Any = None

    @extend_schema(
        operation_id="list_strategy_memories",
        parameters=described(StandingQuery),
        responses={200: StandingOut},
    )
    def get(self, request: Request) -> Response:
        """List live strategy memories, newest first; expired and merged ones are left out."""
        now = timezone.now()
        query = asked(request, StandingQuery)
        agent = access.access_strategies(as_actor(request.user), query.agent)
        self.listed_for = agent.id
        found = strategies.Strategies(agent.id, _named(query), now=now)
        page: Any = self.paginate_queryset(found)  # type: ignore[arg-type]  # a `Paged`
        return self.get_paginated_response(strategies.answers(page or []))

    @extend_schema(
        operation_id="delete_strategy_memories",
        parameters=described(ForgetQuery),
        responses={204: None},
    )
    def delete(self, request: Request) -> Response:
        """Delete for good what the list shows under the same filters, or all there is.

        It goes in batches: a request that was cut off is made again.
        """
        now = timezone.now()
        actor = as_actor(request.user)
        query = read(ForgetQuery, request.query_params)
        agent = access.access_forgetting(actor, query.agent)
        forgetting.forget_matching(
            agent_id=agent.id, asked=_named(query), by=forgetting.cause_of(actor), now=now
        )
        return Response(status=204)


class StrategyMemory(APIView):
    """One strategy memory."""

    @extend_schema(
        operation_id="get_strategy_memory",
        parameters=[*described(AgentQuery), ETAG],
        responses={200: StandingOut},
    )
    def get(self, request: Request, strategy: UUID) -> Response:
        """Read a live strategy memory, with all that is thought of it."""
        now = timezone.now()
        query = read(AgentQuery, request.query_params)
        found = access.access_strategy(as_actor(request.user), query.agent, strategy, now=now)
        answer = strategies.answer(found, content=found.record.content)
        return Response(answer, headers={"ETag": answer.etag})

    @extend_schema(
        operation_id="delete_strategy_memory",
        parameters=[*described(AgentQuery), MAY_MATCH],
        responses={204: None, 412: ErrorOut},
    )
    def delete(self, request: Request, strategy: UUID) -> Response:
        """Delete a live strategy memory for good, with what is merged into it.

        409 `audit_record`: decisions, reviews and learnings are history. 409 `standing_merged`:
        another stands for it. Records of research are none of this route's: 404.
        """
        now = timezone.now()
        actor = as_actor(request.user)
        query = read(AgentQuery, request.query_params)
        record = access.access_forgettable(actor, query.agent, strategy)
        forgetting.forget_one(
            record=record,
            by=forgetting.cause_of(actor),
            condition=may_match(request.headers),
            now=now,
        )
        return Response(status=204)


def _named[Query: StandingQuery](query: Query) -> Query:
    """Return the query with the canonical name of its symbol."""
    if query.symbol is None:
        return query
    return query.model_copy(update={"symbol": names.canonical(query.symbol)})
