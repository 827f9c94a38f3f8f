"""The served description of the API is true: a fuzzer that reads it finds no surprise (SPEC E1)."""

import json
import os
import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from django.core.management import call_command
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.test import Client
from django.urls import URLResolver, get_resolver
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema
from hypothesis import HealthCheck, settings
from rest_framework.views import APIView
from schemathesis.checks import CheckFunction, not_a_server_error
from schemathesis.specs.openapi.checks import (
    allow_header_conformance,
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from memory.models import Cluster, Grant, Run
from memory.policies.vocabulary import ROLES, TYPE_PATTERN
from memory.schemas.agents import AGENT
from memory.schemas.answers import ErrorOut
from memory.schemas.records import INSTRUMENT_MAX_CHARS, UUID_TEXT
from memory.services.runs import start_run
from memory.services.setup import create_agent
from tests.autopilot.session.bench import store_bars
from tests.autopilot.sessions import make_session, tell, try_out
from tests.community import let_share, proven
from tests.copies import let_read
from tests.desk import Desk

CALLERS = (*ROLES, "person")
FULL = os.environ.get("TIDEBOOK_STRESS") == "full"
EXAMPLES = 100 if FULL else 8
CHECKS: list[CheckFunction] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
    unsupported_method,
    allow_header_conformance,
]
SERVICE_UNAVAILABLE = 503
DOCUMENT: dict[str, Any] = json.loads(
    json.dumps(SchemaGenerator().get_schema(request=None, public=True))  # type: ignore[no-untyped-call]  # untyped library
)
type Case = schemathesis.Case[Any]
STREAM = "text/event-stream"
OWN_TYPES = {"trading": "trading_decision", "review": "review", "autopilot": "rule"}
FUZZING = settings(
    max_examples=EXAMPLES,
    derandomize=not FULL,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)


def api(*, systematic: bool) -> schemathesis.BaseSchema:
    """Return the API for the fuzzer; `systematic` adds each bound and each omission to chance."""
    # The credentials are ours: callers differ in what they may do, and each has valid ones.
    config = {
        "generation": {"with-security-parameters": False},
        "phases": {"coverage": {"enabled": systematic}},
    }
    loaded = schemathesis.openapi.from_dict(
        deepcopy(DOCUMENT), config=schemathesis.Config.from_dict(config)
    )
    loaded.app = WSGIHandler()
    return loaded


BOUNDS = api(systematic=True)
CHANCE = api(systematic=False)


@pytest.fixture
def inside(db: None) -> Iterator[None]:  # noqa: ARG001 - opens the database first
    """Keep requests inside the test's transaction, as Django's own test client does."""
    request_started.disconnect(close_old_connections)
    request_finished.disconnect(close_old_connections)
    yield
    request_started.connect(close_old_connections)
    request_finished.connect(close_old_connections)


@dataclass
class World:
    """What the requests are about: one desk's ids, and a record of another's."""

    desk: Desk
    run: Run
    mine: str
    theirs: str
    research: UUID
    strategy: UUID
    session: str
    grant: Grant

    def aim(self, case: Case, *, caller: str) -> None:
        """Put ids that exist in the place of those that are well-formed; leave the others."""
        real = {
            "agent": self.desk.agent.id,
            "memory": self.mine,
            "run": self.run.id,
            "producer": self.run.producer_id,
            "session": self.research,
            "strategy": self.strategy,
            "grant": self.grant.id,
        }
        for name, value in case.path_parameters.items():
            if name == "instrument":
                case.path_parameters[name] = "ETH" if str(value).isalnum() else value
            elif is_uuid(value):
                case.path_parameters[name] = str(real[name])
        if is_uuid(case.query.get("memory_id")):
            case.query["memory_id"] = self.mine
        if is_uuid(case.query.get("agent")):
            case.query["agent"] = str(self.desk.agent.id)
        if isinstance(case.body, dict):
            self.aim_body(case.body, caller=caller)

    def aim_body(self, body: dict[str, Any], *, caller: str) -> None:
        """Do the same with what a body names."""
        if caller in OWN_TYPES and re.fullmatch(TYPE_PATTERN, str(body.get("type"))):
            body["type"] = OWN_TYPES[caller]
        links = body.get("links")
        for link in links if isinstance(links, list) else []:
            if isinstance(link, dict) and is_uuid(link.get("target_memory_id")):
                odd = UUID(link["target_memory_id"]).int % 2
                link["target_memory_id"] = self.theirs if odd else self.mine
        if is_name(body.get("symbol")):
            body["symbol"] = "ETH"
        names = body.get("instruments")
        if isinstance(names, list) and names and is_name(names[0]):
            names[0] = "ETH"
        if is_uuid(body.get("source")):
            body["source"] = str(self.grant.source_id)

    def credentials(self, caller: str) -> dict[str, Any]:
        """Return those of a role's bearer, or of the desk's owner in a browser."""
        if caller != "person":
            return {"headers": {"Authorization": f"Bearer {self.desk.tokens[caller]}"}}
        forgery = "f" * 32
        cookies = {"sessionid": self.session, "csrftoken": forgery}
        return {"cookies": cookies, "headers": {"X-CSRFToken": forgery}}

    def check(self, case: Case, *, caller: str) -> None:
        """Send the request as `caller`, and hold the answer against the document."""
        self.aim(case, caller=caller)
        for form in forms(case):
            credentials = self.credentials(caller)
            response = case.call(**credentials | {"headers": credentials["headers"] | form})
            assert response.headers["x-request-id"]
            if response.status_code >= 400:
                ErrorOut.model_validate_json(response.content)
            # Red is 503, declared: the process counts the failed writes of earlier tests, too.
            red = case.path.startswith("/health/") and response.status_code == SERVICE_UNAVAILABLE
            checks = [one for one in CHECKS if not (red and one is not_a_server_error)]
            case.validate_response(response, checks=checks)


def forms(case: Case) -> list[dict[str, str]]:
    """Return headers that ask for each form of the answer; JSON comes without asking."""
    declared = case.operation.definition.raw["responses"].get("200", {}).get("content", {})
    return [{}] + [{"Accept": STREAM}] * (STREAM in declared)


def is_name(value: object) -> bool:
    """Tell whether it could be an instrument's name."""
    return isinstance(value, str) and value.isalnum() and len(value) <= INSTRUMENT_MAX_CHARS


def is_uuid(value: object) -> bool:
    """Tell whether it is written as ids are."""
    return isinstance(value, str) and UUID_TEXT.fullmatch(value) is not None


@pytest.fixture
def world(inside: None, desk: Desk, other: Desk, now: datetime) -> World:  # noqa: ARG001 - as above
    """Return a desk with a record and an open run, beside another desk with a record."""
    # Without a worker the status is red, which the fuzzer takes for a fault of the server.
    Cluster.objects.create(host="desk", supervisor=1, started_at=now, seen_at=now, progress_at=now)
    mine = desk.write(now=now, instruments=["ETH"], tags=["calm"])
    desk.write(now=now, links=[{"target_memory_id": str(mine.id), "link_type": "evidence"}])
    desk.write("review", now=now, type="agent_learnings", content="wait for the close")
    store_bars(now=now)
    research = make_session(desk, now=now, symbol_id="BTC")
    try_out(research, iteration=1, now=now)
    tell(research, "resolved", "researched", now=now)
    let_share(desk.agent)
    second = create_agent(owner=desk.user, name="second", now=now)
    return World(
        desk=desk,
        run=start_run(producer=desk.producers["analysis"], now=now),
        mine=str(mine.id),
        theirs=str(other.write(now=now).id),
        research=research.id,
        strategy=proven(desk, now=now, tags=["breakout"], config={"size": 1.5}),
        session=desk.browser().cookies["sessionid"].value,
        grant=let_read(desk.agent, second, now=now),
    )


@pytest.mark.spec("E1", "E2", "R9")
@BOUNDS.parametrize()
@FUZZING
def test_no_bound_or_omission_finds_what_the_document_does_not_declare(
    case: Case, world: World
) -> None:
    world.check(case, caller="analysis")


@pytest.mark.stress
@pytest.mark.spec("E1", "E2", "R9")
@pytest.mark.parametrize("caller", CALLERS)
@CHANCE.parametrize()
@FUZZING
def test_no_request_of_any_caller_finds_what_the_document_does_not_declare(
    case: Case, caller: str, world: World
) -> None:
    world.check(case, caller=caller)


def routes(patterns: Any, prefix: str = "") -> Iterator[tuple[str, type[APIView]]]:
    """Walk the REST views of a resolver, with their paths as OpenAPI writes them."""
    for pattern in patterns:
        path = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, path)
            continue
        view = getattr(pattern.callback, "view_class", None)
        if isinstance(view, type) and issubclass(view, APIView):
            yield "/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", path), view


@pytest.mark.spec("E1")
def test_the_document_lists_every_route_and_method() -> None:
    methods = {"get", "post", "put", "patch", "delete"}
    served = {
        (path, method)
        for path, view in routes(get_resolver().url_patterns)
        for method in methods
        if hasattr(view, method)
    }
    described = {
        (path, method) for path, item in DOCUMENT["paths"].items() for method in methods & set(item)
    }
    # The description describes neither itself nor its own page.
    assert served - described == {("/api/v1/openapi.json/", "get"), ("/api/v1/docs/", "get")}
    assert described <= served


@pytest.mark.spec("E1")
def test_the_document_is_valid_openapi_3_1_and_made_without_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    validate_schema(DOCUMENT)  # type: ignore[no-untyped-call]  # untyped library
    assert DOCUMENT["openapi"] == "3.1.0"
    call_command("spectacular", "--fail-on-warn", "--validate", file=str(tmp_path / "api.yaml"))
    assert "Warning" not in capsys.readouterr().err


@pytest.mark.spec("E1", "E8")
@pytest.mark.parametrize("path", ["/api/v1/openapi.json", "/api/v1/openapi.json/"])
@pytest.mark.parametrize("accept", ["application/json", "*/*", "text/html", "application/yaml"])
def test_the_document_is_served_as_json_to_anybody(path: str, accept: str) -> None:
    response = Client().get(path, headers={"accept": accept})
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/json"
    assert response.json() == DOCUMENT


@pytest.mark.spec("E2")
def test_every_declared_error_has_the_one_shape() -> None:
    shapes = DOCUMENT["components"]["schemas"]
    found = set()
    for path, item in DOCUMENT["paths"].items():
        for method, operation in item.items():
            for status, answer in operation["responses"].items():
                if status.startswith("2") or path.startswith("/health/ready"):
                    continue
                name = answer["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
                found.add(name)
                assert {"error", "code"} <= set(shapes[name]["required"]), (path, method, status)
    assert found == {"ErrorOut", "ValidationErrorOut", "FaultOut", "RedOut"}


@pytest.mark.spec("E1", "E7")
def test_each_route_that_takes_an_agent_says_what_it_is_and_that_it_may_be_anothers() -> None:
    taking = {
        f"{method} {path}": (one.get("description"), set(operation["responses"]))
        for path, item in DOCUMENT["paths"].items()
        for method, operation in item.items()
        for one in operation.get("parameters", [])
        if (one["in"], one["name"]) == ("query", "agent")
    }
    assert len(taking) >= 11
    for route, (description, statuses) in taking.items():
        assert description == AGENT, route
        assert "404" in statuses, route


@pytest.mark.spec("E1")
def test_ids_are_described_as_uuids_and_closed_sets_as_enums() -> None:
    for path, item in DOCUMENT["paths"].items():
        for operation in item.values():
            for parameter in operation.get("parameters", []):
                if parameter["in"] == "path" and parameter["name"] != "instrument":
                    assert parameter["schema"] == {"type": "string", "format": "uuid"}, path
    listing = DOCUMENT["paths"]["/api/v1/agents/{agent}/memories/"]["get"]["parameters"]
    schemas = {parameter["name"]: parameter["schema"] for parameter in listing}
    assert schemas["scope"]["enum"] == ["agent", "instruments"]
    assert (schemas["limit"]["minimum"], schemas["limit"]["maximum"]) == (1, 200)
