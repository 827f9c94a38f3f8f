"""JSON values as the store keeps them: what PostgreSQL cannot hold is refused by its place.

`canonical` is the form that digests are taken over. It equals itself after a round trip through
jsonb, which rewrites numbers (1e22 comes back as an integer) and the order of keys.
"""

import json
import math
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

WHOLE = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)
SURROGATE = re.compile("[\ud800-\udfff]")


def unstorable(text: str) -> str | None:
    """Return what makes `text` impossible to store, or None."""
    if "\x00" in text:
        return "holds a NUL character"
    if SURROGATE.search(text):
        return "holds a lone surrogate, which is not Unicode text"
    return None


def flaws(value: Any, *, path: str) -> Iterator[tuple[str, str]]:
    """Yield (path, problem) for each text or number inside `value` that cannot be stored.

    Walks without recursion: the depth is the caller's to bound, and may not be bounded yet.
    """
    waiting = [(path, value)]
    while waiting:
        place, item = waiting.pop()
        if isinstance(item, str):
            if problem := unstorable(item):
                yield place, problem
        elif isinstance(item, float) and not math.isfinite(item):
            yield place, "is a number out of range"
        elif isinstance(item, dict):
            for key, inner in item.items():
                if problem := unstorable(key):
                    yield place, f"has a key that {problem}"
                else:
                    waiting.append((f"{place}.{key}", inner))
        elif isinstance(item, list):
            waiting.extend((f"{place}[{i}]", inner) for i, inner in enumerate(item))


def whole_number(text: str) -> int | None:
    """Read a whole number as it is written, without sign, zeros before it or separators."""
    return int(text) if WHOLE.fullmatch(text) else None


def depth(value: Any) -> int:
    """Return how deep containers are nested: 0 for a scalar, 1 for `{}`, 2 for `{"a": {}}`."""
    level, layer = 0, [value]
    while layer := [item for item in layer if isinstance(item, dict | list)]:
        level += 1
        layer = [
            inner for item in layer for inner in (item.values() if isinstance(item, dict) else item)
        ]
    return level


def settled(value: Any) -> Any:
    """Return `value` with its numbers in the form that jsonb gives back."""
    if isinstance(value, float):
        if value == 0:
            return 0.0
        return int(Decimal(repr(value))) if value.is_integer() and "e" in repr(value) else value
    if isinstance(value, dict):
        return {key: settled(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [settled(inner) for inner in value]
    return value


def json_bytes(value: Any) -> int:
    """Return the size of `value` as JSON, also when it holds what cannot be stored."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return len(text.encode("utf-8", "surrogatepass"))


def canonical(value: Any) -> bytes:
    """Return canonical JSON: sorted keys, no spaces, UTF-8."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()
