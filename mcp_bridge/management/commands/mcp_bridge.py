"""`manage.py mcp_bridge`: serve agents over the Model Context Protocol."""

from argparse import ArgumentParser
from contextlib import suppress
from functools import partial
from typing import Any

import anyio
from django.conf import settings
from django.db import OperationalError, connection

from mcp_bridge.process import Address, Plan, serve
from memory.management.base import TidebookCommand
from memory.models import Agent


class Command(TidebookCommand):
    """Serve until it is told to stop. Standard output belongs to the protocol: it says nothing."""

    help = (
        "Serve agents over MCP: streamable HTTP at /mcp, JSON-RPC lines over TCP, stdio, in any "
        "combination; without options HTTP and TCP on the addresses of the settings."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the ways in."""
        for name, what in (("--http", "streamable HTTP"), ("--tcp", "lines over TCP")):
            parser.add_argument(
                name, nargs="?", const="", metavar="HOST:PORT", help=f"Serve {what}."
            )
        parser.add_argument(
            "--stdio", action="store_true", help="Serve stdio, as the bearer of MCP_MEMORY_TOKEN."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Serve."""
        del args
        http, tcp, stdio = options["http"], options["tcp"], options["stdio"]
        if http is None and tcp is None and not stdio:
            http = tcp = ""
        plan = Plan(
            http=self.address(http, port=settings.MCP_HTTP_PORT),
            tcp=self.address(tcp, port=settings.MCP_MEMORY_PORT),
            stdio=stdio,
        )
        plan.check()
        self.check_tables()
        anyio.run(partial(serve, plan, announce=self.announce))

    def check_tables(self) -> None:
        """Refuse a database without tables, as other commands do (ProgrammingError).

        One that does not answer now is waited for, call by call.
        """
        with suppress(OperationalError):
            Agent.objects.exists()
        connection.close()

    def address(self, text: str | None, *, port: int) -> Address | None:
        """Return where to listen; None: not at all."""
        if text is None:
            return None
        return Address.parse(text, host=settings.MCP_MEMORY_HOST, port=port)

    def announce(self, way: str) -> None:
        """Say that a way in is open."""
        self.stderr.write(f"mcp_bridge serves {way}")
        self.stderr.flush()
