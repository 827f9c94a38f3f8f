"""The web process serves its files without a warning for each."""

import importlib
import warnings
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.test import AsyncClient

STYLE = "/static/tidebook/admin.css"


async def read(path: str) -> bytes:
    """Return a file as the web process sends it."""
    response: Any = await AsyncClient().get(path)
    assert response.streaming
    body: bytes = b"".join([part async for part in response])
    response.close()
    return body


@pytest.mark.spec("O6")
def test_a_static_file_is_sent_without_a_warning_and_other_warnings_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TIDEBOOK_PROCESS", "web")  # what the module sets is undone
    module = importlib.import_module("config.asgi")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert async_to_sync(read)(STYLE)
        assert [str(one.message)[:21] for one in seen] == ["StreamingHttpResponse"]
        seen.clear()
        importlib.reload(module)
        assert async_to_sync(read)(STYLE)
        assert seen == []
        warnings.warn("another", Warning, stacklevel=1)
        assert len(seen) == 1
