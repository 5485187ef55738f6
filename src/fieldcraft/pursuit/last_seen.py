"""Where somebody was last seen, which way he ran, and what lies behind him then."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue, OutsideMap
from fieldcraft.space import AnySpace, Graph

__all__ = ["behind", "heading_of", "place"]

_MARGIN = 0.1  # of a graph's size: how far off it somebody may be seen


def place(space: AnySpace, last_seen: ArrayLike) -> tuple[int, NDArray[np.float64]]:
    """The cell and the world position of what is one or the other."""
    if isinstance(last_seen, (int, np.integer)) and not isinstance(last_seen, bool):
        return int(last_seen), space.position_of(last_seen)
    point, single = checks.positions(last_seen, dimensions=space.dimensions)
    if not single:
        raise InvalidValue("last_seen is one position", got=f"shape {np.shape(last_seen)}", remedy="Make a Pursuit for each fugitive")
    if isinstance(space, Graph) and len(space):
        _check_near(space, point[0])
    return int(space.cell_at(point[0])), point[0]


def _check_near(graph: Graph, point: NDArray[np.float64]) -> None:
    """Refuse a place far from all of a graph, whose nearest vertex would say nothing about it."""
    low, high = graph.positions.min(axis=0), graph.positions.max(axis=0)
    margin = max(_MARGIN * float((high - low).max()), 2 * graph.typical_step)
    if (point < low - margin).any() or (point > high + margin).any():
        raise OutsideMap(
            "A fugitive is last seen on the map, or beside it by at most a tenth of its size",
            got=f"{tuple(point.tolist())} for vertices in {tuple(low.tolist())} to {tuple(high.tolist())}",
            remedy="Pass a position in world units of this graph, or a vertex",
        )


def heading_of(velocity: ArrayLike | None, dimensions: int) -> tuple[NDArray[np.float64] | None, float | None]:
    """The direction of a velocity and its size."""
    if velocity is None:
        return None, None
    given = checks.array("The parts of a velocity", velocity)
    if given.shape not in ((2,), (dimensions,)) or given.dtype.kind not in "iuf" or not (np.abs(given) <= checks.LARGEST).all():
        axes = "(x, y)" if dimensions == 2 else "(x, y) or (x, y, z)"
        raise InvalidValue(
            f"velocity is one vector {axes} of numbers up to {checks.LARGEST:g}",
            got=f"velocity={velocity!r}"[:90],
            remedy="Pass world units a second, or None and a speed if you don't know where he ran",
        )
    move = np.zeros(dimensions)
    move[: len(given)] = given
    size = float(np.sqrt((move**2).sum()))
    if size == 0:
        raise InvalidValue(
            "velocity is one vector that is not 0",
            got=f"velocity={velocity!r}",
            remedy="Pass None and a speed if you don't know where he ran",
        )
    return move / size, size


def behind(
    space: AnySpace, last_seen: NDArray[np.float64], heading: NDArray[np.float64] | None, angle: float, reach: float
) -> NDArray[np.bool_]:
    """Which cells lie more than an angle away from the heading, at most `reach` away."""
    if heading is None:
        return np.zeros(len(space), dtype=np.bool_)
    away = space.offsets_from(last_seen)
    distance = np.sqrt((away**2).sum(axis=1))
    return np.asarray((away @ heading < math.cos(angle) * distance - 1e-12 * distance) & (distance <= reach))
