"""The strategy advisor, two turns: what to search memory for, then what to try (SPEC A4)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from autopilot.crew.catalogue import catalogue
from autopilot.crew.material import Assignment, Tried, memories, offered, tags_from
from autopilot.crew.researcher import Gathered
from autopilot.llm.answers import Advice, TagChoice
from autopilot.llm.port import CallNote, Provider, attempt
from autopilot.llm.prompts import ask
from memory.selectors.recall import Recalled, View, Wanted, recall

TAGS_MAX, POOL_SHOWN, BEST_SHOWN = 8, 60, 3
EXACT_MAX, OTHERS_MAX = 15, 15


@dataclass(frozen=True, slots=True, kw_only=True)
class TagSelection:
    """What to search for: 1 to TAGS_MAX tags, or none where the session has none, and a symbol."""

    tags: tuple[str, ...]
    symbol: str
    fell_back: bool
    call: CallNote


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What the search for `tags` returned: insights of the symbol chosen, then of others."""

    symbol: str = ""
    tags: tuple[str, ...] = ()
    exact: tuple[Recalled, ...] = ()
    others: tuple[Recalled, ...] = ()

    @property
    def everything(self) -> tuple[Recalled, ...]:
        """All of it, in order."""
        return self.exact + self.others

    @property
    def holdout_seen(self) -> int:
        """How many of them a holdout formed that overlaps with the session's (SPEC A9)."""
        return sum(one.holdout_seen for one in self.everything)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """The advice. `strategy` is as the model wrote it, unchecked; None: there is only the text.

    `used` are the memories that it says it rests on, `ignored` what it named and was not offered.
    """

    text: str
    strategy: dict[str, Any] | None
    used: tuple[UUID, ...]
    ignored: tuple[str, ...]
    fell_back: bool
    call: CallNote


def select_tags(
    *,
    provider: Provider,
    assignment: Assignment,
    gathered: Gathered,
    summary: str,
    pool: Sequence[str],
    iteration: int,
    seed: str,
) -> TagSelection:
    """Turn 0. When it fails: the session's own tags (of its request) and its symbol."""
    material: dict[str, Any] = {
        **assignment.as_json(),
        "iteration": iteration,
        "summary": summary,
        "known_tags": list(pool[:POOL_SHOWN]),
        "blocks": catalogue(
            timeframe=assignment.timeframe, pro=assignment.pro, available=assignment.available
        ),
        "memories": memories(gathered.everything),
    }
    answer, call = attempt(
        provider,
        ask(
            role="advisor_tags",
            material=material,
            answer=TagChoice,
            seed=f"{seed}|{iteration}|0",
        ),
    )
    tags = () if answer is None else tags_from(answer.tags, most=TAGS_MAX)
    symbol = assignment.symbol
    if answer is not None and answer.symbol in {one.symbol for one in gathered.everything}:
        symbol = answer.symbol or symbol
    return TagSelection(
        tags=tags or own_tags(assignment, gathered),
        symbol=symbol,
        fell_back=not tags,
        call=call,
    )


def own_tags(assignment: Assignment, gathered: Gathered) -> tuple[str, ...]:
    """Return the session's own tags: the known ones in its request, and its symbol."""
    return tuple(dict.fromkeys([*gathered.tags, assignment.symbol.lower()]))[:TAGS_MAX]


def find(*, view: View, symbol: str, tags: Sequence[str]) -> Found:
    """Search memory for what turn 0 chose, newest first, so that failures are among it."""
    exact = recall(
        view=view,
        wanted=Wanted(
            type="strategy_insight",
            symbol=symbol,
            tags=tuple(tags),
            limit=EXACT_MAX,
        ),
    )
    others = recall(
        view=view,
        wanted=Wanted(
            type="strategy_insight",
            not_symbol=symbol,
            tags=tuple(tags),
            limit=OTHERS_MAX,
        ),
    )
    return Found(symbol=symbol, tags=tuple(tags), exact=tuple(exact), others=tuple(others))


def advise(
    *,
    provider: Provider,
    assignment: Assignment,
    summary: str,
    rules: Sequence[Recalled],
    found: Found,
    best: Sequence[Tried],
    tried: Sequence[str],
    iteration: int,
    correction: int = 0,
    feedback: Sequence[Mapping[str, Any]] = (),
    seed: str,
) -> Recommendation:
    """Turn 1. When it fails the summary is the advice, without a strategy.

    `best` are the session's best configurations, best first; `tried` the hashes of all.
    `correction` counts the tries of this iteration that were refused; `feedback` says why the last
    one was: JSON objects with the place and what is wrong (SPEC A5).
    """
    shown = [*rules, *found.everything]
    material: dict[str, Any] = {
        **assignment.as_json(),
        "iteration": iteration,
        "summary": summary,
        "searched_for": {"tags": list(found.tags), "symbol": found.symbol},
        "blocks": catalogue(
            timeframe=assignment.timeframe, pro=assignment.pro, available=assignment.available
        ),
        "best": [one.as_json() for one in best[:BEST_SHOWN]],
        "tried": list(tried),
        "feedback": [dict(one) for one in feedback],
        "memories": memories(shown),
    }
    turn = f"{seed}|{iteration}|1|{correction}" if correction else f"{seed}|{iteration}|1"
    answer, call = attempt(
        provider, ask(role="advisor", material=material, answer=Advice, seed=turn)
    )
    if answer is None:
        return Recommendation(
            text=summary, strategy=None, used=(), ignored=(), fell_back=True, call=call
        )
    used, ignored = offered(answer.used_ids, shown)
    return Recommendation(
        text=answer.recommendation.strip() or summary,
        strategy=answer.strategy,
        used=tuple(used),
        ignored=tuple(ignored),
        fell_back=False,
        call=call,
    )
