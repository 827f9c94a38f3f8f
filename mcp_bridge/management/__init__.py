"""Commands of the bridge (SPEC B1)."""
