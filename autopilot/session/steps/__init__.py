"""The steps of a session, one module each (SPEC §10)."""

from autopilot.session.work import Steps

STEPS: Steps = {}
