"""`manage.py demo`: the main job once, from real candles to a served trading context."""

import json
import time
from argparse import ArgumentParser
from collections.abc import Iterable
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

from config import processes, schedules
from config.demo import market, report, story, turn
from config.settings.database import home
from memory.management.base import TidebookCommand


class Command(TidebookCommand):
    """Run the demo and leave web, worker and bridge running, or stop them."""

    help = "Research and learning on real candles, served as context and memory; no network needed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take where candles are from, how to print, and whether to stop instead."""
        parser.add_argument(
            "--stop", action="store_true", help="End what it left: web, worker and bridge."
        )
        parser.add_argument("--offline", action="store_true", help="Do not try the network.")
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run or stop."""
        del args
        self.quiet = options["json"]
        try:
            if options["stop"] and processes.stop(processes.UP, home()):
                self.stdout.write("`manage.py up` is stopped, with all that it ran.")
            with turn.taken(home()):
                if options["stop"]:
                    self._stop()
                else:
                    self._run(offline=options["offline"])
        except processes.ProcessError as error:
            raise CommandError(str(error)) from error

    def _stop(self) -> None:
        for kind in (processes.BRIDGE, processes.WORKER, processes.WEB):
            stopped = processes.stop(kind, home())
            state = "is stopped" if stopped else "was not running"
            self.stdout.write(f"The {kind.name} process {state}.")

    def _run(self, *, offline: bool) -> None:
        began = time.monotonic()
        now = timezone.now()
        call_command("migrate", verbosity=0, interactive=False)
        self._step(1, "Candles")
        candles = market.prepare(now=now, offline=offline, clock=timezone.now, say=self._note)
        told = story.begin(candles, now=now)
        self._say(report.candle_lines(told))
        self._step(2, "Research by two producers: the offline analyst, no model")
        self._say(["  Freshness counts from each run's boundary, not from the date of the bars."])
        story.research(told, now=now, say=lambda record: self._say([report.record_line(record)]))
        self._say([f"  The last is {story.LATE_BY} boundaries late: accepted, and born stale."])
        self._step(3, "Web process")
        web = processes.start(processes.WEB, home())
        self._say([f"  {web.url}/ answers"])
        self._step(4, "Two bad links over REST: an unknown id and a foreign one look alike")
        story.refuse(told, web, now=timezone.now())
        self._say(report.refusal_lines(told))
        self._step(5, "Trading context as the trading role gets it over REST")
        story.serve_context(told, web)
        self._say(report.context_lines(told))
        self._step(6, "Worker of the background queue")
        # As `up` does it: without them no job is ever due.
        schedules.sync(now=timezone.now())
        worker = processes.start(processes.WORKER, home())
        self._say([f"  process {worker.pid} does its first task"])
        self._step(7, "The autopilot learns in two sessions: offline advisor, no model")
        for lesson in story.learn_twice(told, web, say=self._tell):
            self._say(report.lesson_lines(lesson))
        self._step(8, "Bridge process: agents plug in over MCP")
        bridge = processes.start(processes.BRIDGE, home())
        self._say([f"  {bridge.url}/mcp answers"])
        self._step(9, "An MCP host (the official client) writes, reads, and finds what was learned")
        story.host(told, bridge)
        self._say(report.host_lines(told))
        self._say(["", *report.closing_lines(told, web, bridge)])
        if self.quiet:
            seconds = time.monotonic() - began
            figures = report.figures(told, web, worker, bridge, seconds=seconds)
            self.stdout.write(json.dumps(figures))

    def _step(self, number: int, title: str) -> None:
        self._say(["", f"[{number}/9] {title}"])
        if self.quiet:
            self._note(f"[{number}/9] {title}")

    def _tell(self, line: str) -> None:
        """Show that something goes on: on the error stream beside `--json`."""
        if self.quiet:
            self._note(line)
        else:
            self._say([line])

    def _say(self, lines: Iterable[str]) -> None:
        if not self.quiet:
            self.stdout.write("\n".join(report.wrapped(lines)))
            self.stdout.flush()

    def _note(self, line: str) -> None:
        self.stderr.write(line, self.style.NOTICE)
