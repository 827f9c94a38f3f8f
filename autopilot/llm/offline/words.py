"""How the offline roles say who they are, and the little grammar they need."""

from collections.abc import Iterable

OFFLINE = "Offline, no model."
OFFLINE_ADVISOR = "Offline advisor, no model."


def plural(number: int, noun: str) -> str:
    """Return `1 rule`, `2 rules`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(words: Iterable[str]) -> str:
    """Return `a, b and c`."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last
