"""Hyperliquid's public information endpoint: lists of markets, and candles (SPEC U3, X4).

No keys, no redirects, and bounds on time, size and retries. What the exchange writes in an error
is not passed on. The clock and the sleeper come from the caller.
"""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from itertools import pairwise
from types import TracebackType
from typing import Any, Self

import httpx
from django.conf import settings
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from memory.policies.timeframes import EPOCH
from trading.errors import MarketAnswerInvalid, MarketBusy, MarketUnavailable
from trading.market.bars import Bar, length_of, problem_of

SOURCE = "hyperliquid"
MAX_BYTES = 16 * 1024 * 1024
ATTEMPTS = 4
FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
"""Seconds. A Retry-After above the longest is told to the caller instead of waited for."""
PAGE = 5_000
"""Candles of one answer at the most; older ones are said not to be served at all."""

MILLISECOND = timedelta(milliseconds=1)


class _Candle(BaseModel):
    """A candle as it is sent: numbers are strings, times milliseconds, T the last of the bar."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    coin: str = Field(alias="s")
    interval: str = Field(alias="i")
    opened: int = Field(alias="t")
    closes: int = Field(alias="T")
    open: float = Field(alias="o")
    high: float = Field(alias="h")
    low: float = Field(alias="l")
    close: float = Field(alias="c")
    volume: float = Field(alias="v")


_CANDLES = TypeAdapter(list[_Candle])


class Hyperliquid:
    """A client. Use it as a context manager; one thread at a time.

    Every method raises MarketUnavailable, or its kinds MarketBusy and MarketAnswerInvalid.
    """

    def __init__(
        self,
        *,
        base_url: str,
        timeout_seconds: float,
        clock: Callable[[], datetime],
        sleep: Callable[[float], None],
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._timeout = timedelta(seconds=timeout_seconds)
        self._http = httpx.Client(
            base_url=base_url, timeout=timeout_seconds, follow_redirects=False
        )

    @classmethod
    def from_settings(
        cls, *, clock: Callable[[], datetime], sleep: Callable[[float], None]
    ) -> Self:
        """Return a client of the base URL and time limit in the settings."""
        return cls(
            base_url=settings.HYPERLIQUID_URL,
            timeout_seconds=settings.HYPERLIQUID_TIMEOUT_SECONDS,
            clock=clock,
            sleep=sleep,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.close()

    def meta(self, *, dex: str = "") -> Any:
        """Return the raw list of a dex's perpetuals; "" is the main dex."""
        return self._ask({"type": "meta", "dex": dex})

    def perp_dexs(self) -> Any:
        """Return the raw list of dexs; its first entry is null, the main one."""
        return self._ask({"type": "perpDexs"})

    def spot_meta(self) -> Any:
        """Return the raw lists of tokens and spot pairs."""
        return self._ask({"type": "spotMeta"})

    def candles(
        self, *, coin: str, timeframe: str, start: datetime, end: datetime, now: datetime
    ) -> list[Bar]:
        """Return the bars with start <= opened_at < end that had closed by `now`, oldest first.

        Ask for at most a page. Raises UnknownTimeframe too.
        """
        length = length_of(timeframe=timeframe)
        wanted = {
            "coin": coin,
            "interval": timeframe,
            "startTime": (start - EPOCH) // MILLISECOND,
            # Theirs is inclusive, and one bar too many could cost the first of a full page.
            "endTime": (end - EPOCH) // MILLISECOND - 1,
        }
        raw = self._ask({"type": "candleSnapshot", "req": wanted})
        try:
            answer = _CANDLES.validate_python(raw)
        except ValidationError as error:
            raise MarketAnswerInvalid("the exchange's candles are not as documented") from error
        bars = [_bar(candle, coin=coin, timeframe=timeframe, length=length) for candle in answer]
        if any(later.opened_at <= earlier.opened_at for earlier, later in pairwise(bars)):
            raise MarketAnswerInvalid("the exchange's candles are not in order")
        return [
            bar for bar in bars if start <= bar.opened_at < end and bar.opened_at + length <= now
        ]

    def _ask(self, body: dict[str, Any]) -> Any:
        """Post a request; wait and try again while that may help."""
        for attempt in range(1, ATTEMPTS + 1):
            wait = FIRST_WAIT * 2 ** (attempt - 1)
            try:
                status, headers, content = self._post(body)
            except httpx.RequestError as error:
                if attempt == ATTEMPTS:
                    raise MarketUnavailable("the exchange cannot be reached") from error
            else:
                if status == HTTPStatus.OK:
                    return _json(content)
                if (
                    status != HTTPStatus.TOO_MANY_REQUESTS
                    and status < HTTPStatus.INTERNAL_SERVER_ERROR
                ):
                    raise _unexpected(status)
                wait = self._retry_after(headers) or wait
                if wait > LONGEST_WAIT:
                    raise MarketBusy("the exchange asks to come back later", retry_after=wait)
                if attempt == ATTEMPTS:
                    raise _exhausted(status, wait)
            self._sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def _post(self, body: dict[str, Any]) -> tuple[int, httpx.Headers, bytes]:
        """Return status, headers and body, within the limits of size and of time as a whole."""
        deadline = self._clock() + self._timeout
        content = bytearray()
        with self._http.stream("POST", "/info", json=body) as answer:
            if answer.status_code != HTTPStatus.OK:
                return answer.status_code, answer.headers, b""
            for part in answer.iter_bytes():
                content += part
                if len(content) > MAX_BYTES:
                    raise MarketAnswerInvalid("the exchange's answer is too large")
                # httpx bounds each read, not their sum: a slow drip would last for ever.
                if self._clock() > deadline:
                    raise httpx.ReadTimeout("the whole answer took too long")
            return answer.status_code, answer.headers, bytes(content)

    def _retry_after(self, headers: httpx.Headers) -> float | None:
        """Return the seconds that the exchange asks to wait, if it does in a readable way."""
        text = headers.get("Retry-After", "").strip()
        if text.isascii() and text.isdigit():
            return float(text[:6])
        try:
            moment = parsedate_to_datetime(text)
        except ValueError:
            return None
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return max((moment - self._clock()).total_seconds(), 0.0)


def _json(content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise MarketAnswerInvalid("the exchange's answer is not JSON") from error


def _unexpected(status: int) -> MarketUnavailable:
    if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
        return MarketAnswerInvalid("the exchange redirects, which is not followed", status=status)
    return MarketUnavailable(f"the exchange refuses the request ({status})", status=status)


def _exhausted(status: int, wait: float) -> MarketUnavailable:
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return MarketBusy("the exchange limits our requests", retry_after=wait)
    return MarketUnavailable(f"the exchange fails ({status})", status=status)


def _bar(candle: _Candle, *, coin: str, timeframe: str, length: timedelta) -> Bar:
    opened_at = _moment(candle.opened)
    bar = Bar(opened_at, candle.open, candle.high, candle.low, candle.close, candle.volume)
    same = (candle.coin, candle.interval) == (coin, timeframe)
    if not same or _moment(candle.closes) != opened_at + length - MILLISECOND or problem_of(bar):
        raise MarketAnswerInvalid("the exchange's candles are not what was asked for")
    return bar


def _moment(milliseconds: int) -> datetime:
    try:
        return EPOCH + milliseconds * MILLISECOND
    except OverflowError as error:
        raise MarketAnswerInvalid("the exchange's candles have an impossible time") from error
