"""`manage.py db`: start, stop and ask about the embedded PostgreSQL."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from config import embedded
from config.pgbinaries import EmbeddedError
from config.settings.environment import load

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    """Start, stop, show the state or the URL of the project's PostgreSQL."""

    help = "Start, stop or describe the embedded PostgreSQL (or check the one of DATABASE_URL)."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the action and `--json`."""
        parser.add_argument("action", choices=["start", "stop", "status", "url"])
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do the action; a failure of the embedded server is one readable error."""
        del args
        environment = load()
        url = environment.database_url.get_secret_value()
        home = Path(environment.tidebook_home) if environment.tidebook_home else None
        try:
            report, line = _ACTIONS[options["action"]](url, home)
        except EmbeddedError as error:
            if options["json"]:
                self.stdout.write(json.dumps({"error": error.code, "message": str(error)}))
            raise CommandError(str(error)) from error
        self.stdout.write(json.dumps(report) if options["json"] else line)


def _start(url: str, home: Path | None) -> tuple[dict[str, Any], str]:
    if url:
        embedded.check_url(url)
        return {"running": True, "embedded": False}, "DATABASE_URL is set, and answers."
    embedded.ensure(home)
    return _status(url, home)


def _stop(url: str, home: Path | None) -> tuple[dict[str, Any], str]:
    del url  # the embedded server may still run from before DATABASE_URL was set
    stopped = embedded.stop(home)
    line = "The embedded PostgreSQL is stopped." if stopped else "No embedded PostgreSQL ran."
    return {"stopped": stopped}, line


def _status(url: str, home: Path | None) -> tuple[dict[str, Any], str]:
    state = embedded.status(home)
    line = f"No embedded PostgreSQL runs for {state.home}."
    if state.running:
        line = (
            f"PostgreSQL {state.version} answers on {state.address}:{state.port} "
            f"(pid {state.pid}, data in {state.data})."
        )
    if url:
        line += " DATABASE_URL is set, so it is not used."
    return {**asdict(state), "embedded": not url}, line


def _url(url: str, home: Path | None) -> tuple[dict[str, Any], str]:
    found = url or embedded.stored_url(home)
    if not found:
        msg = "There is no database yet: run `manage.py db start`, or set DATABASE_URL."
        raise CommandError(msg)
    return {"url": found, "embedded": not url}, found


_ACTIONS = {"start": _start, "stop": _stop, "status": _status, "url": _url}
