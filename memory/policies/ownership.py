"""Who is calling, and what each role may do (SPEC B4, C10, R12)."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memory.policies.freshness import RunClock


@dataclass(frozen=True, slots=True)
class OpenRun:
    """The run that a write belongs to."""

    id: UUID
    clock: RunClock
    started_at: datetime


@dataclass(frozen=True, slots=True)
class TokenActor:
    """A bearer: one agent, one role, one producer, and for a run token one run.

    `token_id` is None for a job that the server runs itself, which always has a run.
    """

    token_id: UUID | None
    token_key: str
    agent_id: UUID
    expiry_policy: str
    role: str
    producer_id: UUID
    producer_name: str
    producer_schedule: str | None
    run: OpenRun | None = None
    trading_may_search: bool = False

    @property
    def is_authenticated(self) -> bool:
        """Let the web framework take a bearer for somebody logged in."""
        return True


@dataclass(frozen=True, slots=True)
class UserActor:
    """A person with a browser session: the owner of some agents, or staff."""

    user_id: int
    is_staff: bool

    @property
    def is_authenticated(self) -> bool:
        """Let the web framework take a person for somebody logged in."""
        return True


type Actor = TokenActor | UserActor


def as_actor(user: object) -> Actor:
    """Return what authentication put on a request (TypeError: the route has no authentication)."""
    if isinstance(user, TokenActor | UserActor):
        return user
    raise TypeError(f"a request of {type(user).__name__} passed authentication")


def may_search(actor: Actor) -> bool:
    """Tell whether `actor` may search: trading does where its agent allows it (SPEC B3)."""
    return may_browse(actor) or (isinstance(actor, TokenActor) and actor.trading_may_search)


def may_browse(actor: Actor) -> bool:
    """Tell whether `actor` may list and read records: trading reads context alone (C10)."""
    return isinstance(actor, UserActor) or actor.role != "trading"


def may_run_autopilot(actor: Actor) -> bool:
    """Tell whether `actor` may start and cancel sessions: autopilot's bearers, and people."""
    return isinstance(actor, UserActor) or actor.role == "autopilot"


def may_forget(actor: Actor) -> bool:
    """Tell whether `actor` may delete strategy memory: the role that writes it, and people."""
    return isinstance(actor, UserActor) or actor.role == "autopilot"


def may_share(actor: Actor) -> bool:
    """Tell whether `actor` may share strategy memory and withdraw it: as `may_forget`."""
    return may_forget(actor)
