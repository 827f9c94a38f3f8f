"""An agent's records as they are browsed: filters before any limit, newest first (SPEC E3, E6, O1).

Every interface filters here. What strategy memory forgot or merged is not among them (SPEC M3, M9).
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db import connection
from django.db.models import BooleanField, Exists, F, Func, OuterRef, Q, QuerySet
from django.db.models.fields.tuple_lookups import TupleLessThan

from memory.errors import ValidationFailed
from memory.models import Posting, Record
from memory.policies.vocabulary import TIERS
from memory.policies.windows import Window
from memory.schemas.browsing import BrowseQuery
from memory.selectors.instruments import refuse_unknown
from memory.selectors.timeline import records_of, remembered

type Place = tuple[datetime, UUID]

FEW = 10_000
"""Up to so many records that hold all words are fetched and sorted; of more a page is met soon on
the way down the timeline."""

# Counted no further than it decides anything.
_WORDS = """
SELECT q.lexeme, (
    SELECT count(*) FROM (
        SELECT 1 FROM memory_term t
        WHERE t.agent_id = %(agent)s AND t.lexeme = q.lexeme COLLATE "C" LIMIT %(few)s + 1) c)
FROM unnest(to_tsvector('english', translate(%(words)s, '/', ' '))) q
ORDER BY 2, 1
"""


class _AmongAll(Func):
    """`id = ANY (ARRAY (…))`: the array is made first, whatever the planner expects of it."""

    template = "(%(expressions)s))"
    arg_joiner = " = ANY ("
    output_field = BooleanField()


@dataclass(frozen=True, slots=True)
class Listing:
    """Records to be listed, and the two columns that their order is read from.

    Records about an instrument are walked down its targets, and those with a tag down its own
    table: both copy the time.
    """

    records: QuerySet[Record]
    order: tuple[str, str]

    def page(self, *, after: Place | None, count: int) -> list[Record]:
        """Return the first `count` records, newest first, that are older than a place."""
        at, id_ = self.order
        records = self.records
        if after is not None:
            records = records.filter(TupleLessThan((F(at), F(id_)), after))
        return list(records.order_by(f"-{at}", f"-{id_}")[:count])


def matching(agent_id: UUID, asked: BrowseQuery, *, now: datetime) -> Listing:
    """Return the agent's records that match.

    ValidationFailed: `q` holds no word to look for, or there is no such instrument.
    """
    if asked.instrument is not None:
        refuse_unknown(asked.instrument, place="instrument")
    records, order = records_of(agent_id, now=now), ("created_at", "id")
    if asked.type is not None:
        records = records.filter(type=asked.type)
    if asked.scope is not None:
        records = records.filter(scope=asked.scope)
    period = asked.period(now=now)
    if period is not None:
        records = records.filter(_within(period, "created_at"))
    if asked.q is not None:
        records = _holding(records, agent_id, asked.q)
    if asked.type is None or asked.type in TIERS:
        records = remembered(records, merged=False, now=now)
    beside = {"targets": ("instrument_id", asked.instrument), "tag_rows": ("tag", asked.tag)}
    for table, (column, value) in beside.items():
        if value is None:
            continue
        row = Q((f"{table}__agent_id", agent_id), (f"{table}__{column}", value))
        if period is not None:
            row &= _within(period, f"{table}__created_at")
        records = records.filter(row).annotate(
            **{f"{table}_at": F(f"{table}__created_at"), f"{table}_id": F(f"{table}__record_id")}
        )
        order = (f"{table}_at", f"{table}_id")
    return Listing(records, order)


def _within(period: Window, column: str) -> Q:
    begun = Q((f"{column}__gte", period.start))
    return begun if period.end is None else begun & Q((f"{column}__lt", period.end))


def _holding(records: QuerySet[Record], agent_id: UUID, words: str) -> QuerySet[Record]:
    """Keep records that hold all the words: by their postings, or down the timeline."""
    with connection.cursor() as cursor:
        cursor.execute(_WORDS, {"agent": agent_id, "words": words, "few": FEW})
        found = cursor.fetchall()
    if not found:
        raise ValidationFailed({"q": ["holds no word to look for"]})
    (rarest, number), *others = found
    # The words are said to the planner, so that it looks up whole keys.
    postings = Posting.objects.filter(agent_id=agent_id, lexeme=rarest)
    for lexeme, _ in others:
        postings = postings.filter(_posted(agent_id, lexeme, "record_id"))
    if number > FEW and others:
        number = postings[: FEW + 1].count()
    if number <= FEW:
        return records.filter(_AmongAll(F("id"), ArraySubquery(postings.values("record_id"))))
    for lexeme, _ in found:
        records = records.filter(_posted(agent_id, lexeme, "id"))
    return records


def _posted(agent_id: UUID, lexeme: str, record: str) -> Exists:
    return Exists(
        Posting.objects.filter(agent_id=agent_id, lexeme=lexeme, record_id=OuterRef(record))
    )
