"""Versions of what can be changed, as entity tags, and conditions on them (SPEC E4).

A tag is a digest of the state that it stands for, so that equal states have equal tags.
"""

import hashlib
import re
from dataclasses import dataclass
from typing import Any

from memory.policies.text import canonical

TAG_CHARS = 32
_TAG = re.compile(r'\s*(W/)?"([\x21\x23-\x7e\x80-\xff]*)"\s*')
ANY = "*"


def tag_of(state: dict[str, Any]) -> str:
    """Return the entity tag of a state, with its quotes."""
    return f'"{hashlib.sha256(canonical(state)).hexdigest()[:TAG_CHARS]}"'


@dataclass(frozen=True, slots=True)
class Condition:
    """What `If-Match` asks: that the tag is one of these; None: that there is any."""

    tags: frozenset[str] | None

    def holds(self, tag: str) -> bool:
        """Tell whether a current tag fulfils it."""
        return self.tags is None or tag in self.tags


def condition_of(header: str) -> Condition:
    """Read `If-Match` (ValueError: it is no list of entity tags).

    Weak tags are left out: they never match where nothing may be overwritten.
    """
    if header.strip() == ANY:
        return Condition(None)
    tags, place = set(), 0
    while found := _TAG.match(header, place):
        if not found[1]:
            tags.add(f'"{found[2]}"')
        place = found.end()
        if place == len(header):
            return Condition(frozenset(tags))
        if header[place] != ",":
            break
        place += 1
    raise ValueError('must be * or entity tags in double quotes, e.g. "5f2c"')
