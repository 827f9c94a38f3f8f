"""What candles there are for a reader of some timeframe, in words for the person who sets it up."""

from collections.abc import Sequence
from datetime import datetime

from memory.policies.timeframes import TIMEFRAMES
from trading.market.currency import Newest, newest_of


def lacking(*, instruments: Sequence[str], timeframe: str, now: datetime) -> list[str]:
    """Return a sentence for each instrument without current bars of the timeframe.

    It tells the timeframes that are stored instead, if any (UnknownTimeframe).
    """
    known = newest_of(instruments=instruments, timeframe=timeframe, at=now)
    return [
        _said(name, timeframe, known.get(name), now=now)
        for name in instruments
        if name not in known or not known[name].is_current(at=now)
    ]


def _said(name: str, timeframe: str, last: Newest | None, *, now: datetime) -> str:
    if last is not None:
        closed = f"{last.closed_at:%Y-%m-%d %H:%M} UTC"
        return f"{name}: the newest {timeframe} bar closed at {closed}, too long ago for a reading"
    others = [
        f"{other} bars to {found[name].closed_at:%Y-%m-%d} (--timeframe {other})"
        for other in TIMEFRAMES
        if name in (found := newest_of(instruments=[name], timeframe=other, at=now))
    ]
    instead = f"; there are {', '.join(others)}" if others else ", nor any other"
    return f"{name}: no {timeframe} bars are stored{instead}"
