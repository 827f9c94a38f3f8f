"""What a session told: in pages, or as a stream while it runs (SPEC A10).

A stream holds no database connection while it waits. It is woken by `memory.live`, and looks by
itself at each keep-alive, so that a lost wake-up costs seconds and no event.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass, field
from urllib.parse import urlencode
from uuid import UUID

import structlog
from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.db import Error, close_old_connections
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from autopilot.access import access_session
from autopilot.answers import EventOut, EventPage
from autopilot.api.queries import SEQ_MAX, EventsQuery, Resumption
from autopilot.session.reading import Told, events_after
from memory import live
from memory.errors import TidebookError
from memory.policies.ownership import Actor, as_actor
from memory.schemas.parsing import read
from memory.services import rates
from memory.services.tokens import reauthenticate

JSON, STREAM = "application/json", "text/event-stream"
HELLO = b"retry: 1000\n: connected\n\n"
KEEP_ALIVE = b": keep-alive\n\n"
BATCH = 500
THREADS = ThreadPoolExecutor(4, thread_name_prefix="streams")
"""For what streams read. In the loop's own threads they could all wait for connections that are
held by requests which need such a thread to end."""
HEADERS = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}
STREAMED = {
    "type": "object",
    "description": "One of a row of server-sent events, asked for by `Accept: text/event-stream`: "
    "`id` is the event's seq, `data` the event as JSON. The stream ends with the session.",
    "required": ["id", "data"],
    "properties": {
        "id": {"type": "string", "pattern": "^[1-9][0-9]*$"},
        "data": {"type": "string", "contentMediaType": "application/json"},
    },
}

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Reader:
    """Who reads which session, how far they are, and when they were last asked for who they are.

    `stream` is what it is counted as while it is open: a caller has so many at the most (SPEC E5).
    """

    actor: Actor
    session: UUID
    seen: int
    stream: UUID | None = None
    checked: float = field(default_factory=time.monotonic)

    def read(self) -> Told:
        """Return what is new; at intervals, look first whether they may still read it.

        NotAuthenticated, NotFound, NotThisRole, RunFinished: they may not.
        """
        if time.monotonic() - self.checked >= settings.LIVE_KEEP_ALIVE_SECONDS:
            now = timezone.now()
            self.actor = reauthenticate(self.actor, now=now)
            access_session(self.actor, self.session)
            if self.stream is not None:
                rates.keep_stream(actor=self.actor, stream=self.stream, now=now)
            self.checked = time.monotonic()
        told = events_after(self.session, self.seen, limit=BATCH)
        if told.events:
            self.seen = told.events[-1].seq
        return told


class Events(APIView):
    """A session's events."""

    @extend_schema(
        operation_id="list_session_events",
        parameters=[
            OpenApiParameter(
                "after",
                {"type": "integer", "minimum": 0, "maximum": SEQ_MAX, "default": 0},
                description="The last event that the reader has.",
            ),
            OpenApiParameter(
                "limit",
                {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": settings.PAGE_SIZE_MAX,
                    "default": settings.PAGE_SIZE,
                },
                description="Events of a page; a stream sends all.",
            ),
            OpenApiParameter(
                "Last-Event-ID",
                {"type": "integer", "minimum": 0, "maximum": SEQ_MAX},
                OpenApiParameter.HEADER,
                description="As `after`, and stronger: a stream that comes again sends it.",
            ),
        ],
        responses={
            (200, JSON): EventPage,
            (200, STREAM): STREAMED,
            204: None,
        },
    )
    def get(self, request: Request, session: UUID) -> HttpResponseBase:
        """Read what a session told; 204 tells a stream that comes again that it is over."""
        actor = as_actor(request.user)
        access_session(actor, session)
        query = _query_of(request)
        answer: HttpResponseBase
        if request.method == "GET" and _wants_stream(request):
            answer = _stream(request, Reader(actor, session, query.after))
        else:
            answer = Response(_page(request, session, query))
        patch_vary_headers(answer, ["Accept"])
        return answer


def _query_of(request: Request) -> EventsQuery:
    query = read(
        EventsQuery,
        request.query_params,
        given={"limit": str(settings.PAGE_SIZE)},
        context=settings.PAGE_SIZE_MAX,
    )
    name = "Last-Event-ID"
    resumed = Resumption.parse({name: request.headers[name]} if name in request.headers else {})
    # A stream that comes again has the address that it was first opened with.
    return query if resumed.seq is None else query.model_copy(update={"after": resumed.seq})


def _page(request: Request, session: UUID, query: EventsQuery) -> EventPage:
    told = events_after(session, query.after, limit=query.limit)
    last = told.events[-1].seq if told.events else query.after

    def link(after: int, limit: int) -> str:
        place = urlencode({"after": after, "limit": limit})
        return request.build_absolute_uri(f"{request.path}?{place}")

    before = min(query.after, query.limit)
    return EventPage(
        next=None if told.is_all else link(last, query.limit),
        previous=link(query.after - before, before) if before else None,
        results=told.events,
    )


def _wants_stream(request: Request) -> bool:
    """Tell whether the caller prefers a stream; `*/*` is content with JSON."""
    return request._request.get_preferred_type([JSON, STREAM]) == STREAM  # noqa: SLF001 - as Django has it


def _stream(request: Request, reader: Reader) -> HttpResponseBase:
    told = reader.read()
    if told.is_all and not told.events:
        return HttpResponse(status=204)
    first = HELLO + b"".join(map(_message, told.events))
    if told.is_all or not isinstance(request._request, ASGIRequest):  # noqa: SLF001 - it tells how we are served
        # Nothing is to come, or nothing could wait for it: whoever wants more comes again.
        return HttpResponse(first, content_type=STREAM, headers=HEADERS)
    reader.stream = rates.open_stream(actor=reader.actor, now=timezone.now())
    # The request does not end, so neither would its hold of this thread's connection.
    close_old_connections()
    return StreamingHttpResponse(_follow(reader, first), content_type=STREAM, headers=HEADERS)


async def _follow(reader: Reader, first: bytes) -> AsyncIterator[bytes]:
    """Yield what is told from now on, until the session has ended or the reader may not read."""
    try:
        yield first
        async with aclosing(_news(reader)) as news:
            async for part in news:
                yield part
    finally:
        # Not waited for: whoever is cancelled here would cancel it, too.
        THREADS.submit(_close, reader)


async def _news(reader: Reader) -> AsyncGenerator[bytes]:
    with live.hub().watching(reader.session) as news:
        while True:
            news.clear()
            try:
                told = await asyncio.wrap_future(THREADS.submit(_read, reader))
            except TidebookError:
                # Whoever comes again is told why.
                return
            except Error as error:
                # The database is away. The hub wakes us when it is back.
                log.warning("stream_unread", error=type(error).__name__)
                told = Told(events=[], is_all=False)
            if told.events:
                yield b"".join(map(_message, told.events))
            if told.is_all:
                return
            if len(told.events) < BATCH:
                try:
                    await asyncio.wait_for(news.wait(), settings.LIVE_KEEP_ALIVE_SECONDS)
                except TimeoutError:
                    yield KEEP_ALIVE


def _read(reader: Reader) -> Told:
    try:
        return reader.read()
    finally:
        close_old_connections()


def _close(reader: Reader) -> None:
    """Count the stream out. Where the database is away, it goes when it says nothing any more."""
    if reader.stream is None:
        return
    try:
        rates.close_stream(actor=reader.actor, stream=reader.stream)
    except Error as error:
        log.warning("stream_not_closed", error=type(error).__name__)
    finally:
        close_old_connections()


def _message(event: EventOut) -> bytes:
    # In ASCII: some clients break lines where Unicode does, not where the standard says.
    return f"id: {event.seq}\ndata: {event.model_dump_json(ensure_ascii=True)}\n\n".encode()
