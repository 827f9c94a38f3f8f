"""What a session is about: its instrument, found before any model is asked, and its timeframe."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db.models import Q

from autopilot.errors import SymbolNeeded, SymbolNotSelected, UnknownSymbol
from autopilot.schemas import SessionDraft
from memory.models import Agent, Selection
from trading.errors import NotEnoughBars
from trading.market.bars import length_of
from trading.market.instruments import KnownName, known_names, resolve
from trading.models import Candle

TIMEFRAMES = ("1h", "4h", "1d", "15m", "5m")
"""In the order in which they are taken when nobody names one and there are enough bars of it."""
WORDS = {"hourly": "1h", "daily": "1d"}
JOINT = re.compile(r"[:/-]")
WORD = re.compile(rf"@?[A-Za-z0-9]+(?:{JOINT.pattern}[A-Za-z0-9]+)*")
NAMES_SHOWN = 20
COUNTED_MAX = 10_000
"""Where a start is refused, so many bars of each timeframe are counted and no more."""


@dataclass(frozen=True, slots=True)
class Market:
    """An instrument's canonical name and a timeframe."""

    symbol: str
    timeframe: str


def market_of(*, agent: Agent, asked: SessionDraft, now: datetime) -> Market:
    """Return what a session will be about.

    UnknownSymbol, SymbolNotSelected, SymbolNeeded: there is no such instrument, it is not the
    agent's, or none or several are named. NotEnoughBars: with fields symbol, timeframe, needed and
    stored (timeframe → count, COUNTED_MAX at the most).
    """
    symbol = _symbol(agent, asked, now=now)
    return Market(symbol, _timeframe(symbol, asked, now=now))


def _symbol(agent: Agent, asked: SessionDraft, *, now: datetime) -> str:
    selected = _selected(agent, now=now)
    known = known_names()
    if asked.symbol is None:
        named = named_in(asked.prompt, selected=selected, known=known)
        if len(named) != 1:
            raise SymbolNeeded(_needed(named, selected), named=named, selected=selected)
        (symbol,) = named
    else:
        found = resolve(name=asked.symbol, known=known)
        if found is None:
            raise UnknownSymbol(f"there is no instrument {asked.symbol}", symbol=asked.symbol)
        symbol = found
    if symbol not in selected:
        raise SymbolNotSelected(
            f"{symbol} is not an active instrument selected by this agent",
            symbol=symbol,
            selected=selected,
        )
    return symbol


def _needed(named: list[str], selected: list[str]) -> str:
    choice = ", ".join(selected[:NAMES_SHOWN]) or "none yet: select one first"
    which = f"the prompt names {', '.join(named)}" if named else "the prompt names no instrument"
    return f"{which}: give one as symbol; this agent has selected {choice}"


def _selected(agent: Agent, *, now: datetime) -> list[str]:
    still = Q(deselected_at__isnull=True) | Q(deselected_at__gt=now)
    return list(
        Selection.objects.filter(
            still, agent=agent, selected_at__lte=now, instrument__is_active=True
        )
        .order_by("instrument_id")
        .values_list("instrument_id", flat=True)
        .distinct()
    )


def named_in(prompt: str, *, selected: list[str], known: Iterable[KnownName]) -> list[str]:
    """Return the instruments that a prompt names, of the agent's if it names any of them.

    Tried in turn: exact names of the agent's instruments, other spellings of those (`eth`,
    `ETHUSDT`), exact names of others. One letter is no name there: prose has such words, too.
    """
    known = tuple(known)
    words = list(dict.fromkeys(WORD.findall(prompt)))
    names = {entry.id for entry in known}
    mine = tuple(entry for entry in known if entry.id in set(selected))
    return (
        _found(words, lambda word: word if word in selected else None)
        or _found(words, lambda word: resolve(name=word, known=mine))
        or _found(words, lambda word: word if word in names and len(word) > 1 else None)
    )


def _found(words: list[str], named: Callable[[str], str | None]) -> list[str]:
    """Return what the words name, or else their parts: `BTC/ETH` names two."""
    found = []
    for word in words:
        whole = named(word)
        parts = [named(part) for part in JOINT.split(word)] if whole is None else [whole]
        found += [name for name in parts if name is not None]
    return list(dict.fromkeys(found))


def _timeframe(symbol: str, asked: SessionDraft, *, now: datetime) -> str:
    named = asked.timeframe or timeframe_in(asked.prompt)
    needed = settings.SESSION_MIN_BARS
    for timeframe in TIMEFRAMES if named is None else (named,):
        if _closed_bars(symbol, timeframe, now=now, at_most=needed) >= needed:
            return timeframe
    counts = {one: _closed_bars(symbol, one, now=now, at_most=COUNTED_MAX) for one in TIMEFRAMES}
    raise NotEnoughBars(
        _too_few(symbol, named, counts, needed, may_leave_out=timeframe_in(asked.prompt) is None),
        symbol=symbol,
        timeframe=named,
        needed=needed,
        stored={one: count for one, count in counts.items() if count or named in {None, one}},
    )


def timeframe_in(prompt: str) -> str | None:
    """Return the one timeframe that a prompt names, None when it names none or several."""
    words = [WORDS.get(word.casefold(), word.casefold()) for word in WORD.findall(prompt)]
    named = {word for word in words if word in TIMEFRAMES}
    return named.pop() if len(named) == 1 else None


def _closed_bars(symbol: str, timeframe: str, *, now: datetime, at_most: int) -> int:
    closed = now - length_of(timeframe=timeframe)
    bars = Candle.objects.filter(instrument_id=symbol, timeframe=timeframe, opened_at__lte=closed)
    return bars[:at_most].count()


def _too_few(
    symbol: str, named: str | None, counts: dict[str, int], needed: int, *, may_leave_out: bool
) -> str:
    """Return what is needed, what there is, and the ways out.

    `may_leave_out`: with no timeframe in the request one would be found by itself.
    """
    enough = [one for one, count in counts.items() if count >= needed]
    if named is None:
        some = [f"{_number(count)} of {one}" for one, count in counts.items() if count]
        what, there = "candles", f"there are {', '.join(some) or 'none'}"
    else:
        what, there = f"{named} candles", f"there are {_number(counts[named]) or 'none'}"
    frame = named or TIMEFRAMES[0]
    fetch = (
        f"import {frame}: manage.py sync_candles --instrument {symbol} --timeframe {frame}, "
        f"or --file candles.csv --timeframe {frame}"
    )
    said = f"a session needs {needed} closed {what} of {symbol}; {there}. "
    if not enough:
        return f"{said}I{fetch[1:]}"
    others = ", ".join(f"{one} has {_number(counts[one])}" for one in enough)
    choose = f"choose {' or '.join(enough)}"
    leave = "leave the timeframe out, " if may_leave_out else ""
    return f"{said}{others}: {leave}{choose}, or {fetch}"


def _number(count: int) -> str:
    """Return a count as told: "" for none, and no more than was counted."""
    return f"at least {count:,}" if count == COUNTED_MAX else f"{count:,}" if count else ""
