"""The words of trading insights, by what they mean: what the comparison of texts rests on (M9).

A word here is one of five things. *Hard* classes and subjects are facts: two texts that say the
same have the same ones. *Soft* classes are opposites of which a text may name one that the other
leaves out, but not the other one. *Fillers* say nothing. *Breaks* part the clauses of a sentence.
Everything else is a plain word. All of it is lower case; inflected forms are folded by `stem`,
irregular ones are listed. Hard classes are those of notes/search-and-duplicates.md, section 6; the
rest was found by what flips and paraphrases of insights did (tests/memory/wording.py).
"""

import re

from memory.policies.figures import LOSS

_HARD = {
    "long": "long longs longed longing buy buys buying bought bullish bull bulls upside",
    "short": "short shorts shorted shorting sell sells selling sold bearish bear bears downside",
    "above": "above over exceed exceeds exceeded exceeding beyond greater",
    "below": "below under beneath underneath",
    "atleast": "atleast",
    "atmost": "atmost",
    "up": "up upward upwards rise rises rising rose risen climb climbs climbed climbing"
    " ascend ascending increase increases increased increasing rally rallies rallied",
    "down": "down downward downwards fall falls falling fell fallen drop drops dropped dropping"
    " descend descending decline declines declined declining decrease"
    " decreases decreased decreasing",
    "not": "not no never without avoid avoids avoided avoiding skip skips skipped skipping nor"
    " neither none cannot ignore ignores ignored ignoring exclude excludes excluded excluding"
    " refrain",
    "unless": "unless except excepting barring",
    "break": "break breaks broke broken breaking breach breaches breached breakout breakouts",
    "reject": "reject rejects rejected rejecting rejection rejections",
    "exit": "exit exits exited exiting",
    "against": "against counter countertrend",
    "works": "work works worked working succeed succeeds succeeded success successful"
    " successfully pay pays paid paying profitable profitably win wins won winning winner winners"
    " good better best well useful helpful helps help helped helping"
    " improve improves improved improving worth great fine use uses using",
    LOSS: LOSS,
    "fails": "fail fails failed failing failure failures lose loses lost losing loser losers loss"
    " losses unprofitable unprofitably unsuccessful unreliable"
    " bad badly poor poorly worse worst useless worthless",
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
PASSIVE = frozenset({"confirm", "spike", "momentum", "hold", "reach", "filter", "price"})
"""Words that are said of what follows and of what is before them alike."""
TURNS = frozenset({"up", "down", "reject"})
"""What says of the thing beside it how that is."""
NOT_BACK = "notback"
"""A negation of what its clause says before it: `longs should be avoided`."""
BOUNDS = frozenset({"above", "below", "atleast", "atmost"})
"""What a number carries."""
OUTCOME_CLASSES = frozenset({"works", "fails"})
DIRECTIONS = {"long": {"long"}, "short": {"short"}, "both": {"long", "short"}}

_SUBJECTS = {
    "false": "false fake faked falsely",
    "asia": "asia asian tokyo",
    "london": "london",
    "newyork": "newyork ny",
    "weekend": "weekend weekends",
    "weekday": "weekday weekdays",
    **{
        day: f"{day} {day}s {day[:3]}"
        for day in ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
    },
    "volume": "volume volumes turnover",
    "volatility": "volatility",
    "ma": "ma mas",
    "average": "average averages mean",
    "ema": "ema emas",
    "rsi": "rsi",
    "adx": "adx",
    "atr": "atr natr",
    "macd": "macd",
    "vwap": "vwap",
    "funding": "funding",
    "pnl": "pnl",
    "return": "return returns",
    "oi": "oi",
    "band": "band bands bollinger",
    "channel": "channel channels",
    "squeeze": "squeeze squeezes squeezed compression",
    "cross": "cross crosses crossed crossing crossover crossovers",
    "trend": "trend trends trending trended",
    "range": "range ranges ranging",
    "retest": "retest retests retested retesting",
    "pullback": "pullback pullbacks retracement retracements dip dips",
    "gap": "gap gaps",
    "wick": "wick wicks",
    "divergence": "divergence divergences diverge diverges diverging",
    "stop": "stop stops stoploss",
    "target": "target targets takeprofit",
    "trail": "trail trails trailed trailing",
    "breakeven": "breakeven",
    "leverage": "leverage leveraged",
    "risk": "risk risks risked risking",
    "triangle": "triangle triangles",
    "flag": "flag flags",
    "wedge": "wedge wedges",
    "liquidation": "liquidation liquidations liquidated",
    "spread": "spread spreads",
    "riskoff": "riskoff",
    "riskon": "riskon",
    "wait": "wait waits waited waiting",
    "news": "news",
}

_OPPOSITES = (
    ("high highs", "low lows"),
    ("higher upper", "lower"),
    ("highest", "lowest"),
    ("top tops", "bottom bottoms"),
    ("strong stronger strongly", "weak weaker"),
    ("heavy heavier", "thin light lighter"),
    ("large larger big bigger", "small smaller"),
    ("before prior", "after afterwards following"),
    ("fast faster quick quicker rapid", "slow slower"),
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
    ("continuation continue continues continued", ("reversal reversals reverse reverses reversed"
     " revert reverts reversion")),
    ("expand expands expanding expanded expansion", "contract contracts contracting contraction"),
    ("inside", "outside"),
    ("calm", "volatile"),
    ("inflow inflows", "outflow outflows"),
    ("premium", "discount"),
    ("build builds building built", "fade fades fading faded"),
    ("accelerate accelerates", "decelerate decelerates"),
    ("always", "sometimes"),
    ("many", "few"),
)  # fmt: skip

_SYNONYMS = {
    "confirm": "confirm confirms confirmed confirming confirmation confirmations validate validates"
    " validated validation back backed",
    "spike": "spike spikes spiked spiking surge surges surged surging burst bursts jump jumps",
    "price": "price prices",
    "then": "then afterward",
    "momentum": "momentum impulse",
    "hold": "hold holds held holding",
    "reach": "reach reaches reached reaching hit hits hitting",
    "filter": "filter filters filtered filtering",
}

_FILLERS = """
a an the this that these those it its itself they their them there here we our you your i my is are
was were be been being am do does did done doing has have had having of in on at to from by for as
into trade trades traded trading trader traders setup setups strategy
strategies approach approaches idea ideas signal signals entry entries enter enters
entered entering take takes took taken taking go goes going gone went make makes made making
will shall should must need needs needed tend tends during position positions
candle candles bar bars chart charts
timeframe timeframes
"""
"""Words that say nothing. Each other word that one text has and the other has not parts them."""
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
FILLERS = frozenset(_FILLERS.split())


def _by_word(table: dict[str, str]) -> dict[str, str]:
    return {word: name for name, words in table.items() for word in words.split()}


HARD = _by_word(_HARD)
SUBJECTS = _by_word(_SUBJECTS) | {"htf": "htf", "meanreversion": "meanreversion"}
SYNONYMS = _by_word(_SYNONYMS)
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
