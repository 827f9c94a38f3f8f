"""The words of trading insights, by what they mean: what the comparison of texts rests on (M9).

A word here is one of five things. *Hard* classes and subjects are facts: two texts that say the
same have the same ones. *Soft* classes are opposites of which a text may name one that the other
leaves out, but not the other one. *Fillers* say nothing. *Breaks* part the clauses of a sentence.
Everything else is a plain word. All of it is lower case; inflected forms are folded by `stem`,
irregular ones are listed. Hard classes are those of notes/search-and-duplicates.md, section 6; the
rest was found by what flips and paraphrases of insights did (tests/memory/wording.py).
"""

import re

_HARD = {
    "long": "long longs longed longing buy buys buying bought bullish bull bulls upside",
    "short": "short shorts shorted shorting sell sells selling sold bearish bear bears downside",
    "above": "above over exceed exceeds exceeded exceeding beyond greater more minimum min",
    "below": "below under beneath underneath less fewer maximum max",
    "up": "up upward upwards rise rises rising rose risen climb climbs climbed climbing"
    " ascend ascending increase increases increased increasing rally rallies rallied",
    "down": "down downward downwards fall falls falling fell fallen drop drops dropped dropping"
    " descend descending decline declines declined declining decrease"
    " decreases decreased decreasing",
    "not": "not no never without avoid avoids avoided avoiding skip skips skipped skipping nor"
    " neither none cannot ignore ignores ignored ignoring exclude excludes excluded excluding"
    " refrain refuse leave rarely seldom hardly lack lacks lacking absent",
    "unless": "unless except excepting barring",
    "break": "break breaks broke broken breaking breach breaches breached breakout breakouts"
    " breakdown breakdowns pierce pierces pierced",
    "reject": "reject rejects rejected rejecting rejection rejections bounce bounces bounced"
    " bouncing rebound rebounds",
    "exit": "exit exits exited exiting cut cuts cutting",
    "against": "against counter countertrend opposing opposite contrary",
    "works": "work works worked working succeed succeeds succeeded success successful"
    " successfully pay pays paid paying profitable profitably win wins won winning winner winners"
    " profit profits",
    "fails": "fail fails failed failing failure failures lose loses lost losing loser losers loss"
    " losses unprofitable unprofitably unsuccessful disappoint disappoints disappointed"
    " bad badly poor poorly worse worst",
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
NOT_BACK = "notback"
"""A negation of what its clause says before it: `longs should be avoided`."""
OUTCOME_CLASSES = frozenset({"works", "fails"})
DIRECTIONS = {"long": {"long"}, "short": {"short"}, "both": {"long", "short"}}

_SUBJECTS = {
    "false": "false fake faked falsely",
    "asia": "asia asian tokyo",
    "london": "london european europe",
    "newyork": "newyork american ny",
    "weekend": "weekend weekends",
    "weekday": "weekday weekdays",
    **{
        day: f"{day} {day}s {day[:3]}"
        for day in ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
    },
    "volume": "volume volumes turnover",
    "volatility": "volatility",
    "ma": "ma mas average averages mean",
    "ema": "ema emas",
    "rsi": "rsi",
    "adx": "adx",
    "atr": "atr natr",
    "macd": "macd",
    "vwap": "vwap",
    "funding": "funding",
    "oi": "oi",
    "band": "band bands bollinger envelope",
    "channel": "channel channels donchian keltner",
    "squeeze": "squeeze squeezes squeezed compression",
    "cross": "cross crosses crossed crossing crossover crossovers",
    "trend": "trend trends trending trended",
    "range": "range ranges ranging consolidation consolidations",
    "retest": "retest retests retested retesting",
    "pullback": "pullback pullbacks retracement retracements dip dips",
    "gap": "gap gaps",
    "wick": "wick wicks shadow shadows",
    "divergence": "divergence divergences diverge diverges diverging",
    "stop": "stop stops stoploss",
    "target": "target targets takeprofit",
    "trail": "trail trails trailed trailing",
    "breakeven": "breakeven",
    "leverage": "leverage leveraged",
    "risk": "risk risks risked risking",
    "triangle": "triangle triangles",
    "flag": "flag flags pennant pennants",
    "wedge": "wedge wedges",
    "liquidation": "liquidation liquidations liquidated",
    "spread": "spread spreads",
    "riskoff": "riskoff",
    "riskon": "riskon",
    "wait": "wait waits waited waiting",
    "news": "news announcement announcements",
}

_OPPOSITES = (
    (("high highs higher highest upper top tops strong stronger strongly heavy heavier elevated"
     " large larger big bigger high-side"), ("low lows lower lowest bottom bottoms weak weaker thin"
     " light lighter small smaller quiet")),
    ("before prior until till ahead preceding", "after afterwards following"),
    ("fast faster quick quicker rapid", "slow slower"),
    ("tight tighter narrow narrower", "wide wider broad broader"),
    ("early earlier first", "late later last"),
    ("begin begins beginning start starts open opens opening opened",
     "end ends ending close closes closing closed"),
    ("morning", "afternoon evening"),
    ("day daytime", "night overnight"),
    ("positive positively", "negative negatively"),
    ("oversold", "overbought"),
    ("support supports", "resistance"),
    ("continuation continue continues continued", ("reversal reversals reverse reverses reversed"
     " revert reverts reversion")),
    ("expand expands expanding expanded expansion", "contract contracts contracting contraction"),
    ("inside", "outside"),
    ("calm", "volatile choppy"),
    ("inflow inflows", "outflow outflows"),
    ("premium", "discount"),
    ("build builds building built accelerate accelerates", ("fade fades fading faded decelerate"
     " decelerates")),
    ("always all many most", "sometimes some few"),
)  # fmt: skip

_SYNONYMS = {
    "confirm": "confirm confirms confirmed confirming confirmation confirmations validate validates"
    " validated validation back backs backed backing support-by",
    "spike": "spike spikes spiked spiking surge surges surged surging burst bursts jump jumps",
    "price": "price prices market markets",
    "momentum": "momentum impulse",
    "hold": "hold holds held holding",
    "filter": "filter filters filtered filtering",
}

_FILLERS = """
a an the this that these those it its itself they their them there here we our you your i my
is are was were be been being am do does did doing done has have had having can could may might
will would shall should must need needs needed needing require requires required requiring prefer
prefers preferred preferring favour favor favours favors use uses used using take takes took taken
taking trade trades traded trading trader traders setup setups strategy strategies approach
approaches idea ideas entry entries enter enters entered entering signal signals position positions
go goes going gone went let lets letting make makes made making get gets got getting
give gives gave given giving
show shows showed shown showing see sees saw seen seeing find finds found finding prove proves
proved proven proving turn turns turned turning tend tends tended seem seems seemed appear appears
appeared look looks looked perform performs performed performing come comes came coming keep keeps
kept keeping let lets set sets add adds added run runs ran stay stays stayed be become becomes
of in on at to from by for as into onto about around near per via through throughout across
during upon among between than too also just only even still yet already again ever both either
each every any much within touch touches touched touching hit hits
hitting right point points pointing common expect expects expected expecting off sigma
deviation deviations standard several such same own other others another
very quite rather really fairly pretty simply clearly usually generally typically often mostly
mainly especially particularly consistently reliably normally commonly frequently regularly
well better best good great nicely fine solid solidly strong-ly reliable consistent decent
how what which who whom whose where why whether because since so thus hence therefore though
although however despite once whenever case cases time times thing things way ways kind kinds
sort sorts part parts lot lots result results outcome outcomes test tests tested testing backtest
backtests backtested sample insample session sessions window windows period periods sides side
condition conditions situation situations environment environments context reading readings value
values threshold thresholds worth good-for ok okay effective effectively edge odds chance chances
reward rewards rewarding rewarded lead leads led leading produce produces produced producing
deliver delivers delivered delivering yield yields yielded yielding offer offers offered helps help
helped helping improve improves improved improving want wants wanted demand demands demanded
insist insists ask asks asked key important essential sure ensure ensures plus along together
amid alongside accompanied accompany accompanies comes-with present presence exists exist
reach reaches reached reaching bar bars candle candles candlestick candlesticks place places
placed placing put puts putting away behind levels level
new fresh recent recently now today currently current previous usual usually least
open-interest us utc usd usdt usdc perp perps perpetual perpetuals coin token pair asset chart
timeframe timeframes frame frames tf hour hours minute minutes overall total net
"""
_BREAKS = "and but or then while whereas when if with as provided"
_LINKS = """of is was were at to a an the about around near nearly roughly some reached came stood
hit just with by approximately almost"""

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

RESULTS = frozenset(
    [
        "pnl",
        "winrate",
        "profitfactor",
        "calmar",
        "sharpe",
        "sortino",
        "drawdown",
        "return",
        "returns",
    ]
)
"""Nouns whose number is a result, and no condition."""
MADE = frozenset(["made", "earned", "returned", "gained", "lost", "yielded", "netted"])
"""Verbs whose percentage is a result."""
CONDITIONAL = frozenset(
    ["if", "when", "once", "until", "unless", "whenever", "while", "after", "only", "without"]
)
"""Where one of these stands before a result, it is a condition and no report."""
LINKS = frozenset(_LINKS.split())
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
    {"above", "below", "not", "unless", "against", "exit", "wait", SOFT["before"], SOFT["after"]}
)
"""What governs that which follows it."""

_ENDINGS = ("ations", "ation", "ments", "ment", "ings", "ing", "edly", "ed", "ies", "es", "s", "ly")
SHORTEST_STEM = 4


def stem(word: str) -> str:
    """Return a plain word without its inflection; short words stay."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM:
            return word[: -len(ending)].rstrip("e")
    return word.rstrip("e") if len(word) > SHORTEST_STEM else word
