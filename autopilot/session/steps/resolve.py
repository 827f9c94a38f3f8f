"""Resolve: which bars the session works on, frozen before anything else (SPEC A1, A9)."""

from django.conf import settings

from autopilot.backtest.windows import split
from autopilot.session.state import Success
from autopilot.session.work import Book, Job, Next, Work
from memory.policies.freshness import iso
from memory.services.standings import terms
from trading.errors import NotEnoughBars
from trading.market import candles, funding


def resolve(job: Job) -> Work:
    """Take the newest bars that had closed when the session started; the last 30 % are held out.

    NotEnoughBars: candles were deleted since.
    """
    session = job.session
    symbol, timeframe = session.symbol_id or "", session.timeframe or ""
    bars = candles.latest(
        instrument=symbol,
        timeframe=timeframe,
        now=session.created_at,
        count=settings.SESSION_BARS,
    )
    needed = settings.SESSION_MIN_BARS
    if len(bars) < needed:
        raise NotEnoughBars(f"{symbol} has {len(bars)} closed {timeframe} candles, not {needed}")
    seen, held = split(bars)
    # What the market has is told by the bars that an advisor may know of.
    inside = [
        volume for at, volume in zip(bars.opened_at, bars.volume, strict=True) if at < held.start
    ]
    rates = funding.read(instrument=symbol, start=seen.start, end=seen.end)
    available = [
        name for name, there in (("funding", rates is not None), ("volume", any(inside))) if there
    ]

    wins = terms()
    success = Success(pnl_above=f"{wins.success_pnl_above:f}", min_trades=wins.success_min_trades)

    def store(book: Book) -> Next:
        book.session.window_start, book.session.window_split = seen.start, held.start
        book.session.window_end = held.end
        book.state.available, book.state.success = available, success
        book.tell(
            "resolved",
            f"{symbol} {timeframe}: {len(bars)} candles from {seen.start:%Y-%m-%d %H:%M} to "
            f"{held.end:%Y-%m-%d %H:%M} UTC ({', '.join(bars.sources)}); those from "
            f"{held.start:%Y-%m-%d %H:%M} on are held out. A success has a PnL above "
            f"{success.pnl_above} % and {success.min_trades} trades or more.",
            symbol=symbol,
            timeframe=timeframe,
            bars=len(bars),
            sources=list(bars.sources),
            start=iso(seen.start),
            split=iso(held.start),
            end=iso(held.end),
            available=available,
            success=success.model_dump(mode="json"),
        )
        return Next(name="research", iteration=0)

    return Work(store=store)
