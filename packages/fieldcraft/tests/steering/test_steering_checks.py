"""Checks of the arguments of steering."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.steering import steering_checks as checks
from support.refusals import refused


def test_one_stands_for_all() -> None:
    assert checks.vectors("velocities", (1, 2), 3).tolist() == [[1, 2]] * 3
    assert checks.per_agent("speed", 2, 3).tolist() == [2, 2, 2]
    assert checks.max_forces(math.inf, 2).tolist() == [math.inf, math.inf]
    array, single = checks.points((1, 2))
    assert single and array.tolist() == [[1, 2]] and not array.flags.writeable
    assert checks.vectors("velocities", [], 0).shape == (0, 2)


def test_rows_are_chosen_by_a_mask_or_by_numbers() -> None:
    rows = np.array([5, 6, 7])
    assert checks.rows_of(rows, [True, False, True]).tolist() == [5, 7]
    assert checks.rows_of(rows, [2, -3]).tolist() == [7, 5]
    assert checks.rows_of(rows, []).tolist() == []


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: checks.vectors("it", [(1, 2)], 3), ("one per agent", "(1, 2)")),
        (lambda: checks.vectors("it", [(1, 2), (3, math.nan)], 2), ("finite", "index 1")),
        (lambda: checks.per_agent("it", [1, -1], 2), ("at least 0",)),
        (lambda: checks.max_forces(-1, 2), ("at least 0",)),
        (lambda: checks.rows_of(np.arange(3), [3]), ("below 3",)),
        (lambda: checks.rows_of(np.arange(3), [0.5]), ("mask of 3",)),
        (
            lambda: checks.check_lengths("it", np.array([1.0, 1e7]), fc.Grid(4, 3, cell_size=2.0)),
            ("1,000,000 cells", "index 1"),
        ),
    ],
)
def test_what_is_refused(call: Callable[[], object], words: tuple[str, ...]) -> None:
    with refused(InvalidValue, *words):
        call()
