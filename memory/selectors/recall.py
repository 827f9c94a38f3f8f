"""Strategy memory as it was at a moment: what an autopilot session may read (SPEC A3, A4, A9).

A session reads standings as they were when it started, and the insights that it made itself. What
its own work moves meanwhile is told by the ledgers and left out. The same holds for what others
share and for what was granted, where that is read (SPEC M8, M10). All that keeps a memory out is a
predicate before the limit.
"""

import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

from django.db import connection

from memory.selectors import recall_sql
from memory.selectors.reach import ORIGINS, OWN_ALONE, Origin, Reach
from memory.selectors.recall_sql import FIGURE, FORM, TIME, Fact, Order

type Tier = Literal["rule", "strategy_insight"]

RECALL_MAX = 50
POOL_MAX = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What of an agent's strategy memory is seen: all that was live at `at`, and more or less.

    More: the insights of session `session_id`, with the confidence that the bars before its holdout
    gave them. Less: with `hidden`, a session's holdout [start, end), what was learned on bars
    inside of it, on any instrument; where another holdout overlaps with it, an insight counts with
    the confidence of its bars before, and is marked.
    """

    agent_id: UUID
    at: datetime
    session_id: UUID | None = None
    hidden: tuple[datetime, datetime] | None = None
    reach: Reach = OWN_ALONE


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which memories, and how many. With `tags`: those that share one, or have none (SPEC S3).

    `newest` is by time of creation, `ranked` by relevance, shared tags, confidence, then time.
    """

    type: Tier
    symbol: str | None = None
    not_symbol: str | None = None
    strategy_type: str | None = None
    tags: tuple[str, ...] = ()
    order: Order = "newest"
    limit: int = RECALL_MAX


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """A memory as it was. `in_sample` are the figures of the bars before its holdout.

    `own`: the session made it. `holdout_seen`: a holdout that formed it overlaps with the hidden
    bars (SPEC A9). `origin` is whose it is, `granted_from` the name of the agent that let it be
    read; of a copy `id` is the copy's, `created_at` when it was shared, and there is no config.
    """

    id: UUID
    type: Tier
    content: str
    symbol: str | None
    strategy_type: str | None
    outcome: str | None
    tags: tuple[str, ...]
    confidence: Decimal
    validated_count: int
    relevance_score: Decimal
    created_at: datetime
    config: dict[str, Any] | None = None
    in_sample: dict[str, Any] = field(default_factory=dict)
    own: bool = False
    holdout_seen: bool = False
    origin: Origin = "own"
    granted_from: str | None = None


def recall(*, view: View, wanted: Wanted) -> list[Recalled]:
    """Return the memories that are wanted, in order; at most `RECALL_MAX`, whatever is asked."""
    names: tuple[Fact, ...] = ("symbol", "not_symbol", "strategy_type")
    facts = tuple(name for name in names if getattr(wanted, name) is not None)
    values: dict[str, Any] = {
        **_values(view, (wanted.type,)),
        **{name: getattr(wanted, name) for name in facts},
        "tags": list(wanted.tags),
        "limit": min(wanted.limit, RECALL_MAX),
    }
    text = recall_sql.memories(
        facts=facts,
        hides=view.hidden is not None,
        order=wanted.order,
        reach=view.reach,
    )
    with connection.cursor() as cursor:
        cursor.execute(text, values)
        return [_recalled(row) for row in cursor.fetchall()]


def tag_pool(*, view: View, limit: int = POOL_MAX) -> list[str]:
    """Return the tags of the rules and insights in view, the most used first."""
    values = {
        **_values(view, ("rule", "strategy_insight")),
        "tags": [],
        "limit": min(limit, POOL_MAX),
    }
    with connection.cursor() as cursor:
        cursor.execute(recall_sql.tags(hides=view.hidden is not None, reach=view.reach), values)
        return [tag for (tag,) in cursor.fetchall()]


def _values(view: View, types: tuple[Tier, ...]) -> dict[str, Any]:
    start, end = view.hidden or (view.at, view.at)
    return {
        "agent": view.agent_id,
        "at": view.at,
        "types": list(types),
        "session": None if view.session_id is None else str(view.session_id),
        "time": TIME,
        "figure": FIGURE,
        "hidden_start": start.astimezone(UTC).strftime(FORM),
        "hidden_end": end.astimezone(UTC).strftime(FORM),
    }


def _recalled(row: tuple[Any, ...]) -> Recalled:
    config, figures = (None if text is None else json.loads(text) for text in row[11:13])
    return Recalled(
        id=row[0],
        type=row[1],
        content=row[2],
        symbol=row[3],
        strategy_type=row[4],
        outcome=row[5],
        tags=tuple(row[6]),
        confidence=row[7],
        validated_count=row[8],
        relevance_score=row[9],
        created_at=row[10],
        config=config if isinstance(config, dict) else None,
        in_sample=figures if isinstance(figures, dict) else {},
        own=row[13],
        holdout_seen=row[14],
        origin=ORIGINS[row[15]],
        granted_from=row[17],
    )


def known_tags_in(text: str, *, tags: list[str]) -> list[str]:
    """Return those of `tags` that occur in a text as words; `_`, `-` and a blank are alike."""
    said = f" {_words(text)} "
    return [tag for tag in tags if (words := _words(tag)) and f" {words} " in said]


def _words(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))
