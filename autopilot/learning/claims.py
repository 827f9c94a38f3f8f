"""What a rule claims, in a form in which two rules that say the same are equal (SPEC M6)."""

import re
import unicodedata

SENTENCE = re.compile(r"[.!?;\u3002](?=\s|$)|[()\[\]\n]")
MARK = re.compile(r"offline,? no model", re.IGNORECASE)
_THINGS = r"(?:backtests?|insights?|sessions?|trades?|tests?|runs?|holdouts?)"
_WON = r"(?:won|win|wins|succeeded|profitable)"
_SHARE = r"\d+ (?:out )?of (?:the )?\d+"
STATISTIC = re.compile(
    rf"\b{_SHARE} (?:\w+ ){{0,2}}{_THINGS}\b"
    rf"|\b{_SHARE} (?:\w+ ){{0,3}}{_WON}\b"
    rf"|\b{_WON} (?:in )?{_SHARE}\b"
    r"|\bmedian (?:pnl |return |gain |profit )?(?:of )?[+-]?\d[\d.,]* ?%"
    r"|\bin[- ]sample\b.*\d|\d.*\bin[- ]sample\b"
    r"|^only failures had\b"
)
"""What says how often and how well something went, and not what to do."""
_LEADS = r"(?:won|with|in|from|over|after|and|based|on|it|they|this)"
BEFORE = re.compile(rf"[,:\u2013\u2014]\s*(?:{_LEADS}\s+)*$")
"""What parts a claim from the figures in the same sentence."""
SIGN = re.compile(r"(?<!\w)-(?=\d)|(?<=\d)[.,](?=\d)|%")
"""The punctuation that a number is another without."""


def claimed_by(text: str) -> str:
    """Return a rule's claim: without case, spacing, punctuation, its mark, and trailing statistics.

    Numbers and comparisons inside the claim count. A text of statistics alone is its own claim.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    sentences = [told for one in SENTENCE.split(folded) if (told := " ".join(one.split()))]
    while len(sentences) > 1 and _says_nothing(sentences[-1]):
        sentences.pop()
    if sentences:
        sentences[-1] = _without_figures(sentences[-1])
    return " ".join(word for one in sentences for word in _words(one))


def _says_nothing(sentence: str) -> bool:
    return bool(MARK.fullmatch(sentence) or STATISTIC.search(sentence)) or not _words(sentence)


def _without_figures(sentence: str) -> str:
    """Return a sentence without the figures that it ends in after a comma."""
    for figures in STATISTIC.finditer(sentence):
        head = sentence[: figures.start()]
        if (parted := BEFORE.search(head)) and _words(head[: parted.start()]):
            return head[: parted.start()]
    return sentence


def _words(text: str) -> list[str]:
    signs = {found.start() for found in SIGN.finditer(text)}
    kept = (
        one if place in signs or unicodedata.category(one)[0] in "LMN" else _apart(one)
        for place, one in enumerate(text)
    )
    return "".join(kept).replace("%", " % ").split()


def _apart(sign: str) -> str:
    """Return a sign of its own, as `<` is one, and a blank for any other punctuation."""
    is_symbol = unicodedata.category(sign)[0] == "S" and sign not in "+`^"
    return f" {sign} " if is_symbol else " "
