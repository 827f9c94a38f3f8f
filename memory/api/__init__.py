"""REST routes of the store: parse, one domain call, translate."""
