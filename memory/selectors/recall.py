"""Strategy memory as it was at a moment: what an autopilot session may read (SPEC A3, A4, A9).

A session reads standings as they were when it started, and the insights that it made itself. What
its own work moves meanwhile is told by the ledgers and left out: a standing without a line since is
as it stands, any other is what its latest line of then tells. All that keeps a memory out is a
predicate before the limit. Nothing of a holdout is read from a row here.
"""

import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

from django.db import connection

type Order = Literal["newest", "ranked"]
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
    bars (SPEC A9).
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


# Times of windows are compared as text: metrics may come from an import, and hold anything; a cast
# would raise. What is no time in this form has no window.
_TIME = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"
_FORM = "%Y-%m-%dT%H:%M:%SZ"
_FIGURE = r"^(0(\.\d{1,9})?|1(\.0{1,9})?)$"


def _overlaps(window: str, first: str, last: str) -> str:
    """Return the predicate: [first, last) of a JSON window meets the hidden bars."""
    start, end = f"({window} ->> '{first}')", f"({window} ->> '{last}')"
    return (
        f'coalesce({start} COLLATE "C" < %(hidden_end)s'
        f' AND {end} COLLATE "C" > %(hidden_start)s'
        f" AND {start} ~ %(time)s AND {end} ~ %(time)s, false)"
    )


_MOVED = """
moved AS MATERIALIZED (
    SELECT DISTINCT c.record_id FROM memory_standing_change c
    WHERE c.agent_id = %(agent)s AND c.at > %(at)s
)"""
# A session's own memories are in none of the first two; its insights are as it made them in the
# third. Whose they are is told by their session alone: a clock may have gone back meanwhile.
_KNOWN = """
known AS (
    SELECT s.record_id, s.type, s.created_at, s.metrics, s.tags, s.confidence, s.validated_count,
        s.relevance_score, false AS own
    FROM memory_standing s
    WHERE s.agent_id = %(agent)s AND s.type = ANY (%(types)s::text[]) AND s.merged_into_id IS NULL
        AND coalesce(s.expires_at, 'infinity'::timestamptz) > %(at)s AND s.created_at <= %(at)s
        AND NOT EXISTS (SELECT 1 FROM moved m WHERE m.record_id = s.record_id)
        AND (s.metrics ->> 'session' = %(session)s) IS NOT TRUE {facts}
    UNION ALL
    SELECT s.record_id, s.type, s.created_at, s.metrics,
        ARRAY(SELECT t.tag FROM jsonb_array_elements_text(told.after -> 'tags')
            WITH ORDINALITY AS t(tag, ord) ORDER BY t.ord),
        (told.after ->> 'confidence')::numeric, (told.after ->> 'validated_count')::int,
        (told.after ->> 'relevance_score')::numeric, false
    FROM moved m
    JOIN memory_standing s ON s.agent_id = %(agent)s AND s.record_id = m.record_id
    CROSS JOIN LATERAL (
        SELECT c.after FROM memory_standing_change c
        WHERE c.agent_id = %(agent)s AND c.record_id = m.record_id AND c.at <= %(at)s
        ORDER BY c.revision DESC LIMIT 1) told
    WHERE s.type = ANY (%(types)s::text[]) AND told.after ->> 'merged_into' IS NULL
        AND coalesce((told.after ->> 'expires_at')::timestamptz, 'infinity') > %(at)s
        AND s.created_at <= %(at)s AND (s.metrics ->> 'session' = %(session)s) IS NOT TRUE {facts}
    UNION ALL
    SELECT s.record_id, s.type, s.created_at, s.metrics, r.tags,
        (made.after ->> 'confidence')::numeric, (made.after ->> 'validated_count')::int,
        (made.after ->> 'relevance_score')::numeric, true
    FROM memory_standing s
    JOIN memory_record r ON r.agent_id = %(agent)s AND r.id = s.record_id
    JOIN memory_standing_change made ON made.agent_id = %(agent)s AND made.record_id = s.record_id
        AND made.revision = 1
    WHERE s.agent_id = %(agent)s AND s.type = 'strategy_insight'
        AND s.type = ANY (%(types)s::text[]) AND s.metrics ->> 'session' = %(session)s {facts}
)"""
# What a rule was made from may be forgotten by now: it keeps the windows of its insights itself.
_MADE = """
    EXISTS (SELECT 1 FROM jsonb_array_elements(
            CASE jsonb_typeof(k.metrics -> 'windows')
                WHEN 'array' THEN k.metrics -> 'windows' ELSE '[]' END) AS w(told)
        WHERE {overlaps})"""
_JUDGED = """
    EXISTS (SELECT 1 FROM memory_standing_change j
        WHERE j.agent_id = %(agent)s AND j.record_id = k.record_id AND j.at <= %(at)s
            AND {overlaps})"""
_HIDES = f"""
    AND (k.own OR NOT ({_overlaps("k.metrics -> 'window'", "start", "split")}
        OR (k.type = 'rule' AND {_MADE.format(overlaps=_overlaps("w.told", "start", "split"))})))"""
_MARKS = f"""
    (NOT k.own AND ({_overlaps("k.metrics -> 'window'", "split", "end")}
        OR (k.type = 'rule' AND ({_MADE.format(overlaps=_overlaps("w.told", "split", "end"))}
            OR {_JUDGED.format(overlaps=_overlaps("j.detail -> 'window'", "split", "end"))}))))"""
_SEEN = """
marked AS MATERIALIZED (
    SELECT k.*, {marks} AS is_marked FROM known k WHERE true {hides}
),
seen AS (
    SELECT k.record_id, k.created_at, k.tags, k.validated_count, k.relevance_score, k.own,
        k.is_marked,
        CASE WHEN k.type = 'strategy_insight' AND (k.own OR k.is_marked)
                AND k.metrics ->> 'in_sample_confidence' ~ %(figure)s
            THEN (k.metrics ->> 'in_sample_confidence')::numeric ELSE k.confidence
            END AS confidence,
        (SELECT count(*) FROM unnest(k.tags) t WHERE t = ANY (%(tags)s::text[])) AS overlap
    FROM marked k
)"""
# The bodies are read for those that have a place.
_RECALL = """
SELECT s.record_id, s.type, r.content, s.symbol_id, s.strategy_type, s.outcome, v.tags,
    v.confidence, v.validated_count, v.relevance_score, s.created_at, s.config::text,
    (s.metrics -> 'in_sample')::text, v.own, v.is_marked
FROM (
    SELECT v.* FROM seen v
    WHERE cardinality(%(tags)s::text[]) = 0 OR cardinality(v.tags) = 0 OR v.overlap > 0
    ORDER BY {order} LIMIT %(limit)s) v
JOIN memory_standing s ON s.agent_id = %(agent)s AND s.record_id = v.record_id
JOIN memory_record r ON r.agent_id = %(agent)s AND r.id = v.record_id
ORDER BY {order}"""
_ORDERS: dict[Order, str] = {
    "newest": "v.created_at DESC, v.record_id DESC",
    "ranked": "v.relevance_score DESC, v.overlap DESC, v.confidence DESC, v.created_at DESC, "
    "v.record_id DESC",
}
_POOL = """
SELECT t.tag FROM marked k CROSS JOIN LATERAL unnest(k.tags) AS t(tag)
GROUP BY t.tag ORDER BY count(*) DESC, t.tag COLLATE "C" LIMIT %(limit)s"""


def recall(*, view: View, wanted: Wanted) -> list[Recalled]:
    """Return the memories that are wanted, in order; at most `RECALL_MAX`, whatever is asked."""
    facts = {
        "symbol": "AND s.symbol_id = %(symbol)s",
        "not_symbol": "AND s.symbol_id IS DISTINCT FROM %(not_symbol)s",
        "strategy_type": "AND s.strategy_type = %(strategy_type)s",
    }
    given = {name: getattr(wanted, name) for name in facts if getattr(wanted, name) is not None}
    values = {
        **_values(view, (wanted.type,)),
        **given,
        "tags": list(wanted.tags),
        "limit": min(wanted.limit, RECALL_MAX),
    }
    text = _with(view, " ".join(facts[name] for name in given))
    with connection.cursor() as cursor:
        cursor.execute(text + _RECALL.format(order=_ORDERS[wanted.order]), values)
        return [_recalled(row) for row in cursor.fetchall()]


def tag_pool(*, view: View, limit: int = POOL_MAX) -> list[str]:
    """Return the tags of the rules and insights in view, the most used first."""
    values = {
        **_values(view, ("rule", "strategy_insight")),
        "tags": [],
        "limit": min(limit, POOL_MAX),
    }
    with connection.cursor() as cursor:
        cursor.execute(_with(view, "") + _POOL, values)
        return [tag for (tag,) in cursor.fetchall()]


def _with(view: View, facts: str) -> str:
    hides = view.hidden is not None
    seen = _SEEN.format(marks=_MARKS if hides else "false", hides=_HIDES if hides else "")
    return f"WITH {_MOVED}, {_KNOWN.format(facts=facts)}, {seen}"


def _values(view: View, types: tuple[Tier, ...]) -> dict[str, Any]:
    start, end = view.hidden or (view.at, view.at)
    return {
        "agent": view.agent_id,
        "at": view.at,
        "types": list(types),
        "session": None if view.session_id is None else str(view.session_id),
        "time": _TIME,
        "figure": _FIGURE,
        "hidden_start": start.astimezone(UTC).strftime(_FORM),
        "hidden_end": end.astimezone(UTC).strftime(_FORM),
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
    )


def known_tags_in(text: str, *, tags: list[str]) -> list[str]:
    """Return those of `tags` that occur in a text as words; `_`, `-` and a blank are alike."""
    said = f" {_words(text)} "
    return [tag for tag in tags if (words := _words(tag)) and f" {words} " in said]


def _words(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))
