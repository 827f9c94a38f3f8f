"""How much an answer may hold: whole units, one a line, and what did not fit is said (SPEC B5)."""

from collections.abc import Iterable, Sequence
from itertools import chain

from pydantic import BaseModel
from pydantic_core import to_json

ANSWER_BYTES = 24 * 1024
ANSWER_LINES = 1_000
CONTEXT_CHARS = 40_000
CLOSING_BYTES = 600
"""Kept free for the line that says what was left out."""

# In JSON these only occur inside strings, where the escape means the same. Unescaped they would
# end a line for some readers, or turn around what a person sees of it (SPEC S5).
_ESCAPED = chain(
    range(0x7F, 0xA0), (0x200E, 0x200F), range(0x2028, 0x202F), range(0x2066, 0x206A), (0xFEFF,)
)
ESCAPES = {code: f"\\u{code:04x}" for code in _ESCAPED}


def line(value: BaseModel | object) -> str:
    """Return JSON on one line, whatever the texts inside hold."""
    return to_json(value).decode().translate(ESCAPES)


def size(text: str) -> int:
    """Return the bytes of `text` as UTF-8."""
    return len(text.encode())


def fitting(units: Iterable[str], *, room: int, lines: int = ANSWER_LINES) -> int:
    """Return how many of the first units fit into `room` bytes, each with its line break."""
    used = count = 0
    for unit in units:
        used += size(unit) + 1
        if used > room or count == lines:
            break
        count += 1
    return count


def fitting_chars(units: Iterable[str], *, room: int) -> int:
    """Return the same for `room` characters."""
    used = count = 0
    for unit in units:
        used += len(unit) + 1
        if used > room:
            break
        count += 1
    return count


def parts(text: str, *, room: int = ANSWER_BYTES - CLOSING_BYTES) -> Sequence[str]:
    """Cut `text` into pieces that each take at most `room` bytes, even as a JSON string."""
    found, start = [], 0
    while start < len(text):
        length = room
        while (cost := size(line(text[start : start + length]))) > room:
            length = min(length - 1, length * room // cost)
        found.append(text[start : start + length])
        start += length
    return found
