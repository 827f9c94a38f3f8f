"""Trading insights in many words: ideas, each said in several ways, and what turns one around.

`seen` wordings were there while the lexicon was made. `unseen` ones were written before it was
tuned and measured then: 0.65 of their pairs merged for ideas with `seen` wordings, 0.54 for new
ideas.
Only afterwards was it tuned on them as well. Slots are filled by a seeded generator; figures of
results and where the symbol is named differ from text to text.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from string import Formatter

SYMBOLS = ("BTC", "ETH", "SOL", "DOGE")
FRAMES = ("5m", "15m", "1h", "4h")
RESULTS = (
    "",
    " PnL +{a} %, {b} trades.",
    " Win rate {b} %, max drawdown {c} %.",
    " Calmar {c}, {b} trades in sample.",
    " It returned {a} % over {b} trades.",
)


@dataclass(frozen=True)
class Idea:
    """One thing to say. `values`: slot → what may stand in it."""

    name: str
    values: dict[str, tuple[str, ...]]
    seen: tuple[str, ...]
    unseen: tuple[str, ...]


IDEAS = (
    Idea(
        "volume breakout",
        {"n": ("2", "1.5", "3"), "tf": FRAMES},
        (
            "Long breakouts on {tf} work when volume is above {n}x its average.",
            "Going long on a breakout pays on the {tf} chart if volume exceeds {n}x the average.",
            "On {tf}, buy the breakout only with volume over {n}x its mean: it works.",
            "Buying breakouts was profitable on {tf} once volume was more than {n} times average.",
            "{tf}: bullish breakouts succeed, provided volume runs higher than {n}x the mean.",
        ),
        (
            "Volume greater than {n}x the average made long breakouts on {tf} profitable.",
            "When turnover tops {n}x its average, buying the {tf} breakout wins.",
            "With more than {n}x average volume, long breakouts work out on {tf} candles.",
        ),
    ),
    Idea(
        "adx filter",
        {"n": ("20", "25", "30"), "tf": FRAMES},
        (
            "Trend following longs on {tf} work with ADX above {n}.",
            "On {tf}, longs with the trend pay off while ADX is over {n}.",
            "Buy with the trend on {tf} when the ADX is greater than {n}; that works.",
            "An ADX of more than {n} makes long trend trades on {tf} succeed.",
            "Following the trend long was profitable on {tf} as long as ADX > {n}.",
        ),
        (
            "Long entries along the trend do well on the {tf} chart if ADX exceeds {n}.",
            "ADX higher than {n} is what long trend trades on {tf} need in order to win.",
            "With the average directional index above {n}, buying the trend on {tf} succeeded.",
        ),
    ),
    Idea(
        "rsi reversal",
        {"n": ("25", "30", "35"), "tf": FRAMES},
        (
            "Buying when RSI is below {n} works on {tf}.",
            "RSI under {n} is a good long entry on {tf}, and it pays.",
            "On {tf}, a long at RSI < {n} succeeds.",
            "Going long with the RSI less than {n} was profitable on the {tf} chart.",
            "Long entries at an RSI reading lower than {n} worked on {tf}.",
        ),
        (
            "On the {tf} timeframe longs win once RSI drops under {n}.",
            "A relative strength index beneath {n} makes buying on {tf} pay off.",
            "Longs taken at RSI values below {n} were successful on {tf}.",
        ),
    ),
    Idea(
        "short rejection",
        {"n": ("20", "50", "100"), "tf": FRAMES},
        (
            "Shorting the rejection at the {n}-bar high works on {tf}.",
            "On {tf}, a short after price rejects the {n} bar high pays.",
            "Sell when price is rejected at the high of {n} bars: on {tf} it was profitable.",
            "Rejections from the {n}-candle high are good shorts on {tf} and succeed.",
            "{tf} shorts work where the {n}-bar high rejects the price.",
        ),
        (
            "Selling a bounce off the {n}-bar high wins on the {tf} chart.",
            "After a rejection of the {n}-bar high, going short makes money on {tf}.",
            "Bearish entries succeed on {tf} where price gets rejected at the {n}-bar high.",
        ),
    ),
    Idea(
        "no weekend",
        {"tf": FRAMES},
        (
            "Momentum breakouts fail at weekends on {tf}.",
            "Breakouts on momentum do not work on {tf} at the weekend.",
            "On {tf}, momentum breakouts lose on weekends.",
            "At the weekend, {tf} breakouts with momentum are unprofitable.",
            "Weekend momentum breakouts on {tf} failed.",
        ),
        (
            "Trading momentum breakouts over the weekend loses money on {tf}.",
            "Momentum breakouts taken on a weekend did not pay on the {tf} chart.",
            "On the {tf} timeframe a weekend breakout on momentum is a loser.",
        ),
    ),
    Idea(
        "atr stop",
        {"n": ("1.5", "2", "2.5"), "m": ("3", "4")},
        (
            "A stop of {n} ATR with a target of {m} R works for breakouts.",
            "For breakouts, a stop at {n} ATR and a target at {m} R pays.",
            "Breakouts succeed with the stop {n} ATR away and the target at {m} R.",
            "Using a {n} ATR stop and a {m} R target was profitable on breakouts.",
            "Breakouts: stop {n} ATR, target {m} R; this works.",
        ),
        (
            "Place the stop loss at {n} ATR and take profit at {m} R: breakouts win that way.",
            "{n} ATR stops with {m} R targets made breakouts successful.",
            "On breakouts it pays to set the stop to {n} ATR and the profit target to {m} R.",
        ),
    ),
    Idea(
        "ema cross",
        {"n": ("9", "10", "20"), "m": ("50", "100", "200"), "tf": FRAMES},
        (
            "Long when EMA {n} crosses above EMA {m} on {tf}: works.",
            "On {tf}, buying the cross of EMA {n} above EMA {m} pays.",
            "EMA {n} crossing over EMA {m} is a profitable long on {tf}.",
            "A long after EMA {n} crossed above EMA {m} succeeded on the {tf} chart.",
            "Buy on {tf} once EMA {n} crosses above EMA {m}; it worked.",
        ),
        (
            "Going long on {tf} as EMA {n} crosses over EMA {m} wins.",
            "On {tf} candles, an EMA {n} cross above the EMA {m} makes longs successful.",
            "Longs opened at the EMA {n} crossover above EMA {m} made money on {tf}.",
        ),
    ),
    Idea(
        "funding",
        {"n": ("5", "8", "10")},
        (
            "Avoid longs when funding is above {n} bp.",
            "No longs while funding is over {n} bps.",
            "Do not go long if funding exceeds {n} bp.",
            "Skip long entries when funding is more than {n} bp.",
            "Never buy with funding greater than {n} bps.",
        ),
        (
            "With funding higher than {n} bp, stay out of longs.",
            "Refrain from buying whenever funding rises above {n} bp.",
            "Longs should be avoided at funding over {n} bps.",
        ),
    ),
    Idea(
        "squeeze",
        {"n": ("20", "30"), "tf": FRAMES},
        (
            "Wait for the close before entering a {n}-bar squeeze breakout on {tf}.",
            "Before entering a breakout from a {n} bar squeeze on {tf}, wait for the close.",
            "On {tf}, wait for the close before a {n}-bar squeeze breakout is entered.",
            "{tf} squeeze breakouts of {n} bars: wait for the bar's close before the entry.",
            "Be patient: on {tf} enter {n}-bar squeeze breakouts not before the close.",
        ),
        (
            "Don't enter a {n}-bar squeeze breakout on {tf} until the candle has closed.",
            "A breakout of a {n}-candle squeeze on {tf} is traded only after the close.",
            "For {n}-bar squeeze breakouts on {tf}, hold off until the close confirms.",
        ),
    ),
    Idea(
        "retest",
        {"n": ("20", "55"), "tf": FRAMES},
        (
            "Retests of a broken {n}-bar high hold on {tf} in an uptrend.",
            "In an uptrend, the retest of a broken {n} bar high holds on {tf}.",
            "On {tf} in uptrends, broken {n}-bar highs hold when retested.",
            "Uptrend, {tf}: a retest of the broken {n}-bar high held.",
            "When the {tf} trend is up, retests of broken {n}-bar highs hold.",
        ),
        (
            "A broken {n}-candle high that is retested in a rising trend holds on {tf}.",
            "In rising {tf} trends the retest of a broken {n}-bar high tends to hold.",
            "On the {tf} chart, retesting a broken {n}-bar high in an uptrend finds support.",
        ),
    ),
    Idea(
        "trailing",
        {"n": ("2", "3"), "m": ("1", "1.5")},
        (
            "Trailing {n} ATR from {m} R improves trend trades.",
            "Trend trades improve with a trail of {n} ATR from {m} R.",
            "A {n} ATR trailing stop from {m} R on helps in trends.",
            "In trends, trail by {n} ATR once {m} R is reached: it helps.",
            "Use a {n} ATR trail from {m} R in trend trades.",
        ),
        (
            "Trend positions do better when trailed by {n} ATR from {m} R.",
            "Letting the stop trail {n} ATR behind from {m} R on is better in trends.",
            "It is worth trailing trend trades with {n} ATR, starting at {m} R.",
        ),
    ),
    Idea(
        "session",
        {"tf": FRAMES},
        (
            "Mean reversion shorts on {tf} work in the Asia session.",
            "In the Asian session, shorting for mean reversion pays on {tf}.",
            "On {tf}, mean reverting shorts are profitable during Asia hours.",
            "Asia session: mean reversion sells succeed on {tf}.",
            "Selling for mean reversion on {tf} worked in Asian hours.",
        ),
        (
            "Mean reversion on the short side makes money on {tf} while Asia trades.",
            "During the Tokyo session, {tf} mean-reversion shorts win.",
            "Short mean reversion entries do well on {tf} in the Asian window.",
        ),
    ),
    Idea(
        "macd divergence",
        {"tf": FRAMES},
        (),
        (
            "A bearish MACD divergence near resistance was a good short on {tf}.",
            "On {tf}, shorting a MACD divergence at resistance made money.",
            "Sell {tf} resistance when the MACD diverges: profitable.",
            "MACD divergences into resistance gave winning shorts on the {tf}.",
            "Short trades off MACD divergence by resistance work on {tf}.",
        ),
    ),
    Idea(
        "pullback",
        {"n": ("20", "21", "50"), "tf": FRAMES},
        (),
        (
            "Pullbacks to the EMA {n} in a {tf} uptrend are worth buying.",
            "In an uptrend on {tf}, buy the dip to the {n} EMA.",
            "Buy retracements into the {n}-period EMA while the {tf} trend points up.",
            "When {tf} is in an uptrend, a pullback to EMA {n} is the long entry.",
            "Longs on {tf} pullbacks that touch the EMA {n} during an uptrend are the way to go.",
        ),
    ),
    Idea(
        "low volatility",
        {"n": ("0.5", "1", "1.5")},
        (),
        (
            "Don't trade breakouts when ATR is below {n} % of price.",
            "Breakouts are to be skipped if ATR is under {n}% of the price.",
            "No breakout entries with ATR less than {n} percent of price.",
            "Leave breakouts alone while the ATR sits below {n} % of price.",
            "Stay away from breakouts at an ATR lower than {n} % of price.",
        ),
    ),
    Idea(
        "time stop",
        {"n": ("12", "24", "48")},
        (),
        (
            "Exit scalps after {n} bars if the target was not hit.",
            "Scalps should be closed after {n} bars when the target has not been reached.",
            "If a scalp hasn't hit its target after {n} bars, get out.",
            "Get out of a scalp after {n} candles without reaching the target.",
            "Cut scalps that did not reach their target after {n} bars.",
        ),
    ),
    Idea(
        "risk",
        {"n": ("0.5", "1", "2"), "m": ("3", "5")},
        (),
        (
            "Risk {n} % per trade with leverage of at most {m}x.",
            "Keep risk at {n}% a trade and leverage no higher than {m}x.",
            "A risk of {n} percent each trade, leverage up to {m}x.",
            "Use leverage of no more than {m}x and risk {n} % on every trade.",
            "Per trade, {n} % risk is right; leverage stays at {m}x maximum.",
        ),
    ),
    Idea(
        "oi rising",
        {"tf": FRAMES},
        (),
        (
            "Rising open interest confirms {tf} breakouts to the upside.",
            "Upside breakouts on {tf} are confirmed when open interest rises.",
            "On {tf}, bullish breakouts are validated by increasing open interest.",
            "Open interest that climbs is a confirmation for long breakouts on {tf}.",
            "{tf} long breakouts get confirmation from growing open interest.",
        ),
    ),
    Idea(
        "band fade",
        {"n": ("2", "2.5"), "tf": FRAMES},
        (),
        (
            "Fading touches of the upper {n}-deviation Bollinger band works on {tf} in ranges.",
            "In a ranging {tf} market, shorting the upper Bollinger band at {n} deviations pays.",
            "On {tf}, selling the upper band ({n} deviations) is profitable while price ranges.",
            "Shorts at the upper {n} sigma Bollinger band win on {tf} if price is in a range.",
        ),
    ),
    Idea(
        "session open",
        {"n": ("15", "30")},
        (),
        (
            "The first {n} minutes after the New York open produce false breakouts.",
            "False breakouts are common in the first {n} minutes after New York opens.",
            "Within the first {n} min following the New York open breakouts tend to be false.",
            "Expect fake breakouts during the {n} minutes after the NY open.",
        ),
    ),
)

BLIND = (
    Idea(
        "vwap reclaim",
        {"tf": FRAMES},
        (),
        (
            "A long after price reclaims VWAP works on {tf}.",
            "On {tf}, buying the reclaim of VWAP is profitable.",
            "Longs on a VWAP reclaim pay on {tf}.",
            "Go long on {tf} as soon as VWAP is reclaimed; this made money.",
        ),
    ),
    Idea(
        "liquidation wick",
        {"n": ("2", "3"), "tf": FRAMES},
        (),
        (
            "Buying long wicks after liquidations larger than {n}x the average works on {tf}.",
            "On {tf}, liquidation wicks are worth buying when liquidations exceed {n}x their mean.",
            "After liquidations of more than {n} times the average, buy the wick on {tf}: it pays.",
            "A wick from liquidations above {n}x average is a winning long on {tf}.",
        ),
    ),
    Idea(
        "htf filter",
        {"tf": ("5m", "15m")},
        (),
        (
            "Only take {tf} longs when the 4h close is above its 200-bar average.",
            "Longs on {tf} should be filtered by a 4h close over the 200-bar mean.",
            "Take {tf} longs only if the 4h candle closed above its 200 bar moving average.",
            "With the 4h close above the 200-bar MA, {tf} longs are fine; otherwise not.",
        ),
    ),
    Idea(
        "partial exit",
        {"n": ("1", "1.5"), "m": ("3", "4")},
        (),
        (
            "Closing half at {n} R and the rest at {m} R improves breakouts.",
            "Breakouts do better when half is closed at {n} R and the remainder at {m} R.",
            "Take half off at {n} R, the other half at {m} R, in breakout trades.",
            "For breakouts, sell 50 % at {n} R and what is left at {m} R.",
        ),
    ),
    Idea(
        "consecutive losses",
        {"n": ("3", "4", "5")},
        (),
        (
            "Stop trading for the day after {n} losses in a row.",
            "After {n} consecutive losses, stop for the rest of the day.",
            "{n} losing trades in a row mean no more trading that day.",
            "Quit for the day once {n} trades in a row were lost.",
        ),
    ),
    Idea(
        "doji",
        {"tf": FRAMES},
        (),
        (
            "Doji candles at support are unreliable long signals on {tf}.",
            "On {tf}, a doji at support is no reliable reason to buy.",
            "Buying dojis on support did not work on {tf}.",
            "Longs from a doji at support fail on {tf}.",
        ),
    ),
)
"""Ideas that nothing was ever tuned on."""

FLIPS: dict[str, tuple[tuple[str, str], ...]] = {
    "direction": (
        ("Long", "Short"),
        ("long", "short"),
        ("Buying", "Selling"),
        ("buying", "selling"),
        ("Buy", "Sell"),
        ("buy", "sell"),
        ("bullish", "bearish"),
        ("Shorting", "Buying"),
        ("shorting", "buying"),
    ),
    "above/below": (
        ("above", "below"),
        ("over", "under"),
        ("exceeds", "is less than"),
        ("more than", "less than"),
        ("greater than", "lower than"),
        ("higher than", "lower than"),
        ("under", "over"),
        ("below", "above"),
        ("less than", "more than"),
        ("<", ">"),
        (">", "<"),
    ),
    "timeframe": tuple(
        (one, other) for one, other in zip(FRAMES, FRAMES[1:] + FRAMES[:1], strict=True)
    ),
    "win/loss": (
        ("works", "fails"),
        ("work", "fail"),
        ("worked", "failed"),
        ("pays off", "loses money"),
        ("pay off", "lose money"),
        ("pays", "loses"),
        ("succeeds", "fails"),
        ("succeeded", "failed"),
        ("succeed", "fail"),
        ("profitable", "unprofitable"),
        ("fail", "work"),
        ("failed", "worked"),
        ("lose", "win"),
        ("wins", "loses"),
        ("win", "lose"),
        ("successful", "unsuccessful"),
        ("makes money", "loses money"),
        ("made money", "lost money"),
    ),
    "negation": (
        ("works", "does not work"),
        ("work", "do not work"),
        ("Buying", "Not buying"),
        ("pays", "doesn't pay"),
        ("Wait", "Do not wait"),
        ("wait", "never wait"),
        ("Avoid", "Prefer"),
        ("Do not go", "Go"),
        ("No longs", "Only longs"),
        ("Never", "Always"),
        ("Skip", "Take"),
        ("hold", "do not hold"),
        ("holds", "never holds"),
        ("held", "never held"),
        ("with", "without"),
        ("Use", "Never use"),
        ("is", "is not"),
        ("are", "are not"),
        ("was", "was not"),
        ("helps", "never helps"),
        ("improve", "do not improve"),
        ("improves", "does not improve"),
    ),
    "up/down": (
        ("uptrend", "downtrend"),
        ("uptrends", "downtrends"),
        ("Uptrend", "Downtrend"),
        ("rising", "falling"),
        ("high", "low"),
        ("highs", "lows"),
    ),
    "break/reject": (
        ("breakouts", "rejections"),
        ("breakout", "rejection"),
        ("Breakouts", "Rejections"),
        ("rejection", "breakout"),
        ("Rejections", "Breakouts"),
        ("rejects", "breaks"),
        ("rejected", "broken"),
    ),
}
"""Kind of flip → word and what it becomes. Numbers are flipped in the slots."""


def pairs(
    *, seed: int, count: int, wordings: str = "all", ideas: tuple[Idea, ...] = IDEAS
) -> list[tuple[str, str, str]]:
    """Return (symbol, text, text) of one idea with equal slots, `count` for each idea at most.

    `wordings`: `seen` ones, `unseen` (each with any other), or `all`.
    """
    rng = random.Random(seed)
    found = []
    for idea in ideas:
        some = list(combinations(range(len(idea.seen) + len(idea.unseen)), 2))
        if wordings == "seen":
            some = [pair for pair in some if max(pair) < len(idea.seen)]
        elif wordings == "unseen":
            some = [pair for pair in some if max(pair) >= len(idea.seen)]
        rng.shuffle(some)
        told = [*idea.seen, *idea.unseen]
        for one, other in some[:count]:
            slots, symbol = _slots(rng, idea), rng.choice(SYMBOLS)
            first, second = (_said(rng, told[at], slots, symbol) for at in (one, other))
            found.append((symbol, first, second))
    return found


def texts(
    *, seed: int, ideas: tuple[Idea, ...] = IDEAS
) -> Iterator[tuple[Idea, str, dict[str, str]]]:
    """Yield each template of each idea with its slots filled, without figures."""
    rng = random.Random(seed)
    for idea in ideas:
        for template in (*idea.seen, *idea.unseen):
            yield idea, template, _slots(rng, idea)


def flipped(template: str, slots: dict[str, str], idea: Idea) -> Iterator[tuple[str, str, str]]:
    """Yield (kind, text, flipped text) for all that can be turned around in a template."""
    text = template.format(**slots)
    for slot in {name for _, name, _, _ in Formatter().parse(template) if name}:
        for other in idea.values[slot]:
            if other != slots[slot]:
                kind = "timeframe" if slot == "tf" else "number"
                yield kind, text, template.format(**{**slots, slot: other})
    for kind, words in FLIPS.items():
        for word, becomes in words:
            if (turned := _replaced(text, word, becomes)) != text:
                yield kind, text, turned


def _replaced(text: str, word: str, becomes: str) -> str:
    parts = text.split(" ")
    wanted = word.split(" ")
    for at in range(len(parts)):
        here = parts[at : at + len(wanted)]
        if [one.strip(".,:;") for one in here] == wanted:
            tail = here[-1][len(here[-1].rstrip(".,:;")) :]
            return " ".join([*parts[:at], becomes + tail, *parts[at + len(wanted) :]])
    return text


def _slots(rng: random.Random, idea: Idea) -> dict[str, str]:
    return {name: rng.choice(values) for name, values in idea.values.items()}


def _said(rng: random.Random, template: str, slots: dict[str, str], symbol: str) -> str:
    tail = rng.choice(RESULTS).format(
        a=f"{rng.uniform(1, 40):.1f}", b=rng.randint(5, 90), c=f"{rng.uniform(1, 9):.2f}"
    )
    named = rng.choice(("{}", "{} On " + symbol + ".", symbol + ": {}"))
    return named.format(template.format(**slots)) + tail
