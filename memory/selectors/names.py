"""Canonical names of what callers call otherwise.

Which other spellings there are is known to the app that knows the exchange, and this one imports
nothing of it: a setting names the function.
"""

from collections.abc import Callable

from django.conf import settings
from django.utils.module_loading import import_string


def canonical(name: str) -> str:
    """Return the canonical name of an instrument, or `name` itself where it is nobody's."""
    resolve: Callable[[str], str] = import_string(settings.INSTRUMENT_NAMES)
    return resolve(name)
