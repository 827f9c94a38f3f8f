"""Rules that say what another says, and insights that say the opposite (SPEC M6)."""

from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

import pytest

from autopilot.learning.claims import like
from autopilot.models import SynthesisClaim
from memory.ids import new_id
from memory.models import Record, Standing
from tests.autopilot.learning.lab import (
    TYPE,
    claimed,
    due,
    learn,
    learn_many,
    make_backtest,
    make_session,
    settle,
)
from tests.desk import Desk
from tests.strategies import remember

HOUR = timedelta(hours=1)
RULE = "Buy with the trend when ADX is above 25."


@pytest.mark.spec("M6")
@pytest.mark.parametrize(
    "said",
    [
        "Long trades with the trend if the ADX exceeds 25.",
        "With ADX > 25, go long with the trend.",
        "Buy with the trends when ADX is above 25.",
        "Longs along the trend need an ADX of more than 25. 7 of 10 backtests won.",
    ],
)
def test_a_rule_in_other_words_is_not_stored_even_when_the_model_returned_it(
    desk: Desk, now: datetime, said: str
) -> None:
    there = remember(desk, RULE, now=now, type="rule", strategy_type=TYPE)
    session = make_session(desk, now=now)
    learn_many(desk, session, 3, now=now)
    settled = settle(desk, claimed(session, now=now + HOUR), said, now=now + HOUR)
    assert (settled.status, settled.like) == ("duplicate", there)
    assert settled.score is not None
    assert Decimal("0.5") < settled.score <= 1
    assert str(there) in settled.reason
    assert Record.objects.filter(type="rule").count() == 1
    claim = SynthesisClaim.objects.get()
    assert (claim.status, claim.support["duplicate_of"]) == ("duplicate", str(there))


@pytest.mark.spec("M6")
@pytest.mark.parametrize(
    "said",
    [
        "Sell with the trend when ADX is above 25.",
        "Buy with the trend when ADX is below 25.",
        "Buy with the trend when ADX is above 30.",
        "Buy against the trend when ADX is above 25.",
        "Never buy with the trend when ADX is above 25.",
        "Buy with the trend when RSI is above 25.",
        "On 1h, buy with the trend when ADX is above 25.",
        "Buy BTC with the trend when ADX is above 25.",
    ],
)
def test_a_rule_that_differs_in_one_fact_is_another_rule(said: str) -> None:
    assert like(said, [(new_id(), RULE)]) is None


@pytest.mark.spec("M6")
def test_of_several_rules_the_one_that_is_most_alike_is_named() -> None:
    near, equal = new_id(), new_id()
    others = [(near, "If ADX exceeds 25, go long with the trend."), (equal, RULE.upper())]
    first, second = like(RULE, others), like(RULE, others[:1])
    assert first is not None
    assert (first.id, first.score) == (equal, Decimal(1))
    assert second is not None
    assert second.id == near


@pytest.mark.spec("M6", "A9")
@pytest.mark.parametrize("promotion", ["three_insights", "guarded"])
def test_an_insight_equal_in_all_but_outcome_blocks_a_guarded_rule_and_is_named_otherwise(
    desk: Desk, now: datetime, promotion: str
) -> None:
    for symbol in ("BTC", "ETH"):
        session = make_session(desk, now=now - HOUR, symbol_id=symbol)
        learn_many(desk, session, 2, now=now - HOUR, symbol=symbol, first=3 + (symbol == "ETH"))
    # The same strategy on the same market, and it lost.
    lost = learn(
        desk, make_backtest(session, now=now, variant=4, iteration=9, in_sample=("-8", 20)), now=now
    )
    later = make_session(desk, now=now + HOUR)
    found = due(later, now=now + HOUR)
    assert found is not None
    twin = Standing.objects.get(symbol_id="ETH", outcome="success", config_hash=_hash(lost.id))
    assert set(found.opposed) == {lost.id, twin.record_id}
    assert found.is_refused_anyway(promotion="guarded")
    assert not found.is_refused_anyway(promotion="three_insights")
    settled = settle(desk, claimed(later, now=now + HOUR), now=now + HOUR, promotion=promotion)
    assert set(settled.support["opposed"]) == {str(lost.id), str(twin.record_id)}
    if promotion == "guarded":
        assert settled.status == "refused"
        assert "unopposed" in settled.missing
        assert "unopposed" in settled.reason
    else:
        assert settled.status == "made"
        assert settled.rule_id is not None
        rule = Standing.objects.get(record_id=settled.rule_id)
        assert rule.metrics["support"]["opposed"] == settled.support["opposed"]


@pytest.mark.spec("M6")
def test_an_opposite_outcome_of_another_market_or_side_opposes_nothing(
    desk: Desk, now: datetime
) -> None:
    session = make_session(desk, now=now - HOUR)
    learn_many(desk, session, 3, now=now - HOUR)
    for told in (
        {"symbol": "BTC", "content": "Long when EMA 12 crosses above EMA 49"},
        {"symbol": "ETH", "content": "Short when EMA 12 crosses below EMA 49"},
    ):
        remember(
            desk,
            told["content"],
            now=now - HOUR,
            symbol=told["symbol"],
            strategy_type=TYPE,
            outcome="failure",
        )
    found = due(make_session(desk, now=now), now=now)
    assert found is not None
    assert len(found.ids) == 5
    assert found.opposed == ()


def _hash(record_id: UUID) -> bytes:
    return bytes(Standing.objects.get(record_id=record_id).config_hash or b"")
