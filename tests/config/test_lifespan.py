"""What the web process does at its end: it is done, and keeps nothing from ending."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import async_to_sync

from config.lifespan import ending


def live_through(with_: Callable[[], None]) -> list[str]:
    """Start and stop a server over an application of nothing; return what it was told."""
    told: list[str] = []
    events = iter(["lifespan.startup", "lifespan.shutdown"])

    async def receive() -> dict[str, Any]:
        return {"type": next(events)}

    async def send(message: Any) -> None:
        told.append(message["type"])

    async def nothing(*_: Any) -> None:
        raise AssertionError("the application hears of requests alone")

    async_to_sync(ending(nothing, with_=with_))({"type": "lifespan"}, receive, send)
    return told


@pytest.mark.spec("U2")
def test_the_end_is_made_before_the_server_is_told_to_go_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    done: list[str] = []
    both = ["lifespan.startup.complete", "lifespan.shutdown.complete"]
    assert live_through(lambda: done.append("once")) == both
    assert done == ["once"]

    def fail() -> None:
        raise ZeroDivisionError

    assert live_through(fail) == both
    [record] = caplog.records
    assert "unclean_end" in record.getMessage()


@pytest.mark.spec("U2", "E1")
def test_requests_pass_and_one_that_is_cancelled_at_the_end_logs_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    seen: list[str] = []
    begun = asyncio.Event()

    async def application(scope: Any, receive: Any, send: Any) -> None:
        del receive, send
        seen.append(scope["path"])
        begun.set()
        await asyncio.Event().wait()

    async def work() -> None:
        served: Any = ending(application, with_=lambda: None)
        request = asyncio.create_task(served({"type": "http", "path": "/x"}, None, None))
        await begun.wait()
        request.cancel()
        await request

    async_to_sync(work)()
    assert seen == ["/x"]
    assert not caplog.records
