"""The table of instruments follows the exchange's lists; names are resolved and never guessed."""

import json
from collections.abc import Iterable
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import IntegrityError, connection, transaction

from memory.models import Instrument
from trading.errors import BadInstrumentFile
from trading.market.instruments import (
    KnownName,
    SyncReport,
    known_names,
    price_follows_rule,
    resolve,
    sync,
)
from trading.market.listings import (
    Listing,
    parse_dexs,
    parse_file,
    parse_meta,
    parse_spot_meta,
)
from trading.models import SpotPair

COLUMNS = ("kind", "dex", "asset_id", "sz_decimals", "max_leverage", "only_isolated", "is_active")


@pytest.fixture
def handmade(fixtures: Path) -> Any:
    return json.loads((fixtures / "hyperliquid_instruments_handmade.json").read_text())


def perpetuals(*names: str, dex: str = "", delisted: Iterable[str] = ()) -> Listing:
    universe = [
        {"name": name, "szDecimals": 2, "isDelisted": name in set(delisted)} for name in names
    ]
    return parse_meta(raw={"universe": universe}, dex=dex, dex_index=1)


def counts(report: SyncReport) -> dict[str, int]:
    return {name: count for name, count in report.as_json().items() if count}


def active(*names: str) -> dict[str, bool]:
    return dict(Instrument.objects.filter(id__in=names).values_list("id", "is_active"))


@pytest.mark.spec("U3")
@pytest.mark.django_db
def test_every_kind_of_market_gets_its_name_and_its_asset_id(handmade: Any, now: datetime) -> None:
    report = sync(listings=parse_file(raw=handmade), source="file", now=now)
    assert counts(report) == {"created": 10}
    rows = {row.id: row for row in Instrument.objects.filter(source="file")}
    expected: dict[str, tuple[object, ...]] = {
        "BTC": ("perpetual", "", 0, 5, 40, False, True),
        "MATIC": ("perpetual", "", 3, 1, 20, False, False),
        "kPEPE": ("perpetual", "", 6, 0, 10, False, True),
        "xyz:TSLA": ("perpetual", "xyz", 110_000, 3, 10, True, True),
        "PURR/USDC": ("spot", "", 10_000, 0, None, False, True),
        "@107": ("spot", "", 10_107, 2, None, False, True),
    }
    for name, columns in expected.items():
        assert tuple(getattr(rows[name], column) for column in COLUMNS) == columns
    assert str(SpotPair.objects.get(instrument="@107")) == "HYPE/USDC"


@pytest.mark.spec("U3")
@pytest.mark.django_db
def test_a_recording_of_the_old_shape_is_read_with_defaults(real_data: Path, now: datetime) -> None:
    raw = json.loads((real_data / "hyperliquid_meta_2023-07-17_sdk_cassette.json").read_text())
    assert counts(sync(listings=parse_file(raw=raw), source="file", now=now)) == {"created": 28}
    assert (
        Instrument.objects.filter(source="file", is_active=True, only_isolated=False).count() == 28
    )


@pytest.mark.spec("U3")
@pytest.mark.django_db
def test_syncing_twice_changes_nothing_but_when_it_was_seen(handmade: Any, now: datetime) -> None:
    listings = parse_file(raw=handmade)
    sync(listings=listings, source="file", now=now)
    before = list(Instrument.objects.order_by("id").values(*COLUMNS, "id", "source"))
    later = now + timedelta(days=1)
    assert counts(sync(listings=listings, source="file", now=later)) == {"unchanged": 10}
    assert list(Instrument.objects.order_by("id").values(*COLUMNS, "id", "source")) == before
    assert set(Instrument.objects.values_list("seen_at", flat=True)) == {later}


@pytest.mark.spec("R3")
@pytest.mark.django_db
def test_a_delisted_market_keeps_its_row_and_its_place(now: datetime) -> None:
    sync(listings=[perpetuals("A", "B", "C")], source="hyperliquid", now=now)
    report = sync(
        listings=[perpetuals("A", "B", "C", delisted=["B"])], source="hyperliquid", now=now
    )
    assert counts(report) == {"updated": 1, "unchanged": 2}
    assert active("A", "B", "C") == {"A": True, "B": False, "C": True}
    assert Instrument.objects.get(id="C").asset_id == 2


@pytest.mark.spec("R3")
@pytest.mark.django_db
def test_a_vanished_market_is_deactivated_within_its_kind_dex_and_source(now: datetime) -> None:
    spot = parse_spot_meta(
        raw={
            "tokens": [
                {"name": "S", "index": 1, "szDecimals": 2},
                {"name": "USDC", "index": 0, "szDecimals": 8},
            ],
            "universe": [{"name": "@1", "index": 1, "tokens": [1, 0]}],
        }
    )
    sync(listings=[perpetuals("OTHER")], source="file", now=now)
    sync(
        listings=[perpetuals("A", "B"), perpetuals("T", dex="xyz"), spot],
        source="hyperliquid",
        now=now,
    )
    report = sync(listings=[perpetuals("A")], source="hyperliquid", now=now)
    assert counts(report) == {"unchanged": 1, "deactivated": 1}
    assert active("A", "B", "xyz:T", "@1", "OTHER") == {
        "A": True,
        "B": False,
        "xyz:T": True,
        "@1": True,
        "OTHER": True,
    }
    back = sync(listings=[perpetuals("A", "B")], source="hyperliquid", now=now)
    assert counts(back) == {"updated": 1, "unchanged": 1}
    assert active("B") == {"B": True}


@pytest.mark.spec("U5")
@pytest.mark.django_db
def test_sample_instruments_are_left_alone(now: datetime) -> None:
    Instrument.objects.create(
        id="xyz:IBM", kind="perpetual", dex="xyz", source="sample", seen_at=now
    )
    listed = perpetuals("IBM", "TSLA", dex="xyz", delisted=["IBM"])
    assert counts(sync(listings=[listed], source="hyperliquid", now=now)) == {
        "created": 1,
        "kept": 1,
    }
    sync(listings=[perpetuals("TSLA", dex="xyz")], source="hyperliquid", now=now)
    row = Instrument.objects.get(id="xyz:IBM")
    assert (row.source, row.is_active, row.asset_id) == ("sample", True, None)


def test_outcome_markets_are_recognised_and_skipped() -> None:
    listing = parse_spot_meta(
        raw={
            "tokens": [
                {"name": "USDC", "index": 0, "szDecimals": 8},
                {"name": "+10", "index": 9, "szDecimals": 0},
            ],
            "universe": [
                {"name": "#10", "index": 5, "tokens": [9, 0]},
                {"name": "@9", "index": 100_000_010, "tokens": [9, 0]},
            ],
        }
    )
    assert (listing.drafts, listing.skipped) == ((), 2)


def test_the_places_of_dexs_count_the_main_one() -> None:
    assert parse_dexs(raw=[None, {"name": "xyz"}, {"name": "abc", "fullName": "A"}]) == {
        "xyz": 1,
        "abc": 2,
    }


@pytest.mark.spec("U3")
@pytest.mark.parametrize(
    "raw",
    [
        None,
        [],
        "text",
        {},
        {"universe": None},
        {"universe": [{"name": "BTC"}]},
        {"universe": [{"name": "", "szDecimals": 1}]},
        {"universe": [{"name": "B\x00C", "szDecimals": 1}]},
        {"universe": [{"name": "X" * 65, "szDecimals": 1}]},
        {"universe": [{"name": "BTC", "szDecimals": -1}]},
        {"universe": [{"name": "BTC", "szDecimals": 1}, {"name": "BTC", "szDecimals": 1}]},
        {"meta_xyz": {"universe": []}},
        {"meta_xyz": {"universe": []}, "perpDexs": [None]},
        {"perpDexs": [None, {}]},
        {"perpDexs": "xyz", "meta": {"universe": []}},
        {
            "meta_xyz": {"universe": [{"name": "X" * 62, "szDecimals": 1}]},
            "perpDexs": [None, {"name": "xyz"}],
        },
        {"spotMeta": {"tokens": [], "universe": [{"name": "@1", "index": 1, "tokens": [1, 0]}]}},
        {"spotMeta": {"tokens": [], "universe": [{"name": "@1", "index": 1, "tokens": [1]}]}},
    ],
)
def test_what_is_no_list_of_markets_is_refused(raw: object) -> None:
    with pytest.raises(BadInstrumentFile) as caught:
        parse_file(raw=raw)
    assert caught.value.code == "bad_instrument_file"


KNOWN = (
    KnownName(id="BTC", kind="perpetual"),
    KnownName(id="ETH", kind="perpetual"),
    KnownName(id="kPEPE", kind="perpetual"),
    KnownName(id="AI", kind="perpetual"),
    KnownName(id="ai", kind="perpetual"),
    KnownName(id="PURR/USDC", kind="spot", pair="PURR/USDC"),
    KnownName(id="@107", kind="spot", pair="HYPE/USDC"),
    KnownName(id="@207", kind="spot", pair="HYPE/USDC"),
    KnownName(id="xyz:TSLA", kind="perpetual", dex="xyz"),
    KnownName(id="xyz:BTC", kind="perpetual", dex="xyz"),
    KnownName(id="xyz:GOLD", kind="perpetual", dex="xyz"),
    KnownName(id="abc:GOLD", kind="perpetual", dex="abc"),
)


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("BTC", "BTC"),
        ("ETHUSDT", "ETH"),
        ("ETHUSDC", "ETH"),
        ("ETH-USD", "ETH"),
        ("ETH-PERP", "ETH"),
        ("ETH/USDC:USDC", "ETH"),
        ("eth", "ETH"),
        ("ethusdt", "ETH"),
        ("kPEPE", "kPEPE"),
        ("KPEPE", "kPEPE"),
        ("PURR/USDC", "PURR/USDC"),
        ("HYPE/USDC", "@107"),
        ("@107", "@107"),
        ("TSLA", "xyz:TSLA"),
        ("xyz:TSLA", "xyz:TSLA"),
        ("XYZ:tsla", "xyz:TSLA"),
        ("AI", "AI"),
        ("ai", "ai"),
        ("Ai", None),
        ("GOLD", None),
        ("ETH/USDC", None),
        ("HYPE", None),
        ("PURR", None),
        ("ETHUSDTUSDT", None),
        ("USDT", None),
        ("ET", None),
        ("", None),
        ("ETH ", None),
    ],
)
def test_other_spellings_lead_to_the_canonical_name_or_nowhere(
    name: str, canonical: str | None
) -> None:
    assert resolve(name=name, known=KNOWN) == canonical


@pytest.mark.django_db
def test_the_names_in_the_table_are_enough_to_resolve(handmade: Any, now: datetime) -> None:
    sync(listings=parse_file(raw=handmade), source="file", now=now)
    known = known_names()
    spellings = ("HYPE/USDC", "TSLA", "btcusdt", "MATIC-USD")
    assert [resolve(name=name, known=known) for name in spellings] == [
        "@107",
        "xyz:TSLA",
        "BTC",
        "MATIC",
    ]


@pytest.mark.parametrize(
    ("price", "kind", "sz_decimals", "fits"),
    [
        ("123456", "perpetual", 5, True),
        ("1E+5", "perpetual", 0, True),
        ("1234.5", "perpetual", 1, True),
        ("1234.56", "perpetual", 1, False),
        ("0.001234", "perpetual", 0, True),
        ("0.0012345", "perpetual", 0, False),
        ("0.01234", "perpetual", 1, True),
        ("0.01234", "perpetual", 2, False),
        ("0.0012345", "spot", 1, True),
        ("0.0012345", "spot", 2, False),
        ("100.50000", "perpetual", 4, True),
        ("0", "perpetual", 0, False),
        ("-1", "perpetual", 0, False),
        ("NaN", "perpetual", 0, False),
        ("Infinity", "perpetual", 0, False),
    ],
)
def test_prices_follow_the_rule_of_figures_and_decimals(
    price: str, kind: str, sz_decimals: int, *, fits: bool
) -> None:
    assert price_follows_rule(price=Decimal(price), kind=kind, sz_decimals=sz_decimals) is fits


@pytest.mark.parametrize("tokens", [("", "USDC"), ("HYPE", "")])
@pytest.mark.usefixtures("btc")
def test_the_database_refuses_a_spot_pair_without_names(tokens: tuple[str, str]) -> None:
    statement = "INSERT INTO trading_spot_pair (instrument_id, base, quote) VALUES ('BTC', %s, %s)"
    with (
        pytest.raises(IntegrityError) as caught,
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement, tokens)
    assert isinstance(caught.value.__cause__, psycopg.Error)
    assert caught.value.__cause__.diag.constraint_name == "spot_pair_tokens_named"
