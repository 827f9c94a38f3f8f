"""The text of a search answer, line by line (SPEC S4, S5, B5).

What memories say was written by models and strangers: each keeps to its line, and what looks like
one of our marks or headings is shown in another form, so that it is none.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Literal

type Step = Literal["rule", "exact", "transfer"]

NOTHING_FOUND = "No matching memories found."
BLANK = "(nothing visible)"
COMMUNITY = "[COMMUNITY 🌐]"
ROOM_BYTES = 24 * 1024
CLOSING_BYTES = 100
"""Kept free for the line that says what was left out."""

# A line break or a tabulator parts words; other controls, marks that turn text around, invisible
# and unassigned characters say nothing to a reader.
SPACES = {"Cc", "Zl", "Zp", "Zs"}
DROPPED = {"Cf", "Cs", "Co", "Cn"}
# Letters and accents that show nothing (Unicode's Default_Ignorable_Code_Point, beyond Cf and Cn).
UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)

# Full-width and other brackets are taken for ours by a reader, too.
OPEN, CLOSE = r"[\[\uff3b\u3010\u3014\u27e6]", r"[\]\uff3d\u3011\u3015\u27e7]"
INSIDE = r"[^\[\]\uff3b\uff3d\u3010\u3011\u3014\u3015\u27e6\u27e7]"
BRACKETED = re.compile(rf"{OPEN}({INSIDE}*){CLOSE}")
MARK = re.compile(r"^\s*(?:success|failure|community|conf|transfer|from)\b", re.IGNORECASE)
STARRED = re.compile(r"[*\uff0a]{2,}([^*\uff0a]*)[*\uff0a]{2,}")
HEADING = re.compile(r"(?:rules|insights|transfer)\s*:\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What a line of the answer is made of."""

    step: Step
    content: str
    confidence: Decimal
    outcome: str | None = None
    symbol: str | None = None
    is_community: bool = False
    granted_from: str | None = None


def fold(text: str) -> str:
    """Return `text` as part of one line: without breaks, controls and invisible characters."""
    kinds = ((character, unicodedata.category(character)) for character in text)
    kept = (" " if kind in SPACES else "" if kind in DROPPED else one for one, kind in kinds)
    return " ".join(UNSEEN.sub("", "".join(kept)).split())


def defused(text: str) -> str:
    """Return folded text in which nothing can be taken for a mark or a heading of ours."""
    said = fold(text.replace("⚡", " "))
    plain = STARRED.sub(lambda found: found[1] if _shows(HEADING, found[1]) else found[0], said)
    return (
        BRACKETED.sub(lambda found: f"({found[1]})" if _shows(MARK, found[1]) else found[0], plain)
        or BLANK
    )


def _shows(ours: re.Pattern[str], text: str) -> bool:
    """Tell whether a reader may take a text for ours.

    Letters of other scripts look like ours, so that whatever is not plain is taken for it.
    """
    return not text.isascii() or ours.search(text) is not None


def percent(share: Decimal) -> str:
    """Return a share of 0…1 in whole percents, half up."""
    return f"{(share * 100).quantize(Decimal(1), ROUND_HALF_UP)}%"


def line(entry: Entry) -> str:
    """Return an entry's line; marks stand in the order of SPEC S4."""
    marks = []
    if entry.step == "transfer":
        marks.append("⚡")
        # An insight about no market in particular comes from nowhere in particular.
        marks += [f"[Transfer from {defused(entry.symbol)}]"] if entry.symbol else []
    if entry.granted_from is not None:
        marks.append(f"[FROM {defused(entry.granted_from)}]")
    if entry.is_community:
        marks.append(COMMUNITY)
    if entry.step == "rule":
        marks.append(f"[conf: {percent(entry.confidence)}]")
    elif entry.outcome is not None:
        marks.append(f"[{entry.outcome.upper()}]")
    return " ".join(["-", *marks, defused(entry.content)])


def heading(step: Step, *, symbol: str | None) -> str:
    """Return the heading of a section; `symbol` is what was asked for."""
    if step == "exact":
        return f"**{defused(symbol or '')} Insights:**"
    return "**Universal Rules:**" if step == "rule" else "**Cross-Asset Transfer:**"


def layout(
    entries: Sequence[Entry], *, symbol: str | None, room: int = ROOM_BYTES
) -> tuple[str, list[int]]:
    """Return the text of entries in the order of their steps, and the places of those shown.

    A line that does not fit into `room` bytes is left out whole, and that is said at the end.
    """
    lines: list[str] = []
    shown: list[int] = []
    step: Step | None = None
    left = room - CLOSING_BYTES
    for place, entry in enumerate(entries):
        new = [line(entry)]
        if entry.step != step:
            new = [*([""] if lines else []), heading(entry.step, symbol=symbol), *new]
        cost = _bytes(new)
        if cost <= left:
            left -= cost
            lines += new
            shown.append(place)
            step = entry.step
    if hidden := len(entries) - len(shown):
        noun = "memory was" if hidden == 1 else "memories were"
        lines += [*([""] if lines else []), f"{hidden} {noun} too long for this answer."]
    return "\n".join(lines) or NOTHING_FOUND, shown


def _bytes(lines: Iterable[str]) -> int:
    return sum(len(one.encode()) + 1 for one in lines)
