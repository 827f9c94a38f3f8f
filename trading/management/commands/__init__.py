"""Commands of trading (SPEC U3)."""
