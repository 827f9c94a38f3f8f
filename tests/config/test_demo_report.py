"""What the demo prints of a session: each strategy once, in lines that fit a terminal."""

from typing import Any
from uuid import UUID

import pytest

from autopilot.learning.support import Support
from config.demo.learning import Learned, Lesson, progress
from config.demo.report import WIDTH, lesson_lines, wrapped

KPIS = {"total_pnl_pct": 3.42, "max_drawdown_pct": 5.1, "calmar": None, "trades": 3}
WORDS = "Long, 1d: " + "a broken 24-bar high holds within 0.5 ATR; " * 4
SUPPORT = Support(distinct_configs=6, sessions=4, profitable_holdouts=1, variants_tried=15)


def learned(number: int, type_: str, **facts: Any) -> Learned:
    whole = {
        "symbol": "xyz:AAPL",
        "outcome": "success",
        "validated_count": 0,
        "confidence": "0.62",
        "strategy_type": "breakout",
        "content": "For breakout, prefer filter adx. 3 of 3 backtests won. Offline, no model.",
    }
    return Learned(id=UUID(int=number), type=type_, **{**whole, **facts})


def lesson(*rules: Learned) -> Lesson:
    """Return a session of two iterations, the second without a backtest."""
    held_out = KPIS | {"trades": 1}
    test = {"words": WORDS, "in_sample": KPIS, "holdout": held_out, "outcome": "failure"}
    turns = [
        {"iteration": 1, "backtest": test, "insight": str(UUID(int=1)), "reason": ""},
        {"iteration": 2, "backtest": None, "insight": None, "reason": "no strategy passed"},
    ]
    window = {"start": "2000-03-01T", "split": "2009-04-08T", "end": "2013-03-02T"}
    session = {
        "symbol": "xyz:AAPL",
        "timeframe": "1d",
        "provider": {"mark": "offline advisor, no model"},
        "window": window,
        "iterations": turns,
        "best": {"iteration": 1},
    }
    return Lesson(session=session, insights=[learned(1, "strategy_insight")], rules=list(rules))


@pytest.mark.spec("U1")
def test_a_strategy_is_printed_once_with_its_figures_and_its_insight() -> None:
    rule = learned(9, "rule", symbol=None, origins=[UUID(int=n) for n in range(3)])
    text = "\n".join(lesson_lines(lesson(rule)))
    assert text.count(WORDS) == 1
    assert "offline advisor, no model" in text
    assert text.count("Calmar unknown") == 2
    assert "Calmar unknown, 3 trades: failure\n" in text
    assert "Calmar unknown, 1 trade\n" in text
    assert "insight:   breakout, confidence 0.62" in text
    assert "2. no backtest: no strategy passed" in text
    assert f"Rule: {rule.content}" in text
    assert "all symbols, breakout, confidence 0.62; made from 3 insights" in text
    assert text.count("Backtests of later sessions") == 1
    assert text.endswith("may end it.")
    assert "No rule" in "\n".join(lesson_lines(lesson()))


@pytest.mark.spec("M6", "U1")
def test_support_is_told_as_what_there_is_and_what_is_needed() -> None:
    assert SUPPORT.describe() == (
        "6 configurations (needs 3), 4 sessions (2), 1 profitable holdout on different windows "
        "(2); picked from 15 tried"
    )


@pytest.mark.spec("U1")
def test_long_lines_go_on_under_their_beginning_and_short_ones_stay() -> None:
    first, *rest = wrapped([f"  {WORDS}"])
    assert rest
    assert all(len(line) <= WIDTH for line in (first, *rest))
    assert all(line.startswith("    ") for line in rest)
    assert " ".join([first, *rest]).split() == WORDS.split()
    assert wrapped(["  head\n     body", "    "]) == ["  head", "     body", ""]
    numbered = wrapped([f"  1. {WORDS}"])
    assert all(line.startswith("     ") for line in numbered[1:])
    assert not any(line.strip().startswith("%") for line in wrapped(["12345678 % " * 40]))
    plain = ["", "  short", "Web:    http://127.0.0.1:8000/"]
    assert wrapped(plain) == plain


@pytest.mark.spec("U1")
def test_progress_is_a_few_words_on_memory_and_on_each_iteration() -> None:
    def event(kind: str, step: str) -> dict[str, Any]:
        return {"kind": kind, "step": step, "iteration": 2, "text": WORDS}

    assert progress(event("backtracked", "backtrack")) == "iteration 2 of 5 is done"
    assert progress(event("advised", "advise")) == ""
    assert 0 < len(progress(event("researched", "research"))) <= WIDTH - 30
