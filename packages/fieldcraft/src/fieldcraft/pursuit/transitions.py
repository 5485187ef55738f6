"""Arrays and distances of a space for beliefs and searches, and flows of belief."""

from __future__ import annotations

import weakref
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.base.errors import OutsideMap
from fieldcraft.kernels.compiling import pool
from fieldcraft.kernels.shared.arrays import Floats, Ints
from fieldcraft.paths.search.distances import incoming
from fieldcraft.space import Grid, Space
from fieldcraft.space.cached import cached_until_walls_change
from fieldcraft.space.grid.neighborhood import beside

_CELLS_PER_THREAD = 100_000
# With this factor float32 rounds no chance up, so that those of a cell never exceed 1.
_NARROWER = 1 - 2.0**-23
_MARGIN = 0.1  # A target may be seen this share of a graph's size off the graph.


class Flow(ABC):
    """Movement of belief in one interval."""

    @abstractmethod
    def from_space(self, weights: NDArray[Any]) -> Floats:
        """Return weights in the space's shape as a mass that the kernels take."""

    @abstractmethod
    def to_space(self, mass: Floats) -> Floats:
        """Return a mass in the space's shape."""

    @abstractmethod
    def index(self, cells: Ints) -> Ints:
        """Return the indices of cells in a flat mass."""

    @abstractmethod
    def run(self, mass: Floats, scale: float, out: Floats) -> None:
        """Make one step."""


@dataclass(frozen=True, eq=False)
class _EdgeFlow(Flow):
    """A flow over the arcs of a space: the share that a cell keeps, and the shares that arrive."""

    shape: tuple[int, ...]
    keep: Floats
    starts: Ints
    origins: NDArray[np.int32]
    shares: Floats

    def from_space(self, weights: NDArray[Any]) -> Floats:
        return np.asarray(weights, dtype=np.float64).reshape(-1).copy()

    def to_space(self, mass: Floats) -> Floats:
        return mass.reshape(self.shape)

    def index(self, cells: Ints) -> Ints:
        return cells

    def run(self, mass: Floats, scale: float, out: Floats) -> None:
        kernels.pursuit.belief_steps.wander(
            self.starts, self.origins, self.shares, self.keep, mass, scale, out
        )


@dataclass(frozen=True, eq=False)
class _PaddedFlow(Flow):
    """A flow on a grid with a border of one cell. `keep` (height, width) is the share that cells
    keep, and threads work on the rows in `bands`.
    """

    keep: Floats
    bands: list[tuple[int, int]]

    def from_space(self, weights: NDArray[Any]) -> Floats:
        height, width = self.keep.shape
        padded = np.zeros((height + 2, width + 2))
        padded[1:-1, 1:-1] = weights
        return padded

    def to_space(self, mass: Floats) -> Floats:
        return mass[1:-1, 1:-1].copy()

    def index(self, cells: Ints) -> Ints:
        width = int(self.keep.shape[1])
        return cells + 2 * (cells // width) + width + 3  # (row + 1) * (width + 2) + column + 1


@dataclass(frozen=True, eq=False)
class _GridWander(_PaddedFlow):
    """A random walk over the eight steps around a cell."""

    part: Floats
    ins: NDArray[np.uint8]
    flows: Floats

    def run(self, mass: Floats, scale: float, out: Floats) -> None:
        inputs = (self.ins, self.keep, self.part, self.flows, mass, scale)
        scratch = np.zeros((len(self.bands), 2, 3, self.keep.shape[1] + 2))
        if len(self.bands) == 1:
            kernels.pursuit.belief_steps.wander_grid(*inputs, *self.bands[0], out, scratch[0])
        else:
            kernel = kernels.pursuit.belief_steps.wander_grid
            bands = zip(self.bands, scratch, strict=True)
            pool.run([(kernel, (*inputs, *band, out, own)) for band, own in bands])


@dataclass(frozen=True, eq=False)
class _GridDrift(_PaddedFlow):
    """Steps around a cell, each with its own chance: `shares` (8, height, width) arrive."""

    shares: NDArray[np.float32]

    def run(self, mass: Floats, scale: float, out: Floats) -> None:
        inputs = (self.keep, self.shares, mass, scale)
        if len(self.bands) == 1:
            kernels.pursuit.belief_steps.drift_grid(*inputs, *self.bands[0], out)
        else:
            kernel = kernels.pursuit.belief_steps.drift_grid
            pool.run([(kernel, (*inputs, *band, out)) for band in self.bands])


class RandomWalk(NamedTuple):
    """Chances of a random walk whose steps out of a cell are equally likely; a step longer than a
    stride takes several intervals on average.

    `keep` (N,) is the share that stays in a cell in each interval, `part` (N,) the share of each
    step, and `slower` (A,) the share of that which arrives in the interval.
    """

    keep: Floats
    part: Floats
    slower: Floats


class PursuitBackend(ABC):
    """The arcs of a space with its walls as they are now, and flows along them.

    The arcs out of cell `v` are `starts[v]` to `starts[v + 1]`; `origins`, `ends` (A,) are their
    cells and `lengths` (A,) world units. `positions` (N, D) are the cells' centers, and `step` is
    the typical step, 1 on ground without steps.
    """

    def __init__(self, space: Space) -> None:
        arcs = space.adjacency
        self._adjacency = arcs
        self.shape = space.shape
        self.count = len(space)
        self.positions = space.positions
        self.step = space.typical_step if len(arcs.ends) else 1.0
        self.starts = arcs.starts
        self.ends = arcs.ends
        self.lengths = arcs.lengths
        self.origins = arcs.origins
        self.degrees = np.diff(self.starts)

    def random_walk(self, stay: float, stride: float) -> RandomWalk:
        """Return the chances of a random walk with this stride in an interval, world units."""
        part = (1 - stay) / np.maximum(self.degrees, 1)
        slower = np.minimum(stride / self.lengths, 1.0)
        leaves = np.bincount(self.origins, weights=slower, minlength=self.count) * part
        return RandomWalk(1 - leaves, part, slower)

    def wander(self, stay: float, stride: float) -> Flow:
        """Return the flow of a random walk."""
        walk = self.random_walk(stay, stride)
        starts, origins, order = self._incoming
        shares = walk.slower[order] * walk.part[origins]
        return _EdgeFlow(self.shape, walk.keep, starts, origins, shares)

    def drift(self, chances: Floats) -> Flow:
        """Return the flow of arcs that each have a chance, (A,)."""
        narrow = (chances * _NARROWER).astype(np.float32).astype(np.float64)
        starts, origins, order = self._incoming
        leaves = np.bincount(self.origins, weights=narrow, minlength=self.count)
        keep = np.asarray(1 - leaves, dtype=np.float64)
        return _EdgeFlow(self.shape, keep, starts, origins, narrow[order])

    @cached_property
    def _incoming(self) -> tuple[Ints, NDArray[np.int32], Ints]:
        """The arcs by end; see `incoming`."""
        return incoming(self._adjacency)

    @abstractmethod
    def check_near(self, point: Floats) -> None:
        """Refuse a position that is too far off the map."""


class _GraphBackend(PursuitBackend):
    """Backend of graphs, meshes and hexagons, with flows over arcs."""

    def check_near(self, point: Floats) -> None:
        if not self.count:
            return
        low = self.positions.min(axis=0)
        high = self.positions.max(axis=0)
        margin = max(_MARGIN * float((high - low).max()), 2 * self.step)
        if (point < low - margin).any() or (point > high + margin).any():
            raise OutsideMap(
                "The last sighting is on the map, or off it by at most a tenth of its size",
                got=(
                    f"{tuple(point.tolist())} for vertices in {tuple(low.tolist())} to"
                    f" {tuple(high.tolist())}"
                ),
                remedy="Pass a position in world units of this graph, or a vertex",
            )


class _GridBackend(PursuitBackend):
    """Backend of grids, with flows in rows if steps lead to neighbors only and nothing wraps."""

    def __init__(self, space: Grid) -> None:
        super().__init__(space)
        # A weak reference: backends are cached by space, and would keep it alive.
        self._reference = weakref.ref(space)
        farthest = max(max(abs(dx), abs(dy)) for dx, dy in space.neighborhood.steps)
        self._local = not space.wrap and farthest <= 1
        self._bands = list(pool.bands(space.height, self.count // _CELLS_PER_THREAD))

    def _grid(self) -> Grid:
        grid = self._reference()
        assert grid is not None
        return grid

    def wander(self, stay: float, stride: float) -> Flow:
        if not self._local:
            return super().wander(stay, stride)
        space = self._grid()
        walk = self.random_walk(stay, stride)
        flows = np.zeros(2)
        ins = np.zeros(self.shape, dtype=np.uint8)
        links = space.links()
        walls = space.walls
        lengths = space.neighborhood.lengths(space.cell_size).tolist()
        for (dx, dy), mask, length in zip(
            space.neighborhood.steps, space.link_masks, lengths, strict=True
        ):
            flows[int(dx != 0 and dy != 0)] = min(stride / length, 1.0)
            arrives = (links & mask) != 0
            arrives &= ~beside(walls, -dx, -dy, False, False)
            number = kernels.pursuit.belief_steps.AROUND.index((-dy, -dx))
            ins |= arrives.astype(np.uint8) << np.uint8(number)
        keep = walk.keep.reshape(self.shape)
        part = walk.part.reshape(self.shape)
        return _GridWander(keep, self._bands, part, ins, flows)

    def drift(self, chances: Floats) -> Flow:
        if not self._local:
            return super().drift(chances)
        narrow = (chances * _NARROWER).astype(np.float32)
        shares = np.zeros((len(kernels.pursuit.belief_steps.AROUND), self.count), dtype=np.float32)
        shares[self._directions, self.ends] = narrow
        leaves = np.bincount(self.origins, weights=narrow, minlength=self.count)
        keep = np.asarray(1 - leaves, dtype=np.float64).reshape(self.shape)
        return _GridDrift(keep, self._bands, shares.reshape(-1, *self.shape))

    @cached_property
    def _directions(self) -> Ints:
        """The number of the direction from which each arc reaches its end, (A,)."""
        ends = self.ends.astype(np.int64)
        width = self.shape[1]
        rows = self.origins // width - ends // width
        columns = self.origins % width - ends % width
        numbers = np.full((3, 3), -1, dtype=np.int64)
        for k, (dy, dx) in enumerate(kernels.pursuit.belief_steps.AROUND):
            numbers[dy + 1, dx + 1] = k
        return np.asarray(numbers[rows + 1, columns + 1])

    def check_near(self, point: Floats) -> None:
        """Accept every position: `cell_at` of a grid refuses those off the map."""


@cached_until_walls_change
def backend(space: Space) -> PursuitBackend:
    """Return the backend of a space as its walls are now."""
    if isinstance(space, Grid):
        return _GridBackend(space)
    return _GraphBackend(space)
