"""Figures that tell how a test went, and are no part of what an insight says (SPEC M9).

Two backtests of one idea differ in them alone. Only what is plainly a report is one: a sentence of
nothing but results, or what was won and lost of how many at a sentence's end. A number in any
other sentence counts: `stop at a drawdown of 5 %`, `take at most 3 trades`.
"""

import re
from collections.abc import Iterator

LOSS = "itlost"
"""Stands for a report of a loss, which is not the report of a gain."""
_NUMBER = r"[+-]?\d{1,12}(?:\.\d{1,12})?"
_DAY = r"\d{4}-\d\d-\d\d"
_SPAN = rf"{_DAY} ?(?:to|until|through|[-\u2013\u2014/]) ?{_DAY}"
_NOUN = r"(?:p&l|pnl|win[- ]?rate|profit[- ]factor|calmar|sharpe|sortino|(?:max )?drawdown|return)"
_COUNT = r"\d{1,9} trades?"
_MANY = r"(?:trades|backtests|tests)"
_SHARE = r"(?P<{0}>\d{{1,9}}) (?:out )?of (?:the )?(?P<{1}>\d{{1,9}})"
_SCORE = (
    rf"(?P<how>won|lost) {_SHARE.format('some', 'all')}(?: {_MANY})?"
    rf"|{_SHARE.format('some2', 'all2')} {_MANY} (?P<how2>won|lost)"
)
_MADE = rf"(?:it )?(?:returned|made|earned|gained|lost|netted) {_NUMBER} ?%"
_ITEMS = (
    rf"{_NOUN}(?: of|:| was)? (?:{_NUMBER}(?: ?%)?|unknown)",
    _COUNT,
    _MADE,
    _SPAN,
    r"(?:in|out of)[- ]sample",
    r"on [a-z0-9:/@-]{1,30}",
)
_ITEM = f"(?:{'|'.join(_ITEMS)})"
REPORT = re.compile(rf"{_ITEM}(?:(?:,|:|,? and| over| in)? {_ITEM})+\.?|{_MADE}\.?", re.IGNORECASE)
TELLS = re.compile(rf"pnl|p&l|win[- ]?rate|calmar|sharpe|\b{_MADE}|\bin[- ]sample", re.IGNORECASE)
"""What makes a report of a sentence that has the form of one."""
NEGATIVE = re.compile(
    r"(?:p&l|pnl|return|calmar|sharpe|sortino)(?: of|:| was)? -(?!0+(?:\.0+)?(?![\d.]))"
    r"|lost -?[\d.]+ ?%|(?:returned|made|earned|gained|netted) -"
    r"|profit[- ]factor(?: of|:| was)? 0?\.\d",
    re.IGNORECASE,
)
SCORE = re.compile(rf"(?<![\w.])(?:{_SCORE})\.?\s*", re.IGNORECASE)
PLACE = re.compile(r"(?:^|(?<=\s))on [a-z0-9:/@-]{1,30}", re.IGNORECASE)
SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
ASKED = re.compile(
    r"\b(?:if|when|whenever|while|once|until|till|unless|after|before|then|only|stop|cap|limit|"
    r"require\w*|target|need\w*|demand\w*|want\w*|accept\w*|at most|at least|max\w*|min\w*|pause|"
    r"quit|exit|skip|not|no|never|without|hold|should|must)\b",
    re.IGNORECASE,
)
"""Where one of these stands before a score, it is a condition."""
HEADING = re.compile(
    r"(?:^|[:;,] ?)(?:\w{1,30} )?(?:require|condition|criteri|target|goal|limit|cap|rule|accept"
    r"|need|must)[a-z]{0,9}\W{0,3}$",
    re.IGNORECASE,
)
"""What may stand before a list that asks for its figures."""


def without_figures(text: str) -> str:
    """Return `text` without reports of results; a loss that one tells leaves `LOSS`."""
    return " ".join(_told(text))


def _told(text: str) -> Iterator[str]:
    before = ""
    for sentence in SENTENCE.split(text):
        one = " ".join(sentence.split())
        if _is_heading(before):
            yield one
        elif TELLS.search(one) and REPORT.fullmatch(one):
            yield from (f"{found[0]}." for found in PLACE.finditer(one) if "sample" not in found[0])
            if NEGATIVE.search(one):
                yield f"{LOSS}."
        else:
            yield _without_score(one)
        before = one or before


def _is_heading(sentence: str) -> bool:
    return sentence.endswith((":", "-", ",")) or HEADING.search(sentence) is not None


def _without_score(sentence: str) -> str:
    """Leave out `won 7 of 10` at the end of a sentence, after a comma or a colon or alone."""
    found = SCORE.search(sentence)
    if found is None or found.end() != len(sentence):
        return sentence
    head = sentence[: found.start()].rstrip()
    if ASKED.search(head) or (head and not head.endswith((",", ":", "("))):
        return sentence
    how = found["how"] or found["how2"]
    some, all_ = int(found["some"] or found["some2"]), int(found["all"] or found["all2"])
    won = some if how.casefold() == "won" else all_ - some
    return f"{head.rstrip(',:(')}." + (f" {LOSS}." if 2 * won < all_ else "")
