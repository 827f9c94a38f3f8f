"""The one door from the event loop to the database (SPEC B1, B6).

Calls run on a few threads of their own, so that connections are few and stay open. Nobody fires
Django's request signals here: connections are recycled around each call instead.
"""

import asyncio
import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import InterfaceError, OperationalError, connections
from django.utils import timezone

from memory.errors import StoreFault, TidebookError
from memory.services.faults import note_write_fault

KEEP_SECONDS = 60
"""How long a thread keeps its connection. Connecting anew for each call costs three times."""


async def run_orm[T](work: Callable[..., T], *args: object, writes: bool = False) -> T:
    """Return `work(*args)`, run on a database thread with this task's context.

    A read that finds its connection dead is tried once more. A write never is: it may have been
    done. Its connection is tried out beforehand instead.
    """
    if settings.MCP_ORM_THREADS == 0:
        return await sync_to_async(_call, thread_sensitive=True)(work, args, writes)
    context = copy_context()
    loop = asyncio.get_running_loop()
    # Functions of the pool run in a copy: what they bind is seen by them alone.
    return await loop.run_in_executor(_pool(), context.run, _call, work, args, writes)


@functools.cache
def _pool() -> ThreadPoolExecutor:
    for connection in connections.all():
        connection.settings_dict["CONN_MAX_AGE"] = KEEP_SECONDS
    return ThreadPoolExecutor(settings.MCP_ORM_THREADS, thread_name_prefix="orm")


def drain() -> None:
    """Wait for calls under way, and take no more: the end of the process."""
    if _pool.cache_info().currsize:
        _pool().shutdown(wait=True)


def _call[T](work: Callable[..., T], args: tuple[Any, ...], writes: bool) -> T:
    _recycle(check=writes)
    try:
        return _write(work, args) if writes else _read(work, args)
    finally:
        _recycle(check=False)


def _read[T](work: Callable[..., T], args: tuple[Any, ...]) -> T:
    try:
        return work(*args)
    except (OperationalError, InterfaceError):
        if _in_transaction():
            raise
        _recycle(check=False)
        return work(*args)


def _write[T](work: Callable[..., T], args: tuple[Any, ...]) -> T:
    try:
        return work(*args)
    except Exception as error:
        if isinstance(error, StoreFault) or not isinstance(error, TidebookError):
            note_write_fault(now=timezone.now())
        raise


def _in_transaction() -> bool:
    return any(one.in_atomic_block for one in connections.all(initialized_only=True))


def _recycle(*, check: bool) -> None:
    """Close connections that are broken or too old, but never inside a transaction."""
    for connection in connections.all(initialized_only=True):
        if connection.in_atomic_block:
            continue
        connection.close_if_unusable_or_obsolete()
        if check and connection.connection is not None and not connection.is_usable():
            connection.close()
