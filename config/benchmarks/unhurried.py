"""Limits of calls for benches: counted as ever, and never reached."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from django.test.utils import override_settings

from memory.policies.rates import KINDS

HIGH = "100000000/s"


@contextmanager
def unhurried() -> Iterator[None]:
    """Let nobody be told to wait, here or in processes that are started, until the block ends."""
    variables = {f"RATE_{kind.upper()}": HIGH for kind in KINDS}
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        with override_settings(RATE_LIMITS=dict.fromkeys(KINDS, HIGH)):
            yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value
