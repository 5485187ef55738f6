"""Results of queries: connected regions and chosen cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.synonyms import Suggesting
from fieldcraft.base.words import NoneFound
from fieldcraft.kernels.shared.arrays import Ints, read_only
from fieldcraft.space.components import central_cells, components
from fieldcraft.space.geojson import geometry
from fieldcraft.space.grid.grid import Grid
from fieldcraft.space.space import Space


def moves_beside(
    space: Grid,
) -> tuple[
    NDArray[np.unsignedinteger], NDArray[np.int64], NDArray[np.unsignedinteger], NDArray[np.bool_]
]:
    """Return a grid's links and the steps from a cell to all its neighbors, for
    `kernels.values.peaks.peaks`.

    Neighbors are the cells that steps come from, and on grids with one-way steps also the cells
    that they lead to.
    """
    links = space.links().view()
    links.flags.writeable = False
    steps = np.array(space.neighborhood.steps, dtype=np.int64)
    masks = space.link_masks
    ends = np.zeros(len(steps), dtype=np.bool_)
    known = set(space.neighborhood.steps)
    if not all((-dx, -dy) in known for dx, dy in known) or not (
        space.terrain is None or space.terrain.is_plain
    ):
        return (
            links,
            np.concatenate([-steps, steps]),
            np.tile(masks, 2),
            np.repeat([False, True], len(steps)),
        )
    return links, -steps, masks, ends


Values = NDArray[np.float32]


@dataclass(frozen=True)
class Region:
    """One region; see `Regions` for the units. `owner` is None except for regions of teams."""

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
        i = range(len(self))[index]
        peak = tuple(self.peaks[i].tolist())
        center = tuple(self.centers[i].tolist())
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
        if self.owners:
            of = f", of {len(set(self.owners))} teams"
        else:
            of = ""
        return f"<Regions: {len(self)}, area {self.areas.sum():g}{of}>"


_Measures = tuple[NDArray[np.int32], Ints, NDArray[np.float64], NDArray[np.float64], Ints, Ints]
"""Regions by their lowest cells: labels from 1 by cell, and of each one its lowest cell, area,
total, highest and middle cell."""


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
    return _ranked(
        space, values, found, [names[number] for number in owner.reshape(-1)[found[1]].tolist()]
    )


def _ranked(space: Space, values: Values, found: _Measures, owners: Sequence[str] = ()) -> Regions:
    labels, lowest, areas, totals, tops, inner = found
    order = np.lexsort((lowest, -totals))
    ranks = np.zeros(len(order) + 1, dtype=np.int32)
    ranks[order + 1] = np.arange(1, len(order) + 1)
    return Regions(
        space=space,
        labels=ranks[labels].reshape(space.shape),
        areas=areas[order],
        totals=totals[order],
        peaks=space.position_of(tops[order]).reshape(-1, space.dimensions),
        peak_values=values.reshape(-1)[tops[order]],
        centers=space.position_of(inner[order]).reshape(-1, space.dimensions),
        owners=tuple(owners[number] for number in order.tolist()) if owners else (),
    )


def _on_grid(space: Grid, values: Values, groups: Sequence[tuple[Values, float]]) -> _Measures:
    """Return the regions of several groups of cells: in each group an array is above its
    threshold.
    """
    ops = kernels.values.region_labels
    moves = moves_beside(space)
    labels = np.zeros(space.shape, dtype=np.int32)
    queue, columns, rows = (np.empty(len(space), dtype=np.int64) for _ in range(3))
    count = size = 0
    for field, threshold in groups:
        if not count:
            own = labels
        else:
            own = np.zeros_like(labels)
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
        count = count + number
        size = size + more
    cells = np.zeros(count, dtype=np.int64)
    totals = np.zeros(count)
    tops = np.full(count, -1, dtype=np.int64)
    inner = np.empty(count, dtype=np.int64)
    ops.measure(values, labels, queue, columns, rows, size, cells, totals, tops, inner)
    lowest = queue[
        np.cumsum(cells) - cells
    ]  # each region's first cell, because the search goes row by row
    areas = (cells * space.cell_size**2).astype(np.float64)
    return labels.reshape(-1), lowest, areas, totals, tops, inner


def _on_adjacency(
    space: Space, values: Values, groups: NDArray[np.bool_] | NDArray[np.int32]
) -> _Measures:
    part = components(space.adjacency, space.walls, groups)
    inside = np.flatnonzero(part >= 0)
    numbers = part[inside]
    flat = values.reshape(-1)
    count = int(numbers.max(initial=-1)) + 1
    _, first = np.unique(numbers, return_index=True)
    totals = np.bincount(numbers, weights=flat[inside].astype(np.float64), minlength=count).astype(
        np.float64
    )
    areas = np.bincount(numbers, weights=space.areas[inside], minlength=count).astype(np.float64)
    by_value = np.lexsort((inside, -flat[inside], numbers))
    tops = inside[by_value[np.searchsorted(numbers[by_value], np.arange(count))]]
    inner = central_cells(space.position_of(inside), inside, numbers, count)
    return (part + 1).astype(np.int32), inside[first], areas, totals, tops, inner


NONE = ("nan", "stay", "refuse")
"""What a missing choice is: NaN, the agent's own cell, or an error."""


def checked_none(none: NoneFound) -> NoneFound:
    """Return `none` if it is one of `NONE`."""
    return checks.choice("none", none, NONE)


@dataclass(frozen=True, eq=False)
class ChosenCells(Suggesting):
    """Chosen cells: one for each of N positions, or one for a single position, without the first
    axis.

    `cells` (N,) int64 are their ids, `positions` (N, 2), or (N, 3) on a 3D graph, the world
    positions of their centers, `values` (N,) float32 the values there. Where no cell was found
    `found` (N,) is False; then the position and the value are NaN and the cell is -1, but an agent
    that could have stayed in its cell has its own cell. `bool(spot)` is whether the cell for a
    single position was found.

    With `count=k` a last axis holds k choices, the best first: `cells` (N, k), `positions` (N, k,
    2). `position`, `value` and `cell` are the first choices. `targets` are the cells that
    `explore_step` leads towards, else the same as `cells`.
    """

    positions: NDArray[np.float64]
    values: NDArray[np.float32]
    cells: NDArray[np.int64]
    found: NDArray[np.bool_]
    targets: NDArray[np.int64]
    ranked: bool = False

    @classmethod
    def at(
        cls,
        cells: NDArray[np.int64],
        space: Space,
        flat: NDArray[np.float32],
        *,
        ranked: bool = False,
    ) -> ChosenCells:
        """Return the choice of these cells, -1 for none; `flat` are the values by cell."""
        if cells.ndim == 0 and cells >= 0:
            return cls(
                space.position_of(int(cells)),
                flat[cells],
                cells[()],
                np.asarray(cells >= 0)[()],
                cells[()],
                ranked,
            )
        cells = np.asarray(cells)
        found = np.asarray(cells >= 0)
        positions = space._centers_of(cells.reshape(-1)).reshape(*found.shape, space.dimensions)
        if found.all():
            values = flat[cells]
        else:
            values = np.full(found.shape, np.nan, dtype=np.float32)
            values[found] = flat[cells[found]]
        return cls(positions, values[()], cells[()], found[()], cells[()], ranked)

    @classmethod
    def steps(
        cls,
        cells: NDArray[np.int64],
        starts: NDArray[np.int64],
        space: Space,
        flat: NDArray[np.float32],
        targets: NDArray[np.int64] | None = None,
    ) -> ChosenCells:
        """Return the cells that agents step to from the cells `starts`; they stay there if none is
        better.
        """
        return cls(
            space.position_of(cells),
            flat[cells],
            cells,
            cells != starts,
            cells if targets is None else targets,
        )

    @property
    def position(self) -> NDArray[np.float64]:
        """The first choices: (N, 2), or (2,) for one; NaN where nothing was found."""
        return np.asarray(self.positions[..., 0, :] if self.ranked else self.positions)

    @property
    def value(self) -> NDArray[np.float32]:
        """The values of the first choices: (N,), or one number."""
        return self.values[..., 0][()] if self.ranked else self.values

    @property
    def cell(self) -> NDArray[np.int64]:
        """The cells of the first choices: (N,), or one number."""
        return self.cells[..., 0][()] if self.ranked else self.cells

    def __bool__(self) -> bool:
        if np.ndim(self.found):
            raise InvalidValue(
                "Only the choice for a single position is true or false",
                got=repr(self),
                remedy="Use spots.found.any() or spots.found.all()",
            )
        return bool(self.found)

    def __repr__(self) -> str:
        return (
            f"<ChosenCells of shape {self.cells.shape}, {int(np.count_nonzero(self.found))} found>"
        )


def chosen(
    cells: NDArray[np.int64],
    own: int | NDArray[np.int64],
    single: bool,
    count: int | None,
    none: NoneFound,
    space: Space,
    flat: NDArray[np.float32],
) -> ChosenCells:
    """Return the result for cells (N, k) that were chosen: without the first axis for one position,
    without the second if `count` is None.

    `none` is what replaces a missing choice (-1), see `NONE`; `own` are the cells (N,) that the
    agents are in.
    """
    if none == "nan" or (cells >= 0).all():
        return ChosenCells.at(_shaped(cells, single, count), space, flat, ranked=count is not None)
    missing = cells < 0
    own = np.atleast_1d(own)
    if none == "refuse":
        agent = int(np.flatnonzero(missing.any(axis=1))[0])
        raise InvalidValue(
            "There is a cell to choose around each position",
            got=f"none, or too few, around {tuple(space.position_of(own[agent]).tolist())}"
            + ("" if single else f", position {agent}"),
            remedy='Use a larger radius, or none="stay"',
        )
    filled = np.where(missing, own[:, np.newaxis], cells)
    stays = ChosenCells.at(_shaped(filled, single, count), space, flat, ranked=count is not None)
    return replace(stays, found=~_shaped(missing, single, count))


def _shaped(array: NDArray[Any], single: bool, count: int | None) -> Any:
    lists = array if count is not None else array[:, 0]
    return lists[0] if single else lists
