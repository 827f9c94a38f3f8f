"""Learn: the tagger files what the backtest showed, and it becomes an insight (SPEC A8, M7)."""

from decimal import Decimal

from autopilot.crew import tagger
from autopilot.learning.insights import publish_insight
from autopilot.models import Backtest
from autopilot.session.steps.common import backtest_of, notes, seed_of, view_of
from autopilot.session.work import Book, Job, Next, Work
from autopilot.strategy.schema import Strategy
from memory.selectors.recall import tag_pool
from memory.services.community import queue_promotion


def learn(job: Job) -> Work:
    """Ask the tagger about the in-sample window; store the insight with both windows' figures."""
    seen = backtest_of(job)
    tagged = tagger.tag(
        provider=job.provider,
        strategy=Strategy.parse(seen.strategy),
        symbol=seen.instrument_id,
        outcome=seen.outcome,
        pnl=Decimal(str(seen.in_sample["total_pnl_pct"])),
        trades=seen.in_sample["trades"],
        in_sample=seen.in_sample,
        pool=tag_pool(view=view_of(job.session)),
        seed=seed_of(job),
    )

    def store(book: Book) -> Next:
        learned = publish_insight(
            actor=book.writer(),
            backtest=Backtest.objects.get(agent_id=seen.agent_id, id=seen.id),
            tagging=tagged,
            call=tagged.call.as_json(),
            now=book.now,
        )
        book.state.this.insight = learned.id
        if learned.outcome == "success" and not learned.doubted:
            # A task of its own: whether it may be shared is no matter of this session. What its
            # own holdout contradicts only a person shares.
            queue_promotion(agent_id=seen.agent_id, record_id=learned.id, now=book.now)
        doubt = "; its holdout contradicts it" if learned.doubted else ""
        book.tell(
            "learned",
            f"Iteration {job.iteration} is remembered as a {learned.outcome} "
            f"({learned.strategy_type}), confidence in the strategy {learned.confidence}{doubt}.",
            memory_id=str(learned.id),
            outcome=learned.outcome,
            strategy_type=learned.strategy_type,
            tags=list(tagged.tags),
            confidence=str(learned.confidence),
            in_sample_confidence=str(learned.in_sample_confidence),
            doubted=learned.doubted,
            fell_back=tagged.fell_back,
        )
        return Next(name="synthesize", iteration=job.iteration)

    return Work(store=store, calls=notes(tagged.call))
