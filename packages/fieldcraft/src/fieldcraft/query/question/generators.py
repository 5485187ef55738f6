"""What the candidates of a question are.

Each class is a word: its first field is the word in files and in Python, the others are the keys
beside it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.ranges import farthest_within
from fieldcraft.base.settings.dataclasses import NotNegative, Positive, Size, refused
from fieldcraft.kernels.shared.arrays import Floats, Ints
from fieldcraft.paths.search.reach import ReachSearch
from fieldcraft.paths.starts_and_goals import resolve_cells
from fieldcraft.query import peaks
from fieldcraft.query.question.context import Context
from fieldcraft.query.question.readers import Map, Places, distances
from fieldcraft.space import Grid, Space
from fieldcraft.space.cached import cached
from fieldcraft.space.space_ranges import at_spacing, within_range, within_walk
from fieldcraft.space.wrapping import box_of, within_period

_PIECE = 256  # So many cells in reach are one piece of work.


def _range(name: str, value: Any) -> tuple[float, float]:
    """Return the least and the largest distance."""
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise refused(f"{name} is [least, most]", value, "Write two distances")
    least = checks.not_negative(name, value[0])
    most = checks.positive(name, value[1])
    if least > most:
        raise refused(f"{name} is [least, most] with least <= most", value, "Swap them")
    return least, most


class Generator(ABC):
    """What the candidates of a question are."""

    @abstractmethod
    def cells(self, context: Context) -> Iterator[Ints]:
        """Yield the candidates, cells in a fixed order, after each piece of work those that it
        found; some may come twice, or be walls.
        """


@dataclass(frozen=True)
class InReach(Generator):
    """The cells within a walking distance of one position or several."""

    reach: NotNegative
    around: Places = "me"
    cost: Map = None

    def cells(self, context: Context) -> Iterator[Ints]:
        """See `Generator.cells`."""
        cost = None
        if self.cost is not None:
            cost = context.map_of(self.cost)
        space = context.space
        points = context.some_places(self.around)
        starts, _ = resolve_cells(space, space.walls, "walker", points)
        search = ReachSearch(space, cost, False, within_walk(space, self.reach))
        for start in starts.tolist():
            for _ in search.run(start, _PIECE):
                yield starts[:0]
            yield search.found()[0]
        search.end()


@dataclass(frozen=True)
class Ring(Generator):
    """The cells between two straight distances from a position, or the nearest of several."""

    ring: Annotated[tuple[float, float], _range]
    around: Places = "me"

    def cells(self, context: Context) -> Iterator[Ints]:
        """See `Generator.cells`."""
        space = context.space
        points = context.some_places(self.around)
        least = at_spacing(space, self.ring[0])
        most = within_range(space, self.ring[1])
        near = np.unique(np.concatenate([_near(space, each, most) for each in points]))
        away = distances(space, space._centers_of(near), points).min(axis=1)
        yield np.asarray(near[(away >= least) & (away <= most)])


@dataclass(frozen=True)
class Lattice(Generator):
    """Cells at even distances over the map, or over a disc."""

    grid: Positive
    within: Positive | None = None
    around: Places = "me"

    def cells(self, context: Context) -> Iterator[Ints]:
        """See `Generator.cells`."""
        space = context.space
        if space.dimensions != 2:
            raise InvalidValue(
                "A grid of candidates needs a flat map", got=repr(space)[:80], remedy="Use reach"
            )
        every = max(self.grid, space.typical_step / 2)
        low, high = space.extent
        counts = np.maximum(np.ceil((high - low) / every - 1e-9), 1).astype(int)
        axes = [
            start + (end - start) * (np.arange(count) + 0.5) / count
            for start, end, count in zip(low, high, counts.tolist(), strict=True)
        ]
        if self.within is None:
            places = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)
        else:
            points = context.some_places(self.around)
            within = within_range(space, self.within)
            if space.period is None:
                low = points.min(axis=0) - within - every
                high = points.max(axis=0) + within + every
                axes = [
                    axis[(axis >= start) & (axis <= end)]
                    for axis, start, end in zip(axes, low, high, strict=True)
                ]
            places = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)
            away = distances(space, places, points).min(axis=1)
            places = places[away <= within]
        yield np.asarray(space.cell_at(places, outside="clamp"))


@dataclass(frozen=True)
class Peaks(Generator):
    """The local maxima of a map, the highest first."""

    peaks: Map
    threshold: float = 0.0
    spacing: NotNegative = 0.0
    count: Size | None = None

    def cells(self, context: Context) -> Iterator[Ints]:
        """See `Generator.cells`."""
        found = context.map_of(self.peaks)
        yield peaks(found, self.count, spacing=self.spacing, threshold=self.threshold).cells


@dataclass(frozen=True)
class AlongPath(Generator):
    """The cells along a path, in its order."""

    path: Places
    spacing: Positive | None = None

    def cells(self, context: Context) -> Iterator[Ints]:
        """See `Generator.cells`."""
        space = context.space
        points = context.some_places(self.path)
        steps = space.shortest_vectors(np.diff(points, axis=0))
        ends = np.append(0.0, np.cumsum(np.sqrt((steps**2).sum(axis=1))))
        every = self.spacing or space.typical_step / 2
        away = np.append(np.arange(0.0, ends[-1], every), ends[-1])
        line = np.concatenate([points[:1], points[0] + np.cumsum(steps, axis=0)])
        places = np.stack([np.interp(away, ends, axis) for axis in line.T], axis=1)
        yield np.asarray(space.cell_at(space.wrapped(places), outside="clamp"))


@dataclass(frozen=True)
class Points(Generator):
    """Given positions."""

    points: Places

    def cells(self, context: Context) -> Iterator[Ints]:
        """See `Generator.cells`."""
        yield np.asarray(context.space.cell_at(context.some_places(self.points)))


def _near(space: Space, point: Floats, radius: float) -> Ints:
    """Return cells around a position: at least those within a radius."""
    if not isinstance(space, Grid):
        place = within_period(point, space.period)
        found = _tree(space).query_ball_point(place, farthest_within(radius))
        return np.array(found, dtype=np.int64)
    width = int(min(radius / space.cell_size, max(space.shape))) + 1
    row, column = divmod(space.cell_at(tuple(point.tolist())), space.width)
    rows = np.arange(row - width, row + width + 1)
    columns = np.arange(column - width, column + width + 1)
    if space.wraps_x:
        columns = np.unique(columns % space.width)
    if space.wraps_y:
        rows = np.unique(rows % space.height)
    rows = rows[(rows >= 0) & (rows < space.height)]
    columns = columns[(columns >= 0) & (columns < space.width)]
    return np.asarray((rows[:, np.newaxis] * space.width + columns).reshape(-1))


@cached
def _tree(space: Space) -> Any:
    """Return the centers of all cells as a tree."""
    from scipy.spatial import cKDTree

    size = space.period
    return cKDTree(within_period(space.positions, size), boxsize=box_of(size))


GENERATORS: tuple[Callable[..., Generator], ...] = (
    InReach,
    Ring,
    Lattice,
    Peaks,
    AlongPath,
    Points,
)
