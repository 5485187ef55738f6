"""Flow fields on grids."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.words import OUTSIDE, IfOutside
from fieldcraft.kernels.compiling import pool
from fieldcraft.kernels.shared.arrays import Floats, Ints
from fieldcraft.paths.distance_maps import DistanceMap
from fieldcraft.paths.flow.flow_field import FlowField
from fieldcraft.space import Grid, grid_of
from fieldcraft.space.grid.passages import passages

_STRAIGHT = {(1, 0), (-1, 0), (0, 1), (0, -1)}
# Each thread gets at least so many agents or cells.
_AGENTS = 2_000
_CELLS = 10_000
_MENDED = 64  # where more than one cell in so many has changed, all directions are computed
Sampler = Callable[[Floats, int, int, Floats], None]


class GridFlow(FlowField):
    """Directions on a grid that lead to the goals of a distance map; made by `flow_field`.

    A step of at most one cell along the result of `sample` ends in the same cell or in an open cell
    that is nearer to a goal, never in a wall, and crosses no side that the terrain forbids. So an
    agent that follows the field from any open cell with a path to a goal arrives. (One exception of
    "nearer": where the only next step is a diagonal one between two expensive cells, one cell on
    the path may be farther in cost, and the cells after it are nearer again.)

    It reads the distances at its first use, and their changes and changed walls at every later use.
    Around a new wall, before a `repair` of the distances, directions may be 0, but they never lead
    through the wall.
    """

    space: Grid

    def __init__(self, distance_map: DistanceMap) -> None:
        space = grid_of(distance_map.space, "This flow field")
        lacking = _STRAIGHT - set(space.neighborhood.steps)
        if lacking:
            raise InvalidValue(
                "The steps of a flow field's map include the four straight ones",
                got=f"{len(space.neighborhood)} steps without {min(lacking)}",
                remedy="Use a grid with neighbors=4 or 8, or follow distance_map.descend",
            )
        if space.corners == "cut":
            raise InvalidValue(
                "Agents on a flow field can't pass between two walls",
                got="a grid with corners='cut'",
                remedy='Use corners="never" or "if-one-open", or follow distance_map.step',
            )
        super().__init__(distance_map)
        self.space = space
        self._vectors = np.zeros((*space.shape, 2), dtype=np.float32)
        self._gates = np.zeros(space.shape, dtype=np.uint8)
        self._pinched = np.zeros(space.shape, dtype=np.uint8)
        self._goals = np.zeros(space.shape, dtype=np.uint8)
        self._ends = np.empty(0, dtype=np.int64)
        self._far = np.zeros(space.shape)
        self._shown = self._vectors[:: -1 if space.y_up else 1]
        self._shown.flags.writeable = False

    def sample(self, positions: ArrayLike, *, outside: IfOutside = "refuse") -> Floats:
        """See `FlowField.sample`: the directions of the four cells whose centers surround a
        position are interpolated, as far as steps from the position's own cell allow; (0, 0) in
        cells with direction (0, 0).
        """
        points, single = checks.positions(positions)
        found = np.empty(points.shape)
        points = np.ascontiguousarray(points)
        points.flags.writeable = False
        wrong = np.full(1, -1, dtype=np.int64)
        serve = self.sampler(outside=outside, wrong=wrong)
        bands = pool.bands(len(points), len(points) // _AGENTS)
        pool.run([(serve, (points, *band, found)) for band in bands])
        if wrong[0] >= 0:
            with np.errstate(over="ignore", invalid="ignore"):
                # This raises an error that names the position and the reason.
                self.space.cell_at(points, outside=outside)
            raise InvalidValue(
                "Positions are within 1e308 cells of the map",
                got=f"{tuple(points[wrong[0]].tolist())}",
                remedy="Correct that position",
            )
        if single:
            return np.asarray(found[0])
        return found

    def sampler(self, *, outside: IfOutside = "refuse", wrong: Ints | None = None) -> Sampler:
        """Return `sample` for a band of checked positions: `serve(points, first, last, out)`."""
        self._follow()
        space = self.space
        clamp = checks.choice("outside", outside, OUTSIDE) == "clamp"
        common = (*space.origin, space.cell_size, space.wrap_flags, clamp)
        if wrong is None:
            off_map = np.full(1, -1, dtype=np.int64)
        else:
            off_map = wrong

        def serve(points: Floats, first: int, last: int, out: Floats) -> None:
            kernels.paths.flow.sample(
                self._vectors, self._gates, points, *common, first, last, off_map, out
            )

        return serve

    def _update(self, changed: Ints | None, walls: Ints) -> None:
        """See `FlowField._update`."""
        distances = self.distance_map
        if changed is None:
            far = distances.exact
            self._far = np.ascontiguousarray(far[::-1] if self.space.y_up else far)
            self._mark_goals()
            self._point(None)
        else:
            own = self._turned(changed)
            self._far.reshape(-1)[own] = distances.measured(changed)
            goals = self._mark_goals()
            self._point(np.concatenate([own, goals, self._turned(walls)]))

    def _mark_goals(self) -> Ints:
        """Mark the goal cells; return the cells where this has changed."""
        ends = self._turned(self._goal_cells())
        changed = np.setxor1d(ends, self._ends)
        self._goals.reshape(-1)[self._ends] = 0
        self._goals.reshape(-1)[ends] = 1
        self._ends = ends
        return changed

    def _point(self, changed: Ints | None) -> None:
        """Find the directions around changed cells, or everywhere."""
        size = len(self.space)
        if changed is None or len(changed) * _MENDED > size:
            beside = np.arange(size)
            pointed = beside
        else:
            beside = self._around(changed, 1)
            pointed = self._around(changed, 2)
        common = (self._far, passages(self.space), self._goals)
        past_walls = self.space.corners == "if-one-open"

        def pinch(first: int, last: int) -> None:
            kernels.paths.flow.pinch(*common, beside, past_walls, first, last, self._pinched)

        def point(first: int, last: int) -> None:
            kernels.paths.flow.point(
                *common, self._pinched, pointed, first, last, self._vectors, self._gates
            )

        _in_bands(pinch, len(beside))
        _in_bands(point, len(pointed))

    def _around(self, cells: Ints, reach: int) -> Ints:
        """Return cells and their surroundings up to `reach`, ascending, clamped to the map or
        wrapped.
        """
        height, width = self.space.shape
        offsets = np.arange(-reach, reach + 1)
        rows, columns = np.divmod(np.unique(cells), width)
        rows = rows[:, np.newaxis] + offsets
        columns = columns[:, np.newaxis] + offsets
        if self.space.wraps_x:
            columns = columns % width
        else:
            columns = np.clip(columns, 0, width - 1)
        if self.space.wraps_y:
            rows = rows % height
        else:
            rows = np.clip(rows, 0, height - 1)
        return np.unique(rows[:, :, np.newaxis] * width + columns[:, np.newaxis, :])

    def _turned(self, cells: Ints) -> Ints:
        """Return the indices of the map's cells in arrays whose row 0 has the smallest y."""
        height, width = self.space.shape
        if self.space.y_up:
            return cells + (height - 1 - 2 * (cells // width)) * width
        return cells


def _in_bands(work: Callable[[int, int], None], count: int) -> None:
    """Call `work(first, last)` for bands of a number of cells, on several threads."""
    pool.run([(work, band) for band in pool.bands(count, count // _CELLS)])
