"""Routes of the trading context."""

from uuid import UUID

from django.conf import settings
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memory.policies.ownership import as_actor
from memory.schemas.parsing import read
from memory.selectors import access
from trading.context import read_context
from trading.schemas import MAX_CHARS_LIMIT, ContextOut, ContextQuery


class Context(APIView):
    """What a trading run would be given now."""

    @extend_schema(
        operation_id="get_context",
        parameters=[
            OpenApiParameter(
                "max_chars",
                {"type": "integer", "minimum": 1, "maximum": MAX_CHARS_LIMIT},
                description="Budget of the whole records.",
            ),
            OpenApiParameter("memory_id", UUID, description="One record of the context alone."),
        ],
        responses={200: ContextOut},
    )
    def get(self, request: Request, agent: UUID, instrument: str) -> Response:
        """Read the context of an instrument: fresh records whole, the rest as identity."""
        now = timezone.now()
        owner = access.access_agent(as_actor(request.user), agent)
        query = read(ContextQuery, request.query_params)
        return Response(
            read_context(
                agent_id=owner.id,
                instrument=instrument,
                now=now,
                max_chars=query.max_chars,
                memory_id=query.memory_id,
                learnings_limit=settings.CONTEXT_LEARNINGS,
            )
        )
