"""What a strategy would have done, on the bars that a session gave it and on its holdout."""

from django.db import models

from autopilot.models.sessions import Session
from memory.ids import new_id
from memory.models import Agent, Instrument
from memory.policies.timeframes import TIMEFRAMES
from memory.policies.vocabulary import OUTCOMES

VERDICTS = ("confirms", "contradicts", "neither")

Q, F = models.Q, models.F


class Backtest(models.Model):
    """One finished backtest (SPEC A7, A9). It never changes.

    `in_sample` and `holdout` are the KPIs of the two windows: [start, split) and [split, end) on
    `opened_at`. `outcome` is of the in-sample one (SPEC M1); `verdict` is what it says of the rules
    that were applied (SPEC M11). `trades` and `equity` are lists over both windows, with
    `window` naming which. Nothing of the holdout may be shown to a model.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    agent = models.ForeignKey(
        Agent, on_delete=models.PROTECT, related_name="backtests", db_index=False
    )
    session = models.ForeignKey(
        Session,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="backtests",
    )
    iteration = models.SmallIntegerField()
    instrument = models.ForeignKey(
        Instrument, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    timeframe = models.CharField(max_length=4, choices=[(t, t) for t in TIMEFRAMES])
    window_start = models.DateTimeField()
    window_split = models.DateTimeField()
    window_end = models.DateTimeField()
    strategy = models.JSONField(help_text="The strategy as its model dumps it.")
    strategy_type = models.CharField(max_length=20)
    config_hash = models.BinaryField(max_length=32)
    data_hash = models.BinaryField(max_length=32)
    data_source = models.CharField(max_length=120)
    engine = models.CharField(max_length=40)
    engine_version = models.CharField(max_length=20)
    in_sample = models.JSONField()
    holdout = models.JSONField()
    outcome = models.CharField(max_length=7, choices=[(o, o) for o in OUTCOMES])
    verdict = models.CharField(max_length=11, choices=[(v, v) for v in VERDICTS])
    trades = models.JSONField(default=list)
    equity = models.JSONField(default=list)
    warnings = models.JSONField(default=list)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint("agent", "id", name="backtest_agent_id"),
            models.UniqueConstraint("session", "iteration", name="backtest_of_iteration"),
            models.CheckConstraint(
                condition=Q(outcome__in=list(OUTCOMES)), name="backtest_outcome"
            ),
            models.CheckConstraint(
                condition=Q(verdict__in=list(VERDICTS)), name="backtest_verdict"
            ),
            models.CheckConstraint(
                condition=Q(window_start__lt=F("window_split"), window_split__lt=F("window_end")),
                name="backtest_window_forward",
            ),
            models.CheckConstraint(
                condition=Q(config_hash__length=32, data_hash__length=32), name="backtest_hashes"
            ),
        ]

    def __str__(self) -> str:
        return f"backtest {self.id}"
