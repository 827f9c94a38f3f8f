"""Ways in: streamable HTTP, lines over TCP, stdio. All serve one server object (SPEC B2)."""
