"""Synthesize: insights of one strategy type become a rule, once per evidence set (SPEC M6)."""

from django.conf import settings
from django.db.models import Count, Q

from autopilot.crew import synthesizer
from autopilot.crew.synthesizer import Synthesis
from autopilot.errors import ClaimLost
from autopilot.learning import evidence, synthesis
from autopilot.learning.evidence import Evidence
from autopilot.learning.synthesis import Claim, Settled
from autopilot.session.steps.common import note_seen, notes, seed_of, view_of
from autopilot.session.work import Book, Job, Next, Work
from memory.models import Standing
from memory.selectors.recall import Recalled, Wanted, recall, tag_pool

RULES_SHOWN = 20
KINDS = {
    "made": "rule_made",
    "duplicate": "rule_duplicate",
    "refused": "rule_refused",
    "unanswered": "rule_unanswered",
    "proposed": "rule_proposed",
}


def synthesize(job: Job) -> Work:
    """Claim an evidence set that is due, ask for its rule, and settle it with the step's end.

    The claim is committed before the call, so that of two workers one asks. It outlives a worker
    that dies, and is taken over when the step is done again.
    """
    claim = _claim(job)
    if claim is None:
        return Work(store=lambda book: _nothing_due(book, job))
    rules, proposal = _propose(job, claim.evidence)

    def store(book: Book) -> Next:
        if proposal is not None:
            note_seen(book.state, (*claim.evidence.insights, *rules))
        try:
            settled = synthesis.settle(
                claim=claim,
                actor=book.writer(),
                rule=proposal.rule if proposal else "",
                tags=proposal.tags if proposal else (),
                promotion=book.session.promotion,
                call=proposal.call.as_json() if proposal else None,
                reason=proposal.reason if proposal else "",
                review=settings.RULE_REVIEW == "on",
                now=book.now,
            )
        except ClaimLost as lost:
            book.tell("synthesis_lost", f"No rule from here: {lost.message}.")
        else:
            _tell(book, claim.evidence, settled)
        return _next(job)

    return Work(store=store, calls=notes(proposal.call if proposal else None))


def _nothing_due(book: Book, job: Job) -> Next:
    book.tell("no_synthesis", "No new rule: no three insights of a kind are new.")
    return _next(job)


def _next(job: Job) -> Next:
    return Next(name="evaluate", iteration=job.iteration)


def _claim(job: Job) -> Claim | None:
    """Claim what is due: of the type of the iteration's insight, or else of any other."""
    session = job.session
    for strategy_type in _types(job):
        found = evidence.due(
            view=view_of(session),
            strategy_type=strategy_type,
            session_id=session.id,
            now=job.now,
        )
        if found is not None and (claim := synthesis.claim(evidence=found, now=job.now)):
            return claim
    return None


def _types(job: Job) -> list[str]:
    """Return the strategy types that have enough insights, that of the iteration's one first."""
    insights = Standing.objects.filter(agent_id=job.session.agent_id, type="strategy_insight")
    own = insights.filter(record_id__in=[job.state.this.insight])
    counted = (
        insights.filter(
            Q(expires_at__isnull=True) | Q(expires_at__gt=job.now),
            strategy_type__isnull=False,
            merged_into__isnull=True,
        )
        .values("strategy_type")
        .annotate(insights=Count("record_id"))
        .filter(insights__gte=evidence.NEEDED)
        .order_by("strategy_type")
    )
    enough = [str(row["strategy_type"]) for row in counted]
    first = own.values_list("strategy_type", flat=True).first()
    return sorted(enough, key=lambda strategy_type: strategy_type != first)


def _propose(job: Job, found: Evidence) -> tuple[list[Recalled], Synthesis | None]:
    """Ask for the rule, and return what rules were shown; None where none could come of it."""
    if found.is_refused_anyway(promotion=job.session.promotion):
        return [], None
    view = view_of(job.session)
    rules = recall(
        view=view,
        wanted=Wanted(type="rule", strategy_type=found.strategy_type, limit=RULES_SHOWN),
    )
    return rules, synthesizer.synthesize(
        provider=job.provider,
        strategy_type=found.strategy_type,
        insights=found.insights,
        repeats=found.repeats,
        rules=rules,
        pool=tag_pool(view=view),
        seed=seed_of(job),
    )


def _tell(book: Book, found: Evidence, settled: Settled) -> None:
    text = f"No {found.strategy_type} rule: {settled.reason.rstrip('.')}."
    if settled.status == "proposed":
        told = f"A rule from {len(found.ids)} insights waits for a person: {settled.content}"
        text = f"{told} {settled.summary}".strip()
    if settled.rule_id is not None:
        made = f"A new rule from {len(found.ids)} insights: {settled.content}"
        text = f"{made} {settled.summary}".strip()
    book.tell(
        KINDS[settled.status],
        text,
        strategy_type=found.strategy_type,
        reason=settled.reason,
        missing=list(settled.missing),
        support=settled.support,
        evidence=[str(id_) for id_ in found.ids],
        memory_id=None if settled.rule_id is None else str(settled.rule_id),
        duplicate_of=None if settled.like is None else str(settled.like),
        likeness=None if settled.score is None else str(settled.score),
        confidence=None if settled.confidence is None else str(settled.confidence),
    )
