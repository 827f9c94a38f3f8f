"""What of our own words is for readers of the code alone."""

import re
from typing import Any

NUMBER = r"[A-Z]\d{1,2}"
CITED = re.compile(rf"\s*\((?:SPEC\s+)?{NUMBER}(?:(?:,\s*|-){NUMBER})*\)")
"""E.g. ` (SPEC E2, M10)` or ` (C3)`, with what is before it."""
TEXTS = ("description", "summary")


def uncited(text: str) -> str:
    """Return a text without the numbers of requirements that it cites in brackets."""
    return CITED.sub("", text)


def uncite(schema: Any) -> None:
    """Take them out of all descriptions and summaries of a JSON schema, in place."""
    if isinstance(schema, list):
        for part in schema:
            uncite(part)
    elif isinstance(schema, dict):
        for name, part in schema.items():
            if name in TEXTS and isinstance(part, str):
                schema[name] = uncited(part)
            else:
                uncite(part)
