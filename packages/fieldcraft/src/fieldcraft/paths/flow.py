"""Flow fields: which way to walk, from anywhere, for any number of agents."""

from __future__ import annotations

from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import ArrayLike

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.interruption import whole
from fieldcraft.paths.arriving import ArrivingFlow
from fieldcraft.paths.cost import Cost
from fieldcraft.paths.directions import FlowField
from fieldcraft.paths.distance import DistanceMap, distance_map
from fieldcraft.paths.door import flow_of
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

    Raises `InvalidValue` for anything but a distance map, for one with `outward=True`, for a grid
    whose neighbourhood lacks a straight step (who walks from spot to spot does not jump), and for
    `arrive=True` on a graph that is no mesh, where ways end at vertices.
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
        known = _fields[id(distance_map)] = flow_of(distance_map)
    return known


class FlowFields:
    """Flow fields of one ground, kept by goal: asked for a goal again, the field is there already.

    Parameters
    ----------
    space, cost: as for `distance_map`; they hold for all fields. A layer or expression as the cost
        is read anew when it has changed.
    most: how many fields are kept, at least 1: the one that was not asked for the longest goes.

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
