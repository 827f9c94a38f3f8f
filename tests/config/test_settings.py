"""What the environment says reaches the settings, or is refused in words without secrets."""

import os
import re
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import checks, embedded
from config.management.commands.env_example import example
from config.settings import database
from config.settings.environment import Settings, load
from config.settings.secrets import configured_key
from memory.policies.standing import Terms, outcome_of

ROOT = Path(__file__).resolve().parents[2]
PASSWORD = "correct-horse"  # noqa: S105 - it must show nowhere
CLOSED = f"postgresql://somebody:{PASSWORD}@127.0.0.1:1/nothing"
"""Port 1: nobody listens there."""


def manage(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command with no other setting than `variables`."""
    # Without the settings of whoever runs the tests, and with all that a Python may need to start.
    ours = {name.upper() for name in Settings.model_fields} - {"TIDEBOOK_HOME"}
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env={**kept, "DJANGO_SETTINGS_MODULE": "config.settings.development", **variables},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def refused(done: subprocess.CompletedProcess[str]) -> str:
    """Return the one line of a command that could not start."""
    assert done.returncode == 1
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    assert PASSWORD not in done.stderr
    return lines[0]


@pytest.mark.spec("U2", "X6")
def test_the_example_lists_every_variable_with_its_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / ".env.example").read_text(encoding="utf-8")
    assert text == example(), "run: python manage.py env_example > .env.example"
    for name in Settings.model_fields:
        assert f"\n#{name.upper()}=" in text
        monkeypatch.delenv(name.upper(), raising=False)
    used = tmp_path / ".env"
    used.write_text(re.sub(r"^#(?=[A-Z_]+=)", "", text, flags=re.MULTILINE), encoding="utf-8")
    assert Settings(_env_file=used) == Settings(_env_file=None)


@pytest.mark.spec("M1")
@pytest.mark.parametrize(
    ("said", "trades", "pnl"),
    [
        ({}, 5, 0),
        ({"SUCCESS_PRESET": "s3"}, 5, 0),
        ({"SUCCESS_PRESET": "strict"}, 20, 5),
        ({"SUCCESS_PRESET": "strict", "SUCCESS_MIN_TRADES": "8"}, 8, 5),
        ({"SUCCESS_PRESET": "strict", "SUCCESS_PNL_ABOVE": "0"}, 20, 0),
        ({"SUCCESS_PRESET": "strict", "SUCCESS_MIN_TRADES": "", "SUCCESS_PNL_ABOVE": ""}, 20, 5),
        ({"SUCCESS_PNL_ABOVE": "-1.5"}, 5, -1.5),
    ],
)
def test_a_success_is_what_the_preset_says_and_what_is_said_beside_it_wins(
    monkeypatch: pytest.MonkeyPatch, said: dict[str, str], trades: int, pnl: float
) -> None:
    for name in ("SUCCESS_PRESET", "SUCCESS_MIN_TRADES", "SUCCESS_PNL_ABOVE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in said.items():
        monkeypatch.setenv(name, value)
    terms = Terms(**Settings(_env_file=None).success)
    assert (terms.success_min_trades, terms.success_pnl_above) == (trades, Decimal(str(pnl)))
    over, under = Decimal(str(pnl)) + Decimal("0.01"), Decimal(str(pnl))
    assert outcome_of(pnl=over, trades=trades, terms=terms) == "success"
    assert outcome_of(pnl=under, trades=trades, terms=terms) == "failure"
    assert outcome_of(pnl=over, trades=trades - 1, terms=terms) == "failure"


@pytest.mark.spec("X6", "X7")
def test_the_deployment_check_is_clean_under_the_production_settings() -> None:
    done = manage(
        *("check", "--deploy", "--fail-level", "WARNING"),
        DJANGO_SETTINGS_MODULE="config.settings.production",
        DATABASE_URL=CLOSED,
        SECRET_KEY="".join(f"{number:02x}" for number in range(60)),
        ALLOWED_HOSTS="tidebook.test",
    )
    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout


@pytest.mark.spec("X6")
def test_production_without_a_secret_key_does_not_start() -> None:
    variables = {"DJANGO_SETTINGS_MODULE": "config.settings.production", "DATABASE_URL": CLOSED}
    assert "SECRET_KEY" in refused(manage("check", **variables))


@pytest.mark.spec("U2", "X6")
def test_an_unreachable_database_is_one_line_that_names_the_place() -> None:
    line = refused(manage("migrate", DATABASE_URL=CLOSED))
    assert "DATABASE_URL at 127.0.0.1:1" in line


@pytest.mark.spec("U2")
def test_an_empty_socket_folder_and_a_strange_option_are_one_line_each(tmp_path: Path) -> None:
    socket = f"postgresql://u:{PASSWORD}@/d?host={tmp_path}&port=6543"
    assert f"DATABASE_URL at {tmp_path}:6543" in refused(manage("migrate", DATABASE_URL=socket))
    with pytest.raises(embedded.UrlRefusedError, match="leads to no database"):
        embedded.check_url(socket)
    strange = f"{CLOSED}?foo=1"
    assert "not a PostgreSQL URL" in refused(manage("migrate", DATABASE_URL=strange))
    with pytest.raises(embedded.UrlRefusedError, match="not a PostgreSQL URL"):
        embedded.check_url(strange)


@pytest.mark.spec("U2", "X6")
@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("DATABASE_URL", f"mysql://somebody:{PASSWORD}@127.0.0.1/nothing"),
        ("MAX_LINKS", PASSWORD),
    ],
)
def test_a_setting_that_is_none_is_named_without_its_value(variable: str, value: str) -> None:
    assert variable in refused(manage("check", **{"DATABASE_URL": CLOSED, variable: value}))


@pytest.mark.spec("E5", "X6")
def test_a_limit_that_is_none_is_told_with_an_example() -> None:
    told = refused(manage("check", DATABASE_URL=CLOSED, RATE_READ="many"))
    assert "RATE_READ: is no limit such as 3000/min (or /s, /h; empty: none)" in told


@pytest.mark.spec("U2", "X6")
@pytest.mark.parametrize(
    "url",
    [
        f"mysql://u:{PASSWORD}@host/name",
        f"postgresql://u:{PASSWORD}@host",
        f"postgresql://u:{PASSWORD}@/name",
        f"postgresql://u:{PASSWORD}@host:port/name",
        f"postgresql://u:{PASSWORD}/with/slash@host:5432/name",
        f"postgresql://u:{PASSWORD}@[::1/name",
        f"postgresql://u:{PASSWORD}@host:99999/name",
        f"postgresql://u:{PASSWORD}@host:0/name",
        f"postgresql://u:a@{PASSWORD}@host/name",
        f"postgresql://u:123/{PASSWORD}@host/name",
        f"postgresql://u:{PASSWORD}%zz@host/name",
        f"postgresql://u:{PASSWORD}\udcff@host/name",
        f"postgresql://u:{PASSWORD}@host/name?{PASSWORD}=1",
        f"postgresql://u:{PASSWORD}@host/name?connect_timeout={PASSWORD}",
        f"postgresql://u:{PASSWORD}@/name?host=/folder&port=x",
        f"host=host dbname=name password={PASSWORD}",
        PASSWORD,
    ],
)
def test_what_is_no_postgresql_url_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(ImproperlyConfigured) as refusal:
        database.parse(url)
    assert "postgresql://user:password@host:5432/name" in str(refusal.value)
    assert PASSWORD not in str(refusal.value)


@pytest.mark.spec("U2")
@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("postgres://u@h/d", {"USER": "u", "PASSWORD": "", "HOST": "h", "PORT": "5432"}),
        ("postgresql://u:a%40b%2Fc%3A%25@h:6543/d", {"PASSWORD": "a@b/c:%", "PORT": "6543"}),
        ("postgresql://a%20b:p@h/d%20e", {"USER": "a b", "NAME": "d e"}),
        ("postgresql://u:p@[::1]:5433/d", {"HOST": "::1", "PORT": "5433"}),
        (
            "postgresql://u:p@h/d?sslmode=verify-full&options=-c%20statement_timeout%3D5s",
            {
                "NAME": "d",
                "OPTIONS": {
                    "connect_timeout": 5,
                    "sslmode": "verify-full",
                    "options": "-c statement_timeout=5s",
                },
            },
        ),
        (
            "postgresql://u:p@/d?host=/folder/of%20sockets&port=6543",
            {"HOST": "/folder/of sockets", "PORT": "6543", "OPTIONS": {"connect_timeout": 5}},
        ),
        ("postgresql://u:p@%2Ffolder:6543/d", {"HOST": "/folder", "PORT": "6543", "NAME": "d"}),
        ("postgresql:///d?host=/folder&user=u", {"HOST": "/folder", "PORT": "5432", "USER": "u"}),
        ("postgresql://u:p@h/d?connect_timeout=9", {"OPTIONS": {"connect_timeout": "9"}}),
    ],
)
def test_each_part_of_a_url_reaches_the_settings(url: str, expected: dict[str, Any]) -> None:
    found = database.parse(url)
    assert {name: found[name] for name in expected} == expected


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Return a function that sets variables and reads the environment anew."""
    cached = load

    def read(**variables: str) -> None:
        for name, value in {"TIDEBOOK_HOME": str(tmp_path), **variables}.items():
            monkeypatch.setenv(name, value)
        cached.cache_clear()

    yield read
    monkeypatch.undo()
    cached.cache_clear()


@pytest.mark.spec("U2")
def test_the_url_wins_over_the_embedded_server(environment: Any) -> None:
    environment(DATABASE_URL="postgresql://u:p@elsewhere:5432/d")
    assert database.databases()["default"]["HOST"] == "elsewhere"
    # It would start a server in TIDEBOOK_HOME.
    database.start_embedded()
    assert not list(Path(os.environ["TIDEBOOK_HOME"]).iterdir())


@pytest.mark.spec("U3", "X6")
def test_a_host_is_given_what_finds_this_database_and_no_password(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("TIDEBOOK_HOME", "DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    # What .env says, the host's process reads there itself.
    assert database.hosts_environment() == {}
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TIDEBOOK_HOME", "mine")
    home = {"TIDEBOOK_HOME": str(tmp_path / "mine")}
    assert database.hosts_environment() == home
    for url, told in (
        ("postgresql://ann@db/tidebook", "postgresql://ann@db/tidebook"),
        ("postgresql://ann:word@db/tidebook", "${DATABASE_URL}"),
        ("postgresql://ann@db/tidebook?password=word", "${DATABASE_URL}"),
        ("postgresql://ann@db/tidebook?sslpassword=word", "${DATABASE_URL}"),
    ):
        monkeypatch.setenv("DATABASE_URL", url)
        assert database.hosts_environment() == {**home, "DATABASE_URL": told}
    # A host that fills in no variables is told, and serves no other database.
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL is not a PostgreSQL URL"):
        database.parse("${DATABASE_URL}")


@pytest.mark.spec("X6")
def test_the_kept_key_is_made_once_by_many_and_is_nobody_elses_to_read(
    environment: Any, tmp_path: Path
) -> None:
    environment(SECRET_KEY="", SECRET_KEY_FILE="")
    code = "from config.settings.secrets import kept_key; print(kept_key())"
    command = [sys.executable, "-c", code]

    def start() -> str:
        return subprocess.run(
            command, cwd=ROOT, env={**os.environ}, capture_output=True, text=True, check=True
        ).stdout.strip()

    with ThreadPoolExecutor(4) as pool:
        keys = {done.result() for done in [pool.submit(start) for _ in range(4)]}
    assert len(keys) == 1
    assert len(keys.pop()) >= 50
    assert [path.name for path in tmp_path.iterdir()] == ["secret-key"]
    assert stat.S_IMODE((tmp_path / "secret-key").stat().st_mode) == 0o600


@pytest.mark.spec("X6")
def test_a_key_from_a_file_is_used_and_the_variable_wins(environment: Any, tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("from-the-file\n")
    environment(SECRET_KEY="", SECRET_KEY_FILE=str(file))
    assert configured_key() == "from-the-file"
    environment(SECRET_KEY=PASSWORD, SECRET_KEY_FILE=str(file))
    assert configured_key() == PASSWORD


@pytest.mark.spec("U3")
def test_a_line_of_the_env_file_that_is_no_setting_is_named_with_what_was_meant(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / ".env"
    monkeypatch.setitem(Settings.model_config, "env_file", file)
    assert checks.every_line_of_the_env_file_is_a_setting() == []
    file.write_text("SUCESS_MIN_TRADES=3\nlog_level=INFO\nKPXQ=secret\n", encoding="utf-8")
    found = checks.every_line_of_the_env_file_is_a_setting()
    assert [(one.msg, one.hint) for one in found] == [
        (".env sets KPXQ, which is no setting", ".env.example lists them all."),
        (".env sets SUCESS_MIN_TRADES, which is no setting", "Did you mean SUCCESS_MIN_TRADES?"),
    ]
