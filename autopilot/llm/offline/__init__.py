"""No model: each role as deterministic code that reads the same material (SPEC L2)."""
