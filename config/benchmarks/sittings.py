"""One session on a market of chance, as its steps would do it and by the same functions.

The offline advisor proposes from rules and insights of the session's view, the engine backtests,
the tagger files, an insight is published, a rule is made of what is due, and the rules that were
applied are judged. Left out is what has no say in that: queue, steps and events, the tags that
memory is searched for, and the trades and equity of a backtest.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal

from django.db import transaction

from autopilot.backtest.port import PERPETUAL, BarSeries
from autopilot.backtest.run import Evaluation
from autopilot.backtest.run import evaluate as run_both
from autopilot.backtest.windows import split
from autopilot.crew import advisor, evaluator, researcher, synthesizer, tagger
from autopilot.crew.advisor import Found
from autopilot.crew.material import Assignment, Tried
from autopilot.learning import evidence, synthesis
from autopilot.learning.figures import tally
from autopilot.learning.insights import publish_insight
from autopilot.learning.lifecycle import judge
from autopilot.learning.synthesis import Settled
from autopilot.llm.offline.provider import OfflineProvider
from autopilot.models import Backtest, Session
from autopilot.session.history import Attempt
from autopilot.session.steps.backtest import Bounds
from autopilot.session.steps.common import view_of
from autopilot.strategy.identity import config_hash, strategy_type_of
from autopilot.strategy.schema import Strategy
from memory.ids import id_at
from memory.models import Agent, Producer
from memory.policies.lifecycle import verdict_of
from memory.policies.ownership import TokenActor
from memory.policies.standing import outcome_of
from memory.selectors.recall import Recalled, View, Wanted, recall, tag_pool
from memory.services.runs import start_run
from memory.services.standings import terms
from memory.services.tokens import built_in_writer

PROMPT = "find what pays here"
RULES_SHOWN, INSIGHTS_SHOWN, BEST_SHOWN = 20, 15, 3
TICK, LIFE = timedelta(seconds=1), timedelta(hours=1)
AVAILABLE = frozenset({"volume"})


@dataclass(slots=True)
class Sitting:
    """A session under way, on bars of its own. `now` goes on by a second with each variant.

    `seed` is what its advisor draws by, in place of its id, which is another in each run.
    """

    session: Session
    seed: str
    bars: BarSeries
    writer: TokenActor
    now: datetime
    provider: OfflineProvider = field(default_factory=OfflineProvider)
    attempts: list[Attempt] = field(default_factory=list)
    backtests: list[Backtest] = field(default_factory=list)
    settled: list[Settled] = field(default_factory=list)

    @property
    def view(self) -> View:
        """What the session may read."""
        return view_of(self.session)

    def search(self, variants: int) -> None:
        """Try so many variants, and end the session."""
        rules, others = researcher.rules_of(view=self.view), self._insights(here=False)
        for iteration in range(1, variants + 1):
            self.now += TICK
            found = Found(
                symbol=self.bars.instrument, exact=self._insights(here=True), others=others
            )
            strategy = self._advised(iteration, rules, found)
            backtest = self._backtested(iteration, strategy)
            with transaction.atomic():
                backtest.save(force_insert=True)
                self._learned(backtest, strategy)
            self._synthesized(backtest)
            self._judged(backtest, strategy, rules)
        self._end()

    def _insights(self, *, here: bool) -> tuple[Recalled, ...]:
        symbol = self.bars.instrument
        wanted = Wanted(
            type="strategy_insight",
            symbol=symbol if here else None,
            not_symbol=None if here else symbol,
            limit=INSIGHTS_SHOWN,
        )
        return tuple(recall(view=self.view, wanted=wanted))

    def _seed(self, iteration: int) -> str:
        return f"{self.seed}|{iteration}"

    def _advised(self, iteration: int, rules: tuple[Recalled, ...], found: Found) -> Strategy:
        best = sorted(self.attempts, key=lambda one: one.rank, reverse=True)[:BEST_SHOWN]
        advice = advisor.advise(
            provider=self.provider,
            assignment=Assignment(
                prompt=PROMPT,
                symbol=self.bars.instrument,
                timeframe=self.bars.timeframe,
                pro=False,
                available=AVAILABLE,
            ),
            summary="",
            rules=rules,
            found=found,
            best=[
                Tried(
                    iteration=one.iteration,
                    strategy=one.strategy,
                    outcome=one.outcome,
                    in_sample=one.in_sample,
                )
                for one in best
            ],
            tried=[one.config_hash for one in self.attempts],
            iteration=iteration,
            seed=self.seed,
        )
        return Strategy.parse(advice.strategy)

    def _backtested(self, iteration: int, strategy: Strategy) -> Backtest:
        both = run_both(
            strategy, self.bars, windows=Bounds.of(self.session).windows, costs=PERPETUAL
        )
        backtest = self._row(iteration, strategy, both)
        self.backtests.append(backtest)
        self.attempts.append(
            Attempt(
                id=backtest.id,
                iteration=iteration,
                strategy=strategy,
                config_hash=config_hash(strategy),
                outcome=backtest.outcome,
                in_sample=backtest.in_sample,
            )
        )
        return backtest

    def _row(self, iteration: int, strategy: Strategy, both: Evaluation) -> Backtest:
        in_sample, holdout = both.in_sample.kpis.as_json(), both.holdout.kpis.as_json()
        seen, held, allowed = tally(in_sample), tally(holdout), terms()
        session, bounds = self.session, Bounds.of(self.session)
        return Backtest(
            id=id_at(self.now),
            agent_id=session.agent_id,
            session_id=session.id,
            iteration=iteration,
            instrument_id=self.bars.instrument,
            timeframe=self.bars.timeframe,
            window_start=bounds.start,
            window_split=bounds.split,
            window_end=bounds.end,
            strategy=strategy.model_dump(mode="json"),
            strategy_type=strategy_type_of(strategy),
            config_hash=bytes.fromhex(both.in_sample.config_hash),
            data_hash=bytes.fromhex(both.holdout.data_hash),
            data_source=", ".join(self.bars.sources),
            engine=both.in_sample.engine,
            engine_version=both.in_sample.engine_version,
            in_sample=in_sample,
            holdout=holdout,
            outcome=outcome_of(pnl=seen.pnl, trades=seen.trades, terms=allowed),
            verdict=verdict_of(in_sample=seen, holdout=held, terms=allowed),
            created_at=self.now,
        )

    def _learned(self, backtest: Backtest, strategy: Strategy) -> None:
        tagged = tagger.tag(
            provider=self.provider,
            strategy=strategy,
            symbol=self.bars.instrument,
            outcome=backtest.outcome,
            pnl=Decimal(str(backtest.in_sample["total_pnl_pct"])),
            trades=backtest.in_sample["trades"],
            in_sample=backtest.in_sample,
            pool=(),
            seed=self._seed(backtest.iteration),
        )
        publish_insight(
            actor=self.writer,
            backtest=backtest,
            tagging=tagged,
            call=tagged.call.as_json(),
            now=self.now,
        )

    def _synthesized(self, backtest: Backtest) -> None:
        """Make a rule of what is due by now; only the type of the new insight can be."""
        kind, view = backtest.strategy_type, self.view
        found = evidence.due(
            view=view, strategy_type=kind, session_id=self.session.id, now=self.now
        )
        claim = None if found is None else synthesis.claim(evidence=found, now=self.now)
        if found is None or claim is None:
            return
        promotion = self.session.promotion
        asked = None
        if not found.is_refused_anyway(promotion=promotion):
            known = Wanted(type="rule", strategy_type=kind, limit=RULES_SHOWN)
            asked = synthesizer.synthesize(
                provider=self.provider,
                strategy_type=kind,
                insights=found.insights,
                repeats=found.repeats,
                rules=recall(view=view, wanted=known),
                pool=tag_pool(view=view),
                seed=self._seed(backtest.iteration),
            )
        with transaction.atomic():
            self.settled.append(
                synthesis.settle(
                    claim=claim,
                    actor=self.writer,
                    rule=asked.rule if asked else "",
                    tags=asked.tags if asked else (),
                    promotion=promotion,
                    call=asked.call.as_json() if asked else None,
                    reason=asked.reason if asked else "",
                    now=self.now,
                )
            )

    def _judged(self, backtest: Backtest, strategy: Strategy, rules: tuple[Recalled, ...]) -> None:
        applied = evaluator.evaluate(
            provider=self.provider,
            strategy=strategy,
            symbol=self.bars.instrument,
            outcome=backtest.outcome,
            in_sample=backtest.in_sample,
            rules=rules,
            seed=self._seed(backtest.iteration),
        )
        with transaction.atomic():
            judge(
                agent_id=self.session.agent_id,
                backtest=backtest,
                applied=applied.applied,
                offered=[rule.id for rule in rules],
                now=self.now,
            )

    def _end(self) -> None:
        self.session.status, self.session.ended_at = "succeeded", self.now
        self.session.save(update_fields=["status", "ended_at"])


def begin(
    *,
    agent: Agent,
    producer: Producer,
    bars: BarSeries,
    seed: str,
    promotion: str,
    now: datetime,
) -> Sitting:
    """Begin a session of an agent over all of these bars, whose market it has selected."""
    seen, held = split(bars)
    run = start_run(producer=producer, now=now, times_out=False)
    session = Session.objects.create(
        id=id_at(now),
        agent=agent,
        run_id=run.id,
        prompt=PROMPT,
        symbol_id=bars.instrument,
        timeframe=bars.timeframe,
        max_iterations=30,
        plan="free",
        critic_mode="off",
        promotion=promotion,
        provider="offline",
        status="running",
        created_at=now,
        started_at=now,
        deadline_at=now + LIFE,
        window_start=seen.start,
        window_split=held.start,
        window_end=held.end,
    )
    writer = built_in_writer(agent=agent, producer=producer, run=run)
    return Sitting(session=session, seed=seed, bars=bars, writer=writer, now=now)
