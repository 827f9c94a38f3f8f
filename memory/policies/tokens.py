"""What a trading insight is read into (SPEC M9)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Token:
    """One word or number. `kind`: number, hard, subject, soft, name, word, filler or break."""

    kind: str
    value: str
