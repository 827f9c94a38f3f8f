"""The built-in analyst, offline: indicators over stored candles, written as handoffs (H3, A12).

It needs no model and no network, and every record it writes says so. Each handoff quotes the id
of a stored indicator run and the bars it was computed on; an instrument without enough bars is
labelled as an unavailable source, and so is one whose newest bar is too old, where it matters.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from autopilot.crew.lenses import Lens, Reading
from memory.models import Agent, Producer, Run
from memory.policies.freshness import iso
from memory.policies.ownership import TokenActor
from memory.schemas.answers import WrittenRecordOut
from memory.schemas.records import RecordDraft
from memory.services.publish import publish
from memory.services.runs import finish_run, start_run
from memory.services.tokens import built_in_writer
from trading.errors import BadBars, NotEnoughBars
from trading.market.bars import BarSeries
from trading.market.candles import latest
from trading.market.currency import newest
from trading.market.indicators import IndicatorResult, compute, store_run

BARS = 300
OFFLINE = "Offline analyst, no model."


@dataclass(frozen=True, slots=True)
class Analysis:
    """One finished run of the analyst: a record for each instrument."""

    run: Run
    records: list[WrittenRecordOut]


@dataclass(frozen=True, slots=True)
class Finding:
    """What the analyst makes of an instrument: a handoff's body, and the numbers it rests on.

    Without a `result` its source is unavailable. Nothing of it is stored.
    """

    body: dict[str, Any]
    result: IndicatorResult | None = None


def analyse(
    *,
    agent: Agent,
    producer: Producer,
    lens: Lens,
    instruments: Sequence[str],
    timeframe: str,
    now: datetime,
    old_bars: bool,
    evidence_boundary: datetime | None = None,
) -> Analysis:
    """Run the analyst once for `producer`: one handoff for each instrument, newest bars first.

    `old_bars`: as in `look`.

    InvalidEvidenceBoundary: as for any run. When a write is refused the run ends as failed and
    the error is raised; what was published before stays (SPEC C4).
    """
    run = start_run(producer=producer, now=now, evidence_boundary=evidence_boundary)
    writer = built_in_writer(agent=agent, producer=producer, run=run)
    records = []
    try:
        for instrument in instruments:
            finding = look(
                run=run,
                lens=lens,
                instrument=instrument,
                timeframe=timeframe,
                now=now,
                old_bars=old_bars,
            )
            records.append(write(agent=agent, writer=writer, run=run, finding=finding, now=now))
    except Exception as error:
        finish_run(run=run, status="failed", error=type(error).__name__, now=now)
        raise
    finish_run(run=run, status="succeeded", error="", now=now)
    return Analysis(run=run, records=records)


def look(
    *, run: Run, lens: Lens, instrument: str, timeframe: str, now: datetime, old_bars: bool
) -> Finding:
    """Return what there is to say about an instrument, as a version 1 handoff.

    A scheduled run looks no further than its boundary, however late it runs. Without `old_bars`
    there is no reading where the newest bar is too old for one (`trading.market.currency`); with
    it bars of any age are read, as the demo does with bars of which it says the dates.
    """
    until = run.evidence_boundary or now
    last = newest(instrument=instrument, timeframe=timeframe, at=until)
    if last is not None and not old_bars and not last.is_current(at=until):
        reason = (
            f"the newest bar closed at {last.closed_at:%Y-%m-%d %H:%M} UTC, "
            f"too long before {until:%Y-%m-%d %H:%M} UTC"
        )
        return unavailable(
            run, lens, instrument, timeframe, reason=reason, newest_closed_at=last.closed_at
        )
    bars = latest(instrument=instrument, timeframe=timeframe, now=until, count=BARS)
    try:
        result = compute(bars=bars, specs=lens.specs)
    except NotEnoughBars:
        return unavailable(run, lens, instrument, timeframe, reason="no stored bars")
    except BadBars as error:
        return unavailable(run, lens, instrument, timeframe, reason=error.message)
    if result.warming_up:
        short = max(result.warming_up.values())
        reason = f"{len(bars)} stored bars, {short} more are needed"
        return unavailable(run, lens, instrument, timeframe, reason=reason)
    observations = {name: round(value, 6) for name, value in result.values.items()}
    observations["close"] = bars.bar(len(bars) - 1).close
    reading = lens.read(observations)
    body = {
        **_head(lens, instrument, timeframe),
        "content": prose(lens, instrument, timeframe, bars, reading),
        "metadata": {
            "handoff_version": 1,
            "evidence_boundary": _boundary(run),
            "sources": [source(result)],
            "observations": observations,
            "interpretation": interpretation(reading),
        },
    }
    return Finding(body, result)


def write(
    *, agent: Agent, writer: TokenActor, run: Run, finding: Finding, now: datetime
) -> WrittenRecordOut:
    """Publish a finding with the indicator run that it quotes, together or not at all.

    Refusals are those of `publish`.
    """
    body = finding.body
    with transaction.atomic():
        if finding.result is not None:
            stored = store_run(agent=agent, run=run, result=finding.result, now=now)
            quoted = {"indicator_run_id": str(stored.id)}
            sources = [quoted | one for one in body["metadata"]["sources"]]
            body = body | {"metadata": body["metadata"] | {"sources": sources}}
        return publish(actor=writer, draft=RecordDraft.parse(body), now=now)


def unavailable(
    run: Run,
    lens: Lens,
    instrument: str,
    timeframe: str,
    *,
    reason: str,
    newest_closed_at: datetime | None = None,
) -> Finding:
    """Return a handoff that labels its only source as unavailable: no reading, and no levels."""
    age = {} if newest_closed_at is None else {"newest_closed_at": iso(newest_closed_at)}
    body = {
        **_head(lens, instrument, timeframe),
        "content": f"{instrument} {timeframe}: no reading, {reason}. {OFFLINE}",
        "metadata": {
            "handoff_version": 1,
            "evidence_boundary": _boundary(run),
            "sources": [
                {
                    "instrument_id": instrument,
                    "timeframe": timeframe,
                    "status": "unavailable",
                    "reason": reason,
                    **age,
                }
            ],
            "observations": {},
            "interpretation": {"bias": "unknown", "setup_status": "unavailable"},
        },
    }
    return Finding(body)


def source(result: IndicatorResult) -> dict[str, Any]:
    """Return where the numbers are from: the last bar that was seen."""
    last = result.bars["last"]
    return {
        "instrument_id": result.instrument,
        "timeframe": result.timeframe,
        "bar_index": last["bar_index"],
        "opened_at": iso(datetime.fromisoformat(last["opened_at"])),
        "closed_at": iso(datetime.fromisoformat(last["closed_at"])),
        "data_source": result.data_source,
    }


def interpretation(reading: Reading) -> dict[str, Any]:
    """Return what the lens makes of it; levels only where there is something to act on."""
    view: dict[str, Any] = {
        "bias": reading.bias,
        "setup_status": "ready" if reading.setup else "no_setup",
        "confidence": {"label": reading.confidence, "rationale": reading.rationale},
        "invalidation": reading.invalidation,
    }
    if reading.setup:
        view |= reading.setup
        view["cancellation"] = "Not filled by the close of the next bar"
    return view


def prose(lens: Lens, instrument: str, timeframe: str, bars: BarSeries, reading: Reading) -> str:
    """Return the short text of a handoff, with the date of the bar it speaks of."""
    closed = bars.closed_at(len(bars) - 1)
    setup = "no setup"
    if reading.setup:
        setup = "setup at {entry:g}, stop {stop:g}, target {target:g}".format(**reading.setup)
    return (
        f"{instrument} {timeframe}, bars to {closed:%Y-%m-%d %H:%M} UTC, {lens.name} lens: "
        f"{reading.bias}, {setup}. {reading.rationale}. {OFFLINE}"
    )


def _head(lens: Lens, instrument: str, timeframe: str) -> dict[str, Any]:
    return {
        "type": lens.type,
        "scope": "instruments",
        "instruments": [instrument],
        "timeframe": timeframe,
        "tags": [*lens.tags, "offline"],
    }


def _boundary(run: Run) -> str | None:
    return None if run.evidence_boundary is None else iso(run.evidence_boundary)
