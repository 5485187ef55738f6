"""The field of a trail on hexagons."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.kernels import pool
from fieldcraft.propagation.trail_field import TrailField
from fieldcraft.space.adjacency import cached_until_walls_change

__all__ = ["HexTrailField"]

_HEX_CELLS_PER_THREAD = 100_000  # cells of a round


class _Exchanges(NamedTuple):
    """Which cells exchange, as kernels take it: what one may give the other may give back."""

    links: NDArray[np.uint8]
    missing: NDArray[np.uint8]
    """How many of its six neighbours a cell does not exchange with."""
    rim: NDArray[np.int64]
    starts: NDArray[np.int64]
    beside: NDArray[np.int32]


@cached_until_walls_change
def _exchanges(space: Any) -> _Exchanges:
    from scipy.sparse import csr_array

    height, width = space.shape
    ways, size = space.adjacency, (len(space),) * 2
    there = csr_array((np.ones(len(ways.ends), dtype=np.bool_), ways.ends, ways.starts), shape=size)
    between = there.multiply(there.T).tocsr()
    between.sort_indices()
    starts, beside = between.indptr.astype(np.int64), between.indices.astype(np.int32)
    cells = np.repeat(np.arange(len(space)), np.diff(starts))
    down, right = beside // width - cells // width, beside % width - cells % width
    rim = np.zeros(0, dtype=np.int64)
    if space.wrap:
        down, right = (np.where(np.abs(by) > 1, -np.sign(by), by) for by in (down, right))
        inner = np.zeros(space.shape, dtype=np.bool_)
        inner[1:-1, 1:-1] = True
        rim = np.flatnonzero(~inner)
    bits = np.zeros((3, 3), dtype=np.uint8)
    for (across, along), bit in kernels.hex_trail.AROUND.items():
        bits[along + 1, across + 1] = bit
    links = np.zeros(len(space), dtype=np.uint8)
    np.bitwise_or.at(links, cells, bits[down + 1, right + 1])
    missing = (6 - np.diff(starts)).astype(np.uint8)
    return _Exchanges(
        links.reshape(height, width), missing.reshape(height, width), rim, starts, beside
    )


class HexTrailField(TrailField):
    """See `Trail`: a blur of 3 is the mean of a cell and its six neighbours, one of 5 that twice,
    and so on.

    Nothing passes walls, closed edges and ground that may not be entered. All sums are float64, in
    the order of cells.
    """

    def _derive(self) -> None:
        super()._derive()
        if not isinstance(self.trail.blur, int):
            raise InvalidValue(
                "A blur on hexagons is a width",
                got=f"blur={self.trail.blur!r}",
                remedy="Pass 1 for none, 3 for the mean of seven cells, say",
            )
        self._rounds = self.trail.blur // 2
        self._gain = self.trail._kept(self._every)
        self._scratch: list[tuple[Any, ...]] = []
        self._spare_rooms: dict[str, NDArray[Any]] = {}

    def _step(self) -> None:
        height, width = self.space.shape
        exchanges = _exchanges(self.space)
        if self.trail.edges != "conserve":
            exchanges = exchanges._replace(missing=np.zeros_like(exchanges.missing))
        closed = self.space.walls.view(np.uint8)
        bands = pool.bands(height, min(height * width // _HEX_CELLS_PER_THREAD, height))
        while len(self._scratch) < len(bands):
            self._scratch.append(kernels.hex_trail.room(width))
        for plane, canvas in zip(self.planes, self.inflow, strict=True):
            if self._rounds == 0:
                came = canvas.sums / kernels.stamps.SCALE
                new = (self._gain * plane.astype(np.float64) + came).astype(np.float32)
                plane[:] = np.where((closed != 0) | (np.abs(new) < self._floor), 0, new)
                canvas.sums[:] = 0
                continue
            source: NDArray[Any] = self._room("before", np.float32)
            np.copyto(source, plane)
            for rest in range(self._rounds - 1, -1, -1):
                mean = self._room(f"mean {rest % 2}", np.float64) if rest else plane
                calls: list[pool.Call] = []
                for room, (first, last) in zip(self._scratch, bands, strict=False):
                    where = (source, tuple(exchanges))
                    if rest:
                        mixing = (*where, self._wrap, first, last, mean, room)
                        calls.append((kernels.hex_trail.mix, mixing))
                    else:
                        rule = (closed, self._wrap, self._gain, self._floor, first, last)
                        written = (canvas.sums, plane, room)
                        calls.append((kernels.hex_trail.update, (*where, *rule, *written)))
                pool.run(calls)
                source = mean

    def _room(self, name: str, kind: Any) -> NDArray[Any]:
        """An array as large as the map that is kept from step to step: fresh memory takes longer
        than the step itself.
        """
        if name not in self._spare_rooms:
            self._spare_rooms[name] = np.empty(self.space.shape, dtype=kind)
        return self._spare_rooms[name]

    def step_in_units(self) -> Iterator[None]:
        """Take one step, in one unit."""
        self.run(1)
        yield
