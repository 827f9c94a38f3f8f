"""Everything a model is asked: analysts, advisors, sessions."""
