"""A strategy in one line that a trader reads."""

from decimal import Decimal

from autopilot.strategy.base import ATR_LENGTH, Block
from autopilot.strategy.filters import EVERY_DAY, Natr, Session
from autopilot.strategy.foundations import RsiReversal
from autopilot.strategy.schema import Side, Strategy, exact_sum

WORDS = {
    "ema_cross": "EMA {fast} {crosses} EMA {slow}",
    "macd_cross": "MACD {fast}/{slow} {crosses} its signal {signal}",
    "roc_momentum": "price {moved} {min_pct} % in {length} bars",
    "donchian_break": "close breaks the {length}-bar {end}{tail}",
    "squeeze_break": "close leaves a {length}-bar squeeze (bands {bb_mult}, channel {kc_mult})",
    "retest_level": "a broken {lookback}-bar {end} holds within {tolerance_atr} ATR",
    "rsi_reversal": "RSI {length} turns back {zone}",
    "band_reversal": "close turns back inside the {length}-bar band of {mult} deviations",
    "volume_spike": "volume is {multiple}x its {length}-bar mean{tail}",
    "trend_ma": "close is {beyond} its {length}-bar average{tail}",
    "htf_trend": "{timeframe} close is {beyond} its {length}-bar average",
    "adx": "ADX {length} is at least {min}",
    "natr": "ATR{of} is {range} of the close",
    "rel_volume": "volume is at least {min}x its {length}-bar mean",
    "session": "the bar closed in {hours} hours on {days}",
    "funding": "funding is within {max_abs_bps_8h} bp per 8 h",
    "stop_pct": "{pct} %",
    "stop_atr": "{mult} ATR{of}",
    "stop_swing": "at the {lookback}-bar swing{tail}",
    "tp_r": "{r} R",
    "tp_pct": "{pct} %",
    "tp_atr": "{mult} ATR{of}",
    "trail_atr": "trail {mult} ATR{of}{tail}",
    "breakeven": "breakeven{tail} at {at_r} R",
    "time_exit": "out after {bars} bars",
}
"""Block type → how it reads. Placeholders: its parameters, and those of `_values`."""
TAILS = {
    "donchian_break": ("buffer_atr", " by {buffer_atr} ATR"),
    "volume_spike": ("body_atr", " on a body of {body_atr} ATR"),
    "trend_ma": ("slope_bars", ", which {moved} over {slope_bars} bars"),
    "stop_swing": ("buffer_atr", " + {buffer_atr} ATR"),
    "trail_atr": ("activate_r", " from {activate_r} R"),
    "breakeven": ("offset_pct", " + {offset_pct} %"),
}
"""Block type → what stands for {tail} where a parameter is not 0."""
SIDES = {
    "long": {"crosses": "crosses above", "moved": "rose", "end": "high", "beyond": "above"},
    "short": {"crosses": "crosses below", "moved": "fell", "end": "low", "beyond": "below"},
    "both": {
        "crosses": "crosses",
        "moved": "moved the trade's way",
        "end": "high or low",
        "beyond": "on the trade's side of",
    },
}
SESSIONS = {"asia": "Asia", "london": "London", "new_york": "New York"}
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def describe(strategy: Strategy) -> str:
    """Return a strategy in one line, without its name: when it enters, how it ends, its risk."""
    entry = _entry(strategy)
    if strategy.filters:
        told = (words_of(block, side=strategy.side) for block in strategy.filters)
        entry += ", if " + " and ".join(told)
    side = "long or short" if strategy.side == "both" else strategy.side
    sizing = strategy.sizing
    risk = f"risk {plain(sizing.risk_pct)} %, leverage up to {plain(sizing.max_leverage)}x"
    return f"{side}, {strategy.timeframe}: {entry}; {', '.join(_ends(strategy))}; {risk}"


def words_of(block: Block, *, side: Side) -> str:
    """Return how one block of a strategy for `side` reads."""
    parameter, tail = TAILS.get(block.type, ("type", ""))
    template = WORDS[block.type].replace("{tail}", tail if getattr(block, parameter) else "")
    return template.format_map(_values(block, side=side))


def plain(number: float) -> str:
    """Return a number as people write it: 2.0 is 2, and 0.00001 has no power of ten."""
    return format(Decimal(repr(number)).normalize(), "f")


def _values(block: Block, *, side: Side) -> dict[str, str]:
    values = {
        name: plain(value) if isinstance(value, int | float) else str(value)
        for name, value in block
    }
    length = getattr(block, "length", ATR_LENGTH)
    values["of"] = "" if length == ATR_LENGTH else f"({length})"
    values |= SIDES[side]
    if isinstance(block, RsiReversal):
        zones = {"long": f"above {values['low']}", "short": f"below {values['high']}"}
        values["zone"] = zones.get(side, f"inside {values['low']} to {values['high']}")
    if isinstance(block, Natr):
        values["range"] = _range(block.min_pct, block.max_pct)
    if isinstance(block, Session):
        values["hours"] = " or ".join(SESSIONS[name] for name in block.sessions)
        every = block.weekdays == EVERY_DAY
        values["days"] = "any day" if every else ", ".join(DAYS[day] for day in block.weekdays)
    return values


def _range(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return f"at least {plain(low)} %" if low is not None else f"at most {plain(high or 0)} %"
    return f"{plain(low)} to {plain(high)} %"


def _entry(strategy: Strategy) -> str:
    told = [words_of(part.block, side=strategy.side) for part in strategy.foundations]
    weights = [part.weight for part in strategy.foundations]
    needed, least = Decimal(repr(strategy.entry_threshold)), Decimal(repr(min(weights)))
    if least >= needed:
        return " or ".join(told)
    if exact_sum(weights) - least < needed:
        return " and ".join(told)
    weighed = (f"{words} ({plain(weight)})" for words, weight in zip(told, weights, strict=True))
    return f"{plain(strategy.entry_threshold)} of: " + " + ".join(weighed)


def _ends(strategy: Strategy) -> list[str]:
    exits, side = strategy.exits, strategy.side
    ends = [f"stop {words_of(exits.stop, side=side)}"]
    for partial in exits.partials:
        percent = format((Decimal(repr(partial.fraction)) * 100).normalize(), "f")
        ends.append(f"{percent} % at {words_of(partial.target, side=side)}")
    if exits.take_profit is not None:
        ends.append(f"target {words_of(exits.take_profit, side=side)}")
    return ends + [words_of(block, side=side) for block in exits.manage]
