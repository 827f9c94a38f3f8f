"""What passes between the machine and a step: the job, what came of it, and where it is stored."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from autopilot.llm.port import Provider
from autopilot.models import Event, Session
from autopilot.session.state import State
from memory.live import notify
from memory.models import Agent, Producer, Run
from memory.policies.ownership import TokenActor
from memory.services.tokens import built_in_writer


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A step that this worker has claimed at `now`. Nothing of it is locked while it works."""

    session: Session
    state: State
    number: int
    name: str
    iteration: int
    claim: UUID
    now: datetime
    provider: Provider


@dataclass(frozen=True, slots=True, kw_only=True)
class Next:
    """The step that follows."""

    name: str
    iteration: int


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """The end of the session: its last status, and for a failure why."""

    status: str
    code: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What a step did with no transaction open.

    `store` writes its effects, in the transaction that ends the step and with the claim held; it
    says what follows. `calls` are notes of the model calls.
    """

    store: Callable[["Book"], Next | End]
    calls: list[dict[str, Any]] = field(default_factory=list)


type Doing = Callable[[Job], Work]
type Steps = Mapping[str, Doing]


class Book:
    """Where a step writes what it did: events, the state for later steps, records.

    It lives within one transaction. `session` is locked; of its fields the window, the instrument
    and `best_id` are a step's to set, and all else is the machine's.
    """

    def __init__(self, *, session: Session, step: str, iteration: int, now: datetime) -> None:
        self.session = session
        self.state = State.read(session.state)
        self.now = now
        self._step = step
        self._iteration = iteration
        self._told: list[Event] = []

    def tell(self, kind: str, text: str, **data: Any) -> None:
        """Append an event: a kind for programs, a sentence for people, JSON data."""
        self._told.append(
            Event(
                session_id=self.session.id,
                agent_id=self.session.agent_id,
                seq=self.session.last_event + len(self._told) + 1,
                kind=kind,
                step=self._step,
                iteration=self._iteration,
                text=text,
                data=data,
                at=self.now,
            )
        )

    def writer(self) -> TokenActor:
        """Return the actor of the session's run: it needs no token."""
        agent = Agent.objects.get(id=self.session.agent_id)
        run = Run.objects.get(agent_id=agent.id, id=self.session.run_id)
        producer = Producer.objects.get(agent_id=agent.id, id=run.producer_id)
        return built_in_writer(agent=agent, producer=producer, run=run)

    def close(self) -> None:
        """Store the events, and put what was written on the session, which is not saved here.

        Watchers are woken, and so is a worker that waits: events or not, a step may be due.
        """
        Event.objects.bulk_create(self._told)
        notify(self.session.id)
        self.session.last_event += len(self._told)
        self.session.state = self.state.as_json()
        self._told = []
