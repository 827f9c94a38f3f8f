"""Staff look at proposed rules, and approve or reject them with a reason (SPEC M6, O5, X3)."""

import re
from datetime import datetime, timedelta
from uuid import UUID

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from autopilot.learning import approval
from autopilot.models import RuleProposal
from memory.models import Record, Standing
from tests.autopilot.learning.lab import claimed, learn_many, make_session, settle
from tests.desk import Desk
from tests.markup import flaws
from tests.memory.admin.conftest import client_of, page
from tests.memory.admin.test_actions import ask, confirm
from tests.strategies import end, forget

HOUR = timedelta(hours=1)
WHY = "it holds on three markets"
HOSTILE = 'Buy <script>alert("x")</script>\u202e the trend'


@pytest.fixture
def staff(db: None) -> Client:
    """Return a browser of a superuser."""
    del db
    return client_of(User.objects.create_superuser("chief"))


def proposed(desk: Desk, *, now: datetime, rule: str = HOSTILE, first: int = 1) -> RuleProposal:
    learn_many(desk, make_session(desk, now=now - HOUR), 3, now=now - HOUR, first=first)
    settle(desk, claimed(make_session(desk, now=now), now=now), rule, review=True, now=now)
    return RuleProposal.objects.get(content=rule)


@pytest.fixture
def proposal(desk: Desk, now: datetime) -> RuleProposal:
    return proposed(desk, now=now)


def opened(client: Client, path: str) -> str:
    """Open a page that has to answer 200 under the strict policy, and return it."""
    response = client.get(path)
    assert response.status_code == 200, path
    assert flaws(response) == []
    html: str = response.content.decode()
    assert "<script>alert" not in html
    assert "\u202e" not in html
    return html


@pytest.mark.spec("O5", "X3", "M6")
def test_a_proposals_page_says_what_it_rests_on(
    staff: Client, proposal: RuleProposal, now: datetime
) -> None:
    insights = [UUID(told) for told in approval.claim_of(proposal).evidence]
    end(insights[0], now=now)
    forget(insights[1], now=now)
    html = opened(staff, page(proposal, "change"))
    assert "⟦U+202E⟧ the trend" in html
    for said in ("distinct configs", "profitable holdouts", "+12.35\u00a0%", "+3.50\u00a0%"):
        assert said in html, said
    assert re.findall(r"<td>(live|over|deleted)</td>", html) == ["over", "deleted", "live"]
    assert page(Standing.objects.get(record_id=insights[2]), "change") in html
    assert 'name="_save"' not in html
    # Too little of it is left.
    refused = confirm(staff, [proposal], "approve", reason=WHY)
    assert "1 of the 3 insights that it was made from are live" in refused
    assert "0 rule proposals approved." in refused


@pytest.mark.spec("O5", "M6")
def test_a_rule_is_approved_with_a_reason_and_shown_as_what_it_became(
    staff: Client, proposal: RuleProposal
) -> None:
    html = ask(staff, [proposal], "approve")
    assert "You chose 1 rule proposal. <strong>1</strong> of them would change" in html
    assert 'name="reason"' in html
    assert "1 rule proposal approved." in confirm(staff, [proposal], "approve", reason=WHY)
    proposal.refresh_from_db()
    assert proposal.rule_id is not None
    rule = Record.objects.get(id=proposal.rule_id)
    chief = User.objects.get(username="chief")
    assert (rule.content, proposal.decided_by_id) == (HOSTILE, chief.pk)
    html = opened(staff, page(proposal, "change"))
    assert "⟦U+202E⟧ the trend" in html
    assert WHY in html
    assert page(Standing.objects.get(record_id=rule.id), "change") in html
    assert "0 rule proposals rejected." in confirm(staff, [proposal], "reject", reason=WHY)
    assert LogEntry.objects.filter(object_id=str(proposal.pk)).count() == 1
    # Its words go with the rule.
    forget(rule.id, now=rule.created_at)
    assert "the trend" not in opened(staff, page(proposal, "change"))


@pytest.mark.spec("O5", "M6")
def test_a_proposals_own_page_leads_to_its_decision_while_it_waits(
    staff: Client, proposal: RuleProposal
) -> None:
    html = opened(staff, page(proposal, "change"))
    for name in ("approve", "reject"):
        assert f'name="action" value="{name}"' in html
    assert f'name="_selected_action" value="{proposal.pk}"' in html
    assert f'action="{page(RuleProposal)}"' in html
    looker = User.objects.create_user("looker", is_staff=True)
    looker.user_permissions.add(Permission.objects.get(codename="view_ruleproposal"))
    assert "Approve…" not in opened(client_of(looker), page(proposal, "change"))
    html = ask(staff, [proposal], "reject")
    assert f"pending, {proposal.strategy_type}, agent ours: “" in html
    confirm(staff, [proposal], "reject", reason=WHY)
    assert "Approve…" not in opened(staff, page(proposal, "change"))
    assert "Only what waits is decided" in ask(staff, [proposal], "approve")


@pytest.mark.spec("O5", "M6")
def test_rules_are_rejected_with_a_reason(
    staff: Client, desk: Desk, proposal: RuleProposal, now: datetime
) -> None:
    second = proposed(desk, now=now + HOUR, rule="Wait for a close below the band", first=11)
    assert "2 rule proposals rejected." in confirm(staff, [proposal, second], "reject", reason=WHY)
    assert set(RuleProposal.objects.values_list("status", "reason")) == {("rejected", WHY)}
    assert not Standing.objects.filter(type="rule").exists()


@pytest.mark.spec("O5")
@pytest.mark.parametrize("action", ["approve", "reject"])
@pytest.mark.parametrize("reason", ["", "   ", "x" * 501])
def test_without_a_reason_nothing_is_decided_and_the_page_asks_again(
    staff: Client, proposal: RuleProposal, action: str, reason: str
) -> None:
    html = confirm(staff, [proposal], action, reason=reason)
    assert 'class="error"' in html
    assert RuleProposal.objects.get().status == "pending"


@pytest.mark.spec("O5", "X1")
@pytest.mark.parametrize("action", ["approve", "reject"])
def test_who_may_only_look_decides_nothing(desk: Desk, proposal: RuleProposal, action: str) -> None:
    looker = User.objects.create_user("looker", is_staff=True)
    looker.user_permissions.add(Permission.objects.get(codename="view_ruleproposal"))
    body = {"action": action, "_selected_action": [str(proposal.pk)], "confirmed": "yes"}
    for client in (client_of(looker), client_of(desk.user)):
        client.post(page(RuleProposal), {**body, "reason": WHY})
    assert RuleProposal.objects.get().status == "pending"


@pytest.mark.spec("O5", "X3")
def test_the_list_opens_with_a_search_and_each_filter_at_the_same_cost_for_many(
    staff: Client, desk: Desk, proposal: RuleProposal, now: datetime
) -> None:
    html = opened(staff, page(RuleProposal))
    filters = html.partition('id="changelist-filter"')[2].partition("</nav>")[0]
    links = re.findall(r'href="(\?[^"]*)"', filters)
    assert links
    for link in links:
        opened(staff, page(RuleProposal) + link.replace("&amp;", "&"))
    for words in ("the trend", str(proposal.pk)):
        assert page(proposal, "change") in opened(staff, f"{page(RuleProposal)}?q={words}")

    def cost() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert staff.get(page(RuleProposal)).status_code == 200
        return len(queries)

    few = cost()
    texts = ("Sell the open", "Hold over the weekend", "Never average down")
    for number, rule in enumerate(texts, start=1):
        proposed(desk, now=now + number * HOUR, rule=rule, first=10 * number + 1)
    assert cost() == few <= 10
