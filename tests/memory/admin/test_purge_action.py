"""Staff purge what has ended at once, after a page that counts it (SPEC O5, M3)."""

from datetime import datetime, timedelta
from uuid import UUID

import pytest
import time_machine
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client

from memory.models import Record, Standing, StandingChange
from memory.services.clock import no_later
from tests.desk import Desk
from tests.memory.admin.conftest import client_of
from tests.memory.admin.test_actions import ask, confirm
from tests.strategies import end, merge, remember

WHY = "it names a person"


def row(record_id: UUID) -> Standing:
    return Standing.objects.get(record_id=record_id)


@pytest.mark.spec("O5", "M3", "M9")
def test_what_has_ended_is_purged_with_a_reason_and_what_has_not_is_left_alone(
    staff: Client, desk: Desk, now: datetime
) -> None:
    then = now - timedelta(days=1)
    ended, merged, live = (remember(desk, f"a secret {n}", now=then) for n in range(3))
    merge(merged, ended, now=then)
    end(ended, now=now - timedelta(minutes=1))
    rows = [row(ended), row(merged), row(live)]
    html = ask(staff, rows, "purge")
    assert "You chose 3 standings. <strong>1</strong> of them would change" in html
    assert "is destroyed, for good" in html
    assert Standing.objects.count() == 3
    assert 'class="error"' in confirm(staff, rows, "purge", reason=" ")
    assert Standing.objects.count() == 3
    assert "1 standing purged." in confirm(staff, rows, "purge", reason=WHY)
    assert [one.record_id for one in Standing.objects.all()] == [live]
    assert not Record.objects.exclude(id=live).filter(content__contains="secret").exists()
    chief = User.objects.get(username="chief")
    for one in (ended, merged):
        line = StandingChange.objects.get(record_id=one, event="purged")
        assert (line.cause_kind, line.cause_id) == ("user", str(chief.pk))
        assert (line.detail, line.at) == ({"reason": WHY}, now)
    assert LogEntry.objects.get().object_id == str(ended)
    assert "0 standings purged." in confirm(staff, [row(live)], "purge", reason=WHY)


@pytest.mark.spec("O5", "M3")
@pytest.mark.usefixtures("staff")
def test_a_host_whose_clock_is_ahead_purges_nothing_that_lives(desk: Desk, now: datetime) -> None:
    ahead = now + timedelta(days=3000)
    live = remember(desk, now=no_later(ahead))
    with time_machine.travel(ahead, tick=False):
        client = client_of(User.objects.get(username="chief"))
        confirm(client, [row(live)], "purge", reason=WHY)
    assert row(live).record_id == live


@pytest.mark.spec("O5", "M3", "X3")
def test_the_page_that_asks_says_in_words_what_goes_and_why_the_rest_is_left(
    staff: Client, desk: Desk, now: datetime
) -> None:
    told = "Buy <b>breakouts</b> \u202eof BTC\n" + "on rising volume " * 9
    gone = remember(desk, told, now=now - timedelta(days=1), symbol="BTC", outcome="success")
    live = remember(desk, "Skip the weekend", now=now - timedelta(days=1), type="rule")
    end(gone, now=now)
    html = ask(staff, [row(gone), row(live)], "purge")
    assert "strategy_insight, success, BTC, expired, agent ours: “Buy &lt;b&gt;breakouts" in html
    assert "⟦U+202E⟧of BTC on rising" in html
    assert "…”</a>" in html
    assert "would change. Only what is over is purged" in html
    left = html[html.index("Left alone") :]
    assert "rule, live, agent ours: “Skip the weekend”" in left
    assert "breakouts" not in left
    html = ask(staff, [row(live)], "purge")
    assert "there is nothing to do. Only what is over is purged" in html
    done = confirm(staff, [row(live)], "purge", reason=WHY)
    assert "0 standings purged. Only what is over" in done
    # Records have a page of their own.
    record = desk.write(now=now, instruments=["ETH"], content="Higher lows on ETH")
    html = ask(staff, [Record.objects.get(id=record.id)], "erase")
    assert ", ETH, fresh, agent ours: “Higher lows on ETH”" in html
