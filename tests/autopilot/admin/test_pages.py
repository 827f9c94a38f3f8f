"""Staff look at sessions and backtests, and can stop a session (SPEC O5, X3)."""

import re
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext

from autopilot.learning.lifecycle import judge
from autopilot.models import Backtest, Session, Step, SynthesisClaim
from memory.ids import new_id
from tests.autopilot.sessions import make_session, tell, try_out
from tests.desk import Desk
from tests.markup import flaws
from tests.memory.admin.conftest import client_of, page
from tests.strategies import remember

TRADE = {
    "window": "in_sample",
    "side": "long",
    "entry_at": "2026-09-01T10:00:00+00:00",
    "entry_price": 2500.25,
    "exit_at": "2026-09-01T15:00:00+00:00",
    "exit_price": 2550.0,
    "reason": "target",
    "pnl": 49.75,
    "r": 2.0,
}
HOSTILE = '<script>alert("x")</script>\u202e'


@pytest.fixture
def staff(db: None) -> Client:
    """Return a browser of a superuser."""
    del db
    return client_of(User.objects.create_superuser("chief"))


@pytest.fixture
def session(desk: Desk, now: datetime) -> Session:
    """Return an open session with a backtest, a rule that it confirmed and one that it made."""
    start, split = now - timedelta(days=100), now - timedelta(days=30)
    window = {"window_start": start, "window_split": split, "window_end": now}
    found = make_session(desk, now=now, prompt=f"breakouts {HOSTILE}", **window)
    insights = [remember(desk, now=now) for _ in range(3)]
    rules = [remember(desk, now=now, type="rule", content=f"rule {n}") for n in range(2)]
    test = try_out(
        found, iteration=1, now=now, insight=insights[0], verdict="confirms", trades=[TRADE]
    )
    judge(agent_id=desk.agent.id, backtest=test, applied=[rules[0]], offered=rules, now=now)
    SynthesisClaim.objects.create(
        agent=desk.agent,
        strategy_type="breakout",
        evidence_hash=bytes(32),
        evidence=sorted(str(one) for one in insights),
        session=found,
        claim=new_id(),
        lease_until=now,
        status="made",
        rule_id=rules[1],
        support={"distinct_configs": {"met": True, "count": 3, "needed": 3}, "variants": 5},
        claimed_at=now,
        settled_at=now,
    )
    call = {"role": "advisor", "prompt_version": 1, "offline": True, "fallback": "nonsense"}
    Step.objects.filter(session_id=found.id).update(calls=[call])
    return tell(found, "looked around", HOSTILE, now=now)


def opened(client: Client, path: str) -> str:
    """Open a page that has to answer 200 under the strict policy, and return it."""
    response = client.get(path)
    assert response.status_code == 200, path
    assert flaws(response) == []
    html: str = response.content.decode()
    assert "<script>alert" not in html
    assert "\u202e" not in html
    return html


@pytest.mark.spec("O5", "X3", "L2", "A10")
def test_a_sessions_page_tells_all_of_it(staff: Client, session: Session) -> None:
    html = opened(staff, page(session, "change"))
    for said in (
        "offline advisor, no model",
        "close breaks the 20-bar high or low",
        "+3.50\u00a0%",
        "-1.50\u00a0%",
        "looked around",
        "1: resolve",
        "1 of 5",
        "advisor v1 (offline, fell back: nonsense)",
        "⟦U+202E⟧",
        "distinct_configs 3 of 3: met",
    ):
        assert said in html, said
    backtest = Backtest.objects.get(session_id=session.id)
    assert page(backtest, "change") in html
    assert f"/admin/memory/run/{session.run_id}/change/" in html
    assert len(re.findall(r"/admin/memory/standing/[0-9a-f-]+/change/", html)) == 3
    assert 'name="_save"' not in html


@pytest.mark.spec("O5", "X3", "A9")
def test_a_backtests_page_holds_both_windows_side_by_side(staff: Client, session: Session) -> None:
    backtest = Backtest.objects.get(session_id=session.id)
    html = opened(staff, page(backtest, "change"))
    assert "<td>calmar</td><td>1.25</td><td>-</td>" in html
    assert "<td>total_pnl_pct</td><td>3.5</td><td>-1.5</td>" in html
    assert "<td>confirmed</td>" in html
    assert "<td>2026-09-01 10:00:00</td><td>2500.25</td>" in html
    assert page(session, "change") in html
    assert bytes(backtest.config_hash).hex() in html


@pytest.mark.usefixtures("session")
@pytest.mark.spec("O5", "X3")
@pytest.mark.parametrize("model", [Session, Backtest])
def test_the_lists_open_with_a_search_and_each_filter(staff: Client, model: type[Model]) -> None:
    html = opened(staff, page(model))
    filters = html.partition('id="changelist-filter"')[2].partition("</nav>")[0]
    links = re.findall(r'href="(\?[^"]*)"', filters)
    assert links
    for link in links:
        opened(staff, page(model) + link.replace("&amp;", "&"))
    row = model._default_manager.get()  # noqa: SLF001 - public
    for words in ("ETH", "breakout", str(row.pk)):
        assert page(row, "change") in opened(staff, f"{page(model)}?q={words}")
    assert page(row, "change") not in opened(staff, f"{page(model)}?q=nothing%20like%20it")


@pytest.mark.usefixtures("session")
@pytest.mark.spec("O5")
@pytest.mark.parametrize("model", [Session, Backtest])
def test_a_list_costs_the_same_statements_for_one_row_and_for_many(
    staff: Client, desk: Desk, now: datetime, model: type[Model]
) -> None:
    def cost() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert staff.get(page(model)).status_code == 200
        return len(queries)

    cost()
    few = cost()
    for _ in range(9):
        other = make_session(desk, now=now, symbol_id="BTC")
        try_out(other, iteration=1, now=now)
        other.refresh_from_db()
        tell(other, "over", now=now, end="succeeded")
    assert model._default_manager.count() == 10  # noqa: SLF001 - public
    assert cost() == few <= 10


@pytest.mark.spec("O5", "A10")
def test_nobody_edits_what_happened(staff: Client, session: Session) -> None:
    for row in (session, Backtest.objects.get()):
        for kind in ("change", "delete"):
            assert (
                staff.post(page(row, kind), {"post": "yes", "status": "failed"}).status_code == 403
            )
    assert Session.objects.get().status == "queued"


def act(client: Client, session: Session, **more: str) -> str:
    body: dict[str, Any] = {"action": "cancel", "_selected_action": [str(session.pk)], **more}
    response = client.post(page(Session), body, follow=True)
    assert response.status_code == 200
    html: str = response.content.decode()
    return html


@pytest.mark.spec("O5", "A11")
def test_a_session_is_cancelled_once_confirmed(
    staff: Client, session: Session, now: datetime
) -> None:
    assert "You chose 1 session. <strong>1</strong> of them would change" in act(staff, session)
    assert Session.objects.get().status == "queued"
    assert "1 session cancelled." in act(staff, session, confirmed="yes")
    session.refresh_from_db()
    assert (session.status, session.ended_at) == ("cancelled", now)
    assert "0 sessions cancelled." in act(staff, session, confirmed="yes")
    assert "nothing to do" in act(staff, session)
    assert LogEntry.objects.filter(object_id=str(session.pk)).count() == 1


@pytest.mark.spec("O5")
def test_who_may_only_look_cannot_cancel(desk: Desk, session: Session) -> None:
    assert desk.agent == session.agent
    looker = User.objects.create_user("looker", is_staff=True)
    looker.user_permissions.add(
        Permission.objects.get(codename="view_session", content_type__app_label="autopilot")
    )
    act(client_of(looker), session, confirmed="yes")
    session.refresh_from_db()
    assert session.status == "queued"
