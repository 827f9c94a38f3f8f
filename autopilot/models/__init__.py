"""What the autopilot keeps: sessions with their steps and events, backtests, what was learned."""

from autopilot.models.backtests import Backtest
from autopilot.models.learning import Judgement, SynthesisClaim
from autopilot.models.proposals import RuleProposal
from autopilot.models.sessions import Event, Session, Step

__all__ = ["Backtest", "Event", "Judgement", "RuleProposal", "Session", "Step", "SynthesisClaim"]
