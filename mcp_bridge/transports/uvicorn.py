"""uvicorn as a part of this process: no signals of its own, and no connection that says nothing."""

from asyncio import Transport
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from django.conf import settings
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol


class TimelyProtocol(H11Protocol):
    """Closes a connection that has not sent the head of a request in time (SPEC B6)."""

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # as asyncio has it
        """Start the clock."""
        super().connection_made(transport)
        self.loop.call_later(settings.MCP_HELLO_SECONDS, self._close_if_silent)

    def _close_if_silent(self) -> None:
        if getattr(self, "cycle", None) is None and not self.transport.is_closing():
            self.transport.close()


class EmbeddedServer(uvicorn.Server):
    """A server that somebody else stops, by `should_exit`."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals to the process."""
        yield


def http_server(app: ASGIApp) -> EmbeddedServer:
    """Return a server of `app`, to be served on sockets that are bound already."""
    return EmbeddedServer(
        uvicorn.Config(
            app,
            http=TimelyProtocol,
            ws="none",
            lifespan="on",
            access_log=False,
            log_config=None,
            server_header=False,
            timeout_graceful_shutdown=int(settings.MCP_STOP_SECONDS),
        )
    )
