"""What the researcher and the advisor's search read from memory (SPEC A3, A4)."""

from datetime import datetime, timedelta
from uuid import UUID

import pytest

from autopilot.crew import advisor, researcher
from autopilot.crew.researcher import EXACT_ENOUGH
from memory.selectors.recall import View
from tests.autopilot.crew.cast import Scripted, assignment
from tests.desk import Desk
from tests.strategies import remember

HOUR = timedelta(hours=1)


def view(desk: Desk, now: datetime) -> View:
    return View(agent_id=desk.agent.id, at=now)


def put(desk: Desk, number: int, symbol: str | None, *tags: str, now: datetime) -> list[UUID]:
    """Write insights, each an hour older than the one before."""
    return [remember(desk, symbol=symbol, tags=tags, now=now - age * HOUR) for age in range(number)]


@pytest.mark.spec("A3")
def test_at_most_ten_rules_and_fifteen_insights_of_the_symbol_are_read(
    desk: Desk, now: datetime
) -> None:
    for number in range(12):
        remember(desk, type="rule", confidence=f"0.{number + 10}", now=now)
    newest = put(desk, 17, "ETH", now=now)[:15]
    put(desk, 3, "BTC", now=now)
    gathered = researcher.gather(view=view(desk, now), assignment=assignment())
    assert [str(one.confidence) for one in gathered.rules] == [
        f"0.{number}00" for number in range(21, 11, -1)
    ]
    assert [one.id for one in gathered.exact] == newest
    assert gathered.cross == ()


@pytest.mark.spec("A3")
def test_other_markets_are_asked_only_while_the_symbol_has_few_insights(
    desk: Desk, now: datetime
) -> None:
    put(desk, EXACT_ENOUGH - 1, "ETH", now=now)
    others = put(desk, 17, "BTC", now=now)
    gathered = researcher.gather(view=view(desk, now), assignment=assignment())
    assert [one.id for one in gathered.cross] == others[:15]
    remember(desk, symbol="ETH", now=now)
    gathered = researcher.gather(view=view(desk, now), assignment=assignment())
    assert (len(gathered.exact), gathered.cross) == (EXACT_ENOUGH, ())
    assert not gathered.others_asked


@pytest.mark.spec("A3")
def test_other_markets_are_matched_by_the_known_tags_of_the_request(
    desk: Desk, now: datetime
) -> None:
    (fits,) = put(desk, 1, "BTC", "mean_reversion", now=now)
    (untagged,) = put(desk, 1, None, now=now - HOUR)
    put(desk, 1, "BTC", "breakout", now=now)
    asked = assignment("A mean-reversion idea with momentum please")
    gathered = researcher.gather(view=view(desk, now), assignment=asked)
    assert gathered.tags == ("mean_reversion",)
    assert [one.id for one in gathered.cross] == [fits, untagged]
    every = researcher.gather(view=view(desk, now), assignment=assignment("anything"))
    assert (every.tags, len(every.cross)) == ((), 3)


@pytest.mark.spec("A3", "X1")
def test_without_memories_nobody_is_asked_and_the_research_says_so(
    desk: Desk, other: Desk, now: datetime
) -> None:
    put(other, 3, "ETH", now=now)
    model = Scripted()
    gathered = researcher.gather(view=view(desk, now), assignment=assignment())
    research = researcher.research(
        provider=model, assignment=assignment(), gathered=gathered, seed="s"
    )
    assert (research.summary, research.is_empty, research.call) == ("", True, None)
    assert model.asked == []


@pytest.mark.spec("A4")
def test_the_search_finds_what_shares_a_tag_newest_first_failures_too(
    desk: Desk, now: datetime
) -> None:
    mine = put(desk, 17, "ETH", "adx", now=now)
    lost = remember(desk, symbol="ETH", tags=["adx"], outcome="failure", now=now + HOUR)
    theirs = put(desk, 2, "BTC", "adx", "natr", now=now)
    put(desk, 2, "BTC", "breakout", now=now)
    found = advisor.find(view=view(desk, now + HOUR), symbol="ETH", tags=["adx", "range"])
    assert [one.id for one in found.exact] == [lost, *mine[:14]]
    assert [one.id for one in found.others] == theirs
    assert (found.symbol, found.tags) == ("ETH", ("adx", "range"))


@pytest.mark.spec("A9")
def test_memories_that_know_the_holdout_are_counted(desk: Desk, now: datetime) -> None:
    day = timedelta(days=1)

    def window(split: int, end: int) -> dict[str, dict[str, str]]:
        start = now - 90 * day
        ends = {"start": start, "split": now + split * day, "end": now + end * day}
        return {"window": {name: f"{at:%Y-%m-%dT%H:%M:%SZ}" for name, at in ends.items()}}

    hidden = (now - 10 * day, now)
    seen = remember(desk, symbol="ETH", metrics=window(-20, -5), now=now)
    unseen = remember(desk, symbol="BTC", metrics=window(-40, -20), now=now)
    remember(desk, symbol="BTC", metrics=window(-5, 5), now=now)
    hides = View(agent_id=desk.agent.id, at=now, hidden=hidden)
    gathered = researcher.gather(view=hides, assignment=assignment())
    assert [one.id for one in gathered.everything] == [seen, unseen]
    assert gathered.holdout_seen == 1
    found = advisor.find(view=hides, symbol="ETH", tags=[])
    assert (len(found.everything), found.holdout_seen) == (2, 1)
