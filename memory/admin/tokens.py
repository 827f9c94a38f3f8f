"""Pages of bearer tokens. What is kept of a secret is shown nowhere (SPEC X2)."""

from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from memory.admin.base import ReadOnly
from memory.admin.operations import Operation, operate
from memory.models import Token
from memory.services import tokens

REVOKE = Operation[Token](
    name="revoke",
    title="Revoke tokens",
    consequence="From now on whoever bears them is refused (401). There is no way back: "
    "`issue_token` makes new ones.",
    done="revoked",
    due=lambda rows: rows.filter(revoked_at__isnull=True),
    apply=lambda token, now: tokens.revoke_token(token=token, now=now),
)


class StateFilter(admin.SimpleListFilter):
    """Tokens that are good, expired, or revoked."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Name the three states."""
        del request, model_admin
        return [("good", "good"), ("expired", "expired"), ("revoked", "revoked")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Keep the rows of the chosen state."""
        del request
        expired, revoked = Q(expires_at__lte=timezone.now()), Q(revoked_at__isnull=False)
        match self.value():
            case "good":
                return queryset.exclude(revoked).exclude(expired)
            case "expired":
                return queryset.filter(expired).exclude(revoked)
            case "revoked":
                return queryset.filter(revoked)
        return queryset


@admin.register(Token)
class TokenAdmin(ReadOnly[Token]):
    """Who may call; `issue_token` and `setup_agent` make them, the action revokes them."""

    list_display = (
        *("key", "agent", "producer", "role", "created_at", "last_used_at", "expires_at"),
        *("revoked_at", "of_run"),
    )
    list_filter = (
        StateFilter,
        "producer__role",
        ("run", admin.EmptyFieldListFilter),
        "created_at",
        "agent",
    )
    list_select_related = ("agent", "producer")
    search_fields = ("^key", "producer__name", "agent__name")
    search_help_text = "The beginning of a key, a part of a producer's or agent's name, or an id."
    ordering = ("-id",)
    # Written out, so that the hash of the secret is never among them.
    fields = (
        *("key", "id", "agent", "producer", "role", "run", "created_at", "expires_at"),
        *("revoked_at", "last_used_at"),
    )
    readonly_fields = ("role",)
    actions = ("revoke",)

    @admin.display(description="role", ordering="producer__role")
    def role(self, token: Token) -> str:
        """Its producer's role."""
        return token.producer.role

    @admin.display(description="run token", boolean=True)
    def of_run(self, token: Token) -> bool:
        """Whether it is good for one run alone."""
        return token.run_id is not None

    @admin.action(description="Revoke…", permissions=["operate"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[Token]) -> HttpResponse | None:
        """Ask, then revoke the chosen tokens."""
        return operate(self, request, queryset, REVOKE)
