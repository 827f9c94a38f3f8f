"""How far a bench is; as every command tells it."""

from memory.management.progress import Progress, shown_on

__all__ = ["Progress", "shown_on"]
