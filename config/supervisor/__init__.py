"""Keeping the processes alive: the workers of the queue, and web, worker and bridge together."""
