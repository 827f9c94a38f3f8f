"""Histories that look real, loaded by COPY.

A history is a row of runs. Each run of a research producer writes one record of each of five
types, about one or two instruments or agent-wide; now and then a review writes learnings. In a
history with corrections the last record of many runs corrects another one.
"""

import hashlib
import random
from collections import deque
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.contrib.auth.models import User
from django.db import connection, transaction

from config.benchmarks.progress import Progress
from memory.models import Agent, Instrument, Producer
from memory.policies.freshness import CYCLES, iso
from memory.policies.retention import originals_hash
from memory.policies.timeframes import SCHEDULES, latest_boundary
from memory.services import setup

END = datetime(2026, 1, 1, 10, 0, tzinfo=UTC)
"""Where every history ends. It is fixed, so that a kept database is as good tomorrow."""
BEGUN = END - timedelta(days=400)
STEP = timedelta(seconds=130)
INSTRUMENTS = ("BTC", "ETH", "SOL", "HYPE", "xyz:TSLA")
TYPES = ("market_structure", "momentum", "funding_view", "order_flow", "trade_setup")
LINK_TYPES = ("evidence", "supports")
SCHEDULE = "12h"
POLICY = "analysis_schedule_v2"
NULL = r"\N"
LASTED = timedelta(seconds=12)
TARGETED, AGENT_WIDE = 8, 2  # producers; times five types: 40 lanes an instrument, 10 agent-wide
REVIEW_EVERY = 50  # runs
EXPIRED = 700  # runs before the end: their deadlines are past
CORRECTING = 0.31  # of these runs, where a history has corrections
STILL_CORRECTING = 20  # one of so many of the runs after these
LAST_CORRECTING = 12  # and the very last ones: what they correct is current
CHAINED = 0.2  # of the corrections correct the last correction, the others what their run wrote
CHUNK = 5_000  # runs in one transaction
PROSE = (
    "Price holds above the weekly open while open interest falls, which reads as short covering "
    "rather than new demand. Funding stays near zero on both venues and the basis is flat. The "
    "book is thin above the last high: resting offers were pulled twice within the hour, and the "
    "bids that replaced them are small. Until volume returns the range is the trade, with the "
    "lower third worth more than the middle. A close below the four hour low ends this view. "
)
TABLES = {
    "memory_run": "id, agent_id, producer_id, schedule, evidence_boundary, started_at, ended_at,"
    " status, error, implicit",
    "memory_record": "agent_id, id, seq, producer_id, run_id, type, scope, timeframe, content,"
    " metadata, tags, created_at, stale_after, expiry_policy, originals_hash, content_digest,"
    " content_salt",
    "memory_target": "agent_id, record_id, instrument_id, ord, scope, producer_id, type,"
    " created_at, originals_hash",
    "memory_link": "agent_id, source_id, ord, target_id, link_type",
}
HEADS = """
INSERT INTO memory_head (agent_id, instrument_id, producer_id, type, record_id, created_at,
    stale_after)
SELECT DISTINCT ON (lane.instrument_id, r.producer_id, r.type)
    r.agent_id, lane.instrument_id, r.producer_id, r.type, r.id, r.created_at,
    coalesce(r.stale_after, 'infinity')
FROM memory_record r
JOIN memory_producer p ON p.agent_id = r.agent_id AND p.id = r.producer_id AND p.role = 'analysis'
CROSS JOIN LATERAL (
    SELECT t.instrument_id FROM memory_target t
    WHERE t.agent_id = r.agent_id AND t.record_id = r.id
    UNION ALL SELECT '' WHERE r.scope = 'agent') lane
WHERE r.agent_id = %(agent)s AND r.originals_hash IS NULL AND r.created_at >= %(since)s
ORDER BY lane.instrument_id, r.producer_id, r.type, r.created_at DESC, r.id DESC
"""
CORRECTION_HEADS = """
INSERT INTO memory_correction_head (agent_id, instrument_id, producer_id, originals_hash,
    record_id, created_at, stale_after)
SELECT DISTINCT ON (lane.instrument_id, r.producer_id, r.originals_hash)
    r.agent_id, lane.instrument_id, r.producer_id, r.originals_hash, r.id, r.created_at,
    coalesce(r.stale_after, 'infinity')
FROM memory_record r
CROSS JOIN LATERAL (
    SELECT t.instrument_id FROM memory_target t
    WHERE t.agent_id = r.agent_id AND t.record_id = r.id
    UNION ALL SELECT '' WHERE r.scope = 'agent') lane
WHERE r.agent_id = %(agent)s AND r.originals_hash IS NOT NULL
ORDER BY lane.instrument_id, r.producer_id, r.originals_hash, r.created_at DESC, r.id DESC
"""
TAGGED = """
INSERT INTO memory_record_tag (agent_id, tag, created_at, record_id)
SELECT r.agent_id, t.tag, r.created_at, r.id
FROM memory_record r CROSS JOIN unnest(r.tags) AS t(tag)
WHERE r.agent_id = %(agent)s
ORDER BY t.tag COLLATE "C", r.created_at, r.id
"""
SETTLED = timedelta(days=3)
"""How far back from the end the newest record of every lane is sure to lie."""


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """An agent with all instruments selected; `research` are its analysis producers."""

    agent: Agent
    research: list[Producer] = field(default_factory=list)
    review: list[Producer] = field(default_factory=list)


def make_world(name: str) -> World:
    """Set up an agent called `name`, with a user of its own, 400 days before the end."""
    user = User.objects.create_user(username=name)
    world = World(setup.create_agent(owner=user, name=name, now=BEGUN))
    for instrument in INSTRUMENTS:
        defaults = {"kind": "perpetual", "source": "bench", "seen_at": BEGUN}
        Instrument.objects.get_or_create(id=instrument, defaults=defaults)
        setup.select_instrument(agent=world.agent, name=instrument, now=BEGUN)
    for number in range(TARGETED + AGENT_WIDE):
        world.research.append(
            setup.create_producer(
                agent=world.agent,
                role="analysis",
                name=f"research-{number}",
                schedule=SCHEDULE,
                now=BEGUN,
            )
        )
    world.review.append(
        setup.create_producer(
            agent=world.agent, role="review", name="review", schedule=None, now=BEGUN
        )
    )
    return world


def find_world(name: str) -> World:
    """Return the world that `make_world` made under this name."""
    agent = Agent.objects.get(name=name)
    producers = list(Producer.objects.filter(agent=agent).order_by("id"))
    return World(
        agent,
        [producer for producer in producers if producer.role == "analysis"],
        [producer for producer in producers if producer.role == "review"],
    )


def load_history(
    world: World, *, records: int, corrections: bool = False, progress: Progress
) -> None:
    """Load a history of `records` (a multiple of five) that ends at END, with heads and tail."""
    runs = records // len(TYPES)
    progress.stage(f"loading {records:,} records", runs)
    history = History(world, runs=runs, corrections=corrections)
    for first in range(0, runs, CHUNK):
        chunk = range(first, min(first + CHUNK, runs))
        lines = history.lines(chunk)
        with transaction.atomic(), connection.cursor() as cursor:
            for table, columns in TABLES.items():
                with cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
                    copy.write("".join(lines[table]))
        progress.advance(len(chunk))
    with connection.cursor() as cursor:
        cursor.execute(HEADS, {"agent": world.agent.id, "since": END - SETTLED})
        cursor.execute(CORRECTION_HEADS, {"agent": world.agent.id})
        cursor.execute(TAGGED, {"agent": world.agent.id})
        cursor.execute(
            "UPDATE memory_agent_tail SET last_seq = %s WHERE agent_id = %s",
            [runs * len(TYPES), world.agent.id],
        )


@dataclass(frozen=True, slots=True)
class Origin:
    """What the records of one run share, as COPY writes it."""

    run: str
    producer: str
    clock: str
    freshness: str
    controls: str
    about: list[str]


class History:
    """Writes the lines of COPY, run by run. All histories end alike, under ids of their own."""

    def __init__(self, world: World, *, runs: int, corrections: bool = False) -> None:
        self.world, self.runs, self.corrections = world, runs, corrections
        self.agent = world.agent.id.hex
        self.seq = 0
        self.dice = random.Random()  # noqa: S311 - a history, not a secret
        self.ids = random.Random(world.agent.name)  # noqa: S311 - as above
        self.recent: deque[str] = deque(maxlen=200)
        self.corrected: dict[str, str] = {}  # producer → its last correction

    def lines(self, chunk: range) -> dict[str, list[str]]:
        """Return the lines of some runs by table."""
        out: dict[str, list[str]] = {table: [] for table in TABLES}
        for number in chunk:
            self._run(number, out)
        return out

    def _run(self, number: int, out: dict[str, list[str]]) -> None:
        # A run is what its distance from the end makes it: long and short histories end alike.
        left = self.runs - number
        self.dice.seed(left)
        began = END - left * STEP
        place = None if left % REVIEW_EVERY == 0 else self.dice.randrange(TARGETED + AGENT_WIDE)
        origin = self._origin(place, began)
        out["memory_run"].append(
            f"{origin.run}\t{self.agent}\t{origin.producer}\t{origin.clock}\t{began.isoformat()}"
            f"\t{(began + LASTED).isoformat()}\tsucceeded\t\tf\n"
        )
        correcting = place is not None and self._is_correcting(left)
        for offset, type_ in enumerate(TYPES):
            at = began + timedelta(seconds=2 * offset)
            corrects = correcting and offset == len(TYPES) - 1
            type_written = "agent_learnings" if place is None else type_
            self._record(at, type_written, origin, out, corrects=corrects)

    def _is_correcting(self, left: int) -> bool:
        if not self.corrections:
            return False
        if left <= EXPIRED:
            return left <= LAST_CORRECTING or left % STILL_CORRECTING == 0
        return self.dice.random() < CORRECTING

    def _origin(self, place: int | None, began: datetime) -> Origin:
        """Return the run of the research producer at `place`, or (None) of the review."""
        if place is None:
            review = self.world.review[0].id.hex
            return Origin(self._id(began), review, f"{NULL}\t{NULL}", f"{NULL}\t{NULL}", "", [])
        boundary = latest_boundary(SCHEDULE, at=began)
        deadline = boundary + CYCLES * SCHEDULES[SCHEDULE]
        return Origin(
            run=self._id(began),
            producer=self.world.research[place].id.hex,
            clock=f"{SCHEDULE}\t{boundary.isoformat()}",
            freshness=f"{deadline.isoformat()}\t{POLICY}",
            controls=f', "stale_after": "{iso(deadline)}", "expiry_policy": "{POLICY}"',
            about=self.dice.sample(INSTRUMENTS, self.dice.choice((1, 2)))
            if place < TARGETED
            else [],
        )

    def _record(
        self,
        at: datetime,
        type_: str,
        origin: Origin,
        out: dict[str, list[str]],
        *,
        corrects: bool,
    ) -> None:
        self.seq += 1
        dice, id_, moment = self.dice, self._id(at), at.isoformat()
        shift = dice.randrange(len(PROSE))
        said = f"{type_} {self.seq}: {PROSE[shift:]}{PROSE[:shift]}"
        metadata = f'{{"confidence": "0.{dice.randrange(40, 95)}"{origin.controls}}}'
        digest = hashlib.sha256(id_.encode()).hexdigest()
        scope = "instruments" if origin.about else "agent"
        original = self._original(origin, id_) if corrects else None
        hashed = f"\\\\x{_hash_of(original)}" if original else NULL
        out["memory_record"].append(
            f"{self.agent}\t{id_}\t{self.seq}\t{origin.producer}\t{origin.run}\t{type_}\t{scope}"
            f"\t4h\t{said}\t{metadata}\t{{momentum,range}}\t{moment}\t{origin.freshness}"
            f"\t{hashed}\t\\\\x{digest}\t\\\\x{digest[:32]}\n"
        )
        for ord_, instrument in enumerate(origin.about):
            out["memory_target"].append(
                f"{self.agent}\t{id_}\t{instrument}\t{ord_}\tinstruments\t{origin.producer}"
                f"\t{type_}\t{moment}\t{hashed}\n"
            )
        if original:
            self.recent.append(id_)
            out["memory_link"].append(f"{self.agent}\t{id_}\t0\t{original}\tcorrects\n")
            return
        for ord_, kind in enumerate(LINK_TYPES[: dice.randrange(len(LINK_TYPES) + 1)]):
            if self.recent:
                target = self.recent[-1 - dice.randrange(len(self.recent))]
                out["memory_link"].append(f"{self.agent}\t{id_}\t{ord_}\t{target}\t{kind}\n")
        self.recent.append(id_)

    def _original(self, origin: Origin, id_: str) -> str:
        """Return what the correction `id_` corrects: the last one, or the first of this run."""
        last = self.corrected.get(origin.producer)
        self.corrected[origin.producer] = id_
        chained = self.dice.random() < CHAINED
        return last if last and chained else self.recent[1 - len(TYPES)]

    def _id(self, at: datetime) -> str:
        """Return the 32 digits of a UUIDv7 of that moment, the same in every run."""
        noise = self.ids.getrandbits(74)
        milliseconds = int(at.timestamp() * 1000)
        return f"{milliseconds:012x}7{noise >> 62:03x}{(2 << 62) | (noise & (1 << 62) - 1):016x}"


def _hash_of(original: str) -> str:
    hashed = originals_hash([UUID(original)])
    return "" if hashed is None else hashed.hex()


def newest_ids(world: World, *, limit: int) -> list[UUID]:
    """Return the ids of the world's newest records, newest first."""
    return list(world.agent.records.order_by("-seq").values_list("id", flat=True)[:limit])
