"""What a rule claims, and whether another claims the same: the one place that tells (SPEC M6).

A claim is a rule without its dress: case, punctuation, its mark, the figures it came with. Equal
claims are the same; so are such that say the same facts in like words (memory.policies.likeness,
which insights are merged by). Rules have no symbol, and no field that could speak for their words.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from memory.policies.facts import LONGEST, Facts, facts_of
from memory.policies.figures import ASKED
from memory.policies.likeness import disagreement, likeness
from memory.policies.reading import MONTHS, folded

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
    rf"|^(?=.*\d)(?=.*\bin[- ]sample\b).*\b(?:{_THINGS}|{_WON}|median|pnl|calmar|drawdown)\b"
    r"|^only failures had\b",
    re.IGNORECASE,
)
"""What says how often and how well something went, and not what to do."""
_LEADS = r"(?:won|with|in|from|over|after|and|based|on|it|they|this)"
BEFORE = re.compile(rf"[,:\u2013\u2014]\s*(?:{_LEADS}\s+)*$", re.IGNORECASE)
"""What parts a claim from the figures in the same sentence."""
PARTS = re.compile(r"[,:\u2013\u2014]")
SIGN = re.compile(r"(?<!\w)[+-](?=[\d.])|(?<=\d)[.,:/-](?=\d)|(?<![\w.])\.(?=\d)|%")
"""The punctuation that a number is another without."""
APART = re.compile(r"[+*/^]|-(?=\s*[\d.])")
"""Punctuation that is a word of its own, as any symbol is."""


@dataclass(frozen=True, slots=True)
class Like:
    """A rule that claims the same; `score` is 0…1, and 1 where the claims are equal."""

    id: UUID
    score: Decimal


def like(text: str, others: Iterable[tuple[UUID, str]]) -> Like | None:
    """Return which of the others, oldest first, claims most nearly the same; None: none does."""
    claim, facts = claimed_by(text), _facts(text)
    best: Like | None = None
    for id_, other in others:
        if claimed_by(other) == claim:
            return Like(id_, Decimal(1))
        said = _facts(other)
        score = likeness(facts, said)
        if score is None or disagreement(facts, said) is not None:
            continue
        if best is None or score > best.score:
            best = Like(id_, Decimal(str(round(score, 4))))
    return best


def claimed_by(text: str) -> str:
    """Return a rule's claim: without case, spacing, punctuation, its mark, and trailing statistics.

    Numbers and comparisons inside the claim count. A text of statistics alone is its own claim,
    and so is one that is too long to be read.
    """
    if len(text) > LONGEST:
        return " ".join(text.split())
    folded = MONTHS.sub(r"\1 capitalm", text).casefold()
    return " ".join(word for one in _said(folded) for word in _words(one))


def _facts(text: str) -> Facts:
    return facts_of(". ".join(_said(text)) if len(text) <= LONGEST else text)


def _said(text: str) -> list[str]:
    """Return the sentences of a claim. Upper case stays: it makes names in `facts_of`."""
    told = folded(text)
    sentences = [" ".join(one.split()) for one in SENTENCE.split(told) if one.strip()]
    while len(sentences) > 1 and _says_nothing(sentences[-1]):
        sentences.pop()
    if sentences:
        sentences[-1] = _without_figures(sentences[-1])
    return sentences


def _says_nothing(sentence: str) -> bool:
    if MARK.fullmatch(sentence) or not _words(sentence):
        return True
    found = STATISTIC.search(sentence)
    return found is not None and not ASKED.search(sentence[: found.end()].removeprefix("only "))


def _without_figures(sentence: str) -> str:
    """Return a sentence without the figures that it ends in after a comma."""
    for figures in STATISTIC.finditer(sentence):
        head = sentence[: figures.start()]
        parted = BEFORE.search(head)
        if parted is None or not _words(claim := head[: parted.start()]):
            continue
        told = PARTS.split(claim)[-1] + sentence[parted.start() : figures.end()]
        if not ASKED.search(told.casefold().replace("only", "")):
            return claim
    return sentence


def _words(text: str) -> list[str]:
    signs = {found.start() for found in SIGN.finditer(text)}
    apart = {found.start() for found in APART.finditer(text)} - signs
    kept = (
        one
        if place in signs or unicodedata.category(one)[0] in "LMN"
        else f" {one} "
        if place in apart
        else _apart(one)
        for place, one in enumerate(text)
    )
    return "".join(kept).replace("%", " % ").split()


def _apart(sign: str) -> str:
    """Return a sign of its own, as `<` is one, and a blank for any other punctuation."""
    is_symbol = unicodedata.category(sign)[0] == "S" and sign not in "+`^"
    return f" {sign} " if is_symbol else " "
