"""Every URL pattern, tried by those it is not for: nothing is read, written or detected (SPEC X1).

A new route fails the first test until it is described in ROUTES.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import URLResolver, get_resolver
from rest_framework.test import APIClient

from autopilot.models import Event, Session
from memory.ids import id_at
from memory.models import (
    Agent,
    Grant,
    Producer,
    ProducerEnablement,
    Record,
    RecordLink,
    Run,
    Selection,
    SharedMemory,
    Standing,
)
from memory.policies.vocabulary import ROLES
from memory.services import setup
from memory.services.runs import start_run
from tests.autopilot.session.bench import store_bars
from tests.autopilot.sessions import make_session, tell
from tests.community import let_share, proven, shared
from tests.copies import let_read
from tests.desk import LEAD, Desk, make_instrument, note

ADMIN = "admin/"
METHODS = ("get", "post", "put", "patch", "delete", "options")


@dataclass(frozen=True)
class Route:
    """A route about one agent: its methods, a valid body, and what its own agent is answered.

    `query` names the agent where the path does not; `role` is of the agent's own caller, `person`
    where that is its owner in a browser.
    """

    methods: dict[str, int]
    body: dict[str, Any] = field(default_factory=dict)
    query: str = ""
    role: str = "analysis"
    person: bool = False
    headers: dict[str, str] = field(default_factory=dict)


PUBLIC = {
    "login/",
    "logout/",
    "",
    "api/v1/openapi.json/",
    "api/v1/docs/",
    "health/live/",
    "health/ready/",
}
"""They hold nothing of any agent."""
MACHINERY = {"health/status/", "metrics/"}
"""Figures of the installation: who may ask and what they tell is tests/config/test_status.py's."""

OWN = {"api/v1/agents/", "api/v1/instruments/"}
"""They name no agent, and list what the caller may see."""

SECOND = UUID(int=6)
"""Another agent of the first desk's owner, which the first one may read."""

ROUTES: dict[str, Route] = {
    "api/v1/agents/<uuid:agent>/": Route({"get": 200}),
    "api/v1/agents/<uuid:agent>/producers/": Route(
        {"get": 200, "post": 201}, {"role": "analysis", "name": "another"}, person=True
    ),
    "api/v1/agents/<uuid:agent>/producers/<uuid:producer>/": Route(
        {"patch": 200}, {"enabled": False}, person=True, headers={"If-Match": "*"}
    ),
    "api/v1/agents/<uuid:agent>/selections/": Route(
        {"get": 200, "post": 200}, {"instrument": "ETH"}, person=True
    ),
    "api/v1/agents/<uuid:agent>/selections/<path:instrument>/": Route({"delete": 204}, person=True),
    "api/v1/agents/<uuid:agent>/grants/": Route(
        {"get": 200, "post": 200}, {"source": str(SECOND)}, person=True
    ),
    "api/v1/agents/<uuid:agent>/grants/<uuid:grant>/": Route({"delete": 204}, person=True),
    "api/v1/agents/<uuid:agent>/memories/": Route({"get": 200, "post": 201}, note()),
    "api/v1/agents/<uuid:agent>/memories/<uuid:memory>/": Route({"get": 200}),
    "api/v1/agents/<uuid:agent>/memories/<uuid:memory>/lineage/": Route({"get": 200}),
    "api/v1/agents/<uuid:agent>/memories/<uuid:memory>/withdraw/": Route(
        {"post": 200}, {"reason": "the feed was down"}, person=True
    ),
    "api/v1/agents/<uuid:agent>/memories/<uuid:memory>/restore/": Route(
        {"post": 409}, {"reason": "it was up"}, person=True
    ),
    "api/v1/agents/<uuid:agent>/memory-types/": Route({"get": 200}),
    "api/v1/agents/<uuid:agent>/runs/": Route({"post": 201}),
    "api/v1/runs/<uuid:run>/finish/": Route({"post": 200}, {"status": "failed"}),
    "api/v1/agents/<uuid:agent>/context/<path:instrument>/": Route({"get": 200}),
    "api/v1/ai/memories/": Route(
        {"get": 200, "delete": 204}, query="?agent=<uuid:agent>&type=rule", role="autopilot"
    ),
    "api/v1/ai/memories/community-sharing/": Route(
        {"get": 200, "put": 200},
        {"enabled": False},
        query="?agent=<uuid:agent>",
        person=True,
        headers={"If-Match": "*"},
    ),
    "api/v1/ai/memories/deduplicate/": Route(
        {"post": 200}, query="?agent=<uuid:agent>", role="autopilot"
    ),
    "api/v1/ai/memories/<uuid:strategy>/unmerge/": Route({"post": 409}, role="autopilot"),
    "api/v1/ai/memories/<uuid:strategy>/share/": Route(
        {"post": 200, "delete": 204}, role="autopilot"
    ),
    "api/v1/ai/memories/<uuid:strategy>/": Route({"get": 200, "delete": 204}, role="autopilot"),
    "api/v1/ai/autopilot/": Route(
        {"get": 200, "post": 201},
        {"prompt": "breakouts that hold", "symbol": "ETH"},
        query="?agent=<uuid:agent>",
        role="autopilot",
    ),
    "api/v1/ai/autopilot/<uuid:session>/": Route({"get": 200}),
    "api/v1/ai/autopilot/<uuid:session>/events/": Route({"get": 200}),
    "api/v1/ai/autopilot/<uuid:session>/cancel/": Route({"post": 200}, role="autopilot"),
}

OPEN_ADMIN = {"admin/login/", "admin/logout/"}
"""What of the admin is for those who are not logged in."""


def patterns(resolver: Any, prefix: str = "") -> Iterator[str]:
    for pattern in resolver.url_patterns:
        path = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from patterns(pattern, path)
        else:
            yield path


SERVED = list(patterns(get_resolver()))
CASES = [(route, method) for route in ROUTES for method in METHODS]


@dataclass
class Ids:
    """What stands for the parameters of a path."""

    agent: UUID
    memory: UUID
    run: UUID
    producer: UUID
    session: UUID
    strategy: UUID
    grant: UUID
    instrument: str = field(default="ETH", kw_only=True)

    def path(self, route: str) -> str:
        """Return a path of the route, with the query that it needs."""
        whole = route + ROUTES[route].query
        return "/" + re.sub(r"<\w+:(\w+)>", lambda found: str(getattr(self, found[1])), whole)


@dataclass
class World:
    """The first desk's ids, ids of nothing, and the callers that it is not for."""

    desk: Desk
    other: Desk
    real: Ids
    random: Ids
    outsiders: dict[str, APIClient]


@pytest.fixture
def world(desk: Desk, other: Desk, now: datetime) -> World:
    lone = User.objects.create_user(username="lone")
    browser = APIClient()
    browser.force_login(lone, backend="django.contrib.auth.backends.ModelBackend")
    producer = desk.producers["analysis"]
    outsiders = {role: other.client(role) for role in ROLES}
    store_bars(now=now)
    session = make_session(desk, now=now, symbol_id="BTC")
    tell(session, "begun", now=now)
    let_share(desk.agent)
    strategy = proven(desk, now=now)
    shared(desk, strategy, now=now)
    second = Agent.objects.create(id=SECOND, owner=desk.user, name="second", created_at=now)
    return World(
        desk=desk,
        other=other,
        real=Ids(
            agent=desk.agent.id,
            memory=desk.write(now=now, instruments=["ETH"]).id,
            run=start_run(producer=producer, now=now).id,
            producer=producer.id,
            session=session.id,
            strategy=strategy,
            grant=let_read(desk.agent, second, now=now).id,
        ),
        random=Ids(*(id_at(now) for _ in range(7))),
        outsiders=outsiders | {"session": other.browser(), "session without agents": browser},
    )


@dataclass(frozen=True)
class Seen:
    """All that a caller can see of an answer, and the work behind it."""

    status: int
    body: bytes
    headers: dict[str, str]
    statements: int


def seen(
    client: APIClient,
    method: str,
    path: str,
    body: Any = None,
    headers: dict[str, str] | None = None,
) -> Seen:
    call = getattr(client, method)
    sent: dict[str, Any] = {"headers": headers or {}}
    if body and method != "get":
        sent |= {"data": body, "format": "json"}
    with CaptureQueriesContext(connection) as queries:
        response = call(path, **sent)
    told = {name: value for name, value in response.items() if name != "X-Request-ID"}
    return Seen(response.status_code, response.content, told, len(queries))


def counts() -> tuple[int, ...]:
    running = Run.objects.filter(status="running")
    sessions = Session.objects.filter(status="queued")
    found = (
        *(
            Record.objects,
            Standing.objects,
            Run.objects,
            running,
            Session.objects,
            sessions,
            Event.objects,
        ),
        *(Producer.objects, Selection.objects.filter(deselected_at=None)),
        *(ProducerEnablement.objects.filter(disabled_at=None), SharedMemory.objects),
        Grant.objects.filter(revoked_at=None),
        Agent.objects.filter(share_community_memories=True),
    )
    return tuple(rows.count() for rows in found)


@pytest.mark.spec("X1")
def test_every_route_is_described_here() -> None:
    served = {path for path in SERVED if not path.startswith(ADMIN)}
    assert served == PUBLIC | MACHINERY | OWN | set(ROUTES)


@pytest.mark.spec("X1", "E6")
def test_a_list_of_the_callers_own_shows_no_agent_of_anybody_else(world: World) -> None:
    own = {str(world.other.agent.id)}
    for name, client in world.outsiders.items():
        agents = client.get("/api/v1/agents/").json()["results"]
        assert {one["id"] for one in agents} == (set() if "without" in name else own)
        names = [one["id"] for one in client.get("/api/v1/instruments/").json()["results"]]
        assert names == ["BTC", "ETH"]
    for path in OWN:
        assert seen(APIClient(), "get", f"/{path}").status == 401


@pytest.mark.spec("X1", "E2")
@pytest.mark.parametrize(("route", "method"), CASES)
def test_what_is_anothers_looks_like_what_does_not_exist(
    route: str, method: str, world: World
) -> None:
    described = ROUTES[route]
    before = counts()
    for name, client in world.outsiders.items():
        body = described.body
        # The first call of a minute records the token's use.
        seen(client, method, world.random.path(route), body)
        foreign = seen(client, method, world.real.path(route), body)
        nothing = seen(client, method, world.random.path(route), body)
        assert foreign == nothing, name
        assert foreign.status == (404 if method in described.methods else 405), name
    assert counts() == before


@pytest.mark.spec("X1", "E2", "E1")
@pytest.mark.parametrize(("route", "method"), CASES)
def test_a_caller_without_credentials_is_told_to_bring_some(
    route: str, method: str, world: World
) -> None:
    before = counts()
    foreign = seen(APIClient(), method, world.real.path(route), ROUTES[route].body)
    assert foreign == seen(APIClient(), method, world.random.path(route), ROUTES[route].body)
    assert foreign.status == 401
    assert foreign.statements == 0
    assert "WWW-Authenticate" in foreign.headers
    assert counts() == before


@pytest.mark.spec("X1", "X2")
@pytest.mark.parametrize("route", ROUTES)
def test_a_token_that_is_not_quite_right_opens_nothing(route: str, world: World) -> None:
    key, _, secret = world.desk.tokens["analysis"].partition(".")
    theirs = world.other.tokens["analysis"].partition(".")[2]
    answers = set()
    for clear in (key, f"{key}.", f"{key}.{secret[:-1]}", f"{key}.{theirs}", f".{secret}", secret):
        client = APIClient()
        client.credentials(HTTP_AUTHORIZATION=f"Bearer {clear}")
        method = next(iter(ROUTES[route].methods))
        found = seen(client, method, world.real.path(route), ROUTES[route].body)
        answers.add((found.status, found.body))
    assert len(answers) == 1
    assert answers.pop()[0] == 401


@pytest.mark.spec("X1")
@pytest.mark.parametrize(
    ("route", "method", "status"),
    [(route, *pair) for route, described in ROUTES.items() for pair in described.methods.items()],
)
def test_the_same_request_of_its_own_agent_is_answered(
    route: str, method: str, status: int, world: World
) -> None:
    described = ROUTES[route]
    client = world.desk.browser() if described.person else world.desk.client(described.role)
    found = seen(client, method, world.real.path(route), described.body, described.headers)
    assert found.status == status, found.body


@dataclass(frozen=True)
class Attempt:
    """A request on the outsider's own routes; ID stands for an id, in path and body."""

    status: int
    method: str
    path: str
    kind: str
    body: dict[str, Any] = field(default_factory=dict)
    person: bool = False

    def by(self, client: APIClient, desk: Desk, id: object) -> Seen:
        """Make it with this id."""
        path = self.path if self.path.startswith("/") else desk.path(self.path)
        body = json.loads(json.dumps(self.body).replace("ID", str(id)))
        headers = {"If-Match": "*"} if self.person else {}
        return seen(client, self.method, path.replace("ID", str(id)), body, headers)


LINK = {"target_memory_id": "ID", "link_type": "corrects"}
ATTEMPTS = [
    Attempt(404, "get", "memories/ID/", "memory"),
    Attempt(404, "get", "memories/ID/lineage/", "memory"),
    Attempt(404, "get", "context/ETH/?memory_id=ID", "memory"),
    Attempt(404, "post", "runs/", "producer", {"producer": "ID"}),
    Attempt(404, "post", "/api/v1/runs/ID/finish/", "run", {"status": "failed"}),
    Attempt(422, "post", "memories/", "memory", note(links=[LINK])),
    Attempt(404, "post", "/api/v1/ai/memories/ID/share/", "strategy"),
    Attempt(404, "delete", "/api/v1/ai/memories/ID/share/", "strategy"),
    Attempt(404, "post", "grants/", "agent", {"source": "ID"}, person=True),
    Attempt(404, "delete", "grants/ID/", "grant", person=True),
    Attempt(404, "patch", "producers/ID/", "producer", {"enabled": False}, person=True),
]


@pytest.mark.spec("X1", "R4", "R7", "B4")
@pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda one: f"{one.method} {one.path}")
def test_ids_of_another_agent_are_nothing_on_ones_own_routes(
    attempt: Attempt, world: World
) -> None:
    client = world.other.browser() if attempt.person else world.other.client()
    before = counts()
    attempt.by(client, world.other, world.random.memory)
    foreign = attempt.by(client, world.other, getattr(world.real, attempt.kind))
    assert foreign == attempt.by(client, world.other, getattr(world.random, attempt.kind))
    assert foreign.status == attempt.status, foreign.body
    assert counts() == before
    assert not RecordLink.objects.exists()


@pytest.mark.spec("X1", "E3")
@pytest.mark.parametrize(
    "path",
    [
        *("memories/?limit=1", "memories/?limit=1&instrument=ETH", "memories/?limit=1&q=quiet"),
        *("memory-types/?limit=1", "producers/?limit=1", "selections/?limit=1"),
    ],
)
def test_a_cursor_of_another_agents_list_is_no_cursor(
    world: World, now: datetime, path: str
) -> None:
    for type_ in ("one", "two"):
        world.desk.write(now=now, type=type_, instruments=["ETH"])
        world.other.write(now=now, type=type_, instruments=["ETH"])
    page = world.desk.client().get(world.desk.path(path)).json()
    cursor = parse_qs(urlsplit(page["next"]).query)["cursor"][0]
    mine = world.other.path(f"{path}&cursor=")
    client = world.other.client()
    seen(client, "get", mine + "A" * len(cursor))
    foreign = seen(client, "get", mine + cursor)
    assert foreign == seen(client, "get", mine + "A" * len(cursor))
    assert foreign.status == 400


@pytest.mark.spec("X1", "R13")
def test_a_key_of_anothers_write_is_as_free_as_any(world: World) -> None:
    keys = [str(uuid4()) for _ in range(2)]
    theirs = {"Idempotency-Key": keys[0]}
    path = world.desk.path("memories/")
    assert world.desk.client().post(path, note(), headers=theirs).status_code == 201
    client, path = world.other.client(), world.other.path("memories/")
    client.post(path, note())
    for body in (note(), note(content="another")):
        answers = []
        for key in keys:
            with CaptureQueriesContext(connection) as queries:
                answer = client.post(path, body, headers={"Idempotency-Key": key})
            answers.append((answer.status_code, answer.json().get("code"), len(queries)))
        assert answers[0] == answers[1], answers
    assert answers[0][0] == 409


@pytest.mark.spec("X1", "C10")
def test_an_instrument_that_only_another_has_selected_is_as_unknown_as_any(
    world: World, now: datetime
) -> None:
    make_instrument("HYPE", now=now - LEAD)
    setup.select_instrument(agent=world.desk.agent, name="HYPE", now=now - LEAD)
    client = world.other.client()
    # The first call of a minute records the token's use.
    unknown = seen(client, "get", world.other.path("context/NONE/"))
    unknown = seen(client, "get", world.other.path("context/NONE/"))
    found = seen(client, "get", world.other.path("context/HYPE/"))
    # It names what was asked for, and tells nothing else.
    assert replace(found, body=found.body.replace(b"HYPE", b"NONE")) == unknown
    assert unknown.status == 404
    written = note(instruments=["NONE"])
    refused = seen(client, "post", world.other.path("memories/"), written)
    written = note(instruments=["HYPE"])
    assert seen(client, "post", world.other.path("memories/"), written) == refused
    assert refused.status == 422


def admin_paths(id: object) -> list[str]:
    """Return a path of every admin pattern, about this id."""
    found = []
    for pattern in SERVED:
        if pattern.startswith(ADMIN) and pattern not in OPEN_ADMIN:
            path = pattern.replace(r"^(?P<app_label>memory|", "memory/").partition("|")[0]
            path = path.replace("(?P<url>.*)$", "no/such/page")
            path = re.sub(r"<path:content_type_id>", "1", path)
            found.append("/" + re.sub(r"<[\w:]+>", str(id), path))
    return found


@pytest.mark.spec("X1", "O5")
@pytest.mark.parametrize("who", ["nobody", "owner", "outsider", "bearer"])
def test_the_admin_sends_all_but_staff_to_its_login_page(who: str, world: World) -> None:
    headers = {"authorization": f"Bearer {world.desk.tokens['review']}"} if who == "bearer" else {}
    client = Client(headers=headers)
    if who in {"owner", "outsider"}:
        user = world.desk.user if who == "owner" else world.other.user
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    paths = zip(admin_paths(world.real.memory), admin_paths(world.random.memory), strict=True)
    for real, random in paths:
        for method in (client.get, client.post):
            response = method(real)
            assert response.status_code == 302, real
            assert response.headers["Location"].startswith("/admin/login/?next="), real
            assert method(random).status_code == 302
