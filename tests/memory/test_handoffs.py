"""Handoffs: what is odd about one is told with the write's answer, and refuses none."""

from datetime import datetime
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from memory.ids import new_id
from memory.policies.handoffs import warnings
from memory.schemas.handoffs import is_handoff, read
from tests.desk import Desk, make_instrument, note

BOUNDARY = "2026-09-30T12:00:00Z"
RUN = str(new_id())


def source(**more: Any) -> dict[str, Any]:
    """Return a sound source with `more` over it; ... leaves a key out."""
    told = {
        "indicator_run_id": RUN,
        "instrument_id": "ETH",
        "timeframe": "5m",
        "bar_index": 287,
        "opened_at": "2026-09-30T11:55:00Z",
        "closed_at": "2026-09-30T12:00:00Z",
        **more,
    }
    return {key: value for key, value in told.items() if value is not ...}


def view(**more: Any) -> dict[str, Any]:
    """Return a sound interpretation to act on, with `more` over it; ... leaves a key out."""
    told = {
        "bias": "long",
        "setup_status": "ready",
        "entry": 2500.5,
        "stop": 2450,
        "targets": [2600, 2700],
        "confidence": {"label": "medium", "rationale": "volume"},
        "invalidation": "a close below 2450",
        "cancellation": ["not filled by the next close", "BTC below 60000"],
        **more,
    }
    return {key: value for key, value in told.items() if value is not ...}


def handoff(**more: Any) -> dict[str, Any]:
    told = {
        "handoff_version": 1,
        "evidence_boundary": BOUNDARY,
        "sources": [source()],
        "observations": {"close": 2500.5, "rsi": 61},
        "interpretation": view(),
        "own": {"anything": ["else"]},
        **more,
    }
    return {key: value for key, value in told.items() if value is not ...}


def warned(desk: Desk, metadata: Any, **body: Any) -> list[str]:
    """Write over REST and return the warnings; the metadata is stored as given."""
    body = note(instruments=["ETH"], metadata=metadata, **body)
    answer = desk.client().post(desk.path("memories/"), body)
    assert answer.status_code == 201, answer.json()
    told: dict[str, Any] = answer.json()
    assert metadata.items() <= told["metadata"].items()
    found: list[str] = told["handoff_warnings"]
    return found


SILENT: dict[str, dict[str, Any]] = {
    "prose alone": {},
    "another version": handoff(handoff_version=2, sources="nonsense"),
    "no version": handoff(handoff_version=..., sources="nonsense"),
    "true is not 1": handoff(handoff_version=True, sources="nonsense"),
    "a sound one": handoff(),
    "a short one": {"handoff_version": 1},
    "times in other zones": handoff(
        evidence_boundary="2026-09-30T14:00:00+02:00",
        sources=[source(opened_at="2026-09-30T13:55:00+02:00")],
    ),
    "an unavailable source": handoff(
        sources=[{"instrument_id": "ETH", "timeframe": "5m", "status": "unavailable"}],
        interpretation={"bias": "unknown", "setup_status": "unavailable"},
    ),
    "nothing to act on": handoff(interpretation=view(setup_status="no_setup", entry=...)),
    "one target": handoff(interpretation=view(targets=..., target="2600")),
    "zones": handoff(interpretation=view(entry={"low": 2490, "high": 2510}, stop=[2450, 2440])),
    "no times": handoff(sources=[source(opened_at=..., closed_at=..., bar_index=...)]),
}

ODD: dict[str, tuple[dict[str, Any], list[str]]] = {
    "a bar of another length": (
        handoff(sources=[source(), source(opened_at="2026-09-30T11:45:00Z")]),
        ["sources[1].closed_at: is not opened_at + 5m"],
    ),
    "a bar that ends before it begins": (
        handoff(sources=[source(timeframe=..., opened_at="2026-09-30T12:00:00Z")]),
        ["sources[0].closed_at: is not later than opened_at"],
    ),
    "evidence of the future": (
        handoff(
            sources=[
                source(opened_at="2026-09-30T12:00:00Z", closed_at="2026-09-30T12:05:00Z"),
                source(opened_at=..., closed_at="2026-09-30T12:00:00.000001Z"),
            ]
        ),
        [
            "sources[0]: is later than the evidence boundary",
            "sources[1]: is later than the evidence boundary",
        ],
    ),
    "another boundary than the run's": (
        handoff(evidence_boundary="2026-09-30T11:55:00Z"),
        ["evidence_boundary: is not that of the run, which is the server's to say"],
    ),
    "an unknown instrument": (
        handoff(sources=[source(instrument_id="eth")]),
        ["sources[0].instrument_id: is the canonical name of no instrument"],
    ),
    "a source that names nothing": (
        handoff(sources=[{"instrument_id": "ETH"}, {}]),
        [
            f'sources[{i}]: names neither indicator_run_id nor closed_at, and no "status": '
            '"unavailable"'
            for i in (0, 1)
        ],
    ),
    "no levels": (
        handoff(interpretation=view(entry=..., stop=..., targets=...)),
        [
            f"interpretation.{level}: is missing in an actionable handoff"
            for level in ("entry", "stop", "target")
        ],
    ),
    "an entry alone": (
        handoff(interpretation={"entry": 5}),
        [
            "interpretation.stop: is missing in an actionable handoff",
            "interpretation.target: is missing in an actionable handoff",
        ],
    ),
}

MALFORMED: dict[str, tuple[dict[str, Any], list[str]]] = {
    "an id that is retyped": (
        handoff(sources=[source(indicator_run_id="run-7")]),
        ["sources[0].indicator_run_id: is not a UUID"],
    ),
    "sources of the wrong kind": (handoff(sources="ETH 5m"), ["sources: "]),
    "a source of the wrong kind": (
        handoff(sources=["ETH", source()]),
        ["sources[0]: is no object"],
    ),
    "an interpretation of the wrong kind": (handoff(interpretation=[1]), ["interpretation: "]),
    "times that are none": (
        handoff(evidence_boundary="noon", sources=[source(opened_at=7, closed_at="2026-09-30")]),
        [
            "evidence_boundary: must be an ISO 8601 time with a zone",
            "sources[0].opened_at: must be an ISO 8601 time with a zone",
            "sources[0].closed_at: must be an ISO 8601 time with a zone",
        ],
    ),
    "a timeframe nobody has": (
        handoff(sources=[source(timeframe="7m")]),
        ["sources[0].timeframe: "],
    ),
    "a bar before the first": (handoff(sources=[source(bar_index=-1)]), ["sources[0].bar_index: "]),
    "views of the wrong kind": (
        handoff(
            interpretation=view(
                bias=1, confidence={"label": 5}, entry=True, stop=[], targets=..., invalidation=3
            )
        ),
        [
            "interpretation.bias: ",
            "interpretation.entry: is no price",
            "interpretation.stop: is no price",
            "interpretation.confidence.label: ",
            "interpretation.invalidation: is no text",
            "interpretation.entry: is missing",
            "interpretation.stop: is missing",
            "interpretation.target: is missing",
        ],
    ),
}


@pytest.mark.spec("H1", "H2", "R14")
@pytest.mark.parametrize("name", SILENT)
def test_what_is_sound_or_no_handoff_is_not_spoken_of(desk: Desk, name: str) -> None:
    assert warned(desk, SILENT[name]) == []


@pytest.mark.spec("H2")
@pytest.mark.parametrize("name", ODD)
def test_what_does_not_fit_together_is_told_by_its_place(desk: Desk, name: str) -> None:
    metadata, told = ODD[name]
    assert warned(desk, metadata) == told


@pytest.mark.spec("H2", "R16")
@pytest.mark.parametrize("name", MALFORMED)
def test_what_cannot_be_read_is_told_and_the_rest_is_read(desk: Desk, name: str) -> None:
    metadata, told = MALFORMED[name]
    found = warned(desk, metadata)
    # An unreadable source may stumble over what it then does not say; the told come first.
    assert len(found) >= len(told)
    for one, beginning in zip(found, told, strict=False):
        assert one.startswith(beginning)


@pytest.mark.spec("H2")
def test_warnings_are_few_and_short(desk: Desk) -> None:
    many = warned(desk, handoff(sources=[{"instrument_id": "x" * 300}] * 80))
    assert len(many) == 10
    assert many[0] == "sources: of 80 the first 64 are looked at"
    assert many[-1] == "and 120 more"
    assert all(len(one) <= 200 for one in many)


@pytest.mark.spec("H2")
def test_an_unscheduled_run_is_held_against_the_boundary_that_is_told(desk: Desk) -> None:
    late = handoff(evidence_boundary="2026-09-30T11:00:00Z")
    body = note(type="review", metadata=late)
    answer = desk.client("review").post(desk.path("memories/"), body).json()
    assert answer["handoff_warnings"] == ["sources[0]: is later than the evidence boundary"]
    body = note(type="review", metadata=handoff(evidence_boundary=...))
    assert desk.client("review").post(desk.path("memories/"), body).json()["handoff_warnings"] == []


@pytest.mark.spec("H2")
def test_only_sources_about_other_instruments_cost_a_statement(desk: Desk, now: datetime) -> None:
    make_instrument("SOL", now=now, is_active=False)
    counts = []
    # The first use of a token is noted, which is a statement of its own.
    for metadata in ({}, {}, handoff(), handoff(sources=[source(instrument_id="SOL")] * 3)):
        with CaptureQueriesContext(connection) as captured:
            assert warned(desk, metadata) == []
        counts.append(len(captured))
    assert counts[2:] == [counts[1], counts[1] + 1]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=12)
    | st.sampled_from([BOUNDARY, RUN, "ETH", "5m", "ready"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from([*handoff(), *source(), *view(), "status", "target", "label"]),
            inner,
            max_size=6,
        )
    ),
    max_leaves=30,
)


@pytest.mark.spec("H2", "R16")
@given(st.dictionaries(st.sampled_from([*handoff()]), JSON))
def test_nothing_that_metadata_may_hold_breaks_the_reading(metadata: dict[str, Any]) -> None:
    is_handoff(metadata)
    found = warnings(read({**metadata, "handoff_version": 1}), boundary=None, known=frozenset())
    assert len(found) <= 10
    assert all(0 < len(one) <= 200 for one in found)
