"""Pages of backtests: a strategy in words, and what it would have done in both windows."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from autopilot.admin.parts import figure, lines, memories, percent, short
from autopilot.models import Backtest, Judgement, Session
from autopilot.session.reading import in_words
from memory.admin.base import (
    NOTHING,
    ReadOnly,
    json_block,
    link_to,
    moment,
    table,
    utc,
    visible,
)

TRADES_SHOWN = 100
FIRST = ("trades", "total_pnl_pct", "max_drawdown_pct", "calmar", "sharpe", "sortino", "win_rate")
"""Figures by which a strategy is judged; jsonb keeps no order of its own."""
WINDOWS = {"in_sample": "in sample", "holdout": "holdout"}


@admin.register(Backtest)
class BacktestAdmin(ReadOnly[Backtest]):
    """Backtests, newest first. They never change."""

    list_display = (
        *(utc("created_at"), "market", "strategy_type", "outcome"),
        *("pnl_in_sample", "pnl_in_holdout", "verdict", "session_link", "agent"),
    )
    list_filter = ("outcome", "verdict", "strategy_type", "timeframe", "created_at", "agent")
    list_select_related = ("agent",)
    search_fields = ("=instrument__id", "strategy_type")
    search_help_text = "An instrument's whole name, a strategy type, or an id."
    ordering = ("-id",)
    sortable_by = ()
    fieldsets = (
        (
            None,
            {"fields": ("id", "agent", "session_link", "iteration", "market")},
        ),
        (
            "What was tried",
            {"fields": ("words", "strategy_type", "strategy_text", "config_digest")},
        ),
        (
            "What it would have done",
            {"fields": ("windows", "figures", "outcome", "verdict", "judgements", "trade_table")},
        ),
        (
            "By what",
            {
                "fields": (
                    *("engine", "engine_version", "data_source", "data_digest"),
                    *("warning_list", utc("created_at")),
                )
            },
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Backtest]:
        """Leave the long lists where they are until a page asks for them."""
        return super().get_queryset(request).defer("trades", "equity", "strategy")

    @admin.display(description="market")
    def market(self, test: Backtest) -> str:
        """The instrument's canonical name, and the timeframe of the bars."""
        return f"{test.instrument_id} {test.timeframe}"

    @admin.display(description="session")
    def session_link(self, test: Backtest) -> SafeString:
        """Link to the session that ran it."""
        return link_to(Session, test.session_id, short(test.session_id))

    @admin.display(description="PnL in sample")
    def pnl_in_sample(self, test: Backtest) -> str:
        """In percent of the first equity."""
        return percent(test.in_sample.get("total_pnl_pct"))

    @admin.display(description="PnL in the holdout")
    def pnl_in_holdout(self, test: Backtest) -> str:
        """In percent of the first equity."""
        return percent(test.holdout.get("total_pnl_pct"))

    @admin.display(description="in words")
    def words(self, test: Backtest) -> str:
        """The strategy, for people."""
        return visible(in_words(test.strategy))

    @admin.display(description="strategy")
    def strategy_text(self, test: Backtest) -> SafeString:
        """The strategy, as it was run."""
        return json_block(test.strategy)

    @admin.display(description="SHA-256 of the configuration")
    def config_digest(self, test: Backtest) -> str:
        """Equal configurations have an equal one."""
        return bytes(test.config_hash).hex()

    @admin.display(description="SHA-256 of the bars")
    def data_digest(self, test: Backtest) -> str:
        """Equal bars have an equal one."""
        return bytes(test.data_hash).hex()

    @admin.display(description="windows (UTC)")
    def windows(self, test: Backtest) -> SafeString:
        """What advisors saw, and what was held out."""
        start, split = moment(test.window_start), moment(test.window_split)
        rows = (("in sample", start, split), ("holdout", split, moment(test.window_end)))
        return table(("part", "from", "until before"), rows)

    @admin.display(description="figures")
    def figures(self, test: Backtest) -> SafeString:
        """Each figure in both windows."""
        stored = dict.fromkeys((*test.in_sample, *test.holdout))
        names = [name for name in FIRST if name in stored]
        names += [name for name in stored if name not in FIRST]
        rows = (
            (visible(name), figure(test.in_sample.get(name)), figure(test.holdout.get(name)))
            for name in names
        )
        return table(("figure", *WINDOWS.values()), rows)

    @admin.display(description="rules judged by it")
    def judgements(self, test: Backtest) -> SafeString:
        """Each rule that it confirmed or contradicted, once."""
        rows = Judgement.objects.filter(agent_id=test.agent_id, backtest_id=test.pk)
        cells = (
            (memories([row.rule_id]), row.verdict, moment(row.at))
            for row in rows.order_by("rule_id")
        )
        return table(("rule", "verdict", "when (UTC)"), cells)

    @admin.display(description=f"trades, the first {TRADES_SHOWN}")
    def trade_table(self, test: Backtest) -> SafeString:
        """Each position from entry to exit."""
        head = ("part", "side", "entered (UTC)", "at", "left (UTC)", "at", "by", "PnL", "R")
        return table(head, (_trade(trade) for trade in test.trades[:TRADES_SHOWN]))

    @admin.display(description="warnings")
    def warning_list(self, test: Backtest) -> str:
        """What the engine was not sure of."""
        return lines(_warning(one) for one in test.warnings)


def _warning(one: Any) -> str:
    if not isinstance(one, dict):
        return str(one)
    return f"{one.get('code')} ({WINDOWS.get(one.get('window', ''), NOTHING)})"


def _trade(trade: dict[str, Any]) -> tuple[str, ...]:
    def said(name: str) -> str:
        return visible(str(trade.get(name, NOTHING)))

    def when(name: str) -> str:
        return said(name)[:19].replace("T", " ")

    window = WINDOWS.get(trade.get("window", ""), NOTHING)
    entry, exit_ = figure(trade.get("entry_price")), figure(trade.get("exit_price"))
    pnl, r = figure(trade.get("pnl")), figure(trade.get("r"))
    times = when("entry_at"), when("exit_at")
    return (window, said("side"), times[0], entry, times[1], exit_, said("reason"), pnl, r)
