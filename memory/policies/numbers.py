"""Numbers in JSON that came from elsewhere."""

import math


def finite(value: object) -> float | int | None:
    """Return a number that can be reckoned with; None for anything else, a truth value among it.

    JSON has whole numbers of any length, and a float holds none beyond 1.8e308.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return value if math.isfinite(value) else None
    except OverflowError:
        return None
