"""Words of two senses, told apart by what stands beside them (SPEC M9).

`Short squeezes` are no shorts, `a few` is no `few`, and a stop that somebody makes of buying is no
stop loss. What is found here is read as a word of its own, before `expressions` and `phrases` take
the word for its usual sense. Each line was found by somebody who made opposites out of the tables
(tests/memory/flips_of_senses.py).
"""

_SPANS = r"(?:bars?|candles?|minutes?|mins?|hours?|hrs?|days?|weeks?|trades?|[mhdw])(?!\w)"
_HELD = r"(?:longs?|shorts?|trades?|positions?|entries|ones)"
_OFTEN = (
    "usually|typically|generally|normally|mostly|often|frequently|commonly|consistently|always"
    "|necessarily"
)
_COMPARED = r"(?:the|its|their|as|average|normal|usual|more|higher|volume)(?!\w)"
_MOVES = r"(?:breakouts?|breakdowns?|breaks?|retests?|sweeps?|rallies|bounces?|moves?|pullbacks?)"
_HANDLED = (
    r"(?:add(?:ing)? to|trail(?:ing)?|hold(?:ing)?|exit(?:ing)?|clos(?:e|ing)|cut(?:ting)?"
    r"|keep(?:ing)?|tak(?:e|ing)|wait(?:ing)? for|scal(?:e|ing) out of|reduc(?:e|ing)|on|copy)"
)

SENSES: tuple[tuple[str, str], ...] = (
    # Sides that are none
    (r"(limit|market) (?:orders? to )?(buy|sell|long|short)s?", r"\1order \2"),
    (r"(bull|bear)(?:ish)?[- ]markets?", r"\1market"),
    ((r"(long|short)(?=[- ](?:squeezes?|liquidations?|term|ema|sma|ma|rsi|stops?|lookback|periods?)"
     r"(?!\w))"), r"\1sided"),
    (rf"keep ({_HELD}) (long|short)", r"keep \1 \2lasting"),
    (r"(buy|sell)(?= signals?(?!\w))", r"\1ing_signal"),
    # And words for a side where they are one
    (rf"bullish(?= (?:{_MOVES}|{_HELD}|setups?)(?!\w))", "long"),
    (rf"bearish(?= (?:{_MOVES}|{_HELD}|setups?)(?!\w))", "short"),
    (rf"upside(?= {_MOVES}(?!\w))|(?<=breakouts )to the upside", "long"),
    (rf"downside(?= {_MOVES}(?!\w))|(?<=breakouts )to the downside", "short"),
    # What is open or close, and what stops
    (r"close to|close(?= stops?(?!\w))", "nearby"),
    (r"keep (?:the |your )?stops? close", "stop nearby"),
    (rf"open(?= (?:{_HELD}|risk)(?!\w))", "held"),
    (r"stop(?= (?!trailing stop)[a-z]{2,20}ing(?!\w))", "quit"),
    (r"(?:take|have) (?:a )?breaks?", "pause"),
    (r"lunch breaks?", "lunch"),
    # What is handled that has won or lost, or moved and failed
    (rf"({_HANDLED}) (winning|profitable|losing|unprofitable|bad|good|better)(?= {_HELD}(?!\w))",
     r"\1 thing\2"),
    (rf"fail(?:ed|ing)(?= {_MOVES}(?!\w))", "thingfailed"),
    ((rf"((?:when|after|where|if|once) (?:an? |the )?{_MOVES}(?: (?:above|below|at|of|from)"
     r" [a-z0-9 ]{1,30}?)?) fail(?:s|ed)?"), r"\1 thingfailed"),
    (r"(that|which) fail(?:s|ed)?", r"\1 thingfailed"),
    ((r"los(?:es?|ing|t)(?= (?:momentum|control|steam|strength|vwap|support|the (?:ema|ma|level))"
     r"(?!\w))|loss(?= of (?:momentum|control|vwap|support|the (?:ema|ma|level))(?!\w))"),
     "thinglost"),
    (r"well(?= (?:before|after|above|below|over|under)(?!\w))", "far"),
    (r"(?:pay|pays|paid|paying)(?= (?:the |a )?(?:funding|spread|fees?)(?!\w))", "owe"),
    (r"(?:pay|pays|paid) by", "owed"),
    (r"what works", "thingworks"),
    (r"work(?= orders?(?!\w))", "layout"),
    (r"give (?:(?:profits|gains) )?back(?: (?:profits|gains))?", "giveback"),
    # What is crossed
    (r"(above|below|over|under) (?:the |its )?signal(?: lines?)?", r"\1 signalline"),
    (r"signal(?: lines?)?(?= cross)", "signalline"),
    # What has been, and what comes after it
    (r"should have been", "oughted"),
    (r"and (?:then )?wait(?:s|ing)?(?= (?:for|until|till)(?!\w))", "and thenwait"),
    # How much and how often
    (r"in advance", "aforehand"),
    (r"in the fall", "autumn"),
    (r"in(?= (?:the next )?\d+ ?(?:bars?|candles?)(?!\w))", "withinspan"),
    (r"a few", "several"),
    (r"a little", "slight"),
    (rf"not (?:{_OFTEN})", "seldom"),
    (r"not (?:really|simply|actually|basically)", "notquite"),
    (r"(?<!trail )(?<!trails )(?<!trailed )(?<!trailing )by(?=\s+[+-]?[\d.])", "bynumber"),
    (rf"(\d+|two|three|four|five) times(?! {_COMPARED})", r"\1 often"),
    (rf"twice(?! {_COMPARED})", "2 often"),
    (rf"(?:over|across|in|during) (?:the )?past(?= \d+(?:\.\d+)? ?{_SPANS})", "lately"),
    (rf"past(?= \d+(?:\.\d+)? ?{_SPANS})", "lately"),
    (rf"over(?= (?:the (?:last )?)?\d+(?:\.\d+)? ?{_SPANS})", "during_all"),
    (r"top(?= \d)", "foremost"),
    ((r"(?<!the )(?<!each )(hourly|daily|weekly)(?=\s*(?:[.,;]|$)| (?:when|if|on|in|before|after)"
     r"(?!\w))"), r"\1wise"),
    # What has changed, and what is left
    (r"(comes?|moves?|brings?|stops?|rises?|raises?|goes) up to", r"\1 upto"),
    (rf"leave (stops?|targets?|trails?|orders?|winners?|size|leverage|{_HELD}) alone",
     r"untouched \1"),
    (r"(?:the )?(news|trade|session|move|trend) (?:is|are) over", r"\1 finished"),
)  # fmt: skip
"""What it looks like, in lower case, and the words that it is read as: in this order."""
