"""Routes of sessions (SPEC E6)."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from autopilot import access
from autopilot.answers import SessionDetailOut, SessionOut
from autopilot.api.filters import SessionFilter
from autopilot.models import Session
from autopilot.schemas import SessionDraft
from autopilot.session import reading, services
from memory.policies.ownership import as_actor
from memory.schemas.agents import AGENT as AGENT_SAID
from memory.schemas.agents import AgentQuery
from memory.schemas.answers import ErrorOut
from memory.schemas.parsing import parameters_of, read
from memory.schemas.records import INSTRUMENT_MAX_CHARS
from memory.selectors.access import access_autopilot

AGENT = OpenApiParameter("agent", UUID, description=AGENT_SAID)


class Sessions(GenericAPIView[Session]):
    """An agent's sessions: look them through, or start one."""

    filterset_class = SessionFilter
    queryset = Session.objects.none()
    listed_for: Any = None
    rate_kinds = {"POST": "session"}

    @extend_schema(
        operation_id="list_sessions",
        parameters=[
            AGENT,
            OpenApiParameter(
                "symbol",
                {"type": "string", "minLength": 1, "maxLength": INSTRUMENT_MAX_CHARS},
                description="Canonical name of the instrument, e.g. ETH or PURR/USDC.",
            ),
        ],
        responses={200: SessionOut},
    )
    def get(self, request: Request) -> Response:
        """List sessions, newest first."""
        query = AgentQuery.among(parameters_of(request.query_params))
        agent, sessions = access.access_sessions(as_actor(request.user), query.agent)
        self.listed_for = agent.id
        page = self.paginate_queryset(self.filter_queryset(reading.with_step(sessions)))
        return self.get_paginated_response(reading.answers(page or []))

    @extend_schema(
        operation_id="start_session",
        request=SessionDraft,
        parameters=[AGENT],
        responses={201: SessionDetailOut, 422: ErrorOut},
        examples=[
            OpenApiExample(
                "Five iterations on ETH",
                value={"prompt": "Breakouts on rising volume", "symbol": "ETH"},
                request_only=True,
            )
        ],
    )
    def post(self, request: Request) -> Response:
        """Start a session; its steps are taken in the background."""
        now = timezone.now()
        actor = as_actor(request.user)
        query = read(AgentQuery, request.query_params)
        agent = access_autopilot(actor, query.agent)
        draft = SessionDraft.parse(request.data)
        session = services.start(agent=agent, actor=actor, asked=draft, now=now)
        return Response(reading.answer(session), status=201)


class OneSession(APIView):
    """One session."""

    @extend_schema(operation_id="get_session", responses={200: SessionDetailOut})
    def get(self, request: Request, session: UUID) -> Response:
        """Read a session, whole: what was asked, each iteration, and what was learned."""
        found = access.access_session(as_actor(request.user), session)
        return Response(reading.answer(found))


class Cancel(APIView):
    """The end of a session before its time."""

    @extend_schema(operation_id="cancel_session", request=None, responses={200: SessionDetailOut})
    def post(self, request: Request, session: UUID) -> Response:
        """Cancel a session; one that a worker is at ends with its present step."""
        found = access.access_cancelling(as_actor(request.user), session)
        cancelled = services.cancel(session=found, now=timezone.now())
        return Response(reading.answer(cancelled))
