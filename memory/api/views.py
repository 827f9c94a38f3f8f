"""Routes of records and runs."""

from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memory.api.queries import asked, described
from memory.models import Record
from memory.policies.ownership import as_actor
from memory.schemas.answers import (
    ErrorOut,
    LineageOut,
    ListedRecordOut,
    OneRecordOut,
    ProducerOut,
    RunFinishedOut,
    RunStartedOut,
    TypeCountOut,
    WrittenRecordOut,
)
from memory.schemas.browsing import BrowseQuery, LineageQuery, TimeFilter
from memory.schemas.parsing import read
from memory.schemas.records import RecordDraft, Retryable
from memory.schemas.runs import RunDraft, RunEnd
from memory.selectors import access, browsing, lineage, timeline
from memory.selectors.types import TypesInUse
from memory.services import once, publish, runs


class Memories(GenericAPIView[Record]):
    """An agent's records: browse them, or write one."""

    queryset = Record.objects.none()
    filter_backends = ()

    @extend_schema(
        operation_id="list_memories",
        parameters=described(BrowseQuery),
        responses={200: ListedRecordOut},
    )
    def get(self, request: Request, agent: UUID) -> Response:
        """List records, newest first."""
        now = timezone.now()
        owner = access.access_browsing(as_actor(request.user), agent)
        found = browsing.matching(owner.id, asked(request, BrowseQuery), now=now)
        self.ordered_by = [f"-{column}" for column in found.order]
        page = self.paginate_queryset(found.records)
        return self.get_paginated_response(timeline.answers(page or [], now=now))

    @extend_schema(
        operation_id="write_memory",
        request=RecordDraft,
        parameters=[
            OpenApiParameter(
                "Idempotency-Key",
                UUID,
                OpenApiParameter.HEADER,
                description="Makes a retry safe: the same key and body give the first record.",
            )
        ],
        responses={200: WrittenRecordOut, 201: WrittenRecordOut, 422: ErrorOut},
        examples=[
            OpenApiExample(
                "A setup seen on ETH",
                value={
                    "type": "eth_5m_setup",
                    "scope": "instruments",
                    "instruments": ["ETH"],
                    "timeframe": "5m",
                    "content": "Higher lows since 11:20 on rising volume.",
                    "metadata": {"handoff_version": 1},
                    "tags": ["momentum"],
                },
                request_only=True,
            )
        ],
    )
    def post(self, request: Request, agent: UUID) -> Response:
        """Write one record with its targets and links, whole or not at all."""
        now = timezone.now()
        writer = access.access_writer(as_actor(request.user), agent)
        draft = RecordDraft.parse(request.data, context=publish.bounds())
        key = Retryable.among(request.headers).key
        if key is None:
            return Response(publish.publish(actor=writer, draft=draft, now=now), status=201)
        written, is_new = once.publish_once(actor=writer, draft=draft, key=key, now=now)
        return Response(written, status=201 if is_new else 200)


class Memory(APIView):
    """One record."""

    @extend_schema(operation_id="get_memory", responses={200: OneRecordOut})
    def get(self, request: Request, agent: UUID, memory: UUID) -> Response:
        """Read one record, whole."""
        now = timezone.now()
        record = access.access_record(as_actor(request.user), agent, memory, now=now)
        return Response(timeline.whole(record, now=now))


class Lineage(APIView):
    """The graph of one record."""

    @extend_schema(
        operation_id="trace_lineage",
        parameters=described(LineageQuery),
        responses={200: LineageOut},
    )
    def get(self, request: Request, agent: UUID, memory: UUID) -> Response:
        """Trace what a record rests on and what rests on it; erased ones are named as such."""
        now = timezone.now()
        found = access.access_lineage(as_actor(request.user), agent, memory)
        query = read(LineageQuery, request.query_params)
        return Response(lineage.trace(agent_id=agent, record_id=found, asked=query, now=now))


class MemoryTypes(GenericAPIView[Record]):
    """The types of an agent's records."""

    queryset = Record.objects.none()
    filter_backends = ()
    ordered_by = ("type",)

    @extend_schema(
        operation_id="list_memory_types",
        parameters=described(TimeFilter),
        responses={200: TypeCountOut},
    )
    def get(self, request: Request, agent: UUID) -> Response:
        """List the types that have records in a window of time, by name, with their counts."""
        now = timezone.now()
        owner = access.access_browsing(as_actor(request.user), agent)
        window = asked(request, TimeFilter).period(now=now)
        found = TypesInUse(owner.id, window=window, now=now)
        return self.get_paginated_response(self.paginate_queryset(found))  # type: ignore[arg-type]  # a `Paged`


class Runs(APIView):
    """Runs of an agent's producers."""

    @extend_schema(operation_id="start_run", request=RunDraft, responses={201: RunStartedOut})
    def post(self, request: Request, agent: UUID) -> Response:
        """Start a run; the answer holds its token, this once."""
        now = timezone.now()
        access.access_agent(as_actor(request.user), agent)
        draft = RunDraft.parse(request.data)
        producer = access.access_producer(as_actor(request.user), agent, draft.producer)
        run, token, clear = runs.start_run_with_token(
            producer=producer,
            evidence_boundary=draft.evidence_boundary,
            life=timedelta(hours=settings.RUN_TOKEN_HOURS),
            now=now,
        )
        answer = RunStartedOut(
            id=run.id,
            agent=run.agent_id,
            producer=ProducerOut(id=producer.id, name=producer.name, role=producer.role),
            schedule=run.schedule,
            evidence_boundary=run.evidence_boundary,
            started_at=run.started_at,
            deadline_at=run.deadline_at,
            status=run.status,
            token=clear,
            token_expires_at=token.expires_at,
        )
        return Response(answer, status=201)


class RunFinish(APIView):
    """The end of a run."""

    @extend_schema(
        operation_id="finish_run",
        request=RunEnd,
        responses={200: RunFinishedOut},
        examples=[OpenApiExample("Done", value={"status": "succeeded"}, request_only=True)],
    )
    def post(self, request: Request, run: UUID) -> Response:
        """Finish a run; its records stay."""
        now = timezone.now()
        found = access.access_run(as_actor(request.user), run)
        end = RunEnd.parse(request.data)
        ended = runs.finish_run(run=found, status=end.status, error=end.error, now=now)
        return Response(
            RunFinishedOut(
                id=ended.id,
                agent=ended.agent_id,
                schedule=ended.schedule,
                evidence_boundary=ended.evidence_boundary,
                started_at=ended.started_at,
                ended_at=ended.ended_at,
                status=ended.status,
                error=ended.error,
            )
        )
