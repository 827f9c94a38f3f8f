"""Indicators by TA-Lib over closed bars, and the stored runs that handoffs quote (H3, A12).

EMA is seeded by a simple mean, BBANDS uses the population standard deviation, and MACD seeds
its fast EMA late, so that early values differ from EMA minus EMA: values are only given once an
indicator has warmed up.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from importlib.metadata import version
from typing import Any

import numpy as np
import talib
from numpy.typing import NDArray

from memory.ids import id_at
from memory.models import Agent, Run
from trading.errors import BadBars, BadIndicator, NotEnoughBars
from trading.market.bars import BarSeries
from trading.models import IndicatorRun

ENGINE = f"ta-lib {version('ta-lib')}"

Values = NDArray[np.float64]
Parameters = Mapping[str, float]

SMOOTHED = 3
"""A smoothed indicator has forgotten its seed after about this many lengths."""
MIN_LENGTH, MAX_LENGTH, MAX_MULT = 2, 500, 20
"""The bounds of the strategy blocks."""


@dataclass(frozen=True, slots=True)
class Function:
    """How a function is called: its columns, its defaults, its outputs, and its warm-up."""

    call: Callable[..., Any]
    columns: tuple[str, ...]
    defaults: Parameters
    outputs: tuple[str, ...]
    warmup: Callable[[Parameters], float]


def _smoothed(parameters: Parameters) -> float:
    return SMOOTHED * parameters["length"]


CLOSE, RANGE = ("close",), ("high", "low", "close")
FUNCTIONS: dict[str, Function] = {
    "EMA": Function(talib.EMA, CLOSE, {"length": 20}, ("",), _smoothed),
    "RSI": Function(talib.RSI, CLOSE, {"length": 14}, ("",), _smoothed),
    "ATR": Function(talib.ATR, RANGE, {"length": 14}, ("",), _smoothed),
    "NATR": Function(talib.NATR, RANGE, {"length": 14}, ("",), _smoothed),
    "ADX": Function(talib.ADX, RANGE, {"length": 14}, ("",), _smoothed),
    "ROC": Function(talib.ROC, CLOSE, {"length": 24}, ("",), lambda p: p["length"] + 1),
    "BBANDS": Function(
        lambda real, length, mult: talib.BBANDS(real, length, mult, mult),
        CLOSE,
        {"length": 20, "mult": 2.0},
        ("upper", "middle", "lower"),
        lambda p: p["length"],
    ),
    "MACD": Function(
        talib.MACD,
        CLOSE,
        {"fast": 12, "slow": 26, "signal": 9},
        ("macd", "signal", "histogram"),
        lambda p: max(SMOOTHED * p["slow"], p["slow"] + p["signal"]),
    ),
}
"""What can be asked for. The order of `defaults` is that of TA-Lib's parameters."""


def _check_parameter(function: str, name: str, number: float) -> None:
    if name == "mult":
        fine = 0 < number <= MAX_MULT
    else:
        fine = MIN_LENGTH <= number <= MAX_LENGTH and number == int(number)
    if not fine:
        raise BadIndicator(
            f"{function} {name} is {number}; lengths are whole numbers from {MIN_LENGTH} to "
            f"{MAX_LENGTH}, mult is above 0 and at most {MAX_MULT}",
            parameters=[name],
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class IndicatorSpec:
    """One indicator to compute: a function of `FUNCTIONS` and the parameters that differ.

    Raises BadIndicator. `name` is made of the function and its parameters unless given.
    """

    function: str
    parameters: Parameters = field(default_factory=dict)
    name: str = ""

    def __post_init__(self) -> None:
        known = FUNCTIONS.get(self.function)
        if known is None:
            raise BadIndicator(
                f"{self.function!r} is no known indicator; known are {', '.join(FUNCTIONS)}",
                function=self.function,
            )
        if unknown := sorted(set(self.parameters) - set(known.defaults)):
            raise BadIndicator(
                f"{self.function} does not take {', '.join(unknown)}", parameters=unknown
            )
        full = {name: self.parameters.get(name, known.defaults[name]) for name in known.defaults}
        for name, number in full.items():
            _check_parameter(self.function, name, number)
        if self.function == "MACD" and full["fast"] >= full["slow"]:
            raise BadIndicator("MACD needs fast < slow", parameters=["fast", "slow"])
        object.__setattr__(self, "parameters", full)
        if not self.name:
            parts = [self.function.lower(), *(f"{number:g}" for number in full.values())]
            object.__setattr__(self, "name", "_".join(parts))

    @property
    def warmup(self) -> int:
        """How many bars are needed before the values mean what they say."""
        return int(FUNCTIONS[self.function].warmup(self.parameters))

    @property
    def outputs(self) -> tuple[str, ...]:
        """Return the names of the values: `rsi_14`, or `macd_12_26_9.signal` for one of several."""
        return tuple(
            f"{self.name}.{output}" if output else self.name
            for output in FUNCTIONS[self.function].outputs
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class IndicatorResult:
    """Values at the last bar, and over which bars they were computed.

    `values` lacks what has not warmed up; `warming_up` says how many bars each of those needs.
    `bars` is what IndicatorRun stores: count, and first and last with their index and times.
    """

    instrument: str
    timeframe: str
    engine: str
    indicators: tuple[IndicatorSpec, ...]
    bars: dict[str, Any]
    values: dict[str, float]
    warming_up: dict[str, int]
    data_source: str


DEFAULT_SPECS: tuple[IndicatorSpec, ...] = (
    IndicatorSpec(function="EMA", parameters={"length": 20}),
    IndicatorSpec(function="EMA", parameters={"length": 50}),
    IndicatorSpec(function="RSI"),
    IndicatorSpec(function="ATR"),
    IndicatorSpec(function="NATR"),
    IndicatorSpec(function="ADX"),
    IndicatorSpec(function="BBANDS"),
    IndicatorSpec(function="MACD"),
    IndicatorSpec(function="ROC"),
)
"""What the analyst looks at unless told otherwise; warm after 150 bars."""


def calculate(*, bars: BarSeries, spec: IndicatorSpec) -> dict[str, Values]:
    """Return each output as an array as long as `bars`, NaN before TA-Lib's first value.

    Raises BadBars when an input column holds a NaN or an infinity: it would spoil all later values.
    """
    function = FUNCTIONS[spec.function]
    columns = [_column(bars, name) for name in function.columns]
    arguments = [
        float(number) if name == "mult" else int(number) for name, number in spec.parameters.items()
    ]
    # TA-Lib answers a short input with NaN, and refuses an empty one.
    if not len(bars):
        return {name: np.empty(0, dtype=np.float64) for name in spec.outputs}
    answer = function.call(*columns, *arguments)
    outputs = answer if isinstance(answer, tuple) else (answer,)
    return dict(zip(spec.outputs, outputs, strict=True))


def compute(
    *, bars: BarSeries, specs: tuple[IndicatorSpec, ...] = DEFAULT_SPECS
) -> IndicatorResult:
    """Compute the indicators at the last bar of `bars`.

    Raises NotEnoughBars (no bar at all), BadBars (a number or a value is not finite: fields say
    which), BadIndicator (a name twice, none).
    """
    if not len(bars):
        raise NotEnoughBars(
            f"there are no {bars.timeframe} bars of {bars.instrument}; run sync_candles",
            instrument=bars.instrument,
            timeframe=bars.timeframe,
        )
    if not specs or len({spec.name for spec in specs}) < len(specs):
        raise BadIndicator("the indicators need names of their own, and at least one is needed")
    values: dict[str, float] = {}
    warming_up: dict[str, int] = {}
    for spec in specs:
        if len(bars) < spec.warmup:
            warming_up[spec.name] = spec.warmup - len(bars)
            continue
        values |= _last_values(calculate(bars=bars, spec=spec))
    return IndicatorResult(
        instrument=bars.instrument,
        timeframe=bars.timeframe,
        engine=ENGINE,
        indicators=specs,
        bars={"count": len(bars), "first": _place(bars, 0), "last": _place(bars, len(bars) - 1)},
        values=values,
        warming_up=warming_up,
        data_source=", ".join(bars.sources),
    )


def store_run(
    *, agent: Agent, run: Run | None, result: IndicatorResult, now: datetime
) -> IndicatorRun:
    """Store a result as evidence of the agent, under an id that sorts by `now`.

    A run of another agent is refused by the database (IntegrityError indicator_run_run_fk).
    """
    return IndicatorRun.objects.create(
        id=id_at(now),
        agent=agent,
        run=run,
        instrument_id=result.instrument,
        timeframe=result.timeframe,
        computed_at=now,
        engine=result.engine,
        indicators=[
            {"name": spec.name, "function": spec.function, "parameters": dict(spec.parameters)}
            for spec in result.indicators
        ],
        bars=result.bars,
        values=result.values,
        data_source=result.data_source,
    )


def _column(bars: BarSeries, name: str) -> Values:
    column = np.ascontiguousarray(getattr(bars, name), dtype=np.float64)
    wrong = np.flatnonzero(~np.isfinite(column))
    if wrong.size:
        index = int(wrong[0])
        raise BadBars(f"{name} of bar {index} is not a number", bar_index=index, column=name)
    return column


def _last_values(outputs: Mapping[str, Values]) -> dict[str, float]:
    """Return the newest value of each output; JSON has no word for one that is not finite."""
    values = {name: float(series[-1]) for name, series in outputs.items()}
    for name, value in values.items():
        if not math.isfinite(value):
            raise BadBars(f"{name} is not a finite number over these bars", indicator=name)
    return values


def _place(bars: BarSeries, index: int) -> dict[str, Any]:
    return {
        "bar_index": index,
        "opened_at": bars.opened_at[index].isoformat(),
        "closed_at": bars.closed_at(index).isoformat(),
    }
