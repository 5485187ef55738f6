"""Trails on hexagons, graphs and meshes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.compiling import pool
from fieldcraft.layers.propagation.trail.trail_field import TrailField
from fieldcraft.space import HexGrid, Space
from fieldcraft.space.cached import cached_until_walls_change

if TYPE_CHECKING:
    from fieldcraft.layers.propagation.trail.trail import Trail


_CELLS_PER_THREAD = 50_000


class _Exchanges(NamedTuple):
    """The neighbors that each hexagon exchanges with, (height, width) each; exchange is mutual."""

    links: NDArray[np.uint8]
    """The bits of these in `kernels.trail.graph_trail.AROUND`."""
    missing: NDArray[np.uint8]
    """How many of its six neighbors a cell does not exchange with."""


@cached_until_walls_change
def _exchanges(space: HexGrid) -> _Exchanges:
    steps = space.adjacency
    (height, width) = space.shape
    starts = steps.origins
    ends = steps.ends.astype(np.int64)
    both = np.isin(starts * len(space) + ends, ends * len(space) + starts)
    starts = starts[both]
    ends = ends[both]
    down = ends // width - starts // width
    right = ends % width - starts % width
    if space.wrap:
        down, right = (np.where(np.abs(by) > 1, -np.sign(by), by) for by in (down, right))
    bits = np.zeros((3, 3), dtype=np.uint8)
    for bit, (y, x) in enumerate(kernels.trail.graph_trail.AROUND):
        bits[y + 1, x + 1] = 1 << bit
    links = np.zeros(len(space), dtype=np.uint8)
    np.bitwise_or.at(links, starts, bits[down + 1, right + 1])
    missing = (6 - np.bincount(starts, minlength=len(space))).astype(np.uint8)
    return _Exchanges(links.reshape(height, width), missing.reshape(height, width))


class GraphTrailField(TrailField):
    """See `Trail`. On hexagons a blur of 3 is the mean of a cell and its six neighbors, one of 5
    that twice, and so on; nothing passes walls, closed edges and ground that may not be entered.
    On graphs and meshes each vertex is for itself.
    """

    @staticmethod
    def _check(trail: Trail, space: Space) -> None:
        if isinstance(space, HexGrid):
            if not isinstance(trail.blur, int):
                raise InvalidValue(
                    "A blur on hexagons is a width",
                    got=f"blur={trail.blur!r}",
                    remedy="Pass blur=1, or 3 for the mean of seven cells",
                )
        elif trail.blur != 1:
            raise InvalidValue(
                "A trail on a graph or mesh does not blur",
                got=f"blur={trail.blur!r}",
                remedy="Pass blur=1",
            )

    def _derive(self) -> None:
        super()._derive()
        self._row_scratch: list[NDArray[np.float64]] = []
        assert isinstance(self.trail.blur, int)
        self._rounds = self.trail.blur // 2
        self._gain = self.trail.retention(self._every)
        self._means = [np.empty(self.space.shape) for _ in range(min(self._rounds, 2))]

    def _step(self) -> None:
        count = len(self.space)
        rows = self.space.shape[0]
        most = count // _CELLS_PER_THREAD
        bands = pool.bands(count, most)
        walls = self.space.walls.reshape(-1)
        update = kernels.trail.graph_trail.update
        for plane, sums in zip(self.planes, self.inflow, strict=True):
            values: NDArray[Any] = plane
            for k in range(self._rounds):
                self._mix(values, self._means[k % 2], pool.bands(rows, min(most, rows)))
                values = self._means[k % 2]
            rule = values.reshape(-1), walls, self._gain, self._floor
            written = sums.sums.reshape(-1), plane.reshape(-1)
            pool.run([(update, (*rule, *band, *written)) for band in bands])

    def _mix(
        self, values: NDArray[Any], means: NDArray[np.float64], bands: list[tuple[int, int]]
    ) -> None:
        """Write the mean of each hexagon and its neighbors to `means`."""
        links, missing = _exchanges(self.space)
        if self.trail.edges != "conserve":
            missing = np.zeros_like(missing)
        mixed = values, links, missing, self._wrap
        while len(self._row_scratch) < len(bands):
            self._row_scratch.append(np.zeros((3, values.shape[1] + 2)))
        written = [(*band, means, row) for band, row in zip(bands, self._row_scratch, strict=False)]
        pool.run([(kernels.trail.graph_trail.mix, (*mixed, *each)) for each in written])

    def step_in_units(self) -> Iterator[None]:
        """Take one step, in one unit."""
        self.run(1)
        yield
