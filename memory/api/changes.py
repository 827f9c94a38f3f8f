"""Routes by which an owner withdraws a record and restores it (SPEC R15)."""

from collections.abc import Callable
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memory.policies.ownership import UserActor, as_actor
from memory.schemas.answers import OneRecordOut
from memory.schemas.changes import Reason
from memory.selectors import access, timeline
from memory.services import changes
from memory.services.standings import Cause

EXAMPLE = OpenApiExample("A reason", value={"reason": "the feed was down"}, request_only=True)


def _done(service: Callable[..., None], request: Request, agent: UUID, memory: UUID) -> Response:
    """Do it for the reason in the body, and answer with the record as it then is."""
    now = timezone.now()
    actor = as_actor(request.user)
    owned = access.access_withdrawing(actor, agent)
    draft = Reason.parse(request.data)
    # Whoever may withdraw is a person.
    by = Cause("user", str(actor.user_id) if isinstance(actor, UserActor) else "")
    service(agent_id=owned.id, record_id=memory, by=by, reason=draft.reason, now=now)
    record = access.access_record(actor, owned.id, memory, now=now)
    return Response(timeline.whole(record, now=now))


class Withdraw(APIView):
    """The withdrawal of one record."""

    @extend_schema(
        operation_id="withdraw_memory",
        request=Reason,
        responses={200: OneRecordOut},
        examples=[EXAMPLE],
    )
    def post(self, request: Request, agent: UUID, memory: UUID) -> Response:
        """Withdraw a record: contexts and lists tell that it is, and not what it says."""
        return _done(changes.withdraw, request, agent, memory)


class Restore(APIView):
    """The end of a withdrawal."""

    @extend_schema(
        operation_id="restore_memory",
        request=Reason,
        responses={200: OneRecordOut},
        examples=[EXAMPLE],
    )
    def post(self, request: Request, agent: UUID, memory: UUID) -> Response:
        """Restore a withdrawn record: from now on it counts again."""
        return _done(changes.restore, request, agent, memory)
