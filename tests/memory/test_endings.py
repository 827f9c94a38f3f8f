"""Rules deprecated and standings restored by hand, each with a reason (SPEC O5, M4, M5)."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.errors import (
    AlreadyEnded,
    NotARule,
    NotEnded,
    NotFound,
    StandingMerged,
    ValidationFailed,
)
from memory.ids import id_at
from memory.models import Standing, StandingChange
from memory.policies.lifecycle import deprecate, revive
from memory.policies.standing import Moving
from memory.services import endings
from memory.services.standings import Cause, moving_of, replayed
from tests.desk import Desk
from tests.strategies import end, forget, merge, remember

DAY = timedelta(days=1)
BY: dict[str, Any] = {"by": Cause("user", "7"), "reason": "  it says too much "}


def last(record_id: Any) -> StandingChange:
    return StandingChange.objects.filter(record_id=record_id).latest("revision")


def where(record_id: Any) -> Moving:
    return moving_of(Standing.objects.get(record_id=record_id))


@pytest.mark.spec("O5", "M4", "M5")
def test_a_deprecated_rule_ends_now_and_a_restored_one_is_permanent_again(
    desk: Desk, now: datetime
) -> None:
    rule = remember(desk, now=now - DAY, type="rule", confidence="0.4")
    before = where(rule)
    own: dict[str, Any] = {"agent_id": desk.agent.id, "record_id": rule}
    assert endings.deprecate(**own, now=now, **BY).expires_at == now
    line = last(rule)
    assert (line.event, line.cause_kind, line.cause_id) == ("deprecated", "user", "7")
    assert line.detail == {"reason": "it says too much"}
    with pytest.raises(AlreadyEnded):
        endings.deprecate(**own, now=now, **BY)
    assert endings.restore(**own, now=now + DAY, **BY) == before == where(rule)
    assert last(rule).event == "restored"
    assert replayed(desk.agent.id, rule) == before
    with pytest.raises(NotEnded):
        endings.restore(**own, now=now + DAY, **BY)


@pytest.mark.spec("O5", "M1")
@pytest.mark.parametrize(
    ("made", "days"),
    [
        ({"type": "strategy_insight", "outcome": "success"}, 90),
        ({"type": "strategy_insight", "outcome": "failure"}, 30),
        ({"type": "strategy_insight"}, 30),
        ({"type": "optimization", "outcome": "success"}, 60),
    ],
)
def test_what_expired_is_restored_for_as_long_as_its_terms_give_from_now(
    desk: Desk, now: datetime, made: dict[str, str], days: int
) -> None:
    written = remember(desk, now=now - 100 * DAY, **made)
    own: dict[str, Any] = {"agent_id": desk.agent.id, "record_id": written}
    assert endings.restore(**own, now=now, **BY).expires_at == now + days * DAY
    with pytest.raises(NotARule):
        endings.deprecate(**own, now=now, **BY)


@pytest.mark.spec("O5", "M9", "M3")
def test_what_is_merged_or_purged_or_anothers_is_not_restored(
    desk: Desk, other: Desk, now: datetime
) -> None:
    merged, survivor, gone = (remember(desk, now=now - DAY, type="rule") for _ in range(3))
    merge(merged, survivor, now=now)
    end(gone, now=now)
    forget(gone, now=now)
    with pytest.raises(StandingMerged):
        endings.restore(agent_id=desk.agent.id, record_id=merged, now=now, **BY)
    with pytest.raises(AlreadyEnded):
        endings.deprecate(agent_id=desk.agent.id, record_id=merged, now=now, **BY)
    for agent, id_ in (
        (desk.agent.id, gone),
        (desk.agent.id, id_at(now)),
        (other.agent.id, survivor),
    ):
        for service in (endings.restore, endings.deprecate):
            with pytest.raises(NotFound):
                service(agent_id=agent, record_id=id_, now=now, **BY)


@pytest.mark.spec("O5")
@pytest.mark.parametrize("reason", ["", "  ", "x" * 501, "no\x00thing"])
def test_neither_is_done_without_a_reason(desk: Desk, now: datetime, reason: str) -> None:
    live, over = remember(desk, now=now, type="rule"), remember(desk, now=now - DAY)
    end(over, now=now)
    said: dict[str, Any] = {"agent_id": desk.agent.id, "by": Cause("user"), "reason": reason}
    with pytest.raises(ValidationFailed):
        endings.deprecate(record_id=live, now=now, **said)
    with pytest.raises(ValidationFailed):
        endings.restore(record_id=over, now=now, **said)


MOMENT = datetime.fromisoformat("2026-09-30T12:00:00+00:00")
SPANS = st.none() | st.integers(-5, 5).map(lambda days: MOMENT + days * DAY)


@pytest.mark.spec("O5")
@given(ends=SPANS, until=SPANS, merged=st.booleans())
def test_reviving_moves_the_end_alone_and_only_of_what_time_ended(
    ends: datetime | None, until: datetime | None, merged: bool
) -> None:
    was = Moving(
        tags=("a",),
        confidence=Decimal("0.3"),
        validated_count=-2,
        relevance_score=Decimal(1),
        expires_at=ends,
        merged_into=id_at(MOMENT) if merged else None,
    )
    came = revive(was, until=until, now=MOMENT)
    if merged or was.is_live(now=MOMENT):
        assert came == was
    else:
        assert came.expires_at == until
        assert revive(deprecate(came, now=MOMENT), until=ends, now=MOMENT).tags == was.tags
        assert {**came.as_json(), "expires_at": None} == {**was.as_json(), "expires_at": None}
