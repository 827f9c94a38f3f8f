"""Anticipated failures of trading, in the store's families (HTTP and tool errors follow those)."""

from typing import ClassVar

from memory.errors import BadRequest, NotFound, Refused, Unavailable


class BadTableFile(BadRequest):
    """A CSV file is refused as a whole. `problem` tells what is wrong, `line` where.

    Fields: problem, line (of the file, from 1; None: the file itself), column, way_out.
    """

    code: ClassVar[str] = "bad_table_file"

    def __init__(
        self, problem: str, what: str, *, way_out: str, line: int | None = None, column: str = ""
    ) -> None:
        places = ([f"line {line}"] if line else []) + ([f"column {column}"] if column else [])
        place = ", ".join(places)
        super().__init__(
            f"{place}: {what}. {way_out}" if place else f"{what}. {way_out}",
            problem=problem,
            line=line,
            column=column,
            way_out=way_out,
        )


class BadCandleFile(BadTableFile):
    """A candle file is refused as a whole."""

    code: ClassVar[str] = "bad_candle_file"


class BadFundingFile(BadTableFile):
    """A file of funding rates is refused as a whole."""

    code: ClassVar[str] = "bad_funding_file"


class BadInstrumentFile(BadRequest):
    """A list of instruments is not in one of the known shapes."""

    code: ClassVar[str] = "bad_instrument_file"


class BadBars(BadRequest):
    """Bars that cannot be a series: unsorted, impossible, or holding something not a number."""

    code: ClassVar[str] = "bad_bars"


class BadFunding(BadRequest):
    """Funding rates that cannot be a series: unsorted, or holding something that is no rate."""

    code: ClassVar[str] = "bad_funding"


class BadIndicator(BadRequest):
    """An unknown indicator function, or parameters that it does not take."""

    code: ClassVar[str] = "bad_indicator"


class UnknownTimeframe(BadRequest):
    """Not the name of a timeframe."""

    code: ClassVar[str] = "unknown_timeframe"


class UnknownInstrument(NotFound):
    """No instrument has this canonical name."""

    code: ClassVar[str] = "unknown_instrument"


class OpenBar(Refused):
    """A bar that has not closed yet was to be stored."""

    code: ClassVar[str] = "open_bar"


class NotEnoughBars(Refused):
    """There is no bar to compute an indicator over."""

    code: ClassVar[str] = "not_enough_bars"


class MarketUnavailable(Unavailable):
    """The exchange's public API cannot be reached, or answers with a failure."""

    code: ClassVar[str] = "market_unavailable"


class MarketBusy(MarketUnavailable):
    """The exchange asks to wait longer than we will. Field: retry_after, seconds."""

    code: ClassVar[str] = "market_busy"


class MarketAnswerInvalid(MarketUnavailable):
    """The exchange's answer is too large, redirects, or is not what is documented."""

    code: ClassVar[str] = "market_answer_invalid"
