"""The built-in analyst on schedule: one run for each due boundary of a producer (SPEC J1, A12).

A run and the queue row of its task are made in one transaction, under a key of the table: however
many dispatchers there are, a boundary has one run. The task may come twice, even while the first
is still at it: each record is published behind the run's row lock, once it is seen that the run
has none on that instrument. What is done by one is so found by the other.
"""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from uuid import UUID

import structlog
from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models import Case, DateTimeField, Exists, F, OuterRef, Q, QuerySet, Value, When

from autopilot.crew import analyst
from autopilot.crew.lenses import LENSES
from memory.errors import InvalidMemoryTarget, RunFinished, TidebookError
from memory.models import Producer, ProducerEnablement, RecordTarget, Run, Selection
from memory.policies.timeframes import SCHEDULES, latest_boundary
from memory.queue import enqueue
from memory.services.runs import BoundaryRun, finish_run, start_built_in_run
from memory.services.tokens import built_in_writer

RUN_ANALYSIS = "autopilot.tasks.run_analysis"
MOST = 5_000
"""Boundaries dispatched at a time; the next minute takes the rest."""
SKEW = timedelta(hours=1)
"""By how much clocks of workers may differ at the very most."""
SHOWN = 20
"""How many failed instruments a run's error names."""
BROKEN_WIRE = (OperationalError, InterfaceError)
"""The database went away, or broke a deadlock: worth a second try on a new connection."""

log = structlog.get_logger(__name__)

type Clock = Callable[[], datetime]


def dispatch(*, now: datetime) -> dict[str, int]:
    """Start a run for each boundary that is due; return how many were `started` and `failed`.

    Of a schedule the latest boundary alone is due: what was missed is not caught up. It is of
    producers that the built-in analyst ran and that were enabled, then as well as now.
    """
    counts = {"started": 0, "failed": 0}
    for producer in due(now=now)[:MOST]:
        boundary: datetime = producer.boundary  # type: ignore[attr-defined]  # annotated in `due`
        try:
            with transaction.atomic():
                run = start_built_in_run(
                    producer=producer,
                    schedule=producer.schedule or "",
                    boundary=boundary,
                    now=now,
                )
                enqueue(RUN_ANALYSIS, now=now, run_id=str(run.id))
        except BoundaryRun:
            # Another dispatcher was faster.
            continue
        except Exception:
            # Whatever it is, it is this producer's alone.
            log.exception("dispatch_failed", producer=str(producer.id))
            _mend()
            counts["failed"] += 1
        else:
            counts["started"] += 1
    return counts


def due(*, now: datetime) -> QuerySet[Producer]:
    """Return the producers with a boundary that is due, as `boundary`."""
    latest = [When(schedule=name, then=Value(latest_boundary(name, at=now))) for name in SCHEDULES]
    own = {"agent_id": OuterRef("agent_id"), "producer_id": OuterRef("id")}
    enabled = ProducerEnablement.objects.filter(**own)
    runs = Run.objects.filter(**own, built_in=True, evidence_boundary=OuterRef("boundary"))
    return (
        Producer.objects.filter(runner="built_in")
        .annotate(boundary=Case(*latest, output_field=DateTimeField()))
        .filter(
            Exists(_holding(enabled, "enabled_at", "disabled_at", OuterRef("boundary"))),
            Exists(_holding(enabled, "enabled_at", "disabled_at", now)),
            ~Exists(runs),
            built_in_since__lte=F("boundary"),
        )
        .order_by("agent_id", "id")
    )


def carry_out(*, run_id: UUID, clock: Clock) -> str:
    """Analyse what the run is for and end it; return how that went.

    `over` when it has ended already. A run that comes when a later boundary is due, or when its
    producer is no longer the server's to run, is failed with nothing done. An instrument that fails
    keeps none of the others from being analysed. The run is then failed; its records stay (C4).
    """
    run = (
        Run.objects.select_related("agent", "producer")
        .filter(id=run_id, built_in=True, status="running")
        .first()
    )
    if run is None:
        return "over"
    with structlog.contextvars.bound_contextvars(run=str(run.id), producer=str(run.producer_id)):
        reason = _given_up(run, now=clock())
        failures: dict[str, str] = {}
        try:
            if not reason:
                names = instruments(run, now=clock())
                failures = _each(run, names, clock=clock)
                reason = _told(failures, of=len(names))
            status = "failed" if reason else "succeeded"
            finish_run(run=run, status=status, error=reason, now=clock())
        except RunFinished:
            # It timed out, was finished by somebody, or another worker was at it too.
            return "over"
    return status


def instruments(run: Run, *, now: datetime) -> list[str]:
    """Return what the agent had selected at the run's boundary, has still, and can be traded."""
    chosen = Selection.objects.filter(agent_id=run.agent_id)
    then = _holding(chosen, "selected_at", "deselected_at", run.evidence_boundary)
    still = _holding(chosen, "selected_at", "deselected_at", now)
    return list(
        then.filter(instrument__is_active=True, instrument_id__in=still.values("instrument_id"))
        .order_by("instrument_id")
        .values_list("instrument_id", flat=True)
        .distinct()
    )


def _holding(rows: QuerySet, begin: str, end: str, moment: object) -> QuerySet:  # type: ignore[type-arg]
    """Narrow intervals to those that a moment lies in."""
    return rows.filter(
        Q(**{f"{end}__isnull": True}) | Q(**{f"{end}__gt": moment}), **{f"{begin}__lte": moment}
    )


def _given_up(run: Run, *, now: datetime) -> str:
    """Return why nothing is to be done for the run any more, '' when there is."""
    schedule = run.schedule or ""
    if run.producer.runner != "built_in":
        return "not_built_in: callers run this producer by now"
    enabled = ProducerEnablement.objects.filter(agent_id=run.agent_id, producer_id=run.producer_id)
    if not _holding(enabled, "enabled_at", "disabled_at", now).exists():
        return "disabled: the producer was disabled before anybody came to it"
    later = latest_boundary(schedule, at=now)
    if run.evidence_boundary is None or later > run.evidence_boundary:
        return f"passed_over: when somebody came to it, {later:%Y-%m-%d %H:%M} was due"
    return ""


def _each(run: Run, names: Iterable[str], *, clock: Clock) -> dict[str, str]:
    """Analyse each instrument; return what failed, by instrument (RunFinished: the run is over)."""
    failures: dict[str, str] = {}
    for name in names:
        for is_last in (False, True):
            try:
                _one(run, name, clock=clock)
            except RunFinished:
                raise
            except InvalidMemoryTarget:
                # It was deselected or delisted just now.
                log.info("instrument_left_out", instrument=name)
            except BROKEN_WIRE as error:
                _mend()
                if is_last:
                    failures[name] = type(error).__name__
                    log.exception("instrument_failed", instrument=name)
                else:
                    continue
            except TidebookError as refusal:
                failures[name] = refusal.code
                log.warning("instrument_refused", instrument=name, code=refusal.code)
            except Exception as fault:
                failures[name] = type(fault).__name__
                log.exception("instrument_failed", instrument=name)
            break
    return failures


def _mend() -> None:
    """Let the next statement connect anew where the connection is broken."""
    if not connection.in_atomic_block:
        connection.close_if_unusable_or_obsolete()


def _one(run: Run, instrument: str, *, clock: Clock) -> None:
    """Analyse one instrument, unless the run has its record (RunFinished; as `publish`)."""
    if _has_record(run, instrument):
        return
    lens = LENSES[run.producer.lens or ""]
    finding = analyst.look(
        run=run,
        lens=lens,
        instrument=instrument,
        timeframe=run.producer.timeframe or run.schedule or "",
        now=clock(),
        # Its research is served as fresh: it must not be of a market that is long gone.
        old_bars=False,
    )
    writer = built_in_writer(agent=run.agent, producer=run.producer, run=run)
    with transaction.atomic():
        # Until the commit nobody else publishes in this run, nor ends it.
        held = Run.objects.select_for_update(no_key=True).filter(
            agent_id=run.agent_id, id=run.id, status="running"
        )
        if not held.exists():
            raise RunFinished("the run has ended")
        if not _has_record(run, instrument):
            analyst.write(agent=run.agent, writer=writer, run=run, finding=finding, now=clock())


def _has_record(run: Run, instrument: str) -> bool:
    # By the index of an instrument's newest records; a run's own has none.
    return RecordTarget.objects.filter(
        agent_id=run.agent_id,
        instrument_id=instrument,
        created_at__gte=run.started_at - SKEW,
        producer_id=run.producer_id,
        record__run_id=run.id,
    ).exists()


def _told(failures: dict[str, str], *, of: int) -> str:
    """Return a run's error: how many instruments failed, and why; '' when none did."""
    if not failures:
        return ""
    shown = [f"{name} ({why})" for name, why in list(failures.items())[:SHOWN]]
    more = ["…"] if len(failures) > SHOWN else []
    return f"instruments_failed: {len(failures)} of {of}: {', '.join(shown + more)}"
