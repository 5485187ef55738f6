"""Measures of candidates, for requirements and scores.

Each class is a word: its first field is the word in files and in Python, the others are the keys
beside it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.settings.dataclasses import NotNegative, Positive, Size, Text
from fieldcraft.kernels.shared.arrays import Floats, Ints
from fieldcraft.paths import DistanceMap, distance_map
from fieldcraft.query.question.context import Context
from fieldcraft.query.question.readers import Heights, Map, Places, distances
from fieldcraft.space import Space, sees
from fieldcraft.space.cached import cached_until_walls_change
from fieldcraft.space.components import components
from fieldcraft.space.space_ranges import at_spacing, at_walk, within_range, within_walk
from fieldcraft.values.clearance import Clearance

_STRIDE = 4  # In one piece of work a search of paths continues for about so many steps.


Angle = Annotated[float, partial(checks.positive, maximum=360)]


class Measure(ABC):
    """A number for each candidate, to require or to score.

    `is_truth` measures are required to be above 0 without `least` and `most`.
    """

    is_truth: ClassVar[bool] = True

    def prepare(self, context: Context, cells: Ints) -> Iterator[object]:
        """Prepare the measurement of candidates, a piece of work at a time."""
        return iter(())

    @abstractmethod
    def values(self, context: Context, cells: Ints) -> Floats:
        """Return the numbers of some candidates, (N,)."""

    def bounds(self, context: Context, least: float, most: float) -> tuple[float, float]:
        """Return the smallest and the largest number that are at least `least` and at most
        `most`.
        """
        return least, most


@dataclass(frozen=True)
class Value(Measure):
    """The value of a formula over layers, or in Python of a map."""

    value: Map

    def values(self, context: Context, cells: Ints) -> Floats:
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

    def prepare(self, context: Context, cells: Ints) -> Iterator[object]:
        """Search for the candidates from the nearest to the farthest, first for some cells on the
        path to the nearest one.
        """
        space = context.space
        points = context.places(self.distance)
        if self.by != "path" or not len(cells) or not len(points):
            return
        away = distances(space, space._centers_of(cells), points)
        order = np.argsort(away.min(axis=1), kind="stable")
        start = points[away[order[0]].argmin()]
        end = space.position_of(cells[order[0]])
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

    def values(self, context: Context, cells: Ints) -> Floats:
        """See `Measure.values`."""
        points = context.places(self.distance)
        if not len(points):
            return np.full(len(cells), np.inf)
        if self.by == "path":
            return self._paths(context).measured(cells)
        away = distances(context.space, context.space._centers_of(cells), points)
        if self.to == "mean":
            # In the order of the positions in memory, which decides how they are added up.
            return np.asarray(np.ascontiguousarray(away).mean(axis=1))
        if self.to == "nearest":
            return np.asarray(away.min(axis=1))
        return np.asarray(away.max(axis=1))

    def bounds(self, context: Context, least: float, most: float) -> tuple[float, float]:
        """See `Measure.bounds`."""
        space = context.space
        if self.by == "path":
            return at_walk(space, least), within_walk(space, most)
        return at_spacing(space, least), within_range(space, most)


@dataclass(frozen=True)
class VisibleFrom(Measure):
    """The number of positions that see a candidate."""

    visible_from: Places
    range: Positive = np.inf
    facing: Places | None = None
    angle: Angle = 90.0
    heights: Heights | None = None
    eye: NotNegative = 1.0

    def values(self, context: Context, cells: Ints) -> Floats:
        """See `Measure.values`."""
        points = context.places(self.visible_from)
        space = context.space
        if not len(points):
            return np.zeros(len(cells))
        facing = None
        if self.facing is not None:
            facing = context.directions(self.facing)
            if len(facing) == 1:
                facing = facing[0]
        targets = space._centers_of(cells)
        heights = None
        if self.heights is not None:
            heights = context.heights(self.heights)
        found = sees(
            space,
            points,
            targets,
            self.range,
            facing=facing,
            angle=self.angle,
            heights=heights,
            eye=self.eye,
        )
        return np.asarray(found.sum(axis=0), dtype=np.float64)


@dataclass(frozen=True)
class HiddenFrom(Measure):
    """1 where none of some positions sees a candidate, else 0."""

    hidden_from: Places
    range: Positive = np.inf
    facing: Places | None = None
    angle: Angle = 90.0
    heights: Heights | None = None
    eye: NotNegative = 1.0

    def values(self, context: Context, cells: Ints) -> Floats:
        """See `Measure.values`."""
        seen = VisibleFrom(
            self.hidden_from, self.range, self.facing, self.angle, self.heights, self.eye
        )
        return np.asarray(seen.values(context, cells) == 0, dtype=np.float64)


@dataclass(frozen=True)
class Owner(Measure):
    """1 where a team owns a candidate, else 0."""

    owner: Text
    teams: Text = "teams"
    margin: NotNegative = 0.0

    def values(self, context: Context, cells: Ints) -> Floats:
        """See `Measure.values`."""
        teams = context.teams_with(self.owner, self.teams)
        owners = context.once(id(self), lambda: teams.owner(margin=self.margin).reshape(-1))
        return np.asarray(owners[cells] == teams.names.index(self.owner), dtype=np.float64)


@dataclass(frozen=True)
class Fits(Measure):
    """1 where a footprint fits, else 0; its size is in cells of a side, on hexagons across, and on
    meshes in world units across.
    """

    fits: Size

    def values(self, context: Context, cells: Ints) -> Floats:
        """See `Measure.values`."""
        sizes = Clearance(context.space).values.reshape(-1)
        return np.asarray(sizes[cells] >= self.fits, dtype=np.float64)


@dataclass(frozen=True)
class Reachable(Measure):
    """1 where a path connects a candidate with one of some positions, else 0."""

    reachable: Places

    def values(self, context: Context, cells: Ints) -> Floats:
        """See `Measure.values`."""
        parts = _parts(context.space)
        starts = context.space.cell_at(context.places(self.reachable))
        return np.asarray(np.isin(parts[cells], parts[starts]), dtype=np.float64)


@cached_until_walls_change
def _parts(space: Space) -> NDArray[np.int64]:
    """Return the connected part of each cell, (N,)."""
    return components(space.adjacency, space.walls, ~space.walls)


MEASURES: tuple[Callable[..., Measure], ...] = (
    Value,
    Distance,
    VisibleFrom,
    HiddenFrom,
    Owner,
    Fits,
    Reachable,
)
