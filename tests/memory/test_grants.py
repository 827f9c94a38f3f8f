"""Grants: made and revoked by an owner, and read by search and researcher alone (SPEC M10)."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from memory.errors import NotOneOwner, ValidationFailed
from memory.models import Grant
from memory.policies.vocabulary import ROLES
from memory.services import grants
from memory.services.exports import export
from tests.copies import copy, let_read, switch
from tests.desk import Desk, make_desk, note
from tests.strategies import remember

HOUR = timedelta(hours=1)


@pytest.fixture
def second(desk: Desk, now: datetime) -> Desk:
    """Return another agent of the first desk's user."""
    return make_desk("second", now=now, user=desk.user)


@pytest.mark.spec("M10")
def test_a_grant_is_open_once_and_revoked_once_and_stays_as_history(
    desk: Desk, second: Desk, now: datetime
) -> None:
    by_id: int = desk.user.pk

    def give(at: datetime) -> tuple[Grant, bool]:
        return grants.grant(reader=desk.agent, source=second.agent, by_id=by_id, now=at)

    first, is_new = give(now)
    assert is_new
    assert give(now + HOUR) == (first, False)
    assert grants.revoke(grant=first, by_id=by_id, now=now + HOUR)
    assert not grants.revoke(grant=first, by_id=by_id, now=now + 2 * HOUR)
    # A clock that went back ends it no earlier than it began.
    anew, is_new = give(now + 3 * HOUR)
    assert is_new
    assert grants.revoke(grant=anew, by_id=by_id, now=now)
    told = Grant.objects.order_by("granted_at").values_list("granted_at", "revoked_at")
    assert list(told) == [(now, now + HOUR), (now + 3 * HOUR, now + 3 * HOUR)]


@pytest.mark.spec("M10")
def test_a_grant_is_between_two_agents_of_one_owner(desk: Desk, other: Desk, now: datetime) -> None:
    with pytest.raises(NotOneOwner):
        grants.grant(reader=desk.agent, source=other.agent, by_id=desk.user.pk, now=now)
    with pytest.raises(ValidationFailed):
        grants.grant(reader=desk.agent, source=desk.agent, by_id=desk.user.pk, now=now)
    assert not Grant.objects.exists()


@pytest.mark.spec("M10", "E6")
@pytest.mark.usefixtures("now")
def test_an_owner_grants_lists_and_revokes_over_rest(desk: Desk, second: Desk) -> None:
    client, path = desk.browser(), desk.path("grants/")
    body = {"source": str(second.agent.id)}
    made = client.post(path, body, format="json")
    assert made.status_code == 201
    assert made.json() == {
        "id": made.json()["id"],
        "source": str(second.agent.id),
        "source_name": "second",
        "granted_at": "2026-09-30T12:01:07Z",
        "revoked_at": None,
    }
    again = client.post(path, body, format="json")
    assert (again.status_code, again.json()) == (200, made.json())
    assert client.get(path).json()["results"] == [made.json()]
    # It is the reader's list.
    assert client.get(second.path("grants/")).json()["results"] == []
    one = f"{path}{made.json()['id']}/"
    assert client.delete(second.path(f"grants/{made.json()['id']}/")).status_code == 404
    assert client.delete(one).status_code == 204
    assert client.delete(one).status_code == 404
    (told,) = client.get(path).json()["results"]
    assert told["revoked_at"] == "2026-09-30T12:01:07Z"
    stored = Grant.objects.get()
    assert (stored.granted_by, stored.revoked_by) == (desk.user, desk.user)


@pytest.mark.spec("M10", "E2", "X1")
def test_who_may_not_grant_is_told_so_and_nothing_is_stored(
    desk: Desk, other: Desk, second: Desk, now: datetime
) -> None:
    path = desk.path("grants/")
    given = let_read(second, desk, now=now)
    body = {"source": str(second.agent.id)}
    for role in ROLES:
        client = desk.client(role)
        answers = [client.get(path), client.post(path, body, format="json")]
        answers.append(client.delete(second.path(f"grants/{given.id}/")))
        codes = [(one.status_code, one.json()["code"]) for one in answers]
        assert codes == [(403, "not_this_role")] * 2 + [(404, "not_found")]
        said = [answer.json()["error"] for answer in answers[:2]]
        assert said[0].startswith("grants are read by the agent's owner, or by staff")
        assert all(text.endswith("log in at /login/") for text in said)
    client = desk.browser()
    for source, code in (
        (str(desk.agent.id), "validation_error"),
        (str(other.agent.id), "not_found"),
        (str(uuid4()), "not_found"),
        ("1", "validation_error"),
    ):
        refused = client.post(path, {"source": source}, format="json")
        assert refused.json()["code"] == code
    # Staff see both agents, and cannot let one read the other either.
    staff = APIClient()
    boss = User.objects.create_user(username="staff", is_staff=True)
    staff.force_login(boss, backend="django.contrib.auth.backends.ModelBackend")
    refused = staff.post(path, {"source": str(other.agent.id)}, format="json")
    assert (refused.status_code, refused.json()["code"]) == (422, "not_one_owner")
    assert list(Grant.objects.all()) == [given]
    assert staff.post(path, body, format="json").status_code == 201
    assert Grant.objects.get(reader=desk.agent).granted_by == boss


@pytest.fixture
def foreign(desk: Desk, other: Desk, second: Desk, now: datetime) -> dict[str, UUID]:
    """Let the desk's agent read a granted rule and a copy, and return all ids that are not its."""
    switch(desk.agent, on=True)
    let_read(desk, second, now=now)
    shared = remember(other, "theirs", now=now, type="rule", tags=["theirs"])
    return {
        "granted": remember(second, "granted", now=now, type="rule", tags=["granted"]),
        "copy": copy(shared, now=now),
        "shared": shared,
        "private": remember(other, now=now, type="rule"),
        "random": uuid4(),
    }


@pytest.mark.spec("M10", "M8", "R4", "R7", "X1")
def test_what_is_read_beyond_is_linked_to_and_opened_like_an_id_of_nothing(
    desk: Desk, foreign: dict[str, UUID]
) -> None:
    def link(id_: UUID) -> Any:
        links = [{"target_memory_id": str(id_), "link_type": "evidence"}]
        return desk.client().post(desk.path("memories/"), note(links=links), format="json")

    acts: dict[int, list[Callable[[UUID], Any]]] = {
        422: [link],
        404: [
            lambda id_: desk.client().get(desk.path(f"memories/{id_}/")),
            lambda id_: desk.client().get(desk.path(f"memories/{id_}/lineage/")),
            lambda id_: desk.client().get(desk.path(f"context/ETH/?memory_id={id_}")),
            lambda id_: desk.client("autopilot").get(f"/api/v1/ai/memories/{id_}/"),
            lambda id_: desk.client("autopilot").delete(f"/api/v1/ai/memories/{id_}/"),
        ],
    }
    desk.client().get(desk.path("memories/"))
    desk.client("autopilot").get(desk.path("memories/"))
    for status, some in acts.items():
        for act in some:
            said = set()
            for id_ in foreign.values():
                with CaptureQueriesContext(connection) as queries:
                    answer = act(id_)
                assert answer.status_code == status
                body = answer.content.decode().replace(str(id_), "ID")
                said.add((body, len(queries)))
            assert len(said) == 1, said


@pytest.mark.spec("M10", "M8")
def test_context_lists_counts_lineage_and_exports_read_nothing_beyond(
    desk: Desk, foreign: dict[str, UUID], now: datetime
) -> None:
    own = desk.write(now=now, instruments=["ETH"])
    rule = remember(desk, "mine", now=now, type="rule")
    client = desk.client("autopilot")
    paths = [
        *(
            desk.path("memories/"),
            desk.path("memories/?type=rule"),
            desk.path("memories/?q=theirs"),
        ),
        *(desk.path("memories/?tag=granted"), desk.path("memory-types/")),
        *(desk.path("context/ETH/"), desk.path(f"memories/{own.id}/lineage/")),
        "/api/v1/ai/memories/?type=rule",
    ]
    with CaptureQueriesContext(connection) as queries:
        said = "".join(client.get(path).content.decode() for path in paths)
        said += b"".join(part.lines for part in export(desk.agent)).decode()
    assert str(rule) in said
    for name, id_ in foreign.items():
        assert str(id_) not in said, name
    for word in ("theirs", "granted"):
        assert f'"{word}"' not in said
    types = client.get(desk.path("memory-types/")).json()["results"]
    assert {one["type"]: one["count"] for one in types}["rule"] == 1
    asked = " ".join(query["sql"] for query in queries)
    assert "memory_grant" not in asked
    assert 'FROM "memory_shared"' not in asked
    assert "memory_shared_" not in asked
