"""Reading JSON that follows no schema: every helper takes anything, and raises nothing."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

MAX_DIGITS, BOUND = 40, Decimal(10) ** 15
UP = frozenset({"long", "buy", "bull", "bullish", "up", "uptrend", "rising", "above", "over"})
DOWN = frozenset(
    {"short", "sell", "bear", "bearish", "down", "downtrend", "falling", "below", "under"}
)


def mapping(value: object) -> Mapping[Any, Any]:
    """Return an object, or an empty one."""
    return value if isinstance(value, Mapping) else {}


def items(value: object) -> list[Any]:
    """Return a list, or an empty one."""
    return list(value) if isinstance(value, list | tuple) else []


def number(value: object) -> Decimal | None:
    """Return a finite number of a sensible size, also one written as text; None for the rest."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | str):
        return None
    if isinstance(value, int) and abs(value) >= BOUND:
        return None  # its digits may be more than Python prints
    try:
        found = Decimal(str(value)[:MAX_DIGITS].strip())
    except ArithmeticError:
        return None
    return found if found.is_finite() and abs(found) < BOUND else None


def first(part: Mapping[Any, Any], keys: tuple[str, ...]) -> Any:
    """Return what is under the first of `keys` that is there, or None."""
    return next((part[key] for key in keys if part.get(key) is not None), None)


def prices(value: object) -> list[Decimal]:
    """Return the prices of a level: a number, an object with a `price`, or a list of such."""
    found = []
    for item in items(value) or [value]:
        price = number(mapping(item).get("price") if isinstance(item, Mapping) else item)
        if price is not None:
            found.append(price)
    return found


def direction_of(value: object) -> int:
    """Return 1 for a word that means up or long, -1 for one of down or short, 0 for the rest."""
    words = set(value.lower().split("_")) if isinstance(value, str) else set()
    return bool(words & UP) - bool(words & DOWN)


def type_of(block: object) -> str:
    """Return a block's type, "" for none."""
    found = mapping(block).get("type")
    return found if isinstance(found, str) else ""


def parts(value: Mapping[Any, Any]) -> Iterator[tuple[str, Mapping[Any, Any]]]:
    """Yield (path, block) of what stands where a strategy's entry blocks stand."""
    for index, item in enumerate(items(value.get("foundations"))):
        yield f"foundations[{index}].block", mapping(mapping(item).get("block"))
    for index, item in enumerate(items(value.get("filters"))):
        yield f"filters[{index}]", mapping(item)
