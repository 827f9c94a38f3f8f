"""The client speaks Hyperliquid's wire format to a server of our own, and trusts it in nothing."""

import io
import json
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.core.management import call_command
from django.core.management.base import CommandError

from memory.models import Instrument
from memory.policies.timeframes import EPOCH
from trading.errors import (
    MarketAnswerInvalid,
    MarketBusy,
    MarketUnavailable,
    UnknownInstrument,
    UnknownTimeframe,
)
from trading.market import hyperliquid
from trading.market.candles import read
from trading.market.hyperliquid import PAGE, Hyperliquid
from trading.market.live import sync_candles_live, sync_instruments_live
from trading.models import Candle

NOW = datetime(2026, 9, 30, 12, 5, tzinfo=UTC)
HOUR = timedelta(hours=1)
MILLISECOND = timedelta(milliseconds=1)

Reply = tuple[int, dict[str, str], bytes]


class Exchange:
    """What the server answers, and what it was asked."""

    def __init__(self, lists: dict[str, Any]) -> None:
        self.lists = lists
        self.first = NOW.replace(minute=0) - 10 * HOUR
        self.asked: list[dict[str, Any]] = []
        self.replies: list[Reply] = []
        self.change: Callable[[list[dict[str, Any]]], Any] = lambda candles: candles
        self.url = ""

    def answer(self, body: dict[str, Any]) -> Reply:
        self.asked.append(body)
        if self.replies:
            return self.replies.pop(0)
        return 200, {}, json.dumps(self.content(body)).encode()

    def content(self, body: dict[str, Any]) -> Any:
        if body["type"] == "candleSnapshot":
            return self.change(self.candles(body["req"]))
        if body["type"] == "meta":
            return self.lists["meta_xyz" if body["dex"] else "meta"]
        return self.lists[body["type"]]

    def candles(self, req: dict[str, Any]) -> list[dict[str, Any]]:
        """Hourly candles from `first` on, the last of them still open, as the exchange sends."""
        found = []
        opened = max(self.first, EPOCH + -(-req["startTime"] // 3_600_000) * HOUR)
        end = min(NOW, EPOCH + req["endTime"] * MILLISECOND)
        while opened <= end:
            price = (opened - self.first) // HOUR + 100
            found.append(
                {
                    "t": (opened - EPOCH) // MILLISECOND,
                    "T": (opened + HOUR - EPOCH) // MILLISECOND - 1,
                    "s": req["coin"],
                    "i": req["interval"],
                    "o": f"{price}.0",
                    "c": f"{price}.5",
                    "h": f"{price + 1}.0",
                    "l": f"{price - 1}.0",
                    "v": "12.25",
                    "n": 7,
                }
            )
            opened += HOUR
        return found


@pytest.fixture
def exchange(fixtures: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Exchange]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    lists = json.loads((fixtures / "hyperliquid_instruments_handmade.json").read_text())
    exchange = Exchange(lists)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            assert self.path == "/info"
            status, headers, content = exchange.answer(body)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_args: Any) -> None:
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    exchange.url = f"http://127.0.0.1:{server.server_port}"
    yield exchange
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def waits() -> list[float]:
    """The seconds that the client wanted to sleep."""
    return []


@pytest.fixture
def client(exchange: Exchange, waits: list[float]) -> Iterator[Hyperliquid]:
    with Hyperliquid(
        base_url=exchange.url, timeout_seconds=5, clock=lambda: NOW, sleep=waits.append
    ) as client:
        yield client


def hours(client: Hyperliquid, count: int = 10) -> list[float]:
    start = NOW.replace(minute=0) - count * HOUR
    bars = client.candles(coin="BTC", timeframe="1h", start=start, end=NOW, now=NOW)
    return [bar.open for bar in bars]


@pytest.mark.spec("U3")
def test_candles_are_asked_for_and_read_in_the_wire_format(
    client: Hyperliquid, exchange: Exchange
) -> None:
    start = exchange.first
    (bar,) = client.candles(coin="BTC", timeframe="1h", start=start, end=start + HOUR, now=NOW)
    assert bar == (start, 100.0, 101.0, 99.0, 100.5, 12.25)
    milliseconds = (start - EPOCH) // MILLISECOND
    assert exchange.asked == [
        {
            "type": "candleSnapshot",
            "req": {
                "coin": "BTC",
                "interval": "1h",
                "startTime": milliseconds,
                "endTime": milliseconds + 3_599_999,
            },
        }
    ]


@pytest.mark.spec("U3")
def test_the_bar_that_is_still_open_is_dropped(client: Hyperliquid, exchange: Exchange) -> None:
    assert (
        len(exchange.candles({"coin": "", "interval": "", "startTime": 0, "endTime": 10**13})) == 11
    )
    assert hours(client) == [float(price) for price in range(100, 110)]


def test_a_bar_counts_as_closed_the_moment_it_closes(
    client: Hyperliquid, exchange: Exchange
) -> None:
    start, end = exchange.first, exchange.first + HOUR
    asked: dict[str, Any] = {"coin": "BTC", "timeframe": "1h", "start": start, "end": end}
    assert len(client.candles(**asked, now=end)) == 1
    assert client.candles(**asked, now=end - MILLISECOND) == []


def test_an_unknown_timeframe_is_not_asked_for(client: Hyperliquid, exchange: Exchange) -> None:
    with pytest.raises(UnknownTimeframe):
        client.candles(coin="BTC", timeframe="7m", start=NOW, end=NOW, now=NOW)
    assert exchange.asked == []


@pytest.mark.parametrize(
    ("headers", "waited"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "Wed, 30 Sep 2026 12:05:09 GMT"}, 9.0),
        ({"Retry-After": "Wed, 30 Sep 2026 12:00:00 GMT"}, 0.5),
        ({"Retry-After": "soon"}, 0.5),
        ({"Retry-After": "-3"}, 0.5),
        ({}, 0.5),
    ],
)
def test_a_limit_is_waited_for_as_long_as_the_exchange_says(
    client: Hyperliquid,
    exchange: Exchange,
    waits: list[float],
    headers: dict[str, str],
    waited: float,
) -> None:
    exchange.replies = [(429, headers, b"slow down")]
    assert len(hours(client)) == 10
    assert waits == [waited]


def test_a_longer_wait_than_ours_is_told_instead(
    client: Hyperliquid, exchange: Exchange, waits: list[float]
) -> None:
    exchange.replies = [(429, {"Retry-After": "3600"}, b"")]
    with pytest.raises(MarketBusy) as caught:
        hours(client)
    assert caught.value.fields == {"retry_after": 3600.0}
    assert waits == []


@pytest.mark.parametrize("status", [500, 502, 503])
def test_failures_are_tried_again_with_growing_waits(
    client: Hyperliquid, exchange: Exchange, waits: list[float], status: int
) -> None:
    exchange.replies = [(status, {}, b"")] * 3
    assert len(hours(client)) == 10
    assert waits == [0.5, 1.0, 2.0]


@pytest.mark.spec("X4")
@pytest.mark.parametrize(("status", "code"), [(500, "market_unavailable"), (429, "market_busy")])
def test_tries_are_bounded_and_the_exchange_is_not_quoted(
    client: Hyperliquid, exchange: Exchange, waits: list[float], status: int, code: str
) -> None:
    exchange.replies = [(status, {}, b"secret inner text")] * 9
    with pytest.raises(MarketUnavailable) as caught:
        hours(client)
    assert caught.value.code == code
    assert len(exchange.asked) == 4
    assert len(waits) == 3
    assert "secret" not in f"{caught.value.message}{caught.value.fields}"


@pytest.mark.parametrize("status", [400, 403, 404, 422, 204])
def test_a_refused_request_is_not_repeated(
    client: Hyperliquid, exchange: Exchange, status: int
) -> None:
    exchange.replies = [(status, {}, b"")]
    with pytest.raises(MarketUnavailable) as caught:
        hours(client)
    assert caught.value.fields == {"status": status}
    assert len(exchange.asked) == 1


@pytest.mark.spec("X4")
@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirects_are_not_followed(client: Hyperliquid, exchange: Exchange, status: int) -> None:
    exchange.replies = [(status, {"Location": f"{exchange.url}/info"}, b"")]
    with pytest.raises(MarketAnswerInvalid):
        hours(client)
    assert len(exchange.asked) == 1


@pytest.mark.spec("X4")
def test_an_answer_that_is_too_large_is_cut_off(
    client: Hyperliquid, exchange: Exchange, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hyperliquid, "MAX_BYTES", 100)
    with pytest.raises(MarketAnswerInvalid):
        hours(client)
    assert len(exchange.asked) == 1


@pytest.mark.spec("X4")
def test_the_whole_answer_has_a_time_limit(exchange: Exchange, waits: list[float]) -> None:
    ticks = iter(NOW + index * timedelta(seconds=6) for index in range(100))
    with (
        Hyperliquid(
            base_url=exchange.url, timeout_seconds=5, clock=lambda: next(ticks), sleep=waits.append
        ) as client,
        pytest.raises(MarketUnavailable),
    ):
        hours(client)
    assert len(exchange.asked) == 4


def test_an_exchange_that_cannot_be_reached_is_unavailable(waits: list[float]) -> None:
    with (
        Hyperliquid(
            base_url="http://127.0.0.1:1", timeout_seconds=5, clock=lambda: NOW, sleep=waits.append
        ) as client,
        pytest.raises(MarketUnavailable) as caught,
    ):
        client.perp_dexs()
    assert caught.value.code == "market_unavailable"
    assert waits == [0.5, 1.0, 2.0]


@pytest.mark.parametrize(
    "content", [b"", b"<html>", b"\xff\xfe", b"[" * 100_000, b"null", b"{}", b'[{"t": 1}]', b"[1]"]
)
def test_garbage_is_an_invalid_answer(
    client: Hyperliquid, exchange: Exchange, content: bytes
) -> None:
    exchange.replies = [(200, {}, content)]
    with pytest.raises(MarketAnswerInvalid):
        hours(client)


CHANGES: list[dict[str, Any]] = [
    {"s": "ETH"},
    {"i": "4h"},
    {"T": 5},
    {"t": 10**18},
    {"h": "1"},
    {"l": "1000"},
    {"o": "NaN"},
    {"v": "-1"},
    {"c": "much"},
    {"t": "now"},
]


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_a_candle_that_was_not_asked_for_or_cannot_be_spoils_the_answer(
    client: Hyperliquid, exchange: Exchange, change: dict[str, Any]
) -> None:
    exchange.change = lambda candles: [*candles[:3], candles[3] | change, *candles[4:]]
    with pytest.raises(MarketAnswerInvalid):
        hours(client)


@pytest.mark.parametrize("order", [slice(None, None, -1), [0, 0]])
def test_candles_out_of_order_spoil_the_answer(
    client: Hyperliquid, exchange: Exchange, order: Any
) -> None:
    exchange.change = lambda candles: (
        candles[order] if isinstance(order, slice) else [candles[index] for index in order]
    )
    with pytest.raises(MarketAnswerInvalid):
        hours(client)


@pytest.mark.spec("U3")
@pytest.mark.usefixtures("btc")
def test_a_download_goes_on_from_the_last_stored_bar(
    client: Hyperliquid, exchange: Exchange
) -> None:
    early = NOW - 5 * HOUR
    first = sync_candles_live(client=client, instrument="BTC", timeframe="1h", now=early)
    assert (first.stored, first.last) == (5, exchange.first + 4 * HOUR)
    second = sync_candles_live(client=client, instrument="BTC", timeframe="1h", now=NOW)
    assert (second.stored, second.duplicates, second.gaps) == (5, 0, ())
    asked = exchange.asked[-1]["req"]["startTime"]
    assert EPOCH + asked * MILLISECOND == exchange.first + 5 * HOUR
    stored = read(instrument="BTC", timeframe="1h", start=exchange.first, end=NOW)
    assert stored.open == tuple(float(price) for price in range(100, 110))
    assert stored.sources == ("hyperliquid",)


@pytest.mark.usefixtures("btc")
def test_nothing_is_asked_for_before_the_next_bar_can_have_closed(
    client: Hyperliquid, exchange: Exchange
) -> None:
    sync_candles_live(client=client, instrument="BTC", timeframe="1h", now=NOW)
    exchange.asked.clear()
    again = sync_candles_live(client=client, instrument="BTC", timeframe="1h", now=NOW)
    assert (again.rows, again.first, exchange.asked) == (0, None, [])


@pytest.mark.spec("U3")
@pytest.mark.usefixtures("btc")
def test_nothing_is_asked_for_since_the_end_of_time(
    client: Hyperliquid, exchange: Exchange
) -> None:
    end = datetime.max.replace(tzinfo=UTC)
    report = sync_candles_live(client=client, instrument="BTC", timeframe="1w", since=end, now=NOW)
    assert (report.rows, exchange.asked) == (0, [])


@pytest.mark.spec("U3", "U6")
@pytest.mark.usefixtures("btc")
def test_a_long_download_is_paged_and_tells_its_progress(
    client: Hyperliquid, exchange: Exchange
) -> None:
    told: list[tuple[int, int]] = []
    bars = 2 * PAGE + 7
    exchange.first = NOW.replace(minute=0) - bars * HOUR
    report = sync_candles_live(
        client=client,
        instrument="BTCUSDT",
        timeframe="1h",
        since=exchange.first,
        now=NOW,
        progress=lambda done, whole: told.append((done, whole)),
    )
    assert (report.stored, report.gaps) == (bars, ())
    assert (report.first, report.last) == (exchange.first, NOW.replace(minute=0) - HOUR)
    assert told == [(PAGE, bars), (2 * PAGE, bars), (bars, bars)]


@pytest.mark.spec("U3")
@pytest.mark.usefixtures("btc")
def test_pages_before_a_failure_stay_and_the_next_call_goes_on(
    client: Hyperliquid, exchange: Exchange
) -> None:
    bars = PAGE + 3
    exchange.first = NOW.replace(minute=0) - bars * HOUR
    page = exchange.answer(
        {
            "type": "candleSnapshot",
            "req": {
                "coin": "BTC",
                "interval": "1h",
                "startTime": (exchange.first - EPOCH) // MILLISECOND,
                "endTime": (exchange.first + PAGE * HOUR - EPOCH) // MILLISECOND - 1,
            },
        }
    )
    exchange.replies = [page, (400, {}, b"")]
    with pytest.raises(MarketUnavailable):
        sync_candles_live(
            client=client, instrument="BTC", timeframe="1h", since=exchange.first, now=NOW
        )
    assert Candle.objects.filter(instrument_id="BTC").count() == PAGE
    rest = sync_candles_live(client=client, instrument="BTC", timeframe="1h", now=NOW)
    assert (rest.stored, rest.gaps) == (3, ())


@pytest.mark.usefixtures("btc")
def test_bars_that_the_exchange_no_longer_serves_are_a_gap(
    client: Hyperliquid, exchange: Exchange
) -> None:
    sync_candles_live(client=client, instrument="BTC", timeframe="1h", now=NOW - 8 * HOUR)
    exchange.first += 4 * HOUR
    report = sync_candles_live(client=client, instrument="BTC", timeframe="1h", now=NOW)
    assert (report.missing, len(report.gaps)) == (2, 1)


@pytest.mark.usefixtures("btc")
def test_an_unknown_instrument_is_not_asked_for(client: Hyperliquid, exchange: Exchange) -> None:
    with pytest.raises(UnknownInstrument):
        sync_candles_live(client=client, instrument="NOPE", timeframe="1h", now=NOW)
    assert exchange.asked == []


@pytest.mark.spec("U3")
@pytest.mark.django_db
def test_all_lists_are_asked_for_and_synced(client: Hyperliquid, exchange: Exchange) -> None:
    report = sync_instruments_live(client=client, now=NOW)
    assert (report.created, report.deactivated) == (10, 0)
    assert exchange.asked == [
        {"type": "meta", "dex": ""},
        {"type": "perpDexs"},
        {"type": "meta", "dex": "xyz"},
        {"type": "spotMeta"},
    ]
    assert Instrument.objects.get(id="xyz:TSLA").source == "hyperliquid"


@pytest.mark.spec("U3")
@pytest.mark.django_db
def test_a_failure_halfway_through_the_lists_changes_nothing(
    client: Hyperliquid, exchange: Exchange
) -> None:
    exchange.replies = [
        (200, {}, json.dumps(exchange.lists["meta"]).encode()),
        (404, {}, b""),
    ]
    with pytest.raises(MarketUnavailable):
        sync_instruments_live(client=client, now=NOW)
    assert not Instrument.objects.filter(source="hyperliquid").exists()


@pytest.mark.spec("X4")
def test_the_address_comes_from_the_settings_alone(
    exchange: Exchange, settings: Any, waits: list[float]
) -> None:
    settings.HYPERLIQUID_URL = exchange.url
    with Hyperliquid.from_settings(clock=lambda: NOW, sleep=waits.append) as client:
        assert client.perp_dexs()[0] is None


@pytest.mark.spec("U3")
@pytest.mark.django_db
def test_the_commands_sync_live(exchange: Exchange, settings: Any) -> None:
    settings.HYPERLIQUID_URL = exchange.url
    out = io.StringIO()
    with time_machine.travel(NOW, tick=False):
        call_command("sync_instruments", "--live", stdout=out)
        call_command("sync_candles", "--instrument=TSLA", "--timeframe=1h", stdout=out)
        call_command("sync_candles", "--instrument=TSLA", "--timeframe=1h", stdout=out)
    first, second, third = out.getvalue().splitlines()
    assert "10 created" in first
    assert second.startswith("xyz:TSLA 1h: 10 stored, 0 there already")
    assert third == "xyz:TSLA 1h: nothing new."


@pytest.mark.spec("U3")
@pytest.mark.usefixtures("btc")
@pytest.mark.parametrize("since", ["2026-09-30", "2026-09-30T00:00Z", "2026-09-30T02:00+02:00"])
def test_a_download_starts_where_it_is_told_to(
    exchange: Exchange, settings: Any, since: str
) -> None:
    settings.HYPERLIQUID_URL = exchange.url
    with time_machine.travel(NOW, tick=False):
        call_command("sync_candles", "--instrument=BTC", "--timeframe=1h", f"--since={since}")
    asked = exchange.asked[0]["req"]["startTime"] * MILLISECOND
    assert EPOCH + asked == datetime(2026, 9, 30, tzinfo=UTC)


@pytest.mark.spec("U3")
@pytest.mark.usefixtures("btc")
def test_a_failure_of_the_exchange_ends_the_command(exchange: Exchange, settings: Any) -> None:
    settings.HYPERLIQUID_URL = exchange.url
    exchange.replies = [(403, {}, b"secret")] * 2
    for arguments in (
        ("sync_candles", "--instrument=BTC", "--timeframe=1h"),
        ("sync_instruments", "--live"),
    ):
        with pytest.raises(CommandError) as caught:
            call_command(*arguments)
        assert str(caught.value).partition(";")[0] == "the exchange refuses the request (403)"
        assert caught.value.returncode == 1
