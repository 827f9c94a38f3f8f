"""The web process keeps a few connections, and outlives each of them (SPEC U2, E2)."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from django.db import connection

from tests import live
from tests.desk import Desk, make_desk, note
from tests.live import Server

OURS = "kept-connections"
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def server(transactional_db: None, tmp_path: Path) -> Iterator[Server]:
    """Return a web process whose connections nobody else's can be taken for."""
    del transactional_db
    url = live.database_url(application_name=OURS)
    with live.serve(tmp_path / "uvicorn.log", environment={"DATABASE_URL": url}) as started:
        yield started


@pytest.fixture
def desk(transactional_db: None) -> Desk:
    """Return a desk whose clock is the web process's own."""
    del transactional_db
    return make_desk("ours", now=datetime.now(tz=UTC))


def write(server: Server, desk: Desk) -> int:
    """Write a record over a connection of its own; return the status."""
    headers = {"Authorization": f"Bearer {desk.tokens['analysis']}"}
    url = f"{server.url}{desk.path('memories/')}"
    return httpx.post(url, json=note(), headers=headers, timeout=60).status_code


def kept() -> int:
    """Count the web process's sessions in this database."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND application_name = %s",
            [OURS],
        )
        found: int = cursor.fetchone()[0]
    return found


@pytest.mark.spec("U2")
def test_more_callers_than_kept_connections_are_all_served(server: Server, desk: Desk) -> None:
    with ThreadPoolExecutor(40) as pool:
        statuses = list(pool.map(lambda _: write(server, desk), range(80)))
    assert statuses == [201] * 80
    assert 1 <= kept() <= 16


@pytest.mark.spec("U2", "R9")
def test_the_web_goes_on_after_all_its_connections_were_cut(server: Server, desk: Desk) -> None:
    assert write(server, desk) == 201
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        assert cursor.fetchone()[0] >= 1
    assert [write(server, desk) for _ in range(5)] == [201] * 5
