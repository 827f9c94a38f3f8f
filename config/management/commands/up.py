"""`manage.py up`: everything, with one command, until Ctrl-C (SPEC U2)."""

import json
import os
import threading
from argparse import ArgumentParser
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

from config import processes, schedules
from config.demo import turn
from config.processes import BRIDGE, LINES, UP, WEB, WORKER, Kind, Running, Service
from config.settings.database import home, is_embedded
from config.supervisor.database import Keeper
from config.supervisor.together import Together
from memory.management.base import TidebookCommand


class Command(TidebookCommand):
    """Migrate, sync schedules, and run web, worker and bridge."""

    help = "Run web, worker and bridge on a migrated database, and restart what dies."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take how to print."""
        parser.add_argument("--json", action="store_true", help="Print JSON lines.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run until told to stop."""
        del args
        self.as_json = options["json"]
        try:
            with turn.taken(home()):
                processes.write_down(UP, Running(pid=os.getpid()), home())
                self._run()
                processes.file_of(UP, home()).unlink(missing_ok=True)
        except processes.ProcessError as error:
            raise CommandError(str(error)) from error

    def _run(self) -> None:
        # What a demo left running, or an `up` that was killed, holds the ports.
        web, worker, bridge = (
            processes.in_place_of_last(kind, home()) for kind in (WEB, WORKER, BRIDGE)
        )
        call_command("migrate", verbosity=0, interactive=False)
        schedules.sync(now=timezone.now())
        together = Together([web, worker, self._with_lines(bridge)], home=home(), say=self._say)
        if is_embedded():
            # Beside the others: its start may take long, and they are to be ended meanwhile.
            keeper = Keeper(home(), say=self._say)
            threading.Thread(target=keeper.run, args=[together.stopping], daemon=True).start()
        together.run()
        processes.file_of(LINES, home()).unlink(missing_ok=True)

    def _with_lines(self, bridge: Service) -> Service:
        """Return the bridge with both its ways in, on the first free ports from the settings'."""
        host, last = settings.MCP_MEMORY_HOST, processes.last(LINES, home())
        first, before = settings.MCP_MEMORY_PORT, last.port if last else None
        lines = processes.free_port(first, before=before)
        processes.write_down(LINES, Running(pid=os.getpid(), port=lines), home())
        http = processes.free_port(settings.MCP_HTTP_PORT, before=bridge.port_before, taken={lines})
        return replace(
            bridge,
            first_port=http,
            port_before=None,
            words=lambda port: [
                *("manage.py", "mcp_bridge", "--http", f"{host}:{port}"),
                *("--tcp", f"{host}:{lines}"),
            ],
        )

    def _say(self, event: str, service: Kind, process: Running | None, detail: str) -> None:
        pid, port = (process.pid, process.port) if process else (None, None)
        url = process.url if process and port is not None else None
        if self.as_json:
            line = {"event": event, "kind": service.name, "pid": pid, "url": url, "detail": detail}
            self.stdout.write(json.dumps(line))
        elif event == "answers":
            path = {"web": "/", "bridge": "/mcp"}.get(service.name, "")
            self.stdout.write(f"{service.name:7} {url + path if url else 'works'}")
        else:
            self.stdout.write(f"{service.name:7} {event}{f' by {detail}' if detail else ''}")
        self.stdout.flush()
