"""Setting up an agent, and tokens, by command (the printed lines are run for real)."""

import json
import shlex
import shutil
import subprocess
from datetime import datetime
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.utils import timezone

from memory.errors import TidebookError
from memory.models import Agent, Producer, ProducerEnablement, Selection, Token
from memory.services import setup
from tests import live
from tests.autopilot.session.bench import store_bars
from tests.desk import Desk, bearer, make_instrument
from trading.market.sample import load_sample


def run(*words: str) -> str:
    """Run a command and return what it printed."""
    out = StringIO()
    call_command(*words, stdout=out, stderr=StringIO())
    return out.getvalue()


def code_behind(refusal: pytest.ExceptionInfo[CommandError]) -> str:
    """Return the code of the store's refusal that became a command's error."""
    cause = refusal.value.__cause__
    assert isinstance(cause, TidebookError)
    return cause.code


def report(*words: str) -> dict[str, Any]:
    """Run a command with --json and return its object."""
    answer: dict[str, Any] = json.loads(run(*words, "--json"))
    return answer


@pytest.fixture
def markets(db: None) -> None:
    """Make instruments with the kinds of names there are, and one that is delisted."""
    names = ("BTC", "ETH", "PURR/USDC", "@107", "xyz:TSLA")
    del db
    now = timezone.now()  # the web process reads its own clock, which no test can stop
    make_instrument("GONE", now=now, is_active=False)
    for name in names:
        make_instrument(name, now=now)


@pytest.fixture
def owner(db: None) -> User:
    """Return a user without agents."""
    del db
    return User.objects.create_user("ann")


def curl(line: str) -> tuple[int, dict[str, Any]]:
    """Run a printed line as a shell would split it; return the status and the body."""
    words = shlex.split(line)
    assert words[0] == "curl"
    words[0] = str(shutil.which("curl"))
    command = [*words, "--noproxy", "*", "-w", "\n%{http_code}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    body, _, status = done.stdout.rpartition("\n")
    return int(status), json.loads(body)


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs the curl program")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("instrument", ["BTC", "PURR/USDC", "@107", "xyz:TSLA"])
@pytest.mark.spec("U3", "B4")
@pytest.mark.usefixtures("markets")
def test_the_printed_lines_work_against_a_running_server(
    served: live.Server, owner: User, instrument: str
) -> None:
    printed = run(
        *("setup_agent", "ours", "--user", owner.username),
        *("--instruments", instrument, "--base-url", served.url),
    )
    write, context, listing = [line for line in printed.splitlines() if line.startswith("curl ")]
    status, written = curl(write)
    assert status == 201, written
    assert written["instruments"] == [instrument]
    status, shown = curl(context)
    assert status == 200, shown
    assert [one["memory_id"] for one in shown["evidence"]] == [written["id"]]
    status, listed = curl(listing)
    assert status == 200, listed
    assert [one["id"] for one in listed["results"]] == [written["id"]]


@pytest.mark.django_db
@pytest.mark.spec("U3", "X2")
@pytest.mark.usefixtures("markets")
def test_the_set_up_makes_a_producer_and_a_token_per_role(owner: User) -> None:
    made = report("setup_agent", "ours", "--user", owner.username, "--instruments", "BTC,ETH")
    agent = Agent.objects.get(owner=owner)
    assert made["agent"] == {"id": str(agent.id), "name": "ours", "new": True}
    assert set(made["producers"]) == {"analysis", "trading", "review", "autopilot"}
    assert made["producers"]["analysis"]["schedule"] == "5m"
    assert made["producers"]["trading"]["schedule"] is None
    assert list(agent.selections.order_by("id").values_list("instrument_id", flat=True)) == [
        "BTC",
        "ETH",
    ]
    for role, clear in made["tokens"].items():
        key, _, secret = clear.partition(".")
        assert Token.objects.select_related("producer").get(key=key).producer.role == role
        assert len(secret) >= 43
    assert made["user"] == {"username": owner.username, "password": None}


@pytest.mark.django_db
@pytest.mark.spec("U3")
@pytest.mark.usefixtures("markets")
def test_a_second_set_up_keeps_everything_and_issues_new_tokens(owner: User) -> None:
    words = ("setup_agent", "ours", "--user", owner.username, "--instruments", "BTC,ETH,BTC")
    first, second = report(*words), report(*words)
    assert second["agent"] == {**first["agent"], "new": False}
    assert second["producers"] == first["producers"]
    assert set(second["tokens"].values()).isdisjoint(first["tokens"].values())
    agent = Agent.objects.get(owner=owner)
    assert agent.selections.count() == 2
    assert ProducerEnablement.objects.filter(agent=agent).count() == 4
    path = f"/api/v1/agents/{agent.id}/memories/"
    assert bearer(first["tokens"]["analysis"]).get(path).status_code == 200
    quiet = report(*words, "--no-tokens")
    assert (quiet["tokens"], quiet["lines"]) == ({}, {})
    assert Token.objects.filter(agent=agent).count() == 8
    assert "No tokens were issued" in run(*words, "--no-tokens")


@pytest.mark.django_db
@pytest.mark.spec("U3", "F3")
@pytest.mark.usefixtures("markets")
def test_a_set_up_changes_the_schedule_only_when_it_is_told_to(owner: User) -> None:
    words = ("setup_agent", "ours", "--user", owner.username, "--instruments", "BTC")
    assert report(*words, "--schedule", "4h")["producers"]["analysis"]["schedule"] == "4h"
    assert report(*words)["producers"]["analysis"]["schedule"] == "4h"
    assert report(*words, "--schedule", "none")["producers"]["analysis"]["schedule"] is None
    assert Producer.objects.get(agent__owner=owner, name="analysis").schedule is None


@pytest.mark.django_db
@pytest.mark.spec("U3", "A12", "J1")
@pytest.mark.usefixtures("markets")
def test_a_set_up_has_callers_run_the_analysis_unless_it_is_told_otherwise(owner: User) -> None:
    words = ("setup_agent", "ours", "--user", owner.username, "--instruments", "BTC")

    def runner(*more: str) -> tuple[str | None, ...]:
        made = report(*words, *more)["producers"]["analysis"]
        return made["schedule"], made["runner"], made["lens"], made["timeframe"]

    assert runner() == ("5m", "caller", None, None)
    assert runner("--built-in", "trend") == ("5m", "built_in", "trend", None)
    assert runner("--schedule", "4h") == ("4h", "built_in", "trend", None)
    more = ("--built-in", "reversion", "--timeframe", "1h")
    assert runner(*more) == ("4h", "built_in", "reversion", "1h")
    assert "(4h, run by the built-in reversion analyst on 1h bars)" in run(*words)
    stored = Producer.objects.get(agent__owner=owner, name="analysis")
    assert (stored.runner, stored.lens, stored.timeframe) == ("built_in", "reversion", "1h")
    with pytest.raises(CommandError, match="needs a schedule"):
        run(*words, "--schedule", "none")
    assert runner("--built-in", "none", "--schedule", "none") == (None, "caller", None, None)
    for refused, says in (
        (("--built-in", "trend"), "needs a schedule"),
        (("--timeframe", "1h"), "goes with --built-in"),
        (("--built-in", "none", "--timeframe", "1h"), "null for callers"),
    ):
        with pytest.raises(CommandError, match=says):
            run(*words, *refused)
    roles = ("trading", "review", "autopilot")
    assert {report(*words)["producers"][role]["runner"] for role in roles} == {"caller"}


@pytest.mark.django_db
@pytest.mark.spec("U3", "A12")
def test_a_set_up_of_the_built_in_analyst_says_what_candles_it_lacks(
    owner: User, now: datetime
) -> None:
    load_sample(now=now)
    words = ("setup_agent", "ours", "--user", owner.username, "--instruments", "xyz:AAPL,xyz:IBM")

    def notes(*more: str) -> list[str]:
        told: list[str] = report(*words, *more)["notes"]
        return [note for note in told if "password" not in note]

    assert notes() == []
    first, second, way_out = notes("--built-in", "trend", "--schedule", "1h")
    assert first == (
        "xyz:AAPL: no 1h bars are stored; there are 1d bars to 2013-03-02 (--timeframe 1d)"
    )
    assert second.startswith("xyz:IBM: no 1h bars are stored")
    assert "manage.py sync_candles --instrument xyz:AAPL --timeframe 1h" in way_out
    old, *_ = notes("--built-in", "trend", "--timeframe", "1d")
    assert old == (
        "xyz:AAPL: the newest 1d bar closed at 2013-03-02 00:00 UTC, too long ago for a reading"
    )
    assert f"Note: {old}" in run(*words)
    make_instrument("ETH", now=now)
    nothing, *_ = notes("--instruments", "ETH")[2:]
    assert nothing == "ETH: no 1d bars are stored, nor any other"
    for name in ("xyz:AAPL", "xyz:IBM", "ETH"):
        store_bars(now=now, instrument=name, timeframe="1d", count=5)
    assert notes() == []


@pytest.mark.django_db
@pytest.mark.spec("U3", "X6", "B2")
@pytest.mark.usefixtures("markets")
def test_a_host_that_starts_the_bridge_is_told_where_the_database_is(
    owner: User, settings: Any
) -> None:
    words = ("setup_agent", "ours", "--user", owner.username, "--instruments", "BTC")
    title = "mcp.json (the host starts the bridge)"

    def given(**environment: str) -> tuple[dict[str, str], list[str]]:
        settings.HOSTS_ENVIRONMENT = environment
        told = report(*words)
        server = json.loads(told["lines"][title])["mcpServers"]["tidebook-analysis"]
        assert server["env"].pop("MCP_MEMORY_TOKEN") == told["tokens"]["analysis"]
        return server["env"], told["notes"]

    assert given() == ({}, [])
    home = {"TIDEBOOK_HOME": "/somewhere", "DATABASE_URL": "postgresql://ann@db/tidebook"}
    assert given(**home) == (home, [])
    unsaid = {"DATABASE_URL": "${DATABASE_URL}"}
    environment, (note,) = given(**unsaid)
    assert environment == unsaid
    assert "set DATABASE_URL in its environment" in note
    assert f"Note: {note}" in run(*words)
    assert report(*words, "--no-tokens")["notes"] == []


@pytest.mark.django_db
@pytest.mark.spec("U3")
@pytest.mark.usefixtures("markets")
def test_a_set_up_leaves_a_disabled_producer_disabled_and_says_so(
    owner: User, now: datetime
) -> None:
    words = ("setup_agent", "ours", "--user", owner.username, "--instruments", "BTC")
    run(*words)
    producer = Producer.objects.get(agent__owner=owner, name="trading")
    setup.disable_producer(producer=producer, now=now)
    assert "Producer trading (unscheduled, disabled)" in run(*words)
    assert report(*words)["producers"]["trading"]["enabled"] is False


@pytest.mark.django_db
@pytest.mark.spec("U3", "X6")
@pytest.mark.usefixtures("markets")
def test_a_user_made_by_the_set_up_can_log_in_with_the_printed_password() -> None:
    words = ("setup_agent", "ours", "--user", "bob", "--instruments", "BTC", "--create-user")
    password = report(*words)["user"]["password"]
    user = User.objects.get(username="bob")
    assert user.check_password(password)
    assert not user.is_staff
    assert report(*words)["user"]["password"] is None, "a user who is there keeps the password"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--user", "bob", "--instruments", "BTC"), "no user called bob"),
        (("--user", "ann", "--instruments", "BTC,NOPE"), "NOPE is not an active instrument"),
        (("--user", "ann", "--instruments", "BTC,GONE"), "GONE is not an active instrument"),
        (("--user", "new", "--create-user", "--instruments", "NOPE"), "sync_instruments"),
        (("--user", "a b", "--create-user", "--instruments", "BTC"), "cannot be a user's name"),
        (("--user", "ann", "--instruments", " , "), "at least one instrument"),
        (("--user", "ann", "--instruments", "BTC", "--base-url", "here"), "no base URL"),
        (("--user", "ann", "--instruments", "BTC", "--base-url", "http://["), "no base URL"),
        (("--user", "ann", "--instruments", "BTC", "--schedule", "7m"), "invalid choice"),
    ],
)
@pytest.mark.spec("U3")
@pytest.mark.usefixtures("markets")
def test_a_refused_set_up_names_the_reason_and_leaves_nothing(
    owner: User, words: tuple[str, ...], says: str
) -> None:
    with pytest.raises(CommandError) as refusal:
        run("setup_agent", "ours", *words)
    assert says in str(refusal.value)
    assert list(User.objects.all()) == [owner]
    for model in (Agent, Selection, Producer, Token):
        assert not model.objects.exists(), model


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["", "  ", "x" * 81, "two\nlines"])
@pytest.mark.spec("U3")
@pytest.mark.usefixtures("markets")
def test_an_unusable_name_is_refused(owner: User, name: str) -> None:
    with pytest.raises(CommandError, match="the agent's name"):
        run("setup_agent", name, "--user", owner.username, "--instruments", "BTC")


@pytest.mark.django_db
@pytest.mark.spec("U3")
def test_a_producer_of_another_role_is_not_taken_over(desk: Desk, now: datetime) -> None:
    setup.create_producer(agent=desk.agent, role="analysis", name="review", schedule=None, now=now)
    before = Producer.objects.count()
    with pytest.raises(CommandError) as refusal:
        run("setup_agent", "ours", "--user", "ours", "--instruments", "BTC")
    assert code_behind(refusal) == "name_taken"
    assert Producer.objects.count() == before


@pytest.mark.django_db
@pytest.mark.spec("U3", "X2", "B4")
def test_an_issued_token_works_until_it_is_revoked(desk: Desk) -> None:
    made = report("issue_token", "--agent", "ours", "--producer", "ours-analysis", "--days", "2")
    assert (made["role"], made["agent"]) == ("analysis", str(desk.agent.id))
    client = bearer(made["token"])
    assert client.get(desk.path("memories/")).status_code == 200
    assert f"Token {made['key']} is revoked." in run("revoke_token", made["key"])
    refused = client.get(desk.path("memories/"))
    assert (refused.status_code, refused.json()["code"]) == (401, "invalid_token")
    assert report("revoke_token", made["token"]) == {"key": made["key"], "revoked": False}


@pytest.mark.django_db
@pytest.mark.spec("U3")
def test_agents_and_producers_are_found_by_id_and_the_token_is_printed_alone(desk: Desk) -> None:
    producer = desk.producers["review"]
    clear = run("issue_token", "--agent", str(desk.agent.id), "--producer", str(producer.id))
    token = Token.objects.get(key=clear.partition(".")[0])
    assert (token.producer, token.expires_at) == (producer, None)
    assert len(clear.split()) == 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("issue_token", "--agent", "nobody", "--producer", "x"), "not_found"),
        (("issue_token", "--agent", "ours", "--producer", "theirs-analysis"), "not_found"),
        (("issue_token", "--agent", "ours", "--producer", "ours-review", "--days=0"), "invalid"),
        (("issue_token", "--agent", "ours", "--producer", "ours-review", "--days=9999"), "invalid"),
        (("revoke_token", "feed"), "not_found"),
    ],
)
@pytest.mark.spec("U3")
@pytest.mark.usefixtures("desk", "other")
def test_refusals_about_tokens_come_from_a_typed_error(words: tuple[str, ...], code: str) -> None:
    before = Token.objects.count()
    with pytest.raises(CommandError) as refusal:
        run(*words)
    assert code_behind(refusal) == code
    assert Token.objects.count() == before


@pytest.mark.django_db
@pytest.mark.spec("U3")
def test_a_name_that_two_owners_use_needs_an_id(desk: Desk, other: Desk, now: datetime) -> None:
    twin = setup.create_agent(owner=other.user, name="ours", now=now)
    with pytest.raises(CommandError) as refusal:
        run("issue_token", "--agent", "ours", "--producer", "ours-analysis")
    assert str(twin.id) in str(refusal.value)
    assert str(desk.agent.id) in str(refusal.value)
