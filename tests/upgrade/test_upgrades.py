"""Data of each earlier release, migrated forward: nothing is lost, and all that is new is there.

The dumps are of databases that those releases filled (`fill.py`), as plain SQL; beside each lies
what its release answered.
"""

import json
import os
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from psycopg import sql
from psycopg.types.json import Jsonb
from rest_framework.test import APIClient

from config.benchmarks.databases import as_default, open_database
from memory.ids import new_id
from memory.models import Agent, CorrectionHead, Producer, Record, Standing, StandingChange
from memory.policies.retention import content_digest, originals_hash
from memory.schemas.records import RecordDraft
from memory.schemas.search import SearchQuery
from memory.selectors.search import search
from memory.services import publish, tokens
from memory.services.exports import export
from memory.services.publish import Stamped, said_by
from tests.desk import note
from tests.live import database_url

HERE = Path(__file__).parent
RELEASES = sorted(path.stem for path in HERE.glob("memory_*.sql"))
LAST = RELEASES[-1]
DUMPED_MAJOR = 18
NAME = f"tidebook_upgrade_{os.getpid()}"

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def of_release(release: str) -> Iterator[str]:
    """Make a database as that release left it, let all go there, and give its URL."""
    with closing(psycopg.connect(database_url(), autocommit=True)) as server:
        drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(NAME))
        server.execute(drop)
        server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(NAME)))
        wrapper = open_database(NAME)
        try:
            with as_default(wrapper):
                url = database_url()
                with closing(psycopg.connect(url, autocommit=True)) as session:
                    session.execute((HERE / f"{release}.sql").read_bytes())
                yield url
        finally:
            wrapper.close()
            server.execute(drop)


def migrated() -> None:
    """Migrate; a server of another major version than the dumps' stems some words otherwise."""
    call_command("migrate", verbosity=0, interactive=False)
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('server_version_num')::int / 10000")
        if cursor.fetchone() != (DUMPED_MAJOR,):
            report = verified("--repair")
            assert report["ok"]
            assert {one["check"] for one in report["found"]} <= {"postings"}


def applied() -> list[tuple[str, str]]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT app, name FROM django_migrations ORDER BY id")
        found: list[tuple[str, str]] = cursor.fetchall()
    return found


def verified(*words: str) -> dict[str, Any]:
    out = StringIO()
    with suppress(CommandError):
        call_command("verify_memory", "--json", *words, stdout=out, stderr=StringIO())
    report: dict[str, Any] = json.loads(out.getvalue())
    return report


def told_by(release: str) -> dict[str, Any]:
    """Return what the release answered, by owner."""
    told: dict[str, Any] = json.loads((HERE / f"{release}.json").read_text(encoding="utf-8"))
    return told


def get(owner: str, path: str) -> dict[str, Any]:
    client = APIClient()
    client.force_login(
        User.objects.get(username=owner), backend="django.contrib.auth.backends.ModelBackend"
    )
    answer = client.get(path)
    assert answer.status_code == 200, answer.content
    told: dict[str, Any] = answer.json()
    return told


def write(owner: str, role: str, *, now: datetime, **body: Any) -> UUID:
    """Publish as a producer of the dump, with a token of today's."""
    producer = Producer.objects.get(agent__owner__username=owner, role=role)
    _, clear = tokens.issue_token(producer=producer, now=now)
    actor = tokens.authenticate(clear, now=now)
    return publish.publish(actor=actor, draft=RecordDraft.parse(note(**body)), now=now).id


@pytest.mark.spec("U7", "U3")
@pytest.mark.usefixtures("now")
@pytest.mark.parametrize("release", RELEASES)
def test_an_earlier_release_is_migrated_forward_with_all_it_knew(release: str) -> None:
    with of_release(release):
        assert ("memory", "0003_write_once") in applied()
        migrated()
        assert verified() == {"ok": True, "faults": 0, "repaired": 0, "found": []}
        for owner, told in told_by(release).items():
            base = f"/api/v1/agents/{told['agent']}/"
            for path, before in told["answers"].items():
                after = get(owner, base + path)
                if path.startswith("memories/"):
                    compare_lists(before["results"], after["results"])
                else:
                    compare_contexts(before["evidence"], after["evidence"])
            agent = Agent.objects.get(id=told["agent"])
            lines = b"".join(some.lines for some in export(agent)).splitlines()
            assert len(lines) > Record.objects.filter(agent=agent).count() > 8


def compare_lists(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> None:
    """Each record is there, in its place, and says what it said; how it stands may be told anew."""
    assert [one["id"] for one in after] == [one["id"] for one in before]
    for old, new in zip(before, after, strict=True):
        assert {**old, "status": new["status"]}.items() <= new.items()


def compare_contexts(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> None:
    """What was current is; corrections, which earlier releases kept apart, are there too."""
    now_told = {one["memory_id"]: one for one in after}
    for old in before:
        new = now_told[old["memory_id"]]
        if new["status"] == old["status"]:
            assert old.items() <= new.items()
        else:
            assert (old["status"], new["status"]) == ("fresh", "superseded")
    assert any(one["correction_target_ids"] for one in after)


@pytest.mark.spec("U7", "C6", "M5", "S3")
@pytest.mark.parametrize("release", RELEASES)
def test_what_is_new_is_made_for_what_is_old(release: str, now: datetime) -> None:
    with of_release(release):
        migrated()
        agent = Agent.objects.get(owner__username="ours")
        assert CorrectionHead.objects.filter(agent=agent).count() == 3
        tiers = Record.objects.filter(agent=agent, type__in=["rule", "strategy_insight"])
        assert Standing.objects.filter(record__in=tiers).count() == tiers.count() > 1
        assert StandingChange.objects.filter(agent=agent).exists()
        asked = SearchQuery.parse({"symbol": "ETH", "query": "trend breakouts rule market"})
        found = search(agent_id=agent.id, asked=asked, now=now)
        assert "Universal Rules" in found.text
        first = Record.objects.get(agent=agent, seq=1)
        links = [{"target_memory_id": str(first.id), "link_type": "corrects"}]
        write("ours", "analysis", now=now, instruments=["ETH"], links=links)
        write("theirs", "autopilot", now=now, type="rule", content="learned after the upgrade")
        assert verified()["ok"]


@contextmanager
def in_use(url: str, table: str) -> Iterator[psycopg.Connection[Any]]:
    """Let a transaction that writes to a table be open."""
    with closing(psycopg.connect(url)) as writer:
        writer.execute(sql.SQL("LOCK TABLE {} IN ROW EXCLUSIVE MODE").format(sql.Identifier(table)))
        yield writer
        writer.rollback()


OLD_WRITE = (HERE / "publish_0007.sql").read_text(encoding="utf-8")
"""The statement by which the previous release writes a record."""


def write_as_before(owner: str, *, now: datetime, corrects: UUID | None = None) -> UUID:
    """Write a record about ETH as the previous release does, which knows today's tables only."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT p.agent_id, p.id FROM memory_producer p"
            " JOIN memory_agent a ON a.id = p.agent_id JOIN auth_user u ON u.id = a.owner_id"
            " WHERE u.username = %s AND p.role = 'analysis'",
            [owner],
        )
        agent, producer = cursor.fetchone()
        links = [] if corrects is None else [str(corrects)]
        told = [{"target_memory_id": one, "link_type": "corrects"} for one in links]
        draft = RecordDraft.parse(note(instruments=["ETH"], links=told, content="meanwhile"))
        own, run, salt = new_id(), new_id(), b"0" * 16
        said = said_by(
            draft,
            id=own,
            agent_id=agent,
            producer_id=producer,
            run_id=run,
            stamped=Stamped({}, None, None),
            created_at=now,
        )
        values = {
            "agent": agent,
            "id": own,
            "producer": producer,
            "run": run,
            "implicit": True,
            "schedule": None,
            "boundary": None,
            "now": now,
            "type": draft.type,
            "scope": draft.scope,
            "timeframe": None,
            "content": draft.content,
            "metadata": Jsonb({}),
            "tags": [],
            "targets": draft.instruments,
            "symbol": None,
            "strategy_type": None,
            "link_ids": draft.originals,
            "stale_after": None,
            "link_types": ["corrects" for _ in links],
            "is_research": True,
            "originals_hash": originals_hash(draft.originals),
            "expiry_policy": None,
            "content_digest": content_digest(salt, said),
            "content_salt": salt,
        }
        cursor.execute(OLD_WRITE, values)
        _, _, _, seq, _ = cursor.fetchone()
        assert seq is not None
    return own


@pytest.mark.spec("U7")
def test_a_migration_gives_up_on_a_table_in_use_and_leaves_the_release_as_it_was(
    now: datetime, settings: Any
) -> None:
    settings.MIGRATION_LOCK_SECONDS = 0.2
    with of_release(LAST) as url:
        before = applied()
        with in_use(url, "memory_record"):
            with pytest.raises(CommandError, match=r"^a table was in use for longer than 0\.2 s"):
                migrated()
            # Migrations that nobody was in the way of are made; the one that waited is not.
            made = applied()[len(before) :]
            assert not [name for app, name in made if app == "memory"]
            written = write_as_before("ours", now=now)
        migrated()
        assert verified()["ok"]
        assert Record.objects.get(id=written).content == "meanwhile"


@pytest.mark.spec("U7")
def test_the_limit_is_the_migrations_alone(settings: Any) -> None:
    settings.MIGRATION_LOCK_SECONDS = 0.2
    with of_release(LAST):
        migrated()
        with connection.cursor() as cursor:
            cursor.execute("SHOW lock_timeout")
            assert cursor.fetchone() == ("0",)


@pytest.mark.spec("U7", "R6", "C1")
def test_the_previous_release_goes_on_writing_while_the_new_schema_is_there(now: datetime) -> None:
    assert "memory_correction_head" not in OLD_WRITE
    with of_release(LAST):
        migrated()
        written = write_as_before("ours", now=now)
        assert verified()["ok"]
        write_as_before("ours", now=now, corrects=written)
        # What it does not know of yet is found, and made up for.
        assert {one["check"] for one in verified()["found"]} == {"heads"}
        assert verified("--repair")["ok"]
        assert verified()["ok"]


def test_each_dump_is_beside_the_answers_of_its_release() -> None:
    assert len(RELEASES) >= 3
    assert {path.stem for path in HERE.glob("memory_*.json")} == set(RELEASES)
