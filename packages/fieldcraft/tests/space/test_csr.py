"""Lists of lists in two arrays."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fieldcraft.space.csr import NO_CELLS, runs, starts_of


@given(st.lists(st.integers(0, 6), max_size=20))
def test_rows_begin_where_their_number_begins(numbers: list[int]) -> None:
    ordered = sorted(numbers)
    starts = starts_of(np.array(ordered, dtype=np.int64), 7)
    assert len(starts) == 8 and starts[-1] == len(ordered)
    for number in range(7):
        assert ordered[starts[number] : starts[number + 1]] == [number] * ordered.count(number)


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5)), max_size=8))
def test_runs_are_ranges_one_after_the_other(pairs: list[tuple[int, int]]) -> None:
    starts = np.array([start for start, _ in pairs], dtype=np.int64)
    counts = np.array([count for _, count in pairs], dtype=np.int64)
    expected = [number for start, count in pairs for number in range(start, start + count)]
    assert runs(starts, counts).tolist() == expected


def test_no_cells_is_read_only() -> None:
    assert len(NO_CELLS) == 0 and not NO_CELLS.flags.writeable
