"""Measurements of Tidebook by itself: `manage.py bench NAME` (see benchmarks/README.md)."""
