"""Actions that withdraw, restore and erase records, each with a reason for the ledger."""

from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest

from memory.admin.operations import Operation, said_reason
from memory.models import Agent, Record, Withdrawal
from memory.policies.ownership import Actor, UserActor
from memory.policies.vocabulary import TIERS
from memory.selectors import access
from memory.services import changes, erase
from memory.services.standings import Cause

type Access = Callable[[Actor, UUID], Agent]

WITHDRAWN = Exists(
    Withdrawal.objects.filter(
        agent_id=OuterRef("agent_id"), record_id=OuterRef("id"), restored_at__isnull=True
    )
)


def withdrawing(request: HttpRequest) -> Operation[Record]:
    """Return the action of who asks."""
    return Operation[Record](
        name="withdraw",
        title="Withdraw records",
        consequence="Contexts and lists will say that they are withdrawn, and not what they say; "
        "whoever asks for one by its id still reads it. Nothing takes their place in a context, "
        "and a correction whose originals are all withdrawn is superseded there, too. They can be "
        "restored. Strategy memory is left alone: it moves by its standing.",
        done="withdrawn",
        only="Only records of research and history are withdrawn, each once; none that is erased",
        due=lambda rows: _changeable(rows).exclude(WITHDRAWN),
        apply=_doing(changes.withdraw, request, access.access_withdrawing),
        asks_reason=True,
    )


def restoring(request: HttpRequest) -> Operation[Record]:
    """Return the action of who asks."""
    return Operation[Record](
        name="restore",
        title="Restore records",
        consequence="From now on they count again, as far as they are current.",
        done="restored",
        only="Only what is withdrawn is restored; what is erased is gone",
        due=lambda rows: _changeable(rows).filter(WITHDRAWN),
        apply=_doing(changes.restore, request, access.access_withdrawing),
        asks_reason=True,
    )


def erasing(request: HttpRequest) -> Operation[Record]:
    """Return the action of who asks."""
    return Operation[Record](
        name="erase",
        title="Erase records",
        consequence="What they say is destroyed for good: this cannot be undone. Their ids, links "
        "and ledgers stay, and nothing takes their place in a context; a correction whose "
        "originals are all erased is superseded there. Strategy memory is left alone: it is "
        "forgotten by its standing.",
        done="erased",
        only="Only records of research and history are erased, each once",
        due=_changeable,
        apply=_doing(erase.erase, request, access.access_erasing),
        asks_reason=True,
    )


def _changeable(rows: QuerySet[Record]) -> QuerySet[Record]:
    return rows.filter(purged_at=None).exclude(type__in=TIERS)


def _doing(
    service: Callable[..., None], request: HttpRequest, allowed: Access
) -> Callable[[Record, datetime], bool]:
    """Return what does it to a row, as the person who asks and for the reason given."""

    def apply(record: Record, now: datetime) -> bool:
        # Nobody comes here without a login.
        who = UserActor(user_id=request.user.pk or 0, is_staff=request.user.is_staff)
        said: dict[str, Any] = {
            "by": Cause("user", str(who.user_id)),
            "reason": said_reason(request),
        }
        agent = allowed(who, record.agent_id)
        service(agent_id=agent.id, record_id=record.pk, now=now, **said)
        return True

    return apply
