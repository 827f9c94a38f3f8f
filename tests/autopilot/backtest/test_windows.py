"""The last 30 % of the bars judge what was learned on the first 70 %."""

import pytest

from autopilot.backtest.port import Window
from autopilot.backtest.windows import split
from tests.autopilot.backtest.hand import B0, HOUR, START, series
from trading.errors import NotEnoughBars


@pytest.mark.spec("A9")
@pytest.mark.parametrize(
    ("bars", "held"), [(2, 0), (3, 0), (4, 1), (10, 3), (11, 3), (13, 3), (14, 4), (200, 60)]
)
def test_the_holdout_is_30_percent_rounded_down(bars: int, held: int) -> None:
    if not held:
        with pytest.raises(NotEnoughBars):
            split(series([B0] * bars))
        return
    in_sample, holdout = split(series([B0] * bars))
    border = START + (bars - held) * HOUR
    assert in_sample == Window(START, border)
    assert holdout == Window(border, START + bars * HOUR)


@pytest.mark.spec("A9")
@pytest.mark.parametrize("count", range(4, 120))
def test_both_windows_hold_each_bar_once(count: int) -> None:
    bars = series([B0] * count)
    windows = split(bars)
    for opened in bars.opened_at:
        assert sum(window.start <= opened < window.end for window in windows) == 1


@pytest.mark.spec("A9")
def test_another_share_may_be_held_out_but_neither_part_may_be_empty() -> None:
    bars = series([B0] * 10)
    assert split(bars, holdout=0.5)[1].start == START + 5 * HOUR
    for share in (0.0, 0.09, 1.0):
        with pytest.raises(NotEnoughBars):
            split(bars, holdout=share)
    with pytest.raises(NotEnoughBars):
        split(series([]))
