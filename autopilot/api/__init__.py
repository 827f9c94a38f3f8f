"""REST routes of the autopilot."""
