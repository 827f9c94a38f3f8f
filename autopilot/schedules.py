"""When which job of the autopilot is due (SPEC J3)."""

from memory.schedules import Every

SCHEDULES = (
    Every("autopilot.tasks.session_janitor", minutes=1),
    Every("autopilot.tasks.dispatch_analysis", minutes=1),
)
