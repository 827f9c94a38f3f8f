"""The words of trading insights, by what they mean: what the comparison of texts rests on (M9).

A word here is one of five things. *Hard* classes and subjects are facts: two texts that say the
same have the same ones. *Soft* classes are opposites of which a text may name one that the other
leaves out, but not the other one. *Fillers* say nothing. *Breaks* part the clauses of a sentence.
Everything else is a plain word. Subjects are in `nouns`, synonyms of plain words in `verbs`, what
says nothing in `fillers`, what takes several words in `expressions` and `phrases`, and words of two
senses in `senses`. All of it is lower case; inflected forms are folded by `stem`, irregular ones
are listed. Hard classes are those of notes/search-and-duplicates.md, section 6; the rest was found
by what flips and paraphrases of insights did (tests/memory/wording.py).
"""

import re

from memory.policies.figures import LOSS
from memory.policies.fillers import SAYING_NOTHING
from memory.policies.nouns import THINGS
from memory.policies.verbs import DOINGS

_HARD = {
    "long": "long longs longed longing buy buys buying bought",
    "short": "short shorts shorted shorting sell sells selling sold",
    "above": "above over exceed exceeds exceeded exceeding beyond greater",
    "below": "below under beneath underneath",
    "atleast": "atleast",
    "atmost": "atmost",
    "up": "up upward upwards rise rises rising rose risen climb climbs climbed climbing"
    " ascend ascending advance advances advanced advancing"
    " increase increases increased increasing rally rallies rallied",
    "down": "down downward downwards fall falls falling fell fallen drop drops dropped dropping"
    " descend descending slide slides slid sliding sink sinks sank sinking"
    " decline declines declined declining decrease"
    " decreases decreased decreasing",
    "not": "not no never without avoid avoids avoided avoiding skip skips skipped skipping nor"
    " neither none cannot exclude excludes excluded excluding"
    " refrain refrains refraining abstain forgo forego shun shuns shunned",
    "unless": "unless except excepting barring",
    "break": "break breaks broke broken breaking breach breaches breached breakout breakouts",
    "reject": "reject rejects rejected rejecting rejection rejections",
    "exit": "exit exits exited exiting",
    "against": "against counter countertrend",
    "works": "work works worked working succeed succeeds succeeded success successful"
    " successfully pay pays paid paying profitable profitably win wins won winning"
    " good better best well useful helpful helps help helped helping"
    " improve improves improved improving worth great fine reliable reliably"
    " enhance enhances enhanced enhancing",
    LOSS: LOSS,
    "fails": "fail fails failed failing failure failures lose loses lost losing loss"
    " losses unprofitable unprofitably unsuccessful unreliable"
    " hurt hurts hurting harm harms harmed ruin ruins ruined worsen worsens worsened"
    " bad badly poor poorly worse useless worthless",
}
HARD_OPPOSITES = {
    one: other
    for pair in (
        ("long", "short"),
        ("above", "below"),
        ("up", "down"),
        ("break", "reject"),
        ("works", "fails"),
    )
    for one, other in (pair, pair[::-1])
}
CONDITIONS = frozenset({"if", "when", "whenever", "while", "where", "once", "with", "provided"})
"""What begins the condition of something: `if volume rises, RSI falls`."""
_PASSIVE = """confirm spike momentum hold reach filter price reclaim sweep touch fill bounce stall
extended further chase reduce raise move keep run consecutive immediately"""
PASSIVE = frozenset(_PASSIVE.split())
"""Words that are said of what follows and of what is before them alike."""
TURNS = frozenset({"up", "down", "reject"})
"""What says of the thing beside it how that is."""
NOT_BACK = "notback"
"""A negation of what its clause says before it: `longs should be avoided`."""
SHUNNED = "shunned"
"""A negation of all that a text says: advice against it."""
BOUNDS = frozenset({"above", "below", "atleast", "atmost"})
"""What a number carries."""
OUTCOME_CLASSES = frozenset({"works", "fails"})
DIRECTIONS = {"long": {"long"}, "short": {"short"}, "both": {"long", "short"}}

_OPPOSITES = (
    ("high highs top tops", "low lows bottom bottoms"),
    ("higher upper", "lower"),
    ("highest", "lowest"),
    ("strong stronger strongly", "weak weaker"),
    ("heavy heavier", "thin light lighter"),
    ("large larger big bigger", "small smaller tiny"),
    ("before prior", "after afterwards following"),
    ("fast faster quick quicker quickly rapid rapidly swift swiftly", "slow slower slowly"),
    ("tight tighter narrow narrower", "wide wider broad broader"),
    ("early earlier", "late later"),
    ("first", "last"),
    ("begin begins beginning start starts starting", "end ends ending"),
    ("open opens opening opened", "close closes closing closed"),
    ("morning", "afternoon evening"),
    ("day daytime", "night overnight"),
    ("positive", "negative"),
    ("oversold", "overbought"),
    ("support supports", "resistance"),
    ("continuation continue continues continued",
     "reversal reversals reverse reverses reversed revert reverts reversion"),
    ("expand expands expanding expanded expansion widen widens widened widening",
     ("contract contracts contracting contracted contraction shrink shrinks shrank shrunk"
     " shrinking narrows narrowed narrowing")),
    ("inside", "outside"),
    ("calm quiet subdued", "volatile turbulent"),
    ("inflow inflows", "outflow outflows"),
    ("premium", "discount"),
    ("build builds building built", "fade fades fading faded"),
    ("accelerate accelerates", "decelerate decelerates"),
    ("always", "sometimes"),
    ("many", "few"),
    ("winner winners", "loser losers"),
    ("bullish bull bulls", "bearish bear bears"),
    ("upside", "downside"),
)  # fmt: skip

_BREAKS = "and but while whereas when whenever where once if with provided"

WORD_NUMBERS = {
    name: str(number)
    for number, name in enumerate(
        [
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ],
        start=2,
    )
}
INSTRUMENT_NAMES = {
    "bitcoin": "BTC", "btc": "BTC", "xbt": "BTC", "ether": "ETH", "ethereum": "ETH", "eth": "ETH",
    "solana": "SOL", "sol": "SOL", "dogecoin": "DOGE", "doge": "DOGE", "ripple": "XRP",
    "xrp": "XRP", "litecoin": "LTC", "ltc": "LTC", "cardano": "ADA", "avalanche": "AVAX",
    "avax": "AVAX", "chainlink": "LINK", "hyperliquid": "HYPE", "bnb": "BNB",
}  # fmt: skip
INSTRUMENT_SUFFIX = re.compile(r"(?<=[A-Z0-9]{2})[-/_]?(?:USDT|USDC|USD|PERP)(?::\w+)?$")

BREAKS = frozenset(_BREAKS.split())
FILLERS = SAYING_NOTHING


def _by_word(table: dict[str, str]) -> dict[str, str]:
    return {word: name for name, words in table.items() for word in words.split()}


HARD = _by_word(_HARD)
SUBJECTS = _by_word(THINGS)
SYNONYMS = _by_word(DOINGS)
SOFT = {
    word: (f"{side}{number}")
    for number, pair in enumerate(_OPPOSITES)
    for side, words in zip("+-", pair, strict=True)
    for word in words.split()
}
"""Word → `+` or `-` and the number of its pair of opposites."""
BOUND = frozenset(
    {*BOUNDS, "not", "unless", "against", "exit", "wait", SOFT["before"], SOFT["after"]}
)
"""What governs that which follows it."""

_MEASURES = """volume volatility ma ema rsi adx atr macd vwap funding oi pnl return spread average
band channel"""
_KINDS = _by_word(
    {
        "measure": _MEASURES.replace("average", ""),
        "time": "asia london newyork weekend weekday monday tuesday wednesday thursday friday"
        " saturday sunday",
        "regime": "trend range riskoff riskon htf",
        "soft": "up down",
        "outcome": "works fails",
        "side": "long short",
        "bound": "above below atleast atmost",
        "order": "stop target trail breakeven leverage risk",
    }
)
MEASURES = frozenset(_MEASURES.split())
"""What a number may be of."""
_SPAN = re.compile(r"\d[mhdw]$")


def family(kind: str, value: str) -> str:
    """Return of which kind a thing is: two of one kind may change places."""
    if kind == "number" and _SPAN.search(value):
        return "span"
    return _KINDS.get(value, kind)


_ENDINGS = ("ations", "ation", "ments", "ment", "ings", "ing", "ed", "ies", "es", "s")
SHORTEST_STEM = 4


def stem(word: str) -> str:
    """Return a plain word without its inflection; short words stay."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM:
            return word[: -len(ending)].rstrip("e")
    return word.rstrip("e") if len(word) > SHORTEST_STEM else word
