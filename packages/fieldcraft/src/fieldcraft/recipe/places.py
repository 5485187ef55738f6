"""Positions in a recipe's world: on the map or off it, on walls or beside them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft.errors import OutsideMap
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
    layer: Layer,
    places: Places,
    part: SourcePart | DepositPart,
    key: str,
    problems: RecipeFile,
    times: NDArray[np.float64] | None = None,
) -> None:
    """Report the first place that lies outside of the map or on a wall against the part's policy."""
    space = layer.space
    if places.shape[1] != space.dimensions:
        wanted = "[x, y, z]" if space.dimensions == 3 else "[x, y]"
        problems.report_in(
            part.keys,
            key,
            f"{key} has places {wanted} on this map. Got {places.shape[1]} numbers. Write"
            f" {space.dimensions}.",
        )
        return
    low, high = space.extent
    outside = ~on_map(space, places) & (part.outside == "refuse")
    cells = np.asarray(
        space.cell_at(np.where(outside[:, np.newaxis], low, places), outside="clamp")
    )
    on_wall = space.walls.ravel()[cells] & ~outside & (part.on_wall == "refuse")
    wrong = np.flatnonzero(outside | on_wall)
    if not len(wrong):
        return
    first = int(wrong[0])
    moment = "" if times is None else f" at {times[first]:g} seconds"
    where = _written(places[first]) + moment
    if outside[first]:
        ranges = [
            f"{axis} in {start:g} to {end:g}"
            for axis, start, end in zip("xyz", low.tolist(), high.tolist(), strict=False)
        ]
        rule = f"{key} lies on the map, {', '.join(ranges[:-1])} and {ranges[-1]}"
        remedy = 'Move it, or write outside = "clamp" for the nearest cell of the rim'
    else:
        rule = f"{key} lies on open ground"
        remedy = "The map has no open cell; check what counts as a wall"
        if not space.walls.all():
            nearest = space.position_of(space.nearest_open(int(cells[first])))
            remedy = (
                f"The nearest open {space.cell_name} is at {_written(nearest)}; or write on_wall ="
                ' "nearest"'
            )
    problems.report_in(part.keys, key, f"{rule}. Got {where}. {remedy}.")


def _written(place: NDArray[np.float64]) -> str:
    return f"[{', '.join(f'{value:g}' for value in place.tolist())}]"
