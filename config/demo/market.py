"""Where the demo's candles come from: Hyperliquid when it answers at once, else shipped bars."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import NoReturn

from django.conf import settings

from trading.errors import MarketUnavailable
from trading.market.bars import BarSeries
from trading.market.candles import latest
from trading.market.hyperliquid import Hyperliquid
from trading.market.live import sync_candles_live, sync_instruments_live
from trading.market.sample import DESCRIPTION, INSTRUMENTS, load_sample
from trading.market.sample import TIMEFRAME as SAMPLE_TIMEFRAME

LIVE_INSTRUMENTS = ("BTC", "ETH")
LIVE_TIMEFRAME = "1h"
LIVE_SECONDS = 4.0


@dataclass(frozen=True, slots=True)
class Candles:
    """Two instruments with stored bars, and what these bars are."""

    source: str
    instruments: tuple[str, str]
    timeframe: str
    why: str
    bars: dict[str, BarSeries]


def prepare(
    *, now: datetime, offline: bool, clock: Callable[[], datetime], say: Callable[[str], None]
) -> Candles:
    """Store candles of two instruments: live ones after one quick try, else the shipped ones."""
    why = "as asked (--offline)"
    if not offline:
        try:
            say("Asking Hyperliquid for candles (one quick try)")
            return _live(now=now, clock=clock)
        except MarketUnavailable as error:
            why = f"no live candles: {error.message}"
    load_sample(now=now)
    first, second = INSTRUMENTS[0], INSTRUMENTS[3]
    return _found(DESCRIPTION, (first, second), SAMPLE_TIMEFRAME, why=why, now=now)


def _live(*, now: datetime, clock: Callable[[], datetime]) -> Candles:
    with Hyperliquid(
        base_url=settings.HYPERLIQUID_URL,
        timeout_seconds=LIVE_SECONDS,
        clock=clock,
        sleep=_no_second_try,
    ) as client:
        sync_instruments_live(client=client, now=now)
        for instrument in LIVE_INSTRUMENTS:
            sync_candles_live(
                client=client, instrument=instrument, timeframe=LIVE_TIMEFRAME, now=now
            )
    source = "Hyperliquid's public candles, downloaded now"
    return _found(source, LIVE_INSTRUMENTS, LIVE_TIMEFRAME, why="live", now=now)


def _no_second_try(seconds: float) -> NoReturn:
    del seconds
    raise MarketUnavailable("the exchange does not answer at the first try")


def _found(
    source: str, instruments: tuple[str, str], timeframe: str, *, why: str, now: datetime
) -> Candles:
    bars = {
        name: latest(instrument=name, timeframe=timeframe, now=now, count=20_000)
        for name in instruments
    }
    return Candles(source=source, instruments=instruments, timeframe=timeframe, why=why, bars=bars)
