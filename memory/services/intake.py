"""What an import brings, held against what is there: whose ids, which producers, runs and links.

An id belongs to one agent. What another has is refused like anything else that is taken.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.models import Agent, Instrument, Producer, ProducerEnablement, Record, Run
from memory.policies.retention import content_digest
from memory.policies.vocabulary import may_write, types_of
from memory.schemas.lines import InstrumentLine, ProducerLine
from memory.services.incoming import BadLine, Item
from memory.services.publish import Stamped, said_by

TAKEN = "is stored already, with other content, and what is stored never changes"
NO_INSTRUMENT = "is the canonical name of no instrument; manage.py sync_instruments brings them"
SOURCE = "import"


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """An item with what it comes to here: its agent, producer and deadline; whether it is here."""

    item: Item
    agent_id: UUID
    producer_id: UUID | None
    role: str | None
    deadline: datetime | None
    is_here: bool
    makes_run: bool
    imported_at: datetime | None

    @property
    def policy(self) -> str | None:
        """The policy that set its deadline, as far as it is told."""
        told = self.item.says_deadline or self.item.is_analysis(self.role)
        return self.item.policy if told else None

    @property
    def said(self) -> dict[str, Any]:
        """What its content digest covers."""
        item = self.item
        return said_by(
            item.draft,
            id=item.id,
            agent_id=self.agent_id,
            producer_id=self.producer_id,
            run_id=None if item.run is None else item.run.id,
            stamped=Stamped(item.metadata, self.deadline, self.policy),
            created_at=item.created_at,
        )


class Intake:
    """Places the lines of one import among what its agent has."""

    def __init__(self, agent: Agent, *, now: datetime) -> None:
        self.agent, self.now = agent, now
        self.roles: dict[UUID, str] = {}
        self.producers: dict[str, UUID] = {}
        """What a line may call a producer (its id of the file, or an id or name here) → its id."""
        for producer in Producer.objects.filter(agent=agent):
            self._know(producer, str(producer.id), producer.name)

    def take_instrument(self, line: InstrumentLine) -> None:
        """Make a market that is not known here. What is only known from history is not active."""
        Instrument.objects.get_or_create(
            id=line.id,
            defaults={
                "kind": line.market,
                "dex": line.dex,
                "is_active": False,
                "source": SOURCE,
                "seen_at": self.now,
            },
        )

    def take_producer(self, number: int, line: ProducerLine) -> None:
        """Make a producer that is not here; one of its name and role here is taken for it."""
        here = Producer.objects.filter(id=line.id).first()
        if here is not None and here.agent_id != self.agent.id:
            raise BadLine(number, "id: is taken; another producer has it")
        found = here or Producer.objects.filter(agent=self.agent, name=line.name).first()
        if found is not None and found.role != line.role:
            raise BadLine(number, f"role: the producer {found.name} is here, as {found.role}")
        if found is None:
            found = Producer.objects.create(
                id=line.id,
                agent=self.agent,
                role=line.role,
                name=line.name,
                schedule=line.schedule,
                created_at=line.created_at,
            )
            ProducerEnablement.objects.bulk_create(
                ProducerEnablement(
                    agent=self.agent, producer=found, enabled_at=begin, disabled_at=end
                )
                for begin, end in line.enabled
            )
        self._know(found, str(line.id), line.name)

    def place(self, items: Sequence[Item]) -> list[Placed]:
        """Return the items with their places here, in their order (BadLine: the first wrong)."""
        here = Record.objects.filter(id__in=[item.id for item in items]).in_bulk()
        targets = {link.target_memory_id for item in items for link in item.draft.links}
        own = Record.objects.filter(agent=self.agent, id__in=targets)
        linkable = set(own.values_list("id", flat=True))
        runs = Run.objects.in_bulk({item.run.id for item in items if item.run is not None})
        names = {name for item in items for _, name in _names(item)}
        known = set(Instrument.objects.filter(id__in=names).values_list("id", flat=True))
        first: dict[UUID, int] = {}
        placed = []
        for item in items:
            before = first.setdefault(item.id, item.number)
            if before != item.number:
                raise BadLine(item.number, f"id: repeats line {before}")
            one = self._placed(item, here.get(item.id), runs)
            if not one.is_here:
                _check_instruments(item, known)
                _check_links(item, linkable)
            linkable.add(item.id)
            placed.append(one)
        return placed

    def _know(self, producer: Producer, *words: str) -> None:
        self.roles[producer.id] = producer.role
        self.producers |= dict.fromkeys(words, producer.id)

    def _placed(self, item: Item, here: Record | None, runs: dict[UUID, Run]) -> Placed:
        producer_id = self._producer(item)
        role = None if producer_id is None else self.roles[producer_id]
        if role is not None and not may_write(role, item.draft.type):
            problem = f"the role {role} may not write {item.draft.type}; it writes {types_of(role)}"
            raise BadLine(item.number, f"type: {problem}")
        has_row = here is None and self._has_run(item, producer_id, runs)
        one = Placed(
            item=item,
            agent_id=self.agent.id,
            producer_id=producer_id,
            role=role,
            deadline=item.deadline_as(role),
            is_here=here is not None,
            makes_run=has_row and item.run is not None and item.run.id not in runs,
            imported_at=item.imported_at
            if item.imported_at is not None or (item.says_import and has_row)
            # Without its run in the store, a record can only be one that came from elsewhere.
            else self.now,
        )
        if here is not None and not self._is_same(one, here):
            raise BadLine(item.number, f"id: {TAKEN}")
        if one.makes_run and item.run is not None and producer_id is not None:
            runs[item.run.id] = Run(agent=self.agent, producer_id=producer_id)
        return one

    def _producer(self, item: Item) -> UUID | None:
        if item.producer is None:
            return None
        found = self.producers.get(item.producer)
        if found is None:
            raise BadLine(
                item.number,
                "producer: is none of this agent's, by name or id, and no line before tells it",
            )
        return found

    def _has_run(self, item: Item, producer_id: UUID | None, runs: dict[UUID, Run]) -> bool:
        """Tell whether the item's run is here, or is told so that it can be made."""
        if item.run is None:
            return False
        here = runs.get(item.run.id)
        if here is not None:
            if here.agent_id != self.agent.id:
                raise BadLine(item.number, "run.id: is taken; another run has it")
            if here.producer_id != producer_id:
                raise BadLine(item.number, "run: is one of another producer")
            return True
        if item.run.is_whole and producer_id is None:
            raise BadLine(item.number, "producer: is missing, and a run is of one")
        return item.run.is_whole

    def _is_same(self, one: Placed, here: Record) -> bool:
        """Tell whether what has the id here says the same; what is erased can say nothing."""
        item = one.item
        if here.agent_id != self.agent.id or here.type != item.draft.type:
            return False
        if item.same_by_content:
            return here.purged_at is not None or here.content == item.draft.content
        if here.purged_at is not None or item.purged_at is not None:
            return (here.scope, here.timeframe, here.created_at, here.producer_id) == (
                item.draft.scope,
                item.draft.timeframe,
                item.created_at,
                one.producer_id,
            )
        salt = bytes(here.content_salt or b"")
        return content_digest(salt, one.said) == bytes(here.content_digest)


def _names(item: Item) -> Iterable[tuple[str, str]]:
    for index, name in enumerate(item.draft.instruments):
        yield f"instruments[{index}]", name
    if item.facts is not None and item.facts.symbol is not None:
        yield "symbol" if item.same_by_content else "standing.symbol", item.facts.symbol


def _check_instruments(item: Item, known: set[str]) -> None:
    # The symbol first: where a line tells it alone, the instruments come from it.
    for place, name in sorted(_names(item), key=lambda pair: pair[0].startswith("instruments")):
        if name not in known:
            raise BadLine(item.number, f"{place}: {NO_INSTRUMENT}")


def _check_links(item: Item, linkable: set[UUID]) -> None:
    for index, link in enumerate(item.draft.links):
        if link.target_memory_id not in linkable:
            raise BadLine(
                item.number,
                f"links[{index}].target_memory_id: is no earlier record of this agent, "
                "here or on a line before",
            )
