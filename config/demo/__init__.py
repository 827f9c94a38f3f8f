"""`manage.py demo`: the main job once, on real candles, with no key and no network (SPEC U1)."""
