"""The words of a question: what generates candidates, and what is measured in them.

Each word is a frozen dataclass. Its first field is the word in files and in Python, the others are
the keys beside it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.compose.teams import Teams
from fieldcraft.errors import InvalidValue, UnknownName
from fieldcraft.layer.operand import Operand
from fieldcraft.paths import DistanceMap, distance_map, reach
from fieldcraft.query import peaks
from fieldcraft.question.clearance import Clearance
from fieldcraft.question.context import Cells, Context, Floats
from fieldcraft.settings import NotNegative, Positive, Size, Text, refused
from fieldcraft.space import Grid, Space, sees
from fieldcraft.space.adjacency import cached, cached_until_walls_change, components

__all__ = ["GENERATORS", "MEASURES", "Generator", "Measure", "Points"]

_SLACK = 1 + 1e-9
_STRIDE = 4  # steps that a search of paths goes on in one piece of work


def _places(name: str, value: Any) -> Any:
    """A name of positions, or the positions themselves."""
    if isinstance(value, str):
        return checks.text(name, value)
    if np.ndim(getattr(value, "positions", value)) not in (1, 2):
        raise refused(f"{name} is a name, or a list of positions", value, 'Write "me", say')
    return value


def _map(name: str, value: Any) -> Any:
    """A formula, or a map in Python."""
    if isinstance(value, Operand):
        return value
    if not isinstance(value, str) or not value.strip():
        raise refused(f"{name} is a formula over layers", value, 'Write "1 - threat", say')
    return value


def _range(name: str, value: Any) -> tuple[float, float]:
    """The least and the largest distance."""
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise refused(f"{name} is [least, most]", value, "Write two distances")
    least, most = checks.not_negative(name, value[0]), checks.positive(name, value[1])
    if least > most:
        raise refused(f"{name} is [least, most] with least <= most", value, "Swap them")
    return least, most


def _angle(name: str, value: Any) -> float:
    """An opening of at most 360 degrees."""
    if checks.positive(name, value) > 360:
        raise refused(f"{name} is at most 360 degrees", value, "Write 90, say")
    return float(value)


Places = Annotated[Any, _places]
Map = Annotated[Any, _map]
Angle = Annotated[float, _angle]


# What generates candidates
# -----------------------------------------------------------------------------


class Generator(ABC):
    """What the candidates of a question are."""

    @abstractmethod
    def cells(self, context: Context) -> Cells:
        """Return the candidates, cells in a fixed order; some may come twice, or be walls."""


@dataclass(frozen=True)
class Within(Generator):
    """The cells that a walk of a length reaches from one position or several."""

    reach: NotNegative
    around: Places = "me"
    cost: Map = None

    def cells(self, context: Context) -> Cells:
        """See `Generator.cells`."""
        cost = None if self.cost is None else context.map_of(self.cost)
        found = reach(context.space, context.places(self.around), self.reach, cost=cost)
        assert isinstance(found, list)
        return np.concatenate([each.cells for each in found])


@dataclass(frozen=True)
class Rings(Generator):
    """The cells between two straight distances from a position, or the nearest of several."""

    ring: Annotated[tuple[float, float], _range]
    around: Places = "me"

    def cells(self, context: Context) -> Cells:
        """See `Generator.cells`."""
        points, (least, most) = context.places(self.around), self.ring
        near = np.unique(np.concatenate([_near(context.space, each, most) for each in points]))
        away = _straight(context.space, near, points).min(axis=1)
        return np.asarray(near[(away >= least / _SLACK) & (away <= most * _SLACK)])


@dataclass(frozen=True)
class Lattice(Generator):
    """Cells at even distances over the map, or over a disc."""

    grid: Positive
    within: Positive | None = None
    around: Places = "me"

    def cells(self, context: Context) -> Cells:
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
        points = None if self.within is None else context.places(self.around)
        if points is not None and self.within is not None and space.period is None:
            box = points.min(axis=0) - self.within - every, points.max(axis=0) + self.within + every
            axes = [axis[(axis >= a) & (axis <= b)] for axis, a, b in zip(axes, *box, strict=True)]
        places = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)
        if points is not None and self.within is not None:
            away = _away(space, places, points).min(axis=1)
            places = places[away <= self.within * _SLACK]
        return np.asarray(space.cell_at(places, outside="clamp"))


@dataclass(frozen=True)
class Peaks(Generator):
    """The local maxima of a map, the highest first."""

    peaks: Map
    threshold: float = 0.0
    spacing: NotNegative = 0.0
    count: Size | None = None

    def cells(self, context: Context) -> Cells:
        """See `Generator.cells`."""
        found = context.map_of(self.peaks)
        return peaks(found, self.count, spacing=self.spacing, threshold=self.threshold).cells


@dataclass(frozen=True)
class AlongPath(Generator):
    """The cells along a path, in its order."""

    path: Places
    spacing: Positive | None = None

    def cells(self, context: Context) -> Cells:
        """See `Generator.cells`."""
        space, points = context.space, context.places(self.path)
        steps = space.shortest_vectors(np.diff(points, axis=0))
        ends = np.append(0.0, np.cumsum(np.sqrt((steps**2).sum(axis=1))))
        every = self.spacing or space.typical_step / 2
        away = np.append(np.arange(0.0, ends[-1], every), ends[-1])
        line = np.concatenate([points[:1], points[0] + np.cumsum(steps, axis=0)])
        places = np.stack([np.interp(away, ends, axis) for axis in line.T], axis=1)
        return np.asarray(space.cell_at(space.wrapped(places), outside="clamp"))


@dataclass(frozen=True)
class Points(Generator):
    """Given positions."""

    points: Places

    def cells(self, context: Context) -> Cells:
        """See `Generator.cells`."""
        return np.asarray(context.space.cell_at(context.places(self.points)))


# What is measured in candidates
# -----------------------------------------------------------------------------


class Measure(ABC):
    """A number for each candidate, to require or to score.

    `is_truth` measures are required to be above 0 without `least` and `most`.
    """

    is_truth: ClassVar[bool] = True

    def prepare(self, context: Context, cells: Cells) -> Iterator[object]:
        """Do what has to be done before candidates are measured, a piece of work at a time."""
        return iter(())

    @abstractmethod
    def values(self, context: Context, cells: Cells) -> Floats:
        """Return the numbers of some candidates, (N,)."""


@dataclass(frozen=True)
class Value(Measure):
    """The value of a formula over layers, or in Python of a map."""

    value: Map

    def values(self, context: Context, cells: Cells) -> Floats:
        """See `Measure.values`."""
        return context.values_at(self.value, cells)


@dataclass(frozen=True)
class Distance(Measure):
    """The distance to positions in world units."""

    distance: Places
    by: Literal["straight", "path"] = "straight"
    to: Literal["nearest", "farthest", "mean"] = "nearest"
    is_truth: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.by == "path" and self.to != "nearest":
            raise InvalidValue(
                "Paths lead to the nearest of several positions",
                got=f"to={self.to!r}",
                remedy='Leave out to, or by = "path"',
            )

    def prepare(self, context: Context, cells: Cells) -> Iterator[object]:
        """Search for the candidates from the nearest to the farthest, first up to some cells on
        the way to the nearest one.
        """
        if self.by != "path" or not len(cells):
            return
        space, points = context.space, context.places(self.distance)
        away = _straight(space, cells, points)
        order = np.argsort(away.min(axis=1), kind="stable")
        start, end = points[away[order[0]].argmin()], space.position_of(cells[order[0]])
        far = float(away.min()) / (_STRIDE * space.typical_step)
        shares = np.arange(1, int(min(far, len(space))) + 1)[:, np.newaxis] / (far + 1)
        line = start + space.shortest_vectors(end - start) * shares
        between = np.asarray(space.cell_at(space.wrapped(line), outside="clamp"), dtype=np.int64)
        between = between[~space.walls.reshape(-1)[between]]
        yield between
        for cell in np.append(between, cells[order]):
            yield self._paths(context).measured(np.array([cell]))

    def _paths(self, context: Context) -> DistanceMap:
        points = context.places(self.distance)
        found = context.once(id(self), lambda: distance_map(context.space, points))
        assert isinstance(found, DistanceMap)
        return found

    def values(self, context: Context, cells: Cells) -> Floats:
        """See `Measure.values`."""
        points = context.places(self.distance)
        if self.by == "path":
            return self._paths(context).measured(cells)
        away = _straight(context.space, cells, points)
        if self.to == "mean":
            return np.asarray(away.mean(axis=1))
        return np.asarray(away.min(axis=1) if self.to == "nearest" else away.max(axis=1))


@dataclass(frozen=True)
class VisibleFrom(Measure):
    """How many of some positions see a candidate."""

    visible_from: Places
    range: Positive = np.inf
    facing: Places | None = None
    angle: Angle = 90.0

    def values(self, context: Context, cells: Cells) -> Floats:
        """See `Measure.values`."""
        return _seen(context, cells, self.visible_from, self.range, self.facing, self.angle)


@dataclass(frozen=True)
class HiddenFrom(Measure):
    """1 where none of some positions sees a candidate, else 0."""

    hidden_from: Places
    range: Positive = np.inf
    facing: Places | None = None
    angle: Angle = 90.0

    def values(self, context: Context, cells: Cells) -> Floats:
        """See `Measure.values`."""
        seen = _seen(context, cells, self.hidden_from, self.range, self.facing, self.angle)
        return np.asarray(seen == 0, dtype=np.float64)


@dataclass(frozen=True)
class Owner(Measure):
    """1 where a team owns a candidate, else 0."""

    owner: Text
    teams: Text = "teams"
    margin: NotNegative = 0.0

    def values(self, context: Context, cells: Cells) -> Floats:
        """See `Measure.values`."""
        teams = checks.instance(
            context.given(self.teams, "teams"),
            Teams,
            f"The name {self.teams!r} stands for teams",
            f"Pass {self.teams}=imap.add_teams(...)",
        )
        if self.owner not in teams.names:
            raise UnknownName("team", self.owner, teams.names)
        owners = context.once(id(self), lambda: teams.owner(margin=self.margin).reshape(-1))
        return np.asarray(owners[cells] == teams.names.index(self.owner), dtype=np.float64)


@dataclass(frozen=True)
class Fits(Measure):
    """1 where a footprint of so many cells a side, or across on hexagons, fits, else 0."""

    fits: Size

    def values(self, context: Context, cells: Cells) -> Floats:
        """See `Measure.values`."""
        sizes = Clearance(context.space).values.reshape(-1)
        return np.asarray(sizes[cells] >= self.fits, dtype=np.float64)


@dataclass(frozen=True)
class Reachable(Measure):
    """1 where a walk of any length joins a candidate with one of some positions, else 0."""

    reachable: Places

    def values(self, context: Context, cells: Cells) -> Floats:
        """See `Measure.values`."""
        parts = _parts(context.space)
        starts = context.space.cell_at(context.places(self.reachable))
        return np.asarray(np.isin(parts[cells], parts[starts]), dtype=np.float64)


def _seen(
    context: Context, cells: Cells, viewers: Any, far: float, facing: Any, angle: float
) -> Floats:
    """Return how many of the viewers see each cell, (N,)."""
    points = context.places(viewers)
    looks = None if facing is None else context.directions(facing)
    if looks is not None and len(looks) == 1:
        looks = looks[0]
    targets = context.space.position_of(cells)
    found = sees(context.space, points, targets, far, facing=looks, angle=angle)
    return np.asarray(found.sum(axis=0), dtype=np.float64)


def _straight(space: Space, cells: Cells, points: Floats) -> Floats:
    """Return the straight distances from the centers of cells to positions, (N, P)."""
    return _away(space, space.position_of(cells), points)


def _away(space: Space, places: Floats, points: Floats) -> Floats:
    """Return the straight distances from places to positions, (N, P)."""
    vectors = space.shortest_vectors(places[:, np.newaxis] - points)
    return np.asarray(np.sqrt((vectors**2).sum(axis=2)))


def _near(space: Space, point: Floats, radius: float) -> Cells:
    """Return cells around a position: at least those within a radius."""
    if not isinstance(space, Grid):
        place = point if space.period is None else point % space.period
        return np.array(_tree(space).query_ball_point(place, radius * _SLACK), dtype=np.int64)
    width = int(min(radius / space.cell_size, max(space.shape))) + 1
    row, column = divmod(space.cell_at(tuple(point.tolist())), space.width)
    rows, columns = (np.arange(middle - width, middle + width + 1) for middle in (row, column))
    if space.wrap:
        rows, columns = np.unique(rows % space.height), np.unique(columns % space.width)
    rows = rows[(rows >= 0) & (rows < space.height)]
    columns = columns[(columns >= 0) & (columns < space.width)]
    return np.asarray((rows[:, np.newaxis] * space.width + columns).reshape(-1))


@cached
def _tree(space: Space) -> Any:
    """Return the centers of all cells as a tree."""
    from scipy.spatial import cKDTree

    size = space.period
    return cKDTree(space.positions if size is None else space.positions % size, boxsize=size)


@cached_until_walls_change
def _parts(space: Space) -> NDArray[np.int64]:
    """Return the connected part of each cell, (N,)."""
    return components(space, ~space.walls)


GENERATORS: tuple[Callable[..., Generator], ...] = (
    Within,
    Rings,
    Lattice,
    Peaks,
    AlongPath,
    Points,
)
MEASURES: tuple[Callable[..., Measure], ...] = (
    Value,
    Distance,
    VisibleFrom,
    HiddenFrom,
    Owner,
    Fits,
    Reachable,
)
