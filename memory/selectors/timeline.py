"""Records in time order, and the one place where a record becomes an answer (SPEC 2)."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from django.db.models import (
    BooleanField,
    Exists,
    ExpressionWrapper,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
    Subquery,
)

from memory.models import (
    ProducerEnablement,
    Record,
    RecordLink,
    RecordTarget,
    Standing,
    Withdrawal,
)
from memory.policies import visibility
from memory.policies.visibility import Status
from memory.policies.vocabulary import TIERS
from memory.schemas.answers import (
    LinkOut,
    OneRecordOut,
    ProducerOut,
    RecordIdentityOut,
    RecordOut,
    RunOut,
)


def records_of(agent_id: UUID, *, now: datetime) -> QuerySet[Record]:
    """Return an agent's live records with all that an answer needs: three statements in all."""
    return with_erased(agent_id, now=now).filter(purged_at__isnull=True)


def with_erased(agent_id: UUID, *, now: datetime) -> QuerySet[Record]:
    """Return the same with what is left of erased records."""
    # Side tables are keyed by agent first, so their statements name the agent too.
    return (
        Record.objects.filter(agent_id=agent_id)
        .select_related("producer", "run")
        .annotate(producer_enabled=Exists(enabled_at(now)), withdrawn=Exists(withdrawn_at(now)))
        .prefetch_related(
            Prefetch("targets", RecordTarget.objects.filter(agent_id=agent_id).order_by("ord")),
            Prefetch("links", RecordLink.objects.filter(agent_id=agent_id).order_by("ord")),
        )
    )


def enabled_at(now: datetime) -> QuerySet[ProducerEnablement]:
    """Return the enablement of an outer record's producer that holds at `now`."""
    return ProducerEnablement.objects.filter(
        Q(disabled_at__isnull=True) | Q(disabled_at__gt=now),
        agent_id=OuterRef("agent_id"),
        producer_id=OuterRef("producer_id"),
        enabled_at__lte=now,
    )


def withdrawn_at(now: datetime) -> QuerySet[Withdrawal]:
    """Return the withdrawal of an outer record that holds at `now`."""
    return Withdrawal.objects.filter(
        Q(restored_at__isnull=True) | Q(restored_at__gt=now),
        agent_id=OuterRef("agent_id"),
        record_id=OuterRef("id"),
        withdrawn_at__lte=now,
    )


def remembered(records: QuerySet[Record], *, merged: bool, now: datetime) -> QuerySet[Record]:
    """Leave out strategy memory whose time is over (SPEC M3) and, unless `merged`, what was merged.

    What is merged lives as long as what stands for it (M9). Its life is a value here, and no
    EXISTS: that could be answered by reading all standings for one page of records.
    """
    own = Q(expires_at__isnull=True) | Q(expires_at__gt=now)
    survivors = Q(merged_into__expires_at__isnull=True) | Q(merged_into__expires_at__gt=now)
    stands = Q(merged_into__isnull=True)
    lives = (stands & own) | (~stands & survivors) if merged else own
    standings = Standing.objects.filter(agent_id=OuterRef("agent_id"), record_id=OuterRef("id"))
    if not merged:
        standings = standings.filter(merged_into__isnull=True)
    life = standings.annotate(lives=ExpressionWrapper(lives, BooleanField())).values("lives")[:1]
    return records.alias(lives=Subquery(life)).filter(~Q(type__in=TIERS) | Q(lives=True))


def answers(records: Iterable[Record], *, now: datetime) -> list[RecordOut | RecordIdentityOut]:
    """Return records of `records_of` as a list shows them at `now`: withdrawn ones by identity."""
    shown = [answer(record, now=now) for record in records]
    return [identity(one) if one.status == "withdrawn" else one for one in shown]


def identity(record: RecordOut) -> RecordIdentityOut:
    """Return a record without what it says."""
    return RecordIdentityOut(
        **{name: getattr(record, name) for name in RecordIdentityOut.model_fields}
    )


def whole(record: Record, *, now: datetime) -> OneRecordOut:
    """Return one record of `records_of` as its own route shows it at `now`."""
    standing = Standing.objects.filter(agent_id=record.agent_id, record_id=record.id)
    merged = standing.filter(merged_into__isnull=False) if record.type in TIERS else standing.none()
    into = merged.values_list("merged_into_id", flat=True).first()
    return OneRecordOut(**dict(answer(record, now=now)), merged_into=into)


def answer(record: Record, *, now: datetime) -> RecordOut:
    """Return one record of `records_of` at `now`, with all that it says."""
    return RecordOut(
        id=record.id,
        agent=record.agent_id,
        seq=record.seq,
        type=record.type,
        scope=record.scope,
        instruments=[target.instrument_id for target in record.targets.all()],
        timeframe=record.timeframe,
        content=record.content,
        metadata=record.metadata,
        tags=record.tags,
        links=links_of(record),
        producer=producer_of(record),
        run=run_of(record),
        created_at=record.created_at,
        expires_at=record.stale_after,
        expiry_policy=record.expiry_policy,
        status=status_of(record, now=now),
    )


def status_of(record: Record, *, now: datetime) -> Status:
    """Return the status of one record of `records_of`, outside of any context."""
    return visibility.status(
        deadline=record.stale_after,
        # Imported history may have no producer that could be disabled.
        producer_enabled=record.producer_id is None or record.producer_enabled,  # type: ignore[attr-defined]  # annotated by records_of
        withdrawn=record.withdrawn,  # type: ignore[attr-defined]  # likewise
        now=now,
    )


def links_of(record: Record) -> list[LinkOut]:
    """Return a record's own links, in the order of its write."""
    return [
        LinkOut(target_memory_id=link.target_id, link_type=link.link_type)
        for link in record.links.all()
    ]


def producer_of(record: Record) -> ProducerOut | None:
    """Return who wrote it; None for imported history without provenance."""
    if record.producer is None:
        return None
    return ProducerOut(id=record.producer.id, name=record.producer.name, role=record.producer.role)


def run_of(record: Record) -> RunOut | None:
    """Return the run it was written in; only its id once the run's row is gone."""
    if record.run_id is None:
        return None
    run = record.run
    return RunOut(
        id=record.run_id,
        schedule=run.schedule if run else None,
        evidence_boundary=run.evidence_boundary if run else None,
        status=run.status if run else None,
    )
