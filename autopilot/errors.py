"""Anticipated failures of the autopilot, in the store's families."""

from typing import ClassVar

from memory.errors import Conflict, Refused, ValidationFailed


class InvalidStrategy(ValidationFailed):
    """A strategy does not follow its schema. `errors` maps each place to messages.

    Places read like `foundations[0].block.type`; a message about a type lists those allowed there.
    """

    code: ClassVar[str] = "invalid_strategy"


class UnknownSymbol(Refused):
    """A session was asked for an instrument that nobody knows. Field: symbol."""

    code: ClassVar[str] = "unknown_symbol"


class SymbolNotSelected(Refused):
    """The agent has not selected that instrument, or it is delisted. Fields: symbol, selected.

    What a session learns is kept as records of the instrument, so the agent must have chosen it.
    """

    code: ClassVar[str] = "symbol_not_selected"


class SymbolNeeded(Refused):
    """Neither the body nor the prompt names one instrument. Fields: named, selected."""

    code: ClassVar[str] = "symbol_needed"


class NoAutopilotProducer(Conflict):
    """The agent has no autopilot producer that is enabled: a session is a run of one (A14)."""

    code: ClassVar[str] = "no_autopilot_producer"


class SessionOpen(Conflict):
    """The agent has an open session on that instrument and timeframe. Field: session_id."""

    code: ClassVar[str] = "session_open"


class UnreadableState(Conflict):
    """What a session stored for its later steps is nothing that this release can read."""

    code: ClassVar[str] = "unreadable_state"


class SessionEnded(Conflict):
    """The session has ended already. Field: status."""

    code: ClassVar[str] = "session_ended"


class ClaimLost(Conflict):
    """An evidence set is no longer this worker's: taken over, or settled (SPEC M6)."""

    code: ClassVar[str] = "claim_lost"


class AlreadyDecided(Conflict):
    """Somebody approved or rejected the proposal before. Field: status."""

    code: ClassVar[str] = "already_decided"


class EvidenceGone(Conflict):
    """Too few of the insights that a rule was made from are live. Fields: live, needed."""

    code: ClassVar[str] = "evidence_gone"


class RuleExists(Conflict):
    """A live rule claims the same. Field: rule_id."""

    code: ClassVar[str] = "rule_exists"
