"""Merging by hand: what says the same, side by side, to be confirmed; its undoing (SPEC M9, O5).

What is confirmed are groups that a person saw: one that has changed since is left for another look.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.safestring import SafeString

from memory.admin.base import NOTHING, ReadOnly, block, link_to, moment, table, visible
from memory.errors import TidebookError
from memory.models import Agent, Standing
from memory.policies.duplicates import Group, Memory, Pair, Plan
from memory.policies.likeness import difference
from memory.services import duplicates
from memory.services.duplicates import memory_of
from memory.services.standings import Cause

HOW = {
    "config": "the same configuration",
    "text": "the same text",
    "words": "the same facts in other words",
}
DIFFERS = {
    "numbers": "a number, or what bounds it",
    "timeframes": "the timeframe",
    "instruments": "the instrument",
    "classes": "direction, comparison, outcome or negation",
    "subjects": "the indicator or pattern",
    "opposites": "an opposite",
    "words": "a word stands for another",
    "order": "things have changed places",
    "group": "each is like some of the other's group alone",
    "parted": "an undo: a look with what was parted offers to merge it again",
}
TOLD = ("numbers", "timeframes", "instruments", "classes", "subjects", "words")
"""Of these the page says what each text has and the other has not."""
SHOWN = 50
"""So many groups, and pairs of related ones, are on the page at the most."""


@dataclass(frozen=True, slots=True)
class Side:
    """A memory of a comparison, as the page shows it."""

    standing: Standing
    note: str

    @property
    def link(self) -> SafeString:
        """The way to its page."""
        return link_to(Standing, self.standing.pk, str(self.standing.pk))

    @property
    def text(self) -> SafeString:
        """What it says, as written."""
        return block(self.standing.record.content)

    @property
    def facts(self) -> str:
        """What ranks it."""
        row = self.standing
        ends = "permanent" if row.expires_at is None else f"until {moment(row.expires_at)} UTC"
        tags = ", ".join(visible(tag) for tag in row.tags) or "no tags"
        return f"confidence {row.confidence}, count {row.validated_count}, {ends}, {tags}"


@dataclass(frozen=True, slots=True)
class Shown:
    """A group or a related pair, as the page shows it. `key` names what a person confirms."""

    about: str
    sides: Sequence[Side]
    key: str = ""
    note: str = ""


class MergePages(ReadOnly[Standing]):
    """The pages of merging, beside the lists of standings."""

    def get_urls(self) -> list[URLPattern]:
        """Put the pages before the one that takes any key."""
        view = self.admin_site.admin_view
        return [
            path("merge/", view(self.merge_view), name="memory_standing_merge"),
            path("<uuid:standing>/unmerge/", view(self.undo_view), name="memory_standing_unmerge"),
            *super().get_urls(),
        ]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Lead to the merging from the list."""
        offered = {"may_merge": self.has_operate_permission(request)}
        return super().changelist_view(request, {**(extra_context or {}), **offered})

    def merge_view(self, request: HttpRequest) -> HttpResponse:
        """Show what says the same among an agent's memories, and merge what is confirmed."""
        if not self.has_operate_permission(request):
            raise PermissionDenied
        agents = Agent.objects.order_by("name", "id")
        agent = _named(agents, request.GET.get("agent", ""))
        again = request.GET.get("again") == "true"
        if agent is not None and request.method == "POST":
            self._merge(request, agent, again=again)
            return HttpResponseRedirect(request.get_full_path())
        plan = None
        if agent is not None:
            plan = duplicates.preview(agent_id=agent.id, again=again, now=timezone.now())
        context: dict[str, Any] = {
            **self.admin_site.each_context(request),
            "title": "Merge duplicates",
            "opts": self.model._meta,  # noqa: SLF001 - public
            "agents": agents,
            "agent": agent,
            "again": again,
            **({} if plan is None else shown_of(plan)),
        }
        return TemplateResponse(request, "admin/tidebook/merge.html", context)

    def _merge(self, request: HttpRequest, agent: Agent, *, again: bool) -> None:
        chosen = [_ids(key) for key in request.POST.getlist("group")]
        done = duplicates.merge(
            agent_id=agent.id,
            by=Cause("user", str(request.user.pk)),
            again=again,
            only=[ids for ids in chosen if ids],
            now=timezone.now(),
        )
        # Who deletes one meanwhile takes all that is merged into it along.
        rows = Standing.objects.in_bulk([group.survivor for group in done.groups])
        for group in done.groups:
            if group.survivor in rows:
                told = f"Absorbed {len(group.merged)}."
                self.log_change(request, rows[group.survivor], told)
        message = f"{done.count} merged into {len(done.groups)}."
        if len(done.groups) < len(chosen):
            message += f" {len(chosen) - len(done.groups)} changed meanwhile: look again."
        level = messages.SUCCESS if done.groups else messages.WARNING
        self.message_user(request, message, level)

    def undo_view(self, request: HttpRequest, standing: UUID) -> HttpResponse:
        """Undo the latest merge into a memory, on the button of its page."""
        if not self.has_operate_permission(request):
            raise PermissionDenied
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        row = get_object_or_404(Standing, record_id=standing)
        try:
            apart = duplicates.undo(
                agent_id=row.agent_id,
                record_id=row.record_id,
                by=Cause("user", str(request.user.pk)),
                now=timezone.now(),
            )
        except TidebookError as refusal:
            self.message_user(request, refusal.message, messages.ERROR)
        else:
            self.log_change(request, row, f"Unmerged {len(apart)}.")
            self.message_user(request, f"{len(apart)} stand for themselves again.")
        return HttpResponseRedirect(reverse("admin:memory_standing_change", args=[standing]))

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Offer the undoing of a merge where there is one."""
        offered = {"undoable": self.has_operate_permission(request) and _stands_for_some(object_id)}
        return super().change_view(
            request, object_id, form_url, {**(extra_context or {}), **offered}
        )

    @admin.display(description="stands for")
    def absorbed_list(self, standing: Standing) -> SafeString | str:
        """What is merged into it, the newest first."""
        rows = Standing.objects.filter(agent_id=standing.agent_id, merged_into=standing.pk)
        told = rows.select_related("record").order_by("-record_id")[:SHOWN]
        cells = (
            (link_to(Standing, row.pk, str(row.pk)), visible(row.record.content)) for row in told
        )
        return table(("standing", "content"), cells)


def _named(agents: Any, key: str) -> Agent | None:
    try:
        found: Agent | None = agents.filter(id=UUID(key)).first()
    except ValueError:
        return None
    return found


def _stands_for_some(object_id: str) -> bool:
    try:
        return Standing.objects.filter(merged_into=UUID(object_id)).exists()
    except ValueError:
        return False


def _ids(key: str) -> frozenset[UUID]:
    """Return the ids that a checkbox names; a forged value names none."""
    try:
        return frozenset(UUID(one) for one in key.split(","))
    except ValueError:
        return frozenset()


def shown_of(plan: Plan) -> dict[str, Any]:
    """Return a plan as the page shows it, without what was deleted since it was made."""
    groups, pairs = plan.groups[:SHOWN], plan.related[:SHOWN]
    ids = {id_ for group in groups for id_ in group.ids}
    ids |= {id_ for pair in pairs for id_ in (pair.one, pair.other)}
    rows = Standing.objects.select_related("record").in_bulk(list(ids))
    there = rows.keys()
    return {
        "groups": [_group(group, rows) for group in groups if there >= set(group.ids)],
        "related": [_related(pair, rows) for pair in pairs if there >= {pair.one, pair.other}],
        "hidden_groups": max(0, len(plan.groups) - SHOWN),
        "gone": len(ids - there),
    }


def _group(group: Group, rows: Mapping[UUID, Standing]) -> Shown:
    survivor = rows[group.survivor]
    sides = [
        Side(survivor, "would stand for the others"),
        *(Side(rows[pair.other], _how(pair)) for pair in group.merged),
    ]
    key = ",".join(str(id_) for id_ in group.ids)
    return Shown(about=_about(memory_of(survivor)), sides=sides, key=key)


def _related(pair: Pair, rows: Mapping[UUID, Standing]) -> Shown:
    sides = [Side(rows[id_], "") for id_ in (pair.one, pair.other)]
    one, other = (memory_of(side.standing).facts for side in sides)
    apart = (" and ".join(some) or "nothing" for some in difference(one, other, pair.differs))
    told = visible(" / ".join(apart)) if pair.differs in TOLD else ""
    note = f"{_percent(pair)} alike, and kept apart by {DIFFERS[pair.differs]}"
    note += f": {told}" if told else ""
    return Shown(about=_about(memory_of(rows[pair.one])), sides=sides, note=note)


def _how(pair: Pair) -> str:
    return f"{_percent(pair)} alike: {HOW[pair.how or 'words']}"


def _percent(pair: Pair) -> str:
    return f"{pair.score:.0%}"


def _about(memory: Memory) -> str:
    """Return what all of a block share."""
    told = (memory.symbol, memory.strategy_type, memory.direction, memory.outcome)
    return ", ".join(visible(one) for one in told if one) or NOTHING
