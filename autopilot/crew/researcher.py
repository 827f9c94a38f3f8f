"""The memory researcher: what memory says before anything is tried (SPEC A3)."""

from dataclasses import dataclass
from typing import Any

from autopilot.crew.material import SUMMARY_MAX, Assignment, cut, memories
from autopilot.llm.answers import Summary
from autopilot.llm.port import CallNote, Provider, attempt
from autopilot.llm.prompts import ask
from memory.selectors.recall import Recalled, View, Wanted, known_tags_in, recall, tag_pool

RULES_MAX, EXACT_MAX, CROSS_MAX = 10, 15, 15
EXACT_ENOUGH = 10
"""With so many insights of the symbol, those of others are not looked for."""
PROMPT_TAGS_MAX = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """What memory returned. `tags` are the known ones that occur in the request.

    `others_asked`: insights of other markets were looked for, those with one of the tags where
    there are any.
    """

    rules: tuple[Recalled, ...] = ()
    exact: tuple[Recalled, ...] = ()
    cross: tuple[Recalled, ...] = ()
    tags: tuple[str, ...] = ()
    others_asked: bool = True

    @property
    def everything(self) -> tuple[Recalled, ...]:
        """All of it: rules, then insights of the symbol, then of others."""
        return self.rules + self.exact + self.cross

    @property
    def holdout_seen(self) -> int:
        """How many of them a holdout formed that overlaps with the session's (SPEC A9)."""
        return sum(one.holdout_seen for one in self.everything)


@dataclass(frozen=True, slots=True, kw_only=True)
class Research:
    """The summary, "" when memory returned nothing; then no model was called either."""

    summary: str
    is_empty: bool
    call: CallNote | None


def gather(*, view: View, assignment: Assignment) -> Gathered:
    """Read memory for a session; cross-asset insights only while its own symbol has few."""
    tags = known_tags_in(assignment.prompt, tags=tag_pool(view=view))[:PROMPT_TAGS_MAX]
    exact = recall(
        view=view,
        wanted=Wanted(type="strategy_insight", symbol=assignment.symbol, limit=EXACT_MAX),
    )
    cross = []
    others_asked = len(exact) < EXACT_ENOUGH
    if others_asked:
        cross = recall(
            view=view,
            wanted=Wanted(
                type="strategy_insight",
                not_symbol=assignment.symbol,
                tags=tuple(tags),
                limit=CROSS_MAX,
            ),
        )
    return Gathered(
        rules=rules_of(view=view),
        exact=tuple(exact),
        cross=tuple(cross),
        tags=tuple(tags),
        others_asked=others_asked,
    )


def rules_of(*, view: View) -> tuple[Recalled, ...]:
    """Return the rules that a session works with: the best of those in view."""
    return tuple(recall(view=view, wanted=Wanted(type="rule", order="ranked", limit=RULES_MAX)))


def research(
    *, provider: Provider, assignment: Assignment, gathered: Gathered, seed: str
) -> Research:
    """Let a model sum up what memory returned; the bare counts when it fails or says nothing."""
    if not gathered.everything:
        return Research(summary="", is_empty=True, call=None)
    material: dict[str, Any] = {
        **assignment.as_json(),
        "other_markets": {"asked": gathered.others_asked, "tags": list(gathered.tags)},
        "memories": memories(gathered.everything),
    }
    answer, call = attempt(
        provider,
        ask(role="researcher", material=material, answer=Summary, seed=f"{seed}|0|research"),
    )
    said = "" if answer is None else answer.summary.strip()
    text = said or counts(gathered, symbol=assignment.symbol)
    return Research(summary=cut(text, SUMMARY_MAX), is_empty=False, call=call)


def counts(gathered: Gathered, *, symbol: str) -> str:
    """Return how much memory returned, in a sentence."""
    others = str(len(gathered.cross)) if gathered.others_asked else "not asked"
    return (
        f"Memory returned rules: {len(gathered.rules)}; insights of {symbol}: "
        f"{len(gathered.exact)}, of other markets: {others}."
    )
