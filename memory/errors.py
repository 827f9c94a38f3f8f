"""Every anticipated failure of the store, one class each, with a stable code.

Interfaces map the families below to their own language (HTTP statuses, tool errors). Callers
tell failures apart by class or `code`, never by text (SPEC R9).
"""

from typing import ClassVar


class TidebookError(Exception):
    """An anticipated failure: a sentence for a person, a code, and named fields for a program."""

    code: ClassVar[str] = "error"

    def __init__(self, message: str, **fields: object) -> None:
        super().__init__(message)
        self.message = message
        self.fields = fields


class BadRequest(TidebookError):
    """What was sent is malformed."""

    code = "invalid"


class NotAuthenticated(TidebookError):
    """Nobody known is calling."""

    code = "not_authenticated"


class NotThisRole(TidebookError):
    """Somebody known is calling, in a role that may not do this."""

    code = "not_this_role"


class NotFound(TidebookError):
    """It does not exist, or it is another's: both look alike (SPEC X1)."""

    code = "not_found"


class Conflict(TidebookError):
    """It contradicts the present state."""

    code = "conflict"


class PreconditionFailed(TidebookError):
    """It is not the version that the caller saw; `etag` is the present one (SPEC E4)."""

    code = "precondition_failed"

    def __init__(self, message: str, etag: str) -> None:
        super().__init__(message, etag=etag)


class TooLarge(TidebookError):
    """The request is over the size limit."""

    code = "request_too_large"


class Refused(TidebookError):
    """It is well-formed and refused for what it refers to."""

    code = "refused"


class RateLimited(TidebookError):
    """The caller called too often (SPEC E5). `retry_after`: in how many seconds it may again."""

    code = "rate_limited"

    def __init__(self, message: str, *, kind: str, limit: str, retry_after: int) -> None:
        super().__init__(message, kind=kind, limit=limit, retry_after_seconds=retry_after)
        self.retry_after = retry_after


class Unavailable(TidebookError):
    """Something outside that this needs does not answer."""

    code = "unavailable"


class StoreFault(TidebookError):
    """The database did not do what the code relies on: a server fault, told to nobody outside."""

    code = "server_error"


class ValidationFailed(BadRequest):
    """Some fields are wrong. `errors` maps each path, e.g. `links[1].link_type`, to messages."""

    code = "validation_error"

    def __init__(self, errors: dict[str, list[str]]) -> None:
        place, messages = next(iter(errors.items()))
        # A problem of a whole strategy, or a whole line of a file, has no place to name.
        super().__init__(f"{place}: {messages[0]}" if place else messages[0])
        self.errors = errors


class InvalidEvidenceBoundary(BadRequest):
    """Not a boundary of the run's schedule, or one of the future (SPEC F8)."""

    code = "invalid_evidence_boundary"


class AgentRequired(BadRequest):
    """The caller has several agents, or none, and did not name one (SPEC E7)."""

    code = "agent_required"


class InvalidToken(NotAuthenticated):
    """An unknown, expired or revoked token."""

    code = "invalid_token"


class ReservedMemoryType(NotThisRole):
    """A role wrote a type that is not its own (SPEC R12)."""

    code = "reserved_memory_type"


class InstrumentNotSelected(NotFound):
    """Context was asked for an instrument that the agent has not selected (SPEC C10)."""

    code = "instrument_not_selected"


class RunFinished(Conflict):
    """The run of this token has ended (SPEC R5)."""

    code = "run_finished"


class RunOpen(Conflict):
    """The token has an open run already (SPEC R5)."""

    code = "run_open"


class AlreadyWithdrawn(Conflict):
    """The record is withdrawn already (SPEC R15)."""

    code = "already_withdrawn"


class NotWithdrawn(Conflict):
    """The record is not withdrawn, so that it cannot be restored (SPEC R15)."""

    code = "not_withdrawn"


class AlreadyErased(Conflict):
    """The record is erased already (SPEC R17)."""

    code = "already_erased"


class StrategyMemory(Conflict):
    """What was asked is not for strategy memory: its standing is what moves (SPEC M3, R17)."""

    code = "strategy_memory"


class NotARule(Conflict):
    """Only rules are deprecated by hand (SPEC O5)."""

    code = "not_a_rule"


class AlreadyEnded(Conflict):
    """The standing is expired, deprecated or merged already."""

    code = "already_ended"


class NotEnded(Conflict):
    """The standing is live, so that there is nothing to restore."""

    code = "not_ended"


class StandingMerged(Conflict):
    """The standing is merged into another, which stands for it (SPEC M9)."""

    code = "standing_merged"


class AuditRecord(Conflict):
    """The record is no strategy memory: this route does not delete it (SPEC E6)."""

    code = "audit_record"


class NotOneOwner(Refused):
    """Agents of different owners: none of them reads the other (SPEC M10)."""

    code = "not_one_owner"


class SharingOff(Conflict):
    """The agent does not share with the community (SPEC M8)."""

    code = "sharing_off"


class MemoryEnded(Conflict):
    """A strategy memory that is expired, or merged into another, is not shared."""

    code = "memory_ended"


class NotMerged(Conflict):
    """No merge into this memory is left to be undone, or it is merged itself (SPEC M9)."""

    code = "not_merged"


class IdempotencyConflict(Conflict):
    """The key was used for another write, or for a record that is erased (SPEC R13)."""

    code = "idempotency_conflict"


class NameTaken(Conflict):
    """The owner has one of that name already."""

    code = "name_taken"


class InvalidMemoryLink(Refused):
    """A link's target does not exist or is another agent's; both are answered alike (SPEC R7)."""

    code = "invalid_memory_link"

    def __init__(self, index: int) -> None:
        super().__init__(
            f"links[{index}].target_memory_id is unavailable; copy the exact ID from "
            "authorized same-agent context and retry once",
            link_index=index,
        )


class InvalidMemoryTarget(Refused):
    """A target is not an active instrument that the agent has selected (SPEC R8)."""

    code = "invalid_memory_target"

    def __init__(self, index: int) -> None:
        super().__init__(
            f"instruments[{index}] is not an active instrument selected by this agent",
            instrument_index=index,
        )


class CommunityGate(Refused):
    """Too little stands behind a memory to share it; `missing` names what (SPEC M8)."""

    code = "community_gate"
