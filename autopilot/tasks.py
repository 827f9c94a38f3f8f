"""What the queue calls: a session's step, an analysis, and the searches for what is due."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils import timezone

from autopilot.crew import dispatch
from autopilot.llm.providers import provider_for_settings
from autopilot.session import machine
from autopilot.session.steps import STEPS
from memory.queue import current_task
from memory.tasks import job


def run_step(session_id: str, number: int) -> None:
    """Take a step of a session; a step that is done or held by another worker is left alone."""
    machine.run(
        session_id=UUID(session_id),
        number=number,
        clock=timezone.now,
        provider=provider_for_settings(),
        steps=STEPS,
        task=current_task(),
    )


def resume_sessions() -> int:
    """Queue the steps again that no worker is at; return how many."""
    return machine.requeue_lost(now=timezone.now())


@job("session_janitor", seconds=60)
def session_janitor(*, now: datetime, intended_at: datetime) -> dict[str, Any]:
    """Queue the steps again that no worker is at, each minute."""
    del intended_at
    return {"queued": machine.requeue_lost(now=now)}


@job("analysis_dispatcher", seconds=60)
def dispatch_analysis(*, now: datetime, intended_at: datetime) -> dict[str, Any]:
    """Start the run of each boundary that is due, of producers with the built-in analyst."""
    del intended_at
    return dispatch.dispatch(now=now)


def run_analysis(run_id: str) -> str:
    """Do the analysis of a run that was dispatched; one that is over is left alone."""
    return dispatch.carry_out(run_id=UUID(run_id), clock=timezone.now)
