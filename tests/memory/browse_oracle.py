"""A history to browse, what a plain loop finds in it, and questions to ask of both."""

import random
import re
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from memory.models import Record
from memory.policies.windows import ROLLING
from memory.services import standings
from memory.services.standings import Cause
from tests.desk import Desk, make_instrument
from tests.strategies import remember

WORDS = ("falcon", "harbor", "velvet", "quartz")
TAGS = ("calm", "calm sea", "<p", ">", "the", "größe", "a/b")
ZONES = ("Europe/Berlin", "Pacific/Apia", "Asia/Kolkata", "UTC")
BROWSING = settings(
    max_examples=40,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@dataclass
class History:
    """Everything that was written, as a naive reader remembers it."""

    desk: Desk
    now: datetime
    hidden: set[UUID] = field(default_factory=set)

    def oracle(self, asked: dict[str, str]) -> list[str]:
        """Return the ids of what matches, newest first."""
        records = Record.objects.filter(agent=self.desk.agent).prefetch_related("targets")
        found = [one for one in records if self.shows(one, asked)]
        found.sort(key=lambda one: (one.created_at, one.id), reverse=True)
        return [str(one.id) for one in found]

    def shows(self, record: Record, asked: dict[str, str]) -> bool:
        """Tell whether a record is in the list."""
        instruments = [target.instrument_id for target in record.targets.all()]
        text = " ".join([record.content, *record.tags, *instruments]).lower()
        return (
            record.purged_at is None
            and record.id not in self.hidden
            and asked.get("type", record.type) == record.type
            and asked.get("scope", record.scope) == record.scope
            and ("instrument" not in asked or asked["instrument"] in instruments)
            and ("tag" not in asked or asked["tag"] in record.tags)
            and set(asked.get("q", "").lower().split()) <= set(re.findall(r"\w+", text))
            and self.is_in_time(record.created_at, asked)
        )

    def is_in_time(self, moment: datetime, asked: dict[str, str]) -> bool:
        """Tell whether a moment is in the time that is asked for."""
        if "window" in asked:
            return moment >= self.now - ROLLING[asked["window"]]
        if "tz" not in asked:
            return True
        day = moment.astimezone(ZoneInfo(asked["tz"])).date().isoformat()
        return asked["from"] <= day <= asked["to"]


def make_history(desk: Desk, *, seed: int, now: datetime) -> History:
    """Write 40 random records over three days, and withdraw, erase, merge and outlive some."""
    dice = random.Random(seed)
    make_instrument("SOL", now=now)
    made = History(desk, now)
    for _ in range(40):
        at = now - timedelta(hours=dice.choice([0, 1, 5, 6, 23, 24, 30, 47, 71]))
        words = [dice.choice(WORDS) for _ in range(dice.randrange(1, 4))]
        desk.write(
            now=at,
            type=dice.choice(["observation", "preference"]),
            instruments=dice.choice([[], ["ETH"], ["BTC", "ETH"]]),
            tags=dice.sample(TAGS, dice.randrange(3)),
            content=" ".join(words),
        )
    records = list(Record.objects.filter(agent=desk.agent).order_by("seq"))
    desk.withdraw(records[3].id, now=now)
    desk.erase(records[5].id, now=now)
    kept = remember(desk, "falcon", now=now, tags=["calm"])
    expired = remember(desk, "falcon", now=now - timedelta(days=2), tags=["calm"])
    merged = remember(desk, "falcon", now=now, tags=["calm"])
    move(desk, expired, now=now, expires_at=now)
    move(desk, merged, now=now, merged_into=kept)
    made.hidden = {expired, merged}
    return made


def move(desk: Desk, record_id: UUID, *, now: datetime, **to: Any) -> None:
    """Move a standing, with its ledger line."""
    standings.move(
        agent_id=desk.agent.id,
        record_id=record_id,
        event="moved",
        step=lambda before: replace(before, **to),
        cause=Cause("test"),
        now=now,
    )


def some(values: tuple[str, ...]) -> st.SearchStrategy[str]:
    return st.sampled_from(values)


@st.composite
def times(draw: st.DrawFn) -> dict[str, str]:
    """Draw a time filter, or none."""
    kind = draw(st.sampled_from(["none", "window", "days"]))
    if kind == "window":
        return {"window": draw(st.sampled_from(sorted(ROLLING)))}
    if kind == "none":
        return {}
    first, last = sorted(draw(st.tuples(*[st.integers(26, 30)] * 2)))
    return {"from": f"2026-09-{first}", "to": f"2026-09-{last}", "tz": draw(some(ZONES))}


@st.composite
def questions(draw: st.DrawFn) -> dict[str, str]:
    """Draw filters, each present or not."""
    asked = draw(
        st.fixed_dictionaries(
            {},
            optional={
                "type": some(("observation", "preference", "strategy_insight", "never_written")),
                "scope": some(("agent", "instruments")),
                "instrument": some(("ETH", "BTC", "SOL")),
                "tag": some((*TAGS, "sea", "never")),
                "q": st.lists(some((*WORDS, "ETH", "calm", "nowhere")), min_size=1, max_size=3).map(
                    " ".join
                ),
            },
        )
    )
    return asked | draw(times())
