"""What the web process does at its end, which ASGI servers tell of and Django does not hear."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

import structlog

from config.body import Application, Receive, Scope, Send

log = structlog.get_logger(__name__)


def ending(application: Application, *, with_: Callable[[], None]) -> Application:
    """Return `application`, calling `with_` in a thread when the server stops.

    Requests are over by then, or cancelled. A failure is logged and keeps nothing from stopping.
    """

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            # The server cancels what is left at its end, and would log a traceback of each.
            with suppress(asyncio.CancelledError):
                await application(scope, receive, send)
            return
        while (await receive())["type"] != "lifespan.shutdown":
            await send({"type": "lifespan.startup.complete"})
        try:
            await asyncio.to_thread(with_)
        except Exception:
            log.exception("unclean_end")
        await send({"type": "lifespan.shutdown.complete"})

    return serve
