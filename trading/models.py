"""Market data, which belongs to nobody, and the indicator runs of agents."""

import math

from django.db import models

from memory.ids import new_id
from memory.models import Agent, Instrument, Run
from memory.policies.timeframes import TIMEFRAMES

Q, F = models.Q, models.F


class Candle(models.Model):
    """One closed bar. `opened_at` is UTC; its close is `opened_at` + timeframe, never stored."""

    pk = models.CompositePrimaryKey("instrument_id", "timeframe", "opened_at")
    # The primary key leads with the instrument: an index of its own would only cost.
    instrument = models.ForeignKey(
        Instrument, on_delete=models.PROTECT, related_name="candles", db_index=False
    )
    timeframe = models.CharField(max_length=4, choices=[(t, t) for t in TIMEFRAMES])
    opened_at = models.DateTimeField()
    open = models.FloatField()
    high = models.FloatField()
    low = models.FloatField()
    close = models.FloatField()
    volume = models.FloatField()
    source = models.CharField(max_length=40)
    imported_at = models.DateTimeField()

    class Meta:
        db_table = "trading_candle"
        constraints = [
            models.CheckConstraint(
                condition=Q(timeframe__in=list(TIMEFRAMES)), name="candle_timeframe_known"
            ),
            # PostgreSQL sorts NaN above infinity: this refuses both, and with
            # candle_high_highest in every other price too.
            models.CheckConstraint(condition=Q(high__lt=math.inf), name="candle_high_finite"),
            models.CheckConstraint(
                condition=Q(high__gte=F("open")) & Q(high__gte=F("close")),
                name="candle_high_highest",
            ),
            models.CheckConstraint(
                condition=Q(low__lte=F("open")) & Q(low__lte=F("close")),
                name="candle_low_lowest",
            ),
            models.CheckConstraint(condition=Q(low__gt=0), name="candle_price_positive"),
            models.CheckConstraint(
                condition=Q(volume__gte=0) & Q(volume__lt=math.inf), name="candle_volume_valid"
            ),
            models.CheckConstraint(condition=~Q(source=""), name="candle_source_named"),
        ]

    def __str__(self) -> str:
        return f"{self.instrument_id} {self.timeframe} {self.opened_at:%Y-%m-%dT%H:%M}"


class SpotPair(models.Model):
    """The tokens of a spot market, since `@107` does not say that it is HYPE/USDC."""

    instrument = models.OneToOneField(
        Instrument, on_delete=models.PROTECT, primary_key=True, related_name="spot_pair"
    )
    base = models.CharField(max_length=64)
    quote = models.CharField(max_length=64)

    class Meta:
        db_table = "trading_spot_pair"
        constraints = [
            models.CheckConstraint(
                condition=~Q(base="") & ~Q(quote=""), name="spot_pair_tokens_named"
            )
        ]

    def __str__(self) -> str:
        return f"{self.base}/{self.quote}"


class FundingRate(models.Model):
    """What longs paid to shorts per hour at a funding stamp, as a fraction of the notional."""

    pk = models.CompositePrimaryKey("instrument_id", "at")
    instrument = models.ForeignKey(
        Instrument, on_delete=models.PROTECT, related_name="funding_rates", db_index=False
    )
    at = models.DateTimeField()
    rate = models.FloatField()

    class Meta:
        db_table = "trading_funding_rate"
        constraints = [
            models.CheckConstraint(
                condition=Q(rate__gt=-math.inf) & Q(rate__lt=math.inf), name="funding_rate_finite"
            )
        ]

    def __str__(self) -> str:
        return f"{self.instrument_id} {self.at:%Y-%m-%dT%H:%M} {self.rate}"


class IndicatorRun(models.Model):
    """One computation of indicators over stored bars, which a handoff quotes by id (SPEC H3, A12).

    It is evidence: a trigger refuses every change. `bars` holds `count` and, for the `first` and
    the `last` bar used, `bar_index`, `opened_at` and `closed_at`; `values` are of the last bar.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="indicator_runs")
    run = models.ForeignKey(
        Run,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        db_constraint=False,
        db_index=False,
        related_name="indicator_runs",
        help_text="The producer's run that computed it.",
    )
    instrument = models.ForeignKey(
        Instrument, on_delete=models.PROTECT, related_name="indicator_runs", db_index=False
    )
    timeframe = models.CharField(max_length=4, choices=[(t, t) for t in TIMEFRAMES])
    computed_at = models.DateTimeField()
    engine = models.CharField(max_length=40, help_text="Library and version, e.g. ta-lib 0.8.2.")
    indicators = models.JSONField(help_text="A list of name, function and parameters.")
    bars = models.JSONField(help_text="count, and bar_index, opened_at, closed_at of two bars.")
    values = models.JSONField(help_text="Name to number, at the last bar.")
    data_source = models.CharField(max_length=120, help_text="Where the bars came from.")

    class Meta:
        db_table = "trading_indicator_run"
        constraints = [
            models.UniqueConstraint(fields=["agent", "id"], name="indicator_run_agent_id"),
            models.CheckConstraint(
                condition=Q(timeframe__in=list(TIMEFRAMES)), name="indicator_run_timeframe_known"
            ),
            models.CheckConstraint(condition=~Q(engine=""), name="indicator_run_engine_named"),
        ]
        indexes = [
            models.Index("agent", "run", name="indicator_run_of_run"),
            models.Index(
                "agent", "instrument", F("computed_at").desc(), name="indicator_run_recent"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.instrument_id} {self.timeframe} {self.computed_at:%Y-%m-%dT%H:%M}"
