"""Who is apart from whom, against pairs that are counted one by one."""

from itertools import combinations, pairwise, product
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.policies.partings import Partings

IDS = [UUID(int=number) for number in range(6)]
MEMBERS = st.lists(st.sampled_from(IDS), unique=True, max_size=6)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("join"), MEMBERS),
        # A cut list: what is before the first cut, between two, …
        st.tuples(st.just("part"), st.tuples(MEMBERS, st.sets(st.integers(1, 5)))),
    ),
    max_size=12,
)


@pytest.mark.spec("M9")
@given(steps=STEPS)
def test_two_are_apart_when_an_undo_parted_them_and_no_merge_joined_them_since(
    steps: list[tuple[str, object]],
) -> None:
    found, apart = Partings(), set[frozenset[UUID]]()
    for what, told in steps:
        if what == "join":
            assert isinstance(told, list)
            found.join(told)
            apart -= {frozenset(pair) for pair in combinations(told, 2)}
        else:
            assert isinstance(told, tuple)
            members, cuts = told
            ends = [0, *sorted(cut for cut in cuts if cut < len(members)), len(members)]
            parts = [members[a:b] for a, b in pairwise(ends)]
            found.part(parts)
            apart |= {
                frozenset(pair)
                for one, other in combinations(parts, 2)
                for pair in product(one, other)
            }
        for one, other in combinations(IDS, 2):
            assert found.has(one, other) == found.has(other, one) == ({one, other} in apart)
