"""Results of queries: connected regions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.base.missing_names import Suggesting
from fieldcraft.kernels.shared.arrays import Ints, read_only
from fieldcraft.space.components import central_cells, components
from fieldcraft.space.geojson import geometry
from fieldcraft.space.grid.grid import Grid
from fieldcraft.space.space import Space

Values = NDArray[np.float32]


class MovesBeside(NamedTuple):
    """A grid's links, and the moves from a cell to all its neighbors, as
    `kernels.values.peaks.peaks` takes them.
    """

    links: NDArray[np.unsignedinteger]
    moves: NDArray[np.int64]
    """(K, 2) in columns and rows."""
    masks: NDArray[np.unsignedinteger]
    """The bit of each move's step in the links, (K,)."""
    at_ends: NDArray[np.bool_]
    """Whether the links of the neighbor have that bit, (K,), not those of the cell."""


def moves_beside(space: Grid) -> MovesBeside:
    """Return the moves to the neighbors of a grid's cells: the cells that steps come from, and on
    grids with one-way steps also the cells that they lead to.
    """
    links = space.links().view()
    links.flags.writeable = False
    steps = np.array(space.neighborhood.steps, dtype=np.int64)
    masks = space.link_masks
    known = set(space.neighborhood.steps)
    is_mutual = all((-dx, -dy) in known for dx, dy in known)
    if is_mutual and (space.terrain is None or space.terrain.is_plain):
        return MovesBeside(links, -steps, masks, np.zeros(len(steps), dtype=np.bool_))
    return MovesBeside(
        links,
        np.concatenate([-steps, steps]),
        np.tile(masks, 2),
        np.repeat([False, True], len(steps)),
    )


@dataclass(frozen=True)
class Region(Suggesting):
    """One region; see `Regions` for the units. `owner` is None except for regions of teams."""

    label: int
    area: float
    total: float
    peak: tuple[float, ...]
    peak_value: float
    center: tuple[float, ...]
    owner: str | None = None


@dataclass(frozen=True, eq=False)
class Regions(Suggesting):
    """Connected regions of a map, the one with the largest total first. Behaves as a sequence of
    `Region`.

    `labels`, int32 in the space's shape, holds 1 for the first, 2 for the second, and 0 outside of
    all regions. Of the K regions: `areas` (K,) are in square world units (on a graph the areas of
    the polygons of a mesh, else numbers of vertices), `totals` (K,) the sums of their cells'
    values, `peaks` (K, 2) the world positions of their highest cells with `peak_values` (K,),
    `centers` (K, 2) the positions of the cells nearest to their middle, which are always cells of
    the region; (K, 3) in 3D. `owners` are the names of K teams for regions of teams, else empty.
    """

    space: Space
    labels: NDArray[np.int32]
    areas: NDArray[np.float64]
    totals: NDArray[np.float64]
    peaks: NDArray[np.float64]
    peak_values: Values
    centers: NDArray[np.float64]
    owners: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.areas)

    def __getitem__(self, index: int) -> Region:
        i = range(len(self))[index]  # counted from the end, if below 0
        owner = None
        if self.owners:
            owner = self.owners[i]
        return Region(
            label=i + 1,
            area=float(self.areas[i]),
            total=float(self.totals[i]),
            peak=tuple(self.peaks[i].tolist()),
            peak_value=float(self.peak_values[i]),
            center=tuple(self.centers[i].tolist()),
            owner=owner,
        )

    def __iter__(self) -> Iterator[Region]:
        return (self[i] for i in range(len(self)))

    @property
    def __geo_interface__(self) -> dict[str, Any]:
        """The regions as GeoJSON features, for Shapely and GeoPandas: polygons of cells of a grid
        or hexagons, points on other spaces.
        """
        labels = self.labels.reshape(-1)
        features = [
            {
                "type": "Feature",
                "id": region.label,
                "properties": asdict(region),
                "geometry": geometry(self.space, np.flatnonzero(labels == region.label)),
            }
            for region in self
        ]
        return {"type": "FeatureCollection", "features": features}

    def __repr__(self) -> str:
        teams = ""
        if self.owners:
            teams = f", of {len(set(self.owners))} teams"
        return f"<Regions: {len(self)}, area {self.areas.sum():g}{teams}>"


class _Measures(NamedTuple):
    """Regions in the order of their lowest cells; `labels` (N,) count them from 1."""

    labels: NDArray[np.int32]
    lowest: Ints
    """The lowest cell of each region, (K,)."""
    areas: NDArray[np.float64]
    totals: NDArray[np.float64]
    peaks: Ints
    """The cell of each with the highest value."""
    centers: Ints
    """The cell of each that is nearest to its middle."""


def regions_above(space: Space, values: Values, threshold: float) -> Regions:
    """Return the regions of open cells with values, in the space's shape, above a threshold."""
    if isinstance(space, Grid):
        return _ranked(space, values, _on_grid(space, values, [(values, threshold)]))
    return _ranked(space, values, _on_adjacency(space, values, values > threshold))


def regions_owned(
    space: Space, values: Values, owner: NDArray[np.int32], names: Sequence[str]
) -> Regions:
    """Return the regions of cells with one owner, a number of a name or -1; `values` are the
    owner's own, both in the space's shape.
    """
    if isinstance(space, Grid):
        numbers = np.unique(owner[owner >= 0]).tolist()
        masks = [read_only((owner == number).astype(np.float32)) for number in numbers]
        found = _on_grid(space, values, [(mask, 0.5) for mask in masks])
    else:
        found = _on_adjacency(space, values, owner)
    owners = [names[number] for number in owner.reshape(-1)[found.lowest].tolist()]
    return _ranked(space, values, found, owners)


def _ranked(space: Space, values: Values, found: _Measures, owners: Sequence[str] = ()) -> Regions:
    """Return the regions in the order of their totals, the largest first; `owners` are the names
    of their teams, or none.
    """
    order = np.lexsort((found.lowest, -found.totals))
    ranks = np.zeros(len(order) + 1, dtype=np.int32)
    ranks[order + 1] = np.arange(1, len(order) + 1)
    peaks = found.peaks[order]
    names: tuple[str, ...] = ()
    if owners:
        names = tuple(owners[number] for number in order.tolist())
    return Regions(
        space=space,
        labels=ranks[found.labels].reshape(space.shape),
        areas=found.areas[order],
        totals=found.totals[order],
        peaks=space.position_of(peaks).reshape(-1, space.dimensions),
        peak_values=values.reshape(-1)[peaks],
        centers=space.position_of(found.centers[order]).reshape(-1, space.dimensions),
        owners=names,
    )


def _on_grid(space: Grid, values: Values, groups: Sequence[tuple[Values, float]]) -> _Measures:
    """Return the regions of several groups of cells: in each group an array is above its
    threshold.
    """
    moves = moves_beside(space)
    labels = np.zeros(space.shape, dtype=np.int32)
    queue = np.empty(len(space), dtype=np.int64)
    columns = np.empty(len(space), dtype=np.int64)
    rows = np.empty(len(space), dtype=np.int64)
    count = 0  # regions
    size = 0  # their cells
    for field, threshold in groups:
        if not count:
            own = labels
        else:
            own = np.zeros_like(labels)
        number, more = kernels.values.region_labels.label(
            field,
            space.walls,
            *moves,
            threshold,
            bool(space.wrap),
            own,
            queue[size:],
            columns[size:],
            rows[size:],
        )
        if own is not labels:
            labels += np.where(own > 0, own + count, 0).astype(np.int32)
        count = count + number
        size = size + more
    cells = np.zeros(count, dtype=np.int64)
    totals = np.zeros(count)
    peaks = np.empty(count, dtype=np.int64)
    centers = np.empty(count, dtype=np.int64)
    kernels.values.region_labels.measure(
        values, labels, queue, columns, rows, size, cells, totals, peaks, centers
    )
    # The search goes row by row, so the first cell of each region is its lowest.
    lowest = queue[np.cumsum(cells) - cells]
    areas = (cells * space.cell_size**2).astype(np.float64)
    return _Measures(labels.reshape(-1), lowest, areas, totals, peaks, centers)


def _on_adjacency(
    space: Space, values: Values, groups: NDArray[np.bool_] | NDArray[np.int32]
) -> _Measures:
    """Return the regions of cells of one group: True, or one number of 0 and more."""
    part = components(space.adjacency, space.walls, groups)
    inside = np.flatnonzero(part >= 0)
    numbers = part[inside]
    flat = values.reshape(-1)
    count = int(numbers.max(initial=-1)) + 1
    _, first = np.unique(numbers, return_index=True)
    weights = flat[inside].astype(np.float64)
    totals = np.bincount(numbers, weights=weights, minlength=count).astype(np.float64)
    areas = np.bincount(numbers, weights=space.areas[inside], minlength=count).astype(np.float64)
    by_value = np.lexsort((inside, -flat[inside], numbers))
    peaks = inside[by_value[np.searchsorted(numbers[by_value], np.arange(count))]]
    centers = central_cells(space.position_of(inside), inside, numbers, count)
    return _Measures((part + 1).astype(np.int32), inside[first], areas, totals, peaks, centers)
