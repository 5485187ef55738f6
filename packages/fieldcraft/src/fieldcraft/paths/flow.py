"""Flow fields: which way to walk, from anywhere, for any number of agents."""

from __future__ import annotations

from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.interruption import whole
from fieldcraft.paths.backend import backend
from fieldcraft.paths.cost import Cost
from fieldcraft.paths.distances import DistanceMap, distance_map
from fieldcraft.paths.flow_base import FlowField, Sampler
from fieldcraft.space import Space, checked_space

__all__ = ["FlowField", "FlowFields", "flow_field"]

_fields: WeakValueDictionary[int, FlowField] = WeakValueDictionary()


def flow_field(distance_map: DistanceMap, *, arrive: bool = False) -> FlowField:
    """The directions in which to walk to the goals of a distance map: the same field whenever it is
    asked for.

    A field ends in the goals' cells: directions are 0 there. With `arrive=True` they lead on to the
    positions that the map was asked for.

    The field follows its map: after `repair` it is mended where distances or walls have changed
    when it is next looked at.

    On a graph or mesh it is a `GraphFlow`, which knows the next vertex as well.

    Raises
    ------
    InvalidValue
        For anything but a distance map, for one with `outward=True`, for a grid whose neighbourhood
        lacks a straight step (who walks from spot to spot does not jump), and for `arrive=True` on
        a graph that is no mesh, where ways end at vertices.
    """
    if not isinstance(distance_map, DistanceMap):
        raise InvalidValue(
            "A flow field is made from a distance map",
            got=type(distance_map).__name__,
            remedy="Pass fc.distance_map(space, goals)",
        )
    if distance_map.outward:
        raise InvalidValue(
            "A flow field leads to the goals of its map",
            got="a map with outward=True",
            remedy="Make the distance map without outward",
        )
    if checks.flag("arrive", arrive):
        if "grid" not in distance_map.space.forms and distance_map.space.graph.mesh is None:
            raise InvalidValue(
                "Ways on a graph end at its vertices",
                got="arrive=True",
                remedy="Leave it out, and put a vertex where the goal is",
            )
        return ArrivingFlow(flow_field(distance_map))
    known = _fields.get(id(distance_map))
    if known is None or known.distance_map is not distance_map:
        known = _fields[id(distance_map)] = backend(distance_map.space).flow(distance_map)
    return known


_SLOWS = 0.5  # typical steps before the goal where directions begin to shorten


class ArrivingFlow(FlowField):
    """A flow field that goes on within the goals' cells, to the nearest of the positions given
    there; made by `flow_field`.

    There directions are unit vectors down to half a typical step from the goal, and shorten from
    there on to 0 at it, so that whoever follows them comes to rest there. Everywhere else, and in
    `vectors`, it is the field that it was made from.
    """

    def __init__(self, field: FlowField) -> None:
        self.field = field
        self.distance_map, self.space = field.distance_map, field.space

    def __reduce__(self) -> tuple[type[ArrivingFlow], tuple[FlowField]]:
        return ArrivingFlow, (self.field,)

    @property
    def vectors(self) -> NDArray[np.float32]:
        """See `FlowField.vectors`."""
        return self.field.vectors

    @property
    def version(self) -> tuple[int, int]:
        """See `FlowField.version`."""
        return self.field.version

    def sample(self, positions: ArrayLike, *, outside: str = "refuse") -> NDArray[np.float64]:
        """See `FlowField.sample`; in the cells of goals the directions lead to their positions and
        are at most 1 long.
        """
        points, single = checks.positions(positions, dimensions=self.space.dimensions)
        found = np.atleast_2d(self.field.sample(points, outside=outside))
        self._aim(points, found, outside)
        return found[0] if single else found

    def sampler(self, *, outside: str = "refuse") -> Sampler:
        """See `FlowField.sampler`."""
        serve = self.field.sampler(outside=outside)

        def aimed(
            points: NDArray[np.float64], first: int, last: int, out: NDArray[np.float64]
        ) -> None:
            serve(points, first, last, out)
            self._aim(points[first:last], out[first:last], outside)

        return aimed

    def _aim(self, points: NDArray[np.float64], found: NDArray[np.float64], outside: str) -> None:
        """Turn the directions of those in a goal's cell to its position."""
        ends = self.ends()
        still = np.flatnonzero(~found.any(axis=1))
        if not len(still) or not len(ends):
            return
        cells = np.atleast_1d(self.space.cell_at(points[still], outside="clamp"))
        there = np.isin(cells, ends)
        still, cells = still[there], cells[there]
        goals = self.distance_map.goal_positions
        lies_in = np.atleast_1d(self.space.cell_at(goals))
        slows = _SLOWS * self.space.typical_step
        for cell in np.unique(cells).tolist():
            here = still[cells == cell]
            away = self.space.short_way(
                goals[lies_in == cell][np.newaxis] - points[here][:, np.newaxis]
            )
            far = np.sqrt((away**2).sum(axis=2))
            nearest = far.argmin(axis=1)
            rows = np.arange(len(here))
            found[here] = away[rows, nearest] / np.maximum(far[rows, nearest], slows)[:, np.newaxis]


class FlowFields:
    """Flow fields of one ground, kept by goal: asked for a goal again, the field is there already.

    Parameters
    ----------
    space, cost : Space / Cost, optional
        As for `distance_map`; they hold for all fields. A layer or expression as the cost is read
        anew when it has changed.
    most : int, optional
        How many fields are kept, at least 1: the one that was not asked for the longest goes.

    Examples
    --------
    >>> fields = fc.paths.FlowFields(space, cost=1 + 4 * threat)      # doctest: +SKIP
    >>> directions = fields.to((40.5, 12.5)).sample(positions)  # doctest: +SKIP
    """

    def __init__(self, space: Space, *, cost: Cost = None, most: int = 64) -> None:
        self.space = checked_space(space, "Flow fields lie on")
        self.cost = cost
        self.most = checks.whole("most", most, minimum=1)
        self._fields: dict[tuple[int, ...], FlowField] = {}

    def __len__(self) -> int:
        return len(self._fields)

    def __repr__(self) -> str:
        return f"<FlowFields: {len(self)} of at most {self.most} on {self.space!r}>"

    @whole
    def to(self, goals: ArrayLike) -> FlowField:
        """The field that leads to the nearest of these goals, one position or several, with walls
        and costs as they are now.

        Positions in the same cells make the same goal. Raises what `distance_map` raises.
        """
        key = tuple(np.unique(np.atleast_1d(self.space.cell_at(goals))).tolist())
        field = self._fields.pop(key, None)
        if field is None:
            field = flow_field(distance_map(self.space, goals, cost=self.cost))
        elif field.distance_map.outdated:
            field.distance_map.repair()
        self._fields[key] = field
        while len(self._fields) > self.most:
            del self._fields[next(iter(self._fields))]
        return field
