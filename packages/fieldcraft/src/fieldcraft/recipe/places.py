"""Positions in a recipe's world: on the map or off it, on walls or beside them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft.errors import InvalidValue, OutsideMap
from fieldcraft.layer import Layer
from fieldcraft.recipe.document import RecipeFile
from fieldcraft.recipe.parts import DepositPart, SourcePart
from fieldcraft.sources.placing import place
from fieldcraft.space import Space

__all__ = ["Places", "Policies", "check_places", "on_map", "settled", "stride_of"]

Places = NDArray[np.float64]


class Policies(NamedTuple):
    """The policies for a place on a wall, and for one off the map."""

    on_wall: str
    outside: str


def stride_of(space: Space) -> float:
    """Return the typical distance between cells: a longer step may leave one out."""
    return space.typical_step if len(space.adjacency.ends) else math.inf


def settled(layer: Layer, points: Places, policies: Policies) -> Places:
    """Return the positions of stamps: `points`, moved to open ground and onto the map where the
    policies want it.
    """
    _, cells = place(layer.space, points, on_wall=policies.on_wall, outside=policies.outside)
    own = np.asarray(layer.space.cell_at(points, outside="clamp"))
    moved = (cells != own) | ~on_map(layer.space, points)
    return np.where(moved[:, np.newaxis], layer.space.position_of(cells), points)


def on_map(space: Space, places: Places) -> NDArray[np.bool_]:
    """Return which places, shape (N, 2) or (N, 3), lie on the map."""
    try:
        space.cell_at(places)
    except OutsideMap:
        if len(places) == 1:
            return np.zeros(1, dtype=np.bool_)
        return np.concatenate([on_map(space, half) for half in np.array_split(places, 2)])
    return np.ones(len(places), dtype=np.bool_)


def check_places(
    space: Space, places: Places, part: SourcePart | DepositPart, key: str, problems: RecipeFile
) -> None:
    """Report the first place that lies outside of the map or on a wall against the policy."""
    try:
        place(space, places, on_wall=part.on_wall, outside=part.outside)
    except InvalidValue as error:
        problems.report_error((*part.keys, key), error)
