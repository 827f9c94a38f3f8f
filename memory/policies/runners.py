"""Who may run a producer (SPEC A12), and how long a run may stay open (SPEC J1)."""

from datetime import datetime, timedelta

from memory.policies.freshness import CYCLES
from memory.policies.timeframes import SCHEDULES, TIMEFRAMES
from memory.policies.vocabulary import LENSES, RUNNERS

WORK = timedelta(minutes=5)
"""What a built-in run may take beyond the cycle that it is for."""


def misfit(
    *, role: str, schedule: str | None, runner: str, lens: str | None, timeframe: str | None
) -> tuple[str, str] | None:
    """Return what is wrong with a producer's runner, as (field, sentence); None when it fits."""
    built_in = runner == "built_in"
    rules = (
        ("runner", runner in RUNNERS, f"runner must be one of {', '.join(RUNNERS)}"),
        (
            "runner",
            not built_in or role == "analysis",
            "the built-in analyst runs producers of the role analysis alone",
        ),
        (
            "schedule",
            not built_in or schedule is not None,
            "the built-in analyst runs at boundaries: the producer needs a schedule",
        ),
        (
            "lens",
            lens in LENSES if built_in else lens is None,
            f"lens must be one of {', '.join(LENSES)}; null for callers",
        ),
        (
            "timeframe",
            timeframe is None or (built_in and timeframe in TIMEFRAMES),
            f"timeframe must be one of {', '.join(TIMEFRAMES)}; null for callers",
        ),
    )
    return next(((field, says) for field, fits, says in rules if not fits), None)


def run_deadline(*, schedule: str | None, started_at: datetime, least: timedelta) -> datetime:
    """Return when a caller's run that is still open is failed.

    After `least`, and not before two cycles of its schedule: as long as what it writes may be
    fresh (SPEC F2).
    """
    cycles = timedelta() if schedule is None else CYCLES * SCHEDULES[schedule]
    return started_at + max(least, cycles)


def built_in_deadline(*, schedule: str, boundary: datetime, started_at: datetime) -> datetime:
    """Return when a built-in run that is still open is failed: some time into the next cycle."""
    return max(boundary + SCHEDULES[schedule], started_at) + WORK
