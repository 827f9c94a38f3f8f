"""Reading a trading insight: a text into tokens, each with what it means (SPEC M9).

Numbers are canonical with their unit (`1.50` = `1.5`, `15 minutes` = `15m`, `twice` = `2x`) and
carry what bounds them (`above 25`). Figures that tell how a test went are masked. The words are
those of `lexicon`; what is in none of its tables is a plain word, or by its capitals a name.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from memory.policies import lexicon
from memory.policies.phrases import PHRASES
from memory.policies.timeframes import TIMEFRAMES

MASK = "#"
FAR = 3
"""A bound or a result stands at most so many tokens from its number."""
DATES = re.compile(r"\d{4}-\d\d-\d\d\s*(?:to|until|through|[-\u2013\u2014/])\s*\d{4}-\d\d-\d\d")
SCORE = re.compile(
    r"(?:won|wins|lost|failed|profitable in)\s+\d+(?: out)?(?:/| of )\d+(?: \w+)?"
    r"|\d+(?: out)?(?:/| of )(?:the )?\d+ (?:\w+ )?"
    r"(?:won|wins|winners|lost|failed|profitable|trades|backtests|tests)"
)
SIGNS = {
    "\u2265": " above ", ">=": " above ", "\u2264": " below ", "<=": " below ", ">": " above ",
    "<": " below ", "\u2191": " up ", "\u2193": " down ", "\u00d7": "x", "\u2212": "-",
    "\u2019": "'",
}  # fmt: skip
UNITS = {
    "%": "%", "percent": "%", "pct": "%", "x": "x", "times": "x", "k": "k", "bp": "bp", "bps": "bp",
    "bar": "", "bars": "", "candle": "", "candles": "", "atr": "atr", "r": "r",
    "m": "m", "min": "m", "mins": "m", "minute": "m", "minutes": "m", "h": "h", "hr": "h",
    "hrs": "h", "hour": "h", "hours": "h", "d": "d", "day": "d", "days": "d", "w": "w", "week": "w",
    "weeks": "w", "usd": "$", "trades": "trades", "trade": "trades",
}  # fmt: skip
MINUTES = {"m": 1, "h": 60, "d": 1_440, "w": 10_080}
_BY_MINUTES = {int(length.total_seconds()) // 60: name for name, length in TIMEFRAMES.items()}
TOKEN = re.compile(
    r"(?P<number>(?<![\w.])[+-]?\d+(?:,\d{3})*(?:\.\d+)?)[- ]?"
    r"(?P<unit>%|(?:percent|pct|times|x|k|bps?|bars?|candles?|atr|r|min(?:ute)?s?|m|h(?:ou)?rs?|hours?"
    r"|h|days?|d|weeks?|w|usd|trades?)(?!\w|\.\d))?"
    r"|(?P<name>@\d+|[^\W\d_]\w*(?:[:/]\w+)+|[^\W\d_]\w*-(?:perp|usdt?|usdc))"
    r"|(?P<word>[^\W\d_][\w]*(?:'\w+)?)"
    r"|(?P<break>[.,;:()\[\]!?\n\u2013\u2014|])"
    r"|(?P<symbol>[^\w\s'\"`%#+*/&-])",
    re.IGNORECASE,
)
NORMAL = re.compile(r"(?<![\w.])[+-]?\d+(?:\.\d+)?|\w+|\S")
PUNCTUATION = frozenset(".,;:!?'\"`()[]{}-/\\*&\u2013\u2014\u201c\u201d\u2018+_|")
NOT_SHORT = re.compile(r"\b(\w+)n't\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Token:
    """One word or number. `kind`: number, hard, subject, soft, name, word, filler or break."""

    kind: str
    value: str


def read(text: str) -> list[Token]:
    """Return what a text says, token by token, fillers and breaks among them."""
    return _bounded(list(_masked(_read(_plain(text)))))


def normalised(text: str) -> str:
    """Return lower-case words and numbers joined by single spaces: what is equal is the same."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    for sign, meant in SIGNS.items():
        folded = folded.replace(sign, meant)
    words = NORMAL.findall(folded)
    return " ".join(one for one in words if one not in PUNCTUATION)


def instrument(name: str) -> str:
    """Return an instrument's name without its quote: `ETHUSDT`, `ETH-PERP` and `eth` are `ETH`."""
    known = lexicon.INSTRUMENT_NAMES.get(name.casefold())
    return known or lexicon.INSTRUMENT_SUFFIX.sub("", name.upper())


def _plain(text: str) -> str:
    """Fold forms and signs; the case stays, for names."""
    told = unicodedata.normalize("NFKC", text)
    for sign, meant in SIGNS.items():
        told = told.replace(sign, meant)
    told = NOT_SHORT.sub(r"\1 not", told)
    return DATES.sub(MASK, told)


def _read(text: str) -> list[Token]:
    """Part a text into tokens; phrases count as one."""
    lowered = SCORE.sub(_score, text.casefold() if text.isupper() else _lowered(text))
    for pattern, meant in PHRASES:
        lowered = pattern.sub(meant, lowered)
    return _in_place([_token(found) for found in TOKEN.finditer(lowered)])


def _score(found: re.Match[str]) -> str:
    """Mask `7 of 10 backtests won`, but not where it is a condition."""
    before = re.split(r"[.,;:]", found.string[: found.start()])[-1].split()
    return found[0] if lexicon.CONDITIONAL & set(before) else f" {MASK} "


def _in_place(tokens: list[Token]) -> list[Token]:
    """Put a negation before what it negates; what is waited for makes `before` say nothing more."""
    waits = any(one.value == "wait" for one in tokens)
    told: list[Token] = []
    for one in tokens:
        if one.value == lexicon.NOT_BACK:
            ends = [at for at, before in enumerate(told) if before.kind == "break"]
            told.insert(ends[-1] + 1 if ends else 0, Token("hard", "not"))
        elif waits and one.value == lexicon.SOFT["before"]:
            told.append(Token("filler", one.value))
        else:
            told.append(one)
    return told


def _lowered(text: str) -> str:
    """Return text in lower case but for what is a name by its capitals."""
    return re.sub(r"\S+", lambda found: _cased(found[0]), text)


def _cased(chunk: str) -> str:
    core = chunk.strip(".,;:()[]!?'\"")
    is_name = (
        len(core) > 1
        and core == core.upper()
        and core[0].isalpha()
        and _meaning(core.casefold()) is None
    )
    return chunk if is_name else chunk.casefold()


def _meaning(word: str) -> Token | None:
    """Return what a known word means."""
    for kind, table in (
        ("hard", lexicon.HARD),
        ("subject", lexicon.SUBJECTS),
        ("soft", lexicon.SOFT),
    ):
        if word in table:
            return Token(kind, table[word])
    if word in lexicon.SYNONYMS:
        return Token("word", lexicon.SYNONYMS[word])
    if word in lexicon.BREAKS:
        return Token("break", word)
    if word in lexicon.RESULTS or word in lexicon.MADE or word in {"orabove", "orbelow"}:
        return Token("filler", word)
    return Token("filler", word) if word in lexicon.FILLERS or word in UNITS else None


def _token(found: re.Match[str]) -> Token:
    if found["break"]:
        return Token("break", found["break"])
    if found["symbol"]:
        return Token("word", found["symbol"])
    if found["number"]:
        return Token("number", _number(found["number"], found["unit"]))
    return _named(found["name"], found["word"])


def _named(name: str | None, word: str | None) -> Token:
    """Return what a word means: a name, a number, a known word, an identifier, or itself."""
    said = name or word or ""
    folded = said.casefold().removesuffix("'s").rstrip("'")
    known = _meaning(folded)
    if name or folded in lexicon.INSTRUMENT_NAMES:
        known = Token("name", instrument(said))
    elif folded in lexicon.WORD_NUMBERS:
        known = Token("number", lexicon.WORD_NUMBERS[folded])
    elif known is None and ("_" in said or any(one.isdigit() for one in said)):
        known = Token("subject", folded)
    elif known is None and len(said) > 1 and said.isupper():
        known = Token("name", instrument(said))
    return known or Token("word", lexicon.stem(folded))


def _number(digits: str, unit: str | None) -> str:
    value = Decimal(digits.replace(",", ""))
    kind = UNITS[unit.casefold()] if unit else ""
    if kind == "k":
        value, kind = value * 1_000, ""
    if kind in MINUTES and value == value.to_integral_value():
        minutes = int(value) * MINUTES[kind]
        return _BY_MINUTES.get(minutes, f"{minutes}m")
    plain = f"{value:f}"
    return f"{plain.rstrip('0').rstrip('.') if '.' in plain else plain}{kind}"


def _masked(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield tokens with each number that tells a result masked."""
    results = set(_results(tokens))
    for place, one in enumerate(tokens):
        yield Token("filler", MASK) if place in results else one


def _results(tokens: Sequence[Token]) -> Iterator[int]:
    for place, one in enumerate(tokens):
        if _is_asked(tokens, place):
            continue
        if one.kind == "number" and one.value.endswith("trades") and _ends(tokens, place):
            yield place
        elif one.kind == "filler" and one.value in lexicon.RESULTS:
            yield from _beside(tokens, place)
        elif one.value in {"works", "fails"} | lexicon.MADE:
            # "lost 3 %", but not "works with 3 bars"
            after = tokens[place + 1 : place + 2]
            yield from (place + 1 for next_ in after if next_.value.endswith("%"))


def _ends(tokens: Sequence[Token], place: int) -> bool:
    """Tell whether a number of trades closes its clause: `4 trades in a row` are no result."""
    after = tokens[place + 1 : place + 2]
    return not after or after[0].kind == "break" or after[0].value == "insample"


def _beside(tokens: Sequence[Token], place: int) -> Iterator[int]:
    """Yield the number that belongs to a result's noun: what follows it, else what is before it."""
    for step in (1, -1):
        at = place + step
        for _ in range(FAR):
            if not 0 <= at < len(tokens):
                break
            if tokens[at].kind == "number":
                yield at
                return
            if not _links(tokens[at]):
                break
            at += step


def _links(token: Token) -> bool:
    return token.value in lexicon.LINKS or (token.kind == "filler") or token.value == ":"


def _is_asked(tokens: Sequence[Token], place: int) -> bool:
    """Tell whether a result is a condition: `if the win rate is below 40 %`."""
    for one in reversed(tokens[:place]):
        if one.value in lexicon.CONDITIONAL or one.value == lexicon.SOFT["after"]:
            return True
        if one.kind == "break":
            return False
    return False


def _bounded(tokens: Sequence[Token]) -> list[Token]:
    """Let a number carry what bounds it, and a negation turn the outcome that it stands before."""
    told = list(tokens)
    for place, one in enumerate(told):
        if one.value in {"above", "below"} and one.kind == "hard":
            at = _next(told, place, "number", over=frozenset({"filler", "subject"}))
            if at is not None and not told[at].value.startswith(("above", "below")):
                told[at] = Token("number", f"{one.value} {told[at].value}")
                told[place] = Token("filler", one.value)
        elif one.value in {"orabove", "orbelow"}:
            at = _next(told, place, "number", back=True)
            if at is not None:
                told[at] = Token("number", f"{one.value[2:]} {told[at].value}")
        elif one.value == "not":
            at = _next(told, place, "hard", only=lexicon.OUTCOME_CLASSES)
            if at is not None:
                turned = {"works": "fails", "fails": "works"}[told[at].value]
                told[at], told[place] = Token("hard", turned), Token("filler", "not")
    return told


def _next(
    tokens: Sequence[Token],
    place: int,
    kind: str,
    *,
    only: frozenset[str] | None = None,
    over: frozenset[str] = frozenset({"filler"}),
    back: bool = False,
) -> int | None:
    """Return where the next token of a kind is, over tokens of the kinds `over` alone."""
    step = -1 if back else 1
    at = place + step
    while 0 <= at < len(tokens) and abs(at - place) <= FAR:
        one = tokens[at]
        if one.kind == kind and (only is None or one.value in only):
            return at
        if one.kind not in over:
            return None
        at += step
    return None
