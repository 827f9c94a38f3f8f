"""What must hold of the settings, checked before every command (SPEC J2)."""

import difflib
from typing import Any

from django.conf import settings
from django.core import checks
from pydantic_settings import DotEnvSettingsSource

from config.settings.environment import Settings

REPLACEMENT = 30
"""Seconds between a task's time limit and its end at the latest: its worker is replaced, its end
stored. A task that is tried again before that would run twice at once."""


@checks.register("queue")
def jobs_end_before_they_are_tried_again(**_: Any) -> list[checks.CheckMessage]:
    """Compare every time limit with the time after which the queue tries a task again."""
    from config import schedules  # noqa: PLC0415 - needs the apps

    limits: dict[str, int] = {"QUEUE_TASK_SECONDS": settings.Q_CLUSTER["timeout"]}
    try:
        for _schedule, job in schedules.declared():
            if job.name in limits:
                return [checks.Error(f"two jobs are called {job.name}", id="tidebook.E003")]
            limits[job.name] = job.seconds
    except (ImportError, TypeError) as error:
        return [checks.Error(f"a schedule is wrong: {error}", id="tidebook.E002")]
    retry = settings.Q_CLUSTER["retry"]
    found: list[checks.CheckMessage] = [
        checks.Error(
            f"{name} allows {seconds} s and the queue tries again after {retry} s",
            hint=f"QUEUE_RETRY_SECONDS must be at least {REPLACEMENT} s above every time limit.",
            id="tidebook.E001",
        )
        for name, seconds in limits.items()
        if seconds + REPLACEMENT > retry
    ]
    if max(limits.values()) >= settings.QUEUE_STALL_SECONDS:
        found.append(
            checks.Warning(
                "a task may take longer than workers may go without progress",
                hint="Set QUEUE_STALL_SECONDS above QUEUE_TASK_SECONDS and every job's time limit.",
                id="tidebook.W001",
            )
        )
    return found


@checks.register("environment")
def every_line_of_the_env_file_is_a_setting(**_: Any) -> list[checks.CheckMessage]:
    """Name the variables of `.env` that nothing reads: a misspelt one would change nothing."""
    known = {name.upper() for name in Settings.model_fields}
    names = sorted(name.upper() for name in DotEnvSettingsSource(Settings).env_vars)
    return [
        checks.Warning(
            f".env sets {name}, which is no setting", hint=_meant(name, known), id="tidebook.W002"
        )
        for name in names
        if name not in known
    ]


def _meant(name: str, known: set[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f"Did you mean {close[0]}?" if close else ".env.example lists them all."
