"""The statements of recall, made of constant parts (SPEC A9).

Three scopes may have a part, as in search: the session's agent (0), what it was granted (1), what
others share (2). Nothing of a holdout is read from a row here.
"""

from functools import cache
from typing import Literal

from memory.selectors.reach import SHARES, SOURCES, Reach

type Order = Literal["newest", "ranked"]
type Fact = Literal["symbol", "not_symbol", "strategy_type"]

# Times of windows are compared as text: metrics may come from an import, and hold anything; a cast
# would raise. What is no time in this form has no window.
TIME = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"
FORM = "%Y-%m-%dT%H:%M:%SZ"
FIGURE = r"^(0(\.\d{1,9})?|1(\.0{1,9})?)$"


def _overlaps(window: str, first: str, last: str) -> str:
    """Return the predicate: [first, last) of a JSON window meets the hidden bars."""
    start, end = f"({window} ->> '{first}')", f"({window} ->> '{last}')"
    return (
        f'coalesce({start} COLLATE "C" < %(hidden_end)s'
        f' AND {end} COLLATE "C" > %(hidden_start)s'
        f" AND {start} ~ %(time)s AND {end} ~ %(time)s, false)"
    )


# Of an agent: `from` names whose rows they are, `agent` is its id. A standing without a line since
# is as it stands, any other is what its latest line of then tells.
_MOVED = """
{name} AS MATERIALIZED (
    SELECT DISTINCT c.agent_id, c.record_id FROM {whose}memory_standing_change c
    WHERE c.agent_id = {agent} AND c.at > %(at)s
)"""
_KNOWN = """
    SELECT {scope} AS scope, s.agent_id, s.record_id, s.type, s.created_at, s.metrics, s.tags,
        s.confidence, s.validated_count, s.relevance_score, false AS own
    FROM {whose}memory_standing s
    WHERE s.agent_id = {agent} AND s.type = ANY (%(types)s::text[]) AND s.merged_into_id IS NULL
        AND coalesce(s.expires_at, 'infinity'::timestamptz) > %(at)s AND s.created_at <= %(at)s
        AND NOT EXISTS (SELECT 1 FROM {moved} m WHERE m.record_id = s.record_id)
        {others}{facts}
    UNION ALL
    SELECT {scope}, s.agent_id, s.record_id, s.type, s.created_at, s.metrics,
        ARRAY(SELECT t.tag FROM jsonb_array_elements_text(told.after -> 'tags')
            WITH ORDINALITY AS t(tag, ord) ORDER BY t.ord),
        (told.after ->> 'confidence')::numeric, (told.after ->> 'validated_count')::int,
        (told.after ->> 'relevance_score')::numeric, false
    FROM {moved} m
    JOIN memory_standing s ON s.agent_id = {mover} AND s.record_id = m.record_id
    CROSS JOIN LATERAL (
        SELECT c.after FROM memory_standing_change c
        WHERE c.agent_id = {mover} AND c.record_id = m.record_id AND c.at <= %(at)s
        ORDER BY c.revision DESC LIMIT 1) told
    WHERE s.type = ANY (%(types)s::text[]) AND told.after ->> 'merged_into' IS NULL
        AND coalesce((told.after ->> 'expires_at')::timestamptz, 'infinity') > %(at)s
        AND s.created_at <= %(at)s {others}{facts}"""
# A session's own memories are in none of the above; its insights are as it made them here. Whose
# they are is told by their session alone: a clock may have gone back meanwhile.
_NOT_OWN = "AND (s.metrics ->> 'session' = %(session)s) IS NOT TRUE "
_OWN = """
    UNION ALL
    SELECT 0, s.agent_id, s.record_id, s.type, s.created_at, s.metrics, r.tags,
        (made.after ->> 'confidence')::numeric, (made.after ->> 'validated_count')::int,
        (made.after ->> 'relevance_score')::numeric, true
    FROM memory_standing s
    JOIN memory_record r ON r.agent_id = %(agent)s AND r.id = s.record_id
    JOIN memory_standing_change made ON made.agent_id = %(agent)s AND made.record_id = s.record_id
        AND made.revision = 1
    WHERE s.agent_id = %(agent)s AND s.type = 'strategy_insight'
        AND s.type = ANY (%(types)s::text[]) AND s.metrics ->> 'session' = %(session)s {facts}"""
# Copies tell of then by their own lines. An author has the original, and so has who was granted it.
_MOVED_COPIES = """
moved_copies AS MATERIALIZED (
    SELECT DISTINCT c.shared_id FROM memory_shared_change c WHERE c.at > %(at)s
)"""
_COPIES = f"""
    SELECT 2 AS scope, s.agent_id, s.id AS record_id, s.type, s.shared_at AS created_at,
        jsonb_build_object('windows', s.windows) AS metrics, s.tags,
        coalesce((told.after ->> 'confidence')::numeric, s.confidence),
        coalesce((told.after ->> 'validated_count')::int, s.validated_count),
        s.relevance_score, false
    FROM memory_shared s
    LEFT JOIN moved_copies m ON m.shared_id = s.id
    LEFT JOIN LATERAL (
        SELECT c.after FROM memory_shared_change c
        WHERE c.shared_id = m.shared_id AND c.at <= %(at)s
        ORDER BY c.revision DESC LIMIT 1) told ON m.shared_id IS NOT NULL
    WHERE {SHARES} AND s.agent_id <> %(agent)s AND s.type = ANY (%(types)s::text[])
        AND s.shared_at <= %(at)s
        AND coalesce(CASE WHEN m.shared_id IS NULL THEN s.expires_at
            ELSE (told.after ->> 'expires_at')::timestamptz END, 'infinity') > %(at)s
        {{facts}}{{not_granted}}"""  # noqa: S608 - its parts are constants
_NOT_GRANTED = """
        AND NOT EXISTS (SELECT 1 FROM known_granted o
            WHERE o.agent_id = s.agent_id AND o.record_id = s.source_id)"""

# What a rule or a copy was made from may be forgotten by now: it keeps the windows itself.
_MADE = """
    EXISTS (SELECT 1 FROM jsonb_array_elements(
            CASE jsonb_typeof(k.metrics -> 'windows')
                WHEN 'array' THEN k.metrics -> 'windows' ELSE '[]' END) AS w(told)
        WHERE {overlaps})"""
_JUDGED = """
    EXISTS (SELECT 1 FROM memory_standing_change j
        WHERE j.agent_id = {agent} AND j.record_id = k.record_id AND j.at <= %(at)s
            AND {overlaps})"""
_COPY_JUDGED = """
    OR k.scope = 2 AND EXISTS (SELECT 1 FROM memory_shared_change j
        WHERE j.shared_id = k.record_id AND j.at <= %(at)s AND {overlaps})"""
_HIDES = """
    AND (k.own OR NOT ({window} OR ({keeps_windows} AND {made})))"""
_MARKS = """
    (NOT k.own AND ({window}
        OR ({keeps_windows} AND {made}) OR (k.type = 'rule' AND {judged}){copy_judged}))"""
_SEEN = """
marked AS MATERIALIZED (
    SELECT k.*, {marks} AS is_marked FROM known k WHERE true {hides}
),
seen AS (
    SELECT k.scope, k.agent_id, k.record_id, k.created_at, k.tags, k.validated_count,
        k.relevance_score, k.own, k.is_marked,
        CASE WHEN k.type = 'strategy_insight' AND (k.own OR k.is_marked)
                AND k.metrics ->> 'in_sample_confidence' ~ %(figure)s
            THEN (k.metrics ->> 'in_sample_confidence')::numeric ELSE k.confidence
            END AS confidence,
        (SELECT count(*) FROM unnest(k.tags) t WHERE t = ANY (%(tags)s::text[])) AS overlap
    FROM marked k
)"""

# The bodies are read for those that have a place.
_PLACED = """,
placed AS (
    SELECT v.* FROM seen v
    WHERE cardinality(%(tags)s::text[]) = 0 OR cardinality(v.tags) = 0 OR v.overlap > 0
    ORDER BY {order} LIMIT %(limit)s
)"""
_BODIES = """
SELECT v.record_id, s.type, r.content, s.symbol_id, s.strategy_type, s.outcome, v.tags,
    v.confidence, v.validated_count, v.relevance_score, v.created_at, s.config::text AS config,
    (s.metrics -> 'in_sample')::text AS in_sample, v.own, v.is_marked, v.scope, v.overlap,
    {name} AS granted_from
FROM placed v{named}
JOIN memory_standing s ON s.agent_id = {agent} AND s.record_id = v.record_id
JOIN memory_record r ON r.agent_id = {agent} AND r.id = v.record_id"""
_COPIED_BODIES = """
UNION ALL
SELECT v.record_id, s.type, s.content, s.symbol_id, s.strategy_type, s.outcome, v.tags,
    v.confidence, v.validated_count, v.relevance_score, v.created_at, NULL, NULL, v.own,
    v.is_marked, v.scope, v.overlap, NULL
FROM placed v JOIN memory_shared s ON s.id = v.record_id AND v.scope = 2"""
_ORDERS: dict[Order, tuple[str, ...]] = {
    "newest": ("created_at", "record_id"),
    "ranked": ("relevance_score", "overlap", "confidence", "created_at", "record_id"),
}
_POOL = """
SELECT t.tag FROM marked k CROSS JOIN LATERAL unnest(k.tags) AS t(tag)
GROUP BY t.tag ORDER BY count(*) DESC, t.tag COLLATE "C" LIMIT %(limit)s"""
_FACTS: dict[Fact, str] = {
    "symbol": "AND s.symbol_id = %(symbol)s ",
    "not_symbol": "AND s.symbol_id IS DISTINCT FROM %(not_symbol)s ",
    "strategy_type": "AND s.strategy_type = %(strategy_type)s ",
}


@cache
def memories(*, facts: tuple[Fact, ...], hides: bool, order: Order, reach: Reach) -> str:
    """Return the statement of what is wanted; without reach it names the agent's tables alone."""
    ranked = ", ".join([*(f"{column} DESC" for column in _ORDERS[order]), "scope"])
    name, named = "NULL::text", ""
    if reach.granted:
        name = "g.name"
        named = "\nLEFT JOIN sources g ON v.scope = 1 AND g.agent_id = v.agent_id"
    agent = "v.agent_id" if reach.is_wide else "%(agent)s"
    bodies = _BODIES.format(name=name, named=named, agent=agent)
    if reach.community:
        bodies += f" AND v.scope <> 2{_COPIED_BODIES}"
    known = _seen(facts=facts, hides=hides, reach=reach)
    return f"{known}{_PLACED.format(order=ranked)}{bodies}\nORDER BY {ranked}"


@cache
def tags(*, hides: bool, reach: Reach) -> str:
    """Return the statement of the tags in view."""
    return _seen(facts=(), hides=hides, reach=reach) + _POOL


def _seen(*, facts: tuple[Fact, ...], hides: bool, reach: Reach) -> str:
    only = "".join(_FACTS[name] for name in facts)
    own = {"name": "moved", "whose": "", "agent": "%(agent)s"}
    known = _KNOWN.format(
        scope=0, moved="moved", mover="%(agent)s", others=_NOT_OWN, facts=only, **own
    ) + _OWN.format(facts=only)
    parts = [_MOVED.format(**own)]
    if reach.granted:
        theirs = {"name": "moved_granted", "whose": "sources g CROSS JOIN ", "agent": "g.agent_id"}
        granted = _KNOWN.format(
            scope=1, moved="moved_granted", mover="m.agent_id", others="", facts=only, **theirs
        )
        parts = [SOURCES.format(since=" AND g.granted_at <= %(at)s"), *parts]
        parts += [_MOVED.format(**theirs), f"\nknown_granted AS ({granted}\n)"]
        known += "\n    UNION ALL SELECT * FROM known_granted"
    if reach.community:
        not_granted = _NOT_GRANTED if reach.granted else ""
        parts.append(_MOVED_COPIES)
        known += "\n    UNION ALL" + _COPIES.format(facts=only, not_granted=not_granted)
    parts += [f"\nknown AS ({known}\n)", _marked(hides=hides, reach=reach)]
    return f"WITH {','.join(parts)}"


def _marked(*, hides: bool, reach: Reach) -> str:
    if not hides:
        return _SEEN.format(marks="false", hides="")
    keeps_windows = "(k.type = 'rule' OR k.scope = 2)" if reach.community else "k.type = 'rule'"
    hidden = _HIDES.format(
        window=_overlaps("k.metrics -> 'window'", "start", "split"),
        keeps_windows=keeps_windows,
        made=_MADE.format(overlaps=_overlaps("w.told", "start", "split")),
    )
    by_copy = _COPY_JUDGED.format(overlaps=_overlaps('j."window"', "split", "end"))
    marks = _MARKS.format(
        window=_overlaps("k.metrics -> 'window'", "split", "end"),
        keeps_windows=keeps_windows,
        made=_MADE.format(overlaps=_overlaps("w.told", "split", "end")),
        judged=_JUDGED.format(
            agent="k.agent_id" if reach.is_wide else "%(agent)s",
            overlaps=_overlaps("j.detail -> 'window'", "split", "end"),
        ),
        copy_judged=by_copy if reach.community else "",
    )
    return _SEEN.format(marks=marks, hides=hidden)
