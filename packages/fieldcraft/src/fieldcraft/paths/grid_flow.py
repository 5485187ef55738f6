"""Flow fields on grids: directions that four cells around a position agree on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.kernels import pool
from fieldcraft.paths.flow_base import FlowField
from fieldcraft.space import Grid, grid_of
from fieldcraft.space.passages import passages

if TYPE_CHECKING:
    from fieldcraft.paths.distances import DistanceMap

__all__ = ["GridFlow"]

_STRAIGHT = {(1, 0), (-1, 0), (0, 1), (0, -1)}
_AGENTS, _CELLS = 2_000, 10_000  # as many pay for waking a thread
_MENDED = 64  # one cell in so many may change before all are looked at anew
_OUTSIDE = ("refuse", "clamp")

Wide = NDArray[np.float64]
Ints = NDArray[np.int64]
Sampler = Callable[[Wide, int, int, Wide], None]


class GridFlow(FlowField):
    """Directions on a grid that lead to the goals of a distance map; made by `flow_field`.

    What may be relied on: a step of at most one cell along what `sample` gives ends in the same
    cell or in an open one that is nearer to a goal, never in a wall, and crosses no side that the
    terrain forbids. So whoever follows the field alone, from any open cell that a way leads from,
    arrives. (Nearer: where the ground has a price and only a diagonal step between two dear cells
    leads on, one cell of the way may be dearer, and those after it are nearer again.)

    It reads the distances when it is first looked at, and what has changed in them or in the walls
    whenever it is looked at. In a new wall's surroundings that a `repair` has not yet reached, it
    may lead nowhere, but not through the wall.
    """

    space: Grid

    def __init__(self, distance_map: DistanceMap) -> None:
        space = grid_of(distance_map.space, "This flow field")
        lacking = _STRAIGHT - set(space.neighborhood.steps)
        if lacking:
            raise InvalidValue(
                "A flow field is walked, so its map's neighbours include the four straight ones",
                got=f"{len(space.neighborhood)} steps without {min(lacking)}",
                remedy="Use a grid with neighbors=4 or 8, or follow distance_map.descend",
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

    def sample(self, positions: ArrayLike, *, outside: str = "refuse") -> Wide:
        """See `FlowField.sample`: the directions of the four cells whose centers surround a
        position are mixed by how near they are, as far as the position's own cell may be left that
        way; (0, 0) in cells whose own direction is.
        """
        points, single = checks.positions(positions)
        found = np.empty(points.shape)
        points = np.ascontiguousarray(points)
        points.flags.writeable = False
        wrong = np.full(1, -1, dtype=np.int64)
        serve = self.sampler(outside=outside, wrong=wrong)
        pool.run(
            [
                (serve, (points, *band, found))
                for band in pool.bands(len(points), len(points) // _AGENTS)
            ]
        )
        if wrong[0] >= 0:
            with np.errstate(over="ignore", invalid="ignore"):
                self.space.cell_at(
                    points, outside=outside
                )  # raises, and says which position and why
            raise InvalidValue(
                "Positions lie within 1e308 cells of the map",
                got=f"{tuple(points[wrong[0]].tolist())}",
                remedy="Mend that position",
            )
        return found[0] if single else found

    def sampler(self, *, outside: str = "refuse", wrong: Ints | None = None) -> Sampler:
        """Return `sample` for a band of checked positions: `serve(points, first, last, out)`."""
        self._follow()
        space = self.space
        clamp = checks.choice("outside", outside, _OUTSIDE) == "clamp"
        common = (*space.origin, space.cell_size, space.wrap, clamp)
        off_map = np.full(1, -1, dtype=np.int64) if wrong is None else wrong

        def serve(points: Wide, first: int, last: int, out: Wide) -> None:
            kernels.flow.sample(
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
        """Mark where ways end; the cells where that is new."""
        ends = self._turned(self._goal_cells())
        changed = np.setxor1d(ends, self._ends)
        self._goals.reshape(-1)[self._ends] = 0
        self._goals.reshape(-1)[ends] = 1
        self._ends = ends
        return changed

    def _point(self, changed: Ints | None) -> None:
        """Find the directions around changed cells, or everywhere."""
        size = len(self.space)
        if changed is not None and len(changed) * _MENDED > size:
            changed = None
        bars = passages(self.space)
        rings = (
            [np.arange(size)] * 2
            if changed is None
            else [self._around(changed, 1), self._around(changed, 2)]
        )
        kernel = kernels.flow
        common = (self._far, bars, self._goals)
        _in_bands(
            lambda first, last: (kernel.pinch, (*common, rings[0], first, last, self._pinched)),
            len(rings[0]),
        )
        _in_bands(
            lambda first, last: (
                kernel.point,
                (*common, self._pinched, rings[1], first, last, self._vectors, self._gates),
            ),
            len(rings[1]),
        )

    def _around(self, cells: Ints, reach: int) -> Ints:
        """Cells and those up to `reach` beside them, ascending; beyond the rim, the rim's or those
        of the other side.
        """
        height, width = self.space.shape
        offsets = np.arange(-reach, reach + 1)
        rows, columns = (at[:, np.newaxis] + offsets for at in np.divmod(np.unique(cells), width))
        if self.space.wrap:
            rows, columns = rows % height, columns % width
        else:
            rows, columns = np.clip(rows, 0, height - 1), np.clip(columns, 0, width - 1)
        return np.unique(rows[:, :, np.newaxis] * width + columns[:, np.newaxis, :])

    def _turned(self, cells: Ints) -> Ints:
        """The places of the map's cells in arrays whose row 0 has the smallest y."""
        height, width = self.space.shape
        return cells + (height - 1 - 2 * (cells // width)) * width if self.space.y_up else cells


def _in_bands(call: Callable[[int, int], pool.Call], count: int) -> None:
    pool.run([call(*band) for band in pool.bands(count, count // _CELLS)])
