"""Lines from elsewhere: the deadlines that history keeps, and what is refused by its place."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from memory.ids import new_id
from memory.models import Agent, Record, StandingChange
from memory.policies.freshness import STAMPABLE, iso
from memory.selectors.heads import chosen
from memory.services import erase
from memory.services.incoming import BadLine
from tests.desk import BECAUSE, Desk
from tests.memory.history import bring, lines_of, plain, records_of, take, whole

WRITTEN = datetime(2026, 9, 1, 8, 0, 0, 1, tzinfo=UTC)
RUN = {"id": str(new_id())}


@pytest.mark.spec("F5")
@pytest.mark.parametrize(
    ("more", "life_"),
    [
        ({"timeframe": "15m", "run": RUN}, timedelta(minutes=30)),
        ({"timeframe": "1h", "run": RUN}, timedelta(hours=2)),
        ({"timeframe": "1d", "run": RUN}, timedelta(hours=48)),
        ({"timeframe": "4h", "run": RUN}, timedelta(minutes=30)),
        ({"timeframe": "5m", "run": RUN}, timedelta(minutes=30)),
        ({"run": RUN}, timedelta(minutes=30)),
        ({"timeframe": "1d"}, None),
        ({"run": RUN, "type": "review"}, None),
        ({"run": RUN, "type": "trading_decision", "timeframe": "1h"}, None),
        ({"run": RUN, "metadata": {"valid_for_seconds": 90}}, timedelta(seconds=90)),
        ({"metadata": {"valid_for_seconds": 90}}, timedelta(seconds=90)),
        (
            {
                "run": RUN,
                "metadata": {"stale_after": "2026-09-01T11:00:00.000001+02:00"}
                | {"valid_for_seconds": 5},
            },
            timedelta(hours=1),
        ),
        ({"run": RUN, "expires_at": None, "timeframe": "1d"}, None),
        ({"run": RUN, "expires_at": "2026-09-01T08:00:07.000001Z"}, timedelta(seconds=7)),
        ({"run": RUN, "producer": "ours-analysis", "timeframe": "1h"}, timedelta(hours=2)),
        ({"run": RUN, "producer": "ours-review", "type": "review"}, None),
    ],
)
def test_imported_history_keeps_the_deadline_it_has(
    desk: Desk, now: datetime, more: dict[str, Any], life_: timedelta | None
) -> None:
    record = take(desk, plain(**more), now=now)
    assert record.stale_after == (None if life_ is None else WRITTEN + life_)
    assert (record.expiry_policy, record.imported_at) == (None, now)
    assert record.metadata == more.get("metadata", {})


@pytest.mark.spec("F5", "F4")
def test_the_first_policy_is_read_and_never_stamped(desk: Desk, now: datetime) -> None:
    stamped = {"stale_after": "2026-09-01T09:00:00Z", "expiry_policy": "analysis_schedule_v1"}
    record = take(desk, plain(metadata=stamped, run=RUN), now=now)
    assert record.expiry_policy == "analysis_schedule_v1"
    assert record.stale_after == datetime(2026, 9, 1, 9, tzinfo=UTC)
    assert record.metadata == stamped
    (told,) = records_of(whole(desk.agent))
    assert (told["expiry_policy"], told["expires_at"]) == (
        "analysis_schedule_v1",
        "2026-09-01T09:00:00Z",
    )
    assert "analysis_schedule_v1" not in STAMPABLE


@pytest.mark.spec("F5", "C1")
def test_imported_research_takes_its_lane_only_when_it_is_the_newest(
    desk: Desk, now: datetime
) -> None:
    newer = desk.write(now=now, type="market_context", instruments=["ETH"])
    old = plain(producer="ours-analysis", run=RUN, timeframe="1d")
    take(desk, old, now=now)
    alone = plain(
        id=str(new_id()), producer=str(desk.producers["analysis"].id), type="setup", run=RUN
    )
    nobody = plain(id=str(new_id()), type="unattributed", run=RUN)
    take(desk, alone, nobody, now=now)
    lanes = chosen(desk.agent.id, instrument="ETH", past=20, now=now).lanes
    assert {lane.id for lane in lanes} == {newer.id, UUID(alone["id"])}


LAST_TIME = "9999-12-31T23:59:59Z"
ENDED = {
    **RUN,
    "status": "succeeded",
    "started_at": "2026-09-01T08:00:00Z",
    "ended_at": "2026-09-01T08:00:00Z",
}
WITHDRAWN = {"event": "withdrawn", "reason": "wrong", "cause": {"kind": "user"}}
JOB = {
    "kind": "producer",
    "id": str(new_id()),
    "role": "analysis",
    "name": "told",
    "created_at": "2026-09-01T08:00:00Z",
}
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"kind": "memory"}, "kind: must be one of header, instrument, producer, record"),
    ({"kind": None}, "kind: must be one of header, instrument, producer, record"),
    ({"kind": "header", "format": "tidebook-memory", "version": 2}, "version: is 2; this release"),
    ({"kind": "header", "format": "other", "version": 1}, "format: "),
    ({"kind": "instrument", "id": "ETH", "market": "future"}, "market: "),
    ({"kind": "instrument", "id": "a\x00", "market": "spot"}, "id: holds a NUL character"),
    (plain(instruments=["ETH", "NOPE"]), "instruments[1]: is the canonical name of no instrument"),
    (plain(scope="agent"), "instruments: must be empty when scope is agent"),
    (plain(scope="community"), "scope: "),
    (plain(colour="red"), "colour: is not a key of this body"),
    (plain(agent="x"), "agent: is not a key of this body"),
    (plain(seq=4), "seq: is not a key of this body"),
    (plain(id="7"), "id: is not a UUID"),
    (plain(timeframe="2d"), "timeframe: "),
    (plain(metadata=[]), "metadata: "),
    (plain(metadata={"a": "\x00"}), "metadata.a: holds a NUL character"),
    (plain(metadata={"valid_for_seconds": 0}), "metadata.valid_for_seconds: must be a whole"),
    (plain(metadata={"stale_after": "soon"}), "metadata.stale_after: must be an ISO 8601 time"),
    (plain(expires_at="soon"), "expires_at: "),
    (plain(expiry_policy="analysis_schedule_v9"), "expiry_policy: "),
    (plain(created_at="2099-01-01T00:00:00Z"), "created_at: lies in the future"),
    (plain(imported_at="2099-01-01T00:00:00Z"), "imported_at: lies in the future"),
    (plain(run={**ENDED, "started_at": LAST_TIME, "ended_at": LAST_TIME}), "run.started_at: lies"),
    (plain(run={**ENDED, "ended_at": "2099-01-01T00:00:00Z"}), "run.ended_at: lies in the future"),
    (
        plain(run={**ENDED, "ended_at": "2026-09-01T07:59:59Z"}),
        "run: ended_at lies before started_at",
    ),
    (
        plain(changes=[{**WITHDRAWN, "at": "2026-09-01T08:00:00Z"}]),
        "changes[0] is earlier than the record",
    ),
    (plain(changes=[{**WITHDRAWN, "at": "2099-01-01T00:00:00Z"}]), "changes[0].at: lies in the"),
    ({**JOB, "created_at": "2099-01-01T00:00:00Z"}, "created_at: lies in the future"),
    ({**JOB, "enabled": [["2099-01-01T00:00:00Z", None]]}, "enabled[0][0]: lies in the future"),
    (
        {**JOB, "enabled": [["2026-09-01T08:00:00Z", "2099-01-01T00:00:00Z"]]},
        "enabled[0][1]: lies in the future",
    ),
    ({**JOB, "name": "a\u2028b"}, "name: must be printable characters"),
    ({**JOB, "name": " \t "}, "name: "),
    (plain(links=[{"target_memory_id": "x", "link_type": "evidence"}]), "links[0].target_memory"),
    (
        plain(links=[{"target_memory_id": str(new_id()), "link_type": "likes"}]),
        "links[0].link_type",
    ),
    (plain(producer="nobody"), "producer: is none of this agent's"),
    (plain(producer="ours-trading"), "type: the role trading may not write market_context"),
    (
        plain(producer="ours-analysis", type="review"),
        "type: the role analysis may not write review",
    ),
    (plain(run={"id": RUN["id"], "status": "running"}), "run: started_at is missing"),
    (plain(run={"id": RUN["id"], "schedule": "5m"}), "run: tell the run whole"),
    (
        plain(run={**RUN, "status": "running", "started_at": "2026-09-01T08:00:00Z"}),
        "producer: is missing, and a run is of one",
    ),
    (plain(ledger=[{}]), "ledger[0]"),
    (plain(standing={}), "standing and ledger are of strategy memory alone"),
    (plain(kind="record", type="rule"), "strategy memory comes with its standing and its ledger"),
    (plain(purged_at="2026-09-02T00:00:00Z"), "purged_at and content_digest belong together"),
    (
        plain(purged_at="2026-09-02T00:00:00Z", content_digest="0" * 64),
        "content, metadata, tags and standing are empty in what was erased",
    ),
    (
        plain(purged_at="2026-09-02T00:00:00Z", content_digest="0" * 64, content=...),
        "purged_at is the time of the erasure that changes tell of",
    ),
    (
        plain(
            changes=[
                {
                    "event": "restored",
                    "reason": "x",
                    "cause": {"kind": "user"},
                    "at": "2026-09-02T00:00:00Z",
                }
            ]
        ),
        "changes[0] does not follow from the one before",
    ),
]


@pytest.mark.spec("U3", "R4", "R10", "R12")
@pytest.mark.parametrize(
    ("line", "says"), WRONG, ids=[f"{i}-{says[:24]}" for i, (_, says) in enumerate(WRONG)]
)
def test_a_line_that_is_wrong_is_named_with_the_place(
    desk: Desk, now: datetime, line: dict[str, Any], says: str
) -> None:
    with pytest.raises(BadLine) as refusal:
        take(desk, plain(id=str(new_id())), line, now=now)
    assert str(refusal.value).startswith("line 2: ")
    assert says in str(refusal.value)
    assert not Record.objects.exists()


@pytest.mark.spec("U3", "R4", "R7", "X1")
def test_links_lead_to_earlier_records_of_the_agent_alone(
    desk: Desk, other: Desk, now: datetime
) -> None:
    mine, theirs = desk.write(now=now).id, other.write(now=now).id
    texts = set()
    for target in (theirs, new_id()):
        links = [
            {"target_memory_id": str(mine), "link_type": "evidence"},
            {"target_memory_id": str(target), "link_type": "corrects"},
        ]
        with pytest.raises(BadLine) as refusal:
            take(desk, plain(links=links), now=now)
        texts.add(str(refusal.value))
    where = "is no earlier record of this agent, here or on a line before"
    assert texts == {f"line 1: links[1].target_memory_id: {where}"}
    later = plain(id=str(new_id()))
    early = plain(links=[{"target_memory_id": later["id"], "link_type": "evidence"}])
    with pytest.raises(BadLine, match=r"^line 1: links\[0\]"):
        take(desk, early, later, now=now)
    assert take(desk, later, early, now=now).links.count() == 1


@pytest.mark.spec("U3", "X1")
def test_ids_of_another_agent_are_refused_like_any_that_are_taken(
    desk: Desk, other: Desk, now: datetime
) -> None:
    mine, theirs = desk.write(now=now), other.write(now=now)
    assert theirs.run is not None
    texts = set()
    for taken in (mine.id, theirs.id):
        with pytest.raises(BadLine) as refusal:
            take(desk, plain(id=str(taken)), now=now)
        texts.add(str(refusal.value))
    assert texts == {
        "line 1: id: is stored already, with other content, and what is stored never changes"
    }
    with pytest.raises(BadLine, match=r"run\.id: is taken; another run has it$"):
        take(desk, plain(producer="ours-analysis", run={"id": str(theirs.run.id)}), now=now)
    line = next(one for one in lines_of(whole(other.agent)) if one["kind"] == "producer")
    with pytest.raises(BadLine, match=r"id: is taken; another producer has it$"):
        take(desk, line, plain(), now=now)
    line |= {"id": str(new_id()), "name": "ours-trading", "role": "analysis"}
    with pytest.raises(BadLine, match=r"role: the producer ours-trading is here, as trad"):
        take(desk, line, plain(), now=now)


@pytest.mark.spec("U3")
def test_another_record_under_an_id_of_the_agents_own_is_refused(
    empty: Agent, lived: bytes, now: datetime
) -> None:
    bring(empty, lived, now=now)
    told = records_of(lived)[0]
    changes: list[dict[str, Any]] = [
        {"content": "altered"},
        {"metadata": {}},
        {"tags": ["a", "b"]},
        {"created_at": iso(now), "changes": []},
        {"expires_at": None},
        {"instruments": ["BTC", "ETH"]},
        {"producer": None, "run": None},
    ]
    for change in changes:
        with pytest.raises(BadLine, match=r"^line 1: id: is stored already, with other content"):
            bring(empty, json.dumps({**told, **change}).encode(), now=now)
    assert bring(empty, json.dumps(told).encode(), now=now).unchanged == 1


@pytest.mark.spec("U3", "R17")
def test_what_was_erased_here_stays_so(empty: Agent, lived: bytes, now: datetime) -> None:
    bring(empty, lived, now=now)
    told = records_of(lived)[1]
    erase.erase(agent_id=empty.id, record_id=UUID(told["id"]), now=now, **BECAUSE)
    assert bring(empty, lived, now=now).created == 0
    assert Record.objects.get(id=told["id"]).purged_at == now


@pytest.mark.spec("U3", "M5")
def test_a_ledger_that_does_not_hold_is_refused(empty: Agent, lived: bytes, now: datetime) -> None:
    told = next(one for one in records_of(lived) if one["type"] == "strategy_insight")
    first, last = told["ledger"]
    alone = {
        **told,
        "producer": None,
        "run": None,
        "standing": {**told["standing"], "symbol": None},
    }
    purged = {**last, "event": "purged", "after": None}
    stray = {**first, "after": {**first["after"], "merged_into": str(new_id())}}
    for ledger, says in (
        ([], "strategy memory comes with its standing and its ledger"),
        ([first, purged], "ledger[1] must be a purge exactly where it all ends"),
        ([purged, last], "ledger[0] must be a purge exactly where it all ends"),
        ([{**first, "event": "Not A Word"}], "ledger[0].event"),
        (
            [{**first, "after": {**first["after"], "tags": ["a", "a"]}}],
            "ledger[0].after: tags hold",
        ),
        ([{**first, "after": {**first["after"], "confidence": "1.2"}}], "ledger[0].after.confid"),
        ([{**first, "event": "absorbed", "detail": {"merged": 5}}], "ledger[0]: detail.merged is"),
        (
            [{**first, "event": "absorbed", "detail": {"merged": [{"id": "7"}], "repointed": []}}],
            "detail.merged.0.id is not as a merge tells it",
        ),
        ([{**first, "event": "absorbed", "detail": {"undoes": 1}}], "detail.merged is"),
        ([{**first, "event": "unmerged", "detail": {"undoes": 1}}], "detail.ids is"),
        ([{**first, "event": "unmerged", "detail": {"undoes": "1", "ids": []}}], "detail.undoes"),
        (
            [{**first, "event": "unmerged", "detail": {"undoes": 1, "ids": [], "parts": [5]}}],
            "detail.parts.0",
        ),
        (
            [{**first, "event": "unmerged", "detail": {"undoes": 1, "ids": [], "parts": [[]]}}],
            "detail.parts.0",
        ),
        (
            [{**first, "event": "absorbed", "detail": {"merged": [], "repointed": []}}],
            "ledger[0] tells of a merge before there was anything to merge",
        ),
        ([stray], "ledger[0].after.merged_into: is no strategy memory of this agent"),
        ([first, stray], "ledger: merged_into: is no strategy memory of this agent"),
    ):
        with pytest.raises(BadLine) as refusal:
            bring(empty, json.dumps({**alone, "ledger": ledger}).encode(), now=now)
        assert says in str(refusal.value)
    # All but the move that led nowhere is stored, and the same line put right goes on.
    assert StandingChange.objects.filter(agent=empty).count() == 1
    assert bring(empty, json.dumps(alone).encode(), now=now).moved == 1
