"""Pure rules: no Django, no clock, no database."""
