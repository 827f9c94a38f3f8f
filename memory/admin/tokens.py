"""Pages of bearer tokens. What is kept of a secret is shown nowhere (SPEC X2)."""

from datetime import datetime

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse

from memory.admin.base import ConditionFilter, ReadOnly, utc, words
from memory.admin.operations import Operation, operate
from memory.models import Token
from memory.services import tokens

REVOKE = Operation[Token](
    name="revoke",
    title="Revoke tokens",
    consequence="From now on whoever bears them is refused (401). There is no way back: "
    "the command issue_token makes new ones.",
    done="revoked",
    only="Only what is not revoked yet is revoked",
    due=lambda rows: rows.filter(revoked_at__isnull=True),
    apply=lambda token, now: tokens.revoke_token(token=token, now=now),
)


class StateFilter(ConditionFilter):
    """Tokens that are good, expired, or revoked."""

    def conditions(self, *, now: datetime) -> dict[str, Q]:
        """Revoked goes before expired."""
        expired, revoked = Q(expires_at__lte=now), Q(revoked_at__isnull=False)
        unexpired = Q(expires_at=None) | Q(expires_at__gt=now)
        return {"good": unexpired & ~revoked, "expired": expired & ~revoked, "revoked": revoked}


class KindFilter(ConditionFilter):
    """Tokens of producers, or of single runs."""

    title = "kind"
    parameter_name = "kind"

    def conditions(self, *, now: datetime) -> dict[str, Q]:
        """By whether there is a run."""
        del now
        return {"of a producer": Q(run=None), "of one run": Q(run__isnull=False)}


@admin.register(Token)
class TokenAdmin(ReadOnly[Token]):
    """Who may call; `issue_token` and `setup_agent` make them, the action revokes them."""

    list_display = (
        *("key", "agent", "producer", "role", utc("last_used_at"), utc("expires_at")),
        utc("revoked_at"),
    )
    list_filter = (StateFilter, KindFilter, "producer__role", "created_at", "agent")
    list_select_related = ("agent", "producer")
    search_fields = ("^key", "producer__name", "agent__name")
    search_help_text = "The beginning of a key, a part of a producer's or agent's name, or an id."
    ordering = ("-id",)
    # Written out, so that the hash of the secret is never among them.
    times = (utc("created_at"), utc("expires_at"), utc("revoked_at"), utc("last_used_at"))
    fields = ("key", "id", "agent", "producer", "role", "run", *times)
    readonly_fields = ("role", *times)
    actions = ("revoke",)

    def in_words(self, token: Token) -> str:
        """Its key, whose it is, and what for."""
        role = f"{token.producer.role} of {token.producer.name}"
        return words(f"token {token.key}", role, f"agent {token.agent.name}")

    @admin.display(description="role", ordering="producer__role")
    def role(self, token: Token) -> str:
        """Its producer's role."""
        return token.producer.role

    @admin.action(description="Revoke…", permissions=["operate"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[Token]) -> HttpResponse | None:
        """Ask, then revoke the chosen tokens."""
        return operate(self, request, queryset, REVOKE)
