"""Searches for footprints on grids against the oracle, and many of them in one call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import fieldcraft as fc
from fieldcraft import kernels
from fieldcraft.kernels.radial.radial_arrays import Emissions, LinkedGrid, SquareWeights
from fieldcraft.kernels.trail.stamp_units import SCALE
from fieldcraft.layers.propagation.radial.walks_on_grid import GridScratch, step_vectors
from oracles import radial as oracle
from support.worlds import KNIGHT_AND_CORNER, WRAPS, GridWorld

NEIGHBORS = [
    4,
    8,
    KNIGHT_AND_CORNER,
    [(0, 1), (3, 0), (-1, 0)],
    [(1, 0), (-1, 0), (0, 1), (0, -1), (2, 2), (-2, -2)],
]
RADII = st.sampled_from([0.4, 1.0, 2.5, 7.0, 11.3, 60.0])


@dataclass(frozen=True)
class World(GridWorld):
    """A map and the seed of all that happens on it."""

    shares: ClassVar[tuple[float, float, float]] = (0.5, 0.45, 0.05)

    seed: int


WORLDS = st.builds(
    World,
    width=st.integers(1, 50),
    height=st.integers(1, 50),
    neighbors=st.sampled_from(NEIGHBORS),
    wrap=st.sampled_from(WRAPS),
    walls=st.sampled_from([0.0, 0.1, 0.35]),
    has_terrain=st.booleans(),
    seed=st.integers(0, 2**16),
)


def ground(grid: fc.Grid) -> LinkedGrid:
    links = grid.links()
    masks = np.array([1 << k for k in range(len(grid.neighborhood.steps))], dtype=links.dtype)
    return LinkedGrid(links, masks, *step_vectors(grid), grid.wrap_flags)


def scratch_for(grid: fc.Grid, reach: int) -> GridScratch:
    """Scratch of which nothing was written yet that a search may read."""
    scratch = GridScratch(reach, len(grid), step_vectors(grid)[1])
    for array in (scratch.cells, scratch.distances, *scratch.of_paths[2:]):
        array[:] = -7
    return scratch


def connected(grid: fc.Grid, cell: int, radius: float, scratch: GridScratch) -> dict[int, float]:
    scratch.mark += 2
    count = kernels.radial.radial_search.connected(
        ground(grid),
        cell,
        (0.0, 0.0),
        radius,
        scratch.mark,
        scratch.cells,
        scratch.squares,
        scratch.seen,
    )
    return found(scratch.cells[:count], scratch.squares[:count])


def path(
    grid: fc.Grid,
    cell: int,
    limit: int,
    scratch: GridScratch,
    extra: NDArray[np.int64] | None = None,
) -> dict[int, float]:
    scratch.mark += 2
    searched = (ground(grid), extra, cell, limit, scratch.mark)
    count = kernels.radial.radial_search.path(
        *searched, scratch.cells, scratch.distances, scratch.of_paths
    )
    return found(scratch.cells[:count], scratch.distances[:count])


def found(cells: NDArray[np.int64], distances: NDArray[Any]) -> dict[int, float]:
    assert len(np.unique(cells)) == len(cells)
    return dict(zip(cells.tolist(), distances.tolist(), strict=True))


@settings(max_examples=25)
@given(WORLDS, RADII, st.booleans())
def test_searches_find_what_the_oracle_finds(world: World, radius: float, resists: bool) -> None:
    rng = np.random.default_rng(world.seed)
    grid, cell = world.grid(), int(rng.integers(world.width * world.height))
    links, _, steps, lengths, wrap = ground(grid)
    scratch, limit = scratch_for(grid, int(radius)), int(radius * oracle.LENGTH_SCALE)
    extra = None
    if resists:
        extra = rng.integers(0, 1 << 28, world.shape) * rng.integers(0, 2, world.shape)
        extra[rng.random(world.shape) < 0.1] = 1 << 55
    for _ in range(2):  # scratch serves many searches
        assert connected(grid, cell, radius, scratch) == oracle.connected(
            links, steps, cell, radius, wrap
        )
        expected = oracle.path(links, steps, lengths, cell, limit, wrap, extra)
        assert path(grid, cell, limit, scratch, extra) == expected


@settings(max_examples=16)
@given(WORLDS, st.sampled_from([1.0, 4.5]), st.floats(-3, 3), st.floats(-3, 3))
def test_connected_measures_from_a_point(
    world: World, radius: float, right: float, down: float
) -> None:
    world = World(**world.__dict__ | {"wrap": False})
    grid = world.grid()
    cell = int(np.random.default_rng(world.seed).integers(len(grid)))
    scratch = scratch_for(grid, int(radius + 3))
    count = kernels.radial.radial_search.connected(
        ground(grid),
        cell,
        (right, down),
        radius,
        1,
        scratch.cells,
        scratch.squares,
        scratch.seen,
    )
    cells = scratch.cells[:count]
    x, y = cells % grid.width - cell % grid.width, cells // grid.width - cell // grid.width
    np.testing.assert_allclose(scratch.squares[:count], (x - right) ** 2 + (y - down) ** 2)
    assert cells[0] == cell
    assert (scratch.squares[1:count] <= radius**2).all()


@settings(max_examples=16)
@given(WORLDS, st.integers(0, 6))
def test_many_at_once_are_one_after_the_other(world: World, count: int) -> None:
    rng, grid = np.random.default_rng(world.seed), world.grid()
    radii, weights = np.array([0.5, 2.0, 6.5]), rng.uniform(-1, 1, 50)
    starts = np.array([0, 1, 6])
    cells, numbers = rng.integers(0, len(grid), count), rng.integers(0, 3, count)
    strengths = rng.normal(size=count) * SCALE
    scratch, expected = scratch_for(grid, 6), np.zeros(grid.shape, np.int64)
    for cell, strength, number in zip(cells.tolist(), strengths, numbers, strict=True):
        for there, square in connected(grid, cell, radii[number], scratch).items():
            weight = weights[starts[number] + int(square)]
            expected.reshape(-1)[there] += int(np.rint(strength * weight))
    sums, dirty = np.zeros(grid.shape, np.int64), np.zeros((7, 2), np.uint8)
    scratch.mark = kernels.radial.radial_search.connected_many(
        ground(grid),
        Emissions(cells, strengths, numbers),
        SquareWeights(radii, weights, starts),
        scratch.mark,
        sums,
        dirty,
        scratch.cells,
        scratch.squares,
        scratch.seen,
    )
    np.testing.assert_array_equal(sums, expected)
    assert dirty[np.nonzero(sums)[0] // 8, np.nonzero(sums)[1] // 32].all()


@settings(max_examples=25)
@given(WORLDS, st.sampled_from([0, 1, 3, 60]))
def test_open_boxes(world: World, reach: int) -> None:
    grid = world.grid()
    walls, cells = grid.walls, np.arange(world.width * world.height)
    is_open = np.zeros(len(cells), np.bool_)
    reaches = np.full(len(cells), reach)
    kernels.radial.radial_search.open_boxes(walls, cells, reaches, grid.wrap_flags, is_open)
    for cell in cells[:: max(1, len(cells) // 20)].tolist():
        row, column = divmod(cell, world.width)
        box = walls[
            max(row - reach, 0) : row + reach + 1, max(column - reach, 0) : column + reach + 1
        ]
        side = 2 * reach + 1
        cut_y = grid.wraps_y and box.shape[0] < side
        cut_x = grid.wraps_x and box.shape[1] < side
        assert is_open[cell] == (not box.any() and not cut_y and not cut_x)
