"""Canonical Hyperliquid markets, and which agent has chosen them since when."""

from django.db import models

from memory.ids import new_id
from memory.models.agents import Agent


class Instrument(models.Model):
    """A market under its canonical name: `ETH`, `PURR/USDC`, `@107`, `xyz:TSLA` (its key).

    Public data, no owner. A delisted one stays, inactive: history refers to it (SPEC R3).
    """

    class Kind(models.TextChoices):
        PERPETUAL = "perpetual"
        SPOT = "spot"

    id = models.CharField("canonical name", primary_key=True, max_length=64)
    kind = models.CharField(max_length=10, choices=Kind)
    dex = models.CharField(max_length=32, blank=True, help_text="Empty: the main dex.")
    asset_id = models.PositiveIntegerField(null=True, blank=True)
    sz_decimals = models.PositiveSmallIntegerField(default=0)
    max_leverage = models.PositiveSmallIntegerField(null=True, blank=True)
    only_isolated = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    source = models.CharField(max_length=40)
    seen_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~models.Q(id=""), name="instrument_named"),
            models.CheckConstraint(
                condition=models.Q(kind__in=["perpetual", "spot"]), name="instrument_kind_known"
            ),
        ]

    def __str__(self) -> str:
        return self.id


class Selection(models.Model):
    """That an agent has chosen an instrument, from `selected_at` until before `deselected_at`.

    It ends at most once, and overlaps with no other of its instrument: a trigger sees to it.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    agent = models.ForeignKey(
        Agent, on_delete=models.PROTECT, related_name="selections", db_index=False
    )
    instrument = models.ForeignKey(
        Instrument, on_delete=models.PROTECT, related_name="selections", db_index=False
    )
    selected_at = models.DateTimeField()
    deselected_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint("agent", "id", name="selection_agent_id"),
            models.UniqueConstraint(
                fields=["agent", "instrument"],
                condition=models.Q(deselected_at__isnull=True),
                name="selection_open_once",
            ),
            models.CheckConstraint(
                condition=models.Q(deselected_at__isnull=True)
                | models.Q(deselected_at__gt=models.F("selected_at")),
                name="selection_period_forward",
            ),
        ]
        indexes = [
            models.Index("agent", "instrument", "selected_at", name="selection_period"),
        ]

    def __str__(self) -> str:
        return f"{self.instrument_id} since {self.selected_at:%Y-%m-%d}"
