"""Answers that are parts of a space: connected ground, measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels.arrays import frozen
from fieldcraft.space.beside import moves_beside
from fieldcraft.space.grid import Grid
from fieldcraft.space.kinds import picked
from fieldcraft.space.pieces import middles, pieces
from fieldcraft.space.protocol import Space

__all__ = ["Region", "Regions", "regions_above", "regions_owned"]

Floats = NDArray[np.float32]
Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Region:
    """One region; see `Regions` for the units. `owner` is None where nobody was asked for."""

    label: int
    area: float
    total: float
    peak: tuple[float, ...]
    peak_value: float
    center: tuple[float, ...]
    owner: str | None = None


@dataclass(frozen=True, eq=False)
class Regions:
    """Connected regions of a map, the one with the largest total first. Behaves as a sequence of
    `Region`.

    `labels`, int32 in the space's shape, holds 1 for the first, 2 for the second, and 0 where there
    is none. Of the K regions: `areas` (K,) are in square world units (on a graph those of the
    polygons of a mesh, else numbers of vertices), `totals` (K,) the sums of their cells' values,
    `peaks` (K, 2) the world positions of their highest cells with `peak_values` (K,), `centers` (K,
    2) those of the cells nearest to their middle, which are always cells of the region; (K, 3) in
    3D. `owners` are the names of K teams where regions of teams were asked for, else empty.
    """

    labels: NDArray[np.int32]
    areas: NDArray[np.float64]
    totals: NDArray[np.float64]
    peaks: NDArray[np.float64]
    peak_values: Floats
    centers: NDArray[np.float64]
    owners: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.areas)

    def __getitem__(self, index: int) -> Region:
        i = range(len(self))[index]
        peak, center = tuple(self.peaks[i].tolist()), tuple(self.centers[i].tolist())
        owner = self.owners[i] if self.owners else None
        return Region(
            i + 1,
            float(self.areas[i]),
            float(self.totals[i]),
            peak,
            float(self.peak_values[i]),
            center,
            owner,
        )

    def __iter__(self) -> Iterator[Region]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        of = f", of {len(set(self.owners))} teams" if self.owners else ""
        return f"<Regions: {len(self)}, area {self.areas.sum():g}{of}>"


@dataclass(frozen=True, eq=False)
class _Measures:
    """Regions by their lowest cells: labels from 1 by cell, and of each one its lowest cell, size,
    total, highest and middle cell.
    """

    labels: NDArray[np.int32]
    lowest: Ids
    areas: NDArray[np.float64]
    totals: NDArray[np.float64]
    tops: Ids
    middles: Ids


def regions_above(space: Space, values: Floats, threshold: float) -> Regions:
    """The regions of open cells whose values, in the space's shape, are above a threshold."""
    measured = picked(space, "Regions", grid=_above_on_grid, graph=_above_on_ways)
    return _ranked(space, values, measured(space, values, threshold))


def regions_owned(
    space: Space, values: Floats, owner: NDArray[np.int32], names: Sequence[str]
) -> Regions:
    """The regions of cells with one owner, a number of a name or -1; `values` are the owner's own,
    both in the space's shape.
    """
    found = picked(space, "Regions", grid=_owned_on_grid, graph=_on_ways)(space, values, owner)
    return _ranked(
        space, values, found, [names[number] for number in owner.reshape(-1)[found.lowest].tolist()]
    )


def _ranked(space: Space, values: Floats, found: _Measures, owners: Sequence[str] = ()) -> Regions:
    order = np.lexsort((found.lowest, -found.totals))
    ranks = np.zeros(len(order) + 1, dtype=np.int32)
    ranks[order + 1] = np.arange(1, len(order) + 1)
    tops = found.tops[order]
    return Regions(
        labels=ranks[found.labels].reshape(space.shape),
        areas=found.areas[order],
        totals=found.totals[order],
        peaks=space.position_of(tops).reshape(-1, space.dimensions),
        peak_values=values.reshape(-1)[tops],
        centers=space.position_of(found.middles[order]).reshape(-1, space.dimensions),
        owners=tuple(owners[number] for number in order.tolist()) if owners else (),
    )


def _above_on_grid(space: Grid, values: Floats, threshold: float) -> _Measures:
    return _on_grid(space, values, [(values, threshold)])


def _above_on_ways(space: Space, values: Floats, threshold: float) -> _Measures:
    return _on_ways(space, values, values > threshold)


def _owned_on_grid(space: Grid, values: Floats, owner: NDArray[np.int32]) -> _Measures:
    masks = [
        (owner == number).astype(np.float32) for number in np.unique(owner[owner >= 0]).tolist()
    ]
    return _on_grid(space, values, [(frozen(mask), 0.5) for mask in masks])


def _on_grid(space: Grid, values: Floats, groups: Sequence[tuple[Floats, float]]) -> _Measures:
    """The regions of several groups of cells, each those where an array is above its threshold."""
    ops = kernels.regions
    moves = moves_beside(space)
    labels = np.zeros(space.shape, dtype=np.int32)
    queue, columns, rows = (np.empty(len(space), dtype=np.int64) for _ in range(3))
    count = size = 0
    for field, threshold in groups:
        own = labels if not count else np.zeros_like(labels)
        number, more = ops.label(
            field,
            space.walls,
            *moves,
            threshold,
            space.wrap,
            own,
            queue[size:],
            columns[size:],
            rows[size:],
        )
        if own is not labels:
            labels += np.where(own > 0, own + count, 0).astype(np.int32)
        count, size = count + number, size + more
    cells, totals = np.zeros(count, dtype=np.int64), np.zeros(count)
    tops, inner = np.full(count, -1, dtype=np.int64), np.empty(count, dtype=np.int64)
    ops.measure(values, labels, queue, columns, rows, size, cells, totals, tops, inner)
    lowest = queue[np.cumsum(cells) - cells]  # each region's first, as it was found row by row
    areas = (cells * space.cell_size**2).astype(np.float64)
    return _Measures(labels.reshape(-1), lowest, areas, totals, tops, inner)


def _on_ways(
    space: Space, values: Floats, groups: NDArray[np.bool_] | NDArray[np.int32]
) -> _Measures:
    part = pieces(space, groups)
    inside = np.flatnonzero(part >= 0)
    numbers, flat = part[inside], values.reshape(-1)
    count = int(numbers.max(initial=-1)) + 1
    _, first = np.unique(numbers, return_index=True)
    totals = np.bincount(numbers, weights=flat[inside].astype(np.float64), minlength=count).astype(
        np.float64
    )
    areas = np.bincount(numbers, weights=space.areas[inside], minlength=count).astype(np.float64)
    by_value = np.lexsort((inside, -flat[inside], numbers))
    tops = inside[by_value[np.searchsorted(numbers[by_value], np.arange(count))]]
    return _Measures(
        (part + 1).astype(np.int32),
        inside[first],
        areas,
        totals,
        tops,
        middles(space, inside, numbers, count),
    )
