"""The route that merges what says the same (SPEC M9, E6, E7)."""

from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memory.api.queries import described
from memory.policies.ownership import as_actor
from memory.schemas.agents import AgentQuery
from memory.schemas.duplicates import DeduplicatedOut, DeduplicateQuery, UnmergedOut
from memory.schemas.parsing import read
from memory.selectors import access
from memory.services import duplicates
from memory.services.forgetting import cause_of


class Deduplicate(APIView):
    """An agent's insights that say the same."""

    @extend_schema(
        operation_id="deduplicate_strategy_memories",
        request=None,
        parameters=described(DeduplicateQuery),
        responses={200: DeduplicatedOut},
    )
    def post(self, request: Request) -> Response:
        """Merge live insights that say the same: the most trusted one stands for the others.

        Merged are insights of equal symbol, strategy type, direction and outcome that have the same
        configuration, or say the same facts in like words. A loss is never merged into a win, nor
        a long into a short. Doing it again changes nothing. What an undo has parted stays so, but
        with `again`.
        """
        now = timezone.now()
        actor = as_actor(request.user)
        query = read(DeduplicateQuery, request.query_params)
        agent = access.access_merging(actor, query.agent)
        dry_run = query.dry_run == "true"
        plan = duplicates.merge(
            agent_id=agent.id,
            by=cause_of(actor),
            dry_run=dry_run,
            again=query.again == "true",
            now=now,
        )
        return Response(DeduplicatedOut.of(plan, dry_run=dry_run))


class Unmerge(APIView):
    """The undoing of a merge."""

    @extend_schema(
        operation_id="unmerge_strategy_memory",
        request=None,
        parameters=described(AgentQuery),
        responses={200: UnmergedOut},
    )
    def post(self, request: Request, strategy: UUID) -> Response:
        """Undo the latest merge into a memory: what it stands for stands for itself again.

        Counts, tags and lives are as before it, and no later call merges them again unasked. What
        would be over by its own time ends now, and can be restored for a while. 409 `not_merged`:
        no merge into it is left, or it is merged itself.
        """
        now = timezone.now()
        actor = as_actor(request.user)
        query = read(AgentQuery, request.query_params)
        standing = access.access_merged(actor, query.agent, strategy)
        parted = duplicates.undo(
            agent_id=standing.agent_id, record_id=standing.pk, by=cause_of(actor), now=now
        )
        return Response(UnmergedOut(survivor=standing.pk, parted=parted))
