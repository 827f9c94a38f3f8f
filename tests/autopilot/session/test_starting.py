"""What may start a session, and what is refused with which reason (SPEC A1, A14)."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from threading import Barrier
from typing import Any

import pytest
from django.conf import settings
from django.db import transaction
from django_q.models import OrmQ

from autopilot.errors import (
    NoAutopilotProducer,
    SessionOpen,
    SymbolNeeded,
    SymbolNotSelected,
    UnknownSymbol,
)
from autopilot.models import Event, Session, Step
from autopilot.models.sessions import MAX_ITERATIONS
from autopilot.schemas import MAX_ITERATIONS as ASKED_AT_MOST
from autopilot.schemas import SessionDraft
from autopilot.session.market import named_in
from autopilot.session.services import cancel, start
from memory.errors import ValidationFailed
from memory.models import Agent, Instrument, Run
from memory.policies.ownership import UserActor
from memory.services import setup
from tests.autopilot.session.bench import begin, in_own_connection, store_bars, until_it_waits
from tests.desk import Desk, make_desk, make_instrument
from trading.errors import NotEnoughBars
from trading.market.instruments import KnownName
from trading.market.sample import load_sample

DAY = timedelta(days=1)


@pytest.fixture
def ready(desk: Desk, now: datetime) -> Desk:
    """Return a desk whose ETH has enough hourly bars."""
    store_bars(now=now)
    return desk


@pytest.mark.spec("A1", "A14", "A10")
def test_a_start_opens_a_run_and_queues_the_first_step_in_one_transaction(
    ready: Desk, now: datetime
) -> None:
    Agent.objects.filter(id=ready.agent.id).update(plan="pro")
    ready.agent.refresh_from_db()
    session = begin(ready, now=now, max_iterations=3)
    assert (session.status, session.symbol_id, session.timeframe) == ("queued", "ETH", "1h")
    assert (session.max_iterations, session.until_profitable) == (3, False)
    assert (session.plan, session.critic_mode) == ("pro", settings.AI_CRITIC_MODE)
    assert (session.promotion, session.provider) == (settings.RULE_PROMOTION, "offline")
    assert session.deadline_at == now + timedelta(minutes=settings.SESSION_MINUTES)
    assert session.started_by_id is None
    run = Run.objects.get(id=session.run_id)
    assert (run.status, run.producer_id) == ("running", ready.producers["autopilot"].id)
    step = Step.objects.get(session=session)
    assert (step.number, step.name, step.status) == (1, "resolve", "due")
    assert Event.objects.get(session=session).seq == session.last_event == 1
    assert OrmQ.objects.count() == 1


@pytest.mark.spec("A14")
def test_a_person_starts_a_run_of_the_agents_oldest_enabled_autopilot_producer(
    ready: Desk, now: datetime
) -> None:
    actor = UserActor(user_id=ready.user.id, is_staff=False)
    asked = SessionDraft.parse({"prompt": "trends", "symbol": "ETH"})
    second = setup.create_producer(
        agent=ready.agent, role="autopilot", name="second", schedule=None, now=now - DAY
    )
    session = start(agent=ready.agent, actor=actor, asked=asked, now=now)
    assert session.started_by_id == ready.user.id
    assert Run.objects.get(id=session.run_id).producer_id == ready.producers["autopilot"].id
    cancel(session=session, now=now)
    setup.disable_producer(producer=ready.producers["autopilot"], now=now)
    session = start(agent=ready.agent, actor=actor, asked=asked, now=now)
    assert Run.objects.get(id=session.run_id).producer_id == second.id
    cancel(session=session, now=now)
    setup.disable_producer(producer=second, now=now)
    with pytest.raises(NoAutopilotProducer):
        start(agent=ready.agent, actor=actor, asked=asked, now=now)


@pytest.mark.spec("A1")
@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"max_iterations": 31}, "max_iterations"),
        ({"max_iterations": 0}, "max_iterations"),
        ({"max_iterations": -1}, "max_iterations"),
        ({"max_iterations": True}, "max_iterations"),
        ({"max_iterations": 2.0}, "max_iterations"),
        ({"max_iterations": "5"}, "max_iterations"),
        ({"max_iterations": "for ever"}, "max_iterations"),
        ({"max_iterations": None}, "max_iterations"),
        ({"prompt": " \n "}, "prompt"),
        ({"prompt": "x" * 4_001}, "prompt"),
        ({"prompt": "nul \x00"}, "prompt"),
        ({"prompt": 7}, "prompt"),
        ({"symbol": ""}, "symbol"),
        ({"symbol": "x" * 65}, "symbol"),
        ({"symbol": "E\x00"}, "symbol"),
        ({"timeframe": "30m"}, "timeframe"),
        ({"timeframe": "1w"}, "timeframe"),
        ({"image": "aGk="}, "image"),
        ({"image_mime_type": "image/png"}, "image_mime_type"),
        ({"agent_id": "…"}, "agent_id"),
    ],
)
def test_a_malformed_body_is_refused_by_the_place_that_is_wrong(
    body: dict[str, Any], place: str
) -> None:
    with pytest.raises(ValidationFailed) as refused:
        SessionDraft.parse({"prompt": "trends on ETH", **body})
    assert list(refused.value.errors) == [place]
    assert len(refused.value.errors[place]) == 1


@pytest.mark.spec("A1")
def test_iterations_have_a_default_and_until_profitable_is_up_to_thirty() -> None:
    assert SessionDraft.parse({"prompt": "x"}).iterations == 5
    whole = SessionDraft.parse({"prompt": "x", "max_iterations": "until_profitable"})
    assert (whole.iterations, whole.until_profitable) == (30, True)
    assert SessionDraft.parse({"prompt": "x", "max_iterations": 30}).until_profitable is False
    assert MAX_ITERATIONS == ASKED_AT_MOST == 30


@pytest.mark.spec("A1")
@pytest.mark.parametrize(
    ("prompt", "symbol"),
    [
        ("find a trend on ETH", "ETH"),
        ("ETH: buy the dip", "ETH"),
        ("eth breakouts, please", "ETH"),
        ("what about ETHUSDT?", "ETH"),
        ("mean reversion (BTC-PERP)", "BTC"),
        ("BTC, and again BTC.", "BTC"),
        ("ETH/USDC:USDC momentum", "ETH"),
        ("GAS is a word here, BTC the coin", "BTC"),
    ],
)
def test_the_symbol_is_found_in_the_prompt(
    desk: Desk, now: datetime, prompt: str, symbol: str
) -> None:
    make_instrument("GAS", now=now)
    store_bars(now=now, instrument=symbol)
    assert begin(desk, now=now, prompt=prompt).symbol_id == symbol


@pytest.mark.spec("A1", "U5")
def test_a_stock_is_found_by_its_plain_name_where_one_dex_lists_it(
    desk: Desk, now: datetime
) -> None:
    load_sample(now=now)
    setup.select_instrument(agent=desk.agent, name="xyz:AAPL", now=now - DAY)
    session = begin(desk, now=now, prompt="a breakout of AAPL")
    assert (session.symbol_id, session.timeframe) == ("xyz:AAPL", "1d")


@pytest.mark.spec("A1")
@pytest.mark.parametrize(
    ("prompt", "named"),
    [
        ("find me something that works", []),
        ("a trend, any trend", []),
        ("ETH against BTC", ["ETH", "BTC"]),
        ("the BTC/ETH pair", ["BTC", "ETH"]),
    ],
)
def test_a_prompt_that_names_no_instrument_or_several_is_refused_with_the_choice(
    ready: Desk, now: datetime, prompt: str, named: list[str]
) -> None:
    make_instrument("A", now=now)
    with pytest.raises(SymbolNeeded) as refused:
        begin(ready, now=now, prompt=prompt)
    assert refused.value.fields == {"named": named, "selected": ["BTC", "ETH"]}
    assert not Session.objects.exists()


@pytest.mark.spec("A1", "R8")
def test_an_unknown_symbol_and_one_that_is_not_the_agents_are_told_apart(
    ready: Desk, now: datetime
) -> None:
    with pytest.raises(UnknownSymbol) as unknown:
        begin(ready, now=now, symbol="NOPE")
    assert unknown.value.fields == {"symbol": "NOPE"}
    make_instrument("SOL", now=now)
    for body in ({"symbol": "solusdt"}, {"prompt": "SOL momentum"}):
        with pytest.raises(SymbolNotSelected) as foreign:
            begin(ready, now=now, **body)
        assert foreign.value.fields == {"symbol": "SOL", "selected": ["BTC", "ETH"]}
    Instrument.objects.filter(id="ETH").update(is_active=False)
    with pytest.raises(SymbolNotSelected):
        begin(ready, now=now, symbol="ETH")
    assert not Session.objects.exists()
    assert not Run.objects.exists()


@pytest.mark.spec("A1", "A7")
def test_a_window_without_enough_bars_is_refused_with_what_there_is_and_the_way_out(
    desk: Desk, now: datetime
) -> None:
    with pytest.raises(NotEnoughBars) as nothing:
        begin(desk, now=now, symbol="ETH")
    assert nothing.value.fields["timeframe"] is None
    assert "200 closed candles of ETH; there are none. Import 1h: " in nothing.value.message
    store_bars(now=now, timeframe="4h", count=199)
    store_bars(now=now, timeframe="1d", count=250)
    with pytest.raises(NotEnoughBars) as few:
        begin(desk, now=now, symbol="ETH", timeframe="4h")
    assert few.value.fields == {
        "symbol": "ETH",
        "timeframe": "4h",
        "needed": 200,
        "stored": {"4h": 199, "1d": 250},
    }
    assert few.value.message == (
        "a session needs 200 closed 4h candles of ETH; there are 199. 1d has 250: leave the "
        "timeframe out, choose 1d, or import 4h: manage.py sync_candles --instrument ETH "
        "--timeframe 4h, or --file candles.csv --timeframe 4h"
    )
    with pytest.raises(NotEnoughBars, match=r"there are none\. 1d has 250: choose 1d, or import"):
        begin(desk, now=now, symbol="ETH", prompt="hourly momentum")
    assert not Run.objects.exists()
    assert begin(desk, now=now, symbol="ETH").timeframe == "1d"


@pytest.mark.spec("A1", "A7")
def test_a_bar_that_has_not_closed_yet_does_not_count(desk: Desk, now: datetime) -> None:
    store_bars(now=now, count=200)
    early = now - timedelta(hours=1)
    with pytest.raises(NotEnoughBars):
        begin(desk, now=early, symbol="ETH")
    assert begin(desk, now=now, symbol="ETH").timeframe == "1h"


@pytest.mark.spec("A1")
@pytest.mark.parametrize(
    ("prompt", "timeframe"),
    [
        ("ETH trends", "1h"),
        ("ETH on 4h", "4h"),
        ("daily ETH swings", "1d"),
        ("ETH on 4h or 1d", "1h"),
        ("ETH on the 4H chart", "4h"),
    ],
)
def test_the_timeframe_is_the_prompts_or_one_with_enough_bars(
    desk: Desk, now: datetime, prompt: str, timeframe: str
) -> None:
    for stored in ("1d", "4h", "1h"):
        store_bars(now=now, timeframe=stored, count=210)
    assert begin(desk, now=now, prompt=prompt).timeframe == timeframe


@pytest.mark.spec("A1")
def test_a_prompt_of_the_greatest_length_is_read_against_many_names() -> None:
    known = [KnownName(id=f"C{number}", kind="perpetual") for number in range(500)]
    prompt = " ".join(f"c{number}" for number in range(5_000))[:4_000]
    assert named_in(prompt, selected=["C499"], known=known) == ["C499"]


@pytest.mark.spec("A14")
def test_a_second_session_on_a_market_is_refused_by_the_id_of_the_open_one(
    ready: Desk, now: datetime
) -> None:
    store_bars(now=now, instrument="BTC")
    store_bars(now=now, timeframe="4h")
    first = begin(ready, now=now)
    with pytest.raises(SessionOpen) as refused:
        begin(ready, now=now)
    assert refused.value.fields == {"session_id": str(first.id)}
    assert Run.objects.count() == 1
    begin(ready, now=now, symbol="BTC")
    begin(ready, now=now, timeframe="4h")
    cancel(session=first, now=now)
    assert begin(ready, now=now).status == "queued"


@pytest.mark.spec("A14", "X1")
def test_another_agents_session_on_the_same_market_is_no_hindrance(
    ready: Desk, other: Desk, now: datetime
) -> None:
    assert begin(ready, now=now).symbol_id == begin(other, now=now).symbol_id


@pytest.mark.django_db(transaction=True)
@pytest.mark.spec("A14", "A11")
def test_of_eight_starts_at_once_one_begins_and_the_others_name_it(
    now: datetime, transactional_db: None
) -> None:
    del transactional_db
    desk = make_desk("ours", now=now)
    store_bars(now=now)
    actor, barrier = desk.actor("autopilot", now=now), Barrier(8)
    asked = SessionDraft.parse({"prompt": "trends on ETH"})

    def starting() -> Session | SessionOpen:
        barrier.wait(timeout=30)
        try:
            return start(agent=desk.agent, actor=actor, asked=asked, now=now)
        except SessionOpen as refused:
            return refused

    with ThreadPoolExecutor(8) as pool:
        works = [pool.submit(in_own_connection(starting)) for _ in range(8)]
        came = [work.result() for work in works]
    (session,) = (one for one in came if isinstance(one, Session))
    refused = [one for one in came if isinstance(one, SessionOpen)]
    assert [one.fields for one in refused] == [{"session_id": str(session.id)}] * 7
    counts = [model.objects.count() for model in (Session, Run, Step, Event, OrmQ)]
    assert counts == [1, 1, 1, 1, 1]


@pytest.mark.django_db(transaction=True)
@pytest.mark.spec("A14")
def test_a_start_that_waits_for_one_that_is_undone_begins(
    now: datetime, transactional_db: None
) -> None:
    del transactional_db
    desk = make_desk("ours", now=now)
    store_bars(now=now)

    starting = in_own_connection(lambda: begin(desk, now=now))
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            begin(desk, now=now)
            waiting = pool.submit(starting)
            until_it_waits(waiting)
            transaction.set_rollback(True)
        session = waiting.result()
    assert Session.objects.get().id == session.id
    assert OrmQ.objects.count() == 1
