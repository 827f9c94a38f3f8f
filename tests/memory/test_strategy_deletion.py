"""Strategy memory deleted over REST: one, or all that a list shows, for good (SPEC E6, E4, M3)."""

from datetime import datetime, timedelta
from urllib.parse import urlencode
from uuid import UUID

import pytest
from hypothesis import given

from memory.ids import id_at
from memory.models import Record, Standing, StandingChange
from memory.policies.vocabulary import TIERS
from memory.schemas.standings import ForgetQuery
from memory.services import forgetting
from memory.services.standings import Cause
from tests.desk import Desk
from tests.memory.browse_oracle import BROWSING
from tests.memory.library import LIST, make_library, move
from tests.memory.test_strategy_lists import QUESTIONS
from tests.strategies import end, merge, remember

MINUTE = timedelta(minutes=1)
OWN_TYPES = {"trading_decision": "trading", "review": "review", "agent_learnings": "review"}


def purged(record_id: UUID) -> bool:
    return Record.objects.get(id=record_id).purged_at is not None


@pytest.mark.spec("E6", "M3", "M5", "R12")
def test_a_deleted_memory_is_gone_everywhere_and_its_ledger_says_who(
    desk: Desk, now: datetime
) -> None:
    by_person, by_token = (remember(desk, now=now, tags=["calm"]) for _ in range(2))
    assert desk.browser().delete(f"{LIST}{by_person}/").status_code == 204
    answer = desk.client("autopilot").delete(f"{LIST}{by_token}/")
    assert (answer.status_code, answer.content) == (204, b"")
    key = desk.tokens["autopilot"].partition(".")[0]
    for id_, kind, who in ((by_person, "user", str(desk.user.pk)), (by_token, "token", key)):
        assert purged(id_)
        line = StandingChange.objects.filter(record_id=id_).latest("revision")
        assert (line.event, line.cause_kind, line.cause_id) == ("purged", kind, who)
        assert desk.client("autopilot").get(f"{LIST}{id_}/").status_code == 404
        assert desk.client().get(desk.path(f"memories/{id_}/")).status_code == 404
        # A second time there is nothing to delete.
        assert desk.browser().delete(f"{LIST}{id_}/").status_code == 404
    assert desk.browser().get(LIST).json()["results"] == []


@pytest.mark.spec("E6", "X1")
def test_what_is_anothers_unknown_or_over_is_a_404_and_stays(
    desk: Desk, other: Desk, now: datetime
) -> None:
    foreign, over = remember(other, now=now), remember(desk, now=now - MINUTE)
    end(over, now=now)
    for id_ in (foreign, over, id_at(now)):
        for client in (desk.browser(), desk.client("autopilot")):
            answer = client.delete(f"{LIST}{id_}/")
            assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert Standing.objects.count() == 2


@pytest.mark.spec("E6", "X1", "C10")
@pytest.mark.parametrize("role", ["analysis", "trading", "review"])
def test_a_role_that_writes_no_strategy_memory_deletes_none(
    desk: Desk, now: datetime, role: str
) -> None:
    mine = remember(desk, now=now)
    for path in (f"{LIST}{mine}/", f"{LIST}?all=true", f"{LIST}?type=rule"):
        refused = desk.client(role).delete(path)
        assert (refused.status_code, refused.json()["code"]) == (403, "not_this_role")
    assert not purged(mine)


@pytest.mark.spec("E6", "R17")
@pytest.mark.parametrize("type_", OWN_TYPES)
def test_decisions_reviews_and_learnings_are_history_and_are_refused(
    desk: Desk, now: datetime, type_: str
) -> None:
    kept = desk.write(OWN_TYPES[type_], now=now, type=type_).id
    for path in (f"{LIST}{kept}/", f"{LIST}?type={type_}"):
        refused = desk.browser().delete(path)
        assert (refused.status_code, refused.json()["code"]) == (409, "audit_record")
    desk.erase(kept, now=now)
    assert desk.browser().delete(f"{LIST}{kept}/").status_code == 404


@pytest.mark.spec("E6", "R17")
def test_a_record_of_research_is_nothing_that_this_route_has(desk: Desk, now: datetime) -> None:
    research = desk.write(now=now).id
    assert desk.browser().delete(f"{LIST}{research}/").status_code == 404
    assert not purged(research)


@pytest.mark.spec("E6", "M9")
def test_what_is_merged_goes_with_its_survivor_and_not_alone(desk: Desk, now: datetime) -> None:
    merged, survivor = remember(desk, now=now), remember(desk, now=now)
    merge(merged, survivor, now=now)
    refused = desk.browser().delete(f"{LIST}{merged}/")
    assert (refused.status_code, refused.json()["code"]) == (409, "standing_merged")
    assert refused.json()["merged_into"] == str(survivor)
    assert desk.browser().delete(f"{LIST}{survivor}/").status_code == 204
    assert purged(merged)
    assert purged(survivor)


@pytest.mark.spec("E4")
def test_a_deletion_may_name_the_version_that_was_seen(desk: Desk, now: datetime) -> None:
    mine = remember(desk, now=now)
    client = desk.browser()
    seen = client.get(f"{LIST}{mine}/").headers["ETag"]
    move(mine, now=now, tags=("moved",))
    refused = client.delete(f"{LIST}{mine}/", headers={"If-Match": seen})
    present = client.get(f"{LIST}{mine}/").headers["ETag"]
    assert (refused.status_code, refused.json()["etag"]) == (412, present)
    malformed = client.delete(f"{LIST}{mine}/", headers={"If-Match": "plain"})
    assert malformed.status_code == 400
    assert not purged(mine)
    assert client.delete(f"{LIST}{mine}/", headers={"If-Match": present}).status_code == 204


@pytest.mark.spec("E6")
@pytest.mark.parametrize(
    "query",
    [
        *("", "all=false", "all=", "all=true&type=rule", "limit=5", "cursor=x", "colour=blue"),
        *("type=observation", "type=rule&type=rule", "tag=", "symbol=%00"),
    ],
)
def test_nothing_is_deleted_without_a_filter_or_by_a_malformed_one(
    desk: Desk, now: datetime, query: str
) -> None:
    mine = remember(desk, now=now, type="rule")
    own = f"agent={desk.agent.id}"
    for asked in (query, f"{query}&{own}" if query else own):
        refused = desk.browser().delete(f"{LIST}?{asked}")
        assert refused.status_code == 400, refused.content
    assert not purged(mine)


@pytest.mark.spec("E6", "M3", "M9", "X1")
@pytest.mark.parametrize("seed", [1, 2])
def test_a_filtered_deletion_takes_what_the_list_showed_and_nothing_else(
    desk: Desk, other: Desk, now: datetime, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(forgetting, "BATCH", 3)
    library = make_library(desk, other, seed=seed, now=now)

    @BROWSING
    @given(asked=QUESTIONS.filter(bool))
    def hold(asked: dict[str, str]) -> None:
        doomed = {UUID(id_) for id_ in library.oracle(asked)}
        stood = dict(Standing.objects.values_list("record_id", "merged_into_id"))
        answer = desk.browser().delete(f"{LIST}?{urlencode(asked)}")
        assert answer.status_code == 204
        along = {id_ for id_, survivor in stood.items() if survivor in doomed}
        left = set(Standing.objects.values_list("record_id", flat=True))
        assert left == set(stood) - doomed - along, asked
        assert library.oracle(asked) == []

    hold()
    assert Standing.objects.filter(agent=other.agent).count() == len(TIERS)


@pytest.mark.spec("E6", "M3", "X1")
def test_all_means_what_is_over_and_not_purged_too(
    desk: Desk, other: Desk, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forgetting, "BATCH", 3)
    make_library(desk, other, seed=3, now=now)
    research = desk.write(now=now).id
    decision = desk.write("trading", now=now, type="trading_decision").id
    assert desk.browser().delete(f"{LIST}?all=true").status_code == 204
    assert not Standing.objects.filter(agent=desk.agent).exists()
    assert not Record.objects.filter(agent=desk.agent, type__in=TIERS, purged_at=None).exists()
    assert Standing.objects.filter(agent=other.agent).count() == len(TIERS)
    assert not purged(research)
    assert not purged(decision)
    # Nothing is left, and that is no error.
    assert desk.browser().delete(f"{LIST}?all=true").status_code == 204


@pytest.mark.spec("E6")
def test_what_is_written_after_the_request_began_stays(desk: Desk, now: datetime) -> None:
    before, after = remember(desk, now=now), remember(desk, now=now + MINUTE)
    for query in ({"type": "strategy_insight"}, {"all": "true"}):
        forgetting.forget_matching(
            agent_id=desk.agent.id, asked=ForgetQuery.parse(query), by=Cause("test"), now=now
        )
    assert purged(before)
    assert not purged(after)
