"""The offline synthesizer: what did better, and what the successes share and the failures do not.

Where next to nothing succeeded, it is the other way round: the rule says what to leave.

A rule is the claim alone, so that the same claim is the same text; what it rests on is its reason.
Figures there are in-sample: material has no others.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from autopilot.llm.offline.features import AVOID, KNOWN_WORDS, features_of
from autopilot.llm.offline.ranking import advantage, sharpe_of
from autopilot.llm.offline.words import OFFLINE, listed, plural
from autopilot.strategy.blocks import BLOCKS, FILTERS, FOUNDATIONS, STOPS
from memory.policies.vocabulary import STRATEGY_TYPES

WINS_NEEDED = 2
"""What a single success has is luck as likely as not."""
SHARED_MAX, MARKETS_SHOWN, FAILED_SHOWN = 2, 4, 2
MOST_OF = 2 / 3
"""What so many of the successes have is shared."""
CLEAR = 2.0
"""What ranks so many standard deviations before the rest did better than it."""
type Counts = Counter[str]


def synthesize(material: Mapping[str, Any]) -> dict[str, Any]:
    """Return one rule with its tags and what it rests on; an empty one where none follows."""
    again = {id_ for same in material["repeats"] for id_ in same[1:]}
    insights = [
        one
        for one in material["memories"]
        if one["type"] == "strategy_insight" and one["id"] not in again
    ]
    won = [one for one in insights if one["outcome"] == "success"]
    lost = [one for one in insights if one["outcome"] == "failure"]
    avoids = len(won) < WINS_NEEDED
    shared = _shared(lost, won) if avoids else _preferred(won, lost)
    kind = material["strategy_type"]
    rules = [one for one in material["memories"] if one["type"] == "rule"]
    tags = [*shared, AVOID] if avoids else shared
    claimed = {*tags, kind}
    for rule in rules:
        if _claim_of(rule, kind) == claimed:
            return _none(f"rule {rule['id']} says the same already")
    text = f"{_claim(kind, shared, avoids=avoids)} {OFFLINE}"
    return {"rule": text, "tags": tags, "reason": _evidence(won, lost) + _failed(won, lost)}


def _none(reason: str) -> dict[str, Any]:
    return {"rule": "", "tags": [], "reason": reason}


def _claim_of(rule: Mapping[str, Any], kind: str) -> set[str]:
    """Return what a rule's tags claim, in the same words."""
    blocks = {tag for tag in rule["tags"] if tag in KNOWN_WORDS and tag not in STRATEGY_TYPES}
    return blocks | ({AVOID} & set(rule["tags"])) | {rule["strategy_type"] or kind}


def _preferred(won: Sequence[Mapping[str, Any]], lost: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what did better than the rest, then what the successes share."""
    words = [*_better([*won, *lost]), *_shared(won, lost)]
    return list(dict.fromkeys(words))[:SHARED_MAX]


def _better(insights: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what the better backtests had and the worse ones had not, the clearest first."""
    told = [
        (features_of(one["blocks"]), sharpe)
        for one in insights
        if one.get("blocks") is not None and (sharpe := sharpe_of(one)) is not None
    ]
    found: list[tuple[float, int, str]] = []
    for word in {word for features, _ in told for word in features} - {"both"}:
        having = [sharpe for features, sharpe in told if word in features]
        lacking = [sharpe for features, sharpe in told if word not in features]
        score = advantage(having, lacking)
        if score >= CLEAR and len(having) >= WINS_NEEDED:
            found.append((-score, _place(word), word))
    return [word for *_, word in sorted(found)]


def _shared(ones: Sequence[Mapping[str, Any]], others: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what most of the ones have, what tells them from the others first."""
    if not ones:
        return []
    good, bad = _counts(ones), _counts(others)

    def gain(word: str) -> float:
        return good[word] / len(ones) - (bad[word] / len(others) if others else 0.0)

    common = [word for word in good if good[word] >= MOST_OF * len(ones) and word != "both"]
    # What the others have as often tells nothing, but for what the strategy enters by.
    telling = [word for word in common if gain(word) > 0 or word in FOUNDATIONS]
    ranked = sorted(telling, key=lambda word: (-gain(word), -good[word], _place(word), word))
    return ranked[:SHARED_MAX]


def _counts(insights: Sequence[Mapping[str, Any]]) -> Counts:
    counts: Counts = Counter()
    for one in insights:
        blocks = one.get("blocks")
        if blocks is not None:
            counts.update(features_of(blocks))
        else:
            counts.update({tag for tag in one["tags"] if tag in BLOCKS})
    return counts


def _place(word: str) -> int:
    return list(BLOCKS).index(word) if word in BLOCKS else len(BLOCKS)


def _claim(kind: str, words: Sequence[str], *, avoids: bool) -> str:
    # In an order of their own: which of them tells more changes with the evidence.
    shared = sorted(words, key=lambda word: (_place(word), word))
    groups = {
        "entry by {}": [word for word in shared if word in FOUNDATIONS],
        "filter {}": [word for word in shared if word in FILTERS],
        "stop {}": [word for word in shared if word in STOPS],
        "{} only": [word for word in shared if word not in BLOCKS],
    }
    rest = [word for word in shared if word in BLOCKS]
    rest = [word for word in rest if word not in {*FOUNDATIONS, *FILTERS, *STOPS}]
    told = [form.format(listed(words)) for form, words in groups.items() if words]
    told += [f"exit {listed(rest)}"] if rest else []
    name = kind.replace("_", " ")
    if told:
        return f"For {name}, {'avoid' if avoids else 'prefer'} {', '.join(told)}."
    return f"{name.capitalize()} {'has not paid yet' if avoids else 'can pay'}."


def _evidence(won: Sequence[Mapping[str, Any]], lost: Sequence[Mapping[str, Any]]) -> str:
    """Return how many backtests won, where, and by how much; what has no PnL is no backtest."""
    gains = {one["id"]: gain for one in (*won, *lost) if (gain := _gain(one)) is not None}
    tested = [one for one in won if one["id"] in gains]
    rest = len(won) + len(lost) - len(gains)
    told = []
    if gains:
        markets = sorted({one["symbol"] for one in tested if one["symbol"]})
        where = f" on {listed(markets[:MARKETS_SHOWN])}" if markets else ""
        middle = median(gains[one["id"]] for one in tested) if tested else None
        typical = "" if middle is None else f", median {middle:+.1f} %"
        count = f"{len(tested)} of {plural(len(gains), 'backtest')}"
        told.append(f"{count} in-sample won{where}{typical}.")
    if rest:
        many = plural(rest, "further insight" if gains else "insight")
        successes = len(won) - len(tested)
        told.append(f"{many} came without figures, {successes} of success.")
    return " ".join(told)


def _gain(insight: Mapping[str, Any]) -> float | None:
    gain: float | None = insight.get("figures", {}).get("total_pnl_pct")
    return gain


def _failed(won: Sequence[Mapping[str, Any]], lost: Sequence[Mapping[str, Any]]) -> str:
    """Return what failures alone had, when at least two of them had it."""
    good, bad = _counts(won), _counts(lost)
    only = [word for word in bad if bad[word] > 1 and not good[word] and word in BLOCKS]
    worst = sorted(only, key=lambda word: (-bad[word], _place(word)))[:FAILED_SHOWN]
    return f" Only failures had {listed(worst)}." if worst else ""
