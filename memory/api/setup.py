"""Routes of agents, instruments, producers and selections (SPEC E6)."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memory.api.queries import asked
from memory.errors import NotFound
from memory.models import Agent, Instrument, Producer, Selection
from memory.policies.ownership import as_actor
from memory.schemas.answers import ErrorOut
from memory.schemas.parsing import Body
from memory.schemas.setup import (
    AgentOut,
    InstrumentOut,
    ProducerChange,
    ProducerDraft,
    ProducerSetUpOut,
    SelectionDraft,
    SelectionOut,
    if_match,
)
from memory.selectors import access, setup
from memory.services import producers
from memory.services import setup as choosing

ETAG = OpenApiParameter(
    "ETag", str, OpenApiParameter.HEADER, response=[200, 201], description="Its version."
)
IF_MATCH = OpenApiParameter(
    "If-Match",
    str,
    OpenApiParameter.HEADER,
    required=True,
    description="The ETag of the version that is to be changed, or *.",
)


class NoFilter(Body):
    """Lists that take no filter."""


class Agents(GenericAPIView[Agent]):
    """The caller's agents."""

    queryset = Agent.objects.none()
    filter_backends = ()
    listed_for: Any = None

    @extend_schema(operation_id="list_agents", responses={200: AgentOut})
    def get(self, request: Request) -> Response:
        """List the agents that the caller may see, newest first."""
        actor = as_actor(request.user)
        asked(request, NoFilter)
        self.listed_for = actor
        page = self.paginate_queryset(access.agents_for(actor)) or []
        return self.get_paginated_response([setup.agent_answer(agent) for agent in page])


class OneAgent(APIView):
    """One agent."""

    @extend_schema(operation_id="get_agent", responses={200: AgentOut})
    def get(self, request: Request, agent: UUID) -> Response:
        """Read an agent."""
        found = access.access_agent(as_actor(request.user), agent)
        return Response(setup.agent_answer(found))


class Instruments(GenericAPIView[Instrument]):
    """All known markets."""

    queryset = Instrument.objects.none()
    filter_backends = ()
    ordered_by = ("id",)

    @extend_schema(operation_id="list_instruments", responses={200: InstrumentOut})
    def get(self, request: Request) -> Response:
        """List the instruments that are known here, by name; delisted ones are not active."""
        asked(request, NoFilter)
        page = self.paginate_queryset(Instrument.objects.all()) or []
        return self.get_paginated_response([setup.instrument_answer(one) for one in page])


class Producers(GenericAPIView[Producer]):
    """An agent's producers: list them, or stand one up."""

    queryset = Producer.objects.none()
    filter_backends = ()

    @extend_schema(operation_id="list_producers", responses={200: ProducerSetUpOut})
    def get(self, request: Request, agent: UUID) -> Response:
        """List producers, newest first, each with its ETag."""
        owner = access.access_browsing(as_actor(request.user), agent)
        asked(request, NoFilter)
        page = self.paginate_queryset(setup.producers_of(owner.id)) or []
        return self.get_paginated_response([setup.producer_answer(one) for one in page])

    @extend_schema(
        operation_id="create_producer",
        request=ProducerDraft,
        parameters=[ETAG],
        responses={201: ProducerSetUpOut},
        examples=[
            OpenApiExample(
                "Research every 15 minutes",
                value={"role": "analysis", "name": "momentum-15m", "schedule": "15m"},
                request_only=True,
            )
        ],
    )
    def post(self, request: Request, agent: UUID) -> Response:
        """Stand up a producer, enabled from now on."""
        now = timezone.now()
        owner = access.access_set_up(as_actor(request.user), agent)
        draft = ProducerDraft.parse(request.data)
        made = setup.producer_answer(producers.stand_up(agent=owner, draft=draft, now=now))
        return Response(made, status=201, headers={"ETag": made.etag})


class OneProducer(APIView):
    """One producer."""

    @extend_schema(
        operation_id="change_producer",
        request=ProducerChange,
        parameters=[IF_MATCH, ETAG],
        responses={200: ProducerSetUpOut, 412: ErrorOut},
        examples=[OpenApiExample("Disable it", value={"enabled": False}, request_only=True)],
    )
    def patch(self, request: Request, agent: UUID, producer: UUID) -> Response:
        """Change a producer's schedule or runner, enable or disable it; runs keep what they had."""
        now = timezone.now()
        found = access.access_setting_up_producer(as_actor(request.user), agent, producer)
        condition = if_match(request.headers)
        to = ProducerChange.parse(request.data)
        changed = producers.change(producer=found, to=to, condition=condition, now=now)
        answer = setup.producer_answer(changed)
        return Response(answer, headers={"ETag": answer.etag})


class Selections(GenericAPIView[Selection]):
    """What an agent has selected: list it, or add to it."""

    queryset = Selection.objects.none()
    filter_backends = ()
    ordered_by = ("-selected_at", "-id")

    @extend_schema(operation_id="list_selections", responses={200: SelectionOut})
    def get(self, request: Request, agent: UUID) -> Response:
        """List the instruments that the agent has selected now, the last chosen first."""
        owner = access.access_agent(as_actor(request.user), agent)
        asked(request, NoFilter)
        page = self.paginate_queryset(setup.selections_of(owner.id)) or []
        return self.get_paginated_response([setup.selection_answer(one) for one in page])

    @extend_schema(
        operation_id="select_instrument",
        request=SelectionDraft,
        responses={200: SelectionOut, 201: SelectionOut},
        examples=[OpenApiExample("Bitcoin", value={"instrument": "BTC"}, request_only=True)],
    )
    def post(self, request: Request, agent: UUID) -> Response:
        """Select an instrument from now on; one that is selected already stays as it is."""
        now = timezone.now()
        owner = access.access_set_up(as_actor(request.user), agent)
        draft = SelectionDraft.parse(request.data)
        chosen, is_new = choosing.choose_instrument(agent=owner, name=draft.instrument, now=now)
        return Response(setup.selection_answer(chosen), status=201 if is_new else 200)


class OneSelection(APIView):
    """One selected instrument."""

    @extend_schema(operation_id="deselect_instrument", responses={204: None})
    def delete(self, request: Request, agent: UUID, instrument: str) -> Response:
        """Deselect an instrument from now on; records about it stay."""
        now = timezone.now()
        owner = access.access_set_up(as_actor(request.user), agent)
        if not choosing.deselect_instrument(agent=owner, name=instrument, now=now):
            raise NotFound("this agent has not selected this instrument")
        return Response(status=204)
