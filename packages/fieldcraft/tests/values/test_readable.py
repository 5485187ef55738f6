"""Values on a space: of layers, arrays, and objects of a game."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.values.readable import Values
from support.refusals import refused

WALLS = np.zeros((4, 6), dtype=bool)
WALLS[1, 2] = True
GRID = fc.Grid(walls=WALLS)
NUMBERS = np.arange(24).reshape(4, 6)


class Owned:
    """An object of a game with values on a space."""

    space = GRID
    values = NUMBERS


@pytest.mark.parametrize(
    ("given", "space"),
    [
        (Owned(), None),
        (NUMBERS, GRID),
        (NUMBERS.tolist(), GRID),
        (fc.InfluenceMap(GRID).add_layer("a", values=NUMBERS), None),
    ],
)
def test_values_are_float32_and_read_only(given: Any, space: fc.Grid | None) -> None:
    found = Values(given, space)
    assert found.values.dtype == np.float32 and not found.values.flags.writeable
    assert (found.values == NUMBERS).all()
    assert found.flat.shape == (24,)


def test_an_array_of_the_game_stays_writable() -> None:
    own = NUMBERS.astype(np.float32)
    found = Values(own, GRID)
    own[0, 0] = 7
    assert own.flags.writeable and not found.values.flags.writeable


def test_cells_that_are_no_answers() -> None:
    found = Values(NUMBERS, GRID)
    assert np.array_equal(found.closed(None), WALLS)
    closed = found.closed(NUMBERS > 12, [(0.5, 0.5), (5.5, 3.5)])
    assert closed[:2].all() and closed[3, 5] and not closed[3, :5].any()


@pytest.mark.parametrize(
    ("given", "space", "word"),
    [
        (NUMBERS, None, "array with its space"),
        (NUMBERS[:3], GRID, "shape"),
        (NUMBERS.astype(str), GRID, "numbers"),
    ],
)
def test_what_is_refused(given: Any, space: fc.Grid | None, word: str) -> None:
    with refused(InvalidValue, word):
        Values(given, space)
