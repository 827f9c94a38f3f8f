"""Which PostgreSQL: `DATABASE_URL` when set, else the embedded server (DESIGN "database")."""

import os
from pathlib import Path
from typing import Any

import psycopg
from django.core.exceptions import ImproperlyConfigured
from django.db import connections
from psycopg_pool import ConnectionPool

from config import databaseurl, embedded
from config.settings.environment import load

POOL_SECONDS = 5
SECRET_PARTS = {"password", "sslpassword"}
NOT_STARTED = "postgresql://tidebook@127.0.0.1:1/tidebook"


def start_embedded() -> None:
    """Start the embedded server unless `DATABASE_URL` names another one."""
    if is_embedded():
        embedded.ensure(home())


def is_embedded() -> bool:
    """Tell whether the database is that of the embedded server."""
    return not load().database_url.get_secret_value()


def home() -> Path | None:
    """Return where the embedded server lives, None for its own default."""
    chosen = load().tidebook_home
    return Path(chosen) if chosen else None


def hosts_environment() -> dict[str, str]:
    """Return the variables by which a process that somebody else starts finds this database.

    Those of `.env` it reads itself. A URL with a password is named and not shown: the token beside
    it is one producer's, and the password would be everybody's. Hosts that fill in variables do
    so; for others the bridge ends with a line that names DATABASE_URL, and serves no other
    database meanwhile.
    """
    found: dict[str, str] = {}
    if chosen := os.environ.get("TIDEBOOK_HOME"):
        found["TIDEBOOK_HOME"] = str(Path(chosen).resolve())
    if url := os.environ.get("DATABASE_URL"):
        is_secret = SECRET_PARTS & databaseurl.read(url).keys()
        found["DATABASE_URL"] = "${DATABASE_URL}" if is_secret else url
    return found


def parse(url: str) -> dict[str, Any]:
    """Return Django's settings for a PostgreSQL URL (ImproperlyConfigured: not one)."""
    try:
        found = databaseurl.read(url)
    except databaseurl.UrlRefusedError as error:
        raise ImproperlyConfigured(str(error)) from None
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": found.pop("dbname"),
        "USER": found.pop("user", ""),
        "PASSWORD": found.pop("password", ""),
        "HOST": found.pop("host"),
        "PORT": found.pop("port"),
        "CONN_MAX_AGE": 0,
        "OPTIONS": {"connect_timeout": 5, **found},
    }


def databases() -> dict[str, Any]:
    """Return the DATABASES setting without touching any server."""
    env = load()
    url = env.database_url.get_secret_value() or embedded.stored_url(home()) or NOT_STARTED
    database = parse(url)
    # Who holds a connection is then told by pg_stat_activity.
    database["OPTIONS"].setdefault("application_name", f"tidebook-{env.tidebook_process}")
    if env.tidebook_process == "worker":
        # The queue is asked five times a second; each task would open a connection of its own.
        database |= {"CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True}
    if env.tidebook_process == "web" and env.database_pool_size:
        # Opening a connection costs more than a write. Only the web process keeps any: the queue
        # forks its workers, and a forked pool would be shared.
        database["OPTIONS"]["pool"] = {
            "min_size": 1,
            "max_size": env.database_pool_size,
            "timeout": POOL_SECONDS,
            "check": check_kept,
        }
    return {"default": database}


def check_kept(kept: psycopg.Connection[Any]) -> None:
    """Refuse a kept connection that is dead, and all others with it.

    The server was restarted: the pool would find the rest dead one by one, a second and more
    apart, and answer nobody meanwhile.
    """
    try:
        ConnectionPool.check_connection(kept)
    except psycopg.Error:
        pool = connections["default"].pool  # type: ignore[attr-defined]  # PostgreSQL's backend
        pool.drain()
        raise
