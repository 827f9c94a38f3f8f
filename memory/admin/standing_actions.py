"""Actions on chosen standings, each one call of a service for each row.

An action is a function that returns its `Operation`, a method of `StandingActions`, and its name in
`actions`. One of more than a few lines has a module of its own.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import F, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from memory.admin.duplicates import MergePages
from memory.admin.operations import Operation, operate, said_reason
from memory.models import Standing
from memory.policies.ownership import UserActor
from memory.policies.vocabulary import SHARED_TIERS
from memory.selectors import access
from memory.services import community, endings
from memory.services.clock import no_later
from memory.services.purge import purge_now
from memory.services.standings import Cause


class StandingActions(MergePages):
    """What staff may do to standings. The list itself is in `standings.py`."""

    actions: Any = ("deprecate", "restore", "purge", "share", "unshare")

    @admin.action(description="Deprecate rules…", permissions=["operate"])
    def deprecate(self, request: HttpRequest, queryset: QuerySet[Standing]) -> HttpResponse | None:
        """Ask why, then end the chosen rules."""
        return operate(self, request, queryset, deprecating(request))

    @admin.action(description="Restore…", permissions=["operate"])
    def restore(self, request: HttpRequest, queryset: QuerySet[Standing]) -> HttpResponse | None:
        """Ask why, then give what has ended a new life."""
        return operate(self, request, queryset, restoring(request))

    @admin.action(description="Purge now…", permissions=["operate"])
    def purge(self, request: HttpRequest, queryset: QuerySet[Standing]) -> HttpResponse | None:
        """Ask why, then forget what has ended, for good."""
        return operate(self, request, queryset, purging(request))

    @admin.action(description="Share with the community…", permissions=["operate"])
    def share(self, request: HttpRequest, queryset: QuerySet[Standing]) -> HttpResponse | None:
        """Ask, then share what passes the gate."""
        return operate(self, request, queryset, sharing(request))

    @admin.action(description="Withdraw from the community…", permissions=["operate"])
    def unshare(self, request: HttpRequest, queryset: QuerySet[Standing]) -> HttpResponse | None:
        """Ask why, then take back what is shared."""
        return operate(self, request, queryset, unsharing(request))


def deprecating(request: HttpRequest) -> Operation[Standing]:
    """Return the action of who asks."""
    return Operation[Standing](
        name="deprecate",
        title="Deprecate rules",
        consequence="They end now: no search, prompt or list shows them, and backtests judge them "
        "no more. They can be restored until they are purged. Other strategy memory is left alone: "
        "it ends by its terms.",
        done="deprecated",
        only="Only rules that are live are deprecated",
        due=lambda rows: rows.filter(type="rule", merged_into=None).exclude(ended()),
        apply=doing(endings.deprecate, request),
        asks_reason=True,
    )


def restoring(request: HttpRequest) -> Operation[Standing]:
    """Return the action of who asks."""
    return Operation[Standing](
        name="restore",
        title="Restore standings",
        consequence="They live again: rules for good, all else for as long as if it were written "
        "now. What is thought of them stays as it was at their end. What is merged into another "
        "is left alone.",
        done="restored",
        only="Only what is over is restored, and not what is merged into another",
        due=lambda rows: rows.filter(ended(), merged_into=None),
        apply=doing(endings.restore, request),
        asks_reason=True,
    )


def purging(request: HttpRequest) -> Operation[Standing]:
    """Return the action of who asks."""
    return Operation[Standing](
        name="purge",
        title="Purge now",
        consequence="What they say is destroyed, for good: content, metadata and tags, and what "
        "is thought of them. Ids, links and ledgers stay. What is merged into them goes with them. "
        "What has not ended is left alone.",
        done="purged",
        only="Only what is over is purged, and what is merged into another goes with it",
        due=lambda rows: rows.filter(ended(), merged_into=None),
        apply=doing(_purge, request),
        asks_reason=True,
    )


def sharing(request: HttpRequest) -> Operation[Standing]:
    """Return the action of who asks."""
    return Operation[Standing](
        name="share",
        title="Share with the community",
        consequence="Agents of others read a copy of what they say, with their tags and figures, "
        "under a random name of the author, and their backtests judge the copy. Rules and "
        "insights alone, where enough stands behind them and the agent shares.",
        done="shared",
        only="Only live rules and insights are shared, each once",
        due=lambda rows: rows.filter(
            _not_shared_for_life(), type__in=SHARED_TIERS, merged_into=None
        ).exclude(ended()),
        apply=doing(_share, request),
    )


def unsharing(request: HttpRequest) -> Operation[Standing]:
    """Return the action of who asks."""
    return Operation[Standing](
        name="unshare",
        title="Withdraw from the community",
        consequence="Nobody else reads them from now on. What others' backtests made of their "
        "copies is gone, but for a line of the author's ledger.",
        done="withdrawn",
        only="Only what is shared is withdrawn",
        due=lambda rows: rows.filter(visibility="community"),
        apply=doing(community.unshare, request),
        asks_reason=True,
    )


def _purge(*, agent_id: UUID, record_id: UUID, by: Cause, reason: str, now: datetime) -> None:
    when = no_later(now)
    purge_now(agent_id=agent_id, record_id=record_id, by=by, reason=reason, now=when)


def _share(*, agent_id: UUID, record_id: UUID, by: Cause, reason: str, now: datetime) -> None:
    del reason
    community.share(agent_id=agent_id, record_id=record_id, by=by, now=now)


def _not_shared_for_life() -> Q:
    """Return the condition of standings without a copy, or with one that ends before them."""
    for_good = Q(copy__expires_at__isnull=False, expires_at__isnull=True)
    return Q(copy__isnull=True) | for_good | Q(copy__expires_at__lt=F("expires_at"))


def ended() -> Q:
    """Return the condition of standings whose time is over."""
    return Q(expires_at__isnull=False, expires_at__lte=timezone.now())


def doing(
    service: Callable[..., object], request: HttpRequest
) -> Callable[[Standing, datetime], bool]:
    """Return what does it to a row, as the person who asks and for the reason given.

    `service` takes agent_id, record_id, by, reason and now.
    """

    def apply(standing: Standing, now: datetime) -> bool:
        # Nobody comes here without a login.
        who = UserActor(user_id=request.user.pk or 0, is_staff=request.user.is_staff)
        said: dict[str, Any] = {
            "by": Cause("user", str(who.user_id)),
            "reason": said_reason(request),
        }
        agent = access.access_agent(who, standing.agent_id)
        service(agent_id=agent.id, record_id=standing.pk, now=now, **said)
        return True

    return apply
