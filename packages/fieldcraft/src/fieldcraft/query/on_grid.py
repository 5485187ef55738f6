"""The answers of grids, by kernels for squares; see `fieldcraft.query.door`."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.kernels.arrays import read_only
from fieldcraft.propagation.grid_footprints import Scratch
from fieldcraft.propagation.grid_walks import strides
from fieldcraft.query.ground import (
    Cells,
    Floats,
    Queries,
    Readable,
    Stepping,
    run_in_bands,
    too_far,
)
from fieldcraft.space import Grid, grid_of
from fieldcraft.space.adjacency import cached, cached_until_walls_change
from fieldcraft.space.answers import moves_beside

__all__ = ["GridGround", "Obstacles", "grid_points"]

Obstacles = tuple[NDArray[np.bool_], bool, NDArray[np.uint8], NDArray[np.bool_], bool]

_SLACK = 1e-9  # distances are equal to one part in so many, so that 0.3 is three cells of 0.1
_OUTSIDE = ("refuse", "clamp")
_SLOPES = 1_000  # positions that pay for waking a thread
_CELLS_PER_THREAD = 200_000  # cells to look at that do
_STRETCHES_PER_THREAD = 5_000
_WALKED_PER_THREAD = 5_000  # cells to walk over that do
_ONE_CLASS = read_only(
    np.zeros((1, 1), dtype=np.uint8)
)  # of ground, which is entered from its like
_ENTERED = np.ones((1, 1), dtype=np.bool_)


class GridGround(Queries):
    """The values and the grid of one thing that questions are put to."""

    space: Grid

    def __init__(self, layer: Readable, what: str = "This question") -> None:
        super().__init__(layer)
        self.space = grid_of(self.space, what)

    @property
    def walls(self) -> NDArray[np.bool_]:
        """The walls, which kernels only read."""
        return read_only(self.space.walls)

    def obstacles(self) -> Obstacles:
        """The walls and links that may bar a step, as `kernels.sample.bilinear` takes them.

        Walls; whether nothing bars any step; classes of ground, which two of them may be entered
        from each other, and whether these say more than walls do.
        """
        terrain = self.space.terrain
        if terrain is None or terrain.is_plain:
            return self.walls, _is_open(self.space), _ONE_CLASS, _ENTERED, False
        return self.walls, False, read_only(terrain.classes), terrain.enter & terrain.enter.T, True

    def places(self, positions: ArrayLike, outside: str) -> tuple[Floats, bool]:
        """World positions in cells from the origin, (N, 2), as `kernels.sample` takes them; and
        whether it was one pair.
        """
        points, single = checks.positions(positions)
        if single:
            self.space.cell_at(positions, outside=outside)
            return np.array([self._place(points[0])]), True
        with np.errstate(over="ignore", invalid="ignore"):
            self.space.cell_at(points, outside=outside)
            places = (points - self.space.origin) / self.space.cell_size
        if not np.isfinite(places).all():
            raise too_far(points[~np.isfinite(places).all(axis=1)][0])
        size = (self.space.width, self.space.height)
        return (np.mod(places, size) if self.space.wrap else np.clip(places, 0, size)), False

    def _place(self, point: Floats) -> tuple[float, float]:
        """One of the `places`, by Python's own numbers: arrays of one would take ten times as
        long.
        """
        space = self.space
        (x, y), (left, top) = point.tolist(), space.origin
        column, row = (x - left) / space.cell_size, (y - top) / space.cell_size
        if not (math.isfinite(column) and math.isfinite(row)):
            raise too_far(point)
        if space.wrap:
            return column % space.width, row % space.height
        return min(max(column, 0.0), float(space.width)), min(max(row, 0.0), float(space.height))

    def positions(self, places: Floats) -> Floats:
        """The way back from `places`."""
        if self.space.wrap:
            places = np.mod(places, (self.space.width, self.space.height))
        return np.asarray(places * self.space.cell_size + self.space.origin)

    def gradient(self, positions: ArrayLike, smooth: bool, outside: str) -> tuple[Floats, bool]:
        """See `Queries.gradient`."""
        points, single = grid_points(positions)
        found = np.empty((len(points), 2))
        common, off_map = self._common(points, outside), np.full(1, -1, dtype=np.int64)
        output = off_map, found
        run_in_bands(kernels.sample.gradient, (*common, smooth), output, len(points), _SLOPES)
        self.refuse_off_map(points, off_map, outside)
        return found, single

    def _common(self, points: Floats, outside: str) -> tuple[Any, ...]:
        """Return the first arguments of `kernels.sample`."""
        space = self.space
        return (
            self.values,
            self.obstacles(),
            read_only(points),
            (*space.origin, space.cell_size, space.y_up, space.wrap),
            checks.choice("outside", outside, _OUTSIDE) == "clamp",
        )

    def refuse_off_map(self, points: Floats, off_map: Cells, outside: str) -> None:
        """Raise for the position that a kernel found off the map, if there is one."""
        if off_map[0] >= 0:
            with np.errstate(over="ignore", invalid="ignore"):
                # Raises, and says which position and why.
                self.space.cell_at(points, outside=outside)
            raise too_far(points[off_map[0]])

    def along(
        self, paths: list[Floats], outside: str
    ) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """See `Queries.along`."""
        space = self.space
        starts = np.zeros(len(paths) + 1, dtype=np.int64)
        np.cumsum([len(each) for each in paths], out=starts[1:])
        points = np.concatenate(paths) if paths else np.empty((0, 2))
        places, _ = self.places(points, outside)
        sums, lengths, highest = (np.empty(len(paths)) for _ in range(3))
        where = np.empty((len(paths), 2))
        run_in_bands(
            kernels.route.along,
            (self.values, places, starts, space.y_up, space.wrap),
            (sums, lengths, highest, where),
            len(paths),
            _STRETCHES_PER_THREAD * len(paths) // (len(points) + 1) + 1,
        )
        moving = lengths > 0
        means = np.where(
            moving, np.divide(sums, lengths, out=np.zeros_like(sums), where=moving), highest
        )
        return (
            sums * space.cell_size,
            lengths * space.cell_size,
            means,
            highest,
            self.positions(where),
        )

    def best(
        self,
        near: ArrayLike,
        radius: float,
        wanted: int,
        spacing: float,
        where: Readable | ArrayLike | None,
        walk: float | None,
        outside: str,
        sign: np.float32,
    ) -> tuple[Cells, bool]:
        """See `Queries.best`."""
        space = self.space
        reach2 = _squared(radius, space, at_least=False)
        spacing2 = _squared(spacing, space, at_least=True)
        places, single = self.places(near, outside)
        closed = self.closed(where).view(np.uint8)
        cells = np.full((len(places), wanted), -1, dtype=np.int64)
        if walk is not None:
            length = checks.positive("walk", walk) / space.cell_size * (1 + _SLACK)
            self._best_on_foot(closed, sign, places, length, reach2, spacing2, cells)
            return cells, single
        highest = self._tile_bounds(closed, sign, len(places) * wanted, reach2)
        axes = space.y_up, space.wrap
        inputs = self.values, highest, places, axes, sign, (reach2, spacing2), False
        looked_at = wanted * min(3 * reach2 + 1, len(space))
        least = int(_CELLS_PER_THREAD / looked_at) + 1
        run_in_bands(kernels.best.best, inputs, (cells, closed), len(places), least)
        return cells, single

    def best_in_turn(
        self,
        near: ArrayLike,
        radius: float,
        spacing: float,
        where: Readable | ArrayLike | None,
        taken: Cells,
        outside: str,
        sign: np.float32,
    ) -> Cells:
        """See `Queries.best_in_turn`."""
        space = self.space
        reach2 = _squared(radius, space, at_least=False)
        spacing2 = _squared(spacing, space, at_least=True)
        places, _ = self.places(near, outside)
        closed = self.closed(where).view(np.uint8)
        highest = self._tile_bounds(closed, sign, len(places), reach2)
        if len(taken):
            barred, first = np.zeros(space.shape, dtype=np.uint8), np.empty_like(taken)
            kernels.best.thin(taken, spacing2, space.wrap, len(taken), first, barred)
            closed |= barred
        cells = np.full((len(places), 1), -1, dtype=np.int64)
        inputs = self.values, highest, places, (space.y_up, space.wrap), sign
        kernels.best.best(*inputs, (reach2, spacing2), True, 0, len(places), cells, closed)
        return cells

    def peaks(self, most: int, spacing: float, above: float) -> Cells:
        """See `Queries.peaks`."""
        space = self.space
        found = np.empty(len(space), dtype=np.int64)
        cells = found[
            : kernels.peaks.peaks(
                self.values, self.walls, *moves_beside(space), above, space.wrap, found
            )
        ]
        cells = cells[np.lexsort((cells, -self.flat[cells]))]
        if spacing > 0:
            kept = np.empty(min(most, len(cells)), dtype=np.int64)
            closed = np.zeros(space.shape, dtype=np.uint8)
            spacing2 = _squared(spacing, space, at_least=True)
            cells = kept[: kernels.best.thin(cells, spacing2, space.wrap, len(kept), kept, closed)]
        return cells[:most].copy()

    def _best_on_foot(
        self,
        closed: NDArray[np.uint8],
        sign: np.float32,
        places: NDArray[np.float64],
        length: float,
        reach2: float,
        spacing2: float,
        cells: NDArray[np.int64],
    ) -> None:
        """Fill `cells` (N, k) with the best ones that a walk of at most `length` cells reaches."""
        space = self.space
        steps, lengths = _strides(space)
        links = read_only(space.links())
        starts = np.asarray(space.cell_at(places * space.cell_size + space.origin, outside="clamp"))
        limit = int(min(length, 1e9) * kernels.radial.LENGTH_SCALE)
        reach = min(int(length), max(space.shape) - 1)
        bounds = _no_bounds(
            (-(-space.height // kernels.best.TILE), -(-space.width // kernels.best.TILE))
        )

        def serve(first: int, last: int) -> None:
            scratch = Scratch(reach, len(space), lengths)
            kernels.best_on_foot.best_on_foot(
                self.values,
                bounds,
                closed,
                places,
                starts,
                (links, space.link_masks, steps, space.wrap),
                lengths,
                (limit, space.y_up, sign, (reach2, spacing2), first, last),
                cells,
                np.ones_like(closed),
                (scratch.cells, scratch.distances, scratch.state, scratch.of_paths),
            )

        least = _WALKED_PER_THREAD // min(2 * reach * reach + 1, len(space)) + 1
        run_in_bands(serve, (), (), len(places), least)

    def _tile_bounds(
        self, closed: NDArray[np.uint8], sign: np.float32, agents: int, reach2: float
    ) -> NDArray[np.float32]:
        """The highest values of tiles, by which the kernels leave out most of a wide search.

        Where agents look at less than the whole map in all, this is infinity: nothing is left out.
        """
        height, width = self.space.shape
        tiles = -(-height // kernels.best.TILE), -(-width // kernels.best.TILE)
        if agents * min(4 * reach2, len(self.space)) <= 2 * len(self.space):
            return _no_bounds(tiles)
        highest = np.empty(tiles, dtype=np.float32)
        kernels.best.bounds(self.values, closed, sign, highest)
        return highest

    def steps(self) -> Stepping:
        """See `Queries.steps`."""
        space = self.space
        offsets = np.array(space.neighborhood.steps, dtype=np.int64)
        nowhere = (read_only(np.zeros(1, dtype=np.int64)), read_only(np.zeros(0, dtype=np.int32)))
        return read_only(space.links()), space.link_masks, offsets, space.wrap, nowhere


def grid_points(positions: ArrayLike) -> tuple[Floats, bool]:
    """Return positions as a read-only (N, 2) array, and whether it was one pair.

    The kernels find positions that are not finite.
    """
    plain = isinstance(positions, np.ndarray) and positions.dtype == np.float64
    if plain and isinstance(positions, np.ndarray) and positions.shape[1:] == (2,):
        points, single = positions, False
    else:
        points, single = checks.positions(positions)
    points = np.ascontiguousarray(points).view()
    points.flags.writeable = False
    return points, single


@cached_until_walls_change
def _is_open(space: Grid) -> bool:
    """Whether a grid has no walls; looked up once for each change of them."""
    return not space.walls.any()


_strides = cached(strides)


@functools.lru_cache(maxsize=8)
def _no_bounds(tiles: tuple[int, int]) -> NDArray[np.float32]:
    """Bounds that leave out nothing; kernels only read them."""
    return np.full(tiles, np.inf, dtype=np.float32)


def _squared(distance: float, space: Grid, *, at_least: bool) -> float:
    """Return a distance in cells, squared, with slack for "at least" or "at most" this far."""
    cells = distance / space.cell_size
    # Beyond 1e9 cells lies no map, and the square of more might overflow.
    return min(cells, 1e9) ** 2 * (1 - _SLACK if at_least else 1 + _SLACK)
