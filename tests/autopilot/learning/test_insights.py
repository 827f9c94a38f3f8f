"""Insights and optimizations: what they say, how far they are trusted, what they keep."""

import json
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from autopilot.errors import SymbolNotSelected
from autopilot.learning.insights import Learned, publish_optimization
from autopilot.models import Backtest
from memory.models import Record, RecordLink, Standing, StandingChange
from memory.schemas.search import SearchQuery
from memory.selectors.search import search
from memory.services.setup import deselect_instrument
from tests.autopilot.learning.lab import (
    CALL,
    DAY,
    Tags,
    learn,
    make_backtest,
    make_session,
    strategy,
)
from tests.desk import Desk
from tests.strategies import forget


@pytest.fixture
def backtest(desk: Desk, now: datetime) -> Backtest:
    return make_backtest(make_session(desk, now=now), now=now)


def conclude(desk: Desk, backtest: Backtest, insight: Learned, *, now: datetime) -> Learned:
    return publish_optimization(
        actor=desk.actor("autopilot", now=now),
        backtest=backtest,
        insight_id=insight.id,
        tried=5,
        call={**CALL, "role": "advisor"},
        now=now,
    )


@pytest.mark.spec("A8", "M1", "M2")
def test_an_insight_says_what_where_when_and_how_it_went(
    desk: Desk, backtest: Backtest, now: datetime
) -> None:
    learned = learn(desk, backtest, now=now)
    record = Record.objects.get(id=learned.id)
    assert record.content == (
        "Long or short, 4h: EMA 12 crosses EMA 48; stop 2.5 ATR, target 2 R; "
        "risk 1 %, leverage up to 3x. On ETH, 2026-01-01 to 2026-07-01, in sample: "
        "PnL +12.35 %, max drawdown 4.13 %, Calmar 1.50, 20 trades."
    )
    assert (record.type, record.scope, record.timeframe) == (
        *("strategy_insight", "instruments"),
        "4h",
    )
    assert record.tags == ["trend", "adx"]
    standing = Standing.objects.get(record_id=learned.id)
    assert (standing.symbol_id, standing.strategy_type, standing.outcome) == (
        *("ETH", "trend_following"),
        "success",
    )
    assert standing.confidence == Decimal("0.62")
    assert standing.expires_at == now + 90 * DAY


@pytest.mark.spec("A8")
def test_what_is_unknown_is_said_to_be_and_one_trade_is_one(desk: Desk, now: datetime) -> None:
    test = make_backtest(make_session(desk, now=now), now=now, in_sample=("-0.004", 1))
    content = Record.objects.get(id=learn(desk, test, now=now).id).content
    assert "PnL -0.00 %" not in content
    assert "PnL 0.00 %, max drawdown 4.13 %, Calmar unknown, 1 trade." in content


@pytest.mark.spec("M7")
def test_the_outcome_is_the_backtests_not_the_taggers(desk: Desk, now: datetime) -> None:
    session = make_session(desk, now=now)
    for iteration, (figures, outcome) in enumerate(
        [(("1", 5), "success"), (("1", 4), "failure"), (("0", 9), "failure")], start=1
    ):
        test = make_backtest(session, now=now, iteration=iteration, in_sample=figures)
        learned = learn(desk, test, now=now)
        assert learned.outcome == outcome
        standing = Standing.objects.get(record_id=learned.id)
        assert standing.outcome == outcome
        days = 90 if outcome == "success" else 30
        assert standing.expires_at == now + days * DAY


@pytest.mark.spec("A9", "M11")
@pytest.mark.parametrize(
    ("figures", "said", "comes_to"),
    [
        ((("9", 20), ("-1", 1)), "0.9", ("0.5", True)),
        ((("9", 20), ("0", 6)), "0.9", ("0.5", True)),
        ((("9", 20), ("-1", 1)), "0.42", ("0.42", True)),
        ((("9", 20), ("0", 0)), "0.9", ("0.9", False)),
        ((("9", 20), ("2", 1)), "0.9", ("0.9", False)),
        ((("-9", 20), ("-2", 9)), "0.9", ("0.9", False)),
    ],
)
def test_a_success_that_its_holdout_contradicts_is_trusted_by_half_at_the_most(
    desk: Desk,
    now: datetime,
    figures: tuple[tuple[str, int], tuple[str, int]],
    said: str,
    comes_to: tuple[str, bool],
) -> None:
    (in_sample, holdout), (trusted, doubted) = figures, comes_to
    test = make_backtest(make_session(desk, now=now), now=now, in_sample=in_sample, holdout=holdout)
    learned = learn(desk, test, now=now, tags=Tags(confidence=Decimal(said)))
    standing = Standing.objects.get(record_id=learned.id)
    assert standing.confidence == Decimal(trusted) == learned.confidence
    assert standing.metrics["in_sample_confidence"] == said
    assert (learned.in_sample_confidence, learned.doubted) == (Decimal(said), doubted)


@pytest.mark.spec("A9")
def test_nothing_of_the_holdout_is_in_what_a_reader_gets(desk: Desk, now: datetime) -> None:
    session = make_session(desk, now=now)
    told: list[list[Any]] = []
    for iteration, holdout in enumerate([("77.77", 7), ("0.00", 0), ("66.66", 66)], start=1):
        test = make_backtest(session, now=now, holdout=holdout, iteration=iteration)
        insight = learn(desk, test, now=now)
        best = conclude(desk, test, insight, now=now)
        record = Record.objects.get(id=insight.id)
        other = Record.objects.get(id=best.id)
        same = {"backtest": None, "iteration": None}
        told.append([(one.content, one.tags, one.metadata | same) for one in (record, other)])
    assert told[0] == told[1] == told[2]
    found = search(agent_id=desk.agent.id, asked=SearchQuery(symbol="ETH"), now=now)
    shown = json.dumps(found.model_dump(mode="json")) + json.dumps(told)
    assert not [secret for secret in ("77.77", "66.66", "2026-09-01") if secret in shown]


@pytest.mark.spec("A9", "M2")
def test_a_standing_keeps_both_windows_and_where_they_came_from(
    desk: Desk, backtest: Backtest, now: datetime
) -> None:
    metrics = Standing.objects.get(record_id=learn(desk, backtest, now=now).id).metrics
    assert metrics == {
        "in_sample": backtest.in_sample,
        "holdout": backtest.holdout,
        "window": {
            "instrument": "ETH",
            "timeframe": "4h",
            "start": "2026-01-01T00:00:00Z",
            "split": "2026-07-01T00:00:00Z",
            "end": "2026-09-01T00:00:00Z",
        },
        "in_sample_confidence": "0.62",
        "session": str(backtest.session_id),
        "backtest": str(backtest.id),
    }


@pytest.mark.spec("L5")
def test_a_record_names_the_prompt_and_model_that_it_came_from(
    desk: Desk, backtest: Backtest, now: datetime
) -> None:
    made_by = Record.objects.get(id=learn(desk, backtest, now=now).id).metadata["produced_by"]
    assert made_by == {
        "role": "tagger",
        "prompt_version": 1,
        "sha256": "ab" * 32,
        "provider": "offline",
        "model": "none",
        "offline": True,
    }


@pytest.mark.spec("M2")
def test_equal_strategies_have_equal_hashes_whatever_they_are_called(
    desk: Desk, now: datetime
) -> None:
    session = make_session(desk, now=now)
    hashes = []
    for iteration, tried in enumerate(
        [strategy(), strategy(name="another name"), strategy(entry_threshold=1), strategy(1)],
        start=1,
    ):
        test = make_backtest(
            session,
            now=now,
            iteration=iteration,
            strategy=tried.model_dump(mode="json"),
            config_hash=bytes(32),
        )
        standing = Standing.objects.get(record_id=learn(desk, test, now=now).id)
        assert standing.config is not None
        assert "name" not in standing.config
        hashes.append(bytes(standing.config_hash or b""))
    assert hashes[0] == hashes[1] == hashes[2] != hashes[3]


@pytest.mark.spec("M2")
def test_a_standings_hash_is_its_backtests(desk: Desk, backtest: Backtest, now: datetime) -> None:
    standing = Standing.objects.get(record_id=learn(desk, backtest, now=now).id)
    assert bytes(standing.config_hash or b"") == bytes(backtest.config_hash)


@pytest.mark.spec("R6")
def test_an_insight_of_an_instrument_deselected_meanwhile_leaves_nothing(
    desk: Desk, backtest: Backtest, now: datetime
) -> None:
    deselect_instrument(agent=desk.agent, name="ETH", now=now)
    with pytest.raises(SymbolNotSelected):
        learn(desk, backtest, now=now)
    assert not Record.objects.exists()
    assert not StandingChange.objects.exists()


@pytest.mark.spec("A8", "M1")
def test_a_session_ends_with_an_optimization_derived_from_its_best_insight(
    desk: Desk, now: datetime
) -> None:
    test = make_backtest(make_session(desk, now=now), now=now, holdout=("-1", 6))
    insight = learn(desk, test, now=now, tags=Tags(confidence=Decimal("0.8")))
    best = conclude(desk, test, insight, now=now + timedelta(minutes=1))
    record = Record.objects.get(id=best.id)
    assert record.type == "optimization"
    assert record.content.startswith("Best of 5 backtests. Long or short, 4h: ")
    assert record.tags == ["trend", "adx"]
    assert record.metadata["produced_by"]["role"] == "advisor"
    link = RecordLink.objects.get(source_id=best.id)
    assert (link.target_id, link.link_type) == (insight.id, "derived_from")
    standing = Standing.objects.get(record_id=best.id)
    assert (standing.confidence, best.in_sample_confidence) == (Decimal("0.5"), Decimal("0.8"))
    assert standing.config_hash == Standing.objects.get(record_id=insight.id).config_hash
    assert standing.expires_at == now + timedelta(minutes=1) + 60 * DAY


@pytest.mark.spec("A8", "M3")
def test_an_optimization_outlives_a_deleted_insight(
    desk: Desk, backtest: Backtest, now: datetime
) -> None:
    insight = learn(desk, backtest, now=now)
    forget(insight.id, now=now)
    best = conclude(desk, backtest, insight, now=now)
    assert not RecordLink.objects.filter(source_id=best.id).exists()
    assert Record.objects.get(id=best.id).tags == ["trend_following"]


@pytest.mark.spec("R10")
def test_a_very_long_strategy_is_cut_to_what_a_record_holds(
    desk: Desk, backtest: Backtest, now: datetime, settings: Any
) -> None:
    settings.RECORD_BOUNDS = {**settings.RECORD_BOUNDS, "content_max_chars": 40}
    learned = learn(desk, backtest, now=now, tags=replace(Tags(), tags=()))
    assert len(Record.objects.get(id=learned.id).content) == 40
