"""Make us_equities_daily.csv.gz from `stocks.csv.gz` of the PyPI package bokeh_sampledata 2026.1.

Run it as `python -m trading.market.data.build stocks.csv.gz us_equities_daily.csv.gz`.
"""

import csv
import gzip
import hashlib
import io
import sys
from pathlib import Path

SOURCE_SHA256 = "5abadf99b2d394f920120a27de6f0df129859d71d4cfb0bf661bcc99446ab1fd"
NAMES = {"AAPL": "xyz:AAPL", "GOOG": "xyz:GOOGL", "IBM": "xyz:IBM", "MSFT": "xyz:MSFT"}
HEADER = ("instrument", "opened_at", "open", "high", "low", "close", "volume")
DECIMALS = 6


def build(*, source: str) -> str:
    """Return our CSV from the text of theirs (Ticker, Date, Open … Volume, Adj Close).

    Prices are multiplied by the day's Adj Close / Close and the volume is divided by it, so that
    neither splits nor dividends look like moves: a total-return series, not quoted prices.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    wanted = [row for row in csv.DictReader(io.StringIO(source)) if row["Ticker"] in NAMES]
    for row in sorted(wanted, key=lambda row: (NAMES[row["Ticker"]], row["Date"])):
        factor = float(row["Adj Close"]) / float(row["Close"])
        prices = (round(float(row[name]) * factor, DECIMALS) for name in ("Open", "High", "Low"))
        close = round(float(row["Close"]) * factor, DECIMALS)
        volume = round(float(row["Volume"]) / factor, DECIMALS)
        opened_at = f"{row['Date']}T00:00:00Z"
        writer.writerow([NAMES[row["Ticker"]], opened_at, *prices, close, volume])
    return text.getvalue()


def compress(*, text: str) -> bytes:
    """Return the text as gzip without a time or a name, so that the same text is the same file."""
    return gzip.compress(text.encode(), compresslevel=9, mtime=0)


def main() -> None:
    """Build the file named second from the one named first, if that is the known one."""
    source, target = (Path(name) for name in sys.argv[1:3])
    packed = source.read_bytes()
    if hashlib.sha256(packed).hexdigest() != SOURCE_SHA256:
        raise SystemExit(f"{source.name} is not stocks.csv.gz of bokeh_sampledata 2026.1")
    made = compress(text=build(source=gzip.decompress(packed).decode()))
    target.write_bytes(made)
    sys.stdout.write(f"{hashlib.sha256(made).hexdigest()}  {target.name}\n")


if __name__ == "__main__":
    main()
