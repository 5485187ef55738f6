"""Connected ground above a threshold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks, kernels
from fieldcraft.query import graph_spots
from fieldcraft.query.graph_ground import is_on_graph
from fieldcraft.query.ground import Ground, Readable, moves_of

__all__ = ["Region", "Regions", "regions"]


@dataclass(frozen=True)
class Region:
    """One region; see `Regions` for the units."""

    label: int
    area: float
    total: float
    peak: tuple[float, ...]
    peak_value: float
    centre: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Regions:
    """Connected regions of a map, the one with the largest total first. Behaves as a sequence of `Region`.

    `labels` (height, width) int32 holds 1 for the first, 2 for the second, and 0 where there is none. Of the K regions:
    `areas` (K,) in square world units, `totals` (K,) the sums of their cells' values, `peaks` (K, 2) the world
    positions of their highest cells with `peak_values` (K,), `centres` (K, 2) those of the cells nearest to their middle,
    which are always cells of the region. On a graph `labels` has shape (N,), and areas are those of the polygons of a mesh, else
    numbers of vertices.
    """

    labels: NDArray[np.int32]
    areas: NDArray[np.float64]
    totals: NDArray[np.float64]
    peaks: NDArray[np.float64]
    peak_values: NDArray[np.float32]
    centres: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.areas)

    def __getitem__(self, index: int) -> Region:
        i = range(len(self))[index]
        peak, centre = self.peaks[i].tolist(), self.centres[i].tolist()
        return Region(i + 1, float(self.areas[i]), float(self.totals[i]), tuple(peak), float(self.peak_values[i]), tuple(centre))

    def __iter__(self) -> Iterator[Region]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"<Regions: {len(self)}, area {self.areas.sum():g}>"


def regions(layer: Readable, threshold: float = 0.0) -> Regions:
    """The connected regions whose values are above `threshold`, the one with the largest total first.

    Open cells belong together when a step of the space's neighbourhood leads from one to the other, in either direction.
    Of equal totals the region with the lowest cell comes first, of equally high peaks the lowest cell counts. Raises
    `InvalidValue` for a threshold that is not a finite number.
    """
    if is_on_graph(layer):
        return Regions(*graph_spots.components(layer, threshold))
    ground = Ground(layer)
    space = ground.space
    above = checks.finite("threshold", threshold)
    ops = kernels.load("hills")
    labels = np.zeros(space.shape, dtype=np.int32)
    queue, columns, rows = (np.empty(len(space), dtype=np.int64) for _ in range(3))
    count, size = ops.label(
        ground.values, ground.walls, *moves_of(space), above, space.wrap, labels, queue, columns, rows
    )  # fmt: skip
    cells = np.zeros(count, dtype=np.int64)
    totals = np.zeros(count)
    tops = np.full(count, -1, dtype=np.int64)
    middles = np.empty(count, dtype=np.int64)
    ops.measure(ground.values, labels, queue, columns, rows, size, cells, totals, tops, middles)

    order = np.argsort(-totals, kind="stable")
    ranks = np.zeros(count + 1, dtype=np.int32)
    ranks[order + 1] = np.arange(1, count + 1)
    return Regions(
        labels=ranks[labels],
        areas=cells[order] * space.cell_size**2,
        totals=totals[order],
        peaks=space.position_of(tops[order]).reshape(-1, 2),
        peak_values=ground.flat[tops[order]],
        centres=space.position_of(middles[order]).reshape(-1, 2),
    )
