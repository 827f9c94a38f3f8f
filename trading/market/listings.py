"""Hyperliquid's lists of markets, read from raw JSON into drafts of instruments.

Old recordings lack newer fields, so every optional one has a default. An entry that is delisted
stays in the list: the place of an entry is its asset id.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from trading.errors import BadInstrumentFile

SPOT_BASE = 10_000
DEX_BASE = 100_000
DEX_STEP = 10_000
OUTCOME_BASE = 100_000_000
OUTCOME_MARKS = ("#", "+")
"""How the names of outcome markets and of their tokens begin."""

NAME_LENGTH = 64

PERPETUAL, SPOT = "perpetual", "spot"


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """What a list says of one market. `base` and `quote` are the tokens of a spot pair."""

    id: str
    kind: str
    dex: str
    asset_id: int
    sz_decimals: int
    max_leverage: int | None = None
    only_isolated: bool = False
    is_active: bool = True
    base: str = ""
    quote: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Listing:
    """One complete list: all perpetuals of a dex, or all spot pairs. `skipped`: outcome markets."""

    kind: str
    dex: str
    drafts: tuple[Draft, ...]
    skipped: int = 0


Name = Annotated[str, Field(min_length=1, max_length=NAME_LENGTH, pattern=r"^[^\x00-\x1f\x7f]*$")]


class _Wire(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Perpetual(_Wire):
    name: Name
    sz_decimals: int = Field(alias="szDecimals", ge=0, le=18)
    max_leverage: int | None = Field(None, alias="maxLeverage", ge=1, le=1_000)
    only_isolated: bool = Field(default=False, alias="onlyIsolated")
    is_delisted: bool = Field(default=False, alias="isDelisted")


class _Meta(_Wire):
    universe: list[_Perpetual] = Field(max_length=DEX_STEP)


class _Dex(_Wire):
    name: Name = Field(max_length=32)


class _Token(_Wire):
    name: Name
    index: int
    sz_decimals: int = Field(alias="szDecimals", ge=0, le=18)


class _Pair(_Wire):
    name: Name
    index: int = Field(ge=0)
    tokens: tuple[int, int]
    is_delisted: bool = Field(default=False, alias="isDelisted")


class _SpotMeta(_Wire):
    tokens: list[_Token]
    universe: list[_Pair]


class _Combined(_Wire):
    """Our own file shape: the answers side by side, a further dex under `meta_<name>`."""

    model_config = ConfigDict(extra="allow", frozen=True)

    meta: Any = None
    perp_dexs: Any = Field(None, alias="perpDexs")
    spot_meta: Any = Field(None, alias="spotMeta")


def parse_meta(*, raw: object, dex: str = "", dex_index: int = 0) -> Listing:
    """Read an answer to `meta` (BadInstrumentFile). Dex 0 is the main one, named ""."""
    meta = _read(_Meta, raw, f"meta of dex {dex!r}")
    base = DEX_BASE + dex_index * DEX_STEP if dex else 0
    drafts = tuple(
        Draft(
            id=_of_dex(entry.name, dex),
            kind=PERPETUAL,
            dex=dex,
            asset_id=base + index,
            sz_decimals=entry.sz_decimals,
            max_leverage=entry.max_leverage,
            only_isolated=entry.only_isolated,
            is_active=not entry.is_delisted,
        )
        for index, entry in enumerate(meta.universe)
        if not entry.name.startswith(OUTCOME_MARKS)
    )
    return _listing(PERPETUAL, dex, drafts, len(meta.universe))


def parse_dexs(*, raw: object) -> dict[str, int]:
    """Read an answer to `perpDexs`: name to index of each dex besides the main one."""
    if not isinstance(raw, list):
        raise BadInstrumentFile("perpDexs is not a list")
    # The main dex is a null, and its place counts.
    return {
        _read(_Dex, entry, "perpDexs").name: index
        for index, entry in enumerate(raw)
        if entry is not None
    }


def parse_spot_meta(*, raw: object) -> Listing:
    """Read an answer to `spotMeta`; sizes have the decimals of the base token."""
    meta = _read(_SpotMeta, raw, "spotMeta")
    tokens = {token.index: token for token in meta.tokens}
    drafts = []
    for pair in meta.universe:
        if pair.name.startswith(OUTCOME_MARKS) or pair.index >= OUTCOME_BASE - SPOT_BASE:
            continue
        base, quote = (tokens.get(index) for index in pair.tokens)
        if base is None or quote is None:
            raise BadInstrumentFile(f"spotMeta: {pair.name} names a token that is not listed")
        drafts.append(
            Draft(
                id=pair.name,
                kind=SPOT,
                dex="",
                asset_id=SPOT_BASE + pair.index,
                sz_decimals=base.sz_decimals,
                is_active=not pair.is_delisted,
                base=base.name,
                quote=quote.name,
            )
        )
    return _listing(SPOT, "", tuple(drafts), len(meta.universe))


def parse_file(*, raw: object) -> tuple[Listing, ...]:
    """Read a file: one `meta` answer, or several side by side (`meta`, `meta_<dex>`, `spotMeta`).

    Raises BadInstrumentFile. `perpDexs` gives the index of a further dex, and must name it.
    """
    if not isinstance(raw, dict):
        raise BadInstrumentFile("the file holds no JSON object")
    if "universe" in raw:
        return (parse_meta(raw=raw),)
    combined = _read(_Combined, raw, "the file")
    listings = tuple(_combined(combined))
    if not listings:
        raise BadInstrumentFile(
            "the file has neither a universe nor any of meta, meta_<dex> and spotMeta"
        )
    return listings


def _combined(combined: _Combined) -> Iterator[Listing]:
    if combined.meta is not None:
        yield parse_meta(raw=combined.meta)
    dexs = parse_dexs(raw=combined.perp_dexs) if combined.perp_dexs is not None else {}
    for key, raw in (combined.model_extra or {}).items():
        if key.startswith("meta_"):
            name = key.removeprefix("meta_")
            if name not in dexs:
                raise BadInstrumentFile(f"{key}: perpDexs does not name the dex {name!r}")
            yield parse_meta(raw=raw, dex=name, dex_index=dexs[name])
    if combined.spot_meta is not None:
        yield parse_spot_meta(raw=combined.spot_meta)


def _listing(kind: str, dex: str, drafts: tuple[Draft, ...], entries: int) -> Listing:
    for name, times in Counter(draft.id for draft in drafts).items():
        if times > 1:
            raise BadInstrumentFile(f"{name} is listed twice", instrument=name)
        if len(name) > NAME_LENGTH:
            raise BadInstrumentFile(f"the name {name} is too long", instrument=name)
    return Listing(kind=kind, dex=dex, drafts=drafts, skipped=entries - len(drafts))


def _of_dex(name: str, dex: str) -> str:
    return name if not dex or name.startswith(f"{dex}:") else f"{dex}:{name}"


def _read[Shape: BaseModel](shape: type[Shape], raw: object, what: str) -> Shape:
    try:
        return shape.model_validate(raw)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise BadInstrumentFile(f"{what}: {place or 'the answer'}: {first['msg']}") from error
