"""Reading a trading insight: a text into tokens, each with what it means (SPEC M9).

Numbers are canonical with their unit (`1.50` = `1.5`, `15 minutes` = `15m`, `50 bps` = `0.5 %`) and
carry what bounds them (`above 25`). Reports of how a test went are left out (`figures`). The words
are those of `lexicon`; what is in none of its tables is a plain word, or by its capitals a name.
"""

import re
import unicodedata
from collections.abc import Sequence
from decimal import Context, Decimal

from memory.policies import figures, lexicon
from memory.policies.advice import advised, is_advice
from memory.policies.expressions import GLUED, SHORT, SHORT_FORMS
from memory.policies.phrases import PHRASES
from memory.policies.timeframes import TIMEFRAMES
from memory.policies.tokens import Token

FAR = 3
"""A bound stands at most so many tokens from its number."""
SOON = 8
"""The entry that is waited for is named so many tokens after `before` at the most."""
PRICED = frozenset({"ma", "ema", "vwap", "average", "atr", "band"})
"""What something is above or below itself, so that a number behind it is of something else."""
ENTERS = frozenset(["entry", "enter", "entered", "entering"])
SIGNS = {
    "\u2265": " atleast ", ">=": " atleast ", "\u2264": " atmost ", "<=": " atmost ",
    ">": " above ", "<": " below ", "\u2191": " up ", "\u2193": " down ", "\u00d7": "x",
    "\u2212": "-", "\u2019": "'",
}  # fmt: skip
UNITS = {
    "%": "%", "percent": "%", "pct": "%", "x": "x", "times": "x", "k": "k", "bp": "bp", "bps": "bp",
    "bar": "bar", "bars": "bar", "candle": "bar", "candles": "bar", "atr": "atr", "r": "r",
    "m": "m", "min": "m", "mins": "m", "minute": "m", "minutes": "m", "h": "h", "hr": "h",
    "hrs": "h", "hour": "h", "hours": "h", "d": "d", "day": "d", "days": "d", "w": "w", "week": "w",
    "weeks": "w", "trades": "trades", "trade": "trades", "losses": "losses", "sd": "sd",
}  # fmt: skip
MINUTES = {"m": 1, "h": 60, "d": 1_440, "w": 10_080}
_BY_MINUTES = {str(int(length.total_seconds()) // 60): name for name, length in TIMEFRAMES.items()}
EXACT = Context(prec=10_000, Emax=99_999, Emin=-99_999)
"""Arithmetic that rounds no number of a text that is read."""
TOKEN = re.compile(
    r"(?P<number>(?<![\w.])(?:[+-](?=[\d.]))?(?:\d+(?:,\d{3})*(?:\.\d+)?|\.\d+))"
    r"(?:[- ]?(?P<unit>%|(?:percent|pct|times|x|k|bps?|bars?|candles?|atr|r|min(?:ute)?s?|m"
    r"|h(?:ou)?rs?|hours?|h|days?|d|weeks?|w|trades?|losses|sd)(?!\w|\.\d)))?"
    r"|(?P<name>@\d+|[^\W\d_]\w*(?:[:/]\w+)+|[^\W\d_]\w*-(?:perp|usdt?|usdc))"
    r"|(?P<word>[^\W\d_][\w]*(?:'\w+)?|\w+)"
    r"|(?P<symbol>[+*/]|(?<!\w)-(?=\s)|-(?=[\d.])|[^\w\s'\"`.,;:()\[\]!\u2013\u2014&|#%-])"
    r"|(?P<break>[.,;:&()\[\]!\n\u2013\u2014|])",
    re.IGNORECASE,
)
NOT_SHORT = re.compile(r"\b(\w+)n't\b", re.IGNORECASE)
BLANKS = re.compile(" +")
MONTHS = re.compile(r"(?<![\w.])(\d{1,9})[ ]?M\b")
CAPPED = frozenset({"risk", "leverage", "size", "hold", "keep"})
"""What a negated bound may be of."""
COUNTED = re.compile(
    rf"(?<![\w-])(?:{'|'.join(lexicon.WORD_NUMBERS)})"
    r"(?=[ -](?:bars?|candles?|minutes?|mins?|hours?|days?|weeks?|trades?|losses|times|atr|r)"
    r"(?!\w))"
)
"""A number in words that stands before a unit."""


def read(text: str) -> list[Token]:
    """Return what a text says, token by token, fillers and breaks among them."""
    told = _lowered(figures.without_figures(_plain(text)))
    lowered = _without_phrases(told)
    tokens = _bounded(_in_place([_token(found) for found in TOKEN.finditer(lowered)]))
    return advised(tokens) if is_advice(told) or lexicon.NOT_BACK in lowered else tokens


def normalised(text: str) -> str:
    """Return text with its blanks folded: what is equal is the same.

    No more is folded, since case and signs say something: `1M` and `1m`, `.5` and `5`.
    """
    return " ".join(unicodedata.normalize("NFC", text).split())


def instrument(name: str) -> str:
    """Return an instrument's name without its quote: `ETHUSDT`, `ETH-PERP` and `eth` are `ETH`."""
    known = lexicon.INSTRUMENT_NAMES.get(name.casefold())
    return known or lexicon.INSTRUMENT_SUFFIX.sub("", name.upper())


def folded(text: str) -> str:
    """Return text with forms of one sign folded, but a raised 2 or a half kept apart.

    Those would be digits of the number that they stand beside.
    """
    kept = (f" u{ord(one):x} " if unicodedata.category(one) == "No" else one for one in text)
    return unicodedata.normalize("NFKC", "".join(kept))


def _plain(text: str) -> str:
    """Fold forms and signs; the case stays, for names."""
    told = folded(text)
    for sign, meant in SIGNS.items():
        told = told.replace(sign, meant)
    told = MONTHS.sub(r"\1 capitalm", told)
    return NOT_SHORT.sub(r"\1 not", told)


def _lowered(text: str) -> str:
    """Return text in lower case but for what is a name by its capitals, short forms at length."""
    text = GLUED.sub(lambda found: f"{found[1]} " if found[1] else "", text)
    if text.isupper():
        return text.casefold()
    told = SHORT.sub(lambda found: SHORT_FORMS[found[0]], text)
    return re.sub(r"\S+", lambda found: _cased(found[0]), told)


def _without_phrases(lowered: str) -> str:
    """Put for each phrase the word that it counts as."""
    for pattern, meant in PHRASES:
        lowered, count = pattern.subn(meant, lowered)
        # What was put in may be part of a later phrase.
        lowered = BLANKS.sub(" ", lowered) if count else lowered
    return COUNTED.sub(lambda found: lexicon.WORD_NUMBERS[found[0]], BLANKS.sub(" ", lowered))


def _in_place(tokens: list[Token]) -> list[Token]:
    """Put a negation before what it negates; of `wait before entering` the waiting says it all."""
    told: list[Token] = []
    waits = any(one.value == "wait" for one in tokens)
    for place, one in enumerate(tokens):
        if one.value == lexicon.NOT_BACK:
            ends = [at for at, before in enumerate(told) if before.kind == "break"]
            told.insert(ends[-1] + 1 if ends else 0, Token("hard", "not"))
        elif waits and one.value == lexicon.SOFT["before"] and _enters(tokens, place):
            told.append(Token("filler", one.value))
        else:
            told.append(one)
    return told


def _enters(tokens: Sequence[Token], place: int) -> bool:
    """Tell whether it is the entry that comes later, and the waiting is of the same sentence."""
    after = tokens[place + 1 : place + 1 + SOON]
    ends = [at for at, one in enumerate(tokens) if one.value in {".", ";"}]
    first = max((at for at in ends if at < place), default=0)
    last = min((at for at in ends if at > place), default=len(tokens))
    waits = any(one.value == "wait" for one in tokens[first:last])
    return waits and any(one.value in ENTERS for one in after)


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
    return Token("filler", word) if word in lexicon.FILLERS else None


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
    value = EXACT.create_decimal(digits.replace(",", ""))
    kind = UNITS[unit.casefold()] if unit else ""
    if kind == "k":
        value, kind = EXACT.multiply(value, Decimal(1_000)), ""
    elif kind == "bp":
        value, kind = value.scaleb(-2, context=EXACT), "%"
    elif kind in MINUTES:
        value, kind = EXACT.multiply(value, Decimal(MINUTES[kind])), "m"
    plain = _shortest(value)
    return _BY_MINUTES.get(plain, f"{plain}m") if kind == "m" else f"{plain}{kind}"


def _shortest(value: Decimal) -> str:
    """Return a number as written without zeros that say nothing; the sign of one stays."""
    plain = f"{value:f}"
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def _bounded(tokens: Sequence[Token]) -> list[Token]:
    """Let a number carry what bounds it, and a negation turn the outcome that it stands before."""
    told = list(tokens)
    for place, one in enumerate(told):
        if one.value in lexicon.BOUNDS and one.kind == "hard":
            at = _bounded_by(told, place)
            if at is not None:
                told[at] = Token("number", f"{one.value} {told[at].value}")
                told[place] = Token("filler", one.value)
        elif one.value in {"oratleast", "oratmost"}:
            at = _next(told, place, "number", back=True)
            if at is not None and told[at].value.split()[0] not in lexicon.BOUNDS:
                told[at] = Token("number", f"{one.value[2:]} {told[at].value}")
                told[place] = Token("filler", one.value)
        elif one.value == "not":
            at = _next(told, place, "hard", only=lexicon.OUTCOME_CLASSES)
            bound = _negated(told, place)
            if bound is not None:
                turned = {"above": "atmost", "below": "atleast"}[told[bound].value]
                told[bound], told[place] = Token("hard", turned), Token("filler", "not")
            elif at is not None:
                turned = {"works": "fails", "fails": "works"}[told[at].value]
                told[at], told[place] = Token("hard", turned), Token("filler", "not")
    return told


def _bounded_by(tokens: Sequence[Token], place: int) -> int | None:
    """Return where the number is that a bound is of; none of `above VWAP for 3 bars` is."""
    at = _next(tokens, place, "number", over=frozenset({"filler", "subject"}))
    if at is None or any(one.value in PRICED for one in tokens[place:at]):
        return None
    return None if tokens[at].value.split()[0] in lexicon.BOUNDS else at


def _negated(tokens: Sequence[Token], place: int) -> int | None:
    """Return where the bound of a number is that a negation is of: `never risk more than 1 %`."""
    for at in range(place + 1, min(place + 1 + FAR, len(tokens))):
        one = tokens[at]
        if one.value in {"above", "below"}:
            return at if _next(tokens, at, "number") is not None else None
        if one.kind != "filler" and one.value not in CAPPED:
            return None
    return None


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
