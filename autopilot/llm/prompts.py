"""Prompts are files, `autopilot/prompts/<role>/<version>.md` (SPEC L5, X5).

A file has two parts around a line `=== user ===`. What is above goes to the model as instructions
and holds no data at all; what is below holds `$material` and `$memories` once each. Both are
filled in by one pass that never reads what it filled in, as JSON in which nothing can end the
block it stands in: no line break, no control or invisible character, no `<`.
"""

import hashlib
import json
import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

from django.conf import settings
from pydantic import BaseModel

from autopilot.llm.port import Ask, Prompt, Role

FOLDER = Path(__file__).resolve().parent.parent / "prompts"
PARTING = "\n=== user ===\n"
UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Categories of characters that are written as escapes."""
UNPLAIN = re.compile(r"[^ -;=-~]")
MEMORIES = "memories"
"""The key of the material whose list is the one JSON array of stored memories."""


class BadPrompt(RuntimeError):
    """A prompt's file is missing or not in the form that is said above: a fault of the release."""


@dataclass(frozen=True, slots=True)
class Parts:
    """A prompt's file, read."""

    system: str
    user: Template


def ask[A: BaseModel](
    *, role: Role, material: dict[str, Any], answer: type[A], seed: str = ""
) -> Ask[A]:
    """Return a question with the role's pinned prompt rendered."""
    prompt = render(role=role, version=settings.PROMPT_VERSIONS[role], material=material)
    return Ask(role=role, prompt=prompt, material=material, answer=answer, seed=seed)


def render(*, role: Role, version: int, material: dict[str, Any]) -> Prompt:
    """Return the prompt with its material: plain JSON, no NaN (BadPrompt)."""
    parts = load(role, version)
    told = {key: value for key, value in material.items() if key != MEMORIES}
    user = parts.user.substitute(
        material=as_data(told), memories=as_data(material.get(MEMORIES, []))
    )
    digest = hashlib.sha256(f"{parts.system}{PARTING}{user}".encode()).hexdigest()
    return Prompt(role=role, version=version, system=parts.system, user=user, sha256=digest)


@cache
def load(role: str, version: int) -> Parts:
    """Read a prompt's file (BadPrompt)."""
    path = FOLDER / role / f"{version}.md"
    try:
        system, parting, user = path.read_text(encoding="utf-8").partition(PARTING)
    except OSError as error:
        raise BadPrompt(f"there is no prompt {role}/{version}") from error
    body = Template(user)
    if not parting or sorted(body.get_identifiers()) != ["material", MEMORIES]:
        raise BadPrompt(f"prompt {role}/{version} does not hold $material and $memories once each")
    if not body.is_valid() or user.count("$") != len(body.get_identifiers()):
        raise BadPrompt(f"prompt {role}/{version} holds a $ that is no place of ours")
    if "$" in system:
        raise BadPrompt(f"prompt {role}/{version} has a place for data among its instructions")
    return Parts(system.strip(), body)


def as_data(value: Any) -> str:
    """Return JSON on one line that no text inside it can leave."""
    return UNPLAIN.sub(_escaped, json.dumps(value, ensure_ascii=False, allow_nan=False))


def _escaped(found: re.Match[str]) -> str:
    character = found[0]
    # Outside of strings JSON has none of these: an escape is always inside of one.
    if character == "<":
        return "\\u003c"
    return json.dumps(character)[1:-1] if unicodedata.category(character) in UNSEEN else character
