"""What a bench found: figures, bars, and how both are shown."""

import io
import json
import os
import platform
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Protocol

from django.db import connection
from rich.box import MARKDOWN
from rich.console import Console
from rich.table import Table

from config.benchmarks.progress import Progress

type Scale = Literal["small", "full"]
type Group = dict[str, float]

WIDTH = 120
OPS: dict[str, Callable[[float, float], bool]] = {
    ">=": lambda value, limit: value >= limit,
    "<=": lambda value, limit: value <= limit,
}


class Bench(Protocol):
    """A measurement of one thing."""

    def __call__(self, *, scale: Scale, progress: Progress) -> "Report":
        """Measure at `scale`, telling `progress` how far it is."""
        ...


@dataclass(frozen=True, slots=True)
class Bar:
    """A number that a bench must reach. `ok` is None where it was not at the scale that counts."""

    what: str
    value: float
    op: str
    limit: float
    ok: bool | None


@dataclass(slots=True)
class Report:
    """The result of one bench. `figures` are groups (columns of the table) of named numbers."""

    name: str
    scale: Scale
    machine: dict[str, str | int | float]
    figures: dict[str, Group] = field(default_factory=dict)
    bars: list[Bar] = field(default_factory=list)

    def bar(self, what: str, value: float, op: str, limit: float) -> None:
        """Hold a figure against its limit; at the small scale it is only written down.

        A small run proves that the bench runs. Its few writes and reads say nothing of speed, so
        its bars are neither met nor missed.
        """
        ok = OPS[op](value, limit) if self.scale == "full" else None
        self.bars.append(Bar(what, round(value, 3), op, limit, ok))

    @property
    def missed(self) -> list[Bar]:
        """The bars that were missed."""
        return [bar for bar in self.bars if bar.ok is False]

    def as_json(self) -> str:
        """Return the report as one JSON object."""
        return json.dumps(asdict(self), ensure_ascii=False)

    def as_text(self) -> str:
        """Return the report as tables, which are Markdown too."""
        facts = ", ".join(f"{key} {value}" for key, value in self.machine.items())
        text = io.StringIO()
        console = Console(file=text, width=WIDTH, highlight=False)
        for table in (*map(_table, self._alike()), _bars(self.bars)):
            console.print(table)
        return f"bench {self.name} ({self.scale}): {facts}\n{text.getvalue()}"

    def _alike(self) -> list[dict[str, Group]]:
        """Gather the groups that hold the same figures: they make one table."""
        found: dict[tuple[str, ...], dict[str, Group]] = {}
        for name, group in self.figures.items():
            found.setdefault(tuple(group), {})[name] = group
        return list(found.values())


def computer() -> dict[str, str | int | float]:
    """Describe what a run without a database depends on, without names of hosts or paths."""
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "cpus": os.cpu_count() or 0,
        "load": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
    }


def machine() -> dict[str, str | int | float]:
    """Describe what a run depends on, its database too."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('server_version'), current_setting('fsync'),"
            " current_setting('synchronous_commit'), current_setting('shared_buffers')"
        )
        version, fsync, commit, buffers = cursor.fetchone()
    return computer() | {
        "postgresql": version,
        "fsync": fsync,
        "synchronous_commit": commit,
        "shared_buffers": buffers,
    }


def _table(groups: dict[str, Group]) -> Table:
    table = Table("figure", *groups, box=MARKDOWN)
    for column in table.columns[1:]:
        column.justify = "right"
    for name in next(iter(groups.values())):
        table.add_row(name, *(_number(group[name]) for group in groups.values()))
    return table


def _bars(bars: list[Bar]) -> Table:
    words: dict[Any, str] = {True: "met", False: "MISSED", None: "small: not judged"}
    table = Table("bar", "value", "limit", "", box=MARKDOWN)
    for bar in bars:
        table.add_row(bar.what, _number(bar.value), f"{bar.op} {bar.limit:g}", words[bar.ok])
    return table


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.2f}"  # noqa: PLR2004
