"""What passes between the machine and a step: the job, what came of it, and where it is stored."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any
from uuid import UUID

from autopilot.llm.port import Provider
from autopilot.models import Event, Session
from autopilot.session.state import State
from memory.live import notify
from memory.models import Agent, Producer, Run
from memory.policies.ownership import TokenActor
from memory.services.tokens import built_in_writer


@dataclass(frozen=True, kw_only=True)
class Job:
    """A step that this worker has claimed at `now`. Nothing of it is locked while it works."""

    session: Session
    number: int
    name: str
    iteration: int
    claim: UUID
    now: datetime
    provider: Provider

    @cached_property
    def state(self) -> State:
        """What the session knew when the step was claimed (UnreadableState)."""
        return State.read(self.session.state)


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
    and `best_id` are a step's to set, and all else is the machine's. The state is read when it is
    asked for, so that a session whose state cannot be read can end.
    """

    def __init__(self, *, session: Session, step: str, iteration: int, now: datetime) -> None:
        self.session = session
        self.now = now
        self._state: State | None = None
        self._step = step
        self._iteration = iteration
        self._told: list[Event] = []

    @property
    def state(self) -> State:
        """What later steps are to know (UnreadableState)."""
        if self._state is None:
            self._state = State.read(self.session.state)
        return self._state

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

    def tell_fallbacks(self, calls: Iterable[dict[str, Any]]) -> None:
        """Say of each call without an answer, by its note, that something stands in for it."""
        for call in calls:
            if why := call["fallback"]:
                role = call["role"]
                text = f"No usable answer as {role} from {call['provider']} ({why}): "
                self.tell("model_failed", f"{text}the fallback stands in.", role=role, fallback=why)

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
        if self._state is not None:
            self.session.state = self._state.as_json()
        self._told = []
