"""Queries on grids, by kernels for squares."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.words import OUTSIDE, IfOutside
from fieldcraft.kernels.radial.radial_arrays import LinkedGrid
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.kernels.values.best_rule import BestRule
from fieldcraft.layers.propagation.radial.walks import counted_walk
from fieldcraft.layers.propagation.radial.walks_on_grid import GridScratch, step_vectors
from fieldcraft.query.queries import Lottery, Personal, Queries, Steps
from fieldcraft.space import Grid
from fieldcraft.space.cached import cached
from fieldcraft.space.cells import too_far
from fieldcraft.space.grid.grid_steps import grid_ground
from fieldcraft.space.regions import moves_beside
from fieldcraft.space.space_ranges import at_spacing, largest_coordinate, within_range
from fieldcraft.values.bands import run_in_bands
from fieldcraft.values.exclusion import squares_around
from fieldcraft.values.expression import Expression
from fieldcraft.values.readable import Cells, Floats
from fieldcraft.values.sampling import grid_points, obstacles_of, refuse_off_map

Mask = NDArray[np.bool_]

_MOST_UNUSED = 4  # So many arrays for queries of few cells wait for another query.
_FEW_OF_ALL = 1 / 32  # Up to this share of the cells are computed one by one in less time,
_AS_MANY_CELLS = 2_048  # and to begin takes as long as so many of them.
# Each thread gets at least so many positions, cells to compare, stretches of paths, or cells to
# walk over.
_SLOPES_PER_THREAD = 1_000
_CELLS_PER_THREAD = 200_000
_STRETCHES_PER_THREAD = 5_000
_WALKED_PER_THREAD = 5_000


class GridValues(Queries):
    """Values on a grid."""

    space: Grid

    @property
    def walls(self) -> Mask:
        """The walls, which kernels only read."""
        return read_only(self.space.walls)

    def places(self, points: Floats) -> Floats:
        """Return positions on the map in cells from the origin, (N, 2), as kernels take them; those
        off the map are moved to its rim.
        """
        places = np.empty((len(points), 2))
        frame = self.space.layout.frame
        refused = kernels.shared.places.columns_and_rows(points, frame, places)
        if refused >= 0:
            raise too_far(points[refused])
        return places

    def gradient(
        self, positions: ArrayLike, smooth: bool, outside: IfOutside
    ) -> tuple[Floats, bool]:
        """See `Queries.gradient`."""
        points, single = grid_points(positions)
        found = np.empty((len(points), 2))
        space = self.space
        off_map = np.full(1, -1, dtype=np.int64)
        clamp = checks.choice("outside", outside, OUTSIDE) == "clamp"
        inputs = (self.values, obstacles_of(space), points, space.layout.frame, clamp, smooth)
        run_in_bands(
            kernels.values.sample.gradient,
            inputs,
            (off_map, found),
            len(points),
            _SLOPES_PER_THREAD,
        )
        refuse_off_map(space, points, off_map, outside)
        return found, single

    def along(
        self, paths: list[Floats], outside: IfOutside
    ) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """See `Queries.along`."""
        space = self.space
        starts = np.zeros(len(paths) + 1, dtype=np.int64)
        np.cumsum([len(each) for each in paths], out=starts[1:])
        if paths:
            points = np.concatenate(paths)
        else:
            points = np.empty((0, 2))
        with np.errstate(over="ignore", invalid="ignore"):
            space.cell_at(points, outside=outside)
        sums, lengths, highest = (np.empty(len(paths)) for _ in range(3))
        where = np.empty((len(paths), 2))
        least = _STRETCHES_PER_THREAD * len(paths) // (len(points) + 1) + 1
        inputs = (self.values, self.places(points), starts, space.y_up, space.wrap_flags)
        outputs = (sums, lengths, highest, where)
        run_in_bands(kernels.values.route.along, inputs, outputs, len(paths), least)
        means = highest.copy()
        moving = lengths > 0
        np.divide(sums, lengths, out=means, where=moving)
        if space.wraps_x:
            where[:, 0] %= space.width
        if space.wraps_y:
            where[:, 1] %= space.height
        size = space.cell_size
        return sums * size, lengths * size, means, highest, where * size + space.origin

    def best(
        self,
        points: Floats,
        radius: float,
        wanted: int,
        spacing: float,
        closed: Mask,
        walk: float | None,
        sign: np.float32,
        lottery: Lottery | None = None,
    ) -> Cells:
        """See `Queries.best`."""
        space = self.space
        places = self.places(points)
        cells = np.empty((len(points), wanted), dtype=np.int64)
        cells.fill(-1)
        rule = self._rule(radius, spacing, sign)
        taken = closed.view(np.uint8)
        if walk is not None:
            self._best_on_foot(points, places, taken, walk, rule, lottery, cells)
            return cells
        in_turn = False
        if lottery is not None:
            inputs: tuple[Any, ...] = (
                self.values,
                places,
                lottery.draws,
                rule,
                lottery.share,
                in_turn,
            )
            least = int(_CELLS_PER_THREAD / (wanted * min(9 * rule.reach2 + 1, len(space)))) + 1
            kernel = kernels.values.best.best_within
            run_in_bands(kernel, inputs, (cells, taken), len(points), least)
            return cells
        highest = self._tile_bounds(closed, sign, len(points) * wanted, rule.reach2)
        inputs = (self.values, highest, places, rule, in_turn)
        least = int(_CELLS_PER_THREAD / (wanted * min(3 * rule.reach2 + 1, self.values.size))) + 1
        run_in_bands(kernels.values.best.best, inputs, (cells, taken), len(points), least)
        return cells

    def best_each(
        self,
        personal: Personal,
        points: Floats,
        radius: float,
        wanted: int,
        spacing: float,
        closed: Mask,
        walk: float | None,
        sign: np.float32,
        lottery: Lottery | None = None,
    ) -> tuple[Cells, NDArray[np.float32]]:
        """See `Queries.best_each`."""
        if walk is not None or lottery is not None:
            return super().best_each(
                personal, points, radius, wanted, spacing, closed, walk, sign, lottery
            )
        cells = np.full((len(points), wanted), -1, dtype=np.int64)
        values = np.full((len(points), wanted), np.nan, dtype=np.float32)
        kernels.values.best.best_each(
            personal.cells,
            personal.values,
            self.places(points),
            closed.view(np.uint8),
            self._rule(radius, spacing, sign),
            self.columns_around(radius),
            cells,
            values,
        )
        return cells, values

    def cells_around(self, points: Floats, own: Cells, radius: float) -> Cells:
        """See `Queries.cells_around`."""
        return squares_around(self.space, own, self._reach(radius))

    def columns_around(self, radius: float) -> int:
        """See `Queries.columns_around`."""
        return min(2 * self._reach(radius) + 1, self.space.width)

    def most_around(self, radius: float) -> int:
        """See `Queries.most_around`."""
        return min(int((2 * self._reach(radius) + 1) ** 2), len(self.space))

    def _reach(self, radius: float) -> int:
        """Return how many rows and columns from the cell of a position are within a radius."""
        # At most half a cell is added by where in its cell the position is; a bit is for rounding.
        space = self.space
        return int(min(within_range(space, radius) / space.cell_size, 1e9) + 0.51)

    def best_in_turn(
        self,
        points: Floats,
        radius: float,
        spacing: float,
        closed: Mask,
        walk: float | None,
        sign: np.float32,
        lottery: Lottery | None = None,
    ) -> Cells:
        """See `Queries.best_in_turn`."""
        if walk is not None:
            return super().best_in_turn(points, radius, spacing, closed, walk, sign, lottery)
        count = len(points)
        cells = np.full((count, 1), -1, dtype=np.int64)
        places = self.places(points)
        rule = self._rule(radius, spacing, sign)
        taken = closed.view(np.uint8)
        in_turn = True
        if lottery is None:
            highest = self._tile_bounds(closed, sign, count, rule.reach2)
            kernels.values.best.best(
                self.values, highest, places, rule, in_turn, 0, count, cells, taken
            )
        else:
            kernels.values.best.best_within(
                self.values,
                places,
                lottery.draws,
                rule,
                lottery.share,
                in_turn,
                0,
                count,
                cells,
                taken,
            )
        return cells

    def _rule(self, radius: float, spacing: float, sign: np.float32) -> BestRule:
        """Return which cells are best, as kernels take it."""
        space = self.space
        reach2 = _squared(within_range(space, radius), space)
        spacing2 = _squared(at_spacing(space, spacing), space)
        return BestRule(space.y_up, space.wrap_flags, sign, reach2, spacing2)

    def _best_on_foot(
        self,
        points: Floats,
        places: Floats,
        closed: NDArray[np.uint8],
        walk: float,
        rule: BestRule,
        lottery: Lottery | None,
        cells: Cells,
    ) -> None:
        """Fill `cells` (N, k) with the best ones that a walk reaches."""
        space = self.space
        steps, lengths = _step_vectors(self.space)
        coordinate = largest_coordinate(space) / space.cell_size
        length = counted_walk(checks.positive("walk", walk) / space.cell_size, coordinate)
        reach = min(int(length), max(space.shape) - 1)
        limit = int(min(length, 1e9) * kernels.radial.radial_search.LENGTH_SCALE)
        starts = np.atleast_1d(space.cell_at(points, outside="clamp"))
        links = read_only(space.links())
        ground = LinkedGrid(links, space.link_masks, steps, lengths, space.wrap_flags)
        share = 0.0
        draws = np.empty((0, 0))
        if lottery is not None:
            share = lottery.share
            draws = lottery.draws

        def choose(first: int, last: int) -> None:
            scratch = GridScratch(reach, len(space), lengths)
            kernels.values.best_on_foot.best_on_foot(
                self.values,
                _no_bounds(space.shape),
                closed,
                places,
                starts,
                ground,
                draws,
                rule,
                share,
                limit,
                first,
                last,
                cells,
                np.ones_like(closed),
                kernels.values.best_on_foot.FootScratch(
                    scratch.cells, scratch.distances, scratch.of_paths
                ),
            )

        least = _WALKED_PER_THREAD // min(2 * reach * reach + 1, len(space)) + 1
        run_in_bands(choose, (), (), len(points), least)

    def close(self, cells: Cells, spacing: float, closed: Mask) -> None:
        """See `Queries.close`."""
        fresh = np.zeros(self.space.shape, dtype=np.uint8)
        self._spaced(cells, len(cells), spacing, fresh)
        closed |= fresh.view(np.bool_)

    def peaks(self, most: int, spacing: float, above: float) -> Cells:
        """See `Queries.peaks`."""
        space = self.space
        found = np.empty(len(space), dtype=np.int64)
        count = kernels.values.peaks.peaks(
            self.values, self.walls, *moves_beside(space), above, bool(space.wrap), found
        )
        cells = found[:count]
        cells = cells[np.lexsort((cells, -self.flat[cells]))]
        if spacing > 0:
            cells = self._spaced(cells, most, spacing, np.zeros(space.shape, dtype=np.uint8))
        return cells[:most].copy()

    def _spaced(self, cells: Cells, most: int, spacing: float, closed: NDArray[np.uint8]) -> Cells:
        """Return the first of these cells, and each next one that keeps the spacing to those
        before; close what is nearer.
        """
        found = np.empty_like(cells)
        spacing2 = _squared(at_spacing(self.space, spacing), self.space)
        wrap = self.space.wrap_flags
        count = kernels.values.best.thin(cells, spacing2, wrap, most, found, closed)
        return found[:count]

    def _tile_bounds(
        self, closed: Mask, sign: np.float32, agents: int, reach2: float
    ) -> NDArray[np.float32]:
        """Return the highest values of tiles, by which kernels skip most of a wide search.

        Where agents compare less than the whole map together, this is infinity: nothing is skipped.
        """
        size = self.values.size
        if agents * min(4 * reach2, size) <= 2 * size:
            return _no_bounds(self.values.shape)
        highest = np.empty_like(_no_bounds(self.values.shape))
        kernels.values.best.bounds(self.values, closed.view(np.uint8), sign, highest)
        return highest

    def steps(self) -> Steps:
        """See `Queries.steps`."""
        return None, grid_ground(self.space)


class ValuesAround(GridValues):
    """Values of an expression within some cells of positions, and any numbers elsewhere.

    They lie in an array of the whole map, which another query uses after `free`.
    """

    def __init__(self, expression: Expression, space: Grid, centers: Cells, reach: int) -> None:
        around = np.empty(len(centers) * (2 * reach + 1) ** 2, dtype=np.int64)
        count = kernels.values.best.windows(centers, reach, space.shape, space.wrap_flags, around)
        around = around[:count]
        found = expression.values_at(around)
        self._unused = _unused_arrays(space)
        try:
            self._array = self._unused.pop()
        except IndexError:
            self._array = np.zeros(len(space), dtype=np.float32)
        self._array[around] = found
        super().__init__(self._array.reshape(space.shape), space)

    def free(self) -> None:
        """Let another query write over the values."""
        self._unused.append(self._array)
        del self._unused[_MOST_UNUSED:]


def values_around(expression: Expression, cells: int | Cells, radius: float) -> ValuesAround | None:
    """Return the values of an expression on a grid within a radius of positions in these cells;
    None where it takes less time to compute all of them.
    """
    space = expression.space
    if not isinstance(space, Grid) or expression.is_computed:
        return None
    centers = np.atleast_1d(cells)
    side = 2 * radius / space.cell_size + 5
    if len(centers) * side * side + _AS_MANY_CELLS > len(space) * _FEW_OF_ALL:
        return None
    return ValuesAround(expression, space, centers, int(side) // 2)


@cached
def _unused_arrays(space: Grid) -> list[NDArray[np.float32]]:
    """Return arrays by cell that no query uses: they are in memory already, and new ones not."""
    return []


_step_vectors = cached(step_vectors)


@functools.lru_cache(maxsize=8)
def _no_bounds(shape: tuple[int, int]) -> NDArray[np.float32]:
    """Return bounds of tiles by which nothing is skipped; kernels only read them."""
    tile = kernels.values.best.TILE
    return np.full((-(-shape[0] // tile), -(-shape[1] // tile)), np.inf, dtype=np.float32)


def _squared(distance: float, space: Grid) -> float:
    """Return a distance in cells, squared."""
    # No map is larger than 1e9 cells, and the square of more might overflow.
    return min(distance / space.cell_size, 1e9) ** 2
