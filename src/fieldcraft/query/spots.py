"""Where to go: the best and the worst cells around a position."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.kernels import pool
from fieldcraft.kernels.reference.best import TILE
from fieldcraft.query import graph_spots
from fieldcraft.query.graph_ground import is_on_graph
from fieldcraft.query.ground import Ground, Readable, crowd, squared
from fieldcraft.query.walking import best_on_foot
from fieldcraft.space.spots import Spots, chosen

__all__ = ["best", "tile_bounds", "worst"]

_CELLS_PER_THREAD = 200_000  # cells to look at that pay for waking a thread


def best(
    layer: Readable,
    near: ArrayLike,
    radius: float,
    *,
    count: int | None = None,
    spacing: float = 0.0,
    where: Readable | ArrayLike | None = None,
    walk: float | None = None,
    outside: str = "refuse",
) -> Spots:
    """The open cells with the highest values around each position.

    Looks at the cells whose centre lies within `radius` of the position in a straight line, on a torus the short way
    round. Of equal values the nearest cell comes first, of equally near ones the lowest. The next choice is the
    best of the cells that keep `spacing` to all choices before it.

    Parameters
    ----------
    layer: a layer or an expression.
    near: one (x, y) pair or an (N, 2) array of world positions; walls are allowed.
    radius: world units, above 0. With less than half a cell diagonal a position can be too far from every centre.
    count: how many cells for each position, in an axis of their own; without it the best one, without that axis.
    spacing: the least distance between the choices of one position, world units from centre to centre.
    where: which cells may be taken: an array of bool of shape (height, width), or a layer or expression that is not 0 there.
    walk: only cells to which a way of at most this length leads from the position's cell, in world units; from a wall, from
        the open cells beside it. Without it a cell behind a wall is as good as any.
    outside: "refuse" a position off the map, or "clamp" it to the rim.

    Too few cells are an answer, see `Spots.found`. Raises `OutsideMap` or `InvalidValue`.
    """
    return _choose(layer, near, radius, count, spacing, where, walk, outside, np.float32(1))


def worst(
    layer: Readable,
    near: ArrayLike,
    radius: float,
    *,
    count: int | None = None,
    spacing: float = 0.0,
    where: Readable | ArrayLike | None = None,
    walk: float | None = None,
    outside: str = "refuse",
) -> Spots:
    """The open cells with the lowest values around each position; everything else is as in `best`."""
    return _choose(layer, near, radius, count, spacing, where, walk, outside, np.float32(-1))


def tile_bounds(ground: Ground, closed: NDArray[np.uint8], sign: np.float32, agents: int, reach2: float) -> NDArray[np.float32]:
    """The highest values of tiles, by which the kernels leave out most of a wide search.

    Where the agents look at less than the whole map taken together this is infinity, which leaves out nothing.
    """
    height, width = ground.space.shape
    highest = np.full((-(-height // TILE), -(-width // TILE)), np.inf, dtype=np.float32)
    if agents * min(4 * reach2, len(ground.space)) > 2 * len(ground.space):
        kernels.best.bounds(ground.values, closed, sign, highest)
    return highest


def _choose(
    layer: Readable,
    near: ArrayLike,
    radius: float,
    count: int | None,
    spacing: float,
    where: Readable | ArrayLike | None,
    walk: float | None,
    outside: str,
    sign: np.float32,
) -> Spots:
    if is_on_graph(layer):
        return graph_spots.choose(layer, near, radius, count, spacing, where, walk, outside, sign)
    ground = Ground(layer)
    space = ground.space
    reach2 = squared(checks.positive("radius", radius), space.cell_size, at_least=False)
    spacing2 = squared(checks.not_negative("spacing", spacing), space.cell_size, at_least=True)
    wanted = 1 if count is None else checks.whole("count", count, minimum=1)
    if wanted > len(space):
        raise InvalidValue(f"count is at most the number of cells, {len(space)}", got=f"count={wanted}", remedy="Ask for fewer")
    places, single = ground.places(near, outside)
    closed = ground.closed(where)
    cells = np.full((len(places), wanted), -1, dtype=np.int64)
    if walk is not None:
        best_on_foot(space, ground.values, closed, sign, places, walk, reach2, spacing2, cells)
        return chosen(cells, single, count, space, ground.flat)
    highest = tile_bounds(ground, closed, sign, len(places) * wanted, reach2)
    function = kernels.best.best

    def call(first: int, last: int) -> pool.Call:
        return function, (ground.values, closed, highest, sign, places, reach2, spacing2, False, space.y_up, space.wrap, first, last, cells)

    looked_at = wanted * min(3 * reach2 + 1, len(space))
    crowd(call, len(places), int(_CELLS_PER_THREAD / looked_at) + 1)
    return chosen(cells, single, count, space, ground.flat)
