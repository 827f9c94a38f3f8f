"""Writers: threads, each with a connection of its own, that write batches at the same time."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from django.db import connections

from config.benchmarks.databases import open_database
from config.benchmarks.variants import Parameters, Write


class Writers:
    """A crew of `count` threads on one database."""

    def __init__(self, pool: ThreadPoolExecutor, *, count: int) -> None:
        self.pool, self.count = pool, count

    def seconds(self, write: Write, batches: list[list[Parameters]]) -> float:
        """Return how long the crew takes when each writes a batch, from first start to last end."""

        def act(batch: list[Parameters]) -> None:
            for parameters in batch:
                write(parameters)

        spans = self._together([lambda batch=batch: act(batch) for batch in batches])  # type: ignore[misc]  # bound early
        return max(end for _, end in spans) - min(begin for begin, _ in spans)

    def _together(self, acts: list[Callable[[], None]]) -> list[tuple[float, float]]:
        # All wait for each other, so that each thread takes exactly one of the acts.
        start = threading.Barrier(self.count, timeout=60)

        def timed(act: Callable[[], None]) -> tuple[float, float]:
            start.wait()
            begin = time.perf_counter()
            act()
            return begin, time.perf_counter()

        return list(self.pool.map(timed, acts))


@contextmanager
def crew(database: str, *, count: int) -> Iterator[Writers]:
    """Give `count` writers on `database`, and close their connections after."""
    opened = [open_database(database) for _ in range(count)]
    for wrapper in opened:
        wrapper.inc_thread_sharing()  # closed here, after the threads have ended
    waiting = iter(opened)

    def connect() -> None:
        connections["default"] = next(waiting)

    try:
        with ThreadPoolExecutor(max_workers=count, initializer=connect) as pool:
            yield Writers(pool, count=count)
    finally:
        for wrapper in opened:
            wrapper.close()
