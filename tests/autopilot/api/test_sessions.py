"""Sessions over REST: who may start, list, read and cancel them, and what they see (E6, E7)."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from autopilot.learning.lifecycle import judge
from autopilot.models import Session, Step, SynthesisClaim
from memory.ids import new_id
from memory.services import setup
from tests.autopilot.session.bench import store_bars
from tests.autopilot.sessions import HOLDOUT, KPIS, STRATEGY, make_session, tell, try_out
from tests.desk import LEAD, Desk
from tests.strategies import remember

PATH = "/api/v1/ai/autopilot/"
BODY = {"prompt": "breakouts that hold", "symbol": "ETH"}


def browser(user: User) -> APIClient:
    client = APIClient()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


@pytest.fixture
def staff(db: None) -> APIClient:
    """Return a browser of somebody who owns no agent and may see all."""
    del db
    return browser(User.objects.create_user("chief", is_staff=True))


@pytest.fixture
def market(now: datetime, desk: Desk) -> Desk:
    """Return the desk once there are candles of ETH."""
    store_bars(now=now)
    return desk


@pytest.mark.spec("A1", "A14", "E6", "L2")
def test_a_session_is_started_and_waits_for_its_first_step(market: Desk, now: datetime) -> None:
    answer = market.client("autopilot").post(PATH, BODY)
    assert answer.status_code == 201, answer.content
    body = answer.json()
    assert body["agent"] == str(market.agent.id)
    assert (body["status"], body["step"], body["iteration"]) == ("queued", "resolve", 0)
    assert (body["prompt"], body["symbol"], body["timeframe"]) == (BODY["prompt"], "ETH", "1h")
    assert (body["max_iterations"], body["until_profitable"]) == (5, False)
    assert body["provider"] == {
        "name": "offline",
        "offline": True,
        "mark": "offline advisor, no model",
    }
    assert body["created_at"] == now.isoformat().replace("+00:00", "Z")
    assert (body["iterations"], body["best"], body["failure"]) == ([], None, None)
    session = Session.objects.get(id=body["id"])
    assert session.started_by is None
    assert market.client().get(f"{PATH}{session.id}/").json() == body


@pytest.mark.spec("A1", "E7")
def test_a_person_starts_one_for_their_only_agent(market: Desk) -> None:
    answer = market.browser().post(PATH, {**BODY, "max_iterations": "until_profitable"})
    assert answer.status_code == 201, answer.content
    assert (answer.json()["max_iterations"], answer.json()["until_profitable"]) == (30, True)
    assert Session.objects.get().started_by == market.user


@pytest.mark.spec("E6", "E7")
def test_staff_start_one_for_the_agent_that_they_name(market: Desk, staff: APIClient) -> None:
    assert staff.post(PATH, BODY).json()["code"] == "agent_required"
    answer = staff.post(f"{PATH}?agent={market.agent.id}", BODY)
    assert answer.status_code == 201, answer.content
    assert Session.objects.get().agent == market.agent


@pytest.mark.spec("E7")
@pytest.mark.parametrize("method", ["get", "post"])
def test_who_has_several_agents_or_none_names_one(desk: Desk, now: datetime, method: str) -> None:
    setup.create_agent(owner=desk.user, name="second", now=now - LEAD)
    lone = browser(User.objects.create_user("lone"))
    for client in (desk.browser(), lone):
        answer = getattr(client, method)(PATH, BODY if method == "post" else None)
        assert (answer.status_code, answer.json()["code"]) == (400, "agent_required")
    assert desk.browser().get(f"{PATH}?agent={desk.agent.id}").status_code == 200


@pytest.mark.spec("E7", "X1")
def test_an_agent_that_is_named_must_be_the_callers(desk: Desk, other: Desk) -> None:
    for client in (desk.client("autopilot"), desk.browser()):
        own = client.get(f"{PATH}?agent={desk.agent.id}")
        assert own.status_code == 200
        for id_ in (other.agent.id, new_id()):
            for answer in (client.get(f"{PATH}?agent={id_}"), client.post(f"{PATH}?agent={id_}")):
                assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert not Session.objects.exists()


@pytest.mark.spec("E2", "E7", "R9")
@pytest.mark.parametrize(
    ("query", "place"),
    [("agent=mine", "agent"), ("agent=", "agent"), ("agents=1", "agents")],
)
@pytest.mark.parametrize("method", ["get", "post"])
def test_a_parameter_that_is_wrong_is_named(
    desk: Desk, method: str, query: str, place: str
) -> None:
    answer = getattr(desk.client("autopilot"), method)(f"{PATH}?{query}")
    assert answer.status_code == 400
    assert list(answer.json()["fields"]) == [place]


@pytest.mark.spec("E6", "C10")
@pytest.mark.parametrize("role", ["analysis", "trading", "review"])
def test_other_roles_start_and_cancel_nothing(market: Desk, now: datetime, role: str) -> None:
    session = make_session(market, now=now)
    for path in (PATH, f"{PATH}{session.id}/cancel/"):
        answer = market.client(role).post(path, BODY)
        assert (answer.status_code, answer.json()["code"]) == (403, "not_this_role")
    assert list(Session.objects.values_list("status", flat=True)) == ["queued"]


@pytest.mark.spec("E6", "C10", "X1")
def test_all_roles_of_the_agent_but_trading_read_a_session(
    desk: Desk, other: Desk, staff: APIClient, now: datetime
) -> None:
    session = make_session(desk, now=now)
    paths = (f"{PATH}{session.id}/", f"{PATH}{session.id}/events/")
    own = f"{PATH}?agent={desk.agent.id}"
    readers = [desk.client(role) for role in ("analysis", "review", "autopilot")]
    for client in (*readers, desk.browser(), staff):
        assert [client.get(path).status_code for path in (*paths, own)] == [200] * 3
    for path in (*paths, own):
        refused = desk.client("trading").get(path)
        assert (refused.status_code, refused.json()["code"]) == (403, "not_this_role")
        for client in (other.client("trading"), other.client(), other.browser()):
            assert client.get(path).status_code == 404


@pytest.mark.spec("A1", "E2")
@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"max_iterations": 31}, "max_iterations"),
        ({"max_iterations": 0}, "max_iterations"),
        ({"max_iterations": True}, "max_iterations"),
        ({"max_iterations": "forever"}, "max_iterations"),
        ({"prompt": "  "}, "prompt"),
        ({"prompt": None}, "prompt"),
        ({"timeframe": "30m"}, "timeframe"),
        ({"symbol": ""}, "symbol"),
        ({"run_id": str(new_id())}, "run_id"),
    ],
)
def test_a_malformed_start_names_the_place(
    market: Desk, change: dict[str, Any], place: str
) -> None:
    answer = market.client("autopilot").post(PATH, BODY | change)
    assert answer.status_code == 400
    assert list(answer.json()["fields"]) == [place]
    assert not Session.objects.exists()


@pytest.mark.spec("A1", "E2")
@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"symbol": "NOSUCH"}, "unknown_symbol"),
        ({"symbol": None}, "symbol_needed"),
        ({"symbol": "BTC"}, "not_enough_bars"),
        ({"timeframe": "5m"}, "not_enough_bars"),
    ],
)
def test_a_start_that_cannot_be_is_refused_with_its_reason(
    market: Desk, change: dict[str, Any], code: str
) -> None:
    answer = market.client("autopilot").post(PATH, BODY | change)
    assert (answer.status_code, answer.json()["code"]) == (422, code)
    assert not Session.objects.exists()


@pytest.mark.spec("A11", "E2")
def test_a_second_session_on_the_same_market_is_a_conflict(market: Desk) -> None:
    client = market.client("autopilot")
    first = client.post(PATH, BODY).json()["id"]
    second = client.post(PATH, BODY)
    assert (second.status_code, second.json()["code"]) == (409, "session_open")
    assert second.json()["session_id"] == first


@pytest.mark.spec("A11", "E6")
def test_a_session_is_cancelled_once(desk: Desk, now: datetime) -> None:
    session = tell(make_session(desk, now=now), "begun", now=now)
    path = f"{PATH}{session.id}/cancel/"
    answer = desk.client("autopilot").post(path)
    assert answer.status_code == 200, answer.content
    assert (answer.json()["status"], answer.json()["failure"]) == ("cancelled", None)
    assert answer.json()["ended_at"] == answer.json()["cancel_requested_at"]
    again = desk.browser().post(path)
    assert (again.status_code, again.json()["code"]) == (409, "session_ended")
    assert again.json()["status"] == "cancelled"


@pytest.mark.spec("A11", "E6")
def test_a_session_that_a_worker_is_at_says_that_it_will_end(desk: Desk, now: datetime) -> None:
    session = make_session(desk, now=now, status="running", started_at=now)
    Step.objects.filter(session_id=session.id).update(
        status="claimed", claim=new_id(), lease_until=now + timedelta(minutes=1)
    )
    answer = desk.browser().post(f"{PATH}{session.id}/cancel/").json()
    assert (answer["status"], answer["ended_at"]) == ("running", None)
    assert answer["cancel_requested_at"] is not None


@pytest.fixture
def history(desk: Desk, other: Desk, now: datetime) -> list[Session]:
    """Return ten sessions of the desk, oldest first, beside one of another's."""
    make_session(other, now=now)
    found = []
    for index in range(10):
        then = now - timedelta(minutes=10 - index)
        session = make_session(desk, now=then, symbol_id=("ETH", "BTC")[index % 2])
        found.append(tell(session, "begun", now=then, end=("succeeded", "failed")[index % 3 == 0]))
    return found


def walk(client: APIClient, path: str) -> Iterator[list[str]]:
    """Follow `next` to the end; give the ids of each page."""
    url = path
    while url:
        page = client.get(url)
        assert page.status_code == 200, page.content
        yield [one["id"] for one in page.json()["results"]]
        url = page.json()["next"]


@pytest.mark.spec("E3", "E6")
@pytest.mark.parametrize(
    "query", ["", "status=failed", "symbol=BTC", "symbol=ETH&status=succeeded", "symbol=HYPE"]
)
def test_sessions_are_listed_newest_first_in_full_pages(
    desk: Desk, history: list[Session], query: str
) -> None:
    wanted = {name: values[0] for name, values in parse_qs(query).items()}
    expected = [
        str(session.id)
        for session in reversed(history)
        if wanted.get("status", session.status) == session.status
        and wanted.get("symbol", session.symbol_id) == session.symbol_id
    ]
    pages = list(walk(desk.client(), f"{PATH}?limit=3&{query}"))
    assert [id_ for page in pages for id_ in page] == expected
    assert all(len(page) == 3 for page in pages[:-1])


@pytest.mark.spec("E3")
@pytest.mark.parametrize(
    "query", ["status=done", "symbol=", "colour=red", "limit=0", "limit=201", "cursor=AAAA"]
)
def test_a_wrong_filter_never_shows_everything(desk: Desk, query: str) -> None:
    answer = desk.client().get(f"{PATH}?{query}")
    assert answer.status_code == 400
    assert list(answer.json()["fields"]) == [query.partition("=")[0]]


@pytest.mark.spec("E3", "X1")
def test_a_cursor_is_good_for_one_agents_list_alone(
    desk: Desk, other: Desk, history: list[Session], now: datetime
) -> None:
    assert history
    make_session(other, now=now, symbol_id="BTC")
    page = desk.client().get(f"{PATH}?limit=1").json()
    cursor = parse_qs(urlsplit(page["next"]).query)["cursor"][0]
    assert desk.client().get(f"{PATH}?limit=1&cursor={cursor}").status_code == 200
    assert other.client().get(f"{PATH}?limit=1&cursor={cursor}").status_code == 400


@pytest.mark.spec("A8", "A9", "A10", "M4", "M6", "L2")
def test_a_session_shows_what_was_tried_and_what_was_learned(desk: Desk, now: datetime) -> None:
    start, split = now - timedelta(days=100), now - timedelta(days=30)
    window = {"window_start": start, "window_split": split, "window_end": now}
    session = make_session(desk, now=now, status="running", started_at=now, **window)
    insight, *others = (remember(desk, now=now) for _ in range(3))
    rules = [remember(desk, now=now, type="rule", content=f"rule {n}") for n in range(3)]
    tests = [
        try_out(session, iteration=number, now=now, insight=insight, verdict=verdict)
        for number, verdict in ((1, "confirms"), (2, "contradicts"))
    ]
    for rule, test in zip(rules, tests, strict=False):
        judge(agent_id=desk.agent.id, backtest=test, applied=[rule], offered=rules, now=now)
    SynthesisClaim.objects.create(
        agent=desk.agent,
        strategy_type="breakout",
        evidence_hash=bytes(32),
        evidence=sorted(str(one) for one in (insight, *others)),
        session=session,
        claim=new_id(),
        lease_until=now,
        status="made",
        rule_id=rules[2],
        claimed_at=now,
        settled_at=now,
    )
    body = desk.client().get(f"{PATH}{session.id}/").json()
    first, second = body["iterations"]
    assert (first["iteration"], first["reason"], first["insight"]) == (1, "", str(insight))
    assert (first["rules_confirmed"], first["rules_contradicted"]) == ([str(rules[0])], [])
    assert (second["rules_confirmed"], second["rules_contradicted"]) == ([], [str(rules[1])])
    tried = first["backtest"]
    assert (tried["in_sample"], tried["holdout"]) == (KPIS, HOLDOUT)
    assert tried["strategy"]["name"] == STRATEGY["name"]
    assert "20-bar high or low" in tried["words"]
    assert (tried["outcome"], tried["verdict"]) == ("success", "confirms")
    assert body["best"] == {"iteration": 2, "backtest": str(tests[1].id)}
    assert body["rules_made"] == [str(rules[2])]
    assert body["holdout_seen"] == 0
    moments = [datetime.fromisoformat(body["window"][name]) for name in ("start", "split", "end")]
    assert moments == [start, split, now]


@pytest.mark.spec("A5", "E6")
def test_a_session_that_failed_says_why(desk: Desk, now: datetime) -> None:
    session = tell(make_session(desk, now=now), "lost", now=now, end="failed")
    body = desk.client().get(f"{PATH}{session.id}/").json()
    assert body["failure"] == {"code": "unknown_symbol", "error": "nobody knows it"}
    (listed,) = desk.client().get(PATH).json()["results"]
    assert listed["failure"] == body["failure"]
    assert set(listed) < set(body)


@pytest.mark.spec("A11", "E6")
def test_a_session_whose_state_cannot_be_read_is_shown_and_cancelled(
    desk: Desk, now: datetime
) -> None:
    session = make_session(desk, now=now)
    test = try_out(session, iteration=1, now=now)
    Session.objects.filter(id=session.id).update(state={"zzz": 1})
    shown = desk.browser().get(f"{PATH}{session.id}/")
    assert shown.status_code == 200
    assert [one["backtest"]["id"] for one in shown.json()["iterations"]] == [str(test.id)]
    assert shown.json()["best"] == {"iteration": 1, "backtest": str(test.id)}
    cancelled = desk.browser().post(f"{PATH}{session.id}/cancel/")
    assert (cancelled.status_code, cancelled.json()["status"]) == (200, "cancelled")


@pytest.mark.spec("A8")
def test_a_strategy_of_another_release_is_shown_as_it_is_stored(desk: Desk, now: datetime) -> None:
    session = make_session(desk, now=now)
    try_out(session, iteration=1, now=now, strategy={"schema_version": 9})
    (turn,) = desk.client().get(f"{PATH}{session.id}/").json()["iterations"]
    assert turn["backtest"]["words"] == "a strategy that this release cannot read"
    assert turn["backtest"]["strategy"] == {"schema_version": 9}


@pytest.mark.spec("E3")
def test_a_list_asks_as_often_for_many_sessions_as_for_one(
    desk: Desk, history: list[Session]
) -> None:
    assert len(history) == 10
    counted = []
    for limit in (1, 1, 10):
        with CaptureQueriesContext(connection) as queries:
            assert len(desk.client().get(f"{PATH}?limit={limit}").json()["results"]) == limit
        counted.append(len(queries))
    assert counted[1] == counted[2] <= 4


@pytest.mark.spec("A10")
def test_a_read_asks_as_often_for_many_iterations_as_for_one(desk: Desk, now: datetime) -> None:
    counted = []
    session = make_session(desk, now=now)
    for iterations in (1, 5):
        for _ in range(session.iteration, iterations):
            session.refresh_from_db()
            try_out(session, iteration=session.iteration + 1, now=now)
        desk.client().get(f"{PATH}{session.id}/")
        with CaptureQueriesContext(connection) as queries:
            desk.client().get(f"{PATH}{session.id}/")
        counted.append(len(queries))
    assert counted[0] == counted[1] <= 7
