"""The run of the calling token: opened and ended (SPEC R5, F8)."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import BeforeValidator

from mcp_bridge.budget import line
from mcp_bridge.tools.spec import Reply, ToolSpec
from memory.errors import RunFinished, RunOpen
from memory.models import Run
from memory.policies.ownership import TokenActor
from memory.schemas.answers import Answer, ProducerOut, RunFinishedOut
from memory.schemas.parsing import Body
from memory.schemas.runs import RunEnd, zoned
from memory.selectors import access
from memory.services import runs


class RunStart(Body):
    """Start a run of the token's own producer."""

    evidence_boundary: Annotated[datetime, BeforeValidator(zoned)] | None = None


class RunStarted(Answer):
    """An open run. The token that started it writes in it; there is no secret to keep.

    A run that is still open at `deadline_at` is failed.
    """

    id: UUID
    producer: ProducerOut
    schedule: str | None
    evidence_boundary: datetime | None
    started_at: datetime
    deadline_at: datetime | None
    status: str


def start(actor: TokenActor, arguments: dict[str, Any], now: datetime) -> Reply:
    """Open a run bound to the calling token."""
    draft = RunStart.parse(arguments)
    if actor.run is not None:
        raise RunOpen("this token is of one open run; write in it and finish it")
    producer = access.access_producer(actor, actor.agent_id, None)
    run = runs.start_run(
        producer=producer,
        evidence_boundary=draft.evidence_boundary,
        bound_token_id=actor.token_id,
        now=now,
    )
    started = RunStarted(
        id=run.id,
        producer=ProducerOut(id=producer.id, name=producer.name, role=producer.role),
        schedule=run.schedule,
        evidence_boundary=run.evidence_boundary,
        started_at=run.started_at,
        deadline_at=run.deadline_at,
        status=run.status,
    )
    return Reply(text=line(started), data=started)


def finish(actor: TokenActor, arguments: dict[str, Any], now: datetime) -> Reply:
    """End the run that the calling token is bound to."""
    end = RunEnd.parse(arguments)
    found = access.access_run(actor, _open_run(actor))
    ended = runs.finish_run(run=found, status=end.status, error=end.error, now=now)
    answer = RunFinishedOut(
        id=ended.id,
        agent=ended.agent_id,
        schedule=ended.schedule,
        evidence_boundary=ended.evidence_boundary,
        started_at=ended.started_at,
        ended_at=ended.ended_at,
        status=ended.status,
        error=ended.error,
    )
    return Reply(text=line(answer), data=answer)


def _open_run(actor: TokenActor) -> UUID:
    if actor.run is not None:
        return actor.run.id
    bound = Run.objects.filter(
        agent_id=actor.agent_id, bound_token_id=actor.token_id, status="running"
    ).values_list("id", flat=True)
    for run in bound:
        return run
    raise RunFinished("no run of this token is open; it has ended, or start_run was not called")


START_RUN = ToolSpec(
    name="start_run",
    title="Start a run",
    description="Open a run: from now on what you write belongs to it, until finish_run. Call it "
    "once before a round of work. Its evidence boundary (the close of the newest bar that the "
    "work may rest on) decides how long research stays fresh. Without an open run each write "
    "gets a run of its own. While one is open, a second is refused with run_open.",
    arguments=RunStart,
    answer=RunStarted,
    run=start,
    writes=True,
    idempotent=False,
    about={
        "evidence_boundary": "A boundary of your schedule, ISO 8601 with a zone, not in the "
        "future. Leave it out for the latest one; an unscheduled producer takes none."
    },
)

FINISH_RUN = ToolSpec(
    name="finish_run",
    title="Finish the run",
    description="End the run that start_run opened. What was written in it stays. Report failed, "
    "with the reason, when the work could not be done: absence is then told from silence.",
    arguments=RunEnd,
    answer=RunFinishedOut,
    run=finish,
    writes=True,
    about={
        "status": "succeeded, also when there was nothing to write; else failed.",
        "error": "Why it failed, for a person; at most 2,000 characters.",
    },
)
