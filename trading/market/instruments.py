"""Instruments: keeping the table in step with the exchange's lists, names, and the price rule."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import transaction

from memory.models import Instrument
from trading.market.candles import SAMPLE_SOURCE
from trading.market.listings import PERPETUAL, SPOT, Draft, Listing
from trading.models import SpotPair

COPIED = (
    "kind",
    "dex",
    "asset_id",
    "sz_decimals",
    "max_leverage",
    "only_isolated",
    "is_active",
)
SIGNIFICANT_FIGURES = 5
PRICE_DECIMALS = {PERPETUAL: 6, SPOT: 8}
QUOTES = ("/USDC:USDC", "-PERP", "-USD", "USDT", "USDC")
"""Endings by which other venues and libraries name a perpetual."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SyncReport:
    """How many instruments were new, changed, as before, deactivated, or left alone.

    `skipped` are outcome markets, which are not supported; `kept` are sample instruments.
    """

    created: int
    updated: int
    unchanged: int
    deactivated: int
    kept: int
    skipped: int

    def as_json(self) -> dict[str, int]:
        """Return the counts by name."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownName:
    """A canonical name with what it takes to recognise its other spellings."""

    id: str
    kind: str
    dex: str = ""
    pair: str = ""


def sync(*, listings: Iterable[Listing], source: str, now: datetime) -> SyncReport:
    """Make the instruments agree with complete lists of `source`; a second call changes nothing.

    What a list of the same kind, dex and source lacks is deactivated, never deleted (SPEC R3).
    Sample instruments are left alone. `seen_at` becomes `now` for all that are listed.
    """
    listings = tuple(listings)
    drafts = {draft.id: draft for listing in listings for draft in listing.drafts}
    with transaction.atomic():
        # In order of the key, so that two syncs cannot wait for each other in a circle.
        old = {
            row.id: row
            for row in Instrument.objects.select_for_update().filter(id__in=drafts).order_by("id")
        }
        kept = {name for name, row in old.items() if row.source == SAMPLE_SOURCE}
        wanted = [drafts[name] for name in sorted(set(drafts) - kept)]
        changed = sum(draft.id in old and _differs(old[draft.id], draft) for draft in wanted)
        _upsert(wanted, source=source, now=now)
        deactivated = sum(_deactivate_vanished(listing, source) for listing in listings)
    created = sum(draft.id not in old for draft in wanted)
    return SyncReport(
        created=created,
        updated=changed,
        unchanged=len(wanted) - created - changed,
        deactivated=deactivated,
        kept=len(kept),
        skipped=sum(listing.skipped for listing in listings),
    )


def known_names() -> tuple[KnownName, ...]:
    """Return every canonical name, delisted ones too, in the order of their asset ids."""
    rows = Instrument.objects.order_by("asset_id", "id").values_list(
        "id", "kind", "dex", "spot_pair__base", "spot_pair__quote"
    )
    return tuple(
        KnownName(id=name, kind=kind, dex=dex, pair=f"{base}/{quote}" if base else "")
        for name, kind, dex, base, quote in rows
    )


def resolve(*, name: str, known: Iterable[KnownName]) -> str | None:
    """Return the canonical name that `name` stands for, or None: never a guess.

    Tried in turn: the exact name, another venue's spelling (`ETHUSDT`, `ETH-PERP`, `eth`), the
    tokens of a spot pair (the first such pair), and a coin that a single builder dex lists.
    """
    known = tuple(known)
    if any(entry.id == name for entry in known):
        return name
    pairs = [entry.id for entry in known if entry.pair and entry.pair.casefold() == name.casefold()]
    if pairs:
        return pairs[0]
    for ending in ("", *QUOTES):
        if not name.casefold().endswith(ending.casefold()):
            continue
        coin = name[: len(name) - len(ending)]
        if coin and (found := _perpetuals(coin, known)):
            return found[0] if len(found) == 1 else None
    return None


def canonical(name: str) -> str:
    """Return the canonical name that `name` stands for, or itself where it is nobody's."""
    return resolve(name=name, known=known_names()) or name


def price_follows_rule(*, price: Decimal, kind: str, sz_decimals: int) -> bool:
    """Tell whether the exchange would take `price`.

    It does take a whole number, and any other of at most 5 significant figures and at most 6
    (perpetual) or 8 (spot) minus `sz_decimals` decimals. From general documentation; if it turns
    out otherwise, this is the one place to change.
    """
    if not price.is_finite() or price <= 0:
        return False
    if price == price.to_integral_value():
        return True
    _, digits, exponent = price.normalize().as_tuple()
    decimals = -int(exponent)
    return len(digits) <= SIGNIFICANT_FIGURES and decimals <= PRICE_DECIMALS[kind] - sz_decimals


def _perpetuals(coin: str, known: tuple[KnownName, ...]) -> list[str]:
    """Return the perpetuals that `coin` may mean: of the main dex if any, else of the others."""
    perpetuals = [entry for entry in known if entry.kind == PERPETUAL]
    spelled = [entry for entry in perpetuals if entry.id.casefold() == coin.casefold()]
    if any(entry.id == coin for entry in spelled):
        return [coin]
    if spelled:
        return [entry.id for entry in spelled]
    return [
        entry.id
        for entry in perpetuals
        if entry.dex and entry.id.partition(":")[2].casefold() == coin.casefold()
    ]


def _differs(row: Instrument, draft: Draft) -> bool:
    return any(getattr(row, name) != getattr(draft, name) for name in COPIED)


def _upsert(drafts: list[Draft], *, source: str, now: datetime) -> None:
    values: list[dict[str, Any]] = [
        {"id": draft.id, **{name: getattr(draft, name) for name in COPIED}} for draft in drafts
    ]
    Instrument.objects.bulk_create(
        [Instrument(**row, source=source, seen_at=now) for row in values],
        update_conflicts=True,
        unique_fields=["id"],
        update_fields=[*COPIED, "source", "seen_at"],
    )
    SpotPair.objects.bulk_create(
        [
            SpotPair(instrument_id=draft.id, base=draft.base, quote=draft.quote)
            for draft in drafts
            if draft.base
        ],
        update_conflicts=True,
        unique_fields=["instrument"],
        update_fields=["base", "quote"],
    )


def _deactivate_vanished(listing: Listing, source: str) -> int:
    return (
        Instrument.objects.filter(kind=listing.kind, dex=listing.dex, source=source, is_active=True)
        .exclude(id__in=[draft.id for draft in listing.drafts])
        .update(is_active=False)
    )
