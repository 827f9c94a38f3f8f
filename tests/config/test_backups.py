"""`backup` and `restore`: everything comes back, and nothing is overwritten or half done."""

import json
import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from io import StringIO
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from psycopg import sql

from config import backups, pgbinaries, pgclients
from config.benchmarks.databases import as_default, open_database
from memory.errors import TidebookError
from memory.models import Agent, Record
from memory.services.exports import export
from tests.desk import Desk, make_desk
from tests.live import database_url
from tests.memory.history import life

NAME = f"tidebook_restore_{os.getpid()}"
LISTS = (
    "memories/",
    "memories/?type=review",
    "context/ETH/",
    "context/BTC/",
    "memories/?limit=3",
)

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def another_database(name: str = NAME) -> Iterator[None]:
    """Make an empty database beside the tests' own, and let all go there until the block ends."""
    with closing(psycopg.connect(database_url(), autocommit=True)) as server:
        drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
        server.execute(drop)
        server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        wrapper = open_database(name)
        try:
            with as_default(wrapper):
                yield
        finally:
            wrapper.close()
            server.execute(drop)


@pytest.fixture
def desk(transactional_db: None, now: datetime) -> Desk:  # noqa: ARG001 - opens the database first
    """Return a desk with all kinds of history, committed."""
    desk = make_desk("ours", now=now)
    life(desk, now=now)
    return desk


def answers(desk: Desk) -> dict[str, Any]:
    """Return what each list and context answers, and the whole export."""
    client = desk.browser()
    told: dict[str, Any] = {}
    for path in LISTS:
        answer = client.get(desk.path(path))
        assert answer.status_code == 200, path
        told[path] = answer.json()
    assert len(told["memories/"]["results"]) > 5
    assert told["context/ETH/"]["evidence"]
    agent = Agent.objects.get(id=desk.agent.id)
    told["export"] = b"".join(some.lines for some in export(agent)).decode()
    return told


def run(command: str, file: Path, *words: str) -> str:
    out = StringIO()
    call_command(command, str(file), *words, stdout=out, stderr=StringIO())
    return out.getvalue()


def code_of(error: CommandError) -> str:
    cause = error.__cause__
    assert isinstance(cause, TidebookError)
    return cause.code


@pytest.mark.spec("U3")
def test_what_is_restored_into_an_empty_database_answers_alike_and_verifies(
    desk: Desk, tmp_path: Path
) -> None:
    file = tmp_path / "all.backup"
    before = answers(desk)
    report = json.loads(run("backup", file, "--json"))
    assert report == {"file": str(file), "bytes": file.stat().st_size}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["all.backup"]
    with another_database():
        said = run("restore", file)
        assert said == f"{file} is restored.\nAll is as it must be.\n"
        assert answers(desk) == before
        again = tmp_path / "again.backup"
        run("backup", again)
    with another_database():
        call_command("migrate", verbosity=0)
        assert json.loads(run("restore", again, "--json"))["ok"]
        assert answers(desk) == before
        assert desk.write(now=datetime.fromisoformat("2026-09-30T12:05:00Z")).seq == 13


@pytest.mark.spec("U3", "S3")
@pytest.mark.usefixtures("desk")
def test_words_that_another_server_stemmed_otherwise_are_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "all.backup"
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(
            "UPDATE memory_term SET lexeme = lexeme || 's' WHERE lexeme LIKE 'breakout%'"
        )
        cursor.execute("DELETE FROM memory_term WHERE lexeme = 'tab'")
        cursor.execute("SET session_replication_role = origin")
    run("backup", file)
    with another_database(), pytest.raises(CommandError, match="faults are left"):
        run("restore", file)
    monkeypatch.setattr(backups, "DUMPED_FROM", re.compile("Dumped from database version: 1(.)"))
    with another_database():
        report = json.loads(run("restore", file, "--json"))
        assert report["ok"]
        assert {one["check"] for one in report["found"]} == {"postings"}


@pytest.mark.spec("U3")
def test_a_database_with_rows_is_refused_and_told_what_it_holds(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "all.backup"
    run("backup", file)
    number = Record.objects.count()
    with pytest.raises(CommandError) as refusal:
        run("restore", file)
    assert code_of(refusal.value) == "database_not_empty"
    assert "auth_user (1)" in str(refusal.value)
    assert "more tables" in str(refusal.value)
    assert Record.objects.count() == number
    del desk


@pytest.mark.spec("U3")
@pytest.mark.usefixtures("desk")
def test_a_database_that_others_use_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "all.backup"
    run("backup", file)
    with another_database():
        url = database_url(application_name="tidebook-web")
        with closing(psycopg.connect(url)), pytest.raises(CommandError) as refusal:
            run("restore", file)
    assert code_of(refusal.value) == "database_in_use"
    assert "tidebook-web" in str(refusal.value)


@pytest.mark.spec("U3")
@pytest.mark.usefixtures("desk")
def test_what_is_no_whole_backup_is_refused_before_the_database_is_touched(tmp_path: Path) -> None:
    file, cut = tmp_path / "all.backup", tmp_path / "cut.backup"
    run("backup", file)
    whole = file.read_bytes()
    with another_database():
        call_command("migrate", verbosity=0)
        for number, part in enumerate(
            (whole[:-1000], whole[: len(whole) // 2], whole[:200], b"PGDMP", b"-- SQL", b"")
        ):
            cut.write_bytes(part)
            with pytest.raises(CommandError) as refusal:
                run("restore", cut)
            assert code_of(refusal.value) == "no_backup", number
            assert str(cut) in str(refusal.value)
        newer = bytearray(whole)
        newer[6] = 99  # the minor version of the format
        cut.write_bytes(newer)
        with pytest.raises(CommandError, match="a newer format than pg_restore") as refusal:
            run("restore", cut)
        assert not Record.objects.exists()
        with pytest.raises(CommandError, match=r"none cannot be read: No such file or directory$"):
            run("restore", tmp_path / "none")
        assert json.loads(run("restore", file, "--json"))["ok"]


@pytest.mark.spec("U3", "U7")
@pytest.mark.usefixtures("desk")
def test_a_backup_of_a_newer_release_is_refused_by_its_migrations(tmp_path: Path) -> None:
    file = tmp_path / "all.backup"
    applied = "('memory', '9999_from_the_future', now())"
    with another_database():
        call_command("migrate", verbosity=0)
        with connection.cursor() as cursor:
            cursor.execute(f"INSERT INTO django_migrations (app, name, applied) VALUES {applied}")
        run("backup", file)
    with another_database(), pytest.raises(CommandError) as refusal:
        run("restore", file)
    assert code_of(refusal.value) == "no_backup"
    assert "memory.9999_from_the_future" in str(refusal.value)


@pytest.mark.spec("U3")
@pytest.mark.usefixtures("desk")
def test_a_backup_that_fails_leaves_the_one_before_and_no_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "all.backup"
    run("backup", file)
    before = file.read_bytes()
    real = pgclients.clients()
    broken = tmp_path / "bin"
    broken.mkdir()
    for name in ("pg_dump", "pg_restore"):
        script = f'#!/bin/sh\n[ "$1" = --version ] && exec {real.folder / name} --version\n'
        script += "echo 'pg_dump: error: no space left on device' >&2; exit 1\n"
        (broken / name).write_text(script)
        (broken / name).chmod(0o755)
    monkeypatch.setenv("TIDEBOOK_PG_BIN", str(broken))
    with pytest.raises(CommandError, match=r"^pg_dump: error: no space left on device$") as refusal:
        run("backup", file, "--overwrite")
    assert code_of(refusal.value) == "pg_program_failed"
    assert file.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["all.backup", "bin"]
    with pytest.raises(CommandError, match=r"cannot be written: No such file or directory$"):
        run("backup", tmp_path / "no" / "file")


@pytest.mark.spec("U3")
@pytest.mark.usefixtures("desk")
def test_a_file_that_is_there_is_kept_unless_said_and_is_tried_before_anything_is_dumped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "all.backup"
    file.write_text("precious")
    # Without its programs nothing can be dumped: the refusals come before.
    monkeypatch.setenv("TIDEBOOK_PG_BIN", str(tmp_path / "none"))
    with pytest.raises(CommandError, match=r"is there; .*--overwrite$") as refusal:
        run("backup", file)
    assert code_of(refusal.value) == "file_exists"
    with pytest.raises(CommandError, match=r"cannot be written: Is a directory$"):
        run("backup", tmp_path, "--overwrite")
    assert file.read_text() == "precious"
    monkeypatch.undo()
    run("backup", file, "--overwrite")
    assert file.read_bytes().startswith(b"PGDMP")
    assert [path.name for path in tmp_path.iterdir()] == ["all.backup"]


@pytest.mark.spec("U3", "X3")
@pytest.mark.usefixtures("desk")
def test_neither_password_nor_place_is_among_the_arguments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "told"
    real = pgclients.clients()
    spy = tmp_path / "bin"
    spy.mkdir()
    for name in ("pg_dump", "pg_restore"):
        (spy / name).write_text(
            f'#!/bin/sh\necho "$0 $@" >> {told}\nexec {real.folder / name} "$@"\n'
        )
        (spy / name).chmod(0o755)
    monkeypatch.setenv("TIDEBOOK_PG_BIN", str(spy))
    run("backup", tmp_path / "all.backup")
    with another_database():
        run("restore", tmp_path / "all.backup")
    secret = connection.get_connection_params()["password"]
    assert secret
    assert "--single-transaction" in told.read_text()
    assert secret not in told.read_text()
    assert "127.0.0.1" not in told.read_text()


@pytest.mark.spec("U3")
def test_programs_of_the_servers_own_version_are_taken_and_older_ones_never(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for version in ("15.9", "17.2", "18.4"):
        folder = tmp_path / version
        folder.mkdir()
        for name in ("pg_dump", "pg_restore"):
            (folder / name).write_text(f"#!/bin/sh\necho {name} '(PostgreSQL) {version}'\n")
            (folder / name).chmod(0o755)
    monkeypatch.setattr(pgbinaries, "EMBEDDED_PACKAGE", "no_such_package")
    monkeypatch.setattr(pgbinaries, "SYSTEM_FOLDERS", (str(tmp_path / "*"),))
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("TIDEBOOK_PG_BIN", raising=False)
    found = [pgbinaries.find_clients(major=major).version for major in (15, 16, 17, 18)]
    assert found == ["15.9", "17.2", "17.2", "18.4"]
    with pytest.raises(pgbinaries.BinariesMissingError, match=r"only 15\.9, 17\.2, 18\.4"):
        pgbinaries.find_clients(major=19)
    for folder in tmp_path.iterdir():
        shutil.rmtree(folder)
    with pytest.raises(pgbinaries.BinariesMissingError, match="Install PostgreSQL 18's client"):
        pgbinaries.find_clients(major=18)
    with pytest.raises(CommandError) as refusal:
        run("backup", tmp_path / "all.backup")
    assert code_of(refusal.value) == "binaries_missing"
