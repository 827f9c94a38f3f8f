"""Who runs a producer: callers, or the built-in analyst; a choice that always fits (SPEC A12)."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from autopilot.crew.lenses import LENSES as KNOWN_LENSES
from memory.errors import BadRequest
from memory.ids import new_id
from memory.models import Producer
from memory.policies.vocabulary import LENSES
from memory.services import setup
from memory.services.runners import choose_runner
from memory.services.runs import BoundaryRun, start_built_in_run
from tests.desk import Desk
from tests.memory.test_integrity import refused_by

BOUNDARY = timedelta(minutes=1, seconds=7)


def built_in(producer: Producer, *, now: datetime, **more: Any) -> Producer:
    asked: dict[str, Any] = {"runner": "built_in", "lens": "trend", "timeframe": None, **more}
    return choose_runner(producer=producer, now=now, **asked)


@pytest.mark.spec("A12")
def test_the_store_names_the_lenses_that_the_analyst_has() -> None:
    assert set(LENSES) == set(KNOWN_LENSES)


@pytest.mark.spec("A12")
def test_callers_run_a_producer_until_the_built_in_analyst_is_chosen(
    desk: Desk, now: datetime
) -> None:
    producer = desk.producers["analysis"]
    assert (producer.runner, producer.lens, producer.built_in_since) == ("caller", None, None)
    chosen = built_in(producer, now=now, timeframe="1h")
    stored = Producer.objects.get(id=producer.id)
    for one in (chosen, stored):
        assert (one.runner, one.lens, one.timeframe) == ("built_in", "trend", "1h")
        assert one.built_in_since == now
    # Another lens is no other runner.
    assert built_in(stored, now=now + timedelta(days=1), lens="reversion").built_in_since == now
    back = choose_runner(producer=stored, runner="caller", lens=None, timeframe=None, now=now)
    assert (back.runner, back.lens, back.timeframe, back.built_in_since) == (
        *("caller", None, None, None),
    )


@pytest.mark.spec("A12")
@pytest.mark.parametrize(
    ("role", "asked", "says"),
    [
        ("trading", {}, "role analysis alone"),
        ("analysis", {"runner": "robot"}, "runner must be one of"),
        ("analysis", {"lens": None}, "lens must be one of"),
        ("analysis", {"lens": "crystal ball"}, "lens must be one of"),
        ("analysis", {"timeframe": "7m"}, "timeframe must be one of"),
        ("analysis", {"runner": "caller"}, "null for callers"),
        ("analysis", {"runner": "caller", "lens": None, "timeframe": "5m"}, "null for callers"),
    ],
)
def test_a_runner_that_does_not_fit_is_refused_and_changes_nothing(
    desk: Desk, now: datetime, role: str, asked: dict[str, Any], says: str
) -> None:
    with pytest.raises(BadRequest, match=says):
        built_in(desk.producers[role], now=now, **asked)
    assert Producer.objects.get(id=desk.producers[role].id).runner == "caller"


@pytest.mark.spec("A12", "F3")
def test_what_the_server_runs_keeps_a_schedule(desk: Desk, now: datetime) -> None:
    producer = desk.producers["analysis"]
    setup.change_schedule(producer=producer, schedule=None)
    with pytest.raises(BadRequest, match="needs a schedule"):
        built_in(producer, now=now)
    setup.change_schedule(producer=producer, schedule="4h")
    built_in(producer, now=now)
    setup.change_schedule(producer=producer, schedule="1h")
    with pytest.raises(BadRequest, match="needs a schedule"):
        setup.change_schedule(producer=producer, schedule=None)
    assert Producer.objects.get(id=producer.id).schedule == "1h"


@pytest.mark.spec("A12", "J1")
@pytest.mark.parametrize(
    "change",
    [
        "lens = NULL",
        "lens = 'x'",
        "schedule = NULL",
        "built_in_since = NULL",
        "timeframe = 'x'",
        "runner = 'caller'",
        "runner = 'x'",
    ],
)
def test_the_database_refuses_half_a_runner(desk: Desk, now: datetime, change: str) -> None:
    built_in(desk.producers["analysis"], now=now, timeframe="1h")
    values = {"id": desk.producers["analysis"].id}
    sql = f"UPDATE memory_producer SET {change} WHERE id = %(id)s"
    assert refused_by(sql, values) == "producer_runner_whole"
    trading = {"id": desk.producers["trading"].id, "now": now}
    sql = (
        "UPDATE memory_producer SET runner = 'built_in', lens = 'trend', schedule = '5m',"
        " built_in_since = %(now)s WHERE id = %(id)s"
    )
    assert refused_by(sql, trading) == "producer_runner_whole"


@pytest.mark.spec("J1")
def test_a_boundary_has_one_run_of_the_servers_by_a_key_of_the_table(
    desk: Desk, now: datetime
) -> None:
    producer = desk.producers["analysis"]
    boundary = now - BOUNDARY
    run = start_built_in_run(producer=producer, schedule="5m", boundary=boundary, now=now)
    with pytest.raises(BoundaryRun):
        start_built_in_run(producer=producer, schedule="15m", boundary=boundary, now=now)
    copy = (
        "INSERT INTO memory_run (id, agent_id, producer_id, schedule, evidence_boundary,"
        " started_at, status, error, implicit, built_in) SELECT %(new)s, agent_id, producer_id,"
        " schedule, {boundary}, started_at, status, error, {implicit}, {built_in}"
        " FROM memory_run WHERE id = %(id)s"
    )
    values = {"new": new_id(), "id": run.id}
    own = {"boundary": "evidence_boundary", "implicit": "false", "built_in": "true"}
    assert refused_by(copy.format(**own), values) == "run_built_in_once"
    # A caller may run it as often as it likes.
    assert refused_by(copy.format(**own | {"built_in": "false"}), values) is None
    implicit = own | {"implicit": "true", "boundary": "evidence_boundary - interval '1 hour'"}
    assert refused_by(copy.format(**implicit), values) == "run_built_in_scheduled"
    for change in ("built_in = false", "deadline_at = deadline_at + interval '1 day'"):
        frozen = f"UPDATE memory_run SET {change} WHERE id = %(id)s"
        assert refused_by(frozen, {"id": run.id}) == "run_frozen"
