"""The autopilot in Django's admin: what it did and learned, to be looked at."""

from autopilot.admin.backtests import BacktestAdmin
from autopilot.admin.proposals import RuleProposalAdmin
from autopilot.admin.sessions import SessionAdmin

__all__ = ["BacktestAdmin", "RuleProposalAdmin", "SessionAdmin"]
