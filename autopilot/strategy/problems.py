"""What pydantic finds wrong with a strategy, by place, in words that a model can act on."""

from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from autopilot.strategy.blocks import BLOCKS, FILTERS, FOUNDATIONS, MANAGE, STOPS, TARGETS
from memory.policies.text import SURROGATE
from memory.schemas.parsing import place_of

PLACES_MAX, WORD_MAX_CHARS = 20, 40
ALLOWED = {
    "block": FOUNDATIONS,
    "filters": FILTERS,
    "stop": STOPS,
    "take_profit": TARGETS,
    "target": TARGETS,
    "manage": MANAGE,
}
"""What may stand under a key, directly or in its list."""
MESSAGES = {
    "extra_forbidden": "is not a key of this part; leave it out",
    "missing": "is missing",
    "tuple_type": "must be a list",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "too_short": "holds fewer than {min_length}",
    "too_long": "holds more than {max_length}",
}


def problems_by_place(error: ValidationError) -> dict[str, list[str]]:
    """Return place → messages, of at most PLACES_MAX problems; "" is the strategy itself."""
    places: dict[str, list[str]] = {}
    problems = _without_echoes(error.errors(include_url=False, include_input=False))
    for problem in problems[:PLACES_MAX]:
        place, message = _told(problem["type"], problem["loc"], problem["msg"], problem.get("ctx"))
        places.setdefault(place, []).append(message)
    if len(problems) > PLACES_MAX:
        places.setdefault("", []).append(f"and {len(problems) - PLACES_MAX} more problems")
    return places


def _without_echoes(problems: list[ErrorDetails]) -> list[ErrorDetails]:
    """Leave out "too short" of a list that is so only because its items are wrong."""
    inside = {
        problem["loc"][:-cut] for problem in problems for cut in range(1, len(problem["loc"]))
    }
    return [p for p in problems if p["type"] != "too_short" or p["loc"] not in inside]


def _told(
    code: str, loc: tuple[int | str, ...], message: str, context: dict[str, Any] | None
) -> tuple[str, str]:
    steps = _without_tags(loc)
    place, context = place_of(steps), context or {}
    if code == "misplaced":
        return _joined(place, context["at"]), str(context["what"])
    if code in ("union_tag_invalid", "union_tag_not_found"):
        allowed = ", ".join(ALLOWED[_place_key(steps)])
        if code == "union_tag_invalid":
            found = _printable(str(context["tag"]))
            return _joined(place, "type"), f"{found} is no type of this place; allowed: {allowed}"
        return _joined(place, "type"), f"is missing; allowed: {allowed}"
    if code in MESSAGES:
        return place, MESSAGES[code].format_map(context)
    return place, message.removeprefix("Value error, ")


def _joined(place: str, part: str) -> str:
    return f"{place}.{part}" if place else part


def _printable(word: str) -> str:
    """Return a caller's word as a message may hold it: quoted, cut, storable."""
    cut = word[:WORD_MAX_CHARS] + ("…" if len(word) > WORD_MAX_CHARS else "")
    return repr(SURROGATE.sub("\ufffd", cut))


def _place_key(steps: tuple[int | str, ...]) -> str:
    """Return the key that a place is under: `filters` of filters[0]; "" for none."""
    if steps and isinstance(steps[-1], int):
        steps = steps[:-1]
        return str(steps[-1]) if steps and steps[-1] in ("filters", "manage") else ""
    return str(steps[-1]) if steps and steps[-1] not in ("filters", "manage") else ""


def _without_tags(loc: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """Leave out the block type that pydantic puts after the place of a union."""
    kept: list[int | str] = []
    tagged = False
    for step in loc:
        is_tag = not tagged and step in BLOCKS and _place_key(tuple(kept)) in ALLOWED
        if not is_tag:
            kept.append(step)
        tagged = is_tag
    return tuple(kept)
