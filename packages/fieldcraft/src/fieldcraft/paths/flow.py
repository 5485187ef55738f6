"""Flow fields: which way to walk, from anywhere, for any number of agents."""

from __future__ import annotations

from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import ArrayLike

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.interruption import atomic
from fieldcraft.paths.cost import Cost
from fieldcraft.paths.distances import DistanceMap
from fieldcraft.paths.flow_base import FlowField
from fieldcraft.paths.flow_fields import GraphFlow, GridFlow
from fieldcraft.paths.making import distance_map
from fieldcraft.space import Grid, Space, checked_space

__all__ = ["FlowField", "FlowFields", "flow_field"]

_fields: WeakValueDictionary[int, FlowField] = WeakValueDictionary()


def flow_field(distance_map: DistanceMap) -> FlowField:
    """Return the directions in which agents walk to the goals of a distance map.

    The same field is returned whenever a map is passed again. It follows its map: after `repair` it
    is updated where distances or walls have changed when it is next read. Directions are 0 in the
    cells of goals.

    Parameters
    ----------
    distance_map : DistanceMap
        The distances to the goals, on a grid whose neighborhood has the four straight steps, on
        hexagons, a graph or a mesh.

    Returns
    -------
    FlowField
        On a graph or mesh a `GraphFlow`, which knows the next vertex as well.

    Raises
    ------
    InvalidValue
        For anything else, and for a map with `outward=True`.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> flow = fc.flow_field(fc.distance_map(fc.Grid(5, 1), (4.5, 0.5)))
    >>> flow.sample([(0.5, 0.5), (4.5, 0.5)])
    array([[1., 0.],
           [0., 0.]])
    """
    checks.instance(
        distance_map,
        DistanceMap,
        "A flow field is made from a distance map",
        "Pass fc.distance_map(space, goals)",
    )
    if distance_map.outward:
        raise InvalidValue(
            "A flow field leads to the goals of its map",
            got="a map with outward=True",
            remedy="Make the distance map without outward",
        )
    known = _fields.get(id(distance_map))
    if known is None or known.distance_map is not distance_map:
        grid = isinstance(distance_map.space, Grid)
        known = GridFlow(distance_map) if grid else GraphFlow(distance_map)
        _fields[id(distance_map)] = known
    return known


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
        self.most = checks.integer("most", most, minimum=1)
        self._fields: dict[tuple[int, ...], FlowField] = {}

    def __len__(self) -> int:
        return len(self._fields)

    def __repr__(self) -> str:
        return f"<FlowFields: {len(self)} of at most {self.most} on {self.space!r}>"

    @atomic
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
