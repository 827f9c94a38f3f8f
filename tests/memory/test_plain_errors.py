"""What is wrong is told in words for whoever sent it, not in this program's own (SPEC R9, E2)."""

import json
from typing import Any

import pytest

from tests.desk import Desk, note

OURS = ("sys.", "instance of", "after validation", "Confidence", "dictionary")


def send(desk: Desk, body: str) -> Any:
    answer = desk.client().generic(
        "POST", desk.path("memories/"), body, content_type="application/json"
    )
    told = answer.content.decode()
    assert not [word for word in OURS if word in told]
    return answer


@pytest.mark.spec("R9", "R10", "E2")
def test_a_number_of_too_many_digits_is_refused_as_such(desk: Desk) -> None:
    answer = send(desk, '{"metadata": {"n": ' + "9" * 5_000 + "}}")
    assert answer.status_code == 400
    assert answer.json()["error"] == "the body holds a whole number of too many digits"
    assert send(desk, '{"a": 1, "a": 2}').json()["error"].endswith("the key 'a' is given twice")
    assert send(desk, '{"a": NaN}').json()["error"] == "the body is not JSON: NaN is not JSON"


@pytest.mark.spec("R9", "R10", "E2")
@pytest.mark.parametrize(
    ("wrong", "place"), [({"tags": [""]}, "tags"), ({"metadata": [1]}, "metadata")], ids=str
)
def test_what_is_wrong_with_a_body_is_told_plainly(
    desk: Desk, wrong: dict[str, Any], place: str
) -> None:
    answer = send(desk, json.dumps(note(**wrong)))
    assert answer.status_code == 400
    assert list(answer.json()["fields"]) == [place]


@pytest.mark.spec("H2")
def test_what_cannot_be_read_of_a_handoff_is_told_plainly(desk: Desk) -> None:
    metadata = {"handoff_version": 1, "interpretation": {"confidence": 0.7}}
    answer = send(desk, json.dumps(note(metadata=metadata)))
    assert answer.status_code == 201
    assert answer.json()["handoff_warnings"] == [
        "interpretation.confidence: must be an object",
    ]
