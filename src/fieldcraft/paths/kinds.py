"""The grounds and searches that there are, by the kind of space."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.errors import InvalidValue
from fieldcraft.paths.distances import Distances
from fieldcraft.paths.graph_distances import GraphDistances
from fieldcraft.paths.graph_ground import GraphGround
from fieldcraft.paths.ground import Ground
from fieldcraft.paths.prices import Prices
from fieldcraft.space import AnySpace, Graph, Grid

__all__ = ["AnyDistances", "AnyGround", "checked", "distances_on", "ground_of"]

AnyGround = Ground | GraphGround
AnyDistances = Distances | GraphDistances


def checked(space: object, what: str) -> AnySpace:
    """The space, if ways lead through it; else `InvalidValue` says that `what` needs one."""
    if isinstance(space, (Grid, Graph)):
        return space
    raise InvalidValue(f"{what} a space", got=type(space).__name__, remedy="Pass fc.Grid(...), fc.Graph(...) or fc.load_map(path)")


def ground_of(space: AnySpace, costs: NDArray[np.float64] | None = None) -> AnyGround:
    """The ground of a space as it is now; where `costs`, one per cell, are infinite, there are walls as well."""
    return Ground.of(space, costs) if isinstance(space, Grid) else GraphGround.of(space, costs)


def distances_on(
    ground: AnyGround, prices: Prices, goals: NDArray[np.int64], start_costs: NDArray[np.float64], limit: float
) -> AnyDistances:
    """The distances to goals on a ground, before any of them is searched."""
    kind: Any = Distances if isinstance(ground, Ground) else GraphDistances
    found: AnyDistances = kind(prices.space, ground, prices, goals, start_costs, limit)
    return found
