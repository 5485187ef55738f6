"""Passages agree with the links of the grid."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.space.grid import passages as rules
from fieldcraft.space.grid.passages import clear_cells, passages
from support.worlds import WRAPS

ENTER = np.array([[1, 1, 0], [0, 1, 0], [0, 1, 1]], dtype=bool)
CORNERS = {
    rules.NORTH_EAST: (1, 1),
    rules.NORTH_WEST: (-1, 1),
    rules.SOUTH_EAST: (1, -1),
    rules.SOUTH_WEST: (-1, -1),
}
SIDES = {rules.EAST: (1, 0), rules.WEST: (-1, 0), rules.NORTH: (0, 1), rules.SOUTH: (0, -1)}


def random_grid(seed: int) -> fc.Grid:
    rng = np.random.default_rng(seed)
    height, width = int(rng.integers(1, 20)), int(rng.integers(1, 25))
    return fc.Grid(
        width,
        height,
        neighbors=8,
        walls=rng.random((height, width)) < 0.25,
        wrap=WRAPS[int(rng.integers(4))],
        y_up=bool(rng.random() < 0.5),
        terrain=fc.Terrain(rng.integers(0, 3, (height, width)), ENTER)
        if rng.random() < 0.4
        else None,
    )


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1))
def test_sides_are_straight_links_and_free_corners_are_diagonal_ones(seed: int) -> None:
    grid = random_grid(seed)
    steps = dict(zip(grid.neighborhood.steps, grid.link_masks, strict=True))
    found, links = passages(grid), grid.links()
    height, width = grid.shape
    for row in range(height):
        for column in range(width):
            own = int(found[height - 1 - row if grid.y_up else row, column])
            if grid.walls[row, column]:
                assert own == rules.WALL
                continue
            for bit, (dx, dy) in (SIDES | CORNERS).items():
                dy = -dy if grid.y_up else dy
                r, c = row + dy, column + dx
                inside = (grid.wraps_y or 0 <= r < height) and (grid.wraps_x or 0 <= c < width)
                linked = inside and bool(links[r % height, c % width] & steps[dx, dy])
                if bit in SIDES:
                    assert (own & bit == 0) == linked
                else:
                    sides = [
                        side
                        for side, (sx, sy) in SIDES.items()
                        if (sx, 0) == (dx, 0) or (0, -sy if grid.y_up else sy) == (0, dy)
                    ]
                    assert len(sides) == 2
                    assert (own & (bit | sides[0] | sides[1]) == 0) == linked


def test_kept_and_read_only() -> None:
    grid = fc.Grid(5, 3)
    assert passages(grid) is passages(grid)
    with pytest.raises(ValueError, match="read-only"):
        passages(grid)[0, 0] = 1
    old = passages(grid)
    grid.set_walls(7)
    assert passages(grid) is not old
    assert passages(grid)[1, 2] == rules.WALL


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.integers(0, 4))
def test_clear_cells_have_nothing_blocked_around_them(seed: int, rings: int) -> None:
    rng = np.random.default_rng(seed)
    height, width = int(rng.integers(1, 20)), int(rng.integers(1, 25))
    grid = fc.Grid(
        width,
        height,
        walls=rng.random((height, width)) < 0.02,
        wrap=WRAPS[int(rng.integers(4))],
        y_up=bool(rng.random() < 0.5),
    )
    for _ in range(2):
        blocked, found = passages(grid), clear_cells(grid, rings)
        for row in range(height):
            for column in range(width):
                rows = np.arange(row - rings, row + rings + 1)
                columns = np.arange(column - rings, column + rings + 1)
                if grid.wraps_y:
                    rows = rows % height
                if grid.wraps_x:
                    columns = columns % width
                rows = rows[(rows >= 0) & (rows < height)]
                columns = columns[(columns >= 0) & (columns < width)]
                around = blocked[np.ix_(rows, columns)]
                assert found[row, column] == (not around.any())
        assert clear_cells(grid, rings) is found
        grid.set_walls(int(rng.integers(len(grid))))


def test_more_rings_than_pay() -> None:
    assert not clear_cells(fc.Grid(9, 7, wrap=True), 99).any()
    assert clear_cells(fc.Grid(9, 7, wrap=True), 8).all()


@pytest.mark.parametrize("wrap", WRAPS)
def test_terrain_of_a_single_class_changes_nothing(wrap: fc.Wrap) -> None:
    walls = np.array([[0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]], dtype=np.bool_)
    meadow = fc.Terrain(np.zeros(walls.shape, dtype=np.int64), [[True]])
    found = passages(fc.Grid(walls=walls, terrain=meadow, wrap=wrap))
    np.testing.assert_array_equal(found, passages(fc.Grid(walls=walls, wrap=wrap)))
