"""The status and deadline of corrections, as a pure function (SPEC C3, C7, C8)."""

from datetime import UTC, datetime, timedelta
from random import Random
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.policies.corrections import Evidence, Grade, earliest, graded
from memory.policies.visibility import Status

START = datetime(2026, 9, 30, 12, 0, tzinfo=UTC)
NEVER = None


def at(minutes: int | None) -> datetime | None:
    return None if minutes is None else START + timedelta(minutes=minutes)


def moment(minutes: int) -> datetime:
    return START + timedelta(minutes=minutes)


class Board:
    """Records by a letter, each the newest of its lane until it is taken away."""

    def __init__(self) -> None:
        self.kept: dict[str, Evidence] = {}
        self.ids: dict[str, UUID] = {}

    def put(
        self,
        name: str,
        deadline: int | None,
        *,
        corrects: str = "",
        enabled: bool = True,
        withdrawn: bool = False,
    ) -> "Board":
        """Add a record; `corrects` are the letters of its originals, taken away or not."""
        self.ids[name] = UUID(int=len(self.ids) + 1)
        self.kept[name] = Evidence(
            id=self.ids[name],
            seq=len(self.ids),
            deadline=at(deadline),
            producer_enabled=enabled,
            withdrawn=withdrawn,
            originals=tuple(self.ids[one] for one in corrects),
        )
        return self

    def take(self, name: str) -> "Board":
        """Let a record leave its lane."""
        del self.kept[name]
        return self

    def told(self, *, minute: int) -> dict[str, tuple[Status, int | None]]:
        """Return letter → (status, deadline in minutes)."""
        grades = graded(self.kept.values(), now=moment(minute))
        return {
            name: (grade.status, _minutes(grade))
            for name, one in self.kept.items()
            for grade in [grades[one.id]]
        }


def _minutes(grade: Grade) -> int | None:
    return None if grade.deadline is None else (grade.deadline - START) // timedelta(minutes=1)


def chain() -> Board:
    """Return O, A that corrects it, and B that corrects A."""
    return Board().put("O", 60).put("A", 90, corrects="O").put("B", 100, corrects="A")


@pytest.mark.spec("C7", "C8")
def test_a_chain_lives_no_longer_than_its_first_original() -> None:
    assert chain().told(minute=5) == {
        "O": ("fresh", 60),
        "A": ("fresh", 60),
        "B": ("fresh", 60),
    }
    assert {how for how, _ in chain().told(minute=59).values()} == {"fresh"}
    assert {how for how, _ in chain().told(minute=60).values()} == {"stale"}


@pytest.mark.spec("C7", "C8")
def test_supersession_travels_up_the_chain() -> None:
    board = chain().take("O").put("N", 200)
    assert board.told(minute=5) == {
        "A": ("superseded", 90),
        "B": ("superseded", 100),
        "N": ("fresh", 200),
    }


@pytest.mark.spec("C8")
def test_the_deadline_of_a_superseded_original_no_longer_counts() -> None:
    board = Board().put("O", 30).put("A", 40, corrects="O").put("P", 50)
    board.put("D", 100, corrects="AP")
    assert board.told(minute=5)["D"] == ("fresh", 30)
    board.take("O")
    assert board.told(minute=5)["A"] == ("superseded", 40)
    assert board.told(minute=49)["D"] == ("fresh", 50)
    assert board.told(minute=50)["D"] == ("stale", 50)


@pytest.mark.spec("C6", "C8")
def test_a_correction_whose_lane_was_taken_is_no_current_original() -> None:
    board = chain().put("Z", 95, corrects="O").take("A")
    assert board.told(minute=5) == {
        "O": ("fresh", 60),
        "B": ("superseded", 100),
        "Z": ("fresh", 60),
    }


@pytest.mark.spec("C7")
def test_the_earliest_of_several_current_originals_caps() -> None:
    board = Board().put("X", 20).put("Y", 40).put("C", 200, corrects="XY")
    assert board.told(minute=5)["C"] == ("fresh", 20)
    assert board.told(minute=20)["C"] == ("stale", 20)
    board.take("X").put("N", 300)
    assert board.told(minute=20)["C"] == ("fresh", 40)


@pytest.mark.spec("C7")
@pytest.mark.parametrize(
    ("original", "own", "told"),
    [
        (NEVER, NEVER, ("fresh", NEVER)),
        (NEVER, 30, ("fresh", 30)),
        (30, NEVER, ("fresh", 30)),
        (4, NEVER, ("stale", 4)),
        (5, 30, ("stale", 5)),
        (6, 30, ("fresh", 6)),
    ],
)
def test_no_deadline_is_the_latest_there_is(
    original: int | None, own: int | None, told: tuple[Status, int | None]
) -> None:
    board = Board().put("O", original).put("A", own, corrects="O")
    assert board.told(minute=5)["A"] == told


@pytest.mark.spec("C3", "C7", "R15")
@pytest.mark.parametrize("deadline", [NEVER, 3, 30])
@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("withdrawn", [True, False])
@pytest.mark.parametrize("alive", [True, False])
def test_withdrawn_goes_before_superseded_before_stale_before_disabled(
    deadline: int | None, enabled: bool, withdrawn: bool, alive: bool
) -> None:
    board = Board().put("O", NEVER)
    board.put("A", deadline, corrects="O", enabled=enabled, withdrawn=withdrawn)
    if not alive:
        board.take("O")
    status, shown = board.told(minute=5)["A"]
    assert shown == deadline
    assert status == (
        "withdrawn"
        if withdrawn
        else "superseded"
        if not alive
        else "stale"
        if deadline == 3
        else "fresh"
        if enabled
        else "disabled"
    )


@pytest.mark.spec("C7", "R15")
def test_a_disabled_producers_original_is_current_and_a_withdrawn_one_is_not() -> None:
    board = Board().put("O", 60, enabled=False).put("A", 90, corrects="O")
    assert board.told(minute=5) == {"O": ("disabled", 60), "A": ("fresh", 60)}
    board = Board().put("O", 60, withdrawn=True).put("A", 90, corrects="O")
    assert board.told(minute=5) == {"O": ("withdrawn", 60), "A": ("superseded", 90)}


@pytest.mark.spec("C7")
def test_a_stale_original_is_current_and_makes_its_correction_stale() -> None:
    board = Board().put("O", 3).put("A", 90, corrects="O")
    assert board.told(minute=5) == {"O": ("stale", 3), "A": ("stale", 3)}


@pytest.mark.spec("C17")
def test_what_corrects_nothing_is_no_correction() -> None:
    assert Board().put("A", NEVER).told(minute=5) == {"A": ("fresh", NEVER)}


@pytest.mark.spec("C8")
@pytest.mark.parametrize("rooted", [True, False])
def test_a_chain_of_any_length_is_graded(rooted: bool) -> None:
    length = 5_000
    links = [
        Evidence(
            id=UUID(int=i + 1),
            seq=i + 1,
            deadline=moment(100 + i),
            producer_enabled=True,
            originals=(UUID(int=i),) if i else (),
        )
        for i in range(length)
    ]
    # In no particular order.
    grades = graded(reversed(links if rooted else links[1:]), now=START)
    top = grades[UUID(int=length)]
    assert top == (
        Grade("fresh", moment(100)) if rooted else Grade("superseded", moment(99 + length))
    )


@st.composite
def boards(draw: st.DrawFn) -> list[Evidence]:
    """Return records that correct older ones, some of which are the newest of no lane."""
    evidence: list[Evidence] = []
    for number in range(draw(st.integers(0, 12))):
        older = [UUID(int=i) for i in range(number)]
        evidence.append(
            Evidence(
                id=UUID(int=number),
                seq=number,
                deadline=at(draw(st.sampled_from([NEVER, -1, 0, 1, 2]))),
                producer_enabled=draw(st.booleans()),
                withdrawn=draw(st.sampled_from([False, False, True])),
                originals=tuple(
                    draw(st.lists(st.sampled_from(older), max_size=3, unique=True)) if older else ()
                ),
            )
        )
    return draw(st.permutations([one for one in evidence if draw(st.integers(0, 3))]))


@pytest.mark.spec("C3", "C7", "C8")
@given(board=boards())
def test_grades_equal_the_words_of_the_specification(board: list[Evidence]) -> None:
    here = {one.id: one for one in board}

    def current(original: UUID) -> bool:
        return original in here and status(here[original]) not in {"withdrawn", "superseded"}

    def deadline(one: Evidence) -> datetime | None:
        caps = [deadline(here[original]) for original in one.originals if current(original)]
        return earliest(one.deadline, *caps)

    def status(one: Evidence) -> Status:
        if one.withdrawn:
            return "withdrawn"
        if one.originals and not any(map(current, one.originals)):
            return "superseded"
        capped = deadline(one)
        if capped is not None and capped <= START:
            return "stale"
        return "fresh" if one.producer_enabled else "disabled"

    assert graded(board, now=START) == {one.id: Grade(status(one), deadline(one)) for one in board}


@pytest.mark.spec("C7", "C13")
@given(board=boards(), dice=st.randoms(use_true_random=False))
def test_what_is_fresh_without_the_far_ends_of_chains_is_fresh_with_them(
    board: list[Evidence], dice: Random
) -> None:
    def is_past(one: Evidence) -> bool:
        return one.deadline is not None and one.deadline <= START

    near = {original for one in board if not is_past(one) for original in one.originals}
    far = [one for one in board if one.originals and is_past(one) and one.id not in near]
    gone = {one.id for one in far if dice.random() < 0.5}
    known = [one for one in board if one.id not in gone]
    whole = graded(board, now=START)
    cut = graded(known, complete=False, now=START)
    for one in known:
        if cut[one.id].status == "fresh":
            assert whole[one.id].status == "fresh"
