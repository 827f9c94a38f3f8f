"""The closed word lists of the store (SPEC R1, R2, R11, R12), shared by models and schemas."""

ROLES = ("analysis", "trading", "review", "autopilot")
SCOPES = ("agent", "instruments")
RUN_STATUSES = ("running", "succeeded", "failed")
RUNNERS = ("caller", "built_in")
"""Who runs a producer: callers with its tokens, or the server at each boundary (SPEC A12)."""
LENSES = ("trend", "reversion")
"""How the built-in analyst may look at a market."""
LINK_TYPES = ("evidence", "corrects", "supports", "contradicts", "derived_from", "outcome_of")
RECORD_EVENTS = ("withdrawn", "restored", "erased")
"""What can be done to a record after the write (SPEC R15, R17)."""
TYPE_PATTERN = r"^[a-z][a-z0-9_]{0,63}$"
EVENT_PATTERN = r"^[a-z][a-z_]{0,31}$"
"""A word of a ledger: what happened, or what kind of cause it had."""

RESERVED_TYPES: dict[str, str] = {
    "trading_decision": "trading",
    "review": "review",
    "agent_learnings": "review",
    "rule": "autopilot",
    "strategy_insight": "autopilot",
    "optimization": "autopilot",
}
"""Type → the one role that may write it. Any other valid type is open to analysis (R12)."""

TIERS = ("rule", "strategy_insight", "optimization")
"""The types of strategy memory: each of their records has a standing (SPEC M1)."""
SHARED_TIERS = ("rule", "strategy_insight")
"""The tiers of which copies may be shared (SPEC M8)."""
SHARED_EVENTS = ("shared", "confirmed", "contradicted", "deprecated", "renewed")
"""What happens to a copy."""
AUDIT_TYPES = tuple(name for name in RESERVED_TYPES if name not in TIERS)
"""The reserved types of what was done: history, which only staff erase (SPEC R17, E6)."""
STRATEGY_TYPES = ("breakout", "mean_reversion", "trend_following", "scalping", "momentum")
OUTCOMES = ("success", "failure")
VISIBILITIES = ("private", "community")
PLANS = ("free", "pro")
"""What an agent's plan is called; some strategy blocks need pro (SPEC A5)."""


def may_write(role: str, type_: str) -> bool:
    """Tell whether `role` may write records of `type_` (R12).

    A reserved type belongs to its role alone; every other type belongs to analysis.
    """
    return RESERVED_TYPES.get(type_, "analysis") == role


def types_of(role: str) -> str:
    """Return the types that `role` may write, in words."""
    reserved = ", ".join(type_ for type_, owner in RESERVED_TYPES.items() if owner == role)
    return reserved or "any type that is not reserved for another role"
