"""The eighteen rules of filling, each on four bars, and what they say beside them."""

import pytest

from autopilot.backtest.engine import BarEngine
from autopilot.backtest.frame import Frame
from autopilot.backtest.plan import Breakeven, Distance, Order, Plan, Target, Trail
from autopilot.backtest.port import Costs, FundingSeries, Trade, Window
from autopilot.backtest.simulate import Ledger
from autopilot.strategy.schema import Strategy
from tests.autopilot.backtest.hand import B0, B1, HOUR, START, TWO_R, plan, series, traded

FLAT = (100.0, 100.0, 100.0, 100.0)


def only(ledger: Ledger) -> Trade:
    (trade,) = ledger.trades
    return trade


def exit_of(ledger: Ledger) -> tuple[float, str, int]:
    trade = only(ledger)
    return trade.exit_price, trade.reason, trade.exit_index


@pytest.mark.spec("A7")
def test_01_a_signal_on_a_closed_bar_fills_at_the_next_open() -> None:
    b1, b2, b3 = (102, 103, 101, 102), (102, 104, 100, 103), (103, 105, 101, 104)
    trade = only(traded([B0, b1, b2, b3], plan()))
    assert (trade.entry_price, trade.entry_index, trade.entry_at) == (102, 1, START + HOUR)
    assert (trade.exit_price, trade.exit_index, trade.reason) == (104, 3, "end_of_data")
    assert trade.exit_at == START + 4 * HOUR
    assert trade.pnl == 2
    still = only(traded([B0, B1, B1, B1], plan()))  # closes where it opened
    assert still.exit_at == START + 4 * HOUR


@pytest.mark.spec("A7")
def test_02_a_signal_on_the_last_bar_fills_nowhere_and_is_told() -> None:
    ledger = traded([B0, B1, B1, B1], plan(signals=[3]))
    assert (ledger.trades, ledger.signal_at_end) == ([], True)
    assert ledger.equity == [1_000] * 4


@pytest.mark.spec("A7")
def test_03_stop_and_target_inside_one_bar_are_the_worse_one() -> None:
    b2 = (100, 121, 89, 110)
    assert exit_of(traded([B0, B1, b2, B1], plan())) == (90, "stop", 2)


@pytest.mark.spec("A7")
def test_04_the_stop_can_be_hit_on_the_bar_of_the_entry() -> None:
    b1 = (100, 101, 88, 95)
    assert exit_of(traded([B0, b1, B1, B1], plan())) == (90, "stop", 1)


@pytest.mark.spec("A7")
def test_05_a_gap_through_the_stop_fills_at_the_open() -> None:
    b2 = (85, 95, 84, 90)
    ledger = traded([B0, B1, b2, B1], plan())
    assert exit_of(ledger) == (85, "stop", 2)
    assert only(ledger).exit_at == START + 2 * HOUR


@pytest.mark.spec("A7")
def test_06_a_gap_through_the_target_fills_at_the_open() -> None:
    b2 = (125, 126, 124, 125)
    assert exit_of(traded([B0, B1, b2, B1], plan())) == (125, "target", 2)


@pytest.mark.spec("A7")
def test_07_beyond_the_target_at_the_open_and_through_the_stop_later_is_still_the_worse() -> None:
    b2 = (125, 130, 80, 100)
    assert exit_of(traded([B0, B1, b2, B1], plan())) == (90, "stop", 2)


@pytest.mark.spec("A7")
def test_08_short_is_the_mirror_image() -> None:
    b2 = (100, 111, 79, 100)
    ledger = traded([B0, B1, b2, B1], plan(side=-1))
    assert exit_of(ledger) == (110, "stop", 2)
    assert (only(ledger).side, only(ledger).pnl) == ("short", -10)
    target = (100, 109, 79, 100)
    assert exit_of(traded([B0, B1, target, B1], plan(side=-1))) == (80, "target", 2)
    gap = (115, 116, 109, 110)
    assert exit_of(traded([B0, B1, gap, B1], plan(side=-1))) == (115, "stop", 2)


LADDER = (Target(Distance(of_stop=3.0)), Target(Distance(of_stop=1.5), 0.5))


@pytest.mark.spec("A7")
def test_09_a_ladder_closes_fractions_of_the_initial_size_and_the_last_exit_the_rest() -> None:
    b2, b3 = (100, 116, 99, 114), (114, 131, 113, 130)
    trade = only(traded([B0, B1, b2, b3], plan(targets=LADDER)))
    assert [(leg.price, leg.fraction, leg.reason) for leg in trade.legs] == [
        (115, 0.5, "partial"),
        (130, 0.5, "target"),
    ]
    assert (trade.pnl, trade.r, trade.reason) == (22.5, 2.25, "target")


@pytest.mark.spec("A7")
def test_09_a_bar_may_fill_the_whole_ladder_and_a_gap_fills_what_it_passed_at_the_open() -> None:
    trade = only(traded([B0, B1, (120, 131, 119, 130), B1], plan(targets=LADDER)))
    assert [(leg.price, leg.reason) for leg in trade.legs] == [(120, "partial"), (130, "target")]
    assert [leg.at - START for leg in trade.legs] == [2 * HOUR, 3 * HOUR]


@pytest.mark.spec("A7")
@pytest.mark.parametrize("parts", [(0.1, 0.2, 0.7), (0.7, 0.1, 0.2), (0.3, 0.3, 0.4)])
def test_09_partials_that_make_up_the_whole_close_it_whatever_floats_make_of_their_sum(
    parts: tuple[float, ...],
) -> None:
    targets = tuple(Target(Distance(of_stop=r), part) for r, part in enumerate(parts, start=1))
    trade = only(traded([B0, B1, (100, 131, 99, 130), B1], plan(targets=targets)))
    assert (trade.exit_index, trade.reason, len(trade.legs)) == (2, "partial", 3)
    assert sum(leg.fraction for leg in trade.legs) == pytest.approx(1, abs=1e-15)
    wanted = sum(part * 10 * r for r, part in enumerate(parts, start=1))
    assert trade.pnl == pytest.approx(wanted)


@pytest.mark.spec("A7")
def test_10_breakeven_acts_from_the_next_bar() -> None:
    b1, b2 = (100, 111, 99, 110), (110, 112, 99, 105)
    ledger = traded([B0, b1, b2, B1], plan(breakevens=(Breakeven(at_r=1),)))
    assert exit_of(ledger) == (100, "breakeven", 2)
    back = traded([B0, (100, 111, 99, 100), B1, B1], plan(breakevens=(Breakeven(1, 0.005),)))
    assert exit_of(back) == (100, "breakeven", 2)  # a stop at 100.5 that the next open is below


@pytest.mark.spec("A7")
def test_11_a_trailing_stop_is_set_from_the_close_of_the_closed_bar() -> None:
    b1, b2 = (100, 106, 99, 105), (104, 105, 100, 101)
    ledger = traded([B0, b1, b2, B1], plan(trails=(Trail(1, 0, [5.0] * 4),)))
    assert exit_of(ledger) == (100, "trail", 2)


@pytest.mark.spec("A7")
def test_11_a_trailing_stop_never_moves_back_and_waits_for_a_close_of_its_gain() -> None:
    rows = [B0, (100, 106, 99, 105), (105, 106, 101, 102), (102, 103, 96, 97)]
    never = traded(rows, plan(trails=(Trail(1, 0, [5.0] * 4),)))
    assert exit_of(never) == (100, "trail", 3)
    waits = traded(rows, plan(trails=(Trail(1, 0.6, [5.0] * 4),)))  # 106 was seen, and no close
    assert exit_of(waits) == (97, "end_of_data", 3)


@pytest.mark.spec("A7")
def test_12_a_time_exit_leaves_at_the_open_of_the_bar_so_many_after_the_entry() -> None:
    b3 = (107, 108, 106, 107)
    ledger = traded([B0, B1, B1, b3], plan(time_exit=2))
    assert exit_of(ledger) == (107, "time", 3)
    assert only(ledger).exit_at == START + 3 * HOUR
    assert traded([B0, B1, B1, (107, 121, 80, 107)], plan(time_exit=2)).trades[0].exit_price == 107


ROWS_13 = [B0, B1, (100, 102, 99, 101), (101, 103, 100, 102)]


@pytest.mark.spec("A7")
def test_13_funding_is_paid_at_each_close_on_what_is_open_then() -> None:
    trade = only(traded(ROWS_13, plan(), funding=[0.0001] * 4))
    assert trade.reason == "end_of_data"
    assert trade.funding == pytest.approx(-0.0303, abs=1e-15)
    assert trade.pnl == pytest.approx(2 - 0.0303, abs=1e-12)
    short = only(traded(ROWS_13, plan(side=-1), funding=[0.0001] * 4))
    assert short.funding == -trade.funding


@pytest.mark.spec("A7")
def test_13_what_left_in_a_bar_pays_no_funding_at_its_close() -> None:
    rows = [B0, B1, (100, 116, 99, 114), (114, 131, 113, 130)]
    trade = only(traded(rows, plan(targets=LADDER), funding=[0.0001] * 4))
    assert trade.funding == pytest.approx(-0.0001 * (100 + 0.5 * 114))


@pytest.mark.spec("A7")
def test_13_a_stamp_belongs_to_the_bar_that_opened_before_it_and_had_not_closed() -> None:
    bars = series([B0, B1, B1, B1])
    stamps = [START, START + HOUR, START + 1.5 * HOUR, START + 2 * HOUR, START + 9 * HOUR]
    funding = FundingSeries(
        instrument="BTC", at=tuple(stamps), rate=(0.0001, 0.001, 0.01, 0.1, 1.0)
    )
    sums = Frame(bars, end=4, funding=funding).funding_sums()
    assert sums is not None
    assert sums.tolist() == pytest.approx([0.001, 0.11, 0, 0])


@pytest.mark.spec("A7")
def test_14_takers_pay_their_fee_and_slippage_and_targets_the_makers_fee() -> None:
    b2 = (100, 100, 85, 90)
    trade = only(traded([B0, B1, b2, B1], plan(), costs=Costs()))
    assert trade.entry_price == pytest.approx(100.01, abs=1e-12)
    assert trade.exit_price == pytest.approx(90.000999, abs=1e-12)
    assert trade.pnl == pytest.approx(-10.09450594955, abs=1e-11)
    won = only(traded([B0, B1, (100, 125, 99, 120), B1], plan(), costs=Costs()))
    assert won.exit_price == pytest.approx(120.01, abs=1e-12)
    assert won.fees == pytest.approx(0.00045 * 100.01 + 0.00015 * 120.01, abs=1e-12)


@pytest.mark.spec("A7")
def test_14_a_short_is_filled_lower_when_sold_and_higher_when_bought_back() -> None:
    trade = only(traded([B0, B1, (100, 115, 100, 110), B1], plan(side=-1), costs=Costs()))
    assert trade.entry_price == pytest.approx(99.99, abs=1e-12)
    assert trade.exit_price == pytest.approx(109.99 * 1.0001, abs=1e-12)


@pytest.mark.spec("A7")
@pytest.mark.parametrize(("decimals", "quantity"), [(0, 8), (2, 8.33), (None, 100 / 12)])
def test_15_size_is_the_risk_over_the_stop_rounded_down(
    decimals: int | None, quantity: float
) -> None:
    ledger = traded([B0, B1, B1, B1], plan(stop=12), equity=10_000, sz_decimals=decimals)
    assert only(ledger).quantity == quantity


@pytest.mark.spec("A7")
def test_15_leverage_caps_the_size() -> None:
    ledger = traded([B0, B1, B1, B1], plan(stop=0.1, targets=(), max_leverage=2), equity=10_000)
    assert only(ledger).quantity == 10_000 * 2 / 100


@pytest.mark.spec("A7")
def test_16_a_small_notional_is_rejected_and_counted() -> None:
    ledger = traded([B0, B1, B1, B1], plan(), equity=10)
    assert ledger.trades == []
    assert ledger.rejected == {"min_notional": 1, "zero_size": 0, "no_stop_distance": 0}
    assert traded([B0, B1, B1, B1], plan(), equity=10, min_notional=1).trades


@pytest.mark.spec("A7")
@pytest.mark.parametrize("stop", [0.0, -1.0, float("nan")])
def test_16_an_order_without_a_stop_or_a_size_is_rejected_too(stop: float) -> None:
    none = traded([B0, B1, B1, B1], plan(stop=stop))
    assert (none.trades, none.rejected["no_stop_distance"]) == ([], 1)
    small = traded([B0, B1, B1, B1], plan(), equity=10, sz_decimals=0)
    assert (small.trades, small.rejected["zero_size"]) == ([], 1)


@pytest.mark.spec("A7")
def test_17_one_position_at_a_time() -> None:
    assert len(traded([B0, B1, B1, B1], plan(signals=[0, 1])).trades) == 1


@pytest.mark.spec("A7")
def test_17_the_close_of_the_bar_that_ended_a_position_may_signal_again() -> None:
    rows = [B0, (100, 101, 88, 95), (96, 97, 95, 96), (96, 98, 95, 97)]
    first, second = traded(rows, plan(signals=[0, 1, 2])).trades
    assert (first.exit_index, second.entry_index, second.entry_price) == (1, 2, 96)


STRATEGY = {
    "name": "always in",
    "timeframe": "1h",
    "side": "long",
    "foundations": [{"weight": 1, "block": {"type": "roc_momentum", "length": 2, "min_pct": 0.5}}],
    "exits": {"stop": {"type": "stop_pct"}, "take_profit": {"type": "tp_r"}},
}


@pytest.mark.spec("A7")
def test_18_without_a_funding_series_funding_is_0_and_that_is_told() -> None:
    rows = [(100.0 + i, 102.0 + i, 99.0 + i, 101.0 + i) for i in range(8)]
    bars = series(rows)
    result = BarEngine().run(
        Strategy.parse(STRATEGY), bars, costs=Costs(), window=Window(START, START + 8 * HOUR)
    )
    assert (result.kpis.trades > 0, result.kpis.funding) == (True, 0)
    assert "funding_missing" in result.warnings


@pytest.mark.spec("A7")
def test_equity_is_marked_to_each_close_until_what_is_realised_takes_its_place() -> None:
    rows = [B0, (100, 104, 99, 103), (103, 104, 96, 97), (97, 98, 85, 86)]
    assert traded(rows, plan()).equity == [1_000, 1_003, 997, 990]
    assert traded(rows[:3], plan()).equity == [1_000, 1_003, 997]


@pytest.mark.spec("A7")
def test_nothing_fills_on_a_bar_without_trades() -> None:
    late = traded([B0, FLAT, B1, B1], plan(signals=[0, 1]), volume=[1, 0, 1, 1])
    assert only(late).entry_index == 2
    stopped = traded([B0, B1, (89, 89, 89, 89), (95, 96, 94, 95)], plan(), volume=[1, 1, 0, 1])
    assert exit_of(stopped) == (95, "end_of_data", 3)
    time = traded([B0, B1, FLAT, (99, 100, 98, 99)], plan(time_exit=1), volume=[1, 1, 0, 1])
    assert exit_of(time) == (99, "time", 3)
    never = traded([B0, FLAT, FLAT, FLAT], plan(), volume=[1, 0, 0, 0])
    assert (never.trades, never.signal_at_end) == ([], True)


@pytest.mark.spec("A7")
def test_signals_before_the_window_are_no_signals() -> None:
    ledger = traded([B0, B1, B1, B1], plan(signals=[0, 1]), first=1)
    assert (only(ledger).entry_index, len(ledger.equity)) == (2, 3)


@pytest.mark.spec("A7")
def test_a_trade_knows_the_worst_and_the_best_price_it_saw_and_why_it_opened() -> None:
    rows = [B0, (100, 108, 97, 105), (104, 150, 80, 90), B1]
    trade = only(traded(rows, plan(targets=())))
    assert (trade.mae, trade.mfe, trade.r) == (-1, 0.8, -1)  # of the last bar: its open, and 90
    assert trade.blocks == ("by_hand",)


@pytest.mark.spec("A7")
def test_distances_are_of_the_fill_or_of_the_stop() -> None:
    order = Order(-1, Distance(of_fill=0.02), (Target(Distance(amount=1, of_stop=1)),))
    made = Plan(signals=[0], order=lambda _: order)
    ledger = traded([B0, (200, 201, 190, 195), B1, B1], made)
    assert exit_of(ledger) == (195, "target", 1)
    assert only(ledger).stop_distance == 4
    assert TWO_R[0].distance.at(100, stop=10) == 20
