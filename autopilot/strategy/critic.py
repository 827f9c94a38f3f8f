"""The critic's checklist as code: what makes a strategy senseless, told by one code (SPEC A6).

It reads any JSON: a strategy of ours, parsed or not, and one from outside that carries absolute
prices (`entry`, `stop_loss`, `take_profit`, `side`). What it does not understand it lets pass:
refusing a wrong shape is the schema's business.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from autopilot.strategy import raw
from autopilot.strategy.contradictions import contradictions
from autopilot.strategy.schema import Strategy

STOP, TARGET = "inverted_stop_loss", "inverted_take_profit"
FILTERS, WEIGHTS = "contradictory_filters", "missing_weights"
CODES = (STOP, TARGET, FILTERS, WEIGHTS)
"""What is critical, in the order in which one of several is named."""

ENTRY_KEYS = ("entry", "entry_price")
STOP_KEYS = ("stop_loss", "stop", "stop_price", "sl")
TARGET_KEYS = ("take_profit", "take_profits", "target", "targets", "tp")
PARTIAL_KEYS = ("partials", "partial_exits")
DISTANCES = ("pct", "mult", "r", "distance")
APPROVED = "The checklist finds no flaw."

Flaw = tuple[str, str]
"""A code and a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the critic says. `critical_flaw` is one of CODES, None when approved.

    `reason` names every flaw, or the remarks of an approved strategy; remarks refuse nothing.
    """

    approved: bool
    reason: str
    critical_flaw: str | None
    remarks: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the answer in its documented shape."""
        return {
            "approved": self.approved,
            "reason": self.reason,
            "critical_flaw": self.critical_flaw,
        }


def review(value: Mapping[str, Any] | Strategy) -> Verdict:
    """Return what the checklist makes of a strategy. Never raises, whatever the JSON is."""
    told = value.model_dump(mode="json") if isinstance(value, Strategy) else raw.mapping(value)
    side = raw.direction_of(told.get("side")) or raw.direction_of(told.get("direction"))
    flaws = [
        *_inverted_prices(told, side=side),
        *_inverted_distances(told),
        *((FILTERS, sentence) for sentence in contradictions(told, side=side)),
        *_missing_weights(told),
    ]
    remarks = tuple(_remarks(told))
    if not flaws:
        reason = " ".join([APPROVED, *(f"Remark: {remark}." for remark in remarks)])
        return Verdict(approved=True, reason=reason, critical_flaw=None, remarks=remarks)
    flaws.sort(key=lambda flaw: CODES.index(flaw[0]))
    reason = "; ".join(dict.fromkeys(sentence for _, sentence in flaws))
    return Verdict(approved=False, reason=reason, critical_flaw=flaws[0][0], remarks=remarks)


def _levels(told: Mapping[Any, Any], keys: tuple[str, ...]) -> list[Decimal]:
    """Return the absolute prices under `keys`, of the strategy itself or of its exits."""
    own = raw.prices(raw.first(told, keys))
    return own or raw.prices(raw.first(raw.mapping(told.get("exits")), keys))


def _inverted_prices(told: Mapping[Any, Any], *, side: int) -> Iterator[Flaw]:
    entries = _levels(told, ENTRY_KEYS)
    if not entries:
        return  # without it, the others may as well be distances
    entry, stops, targets = entries[0], _levels(told, STOP_KEYS), _levels(told, TARGET_KEYS)
    if not side:
        # Either side would do, but only with the stop on one side and the target on the other.
        target_above = [target > entry for target in targets if target != entry]
        side = 1 if not target_above or target_above[0] else -1
        stops = stops if targets else []
    of, below, above = ("long", "below", "above") if side > 0 else ("short", "above", "below")
    if any((entry - stop) * side <= 0 for stop in stops):
        yield STOP, f"the stop of a {of} must be {below} its entry, {entry}"
    if any((target - entry) * side <= 0 for target in targets):
        yield TARGET, f"the target of a {of} must be {above} its entry, {entry}"


def _inverted_distances(told: Mapping[Any, Any]) -> Iterator[Flaw]:
    exits = raw.mapping(told.get("exits"))
    targets = [
        ("exits.take_profit", exits.get("take_profit")),
        *(
            (f"exits.partials[{index}].target", raw.mapping(partial).get("target"))
            for index, partial in enumerate(raw.items(exits.get("partials")))
        ),
    ]
    if _is_inverted(exits.get("stop")):
        yield STOP, "exits.stop: its distance is not above 0"
    for path, target in targets:
        if _is_inverted(target):
            yield TARGET, f"{path}: its distance is not above 0"


def _is_inverted(block: object) -> bool:
    distances = (raw.number(raw.mapping(block).get(name)) for name in DISTANCES)
    return any(distance is not None and distance <= 0 for distance in distances)


def _missing_weights(told: Mapping[Any, Any]) -> Iterator[Flaw]:
    foundations = raw.items(told.get("foundations"))
    if not foundations:
        # A plain signal, an entry price with its levels, weighs nothing.
        if "foundations" in told or not _levels(told, ENTRY_KEYS):
            yield WEIGHTS, "there is no foundation, so nothing can open a position"
        return
    weights = [raw.number(raw.mapping(item).get("weight")) for item in foundations]
    for index, weight in enumerate(weights):
        if weight is None:
            yield WEIGHTS, f"foundations[{index}] has no weight"
        elif weight <= 0:
            yield WEIGHTS, f"foundations[{index}]: its weight is not above 0"
    threshold = raw.number(told.get("entry_threshold", 1))
    known = [weight for weight in weights if weight is not None]
    if threshold is not None and len(known) == len(weights) and sum(known) < threshold:
        yield WEIGHTS, "the weights do not add up to entry_threshold, so it can never enter"


def _remarks(told: Mapping[Any, Any]) -> Iterator[str]:
    exits = raw.mapping(told.get("exits"))
    partials = raw.items(raw.first(exits, PARTIAL_KEYS) or raw.first(told, PARTIAL_KEYS))
    if not partials and not _levels(told, TARGET_KEYS)[1:]:
        yield "no partial exits"
    final = raw.mapping(exits.get("take_profit"))
    for index, partial in enumerate(partials):
        if _is_beyond(raw.mapping(raw.mapping(partial).get("target")), final):
            yield f"partials[{index}] lies at or beyond the take profit, so it never happens"


def _is_beyond(target: Mapping[Any, Any], final: Mapping[Any, Any]) -> bool:
    """Tell whether a target of the same type and length is at `final` or farther away."""
    if any(target.get(key) != final.get(key) for key in ("type", "length")):
        return False
    for name in DISTANCES:
        near, far = raw.number(target.get(name)), raw.number(final.get(name))
        if near is not None and far is not None:
            return near >= far
    return False
