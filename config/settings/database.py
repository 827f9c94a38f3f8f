"""Which PostgreSQL: `DATABASE_URL` when set, else the embedded server (DESIGN "database")."""

from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import psycopg
from django.core.exceptions import ImproperlyConfigured
from django.db import connections
from psycopg_pool import ConnectionPool

from config import embedded
from config.settings.environment import load

POOL_SECONDS = 5
NOT_STARTED = "postgresql://tidebook@127.0.0.1:1/tidebook"


def start_embedded() -> None:
    """Start the embedded server unless `DATABASE_URL` names another one."""
    if not load().database_url.get_secret_value():
        embedded.ensure(home())


def home() -> Path | None:
    """Return where the embedded server lives, None for its own default."""
    chosen = load().tidebook_home
    return Path(chosen) if chosen else None


def parse(url: str) -> dict[str, Any]:
    """Return Django's settings for a PostgreSQL URL (ImproperlyConfigured: not one)."""
    try:
        parts = urlsplit(url)
        port = parts.port or 5432
    except ValueError:
        # Its text may quote a part of the password.
        raise ImproperlyConfigured(_advice("host or port cannot be read")) from None
    name = unquote(parts.path.removeprefix("/"))
    if parts.scheme not in {"postgresql", "postgres"} or not parts.hostname or not name:
        raise ImproperlyConfigured(_advice("scheme, host and database name are needed"))
    options: dict[str, Any] = {}
    for pair in filter(None, parts.query.split("&")):
        key, _, value = pair.partition("=")
        options[unquote(key)] = unquote(value)
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname,
        "PORT": str(port),
        "CONN_MAX_AGE": 0,
        "OPTIONS": {"connect_timeout": 5, **options},
    }


def databases() -> dict[str, Any]:
    """Return the DATABASES setting without touching any server."""
    env = load()
    url = env.database_url.get_secret_value() or embedded.stored_url(home()) or NOT_STARTED
    database = parse(url)
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


def _advice(reason: str) -> str:
    # The URL itself is left out: it may hold a password.
    return (
        f"DATABASE_URL is not a PostgreSQL URL ({reason}); "
        "write postgresql://user:password@host:5432/name, or unset it to use the embedded server"
    )
