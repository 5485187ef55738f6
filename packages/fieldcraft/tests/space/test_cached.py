"""What is kept beside a space: worked out once, or once for each change of walls, and gone with the
space.
"""

from __future__ import annotations

import gc
import weakref

import pytest

import fieldcraft as fc
from fieldcraft.space import Space
from fieldcraft.space.cached import cached, cached_until_walls_change


def spaces() -> list[Space]:
    grid = fc.Grid(4, 3)
    return [grid, grid.to_graph()]


@pytest.mark.parametrize("space", spaces(), ids=["grid", "graph"])
def test_is_worked_out_once(space: Space) -> None:
    asked: list[Space] = []

    @cached
    def nothing_much(space: Space) -> None:
        """It says so."""
        asked.append(space)

    @cached_until_walls_change
    def walls(space: Space) -> int:
        asked.append(space)
        return int(space.walls.sum())

    assert nothing_much(space) is nothing_much(space) is None
    assert (walls(space), walls(space)) == (0, 0)
    assert len(asked) == 2
    space.set_walls([5, 6])
    nothing_much(space)
    assert (walls(space), walls(space)) == (2, 2)
    assert len(asked) == 3
    assert walls(fc.Grid(2, 2)) == 0
    assert nothing_much.__doc__ == "It says so."


def test_a_coarser_grid_follows_the_finer_one_first() -> None:
    @cached_until_walls_change
    def walls(space: Space) -> int:
        return int(space.walls.sum())

    grid = fc.Grid(4, 2)
    coarse = grid.coarser(2.0)
    assert walls(coarse) == 0
    grid.set_walls([0, 1, 4, 5])
    assert walls(coarse) == 1


def test_what_raises_is_asked_again_and_nothing_outlives_its_space() -> None:
    found = []

    @cached
    def second_time(space: Space) -> int:
        found.append(1)
        if len(found) == 1:
            raise ValueError
        return len(found)

    space: Space = fc.Grid(4, 3)
    with pytest.raises(ValueError):
        second_time(space)
    assert second_time(space) == second_time(space) == 2
    gone = weakref.ref(space)
    del space
    gc.collect()
    assert gone() is None
