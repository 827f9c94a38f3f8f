"""What a request names, the offline advisor begins with; what it does not, changes nothing."""

from collections import Counter
from typing import Any

import pytest

from autopilot.crew import advisor
from autopilot.crew.researcher import Gathered
from autopilot.llm.offline.provider import OfflineProvider
from autopilot.strategy.identity import config_hash
from autopilot.strategy.schema import Strategy
from tests.autopilot.crew.cast import assignment
from tests.autopilot.crew.test_offline_advisor import advise, session

SEEDS = 60


def begun(request: str, *, iteration: int = 1, **given: Any) -> list[tuple[Strategy, str]]:
    """Return what many sessions begin with, and what is said of it."""
    asked = assignment(request, **given)
    told = [advise(asked, seed=f"s{seed}", iteration=iteration) for seed in range(SEEDS)]
    return [(Strategy.parse(one.strategy), one.text) for one in told]


BREAKOUTS = {"donchian_break", "retest_level", "volume_spike"}


@pytest.mark.spec("L2", "A4")
@pytest.mark.parametrize(
    ("request_", "families", "says"),
    [
        ("Breakouts on rising volume", BREAKOUTS, "breakout and volume"),
        ("breaking out, BREAKOUT!", BREAKOUTS, "breakout"),
        ("follow trends", {"ema_cross"}, "trend"),
        ("Trend-following", {"ema_cross"}, "trend"),
        ("momentum", {"ema_cross", "macd_cross", "roc_momentum"}, "momentum"),
        ("reversals at bands", {"rsi_reversal", "band_reversal"}, "mean reversion"),
        ("mean_reversion by RSI", {"rsi_reversal"}, "mean reversion and rsi"),
        ("volume", {"volume_spike"}, "volume"),
    ],
)
def test_a_session_begins_with_what_its_request_names(
    request_: str, families: set[str], says: str
) -> None:
    tried = begun(request_)
    assert {one.foundations[0].block.type for one, _ in tried} == families
    assert all(f"The prompt asks for {says}." in text for _, text in tried)
    if "volume" in says:
        assert all("rel_volume" in {block.type for block in one.filters} for one, _ in tried)


@pytest.mark.spec("L2", "A4")
def test_later_iterations_lean_to_the_request_and_explore() -> None:
    tried = begun("Breakouts on rising volume, long only", iteration=2)
    types = Counter(str(one.foundations[0].block.type) for one, _ in tried)
    assert set(types) > BREAKOUTS
    assert sum(types[type_] for type_ in BREAKOUTS) > SEEDS / 2
    assert {one.side for one, _ in tried} == {"long"}
    assert all("rel_volume" in {block.type for block in one.filters} for one, _ in tried)


@pytest.mark.spec("L2", "A4")
@pytest.mark.parametrize(
    "request_",
    ["no breakouts", "not momentum, without volume", "a long-term strategy", "short", ""],
)
def test_a_request_that_names_nothing_known_changes_nothing(request_: str) -> None:
    for iteration in (1, 2):
        assert begun(request_, iteration=iteration) == begun(
            "find a profitable strategy", iteration=iteration
        )


@pytest.mark.spec("L2", "A5")
def test_what_a_request_names_and_the_market_lacks_is_said_and_left_out() -> None:
    tried = begun("breakouts on volume", available=frozenset())
    assert {one.foundations[0].block.type for one, _ in tried} == BREAKOUTS - {"volume_spike"}
    assert all("breakout and volume (not on offer here: volume)." in text for _, text in tried)


@pytest.mark.spec("L2")
def test_a_session_goes_on_when_all_that_was_asked_for_is_tried() -> None:
    asked = assignment("macd, short only, trend strength and funding")
    assert len({config_hash(one) for one in session(asked, seed="one", iterations=60)}) == 60


@pytest.mark.spec("L2", "A4")
def test_turn_0_searches_memory_for_what_the_request_names() -> None:
    for seed in range(20):
        chosen = advisor.select_tags(
            provider=OfflineProvider(),
            assignment=assignment("Breakouts on rising volume"),
            gathered=Gathered(),
            summary="",
            pool=[],
            iteration=1,
            seed=str(seed),
        )
        assert {"breakout", "rel_volume"} <= set(chosen.tags)
