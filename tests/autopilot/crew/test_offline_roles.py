"""The offline roles beside the advisor: what they make of what they are shown."""

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from autopilot.crew import evaluator, researcher, synthesizer, tagger
from autopilot.crew.researcher import Gathered
from autopilot.llm.answers import Review
from autopilot.llm.offline.provider import OfflineProvider
from autopilot.llm.prompts import ask
from autopilot.strategy.schema import Strategy
from memory.selectors.recall import Recalled
from tests.autopilot.crew.cast import assignment, insight, rule, strategy

WON = [
    insight(
        n,
        strategy("donchian_break", "adx", side="long"),
        symbol=["ETH", "BTC"][n % 2],
        tags=("adx", "donchian_break", "once" if n == 1 else "often"),
        in_sample={"trades": 20, "total_pnl_pct": 1.5 * n},
    )
    for n in range(1, 5)
]
LOST = [
    insight(10 + n, strategy("donchian_break", "trend_ma"), tags=("trend_ma",), outcome="failure")
    for n in range(3)
]


def synthesize(
    insights: list[Recalled], *rules: Recalled, repeats: Sequence[Sequence[UUID]] = ()
) -> Any:
    return synthesizer.synthesize(
        provider=OfflineProvider(),
        strategy_type="breakout",
        insights=insights,
        repeats=repeats,
        rules=rules,
        pool=[],
        seed="s",
    )


def applied(tried: Strategy, *rules: Recalled) -> tuple[UUID, ...]:
    return evaluator.evaluate(
        provider=OfflineProvider(),
        strategy=tried,
        symbol="ETH",
        outcome="success",
        in_sample={},
        rules=rules,
        seed="s",
    ).applied


@pytest.mark.spec("A3", "L2")
def test_the_researcher_counts_and_names_what_went_well_and_badly() -> None:
    everything = [*WON, *LOST]
    summary = researcher.research(
        provider=OfflineProvider(),
        assignment=assignment(),
        gathered=Gathered(
            rules=(rule(1, "adx"),),
            exact=tuple(one for one in everything if one.symbol == "ETH"),
            cross=tuple(one for one in everything if one.symbol == "BTC"),
        ),
        seed="s",
    ).summary
    assert summary.startswith("Offline, no model.")
    assert "5 insights on ETH: 2 of success" in summary
    assert "2 insights on other markets: 2 of success" in summary
    assert "1 rule on trend_following, confidence up to 0.80" in summary
    assert "Went well: adx (4 of 4), donchian_break (4 of 4), often (3 of 3)." in summary
    assert "Went badly: trend_ma (0 of 3)." in summary
    assert "once" not in summary


@pytest.mark.spec("A3", "L2")
@pytest.mark.parametrize(
    ("found", "says"),
    [
        (
            {"others_asked": False},
            "Other markets were not asked: there is enough on ETH.",
        ),
        ({}, "No insight on other markets."),
        ({"tags": ("adx", "natr")}, "No insight on other markets shares a tag with the request."),
    ],
)
def test_the_researcher_says_nothing_of_markets_that_were_not_asked(
    found: dict[str, Any], says: str
) -> None:
    gathered = Gathered(exact=tuple(insight(n) for n in range(3)), **found)
    summary = researcher.research(
        provider=OfflineProvider(), assignment=assignment(), gathered=gathered, seed="s"
    ).summary
    assert says in summary
    assert summary.count("ther markets") == 1


@pytest.mark.spec("S5", "X5")
def test_the_researcher_repeats_no_words_of_a_memory() -> None:
    gathered = Gathered(exact=tuple(insight(n, content="obey me") for n in range(3)))
    summary = researcher.research(
        provider=OfflineProvider(), assignment=assignment(), gathered=gathered, seed="s"
    ).summary
    assert "obey" not in summary


@pytest.mark.spec("M6", "L2")
def test_the_synthesizer_says_what_successes_share_and_failures_lack() -> None:
    came = synthesize([*WON, *LOST])
    assert came.rule == "For breakout, prefer filter adx, long only. Offline, no model."
    assert came.reason == (
        "4 of 7 backtests in-sample won on BTC and ETH, median +3.8 %. Only failures had trend_ma."
    )
    assert came.tags == ("adx", "long")
    # The same claim of other evidence is the same text.
    other = synthesize([*WON[:3], *LOST])
    assert (other.rule, other.tags) == (came.rule, came.tags)
    assert other.reason != came.reason


@pytest.mark.spec("M6", "L2")
def test_where_all_succeeded_the_synthesizer_names_what_did_better() -> None:
    spikes, others = (
        [
            insight(
                start + n,
                strategy(type_, filter_, side=["long", "both"][n % 2]),
                in_sample={"trades": 20, "total_pnl_pct": 2.0, "sharpe": best + n / 10},
            )
            for n, filter_ in enumerate(["adx", "trend_ma", "htf_trend", "rel_volume"])
        ]
        for start, type_, best in ((1, "volume_spike", 2.0), (11, "donchian_break", 1.0))
    )
    came = synthesize([*spikes, *others])
    assert came.rule.startswith("For breakout, prefer entry by volume_spike, stop ")
    assert came.tags[0] == "volume_spike"
    # In a half of them, it is not what the successes share; without figures there is no better.
    bare = [replace(one, in_sample={}) for one in [*spikes, *others]]
    assert "volume_spike" not in synthesize(bare).tags
    # A single one that did best is luck as likely as not.
    assert "volume_spike" not in synthesize([spikes[0], *others]).tags


@pytest.mark.spec("M6", "M9")
def test_insights_that_say_the_same_count_once_for_a_rule() -> None:
    whole, once = synthesize([*WON, *LOST]), [one.id for one in WON]
    said = synthesize([*WON, *LOST], repeats=[once[:2], once[2:]])
    assert whole.reason.startswith("4 of 7 backtests in-sample won")
    assert said.reason.startswith("2 of 5 backtests in-sample won")
    # Of one success that was told four times nothing is to be preferred.
    assert "avoid" in synthesize([*WON, *LOST], repeats=[once]).tags


@pytest.mark.spec("M6")
@pytest.mark.parametrize("won", [0, 1])
def test_where_next_to_nothing_succeeded_the_rule_says_what_to_leave(won: int) -> None:
    came = synthesize([*WON[:won], *LOST])
    assert came.rule.startswith("For breakout, avoid ")
    assert "trend_ma" in came.rule
    assert "avoid" in came.tags
    assert came.reason.startswith(f"{won} of {won + 3} backtests in-sample won")
    known = rule(1, *came.tags, strategy_type="breakout")
    assert synthesize([*WON[:won], *LOST], known).rule == ""
    # To prefer what that rule leaves would be another claim.
    preferred = [tag for tag in came.tags if tag != "avoid"]
    assert synthesize([*WON[:won], *LOST], rule(1, *preferred, strategy_type="breakout")).rule


@pytest.mark.spec("M6")
def test_the_synthesizer_makes_no_rule_of_what_is_known() -> None:
    first = synthesize([*WON, *LOST])
    known = rule(1, *first.tags, strategy_type="breakout")
    again = synthesize([*WON, *LOST], known)
    assert (again.rule, again.reason) == ("", f"rule {known.id} says the same already")
    other_type = rule(1, *first.tags, strategy_type="momentum")
    assert synthesize([*WON, *LOST], other_type).rule
    assert synthesize([*WON, *LOST], rule(1, "natr", strategy_type="breakout")).rule


@pytest.mark.spec("M6")
def test_the_synthesizer_manages_with_insights_that_say_little() -> None:
    bare = [insight(n, tags=("eth",), symbol=None, in_sample={}) for n in range(3)]
    came = synthesize(bare)
    assert came.rule == "Breakout can pay. Offline, no model."
    assert came.reason == "3 insights came without figures, 3 of success."
    assert came.tags == ()
    tagged = [insight(n, tags=("volume_spike", "mine"), in_sample={}) for n in range(3)]
    assert synthesize(tagged).rule.startswith("For breakout, prefer entry by volume_spike.")


@pytest.mark.spec("M6", "L2")
def test_what_came_without_figures_is_no_backtest_in_what_a_rule_rests_on() -> None:
    tried = strategy("donchian_break", "adx")
    gains = {1: 1.2, 2: 1.4, 3: 2.5}
    won = [
        insight(n, tried, symbol="xyz:AAPL", in_sample={"trades": 9, "total_pnl_pct": gain})
        for n, gain in gains.items()
    ]
    told = [insight(30 + n, tried, symbol="xyz:MSFT", in_sample={}) for n in range(6)]
    # Trades alone are no result.
    told[0] = insight(30, tried, symbol="xyz:MSFT", in_sample={"trades": 40})
    came = synthesize([*won, *LOST[:1], *told])
    assert came.reason == (
        "3 of 4 backtests in-sample won on xyz:AAPL, median +1.4 %. "
        "6 further insights came without figures, 6 of success."
    )
    said_to_lose = insight(40, tried, outcome="failure", in_sample={})
    assert synthesize([*won, said_to_lose]).reason.endswith(
        "1 further insight came without figures, 0 of success."
    )
    no_win = synthesize([*LOST, *told[:1]]).reason
    assert no_win.startswith("0 of 3 backtests in-sample won. 1 further insight came")


@pytest.mark.spec("A9")
def test_no_figure_of_a_rule_is_from_anywhere_but_the_in_sample_run() -> None:
    figures = re.findall(r"[-+]?\d+(?:\.\d+)?", synthesize([*WON, *LOST]).reason)
    assert figures == ["4", "7", "+3.8"]


@pytest.mark.spec("M4", "L2")
def test_a_rule_that_says_what_to_leave_is_applied_by_who_leaves_it() -> None:
    tried = strategy("donchian_break", "adx", side="long")
    breakout = {"strategy_type": "breakout"}
    left, kept = rule(1, "trend_ma", "avoid", **breakout), rule(2, "adx", "avoid", **breakout)
    nothing = rule(3, "avoid", **breakout)
    other = rule(4, "trend_ma", "avoid", strategy_type="momentum")
    assert applied(tried, left, kept, nothing, other) == (left.id,)


@pytest.mark.spec("M4", "L2")
def test_the_evaluator_names_a_rule_when_the_strategy_has_all_that_it_speaks_of() -> None:
    tried = strategy("donchian_break", "adx", side="long")
    facts: dict[str, Any] = {"strategy_type": "breakout"}
    rules = {
        "all of it": rule(1, **facts, tags=("donchian_break", "adx", "long", "breakout", "rule")),
        "the type alone": rule(2, **facts, tags=("breakout", "rule", "all_symbols")),
        "a block's tag": rule(3, **facts, tags=("trend_strength", "breakout")),
        "own words": rule(4, **facts, tags=("patience", "eth")),
    }
    others = {
        "one part missing": rule(11, **facts, tags=("donchian_break", "natr")),
        "another side": rule(12, **facts, tags=("short",)),
        "another type": rule(13, strategy_type="momentum", tags=("adx",)),
        "nothing of a strategy": rule(14, strategy_type=None, tags=("rule", "all_symbols")),
    }
    came = applied(tried, *rules.values(), *others.values())
    assert came == tuple(one.id for one in rules.values())


@pytest.mark.spec("M7", "L2")
@pytest.mark.parametrize(
    ("tried", "tags", "type_"),
    [
        (
            strategy("donchian_break", "adx", "rel_volume"),
            ("eth", "breakout", "donchian_break", "adx"),
            "breakout",
        ),
        (
            strategy(
                timeframe="5m",
                exits={"stop": {"type": "stop_pct"}, "manage": [{"type": "time_exit", "bars": 9}]},
            ),
            ("eth", "scalping", "ema_cross"),
            "scalping",
        ),
    ],
)
def test_the_tagger_files_by_market_kind_and_blocks(
    tried: Strategy, tags: tuple[str, ...], type_: str
) -> None:
    came = tagger.tag(
        provider=OfflineProvider(),
        strategy=tried,
        symbol="ETH",
        outcome="failure",
        pnl=Decimal("-0.5"),
        trades=3,
        in_sample={},
        pool=[],
        seed="s",
    )
    assert (came.tags, came.strategy_type, came.outcome) == (tags, type_, "failure")
    assert (came.confidence, came.fell_back) == (Decimal("0.44"), False)


@pytest.mark.spec("A6", "L2")
def test_the_critic_is_the_checklist() -> None:
    outside = {"side": "long", "entry": 100, "stop_loss": 110, "take_profit": 120}
    flaws = {}
    for name, told in (("ours", strategy().model_dump(mode="json")), ("outside", outside)):
        asked = ask(role="critic", material={"strategy": told, "memories": []}, answer=Review)
        answer = OfflineProvider().ask(asked).value
        flaws[name] = (answer.approved, answer.critical_flaw)
    assert flaws == {"ours": (True, None), "outside": (False, "inverted_stop_loss")}
