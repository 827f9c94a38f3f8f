"""Pages of agents."""

from typing import Any

from django import forms
from django.contrib import admin
from django.forms import ModelForm
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from memory.admin.base import NOTHING, StaffAdmin, link_to_list, utc
from memory.models import (
    Agent,
    AgentTail,
    Grant,
    Producer,
    Record,
    Run,
    Selection,
    SharedMemory,
    Token,
)
from memory.policies.freshness import STAMPABLE
from memory.policies.versions import Condition
from memory.services import community, onboarding, setup

EDITABLE = ("name", "expiry_policy", "trading_may_search", "plan", "share_community_memories")
KEPT = ("owner", "id", "node_uuid", utc("created_at"), "records", "belongings")
"""What is shown once there is an agent."""


class AgentForm(ModelForm[Agent]):
    """An agent's name and the rule that stamps its records' deadlines."""

    expiry_policy = forms.ChoiceField(
        choices=[(name, name) for name in STAMPABLE],
        help_text="Stamps deadlines on new analysis records. Stored deadlines stay.",
    )

    def clean(self) -> dict[str, Any]:
        """Refuse a name that the owner uses already, in words."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        owner = data.get("owner") or self.instance.owner_id
        twins = Agent.objects.filter(owner=owner, name=data.get("name")).exclude(
            pk=self.instance.pk
        )
        if owner and data.get("name") and twins.exists():
            self.add_error("name", "This owner has an agent of that name already.")
        return data


@admin.register(Agent)
class AgentAdmin(StaffAdmin[Agent]):
    """Add an agent; rename it, change its policy and plan, let trading search, let it share.

    Its owner never changes.
    """

    form = AgentForm
    list_display = ("name", "owner", "expiry_policy", "plan", utc("created_at"))
    list_filter = ("expiry_policy", "plan", "created_at")
    list_select_related = ("owner",)
    search_fields = ("name", "owner__username")
    search_help_text = "A name, an owner, or an id."
    autocomplete_fields = ("owner",)
    ordering = ("name", "id")

    def get_fields(self, request: HttpRequest, obj: Agent | None = None) -> list[Any]:
        """Show the rest of an agent once there is one."""
        del request
        if obj is None:
            return ["owner", *EDITABLE]
        return [*EDITABLE, *KEPT]

    def get_readonly_fields(self, request: HttpRequest, obj: Agent | None = None) -> list[Any]:
        """Leave name and policy to be edited."""
        del request
        return [] if obj is None else list(KEPT)

    def save_model(self, request: HttpRequest, obj: Agent, form: Any, change: bool) -> None:
        """Create or edit through the services."""
        del request, form
        if not change:
            made = setup.create_agent(owner=obj.owner, name=obj.name, now=timezone.now())
            obj.pk, obj.created_at = made.pk, made.created_at
        onboarding.edit_agent(
            agent=obj,
            name=obj.name,
            expiry_policy=obj.expiry_policy,
            trading_may_search=obj.trading_may_search,
            plan=obj.plan,
        )
        # Whoever looks at the form sees the flag; the other fields have no versions, either.
        community.set_sharing(
            agent_id=obj.pk, enabled=obj.share_community_memories, condition=Condition(None)
        )

    @admin.display(description="records written")
    def records(self, agent: Agent) -> str:
        """The place of the newest record, and how many erasures there were."""
        tail = AgentTail.objects.filter(agent=agent).first()
        return NOTHING if tail is None else f"{tail.last_seq} (erasures: {tail.erasures})"

    @admin.display(description="lists")
    def belongings(self, agent: Agent) -> SafeString:
        """Links to the agent's rows."""
        lists = {
            "records": Record,
            "producers": Producer,
            "runs": Run,
            "selections": Selection,
            "tokens": Token,
            "shared memories": SharedMemory,
        }
        links = [
            (link_to_list(model, text, agent__id__exact=agent.pk),) for text, model in lists.items()
        ]
        links.append((link_to_list(Grant, "agents it may read", reader__id__exact=agent.pk),))
        return format_html_join(" · ", "{}", links)
