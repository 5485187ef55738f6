"""The referee of path finding finds each kind of fault."""

from __future__ import annotations

import numpy as np
import pytest

from research.pogema.referee import check_rules

WALLS = np.array([[0, 0, 0], [0, 1, 0]], dtype=bool)


@pytest.mark.parametrize(
    ("cells", "fault"),
    [
        ([[0, 2], [3, 4]], "in a wall"),
        ([[0, 5], [2, 5]], "farther"),
        ([[2, 5], [3, 5]], "farther"),
        ([[0, 2], [1, 1]], "one cell after 1 steps"),
        ([[0, 1], [1, 0]], "swap"),
    ],
)
def test_a_fault_is_named(cells: list[list[int]], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        check_rules(WALLS, np.array(cells))


def test_agents_in_a_row_may_follow_each_other() -> None:
    check_rules(WALLS, np.array([[0, 1], [1, 2], [1, 5]]))
