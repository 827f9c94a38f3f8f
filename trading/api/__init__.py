"""REST routes of trading."""
