"""The trading context, against a naive oracle on random histories (SPEC 4)."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.models import Instrument, Producer, Record
from memory.policies.text import canonical
from memory.schemas.answers import WrittenRecordOut
from memory.schemas.records import RecordDraft
from memory.selectors.heads import chosen
from memory.selectors.history import chosen_from_history
from memory.services import publish, setup, tokens
from memory.services.runs import start_run_with_token
from tests.desk import Desk, bearer, note
from trading.context import read_context

MINUTE = timedelta(minutes=1)
BODY = {"content", "metadata", "tags", "links"}


def evidence(desk: Desk, instrument: str = "ETH", **query: Any) -> list[dict[str, Any]]:
    """Return the evidence that the trading role is served over REST."""
    response = desk.client("trading").get(desk.path(f"context/{instrument}/"), query)
    assert response.status_code == 200, response.content
    found: list[dict[str, Any]] = response.json()["evidence"]
    return found


@dataclass(frozen=True)
class Step:
    """One event of a random history."""

    kind: str
    producer: int
    type: str = ""
    instruments: tuple[str, ...] = ()
    minutes: int = 0


WRITES = st.builds(
    Step,
    kind=st.just("write"),
    producer=st.integers(0, 3),
    type=st.sampled_from(["setup", "bias", "levels"]),
    instruments=st.sampled_from([(), ("ETH",), ("BTC",), ("BTC", "ETH")]),
    minutes=st.integers(-40, 40),
)
TOGGLES = st.builds(
    Step,
    kind=st.sampled_from(["disable", "enable"]),
    producer=st.integers(0, 3),
    minutes=st.integers(-40, 40),
)


class World:
    """A desk driven by steps, with a naive account of what was written."""

    def __init__(self, desk: Desk, *, now: datetime) -> None:
        self.desk, self.start = desk, now
        self.toggled = now - timedelta(days=1)
        self.written: list[tuple[WrittenRecordOut, Producer]] = []
        self.enabled: dict[UUID, bool] = {}
        roles = ("analysis", "analysis", "analysis", "review")
        schedules = ("5m", "1h", None, None)
        self.producers: list[Producer] = []
        for i, (role, schedule) in enumerate(zip(roles, schedules, strict=True)):
            producer = setup.create_producer(
                agent=desk.agent,
                role=role,
                name=f"p{i}-{uuid4()}",
                schedule=schedule,
                now=now - timedelta(days=9),
            )
            self.producers.append(producer)
            self.enabled[producer.id] = True

    def apply(self, step: Step) -> None:
        """Carry out one step."""
        producer = self.producers[step.producer]
        # Toggles keep to the order of steps; writes come late and early as they like.
        self.toggled += MINUTE
        if step.kind == "disable":
            setup.disable_producer(producer=producer, now=self.toggled)
            self.enabled[producer.id] = False
        elif step.kind == "enable":
            setup.enable_producer(producer=producer, now=self.toggled)
            self.enabled[producer.id] = True
        else:
            self.write(step, producer)

    def write(self, step: Step, producer: Producer) -> None:
        """Publish at a time that need not follow the last one."""
        moment = self.start + step.minutes * MINUTE
        type_ = "agent_learnings" if producer.role == "review" else step.type
        body = note(type=type_, instruments=list(step.instruments), content=f"at {step.minutes}")
        _, clear = tokens.issue_token(producer=producer, now=self.start)
        written = publish.publish(
            actor=tokens.authenticate(clear, now=self.start),
            draft=RecordDraft.parse(body),
            now=moment,
        )
        self.written.append((written, producer))

    def expected(self, instrument: str, *, at: datetime) -> list[tuple[UUID, str]]:
        """Return (id, status) in order: the specification word by word, over plain lists."""
        newest: dict[tuple[UUID, str, str], tuple[WrittenRecordOut, Producer]] = {}
        for record, producer in self.written:
            about = record.scope == "agent" or instrument in record.instruments
            if producer.role != "analysis" or not about:
                continue
            key = (producer.id, record.type, record.scope)
            best = newest.get(key)
            if best is None or (record.created_at, record.id) > (best[0].created_at, best[0].id):
                newest[key] = (record, producer)
        graded = []
        for record, producer in newest.values():
            if record.expires_at is not None and record.expires_at <= at:
                graded.append((record, "stale"))
            else:
                graded.append((record, "fresh" if self.enabled[producer.id] else "disabled"))
        graded.sort(key=lambda pair: (pair[0].created_at, pair[0].id), reverse=True)
        graded.sort(key=lambda pair: ["fresh", "stale", "disabled"].index(pair[1]))
        return [(record.id, status) for record, status in graded]


@pytest.mark.spec("C1", "C2", "C3", "C9", "C13")
@given(steps=st.lists(st.one_of(WRITES, WRITES, WRITES, TOGGLES), max_size=25))
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_context_equals_the_naive_oracle_on_random_histories(
    desk: Desk, now: datetime, steps: Sequence[Step]
) -> None:
    world = World(desk, now=now)
    own = {producer.id for producer in world.producers}
    for step in steps:
        world.apply(step)
    for instrument in ("ETH", "BTC"):
        for at in (now, now + 35 * MINUTE, now + timedelta(days=2)):
            from_heads = chosen(desk.agent.id, instrument=instrument, past=20, now=at)
            assert from_heads == chosen_from_history(
                desk.agent.id, instrument=instrument, past=20, now=at
            )
            context = read_context(
                agent_id=desk.agent.id, instrument=instrument, now=at, learnings_limit=5
            )
            # Earlier examples share the database: their producers are not this world's.
            found = [
                (one.memory_id, one.status) for one in context.evidence if one.producer.id in own
            ]
            assert found == world.expected(instrument, at=at)


@pytest.mark.spec("C2")
def test_fresh_records_are_whole_and_the_rest_have_no_body_keys(desk: Desk, now: datetime) -> None:
    old = desk.write(now=now - timedelta(hours=1), type="bias", instruments=["ETH", "BTC"])
    new = desk.write(
        now=now,
        type="setup",
        instruments=["ETH"],
        tags=["momentum"],
        links=[{"target_memory_id": str(old.id), "link_type": "evidence"}],
        metadata={"handoff_version": 1},
        timeframe="5m",
    )
    fresh, stale = evidence(desk)
    assert fresh == {
        "memory_id": str(new.id),
        "status": "fresh",
        "type": "setup",
        "scope": "instruments",
        "instruments": ["ETH"],
        "producer": json.loads(new.model_dump_json())["producer"],
        "run": json.loads(new.model_dump_json())["run"],
        "timeframe": "5m",
        "created_at": "2026-09-30T12:01:07Z",
        "expires_at": "2026-09-30T12:10:00Z",
        "expiry_policy": "analysis_schedule_v2",
        "correction_target_ids": [],
        "content": "a quiet market",
        "metadata": new.metadata,
        "tags": ["momentum"],
        "links": [{"target_memory_id": str(old.id), "link_type": "evidence"}],
    }
    assert stale["memory_id"] == str(old.id)
    assert stale["status"] == "stale"
    assert stale["instruments"] == ["ETH", "BTC"]
    assert not BODY & set(stale)
    assert set(fresh) - set(stale) == BODY


@pytest.mark.spec("C3")
def test_a_deadline_that_is_reached_is_past(desk: Desk, now: datetime) -> None:
    written = desk.write(now=now, instruments=["ETH"])
    assert written.expires_at is not None
    for at, status in (
        (written.expires_at - timedelta(microseconds=1), "fresh"),
        (written.expires_at, "stale"),
    ):
        context = read_context(agent_id=desk.agent.id, instrument="ETH", now=at, learnings_limit=0)
        assert [one.status for one in context.evidence] == [status]


@pytest.mark.spec("C1")
def test_other_roles_and_other_instruments_are_not_evidence(desk: Desk, now: datetime) -> None:
    desk.write("trading", now=now, type="trading_decision", instruments=["ETH"])
    desk.write("autopilot", now=now, type="rule")
    desk.write(now=now, instruments=["BTC"])
    wide = desk.write(now=now, type="market_context")
    assert [one["memory_id"] for one in evidence(desk)] == [str(wide.id)]


@pytest.mark.spec("C6", "C1", "C7")
def test_a_correction_stands_beside_its_original_and_hides_none(desk: Desk, now: datetime) -> None:
    original = desk.write(now=now, instruments=["ETH"])
    link = {"target_memory_id": str(original.id), "link_type": "corrects"}
    correction = desk.write(now=now + MINUTE, instruments=["ETH"], links=[link])
    assert bytes(Record.objects.get(id=correction.id).originals_hash or b"") != b""
    first, second = evidence(desk)
    assert (first["memory_id"], second["memory_id"]) == (str(correction.id), str(original.id))
    assert (first["status"], second["status"]) == ("fresh", "fresh")
    assert first["correction_target_ids"] == [str(original.id)]
    assert second["correction_target_ids"] == []


@pytest.mark.spec("C4")
def test_a_run_that_failed_without_publishing_is_absent(desk: Desk) -> None:
    run = desk.client().post(desk.path("runs/"), {}).json()
    end = {"status": "failed", "error": "no data"}
    bearer(run["token"]).post(f"/api/v1/runs/{run['id']}/finish/", end)
    desk.client().post(desk.path("runs/"), {})
    assert evidence(desk) == []


@pytest.mark.spec("C5")
def test_failed_disabled_and_stale_research_blocks_no_trading_run(
    desk: Desk, now: datetime
) -> None:
    desk.write(now=now - timedelta(hours=2), instruments=["ETH"])
    setup.disable_producer(producer=desk.producers["analysis"], now=now)
    started = desk.client("trading").post(desk.path("runs/"), {})
    assert started.status_code == 201
    assert [one["status"] for one in evidence(desk)] == ["stale"]
    decision = note(type="trading_decision", instruments=["ETH"], content="no trade")
    written = bearer(started.json()["token"]).post(desk.path("memories/"), decision)
    assert written.status_code == 201


@pytest.mark.spec("C9")
def test_producers_that_disagree_are_both_served(desk: Desk, now: datetime) -> None:
    for name, view in (("a", "long"), ("b", "short")):
        producer = setup.create_producer(
            agent=desk.agent, role="analysis", name=name, schedule="5m", now=now
        )
        _, _, clear = start_run_with_token(producer=producer, now=now, life=timedelta(hours=1))
        bearer(clear).post(
            desk.path("memories/"), note(type="bias", instruments=["ETH"], content=view)
        )
    assert {one["content"] for one in evidence(desk)} == {"long", "short"}


@pytest.mark.spec("C10")
@pytest.mark.parametrize("name", ["SOL", "NOPE", "eth", "PURR/USDC", "%00", "x" * 300, "@107"])
def test_context_of_an_instrument_that_is_not_selected_is_a_404(
    desk: Desk, now: datetime, name: str
) -> None:
    Instrument.objects.create(id="SOL", kind="perpetual", source="test", seen_at=now)
    response = desk.client("trading").get(desk.path(f"context/{name}/"))
    assert response.status_code == 404
    answer = response.json()
    assert answer["code"] == "instrument_not_selected"
    # The value is named, as far as a name goes; what no database can hold is not repeated.
    named = {} if name == "%00" else {"instrument": name[:64]}
    assert {key: answer[key] for key in answer if key not in ("code", "error")} == named


@pytest.mark.spec("C10")
def test_context_ends_with_the_selection(desk: Desk, now: datetime) -> None:
    setup.deselect_instrument(agent=desk.agent, name="ETH", now=now)
    assert desk.client("trading").get(desk.path("context/ETH/")).status_code == 404


@pytest.mark.spec("C10", "E6")
@pytest.mark.parametrize("name", ["PURR/USDC", "@107", "xyz:TSLA"])
def test_a_name_with_a_slash_a_colon_or_an_at_is_served_quoted_and_plain(
    desk: Desk, now: datetime, name: str
) -> None:
    Instrument.objects.create(id=name, kind="spot", source="test", seen_at=now)
    setup.select_instrument(agent=desk.agent, name=name, now=now)
    written = desk.write(now=now, instruments=[name])
    for spelled in (name, name.replace("/", "%2F").replace(":", "%3A").replace("@", "%40")):
        for slash in ("/", ""):
            response = desk.client("trading").get(desk.path(f"context/{spelled}{slash}"))
            assert response.status_code == 200, spelled
            assert response.json()["instrument"] == name
            assert response.json()["evidence"][0]["memory_id"] == str(written.id)


@pytest.fixture
def three(desk: Desk, now: datetime) -> list[dict[str, Any]]:
    """Return the evidence of three fresh records of about the same size."""
    for type_ in ("a", "b", "c"):
        desk.write(now=now, type=type_, instruments=["ETH"], content=type_ * 1_000)
    return evidence(desk)


@pytest.mark.spec("C12")
def test_a_budget_keeps_whole_records_in_order_and_marks_the_rest(
    desk: Desk, three: list[dict[str, Any]]
) -> None:
    sizes = [len(canonical(one).decode()) for one in three]
    for budget, kept in (
        (1, 0),
        (sizes[0] - 1, 0),
        (sizes[0], 1),
        (sum(sizes[:2]), 2),
        (sum(sizes) - 1, 2),
        (sum(sizes), 3),
    ):
        served = evidence(desk, max_chars=budget)
        assert served[:kept] == three[:kept]
        assert [one["memory_id"] for one in served] == [one["memory_id"] for one in three]
        for one in served[kept:]:
            assert one["omitted"] is True
            assert not BODY & set(one)


@pytest.mark.spec("C12", "C10")
def test_an_omitted_record_is_fetched_alone_by_the_trading_role(
    desk: Desk, three: list[dict[str, Any]], now: datetime
) -> None:
    alone = evidence(desk, memory_id=three[2]["memory_id"])
    assert alone == [three[2]]
    superseded = desk.write(now=now - MINUTE, type="a", instruments=["ETH"])
    for unknown in (uuid4(), superseded.id):
        path = desk.path(f"context/ETH/?memory_id={unknown}")
        assert desk.client("trading").get(path).status_code == 404


@pytest.mark.spec("R9", "E3")
@pytest.mark.parametrize(
    "query",
    [
        "max_chars=0",
        "max_chars=x",
        "max_chars=1.5",
        "max_chars=1_000",
        "max_chars=%2B5",
        "max_chars=05",
        "memory_id=x",
        "colour=1",
        "max_chars=1&max_chars=2",
    ],
)
def test_a_malformed_parameter_is_a_400(desk: Desk, query: str) -> None:
    response = desk.client("trading").get(desk.path(f"context/ETH/?{query}"))
    assert response.status_code == 400
    assert list(response.json()["fields"]) == [query.partition("=")[0]]


@pytest.mark.spec("C10", "V2")
def test_a_context_lists_the_newest_current_learnings(
    desk: Desk, other: Desk, now: datetime, settings: Any
) -> None:
    settings.CONTEXT_LEARNINGS = 2
    other.write("review", now=now, type="agent_learnings", content="another's lesson")
    for i in range(3):
        desk.write("review", now=now + i * MINUTE, type="agent_learnings", content=f"lesson {i}")
    desk.write(
        "review",
        now=now - timedelta(days=2),
        type="agent_learnings",
        content="expired",
        metadata={"valid_for_seconds": 60},
    )
    context = desk.client("trading").get(desk.path("context/ETH/")).json()
    assert [one["content"] for one in context["learnings"]] == ["lesson 2", "lesson 1"]
    assert context["receipt_id"] is None
    assert context["coverage"] is None
    assert context["more_corrections"] is False
    assert (context["instrument"], context["as_of"]) == ("ETH", "2026-09-30T12:01:07Z")


@pytest.mark.spec("C13")
def test_a_context_costs_the_same_statements_whatever_the_lanes(
    desk: Desk, now: datetime, django_assert_num_queries: Any
) -> None:
    desk.write(now=now, instruments=["ETH"])
    client = desk.client("trading")
    client.get(desk.path("context/ETH/"))
    for _ in range(2):
        with django_assert_num_queries(6):
            client.get(desk.path("context/ETH/"))
        for i in range(5):
            desk.write(now=now, type=f"type{i}", instruments=["ETH"])


@pytest.mark.spec("X1", "C10")
def test_an_outsider_cannot_tell_a_foreign_context_from_none(
    desk: Desk, other: Desk, now: datetime
) -> None:
    desk.write(now=now, instruments=["ETH"])
    foreign = other.client("trading").get(desk.path("context/ETH/"))
    random = other.client("trading").get(f"/api/v1/agents/{uuid4()}/context/ETH/")
    assert foreign.status_code == random.status_code == 404
    assert foreign.json() == random.json()
