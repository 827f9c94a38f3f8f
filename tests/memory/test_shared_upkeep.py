"""Copies under what verifies, moves and erases memory (SPEC U3, M8, R17)."""

import json
from datetime import datetime, timedelta
from typing import Any

import pytest

from memory.models import Agent, SharedMemory, SharedPosting, SharedTail, Standing, StandingChange
from memory.services import community
from memory.services.exports import export
from memory.services.purge import purge
from memory.services.standings import Cause
from tests.community import OWNER, judged, let_share, proven, shared
from tests.desk import Desk
from tests.memory.history import bring, elsewhere, lines_of, records_of, whole
from tests.memory.test_verify_memory import found, past_all_rules, verified

DAY = timedelta(days=1)


@pytest.fixture
def copy(desk: Desk, other: Desk, now: datetime) -> SharedMemory:
    let_share(desk.agent)
    made = shared(desk, proven(desk, "volume leads", now=now, tags=["volume"]), now=now)
    shared(desk, proven(desk, "second", now=now), now=now)
    judged(made.id, other, "confirms", now=now)
    return SharedMemory.objects.get(id=made.id)


@pytest.mark.spec("U3", "M8")
def test_what_is_shared_is_as_it_must_be(copy: SharedMemory) -> None:
    del copy
    assert verified()["ok"]


BREAKS = {
    "moved in silence": ("UPDATE memory_shared SET confidence = 0.1 WHERE id = %(id)s", "copies"),
    "another revision": ("UPDATE memory_shared SET revision = 7 WHERE id = %(id)s", "copies"),
    "other words": (
        (
            "UPDATE memory_shared SET relevance_score = 0.5, content = 'volum leading'"
            " WHERE id = %(id)s"
        ),
        "copies",
    ),
    "another name": (
        "UPDATE memory_shared SET source_node_uuid = gen_random_uuid() WHERE id = %(id)s",
        "copies",
    ),
    "a lost line": (
        "DELETE FROM memory_shared_change WHERE shared_id = %(id)s AND revision = 1",
        "copies",
    ),
    "a line rewritten": (
        (
            "UPDATE memory_shared_change SET after = after || '{\"validated_count\": 9}'"
            " WHERE shared_id = %(id)s AND revision = 1"
        ),
        "copies",
    ),
    "a line that means nothing": (
        "UPDATE memory_shared_change SET after = '{}' WHERE shared_id = %(id)s AND revision = 2",
        "copies",
    ),
    "a word lost": (
        (
            "UPDATE memory_shared_term SET lexeme = 'gold' WHERE shared_id = %(id)s"
            " AND lexeme = 'volum'"
        ),
        "copy_words",
    ),
    "a length": (
        "UPDATE memory_shared_term SET len = 99 WHERE shared_id = %(id)s AND lexeme = 'volum'",
        "copy_words",
    ),
}


@pytest.mark.spec("U3", "M8", "M5")
@pytest.mark.parametrize("what", BREAKS)
def test_a_copy_that_is_not_right_is_named(copy: SharedMemory, desk: Desk, what: str) -> None:
    statement, check = BREAKS[what]
    past_all_rules(statement, id=copy.id)
    assert (check, str(copy.source_id)) in found("--agent", desk.agent.name)


@pytest.mark.spec("U3", "M8")
def test_a_copy_of_what_is_private_or_gone_is_named(copy: SharedMemory, desk: Desk) -> None:
    past_all_rules(
        "UPDATE memory_standing SET visibility = 'private' WHERE record_id = %(id)s",
        id=copy.source_id,
    )
    named = ("copies", str(copy.source_id))
    assert named in found("--agent", desk.agent.name)
    past_all_rules("DELETE FROM memory_standing WHERE record_id = %(id)s", id=copy.source_id)
    assert named in found("--agent", desk.agent.name)


@pytest.mark.spec("U3", "S3")
def test_words_and_counts_of_copies_are_put_right(copy: SharedMemory) -> None:
    before = set(SharedPosting.objects.values_list("lexeme", "shared_id", "tf", "len"))
    past_all_rules("DELETE FROM memory_shared_term WHERE shared_id = %(id)s", id=copy.id)
    past_all_rules("UPDATE memory_shared_tail SET text_records = 9")
    assert {check for check, _ in found()} == {"copy_words"}
    report = verified("--repair")
    assert report["ok"]
    assert report["repaired"] > 0
    assert set(SharedPosting.objects.values_list("lexeme", "shared_id", "tf", "len")) == before
    tail = SharedTail.objects.get()
    assert (tail.text_records, tail.text_length) == (2, sum(tf for *_, tf, _ in before))
    assert verified()["repaired"] == 0


def sharing_desk(desk: Desk, *, now: datetime) -> None:
    """Let a desk share one insight, and another that it withdraws."""
    let_share(desk.agent)
    shared(desk, proven(desk, "kept", now=now), now=now)
    record = proven(desk, "withdrawn", now=now)
    shared(desk, record, now=now)
    community.unshare(agent_id=desk.agent.id, record_id=record, by=OWNER, now=now)


@pytest.mark.spec("U3", "M8")
def test_an_import_shares_nothing_and_its_export_is_the_same(empty: Agent, now: datetime) -> None:
    data = elsewhere(lambda desk: sharing_desk(desk, now=now), now=now)
    assert b'node_uuid":null' in data
    bring(empty, data, now=now)
    assert not SharedMemory.objects.exists()
    assert not Agent.objects.get(id=empty.id).share_community_memories
    assert whole(empty) == data
    told = {line["content"]: [one["event"] for one in line["ledger"]] for line in records_of(data)}
    assert told == {
        "kept": ["created", "shared"],
        "withdrawn": ["created", "shared", "unshared"],
    }
    assert verified()["ok"]


@pytest.mark.spec("U3", "M8")
def test_what_was_shared_elsewhere_is_shared_here_by_its_owner_alone(
    empty: Agent, now: datetime
) -> None:
    bring(empty, elsewhere(lambda desk: sharing_desk(desk, now=now), now=now), now=now)
    kept = Standing.objects.get(record__content="kept")
    ids: dict[str, Any] = {"agent_id": empty.id, "record_id": kept.pk, "now": now + DAY}
    let_share(empty)
    assert community.promote(**ids) == "already_shared"
    copy, is_new = community.share(**ids, by=OWNER)
    assert is_new
    assert SharedMemory.objects.get() == copy
    community.unshare(**ids, by=OWNER)
    events = StandingChange.objects.filter(record_id=kept.pk).order_by("revision")
    assert [line.event for line in events] == ["created", "shared", "shared", "unshared"]
    assert verified()["ok"]


@pytest.mark.spec("U3", "M8")
def test_what_was_shared_elsewhere_can_be_withdrawn_without_a_copy_here(
    empty: Agent, now: datetime
) -> None:
    bring(empty, elsewhere(lambda desk: sharing_desk(desk, now=now), now=now), now=now)
    kept = Standing.objects.get(record__content="kept")
    community.unshare(agent_id=empty.id, record_id=kept.pk, by=OWNER, now=now)
    kept.refresh_from_db()
    assert kept.visibility == "private"
    line = StandingChange.objects.get(record_id=kept.pk, event="unshared")
    assert line.detail == {}


@pytest.mark.spec("U3", "M8")
def test_an_import_that_tells_of_a_withdrawal_takes_the_copy(
    copy: SharedMemory, desk: Desk, now: datetime
) -> None:
    lines = lines_of(whole(desk.agent))
    (line,) = [one for one in lines if one["kind"] == "record" and one["content"] == "volume leads"]
    gone = {**line["ledger"][-1], "event": "unshared", "detail": {}}
    gone["after"] = {**gone["after"], "visibility": "private"}
    line["ledger"].append(gone)
    data = b"\n".join(json.dumps(one).encode() for one in lines)
    assert bring(desk.agent, data, now=now).moved == 1
    assert not SharedMemory.objects.filter(id=copy.id).exists()
    assert SharedMemory.objects.exists()
    assert verified()["ok"]


@pytest.mark.spec("U3", "M8", "X1")
def test_an_export_says_nothing_of_what_others_made_of_a_copy(
    copy: SharedMemory, desk: Desk, other: Desk
) -> None:
    data = b"".join(some.lines for some in export(desk.agent))
    assert str(other.agent.id).encode() not in data
    assert str(copy.source_node_uuid).encode() not in data
    (line,) = [one for one in records_of(data) if one["content"] == "volume leads"]
    assert line["ledger"][-1]["after"]["community_confirmations"] == 0


@pytest.mark.spec("M8", "M3", "E6")
def test_deleting_a_memory_and_purging_it_take_its_copy(
    copy: SharedMemory, desk: Desk, now: datetime
) -> None:
    path = f"/api/v1/ai/memories/{copy.source_id}/"
    assert desk.client("autopilot").delete(path).status_code == 204
    left = SharedMemory.objects.get()
    assert left.id != copy.id
    purge(by=Cause("test"), now=now + 90 * DAY, most=10)
    assert SharedMemory.objects.get() == left
    purge(by=Cause("test"), now=now + 97 * DAY, most=10)
    assert not SharedMemory.objects.exists()
    assert verified()["ok"]
