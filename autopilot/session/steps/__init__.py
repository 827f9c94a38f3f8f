"""The steps of a session, one module each (SPEC §10)."""

from autopilot.session.steps.advise import advise
from autopilot.session.steps.backtest import backtest
from autopilot.session.steps.backtrack import backtrack
from autopilot.session.steps.conclude import conclude
from autopilot.session.steps.evaluate import evaluate
from autopilot.session.steps.learn import learn
from autopilot.session.steps.research import research
from autopilot.session.steps.resolve import resolve
from autopilot.session.steps.select_tags import select_tags
from autopilot.session.steps.synthesize import synthesize
from autopilot.session.work import Steps

STEPS: Steps = {
    "resolve": resolve,
    "research": research,
    "select_tags": select_tags,
    "advise": advise,
    "backtest": backtest,
    "learn": learn,
    "synthesize": synthesize,
    "evaluate": evaluate,
    "backtrack": backtrack,
    "conclude": conclude,
}
