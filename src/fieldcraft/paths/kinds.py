"""The grounds and searches that there are, by the kind of space."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.paths.distances import Distances
from fieldcraft.paths.graph_distances import GraphDistances
from fieldcraft.paths.graph_ground import GraphGround
from fieldcraft.paths.ground import Ground
from fieldcraft.paths.prices import Prices
from fieldcraft.space import AnySpace, Grid

__all__ = ["AnyDistances", "AnyGround", "distances_on", "ground_of"]

AnyGround = Ground | GraphGround
AnyDistances = Distances | GraphDistances


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
