"""The offline researcher: counts, and which tags went with success (SPEC A3)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from autopilot.llm.offline.words import OFFLINE, listed, plural

TAGS_SHOWN, LEAST_SEEN = 3, 2


def summarize(material: Mapping[str, Any]) -> dict[str, Any]:
    """Return what memory returned, in figures. No memory's own words are repeated."""
    memories = material["memories"]
    symbol = material["symbol"]
    insights = [one for one in memories if one["type"] == "strategy_insight"]
    said = [
        _of_insights(f"on {symbol}", [one for one in insights if one["symbol"] == symbol]),
        _of_others(material["other_markets"], symbol, insights),
        _of_rules([one for one in memories if one["type"] == "rule"]),
        _of_tags(insights, without=symbol),
    ]
    return {"summary": " ".join([OFFLINE, *(one for one in said if one)])}


def _of_insights(where: str, insights: Sequence[Mapping[str, Any]]) -> str:
    if not insights:
        return f"No insight {where}."
    won = [one for one in insights if one["outcome"] == "success"]
    kinds = Counter(one["strategy_type"] for one in won if one["strategy_type"])
    best = f", most often {kinds.most_common(1)[0][0]}" if kinds else ""
    return f"{plural(len(insights), 'insight')} {where}: {len(won)} of success{best}."


def _of_others(
    search: Mapping[str, Any], symbol: str, insights: Sequence[Mapping[str, Any]]
) -> str:
    """Return what is known of other markets; that nothing is, only where they were asked."""
    if not search["asked"]:
        return f"Other markets were not asked: there is enough on {symbol}."
    others = [one for one in insights if one["symbol"] != symbol]
    if search["tags"] and not others:
        return "No insight on other markets shares a tag with the request."
    return _of_insights("on other markets", others)


def _of_rules(rules: Sequence[Mapping[str, Any]]) -> str:
    if not rules:
        return "No rule."
    kinds = sorted({one["strategy_type"] for one in rules if one["strategy_type"]})
    about = f" on {listed(kinds)}" if kinds else ""
    surest = max(float(one["confidence"]) for one in rules)
    return f"{plural(len(rules), 'rule')}{about}, confidence up to {surest:.2f}."


def _of_tags(insights: Sequence[Mapping[str, Any]], *, without: str) -> str:
    seen: Counter[str] = Counter()
    won: Counter[str] = Counter()
    for one in insights:
        tags = set(one["tags"]) - {without.lower()}
        seen.update(tags)
        won.update(tags if one["outcome"] == "success" else ())
    # A tag of a single insight says nothing about the tag.
    ranked = sorted(
        (tag for tag in seen if seen[tag] >= LEAST_SEEN),
        key=lambda tag: (-won[tag] / seen[tag], -seen[tag], tag),
    )
    good = [tag for tag in ranked if 2 * won[tag] > seen[tag]][:TAGS_SHOWN]
    bad = [tag for tag in reversed(ranked) if 2 * won[tag] < seen[tag]][:TAGS_SHOWN]
    said = []
    for heading, some in (("Went well", good), ("Went badly", bad)):
        if some:
            told = ", ".join(f"{tag} ({won[tag]} of {seen[tag]})" for tag in some)
            said.append(f"{heading}: {told}.")
    return " ".join(said)
