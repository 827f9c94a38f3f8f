"""Standing up an agent whole: its instruments, a producer per role, and their tokens (SPEC U3)."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.db import transaction

from memory.errors import BadRequest, NameTaken, NotFound
from memory.models import Agent, Producer, ProducerEnablement, Token
from memory.policies.freshness import STAMPABLE
from memory.policies.vocabulary import PLANS, ROLES
from memory.services import setup
from memory.services.runners import choose_runner
from memory.services.tokens import issue_token

NAME_MAX_CHARS = 80
PASSWORD_BYTES = 18
TOKEN_DAYS_MAX = 3_650
SCHEDULE_AT_FIRST = "5m"


@dataclass(frozen=True, slots=True)
class RunBy:
    """Who is to run the analysis producer: the built-in analyst with a lens, or (None) callers."""

    lens: str | None
    timeframe: str | None = None


@dataclass(frozen=True, slots=True)
class Onboarding:
    """What `onboard` made or found. `producers` and `tokens` are keyed by role.

    `instruments` are all that the agent has selected now, `added` those chosen here. `tokens`
    holds clear secrets and `password` that of a user made here: both exist this once.
    """

    agent: Agent
    agent_is_new: bool
    instruments: list[str]
    added: list[str]
    rescheduled: bool
    producers: dict[str, Producer]
    disabled: list[str] = field(default_factory=list)
    tokens: dict[str, str] = field(default_factory=dict)
    password: str | None = None


def onboard(
    *,
    username: str,
    create_user: bool,
    name: str,
    instruments: Sequence[str],
    schedule: str | None,
    keep_schedule: bool,
    with_tokens: bool,
    run_by: RunBy | None = None,
    now: datetime,
) -> Onboarding:
    """Make what is missing of an agent's set-up, whole or not at all; tokens are always new.

    `schedule` is for the analysis producer; with `keep_schedule` one that exists keeps its own.
    Without `run_by` a new one is run by callers, and one that exists by whom it was. BadRequest: a
    name is unusable, an instrument unknown or delisted, no user is called that, or who is to run
    the producer does not fit.
    NameTaken: a producer has a role's name and another role.
    """
    chosen = list(dict.fromkeys(instruments))
    if not chosen:
        raise BadRequest("name at least one instrument")
    with transaction.atomic(durable=True):
        owner, password = _user(username, create=create_user)
        agent, is_new = _agent(owner, _checked(name, "the agent's name"), now=now)
        before = set(_selected(agent))
        for instrument in chosen:
            setup.select_instrument(agent=agent, name=instrument, now=now)
        producers = {role: _producer(agent, role, schedule=schedule, now=now) for role in ROLES}
        rescheduled = not keep_schedule and producers["analysis"].schedule != schedule
        if run_by is not None and run_by.lens is None:
            _run_by(producers, run_by, now=now)
        if rescheduled:
            setup.change_schedule(producer=producers["analysis"], schedule=schedule)
            producers["analysis"].schedule = schedule
        if run_by is not None and run_by.lens is not None:
            _run_by(producers, run_by, now=now)
        tokens = {
            role: issue_token(producer=producer, now=now)[1]
            for role, producer in producers.items()
            if with_tokens
        }
        return Onboarding(
            agent=agent,
            agent_is_new=is_new,
            instruments=_selected(agent),
            added=[name for name in chosen if name not in before],
            rescheduled=rescheduled,
            producers=producers,
            disabled=_disabled(agent, producers),
            tokens=tokens,
            password=password,
        )


def issue_for(
    *, agent: Agent, producer: Producer, days: int | None, now: datetime
) -> tuple[Token, str]:
    """Issue a token of a producer, good for `days` (None: until revoked). BadRequest: days."""
    if producer.agent_id != agent.id:
        raise NotFound("this agent has no such producer")
    if days is not None and not 1 <= days <= TOKEN_DAYS_MAX:
        raise BadRequest(f"days must be 1 to {TOKEN_DAYS_MAX}")
    expires_at = None if days is None else now + timedelta(days=days)
    return issue_token(producer=producer, now=now, expires_at=expires_at)


def edit_agent(
    *, agent: Agent, name: str, expiry_policy: str, trading_may_search: bool, plan: str
) -> None:
    """Rename an agent; choose the rule of its new records' deadlines and its plan; let it search.

    Stored deadlines stay. Without leave, trading reads context and learnings alone (SPEC B3). The
    plan decides on strategy blocks (SPEC A5), from the next session on.

    BadRequest: the name is unusable, the policy not one that stamps, no such plan. NameTaken.
    """
    if plan not in PLANS:
        raise BadRequest(f"plan must be one of {', '.join(PLANS)}")
    if expiry_policy not in STAMPABLE:
        raise BadRequest(f"expiry_policy must be one of {', '.join(STAMPABLE)}")
    clean = _checked(name, "the agent's name")
    taken = NameTaken(f"the owner has an agent called {clean} already")
    with setup.once("agent_name_once", taken):
        Agent.objects.filter(id=agent.id).update(
            name=clean,
            expiry_policy=expiry_policy,
            trading_may_search=trading_may_search,
            plan=plan,
        )


def find_agent(name_or_id: str) -> Agent:
    """Return the agent of that id or name (NotFound; NameTaken: several owners have one)."""
    found = list(Agent.objects.filter(**_named(name_or_id)).order_by("id")[:5])
    if not found:
        names = ", ".join(Agent.objects.order_by("name").values_list("name", flat=True)[:20])
        raise NotFound(
            f"there is no agent called {name_or_id}; there are: {names or 'none'}; "
            "`setup_agent` makes one"
        )
    if len(found) > 1:
        ids = ", ".join(str(agent.id) for agent in found)
        raise NameTaken(f"several agents are called {name_or_id}; give an id: {ids}")
    return found[0]


def find_producer(agent: Agent, name_or_id: str) -> Producer:
    """Return the agent's producer of that id or name (NotFound: naming those there are)."""
    producers = Producer.objects.filter(agent=agent)
    found = producers.filter(**_named(name_or_id)).first()
    if found is None:
        names = ", ".join(producers.order_by("name").values_list("name", flat=True)) or "none"
        raise NotFound(f"{agent.name} has no producer called {name_or_id}; it has: {names}")
    return found


def find_token(key: str) -> Token:
    """Return the token of a key; a whole `key.secret` will do (NotFound)."""
    public, _, _ = key.partition(".")
    token = Token.objects.filter(key=public).first()
    if token is None:
        raise NotFound(f"there is no token with the key {public}")
    return token


def _selected(agent: Agent) -> list[str]:
    chosen = agent.selections.filter(deselected_at=None)
    return list(chosen.order_by("selected_at", "id").values_list("instrument_id", flat=True))


def _named(name_or_id: str) -> dict[str, Any]:
    try:
        return {"id": UUID(name_or_id)}
    except ValueError:
        return {"name": name_or_id}


def _user(username: str, *, create: bool) -> tuple[Any, str | None]:
    """Return the user, and the password when the user is made here."""
    model = get_user_model()
    user = model.objects.filter(username=username).first()
    if user is not None:
        return user, None
    if not create:
        raise BadRequest(
            f"there is no user called {username}; "
            "add --create-user, or run manage.py createsuperuser"
        )
    user, password = model(username=username), secrets.token_urlsafe(PASSWORD_BYTES)
    user.set_password(password)
    try:
        user.full_clean()
    except ValidationError as error:
        raise BadRequest(f"{username} cannot be a user's name: {error.messages[0]}") from error
    user.save()
    return user, password


def _checked(name: str, what: str) -> str:
    clean = name.strip()
    if not 1 <= len(clean) <= NAME_MAX_CHARS or not clean.isprintable():
        raise BadRequest(f"{what} must have 1 to {NAME_MAX_CHARS} printable characters")
    return clean


def _agent(owner: Any, name: str, *, now: datetime) -> tuple[Agent, bool]:
    agent = Agent.objects.filter(owner=owner, name=name).first()
    if agent is not None:
        return agent, False
    return setup.create_agent(owner=owner, name=name, now=now), True


def _producer(agent: Agent, role: str, *, schedule: str | None, now: datetime) -> Producer:
    """Return the agent's producer called like its role; analysis alone is scheduled."""
    producer = Producer.objects.filter(agent=agent, name=role).first()
    if producer is None:
        at = schedule if role == "analysis" else None
        return setup.create_producer(agent=agent, role=role, name=role, schedule=at, now=now)
    if producer.role != role:
        raise NameTaken(
            f"{agent.name} has a producer called {role} with the role {producer.role}; "
            "give the agent another name"
        )
    return producer


def _run_by(producers: dict[str, Producer], chosen: RunBy, *, now: datetime) -> None:
    producers["analysis"] = choose_runner(
        producer=producers["analysis"],
        runner="caller" if chosen.lens is None else "built_in",
        lens=chosen.lens,
        timeframe=chosen.timeframe,
        now=now,
    )


def _disabled(agent: Agent, producers: dict[str, Producer]) -> list[str]:
    open_ids = set(
        ProducerEnablement.objects.filter(agent=agent, disabled_at=None).values_list(
            "producer_id", flat=True
        )
    )
    return [role for role, producer in producers.items() if producer.id not in open_ids]
