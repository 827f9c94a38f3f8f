"""The statement of a search, made of constant parts (SPEC S2, S3).

Up to three scopes have a part in each step: the agent's own memory (0), what it was granted (1),
and what others share (2). The words of each are weighed within it: of an agent's within its own
records, of copies within all copies. So no private word moves a ranking of somebody else.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from memory.selectors.reach import SHARES, SOURCES, Reach

# BM25 (k1 1.2, b 0.75). How many hold a word is counted in the postings that are read anyway.
# Rounded, so that the order of adding up decides nothing; in float8 throughout, which is several
# times faster here than numeric.
_WEIGHED = """round(1e9::float8 * sum(ln(1 + (whole.n - p.df + 0.5) / (p.df + 0.5))
        * p.tf * 2.2 / (p.tf + 0.3 + 0.9 * p.len / whole.mean))) / 1e9 AS score"""
_ASKED = "unnest(to_tsvector('english', translate(%(query)s, '/', ' '))) q"
_WHOLE = """SELECT agent_id, text_records::float8 AS n,
        text_length::float8 / greatest(text_records, 1) AS mean FROM"""
_OWN_SCORES = f"""
    SELECT 0 AS scope, p.record_id, {_WEIGHED}
    FROM (
        SELECT t.record_id, t.tf::float8, t.len::float8,
            count(*) OVER (PARTITION BY t.lexeme)::float8 AS df
        FROM {_ASKED}
        JOIN memory_term t ON t.agent_id = %(agent)s AND t.lexeme = q.lexeme COLLATE "C") p
    CROSS JOIN ({_WHOLE} memory_agent_tail WHERE agent_id = %(agent)s) whole
    GROUP BY p.record_id"""  # noqa: S608 - its parts are constants
_GRANTED_SCORES = f"""
    SELECT 1, p.record_id, {_WEIGHED}
    FROM (
        SELECT t.agent_id, t.record_id, t.tf::float8, t.len::float8,
            count(*) OVER (PARTITION BY t.agent_id, t.lexeme)::float8 AS df
        FROM {_ASKED} CROSS JOIN sources g
        JOIN memory_term t ON t.agent_id = g.agent_id AND t.lexeme = q.lexeme COLLATE "C") p
    JOIN ({_WHOLE} memory_agent_tail) whole ON whole.agent_id = p.agent_id
    GROUP BY p.record_id"""  # noqa: S608 - as above
_COMMUNITY_SCORES = f"""
    SELECT 2, p.shared_id, {_WEIGHED}
    FROM (
        SELECT t.shared_id, t.tf::float8, t.len::float8,
            count(*) OVER (PARTITION BY t.lexeme)::float8 AS df
        FROM {_ASKED}
        JOIN memory_shared_term t ON t.lexeme = q.lexeme COLLATE "C" AND {SHARES}) p
    CROSS JOIN ({_WHOLE.replace("agent_id, ", "")} memory_shared_tail) whole
    GROUP BY p.shared_id"""  # noqa: S608 - as above
_NOT_SCORED = "SELECT 0 AS scope, NULL::uuid AS record_id, 0::float8 AS score WHERE false"

# Each of these gives what may have a place: scope, agent, record_id, relevance, overlap,
# confidence, created_at. Overlap ranks before confidence, so all live matches are counted; the
# agents' own are out of the index alone.
_STANDINGS = """
    SELECT {scope} AS scope, s.agent_id, s.record_id, s.relevance_score AS relevance,
        {overlap} AS overlap, s.confidence, s.created_at
    FROM {whose}memory_standing s
    WHERE s.agent_id = {agent} AND s.type = {type} AND s.merged_into_id IS NULL
        AND coalesce(s.expires_at, 'infinity'::timestamptz) > %(now)s AND {condition}"""
_TAGS = """
    SELECT {scope} AS scope, s.agent_id, s.record_id, s.relevance,
        count(*) FILTER (WHERE s.tag <> '') AS overlap, s.confidence, s.created_at
    FROM {whose}memory_tag s
    WHERE s.agent_id = {agent} AND s.type = 'strategy_insight'
        AND s.tag = ANY (%(tags)s::text[] || ''::text) AND s.expires_at > %(now)s AND {condition}
    GROUP BY s.agent_id, s.record_id, s.relevance, s.confidence, s.created_at"""
# An author has the original of its own copies.
_COPIES = f"""
    SELECT 2 AS scope, s.agent_id, s.id AS record_id, s.relevance_score AS relevance,
        {{overlap}} AS overlap, s.confidence, s.shared_at AS created_at
    FROM memory_shared s
    WHERE {SHARES} AND s.agent_id <> %(agent)s AND s.type = {{type}}
        AND coalesce(s.expires_at, 'infinity'::timestamptz) > %(now)s AND {{condition}}"""  # noqa: S608 - as above
# So has who was granted it, while it is live.
_NOT_GRANTED = """
        AND NOT EXISTS (
            SELECT 1 FROM sources g
            JOIN memory_standing o ON o.agent_id = g.agent_id AND o.record_id = s.source_id
            WHERE g.agent_id = s.agent_id AND o.merged_into_id IS NULL
                AND coalesce(o.expires_at, 'infinity'::timestamptz) > %(now)s)"""
_SHARED_TAGS = "(s.tags = '{}' OR s.tags && %(tags)s::text[])"
_IN_COMMON = "(SELECT count(*) FROM unnest(s.tags) t WHERE t = ANY (%(tags)s::text[]))"

_RANKED = "score", "relevance", "overlap", "confidence", "created_at", "record_id"
_STEP = """
    SELECT {number} AS step, c.scope, c.agent_id, c.record_id, coalesce(h.score, 0) AS score,
        c.relevance, c.overlap, c.confidence, c.created_at
    FROM ({candidates}) c LEFT JOIN scored h ON h.record_id = c.record_id{scope}
    ORDER BY {order} LIMIT {limit}"""
_BODIES = """
SELECT f.step, f.score, f.overlap, f.record_id, s.type, s.symbol_id, s.strategy_type, s.outcome,
    f.confidence, s.validated_count, f.relevance, f.created_at, s.expires_at, r.content, f.scope,
    {name} AS granted_from, NULL::uuid AS source_node_uuid
FROM placed f{named}
JOIN memory_standing s ON s.agent_id = {agent} AND s.record_id = f.record_id
JOIN memory_record r ON r.agent_id = {agent} AND r.id = f.record_id"""
_COPIED_BODIES = """
UNION ALL
SELECT f.step, f.score, f.overlap, s.id, s.type, s.symbol_id, s.strategy_type, s.outcome,
    f.confidence, s.validated_count, f.relevance, f.created_at, s.expires_at, s.content, f.scope,
    NULL, s.source_node_uuid
FROM placed f JOIN memory_shared s ON s.id = f.record_id AND f.scope = 2"""

BY_WORDS = f"""
WITH scored AS MATERIALIZED ({_OWN_SCORES})
SELECT h.record_id, h.score FROM scored h
JOIN memory_standing s ON s.agent_id = %(agent)s AND s.record_id = h.record_id
WHERE s.merged_into_id IS NULL AND (s.expires_at IS NULL OR s.expires_at > %(now)s)
ORDER BY h.score DESC, h.record_id DESC LIMIT %(limit)s
"""  # noqa: S608 - its parts are constants


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What a statement depends on: which arguments a question has, and how far it reads."""

    tags: bool
    symbol: bool
    strategy_type: bool
    query: bool
    reach: Reach


@cache
def statement(shape: Shape) -> str:
    """Return the one statement of a question; without reach it names the agent's tables alone."""
    steps = {"rules": _step(1, _rules(shape.reach), shape.reach, limit="2")}
    if shape.symbol:
        mine = _insights(shape, "{symbol} = %(symbol)s")
        steps["exact"] = _step(2, mine, shape.reach, limit="3")
    if shape.strategy_type:
        alike = "s.strategy_type = %(strategy_type)s"
        if shape.symbol:
            alike += " AND {symbol} IS DISTINCT FROM %(symbol)s"
        room = " - ".join(["8", *(f"(SELECT count(*) FROM {name})" for name in steps)])  # noqa: S608 - our names
        steps["transfer"] = _step(3, _insights(shape, alike), shape.reach, limit=f"({room})")
    places = " UNION ALL ".join(f"SELECT * FROM {name}" for name in steps)  # noqa: S608 - our names
    parts = [SOURCES.format(since="")] if shape.reach.granted else []
    parts += [_scored(shape), *(f"\n{name} AS ({step})" for name, step in steps.items())]
    return (
        f"WITH {','.join(parts)},\nplaced AS ({places})"
        f"{_bodies(shape.reach)}\nORDER BY step, {_order(shape.reach)}"
    )


def _scored(shape: Shape) -> str:
    if not shape.query:
        return f"scored AS ({_NOT_SCORED})"
    scores = [_OWN_SCORES]
    if shape.reach.granted:
        scores.append(_GRANTED_SCORES)
    if shape.reach.community:
        scores.append(_COMMUNITY_SCORES)
    return f"scored AS MATERIALIZED ({' UNION ALL '.join(scores)})"


def _agents(reach: Reach) -> Iterator[dict[str, str]]:
    """Yield whose standings are read: the agent's own, then those of the agents that let it."""
    yield {"scope": "0", "whose": "", "agent": "%(agent)s"}
    if reach.granted:
        yield {"scope": "1", "whose": "sources g CROSS JOIN ", "agent": "g.agent_id"}


def _rules(reach: Reach) -> Iterator[str]:
    said = {"type": "'rule'", "overlap": _IN_COMMON, "condition": "s.symbol_id IS NULL"}
    for agent in _agents(reach):
        yield _STANDINGS.format(**agent, **said)
    if reach.community:
        yield _copies(reach, **said)


def _insights(shape: Shape, condition: str) -> Iterator[str]:
    """Yield the insights that may have a place; `condition` calls their symbol {symbol}."""
    told = condition.format(symbol="s.symbol_id")
    said = {"type": "'strategy_insight'", "overlap": "0::bigint", "condition": told}
    for agent in _agents(shape.reach):
        if shape.tags:
            yield _TAGS.format(**agent, condition=condition.format(symbol="s.symbol"))
        else:
            yield _STANDINGS.format(**agent, **said)
    if shape.reach.community:
        if shape.tags:
            said |= {"overlap": _IN_COMMON, "condition": f"{told} AND {_SHARED_TAGS}"}
        yield _copies(shape.reach, **said)


def _copies(reach: Reach, **said: str) -> str:
    return _COPIES.format(**said) + (_NOT_GRANTED if reach.granted else "")


def _bodies(reach: Reach) -> str:
    name = named = ""
    if reach.granted:
        named = "\nLEFT JOIN sources g ON f.scope = 1 AND g.agent_id = f.agent_id"
        name = "g.name"
    own = _BODIES.format(
        name=name or "NULL::text",
        named=named,
        agent="f.agent_id" if reach.is_wide else "%(agent)s",
    )
    if not reach.community:
        return own
    return f"{own} AND f.scope <> 2{_COPIED_BODIES}"


def _step(number: int, candidates: Iterable[str], reach: Reach, *, limit: str) -> str:
    return _STEP.format(
        number=number,
        candidates=" UNION ALL ".join(candidates),
        # An imported record may have the id of a copy.
        scope=" AND h.scope = c.scope" if reach.is_wide else "",
        order=_order(reach),
        limit=limit,
    )


def _order(reach: Reach) -> str:
    # Ids differ within the own scope; a copy may have the id of an imported record.
    scope = ["scope"] if reach.is_wide else []
    return ", ".join([*(f"{column} DESC" for column in _RANKED), *scope])
