"""Shapes of what comes in and goes out, as pydantic models. No Django here."""
