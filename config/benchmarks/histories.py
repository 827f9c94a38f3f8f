"""Two agents in one store, one with a hundred times the history of the other; what reads cost.

Reads take turns, so that whatever else the machine does hits all alike. Pages are those that the
very statements of a read touch, by EXPLAIN (ANALYZE, BUFFERS).
"""

import json
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import psycopg
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper

from config.benchmarks import loading
from config.benchmarks.bulk import keys_made_after
from config.benchmarks.databases import fingerprint, open_database, prepared
from config.benchmarks.progress import Progress
from config.benchmarks.report import Scale

SIZES = {"small": (500, 1_000), "full": (10_000, 1_000_000)}
SHORT, LONG = "short", "long"


def store(
    session: psycopg.Connection[Any],
    name: str,
    worlds: dict[str, int],
    *,
    scale: Scale,
    opened: ExitStack,
    progress: Progress,
) -> BaseDatabaseWrapper:
    """Return the store that holds these worlds, loaded when it is not there from a run before."""

    def fill() -> None:
        made = {loading.make_world(world): records for world, records in worlds.items()}
        with keys_made_after(loading.TABLES):
            for world, records in made.items():
                loading.load_history(world, records=records, progress=progress, corrections=True)
            progress.stage("making the indexes")

    key = fingerprint(worlds)
    database = open_database(prepared(session, f"{name}_{scale}", key=key, fill=fill))
    opened.callback(database.close)
    return database


def shared_store(
    session: psycopg.Connection[Any], *, scale: Scale, opened: ExitStack, progress: Progress
) -> BaseDatabaseWrapper:
    """Return the store that holds the short and the long history."""
    short, long = SIZES[scale]
    worlds = {SHORT: short, LONG: long}
    return store(session, "context", worlds, scale=scale, opened=opened, progress=progress)


def milliseconds(act: Callable[[], object]) -> float:
    """Return how long `act` takes."""
    began = time.perf_counter()
    act()
    return (time.perf_counter() - began) * 1000


def pages(act: Callable[[], object]) -> int:
    """Return how many pages the statements of `act` touch, found in memory or read."""
    said: list[tuple[str, Any]] = []

    def listen(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        said.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(listen):
        act()
    total = 0
    with connection.cursor() as cursor:
        for sql, params in said:
            cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {sql}", params)
            plan = cursor.fetchone()[0]
            root = (json.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"]
            total += root["Shared Hit Blocks"] + root["Shared Read Blocks"]
    return total
