"""Funding rates as a series. No Django here: engines use it too."""

import math
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from trading.errors import BadFunding

MAX_RATE = 1.0
"""A rate per hour beyond the whole notional is no funding rate."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FundingSeries:
    """What longs paid to shorts at each stamp, as a fraction of the notional per hour.

    Stamps are aware UTC and strictly increasing; shorts paid where the rate is negative. Raises
    BadFunding for columns of unequal length, times that do not increase, and rates that are not
    from -1 to 1.
    """

    instrument: str
    at: tuple[datetime, ...]
    rate: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.at) != len(self.rate):
            raise BadFunding("the columns of a funding series must have the same length")
        for index, (earlier, later) in enumerate(pairwise(self.at), start=1):
            if later <= earlier:
                raise BadFunding(
                    f"stamp {index} is of {later.isoformat()}, not after {earlier.isoformat()}",
                    index=index,
                )
        for index, rate in enumerate(self.rate):
            if not (math.isfinite(rate) and abs(rate) <= MAX_RATE):
                raise BadFunding(f"rate {index} is {rate}, not from -1 to 1", index=index)

    def __len__(self) -> int:
        return len(self.at)
