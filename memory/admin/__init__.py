"""Staff admin of the store."""
