"""What `manage.py doctor` looks at: each thing is well, worth knowing, or wrong with a way out.

It starts nothing and changes nothing (SPEC U3).
"""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

from django.conf import settings
from django.core import checks as django_checks
from django.db import Error, connection

from autopilot.crew.starved import starved_producers
from config import embedded, pgstate, schedules
from config.health import figures, probes
from config.health.status import queue_check
from config.pgbinaries import OLDEST_MAJOR
from config.settings.database import home
from config.settings.environment import ROOT, load
from config.settings.secrets import KEY_MIN_CHARS
from memory.models import Agent

type Status = Literal["ok", "note", "wrong"]

LEAST_FREE_BYTES = 1 << 30
SKEW = timedelta(seconds=2)
"""A clock that is further off moves deadlines visibly."""
PRODUCTION = "config.settings.production"
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
OTHERS_READ = 0o044
FEW = 5
"""How many of the missing candles are named."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What was looked at, how it is, and for what is wrong the way out."""

    name: str
    status: Status
    said: str
    way_out: str = ""


def look() -> Iterator[Finding]:
    """Yield a finding, or some, of each thing in turn."""
    yield from _configuration()
    yield _embedded()
    answers = _database()
    yield answers
    for name, check in (
        ("migrations", _migrations),
        ("queue", _queue),
        ("schedules", _schedules),
        ("candles", _candles),
        ("clock", _clock),
    ):
        yield _asked(name, check, answers=answers.status == "ok")
    yield from _disk()
    yield _model()


def _asked(name: str, check: Callable[[], Finding], *, answers: bool) -> Finding:
    """Ask the database, where it answers."""
    if not answers:
        return Finding(name, "note", "not looked at, since the database does not answer")
    try:
        return check()
    except Error as error:
        said = f"cannot be read: {_first_line(error)}"
        return Finding(name, "wrong", said, "run manage.py migrate, then doctor again")


def _configuration() -> Iterator[Finding]:
    wrong = list(_insecure())
    yield from wrong
    module = settings.SETTINGS_MODULE
    found = django_checks.run_checks()
    if module == PRODUCTION:
        tags = [django_checks.Tags.security]
        found += django_checks.run_checks(tags=tags, include_deployment_checks=True)
    serious = {
        f"{one.id}: {one.msg}": one.hint or "manage.py check tells more"
        for one in found
        if one.level >= django_checks.WARNING
    }
    for said, way_out in serious.items():
        yield Finding("configuration", "wrong", said, way_out)
    if not wrong and not serious:
        own = "" if module == PRODUCTION else ", for a machine of one's own: no TLS is asked for"
        yield Finding("configuration", "ok", f"{module}{own}")


def _insecure() -> Iterator[Finding]:
    """Name settings under which others get in."""

    def wrong(said: str, way_out: str) -> Finding:
        return Finding("configuration", "wrong", said, way_out)

    if settings.DEBUG:
        yield wrong("DEBUG shows code and settings to whoever meets an error", "set DEBUG=false")
    if "*" in settings.ALLOWED_HOSTS:
        yield wrong("ALLOWED_HOSTS=* answers to any host name", "name the hosts that are served")
    if len(settings.SECRET_KEY) < KEY_MIN_CHARS:
        yield wrong(
            f"SECRET_KEY has fewer than {KEY_MIN_CHARS} characters", "draw a longer one at random"
        )
    if not settings.MCP_AUTH:
        yield wrong(
            "MCP_AUTH=false: whoever reaches the bridge is the bearer of MCP_MEMORY_TOKEN",
            "set MCP_AUTH=true, and give each caller a token",
        )
    if load().trust_proxy_tls and settings.SETTINGS_MODULE == PRODUCTION:
        yield Finding(
            "configuration",
            "note",
            "TRUST_PROXY_TLS is set: only the proxy may reach the web process's port",
        )
    for path in (ROOT / ".env", (home() or pgstate.default_home()) / "secret-key"):
        if path.exists() and path.stat().st_mode & OTHERS_READ:
            yield wrong(f"{path} can be read by others on this machine", f"chmod 600 {path}")


def _embedded() -> Finding:
    state = embedded.status(home())
    if load().database_url.get_secret_value():
        return Finding("embedded", "ok", "not used: DATABASE_URL is set")
    if state.running:
        said = f"PostgreSQL {state.version} runs as {state.pid}, data in {state.data}"
        return Finding("embedded", "ok", said)
    said = f"no PostgreSQL runs for {state.home}"
    way_out = f"manage.py db start{f'; its log is {state.log}' if state.log else ''}"
    return Finding("embedded", "wrong", said, way_out)


def _database() -> Finding:
    place = connection.settings_dict
    where = f"{place['HOST']}:{place['PORT']}, database {place['NAME']}"
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT current_setting('server_version'), current_setting('fsync')")
            version, fsync = cursor.fetchone()
    except Error as error:
        is_own = not load().database_url.get_secret_value()
        way_out = "manage.py db start" if is_own else "start it, or put DATABASE_URL right"
        return Finding("database", "wrong", f"{where}: {_first_line(error)}", way_out)
    if int(version.split(".")[0]) < OLDEST_MAJOR:
        said = f"{where}: PostgreSQL {version}"
        return Finding("database", "wrong", said, f"use PostgreSQL {OLDEST_MAJOR} or newer")
    if fsync != "on":
        said = f"{where}: fsync is {fsync}, so a power cut may lose or tear what was written"
        return Finding("database", "wrong", said, "set fsync = on in postgresql.conf")
    return Finding("database", "ok", f"PostgreSQL {version} at {where}")


def _migrations() -> Finding:
    state = probes.migrations()
    if state == "ok":
        return Finding("migrations", "ok", "all are applied")
    return Finding("migrations", "wrong", state, "manage.py migrate")


def _queue() -> Finding:
    now = datetime.now(UTC)
    queue = figures.read_queue(now=now)
    state = queue_check(queue)
    rows = f"{queue.due} due, {queue.held} held, {queue.later} later"
    if state != "ok":
        return Finding("queue", "wrong", f"{state}; {rows}", "manage.py up, or worker alone")
    failed = figures.failures(now=now)
    if sum(failed.values()):
        said = f"works; {failed['failed']} jobs failed and {failed['lost']} were lost in a day"
        return Finding("queue", "note", f"{said}: see manage.py queue status")
    return Finding("queue", "ok", f"works; {rows}")


def _schedules() -> Finding:
    if unstored := schedules.unstored():
        said = f"never due, since they are not stored: {', '.join(unstored)}"
        return Finding("schedules", "wrong", said, "manage.py schedules sync; up and demo do it")
    return Finding("schedules", "ok", "all jobs that the code declares are stored")


def _candles() -> Finding:
    """Look whether the built-in analyst has current bars of all that it is to read."""
    starved = starved_producers(Agent.objects.all(), now=datetime.now(UTC))
    if not starved:
        return Finding("candles", "ok", "current wherever the built-in analyst reads them")
    lacking = {(one.instrument, its.timeframe) for its in starved for one in its.instruments}
    named = [f"{instrument} {timeframe}" for instrument, timeframe in sorted(lacking)]
    more = ", …" if len(named) > FEW else ""
    instrument, timeframe = min(lacking)
    return Finding(
        "candles",
        "wrong",
        f"the built-in analyst has no current bars of {', '.join(named[:FEW])}{more}",
        f"manage.py sync_candles --instrument {instrument} --timeframe {timeframe}, and so on for "
        "each, by cron: no job does it",
    )


def _clock() -> Finding:
    """Compare the database's clock with ours: both date records, and a deadline is between them."""
    before = datetime.now(UTC)
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        (there,) = cursor.fetchone()
    after = datetime.now(UTC)
    # The database read its clock somewhere between the two.
    off = max(before - there, there - after, timedelta(0))
    if off > SKEW:
        said = f"the database's clock and this machine's are {off.total_seconds():.1f} s apart"
        return Finding("clock", "wrong", said, "let both be set from the network (NTP)")
    return Finding("clock", "ok", "the database and this machine agree")


def _disk() -> Iterator[Finding]:
    data = embedded.status(home()).data
    places = {"data": Path(data) if data else ROOT, "temporary files": Path(tempfile.gettempdir())}
    for what, path in places.items():
        if not path.exists():
            continue
        free = shutil.disk_usage(path).free
        said = f"{free / (1 << 30):.1f} GiB free for {what} ({path})"
        if free < LEAST_FREE_BYTES:
            yield Finding("disk", "wrong", said, "make room: PostgreSQL stops when it has none")
        else:
            yield Finding("disk", "ok", said)


def _model() -> Finding:
    # There is no other provider yet; one that can be reached is to be asked here.
    said = f"{settings.AI_PROVIDER}: no model is asked, deterministic code plays every role"
    return Finding("model", "note", said)


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
