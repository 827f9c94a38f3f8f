"""What staff may change, and that history is not among it."""

from collections.abc import Callable
from datetime import datetime

import pytest
from django.db.models import Model
from django.test import Client

from memory.models import (
    Agent,
    Instrument,
    Producer,
    ProducerEnablement,
    Record,
    Run,
    Selection,
    Token,
)
from memory.services import setup
from tests.desk import Desk, make_instrument
from tests.memory.admin.conftest import page

NOBODY = "019a0000-0000-7000-8000-000000000000"
HISTORY: list[type[Model]] = [Instrument, Record, Run, Selection, Token]


@pytest.mark.parametrize("model", HISTORY)
@pytest.mark.spec("O5")
def test_history_cannot_be_changed_by_hand(
    staff: Client, grow: Callable[[int], None], model: type[Model]
) -> None:
    grow(1)
    row = model._default_manager.order_by("pk")[0]  # noqa: SLF001 - public
    before = model._default_manager.filter(pk=row.pk).values().get()  # noqa: SLF001 - public
    forged = {"content": "forged", "status": "failed", "key": "x", "selected_at_0": "2020-01-01"}
    assert staff.post(page(row, "change"), forged).status_code == 403
    assert model._default_manager.filter(pk=row.pk).values().get() == before  # noqa: SLF001 - public


@pytest.mark.parametrize("model", [*HISTORY, Agent, Producer])
@pytest.mark.spec("O5")
def test_nothing_is_deleted_by_hand(
    staff: Client, grow: Callable[[int], None], model: type[Model]
) -> None:
    grow(1)
    row = model._default_manager.order_by("pk")[0]  # noqa: SLF001 - public
    assert staff.post(page(row, "delete"), {"post": "yes"}).status_code == 403
    attempt = {"action": "delete_selected", "_selected_action": str(row.pk), "post": "yes"}
    staff.post(page(model), attempt)
    assert model._default_manager.filter(pk=row.pk).exists()  # noqa: SLF001 - public


@pytest.mark.parametrize("model", [Instrument, Record, Run, Token])
@pytest.mark.spec("O5", "R5")
def test_history_is_not_added_by_hand(staff: Client, model: type[Model]) -> None:
    assert staff.get(page(model, "add")).status_code == 403
    assert staff.post(page(model, "add"), {"content": "x"}).status_code == 403


@pytest.mark.spec("O5")
def test_staff_add_an_agent_and_edit_it(staff: Client, desk: Desk, now: datetime) -> None:
    body = {"owner": desk.user.pk, "name": "second", "expiry_policy": "analysis_schedule_v3"}
    body["plan"] = "free"
    assert staff.post(page(Agent, "add"), body).status_code == 302
    agent = Agent.objects.get(name="second")
    assert (agent.owner, agent.created_at) == (desk.user, now)
    assert agent.expiry_policy == "analysis_schedule_v3"
    assert not agent.trading_may_search
    edit = {
        "name": "third",
        "expiry_policy": "analysis_schedule_v2",
        "trading_may_search": "on",
        "plan": "pro",
        "owner": "999",
    }
    assert staff.post(page(agent, "change"), edit).status_code == 302
    agent.refresh_from_db()
    assert (agent.name, agent.expiry_policy) == ("third", "analysis_schedule_v2")
    assert agent.owner == desk.user
    assert agent.plan == "pro"
    assert agent.trading_may_search


@pytest.mark.parametrize(
    "edit",
    [
        {"name": "ours", "expiry_policy": "analysis_schedule_v2"},
        {"name": "  ", "expiry_policy": "analysis_schedule_v2"},
        {"name": "two\u0007bells", "expiry_policy": "analysis_schedule_v2"},
        {"name": "second", "expiry_policy": "analysis_schedule_v1"},
    ],
)
@pytest.mark.spec("O5")
def test_an_edit_that_the_store_refuses_is_a_message_on_the_page(
    staff: Client, desk: Desk, now: datetime, edit: dict[str, str]
) -> None:
    agent = setup.create_agent(owner=desk.user, name="second", now=now)
    html = staff.post(page(agent, "change"), edit, follow=True).content.decode()
    assert 'class="error' in html
    agent.refresh_from_db()
    assert agent.name == "second"
    assert agent.expiry_policy == "analysis_schedule_v2"


@pytest.mark.spec("O5", "F3")
def test_staff_stand_up_a_producer_and_change_its_schedule_alone(
    staff: Client, desk: Desk, now: datetime
) -> None:
    body = {"agent": str(desk.agent.id), "role": "analysis", "name": "slow", "schedule": "4h"}
    assert staff.post(page(Producer, "add"), body).status_code == 302
    producer = Producer.objects.get(name="slow")
    interval = ProducerEnablement.objects.get(producer=producer)
    assert (interval.enabled_at, interval.disabled_at) == (now, None)
    edit = {"schedule": "", "name": "renamed", "role": "trading"}
    assert staff.post(page(producer, "change"), edit).status_code == 302
    producer.refresh_from_db()
    assert (producer.schedule, producer.name, producer.role) == (None, "slow", "analysis")


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "ours-analysis"},
        {"schedule": "7m"},
        {"role": "boss"},
        {"agent": NOBODY},
        {"agent": "x"},
    ],
)
@pytest.mark.spec("O5")
def test_a_producer_that_cannot_be_is_an_error_on_the_form(
    staff: Client, desk: Desk, wrong: dict[str, str]
) -> None:
    body = {"agent": str(desk.agent.id), "role": "analysis", "name": "new", "schedule": ""} | wrong
    before = Producer.objects.count()
    response = staff.post(page(Producer, "add"), body)
    assert response.status_code == 200
    assert "errorlist" in response.content.decode()
    assert Producer.objects.count() == before


@pytest.mark.spec("O5", "A12")
def test_staff_choose_who_runs_a_producer(staff: Client, desk: Desk, now: datetime) -> None:
    built_in = {"schedule": "4h", "runner": "built_in", "lens": "trend", "timeframe": "1h"}
    body = {"agent": str(desk.agent.id), "role": "analysis", "name": "slow"} | built_in
    assert staff.post(page(Producer, "add"), body).status_code == 302
    producer = Producer.objects.get(name="slow")
    assert (producer.runner, producer.lens, producer.timeframe) == ("built_in", "trend", "1h")
    assert producer.built_in_since == now
    for wrong in (
        built_in | {"schedule": ""},
        built_in | {"lens": ""},
        built_in | {"runner": "caller"},
    ):
        response = staff.post(page(producer, "change"), wrong)
        assert response.status_code == 200
        assert "errorlist" in response.content.decode()
    callers = {"schedule": "", "runner": "caller", "lens": "", "timeframe": ""}
    assert staff.post(page(producer, "change"), callers).status_code == 302
    producer.refresh_from_db()
    assert (producer.schedule, producer.runner, producer.lens) == (None, "caller", None)
    both = built_in | {"schedule": "15m", "timeframe": ""}
    assert staff.post(page(producer, "change"), both).status_code == 302
    producer.refresh_from_db()
    assert (producer.schedule, producer.runner, producer.timeframe) == ("15m", "built_in", None)
    trading = page(desk.producers["trading"], "change")
    assert staff.post(trading, built_in).status_code == 200


@pytest.mark.spec("O5", "R3")
def test_staff_choose_an_instrument_for_an_agent(staff: Client, desk: Desk, now: datetime) -> None:
    make_instrument("SOL", now=now)
    body = {"agent": str(desk.agent.id), "instrument": "SOL"}
    assert staff.post(page(Selection, "add"), body).status_code == 302
    assert Selection.objects.get(agent=desk.agent, instrument_id="SOL").selected_at == now


@pytest.mark.spec("O5", "R3")
def test_a_delisted_instrument_is_refused_in_words(
    staff: Client, desk: Desk, now: datetime
) -> None:
    make_instrument("GONE", now=now, is_active=False)
    body = {"agent": str(desk.agent.id), "instrument": "GONE"}
    html = staff.post(page(Selection, "add"), body, follow=True).content.decode()
    assert "GONE is not an active instrument" in html
    assert not Selection.objects.filter(instrument_id="GONE").exists()


@pytest.mark.parametrize("model", [Producer, Token, Selection])
@pytest.mark.spec("O5")
def test_a_forged_key_among_the_chosen_rows_is_a_message(
    staff: Client, grow: Callable[[int], None], model: type[Model]
) -> None:
    grow(1)
    actions = {Producer: "disable", Token: "revoke", Selection: "deselect"}
    attempt = {"action": actions[model], "_selected_action": "nonsense"}
    answer = staff.post(page(model), attempt, follow=True)
    assert answer.status_code == 200
    assert "no valid key" in answer.content.decode()
