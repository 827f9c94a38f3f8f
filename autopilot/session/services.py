"""Starting and cancelling a session (SPEC A1, A11, A14)."""

from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef

from autopilot.errors import NoAutopilotProducer, SessionEnded, SessionOpen
from autopilot.models import Session, Step
from autopilot.models.sessions import OPEN
from autopilot.schemas import SessionDraft
from autopilot.session import ending, machine
from autopilot.session.market import Market, market_of
from autopilot.session.work import Book
from memory.ids import id_at
from memory.models import Agent, Producer, ProducerEnablement
from memory.policies.ownership import Actor, TokenActor
from memory.services.runs import start_run
from memory.services.setup import once

STARTS = 3
"""How often a start is tried while sessions like it begin and end under its hands."""


def start(*, agent: Agent, actor: Actor, asked: SessionDraft, now: datetime) -> Session:
    """Start a session of `agent`, its first step queued, whole or not at all.

    It is a run of the bearer's autopilot producer, or for a person of the agent's oldest one. What
    it may use is frozen: plan, critic mode, promotion, and memory as it is at `now`.
    SymbolNeeded, UnknownSymbol, SymbolNotSelected, NotEnoughBars: see `market_of`.
    NoAutopilotProducer. SessionOpen: one on that instrument and timeframe is open.
    """
    market = market_of(agent=agent, asked=asked, now=now)
    producer = _producer(agent, actor)
    user_id = None if isinstance(actor, TokenActor) else actor.user_id
    is_open = f"a session on {market.symbol} {market.timeframe} is open"
    for _ in range(STARTS):
        try:
            with once("session_open_once", SessionOpen(is_open)):
                return _make(agent, producer, user_id=user_id, asked=asked, market=market, now=now)
        except SessionOpen:
            open_id = _open_one(agent, market)
        # None: it has ended since.
        if open_id is not None:
            raise SessionOpen(f"{is_open}: {open_id}", session_id=str(open_id))
    raise SessionOpen(is_open)


def cancel(*, session: Session, now: datetime) -> Session:
    """Cancel a session: one that no worker is at ends at once, any other with its present step.

    Cancelling it again changes nothing. SessionEnded: it has ended already.
    """
    with transaction.atomic():
        locked = Session.objects.select_for_update(no_key=True).get(
            agent_id=session.agent_id, id=session.id
        )
        if locked.status not in OPEN:
            raise SessionEnded(f"the session has ended: {locked.status}", status=locked.status)
        if locked.cancel_requested_at is not None:
            return locked
        step = Step.objects.select_for_update(no_key=True).get(
            session_id=locked.id, number=locked.step_number
        )
        locked.cancel_requested_at = now
        book = Book(session=locked, step=step.name, iteration=step.iteration, now=now)
        if machine.is_free(step, now=now):
            step.status, step.finished_at = "done", now
            step.save(update_fields=["status", "finished_at"])
            ending.end(book, ending.cancelled(book))
        else:
            book.tell("cancel_requested", "The session ends after its present step.")
            book.close()
        locked.save()
    return locked


def _make(
    agent: Agent,
    producer: Producer,
    *,
    user_id: int | None,
    asked: SessionDraft,
    market: Market,
    now: datetime,
) -> Session:
    # The session ends its run, however long its steps wait for a worker.
    run = start_run(producer=producer, now=now, times_out=False)
    session = Session.objects.create(
        id=id_at(now),
        agent=agent,
        run_id=run.id,
        started_by_id=user_id,
        prompt=asked.prompt,
        symbol_id=market.symbol,
        timeframe=market.timeframe,
        max_iterations=asked.iterations,
        until_profitable=asked.until_profitable,
        plan=agent.plan,
        critic_mode=settings.AI_CRITIC_MODE,
        promotion=settings.RULE_PROMOTION,
        provider=settings.AI_PROVIDER,
        status="queued",
        created_at=now,
        deadline_at=now + timedelta(minutes=settings.SESSION_MINUTES),
    )
    book = Book(session=session, step="", iteration=0, now=now)
    book.tell(
        "started",
        f"A session on {market.symbol} {market.timeframe} is queued.",
        symbol=market.symbol,
        timeframe=market.timeframe,
        max_iterations=asked.iterations,
        until_profitable=asked.until_profitable,
        provider=session.provider,
    )
    book.close()
    session.save()
    machine.first_step(session=session, now=now)
    return session


def _producer(agent: Agent, actor: Actor) -> Producer:
    open_interval = ProducerEnablement.objects.filter(
        agent=agent, producer_id=OuterRef("id"), disabled_at__isnull=True
    )
    enabled = Producer.objects.filter(Exists(open_interval), agent=agent, role="autopilot")
    if isinstance(actor, TokenActor):
        enabled = enabled.filter(id=actor.producer_id)
    producer = enabled.order_by("created_at", "id").first()
    if producer is None:
        raise NoAutopilotProducer("this agent has no autopilot producer that is enabled")
    return producer


def _open_one(agent: Agent, market: Market) -> UUID | None:
    return (
        Session.objects.filter(
            agent=agent, symbol_id=market.symbol, timeframe=market.timeframe, status__in=OPEN
        )
        .values_list("id", flat=True)
        .first()
    )
