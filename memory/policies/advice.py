"""Advice against something, which says that it does not work (SPEC M9).

`Avoid longs when funding is high` and `longs fail when funding is high` are one insight. That
holds only where the one negation is of all that a text says but for its conditions; `without
volume`, `no-volume breakouts` and `longs, not shorts` negate a part of it.
"""

import re
from collections.abc import Sequence

from memory.policies import figures, lexicon
from memory.policies.timeframes import TIMEFRAMES
from memory.policies.tokens import Token

ADVISED = re.compile(
    r"(?:^|[,:] )(?:please |best )?(?:to )?(?:do not|not to|never|avoid(?:ing)?|skip(?:ping)?"
    r"|exclud(?:e|ing)|stay(?:ing)? (?:out|away|off)|refrain(?:ing)?|steer(?:ing)? clear|pass on"
    r"|keep(?:ing)? (?:out|away)|sit out|leave(?= [\w ]{1,40} (?:alone|out)(?!\w))"
    r"|no (?:\w{1,20} ){0,2}(?:longs?|shorts?|trades|trading|buying|shorting|selling|entries"
    r"|following|positions))(?!\w)",
    re.IGNORECASE,
)
"""How a text begins that advises against something."""
NO_ADVICE = frozenset(
    {*lexicon.OUTCOME_CLASSES, figures.LOSS, "unless", "only", "until", "exit", "wait", "even"}
)
"""Where one of these is said, it is not plain what a negation is of."""


def is_advice(text: str) -> bool:
    """Tell whether a text begins as advice against something does."""
    return ADVISED.search(text.strip()) is not None


def advised(tokens: list[Token]) -> list[Token]:
    """Turn a negation that is of all that a text says, but for its conditions, into `SHUNNED`.

    `Avoid longs when funding is high` is what `longs fail when funding is high` is.
    """
    said = [one for one in tokens if one.kind != "filler" and one.value != "."]
    nots = [place for place, one in enumerate(said) if one.value == "not"]
    if len(nots) != 1 or any(one.value in NO_ADVICE for one in said):
        return tokens
    begins = next((at for at, one in enumerate(said) if one.kind != "name" and one.value != ":"), 0)
    before, after = said[begins : nots[0]], said[nots[0] + 1 :]
    is_condition = bool(before) and before[0].value in lexicon.CONDITIONS and _ends(before) == 1
    is_first = all(one.kind in {"name", "break"} or one.value in TIMEFRAMES for one in before)
    is_one = all(one.kind != "break" or one.value in lexicon.CONDITIONS for one in after)
    if not after or not is_one or not (is_first or is_condition):
        return tokens
    shunned = Token("hard", lexicon.SHUNNED)
    return [shunned if one.value == "not" else one for one in tokens]


def _ends(tokens: Sequence[Token]) -> int:
    """Return how many clauses end before what follows; 0 where the last one does not."""
    parts = [one for one in tokens if one.kind == "break" and one.value not in lexicon.CONDITIONS]
    return len(parts) if tokens[-1].value in {",", ":"} else 0
