"""The offline advisor: repeatable, never twice the same, allowed, and better with memory."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from autopilot.crew import advisor
from autopilot.crew.advisor import Found, Recommendation
from autopilot.crew.catalogue import catalogue
from autopilot.crew.material import Assignment, Tried
from autopilot.crew.researcher import Gathered
from autopilot.llm.offline.provider import OfflineProvider
from autopilot.strategy.base import TIMEFRAMES
from autopilot.strategy.critic import review
from autopilot.strategy.identity import config_hash
from autopilot.strategy.restrictions import violations
from autopilot.strategy.schema import Strategy
from memory.selectors.recall import Recalled
from tests.autopilot.crew.cast import ALL_DATA, assignment, insight, rule, strategy

DATA = [frozenset[str](), frozenset({"volume"}), ALL_DATA]
SEEDS = 150


def advise(
    asked: Assignment,
    *,
    seed: str,
    iteration: int = 2,
    memories: Sequence[Recalled] = (),
    rules: Sequence[Recalled] = (),
    best: Sequence[Tried] = (),
    **given: Any,
) -> Recommendation:
    return advisor.advise(
        provider=OfflineProvider(),
        assignment=asked,
        summary="",
        rules=rules,
        found=Found(exact=tuple(memories)),
        best=best,
        tried=given.pop("tried", [config_hash(one.strategy) for one in best]),
        iteration=iteration,
        seed=seed,
        **given,
    )


def session(asked: Assignment, *, seed: str, iterations: int = 30) -> Iterator[Strategy]:
    """Yield what a session without any memory tries; every third is its best so far."""
    tried: list[str] = []
    best: list[Tried] = []
    for iteration in range(1, iterations + 1):
        told = advise(asked, seed=seed, iteration=iteration, best=best, tried=tried)
        proposed = Strategy.parse(told.strategy)
        tried.append(config_hash(proposed))
        if iteration % 3 == 0:
            best = [Tried(iteration=iteration, strategy=proposed, outcome="success", in_sample={})]
        yield proposed


def foundations(memories: Sequence[Recalled], *, iteration: int = 2, **given: Any) -> Counter[str]:
    """Return how often each foundation is proposed, over many seeds."""
    counts: Counter[str] = Counter()
    for seed in range(SEEDS):
        told = advise(
            assignment(), seed=f"s{seed}", iteration=iteration, memories=memories, **given
        )
        counts[Strategy.parse(told.strategy).foundations[0].block.type] += 1
    return counts


@pytest.mark.spec("L2", "A5")
@pytest.mark.parametrize("timeframe", TIMEFRAMES)
@pytest.mark.parametrize("pro", [False, True])
@pytest.mark.parametrize("available", DATA, ids=len)
def test_all_that_a_session_tries_is_allowed_sound_and_new(
    timeframe: str, pro: bool, available: frozenset[str]
) -> None:
    asked = assignment(timeframe=timeframe, pro=pro, available=available)
    tried = list(session(asked, seed="one"))
    assert len({config_hash(one) for one in tried}) == 30
    for one in tried:
        assert one.timeframe == timeframe
        assert violations(one, pro=pro, available=available) == []
        assert review(one).approved


@pytest.mark.spec("L2")
def test_the_same_session_replays_the_same_and_another_does_not() -> None:
    asked = assignment()
    first, again, other = (list(session(asked, seed=seed)) for seed in ("one", "one", "two"))
    assert first == again
    assert first != other
    one, same = (advise(asked, seed="one", memories=[insight(1, strategy())]) for _ in range(2))
    assert one == same


@pytest.mark.spec("L2", "A4")
def test_memory_that_favours_a_foundation_has_it_proposed_more_often() -> None:
    won = [insight(n, strategy("donchian_break"), confidence=Decimal("0.9")) for n in range(8)]
    lost = [
        insight(20 + n, strategy(type_), outcome="failure")
        for n, type_ in enumerate(["ema_cross", "rsi_reversal", "band_reversal"] * 3)
    ]
    off, on = foundations([]), foundations([*won, *lost])
    assert on["donchian_break"] > 2 * off["donchian_break"]
    assert on["donchian_break"] > SEEDS / 3
    for type_ in ("ema_cross", "rsi_reversal", "band_reversal"):
        assert on[type_] < off[type_]


@pytest.mark.spec("L2")
def test_without_memory_it_explores_evenly() -> None:
    counts = foundations([])
    fair = SEEDS / 8
    assert len(counts) == 8  # squeeze_break needs pro
    assert all(fair / 3 < number < fair * 3 for number in counts.values())


@pytest.mark.spec("L2")
def test_of_two_that_succeeded_the_better_one_is_proposed_more_often() -> None:
    won = [
        insight(2 * n + at, strategy(type_), in_sample={"trades": 20, "sharpe": sharpe + n / 100})
        for n in range(8)
        for at, (type_, sharpe) in enumerate([("donchian_break", 2.0), ("macd_cross", 1.0)])
    ]
    alike = [replace(one, in_sample={}) for one in won]
    on, off = foundations(won), foundations(alike)
    assert on["donchian_break"] > 1.5 * on["macd_cross"]
    assert off["donchian_break"] < 1.5 * off["macd_cross"]


@pytest.mark.spec("L2", "M4")
def test_a_rule_that_was_borne_out_counts_for_what_it_names_and_one_that_was_not_against() -> None:
    borne_out = rule(1, "retest_level", validated_count=6)
    refuted = rule(2, "macd_cross", validated_count=-6)
    off, on = foundations([]), foundations([], rules=[borne_out, refuted])
    assert on["retest_level"] > 2 * off["retest_level"]
    assert on["macd_cross"] < off["macd_cross"] / 2


@pytest.mark.spec("L2", "M4")
def test_a_rule_that_says_what_to_leave_counts_against_that_and_nothing_else() -> None:
    left = rule(1, "macd_cross", "avoid", "momentum", strategy_type="momentum", validated_count=6)
    off, on = foundations([]), foundations([], rules=[left])
    assert on["macd_cross"] < off["macd_cross"] / 2
    assert on["roc_momentum"] > off["roc_momentum"] / 2


@pytest.mark.spec("L2")
def test_the_setting_that_won_is_preferred_to_others_of_its_type() -> None:
    slow = {"type": "ema_cross", "fast": 21, "slow": 90}
    won = [insight(n, strategy(slow)) for n in range(10)]
    settings: Counter[int] = Counter()
    for seed in range(SEEDS):
        told = advise(assignment(), seed=str(seed), memories=won)
        block = Strategy.parse(told.strategy).foundations[0].block
        if block.type == "ema_cross":
            settings[block.slow] += 1
    assert settings[80] > 2 * max(settings[48], settings[21])


@pytest.mark.spec("L2")
def test_newer_insights_weigh_more_than_older_ones() -> None:
    mixed = [
        insight(n, strategy("donchian_break"), outcome="success" if n < 30 else "failure")
        for n in range(60)
    ]
    turned = [
        insight(n, strategy("donchian_break"), outcome="failure" if n < 30 else "success")
        for n in range(60)
    ]
    assert foundations(turned)["donchian_break"] > foundations(mixed)["donchian_break"]


@pytest.mark.spec("L2", "A8")
def test_odd_iterations_change_one_dimension_of_the_best_so_far() -> None:
    base = strategy("retest_level", "adx", side="long")
    best = [Tried(iteration=1, strategy=base, outcome="success", in_sample={"calmar": 2.0})]
    changed: Counter[str] = Counter()
    for seed in range(SEEDS):
        told = advise(assignment(), seed=str(seed), iteration=3, best=best)
        new = Strategy.parse(told.strategy)
        parts = {
            "foundation": (new.foundations, base.foundations),
            "filters": (new.filters, base.filters),
            "stop": (new.exits.stop, base.exits.stop),
            "target": (new.exits.take_profit, base.exits.take_profit),
            "side": (new.side, base.side),
        }
        (name,) = [name for name, (one, other) in parts.items() if one != other]
        assert f"another {name}" in told.text
        assert (new.sizing, new.exits.manage) == (base.sizing, base.exits.manage)
        changed[name] += 1
    assert set(changed) == {"foundation", "filters", "stop", "target", "side"}
    even = advise(assignment(), seed="1", iteration=4, best=best)
    assert "another" not in even.text


@pytest.mark.spec("A8", "L2")
def test_what_a_model_built_of_several_parts_survives_a_change_of_one() -> None:
    base = strategy(
        foundations=[
            {"weight": 0.6, "block": {"type": "ema_cross"}},
            {"weight": 0.6, "block": {"type": "macd_cross"}},
        ],
        entry_threshold=1.2,
        exits={
            "stop": {"type": "stop_atr"},
            "partials": [{"target": {"type": "tp_r"}, "fraction": 0.5}],
            "manage": [{"type": "time_exit", "bars": 30}],
        },
    )
    best = [Tried(iteration=1, strategy=base, outcome="success", in_sample={})]
    for seed in range(40):
        told = advise(assignment(), seed=str(seed), iteration=3, best=best)
        new = Strategy.parse(told.strategy)
        assert new.exits.manage == base.exits.manage
        assert new.exits.partials == base.exits.partials
        if new.foundations == base.foundations:
            assert new.entry_threshold == base.entry_threshold


@pytest.mark.spec("A5", "L2")
def test_a_correction_leaves_out_what_was_refused() -> None:
    asked = assignment()
    for seed in range(40):
        first = Strategy.parse(advise(asked, seed=str(seed)).strategy)
        refused = [block.type for _, block in first.blocks()]
        feedback = [{"path": "filters[0]", "type": t, "code": "kline_only"} for t in refused]
        told = advise(asked, seed=str(seed), correction=1, feedback=feedback)
        again = {block.type for _, block in Strategy.parse(told.strategy).blocks()}
        assert not again & set(refused)
        assert "Avoids what was refused" in told.text


@pytest.mark.spec("A5")
def test_feedback_of_any_form_is_survived() -> None:
    feedback: list[dict[str, Any]] = [
        {"code": "already_tried", "message": "…"},
        {"path": "timeframe", "type": None},
        {"type": ["stop_atr"]},
        *({"type": type_} for type_ in ("stop_atr", "stop_pct", "stop_swing")),
    ]
    told = advise(assignment(), seed="x", feedback=feedback)
    assert Strategy.parse(told.strategy).exits.stop.type.startswith("stop_")


@pytest.mark.spec("L2")
def test_its_text_says_what_it_is_and_names_the_memories_it_rests_on() -> None:
    won = [insight(n, strategy("donchian_break", "adx")) for n in range(3)]
    lost = insight(9, strategy("donchian_break"), outcome="failure")
    named = rule(1, "donchian_break", validated_count=3)
    for seed in range(40):
        told = advise(assignment(), seed=str(seed), memories=[*won, lost], rules=[named])
        assert told.text.startswith("Offline advisor, no model.")
        assert told.ignored == ()
        assert lost.id not in told.used
        if Strategy.parse(told.strategy).foundations[0].block.type == "donchian_break":
            assert {*(one.id for one in won), named.id} <= set(told.used)
        for id_ in told.used:
            assert str(id_) in told.text
    nothing = advise(assignment(), seed="1")
    assert nothing.used == ()
    assert "it explores" in nothing.text


@pytest.mark.spec("L2")
def test_when_everything_was_tried_it_says_so_and_proposes_nothing() -> None:
    seen: set[str] = set()
    # All filters and most of the rest are refused, so the space can be gone through.
    kept = {"ema_cross", "stop_atr", "tp_r"}
    groups = catalogue(timeframe="1d", pro=False, available=frozenset())
    feedback = [
        {"type": block["type"]}
        for blocks in groups.values()
        for block in blocks
        if block["type"] not in kept
    ]
    asked = assignment(timeframe="1d", available=frozenset())
    for turn in range(400):
        told = advise(asked, seed=str(turn), tried=sorted(seen), feedback=feedback)
        if told.strategy is None:
            break
        new = config_hash(Strategy.parse(told.strategy))
        assert new not in seen
        seen.add(new)
    assert told.strategy is None
    assert "was tried" in told.text
    assert len(seen) == 3 * 3 * 3 * 3  # settings of entry, stop and target, and three sides


@pytest.mark.spec("A4", "L2")
def test_turn_0_searches_for_the_market_and_for_what_drew_best() -> None:
    won = tuple(insight(n, strategy("rsi_reversal", "adx")) for n in range(12))
    counts: Counter[str] = Counter()
    for seed in range(SEEDS):
        chosen = advisor.select_tags(
            provider=OfflineProvider(),
            assignment=assignment(),
            gathered=Gathered(exact=won),
            summary="",
            pool=["adx", "eth"],
            iteration=1,
            seed=str(seed),
        )
        assert chosen.tags[0] == "eth"
        assert (chosen.symbol, chosen.fell_back) == ("ETH", False)
        counts.update(chosen.tags)
    assert counts["rsi_reversal"] > SEEDS / 3
    assert counts["mean_reversion"] >= counts["rsi_reversal"]
    assert counts["adx"] > SEEDS / 3


@pytest.mark.spec("L2")
def test_memories_that_are_no_strategies_of_ours_break_nothing() -> None:
    odd = [
        insight(1, config={"legacy": True}),
        insight(2, config=None, tags=("adx", "retest_level")),
        insight(3, outcome=None),
        insight(4, config={"foundations": [{}], "timeframe": "1w"}, outcome="failure"),
        insight(5, strategy("ema_cross", timeframe="5m")),
        rule(6, validated_count=0),
        rule(7, strategy_type=None, tags=()),
    ]
    told = advise(assignment(), seed="1", memories=odd)
    assert told.strategy is not None
    tagged = foundations([insight(n, tags=("retest_level",)) for n in range(8)])
    assert tagged["retest_level"] > 2 * foundations([])["retest_level"]
