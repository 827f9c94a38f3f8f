"""Bringing the exchange's lists and candles into the tables, a page at a time (SPEC U3).

The network is never used inside a transaction, and a page is stored before the next is asked
for: an interrupted download goes on from its last stored bar.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from trading.errors import UnknownInstrument
from trading.market.bars import Bar, BarSeries, length_of
from trading.market.candles import Progress, StoreReport, last_opened_at, store
from trading.market.hyperliquid import PAGE, SOURCE, Hyperliquid
from trading.market.instruments import SyncReport, known_names, resolve, sync
from trading.market.listings import Listing, parse_dexs, parse_meta, parse_spot_meta


def sync_instruments_live(*, client: Hyperliquid, now: datetime) -> SyncReport:
    """Ask for every list of markets and bring the instruments in step with them.

    All lists are read before anything is written. Raises MarketUnavailable, BadInstrumentFile.
    """
    return sync(listings=tuple(_listings(client)), source=SOURCE, now=now)


def sync_candles_live(
    *,
    client: Hyperliquid,
    instrument: str,
    timeframe: str,
    now: datetime,
    since: datetime | None = None,
    progress: Progress | None = None,
) -> StoreReport:
    """Download the closed bars after the last stored one, or from `since` if that is given.

    With neither, the newest page. Raises UnknownInstrument, UnknownTimeframe, MarketUnavailable;
    the pages before a failure stay stored.
    """
    name = resolve(name=instrument, known=known_names())
    if name is None:
        raise UnknownInstrument(
            f"{instrument!r} is no known instrument; run sync_instruments first",
            instrument=instrument,
        )
    length = length_of(timeframe=timeframe)
    last = last_opened_at(instrument=name, timeframe=timeframe)
    start = since or (last + length if last else now - PAGE * length)
    after = None if since else last
    whole = max((now - start) // length, 0)
    # An empty page to begin with: nothing is asked for while no bar can have closed.
    report = store(series=_page(name, timeframe, []), source=SOURCE, now=now)
    # Not `start + length`: --since may be the end of time.
    while start <= now - length:
        end = min(start + PAGE * length, now)
        bars = client.candles(coin=name, timeframe=timeframe, start=start, end=end, now=now)
        page = store(series=_page(name, timeframe, bars), source=SOURCE, now=now, after=after)
        report = _joined(report, page)
        after = page.last or after
        start = end
        if progress:
            progress(whole - (now - start) // length, whole)
    return report


def _page(instrument: str, timeframe: str, bars: list[Bar]) -> BarSeries:
    return BarSeries.of(instrument=instrument, timeframe=timeframe, bars=bars, sources=(SOURCE,))


def _listings(client: Hyperliquid) -> Iterator[Listing]:
    yield parse_meta(raw=client.meta())
    for dex, index in parse_dexs(raw=client.perp_dexs()).items():
        yield parse_meta(raw=client.meta(dex=dex), dex=dex, dex_index=index)
    yield parse_spot_meta(raw=client.spot_meta())


def _joined(first: StoreReport, second: StoreReport) -> StoreReport:
    return replace(
        first,
        rows=first.rows + second.rows,
        stored=first.stored + second.stored,
        duplicates=first.duplicates + second.duplicates,
        differing=first.differing + second.differing,
        zero_volume=first.zero_volume + second.zero_volume,
        gaps=first.gaps + second.gaps,
        first=first.first or second.first,
        last=second.last or first.last,
    )
