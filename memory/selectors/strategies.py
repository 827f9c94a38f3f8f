"""An agent's live strategy memory as it is listed: filters before any limit, newest first (E3, E6).

A page is found by its keys, out of one covering index, before any row of it is read. With a tag,
the keys come from the tag's own table in the same order.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.models import Standing
from memory.policies.vocabulary import VISIBILITIES
from memory.schemas.standings import StandingOut, StandingQuery, etag_of_standing

# Both name the same columns; what the tag table says of a standing its trigger keeps in step, and
# what is merged has no tags there.
_STANDINGS = """
SELECT s.created_at, s.record_id FROM memory_standing s
WHERE s.agent_id = %(agent)s AND s.merged_into_id IS NULL
    AND coalesce(s.expires_at, 'infinity'::timestamptz) > %(now)s"""
_TAGGED = """
SELECT s.created_at, s.record_id FROM memory_tag s
WHERE s.agent_id = %(agent)s AND s.tag = %(tag)s AND s.expires_at > %(now)s"""
_FILTERS = {
    "type": " AND s.type = %(type)s",
    "symbol": " AND s.symbol_id = %(symbol)s",
    "strategy_type": " AND s.strategy_type = %(strategy_type)s",
    "visibility": " AND s.visibility = {visibility}",
}
_TAG_FILTERS = {
    **_FILTERS,
    "symbol": " AND s.symbol = %(symbol)s",
    # The tag table has no such column.
    "visibility": " AND EXISTS (SELECT 1 FROM memory_standing v WHERE v.agent_id = s.agent_id"
    " AND v.record_id = s.record_id AND v.visibility = {visibility} AND v.merged_into_id IS NULL)",
}
# Said to the planner, which has an index of the shared alone.
_SAID = {visibility: f"'{visibility}'" for visibility in VISIBILITIES}
# One statement: between two of them a page could lose what is deleted, and have a hole.
_PAGE = """
SELECT s.*, r.content AS said FROM ({keys}) k
JOIN memory_standing s ON s.agent_id = %(agent)s AND s.record_id = k.record_id
JOIN memory_record r ON r.agent_id = %(agent)s AND r.id = k.record_id
ORDER BY k.created_at {order}, k.record_id {order}
"""
_AS_STORED = (
    *("type", "strategy_type", "outcome", "tags", "confidence", "validated_count"),
    *("relevance_score", "visibility", "community_confirmations", "source_node_uuid"),
    *("config", "metrics", "created_at", "expires_at"),
)


@dataclass(frozen=True, slots=True)
class Strategies:
    """The agent's live strategy memories that match; a list that finds its own rows."""

    agent_id: UUID
    asked: StandingQuery
    now: datetime

    def rows(self, *, place: tuple[Any, ...] | None, backwards: bool, count: int) -> list[Standing]:
        """Return the first memories after a place; backwards, the first before it, nearest first.

        Each has the text of its record as `said`.
        """
        values = {
            **self.asked.filters,
            "agent": self.agent_id,
            "now": self.now,
            "place_at": place and place[0],
            "place_id": place and place[1],
            "count": count,
        }
        order = "ASC" if backwards else "DESC"
        keys = keys_of(self.asked, beyond=place is not None, backwards=backwards)
        return list(Standing.objects.raw(_PAGE.format(keys=keys, order=order), values))


def keys_of(asked: StandingQuery, *, beyond: bool = False, backwards: bool = False) -> str:
    """Return the statement of a page's keys, (created_at, record_id), made of constant parts.

    It takes the filters by their names, agent, now and count; and where it goes on `beyond` a
    place, place_at and place_id.
    """
    sign, order = (">", "ASC") if backwards else ("<", "DESC")
    known, statement = (_FILTERS, _STANDINGS) if asked.tag is None else (_TAG_FILTERS, _TAGGED)
    said = _SAID.get(asked.visibility or "")
    statement += "".join(
        known[name].format(visibility=said) for name in asked.filters if name != "tag"
    )
    if beyond:
        statement += f" AND (s.created_at, s.record_id) {sign} (%(place_at)s, %(place_id)s)"
    return f"{statement} ORDER BY s.created_at {order}, s.record_id {order} LIMIT %(count)s"


def answer(standing: Standing, *, content: str) -> StandingOut:
    """Return a standing as it is answered, with the text of its record."""
    digest = standing.config_hash
    return StandingOut(
        id=standing.record_id,
        agent=standing.agent_id,
        symbol=standing.symbol_id,
        content=content,
        author=standing.author_id,
        config_hash=None if digest is None else bytes(digest).hex(),
        etag=etag_of_standing(id=standing.record_id, revision=standing.revision),
        **{name: getattr(standing, name) for name in _AS_STORED},
    )


def answers(page: Iterable[Standing]) -> list[StandingOut]:
    """Return the rows of a page as they are answered."""
    return [answer(one, content=one.said) for one in page]  # type: ignore[attr-defined]  # by _PAGE
