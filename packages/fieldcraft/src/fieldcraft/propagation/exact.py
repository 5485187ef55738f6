"""Radiating sources that act from exactly where they are, not from the center of their cell."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fieldcraft.falloff import Falloff
from fieldcraft.propagation.footprints import AnyWalks, Emission, Footprints, Found
from fieldcraft.propagation.graph_footprints import GraphWalks
from fieldcraft.propagation.grid_walks import GridWalks
from fieldcraft.propagation.radial_field import RadialField
from fieldcraft.propagation.radial_work import UNIT_JOBS
from fieldcraft.sources import Sources
from fieldcraft.sources.rows import Columns
from fieldcraft.space import Grid, Space

__all__ = ["ExactGraphRadialField", "ExactGridRadialField", "ExactRadialField", "Placements"]

Floats = NDArray[np.float64]
Cells = NDArray[np.int64]

_MOST_AT_ONCE = 1 << 18  # cells around sources: as many are held in memory at a time
_SHAPE = 64  # what a shape takes of the memory for footprints, in weights


class Placements(Footprints[Any]):
    """Footprints of straight distance. A *shape* is a falloff, a radius in world units and the very
    place of a source.
    """

    def __init__(self, space: Space) -> None:
        super().__init__()
        self.space = space

    @property
    def size(self) -> int:  # type: ignore[override]
        """How much of the memory for footprints is taken."""
        return _SHAPE * len(self.shapes)

    def number(
        self, falloff: Falloff, radius: float, walks: object = None, place: tuple[float, ...] = ()
    ) -> int:
        """The number of the shape with this falloff and this radius at this place."""
        return self._number((falloff, radius, place), walks)

    def without_others(self, shapes: Cells, used: NDArray[np.bool_]) -> tuple[Self, Cells]:
        """See `Footprints.without_others`."""
        kept = type(self)(self.space)
        return kept, self._only(kept, shapes, used)[1]

    def search(
        self, walks: object, cell: int, number: int, *, aside: bool = False
    ) -> Generator[int, None, Found]:
        """The footprint of a shape: yields after each unit of work, returns cells and weights."""
        _, cells, weights = self.around(np.array([number]))
        yield 1
        return cells, weights

    def around(self, numbers: Cells) -> tuple[Cells, Cells, Floats]:
        """The footprints of these shapes, one after the other: which of them each cell belongs to,
        the cells, their weights.
        """
        owners, cells, weights = [], [], []
        for i, number in enumerate(numbers.tolist()):
            falloff, radius, place = self.shapes[number]
            away = np.sqrt((self.space.offsets_from(np.array(place)) ** 2).sum(axis=1))
            near = np.flatnonzero(away <= radius)
            owners.append(np.full(len(near), i))
            cells.append(near)
            weights.append(falloff(away[near] / radius))
        return np.concatenate(owners), np.concatenate(cells), np.concatenate(weights)

    def most_around(self, number: int) -> int:
        """At least as many cells as a footprint has."""
        return len(self.space)


class ExactRadialField(RadialField[AnyWalks]):
    """See `RadialField`. The shape of a source is its own, with its place in it: its footprint is
    worked out whenever it moves.
    """

    footprints: Placements

    def _columns(self, sources: Sources) -> Columns:
        columns = sources.columns
        return columns._replace(shapes=np.arange(len(columns.alive)))

    def _number(self, sources: Sources) -> None:
        """Number the shapes of the rows that have changed, and forget those that nobody has once
        they fill the memory.
        """
        self._forget_shapes()
        columns = sources.columns
        numbers = np.zeros(len(columns.alive), dtype=np.int64)
        rows = np.flatnonzero(columns.changed & columns.alive)
        places, shapes = sources.places[rows].tolist(), columns.shapes[rows].tolist()
        kinds = [
            (
                self._falloff if shape.falloff is None else shape.falloff,
                self.radial.radius if shape.radius is None else shape.radius,
            )
            for shape in sources.shapes
        ]
        for row, place, shape in zip(rows.tolist(), places, shapes, strict=True):
            falloff, radius = kinds[shape]
            numbers[row] = self.footprints.number(falloff, radius, self.walks, tuple(place))
        self._numbers = numbers

    @property
    def _falloff(self) -> Falloff:
        return Falloff.of(self.radial.falloff)

    def _many(self, jobs: Emission) -> Iterator[tuple[Cells, Floats]]:
        """The footprints of jobs, so many at a time: cells, and what each takes."""
        first = 0
        while first < len(jobs):
            last, room = first, _MOST_AT_ONCE
            while last < min(len(jobs), first + UNIT_JOBS) and (last == first or room > 0):
                room -= self.footprints.most_around(int(jobs.shapes[last]))
                last += 1
            owners, cells, weights = self.footprints.around(jobs.shapes[first:last])
            yield cells, weights * jobs.strengths[first:last][owners]
            first = last

    def _add(self, jobs: Emission, *, anew: bool = False) -> Iterator[int]:
        for cells, amounts in self._many(jobs):
            yield from self.sums.scatter(self._ops.scatter, cells, amounts, 1.0)

    def _add_strongest(self, jobs: Emission) -> Iterator[int]:
        for cells, amounts in self._many(jobs):
            yield from self.sums.scatter(self._ops.scatter_strongest, cells, amounts, 1.0)

    def _touch_reached(self, sources: Emission) -> Iterator[int]:
        for cells, _ in self._many(sources):
            self.sums.touch(cells)
            yield 1


class _GridPlacements(Placements):
    """See `Placements`; on a torus a large radius meets itself, so all cells are looked at
    there.
    """

    space: Grid

    def around(self, numbers: Cells) -> tuple[Cells, Cells, Floats]:
        """See `Placements.around`; sources of one radius are looked at together."""
        space = self.space
        if space.wrap:
            return super().around(numbers)
        radii = np.array([self.shapes[number][1] for number in numbers.tolist()])
        places = np.array([self.shapes[number][2] for number in numbers.tolist()])
        owners: list[Cells] = []
        cells: list[Cells] = []
        away: list[Floats] = []
        for radius in np.unique(radii).tolist():
            own = np.flatnonzero(radii == radius)
            columns, rows, squares = self._squares(places[own], radius)
            which, right, down = np.nonzero(squares <= radius * radius)
            owners.append(own[which])
            cells.append(rows[which, down] * space.width + columns[which, right])
            away.append(np.sqrt(squares[which, right, down]))
        owner, cell, share = np.concatenate(owners), np.concatenate(cells), np.concatenate(away)
        weights = np.empty(len(owner))
        kinds: dict[tuple[Falloff, float], list[int]] = {}
        for i, number in enumerate(numbers.tolist()):
            falloff, radius, _ = self.shapes[number]
            kinds.setdefault((falloff, radius), []).append(i)
        for (falloff, radius), members in kinds.items():
            of_kind = np.isin(owner, members)
            weights[of_kind] = falloff(share[of_kind] / radius)
        return owner, cell, weights

    def _squares(self, places: Floats, radius: float) -> tuple[Cells, Cells, Floats]:
        """Columns (S, W) and rows (S, H) around places, and the squared distances (S, W, H),
        infinite off the map.
        """
        space = self.space
        found = []
        squares = []
        for axis, count, turned in ((0, space.width, False), (1, space.height, space.y_up)):
            low, at = space.origin[axis], places[:, axis]
            first = np.clip(np.ceil((at - radius - low) / space.cell_size - 0.5), -1, count).astype(
                np.int64
            )
            last = np.clip(np.floor((at + radius - low) / space.cell_size - 0.5), -1, count).astype(
                np.int64
            )
            indices = first[:, np.newaxis] + np.arange(-1, int((last - first).max(initial=0)) + 2)
            centers = low + (indices + 0.5) * space.cell_size
            inside = (indices >= 0) & (indices < count)
            squares.append(np.where(inside, (centers - at[:, np.newaxis]) ** 2, np.inf))
            found.append(count - 1 - indices if turned else indices)
        return found[0], found[1], squares[0][:, :, np.newaxis] + squares[1][:, np.newaxis, :]

    def most_around(self, number: int) -> int:
        """See `Placements.most_around`."""
        if self.space.wrap:
            return len(self.space)
        side = 2 * self.shapes[number][1] / self.space.cell_size + 4
        return int(min(side, self.space.width + 3) * min(side, self.space.height + 3))


class ExactGridRadialField(ExactRadialField[GridWalks]):
    """See `ExactRadialField`."""

    space: Grid

    def _no_footprints(self) -> Placements:
        return _GridPlacements(self.space)

    def _walks_now(self) -> GridWalks:
        return GridWalks.of(self.space)


class ExactGraphRadialField(ExactRadialField[GraphWalks]):
    """See `ExactRadialField`."""

    def _no_footprints(self) -> Placements:
        return Placements(self.space)

    def _walks_now(self) -> GraphWalks:
        return GraphWalks.of(self.space)
