"""The demo's words and figures, for a person and for `--json`."""

import json
import re
from collections.abc import Iterable
from dataclasses import asdict
from decimal import Decimal
from textwrap import wrap
from typing import Any

from config.demo.learning import Learned, Lesson
from config.demo.story import Story
from config.processes import Running
from memory.schemas.answers import WrittenRecordOut

WIDTH = 110
NO_RULE = "  No rule: it takes three insights of a kind."
RULES_LIVE = (
    "     Backtests of later sessions that apply a rule confirm or contradict it: "
    "they raise or lower its confidence, and may end it."
)
MARKER = re.compile(r" *(?:\d+\.|-) ")


def candle_lines(story: Story) -> list[str]:
    """Return where the candles are from, and their span."""
    candles = story.candles
    lines = [f"  {candles.source}", f"  ({candles.why})"]
    for name, bars in candles.bars.items():
        first, last = bars.opened_at[0], bars.opened_at[-1]
        lines.append(
            f"  {name}: {len(bars):,} {candles.timeframe} bars, {first:%Y-%m-%d} to {last:%Y-%m-%d}"
        )
    return lines


def record_line(record: WrittenRecordOut) -> str:
    """Return one line for a published record."""
    boundary = record.run.evidence_boundary if record.run else None
    of = f", boundary {boundary:%m-%d %H:%M}" if boundary else ""
    until = f"{record.expires_at:%m-%d %H:%M} UTC" if record.expires_at else "always"
    return f"  #{record.seq} {record.status}{of}, fresh until {until}\n     {record.content}"


def refusal_lines(story: Story) -> list[str]:
    """Return the two refused links; their answers are alike but for nothing."""
    return [
        f"  {what} link: HTTP {answer['status']} {answer['code']}\n     {answer['error']}"
        for what, answer in story.refusals.items()
    ]


def context_lines(story: Story) -> list[str]:
    """Return each context as the trading role got it: fresh with its body, the rest without."""
    lines = []
    for instrument, context in story.contexts.items():
        lines.append(f"  {instrument} as of {context['as_of']}")
        for one in context["evidence"]:
            body = one.get("content", "(identity only: no content, metadata, tags or links)")
            lines.append(
                f"   - {one['status']:<6} {one['type']} by {one['producer']['name']}, "
                f"expires {one['expires_at']}\n     {body}"
            )
    return lines


def lesson_lines(lesson: Lesson) -> list[str]:
    """Return a session for a person: its window, each iteration, insights and rules."""
    session = lesson.session
    window, mark = session["window"], session["provider"]["mark"]
    start, split, end = (window[name][:10] for name in ("start", "split", "end"))
    lines = [
        "",
        (
            f"  {session['symbol']} {session['timeframe']}, {mark}: seen are {start} to {split}, "
            f"held out to {end}"
        ),
    ]
    insights = {str(one.id): one for one in lesson.insights}
    for turn in session["iterations"]:
        lines += _iteration_lines(turn, insights.get(turn["insight"]), best=session["best"])
    lines += [line for rule in lesson.rules for line in _rule_lines(rule)]
    return [*lines, RULES_LIVE if lesson.rules else NO_RULE]


def _iteration_lines(
    turn: dict[str, Any], insight: Learned | None, *, best: dict[str, Any] | None
) -> list[str]:
    test = turn["backtest"]
    if test is None:
        return [f"  {turn['iteration']}. no backtest: {turn['reason']}"]
    mark = " (the best)" if best and best["iteration"] == turn["iteration"] else ""
    lines = [
        f"  {turn['iteration']}. {test['words']}{mark}",
        f"     in sample: {_kpis(test['in_sample'])}: {test['outcome']}",
        f"     holdout:   {_kpis(test['holdout'])}",
    ]
    if insight is not None:
        lines.append(f"     insight:   {insight.strategy_type}, confidence {_rounded(insight)}")
    return lines


def _kpis(kpis: dict[str, Any]) -> str:
    calmar = "unknown" if kpis["calmar"] is None else f"{kpis['calmar']:.2f}"
    trades = kpis["trades"]
    return (
        f"PnL {kpis['total_pnl_pct']:+.1f} %, drawdown {kpis['max_drawdown_pct']:.1f} %, "
        f"Calmar {calmar}, {trades} {'trade' if trades == 1 else 'trades'}"
    )


def _rule_lines(rule: Learned) -> list[str]:
    return [
        f"  Rule: {rule.content}",
        (
            f"     {rule.symbol or 'all symbols'}, {rule.strategy_type}, confidence "
            f"{_rounded(rule)}; made from {len(rule.origins)} insights"
        ),
        f"     support: {rule.support_text}",
    ]


def _rounded(one: Learned) -> str:
    return f"{Decimal(one.confidence):.2f}"


def wrapped(lines: Iterable[str]) -> list[str]:
    """Return lines of at most WIDTH; what is too long goes on under its beginning."""
    return [part for text in lines for line in text.split("\n") for part in _broken(line)]


def _broken(line: str) -> list[str]:
    marker = MARKER.match(line)
    indent = " " * max(marker.end() if marker else 0, len(line) - len(line.lstrip()) + 2)
    # A figure and its unit stay together.
    parts = wrap(
        line.replace(" %", "\u00a0%"),
        WIDTH,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [part.replace("\u00a0%", " %") for part in parts] or [""]


def host_lines(story: Story) -> list[str]:
    """Return what the MCP host did and got, the search as its model reads it."""
    heard = story.heard
    if heard is None:
        return []
    written = heard.written
    return [
        f"  tools: {', '.join(heard.tools)}",
        f"  write_memory: #{written['seq']} {written['status']}, {written['content']}",
        f"  get_instrument_context: {len(heard.context['evidence'])} records as evidence",
        "  search_agent_memory:",
        *(f"    {line}" for line in heard.found.splitlines()),
    ]


def closing_lines(story: Story, web: Running, bridge: Running) -> list[str]:
    """Return where to go on from here."""
    names = ",".join(story.candles.instruments)
    return [
        f"Web:    {web.url}/ (admin at /admin/, API reference at /api/v1/docs/)",
        f"MCP:    {bridge.url}/mcp",
        f"Log in: demo / {story.password} (new at each demo)",
        f"Agent:  {story.ours.agent.id}",
        f"Tokens: .venv/bin/python manage.py setup_agent demo --user demo --instruments {names}",
        "Stop:   make stop",
    ]


def figures(
    story: Story, web: Running, worker: Running, bridge: Running, *, seconds: float
) -> dict[str, Any]:
    """Return the object of `--json`."""
    return {
        "candles": {
            "source": story.candles.source,
            "why": story.candles.why,
            "timeframe": story.candles.timeframe,
            "bars": {name: len(bars) for name, bars in story.candles.bars.items()},
            "last_bar_opened_at": {
                name: bars.opened_at[-1].isoformat() for name, bars in story.candles.bars.items()
            },
        },
        "agent": str(story.ours.agent.id),
        "records": [json.loads(record.model_dump_json()) for record in story.records],
        "late_record": json.loads(story.late.model_dump_json()) if story.late else None,
        "refusals": story.refusals,
        "contexts": story.contexts,
        "statuses": {
            name: [one["status"] for one in context["evidence"]]
            for name, context in story.contexts.items()
        },
        "web": {"url": web.url, "pid": web.pid, "user": "demo", "password": story.password},
        "worker": {"pid": worker.pid},
        "sessions": [_lesson(lesson) for lesson in story.lessons],
        "bridge": {"url": f"{bridge.url}/mcp", "pid": bridge.pid},
        "host": asdict(story.heard) if story.heard else None,
        "seconds": round(seconds, 1),
        "offline_analyst": True,
    }


def _lesson(lesson: Lesson) -> dict[str, Any]:
    return {
        **lesson.session,
        "insights": [one.as_json() for one in lesson.insights],
        "rules": [one.as_json() for one in lesson.rules],
    }
