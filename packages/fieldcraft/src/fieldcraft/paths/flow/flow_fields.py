"""The flow field of a distance map."""

from __future__ import annotations

from weakref import WeakValueDictionary

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.paths.distance_maps import DistanceMap
from fieldcraft.paths.flow.flow_field import FlowField
from fieldcraft.paths.flow.flow_on_graph import GraphFlow
from fieldcraft.paths.flow.flow_on_grid import GridFlow
from fieldcraft.space import Grid

_fields: WeakValueDictionary[int, FlowField] = WeakValueDictionary()


def flow_field(distance_map: DistanceMap) -> FlowField:
    """Return the directions in which agents walk to the goals of a distance map.

    The same field is returned whenever a map is passed again. It follows its map: after `repair` it
    is updated where distances or walls have changed when it is next read. Directions are 0 in the
    cells of goals.

    Parameters
    ----------
    distance_map : DistanceMap
        The distances to the goals, on a grid whose neighborhood has the four straight steps and
        `corners` "never" or "if-one-open", on hexagons, a graph or a mesh. With "cut" agents pass
        between two walls from cell to cell only: use `DistanceMap.step`.

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
        if isinstance(distance_map.space, Grid):
            known = GridFlow(distance_map)
        else:
            known = GraphFlow(distance_map)
        _fields[id(distance_map)] = known
    return known
