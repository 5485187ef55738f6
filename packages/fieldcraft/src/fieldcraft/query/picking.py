"""Chance: a random cell among the good ones around a position."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.query import door
from fieldcraft.query.ground import Ground, Readable
from fieldcraft.space import Space
from fieldcraft.space.answers import Spots, checked_none, chosen

__all__ = ["pick"]


def pick(
    layer: Readable,
    positions: ArrayLike,
    radius: float,
    *,
    rng: np.random.Generator,
    above: float | None = None,
    count: int | None = None,
    spacing: float = 0.0,
    where: Readable | ArrayLike | None = None,
    walk: float | None = None,
    outside: str = "refuse",
    none: str = "nan",
) -> Spots:
    """A random open cell around each position, of those whose value is above a number: each as
    likely as the other.

    For patrols, spawns and monsters that should not all stand in the one best place. Positions draw
    for themselves: two may get the same cell. The same generator, in the same state, draws the same
    cells.

    Parameters
    ----------
    layer: a layer or an expression.
    positions: one (x, y) pair or an (N, 2) array of world positions; walls are allowed.
    radius: world units, above 0; cells count whose center lies within.
    rng: where the dice come from, `np.random.default_rng(seed)`: one number is drawn for each cell
        of the map and each position.
    above: the number that the value of a cell must pass; without it all open cells count.
    count, spacing, where, walk, outside, none: as in `best`; with `count` no cell comes twice for
        one position.

    Raises `OutsideMap` or `InvalidValue`.
    """
    ground, otherwise = Ground(layer), checked_none(none)
    space = ground.space
    far, apart = checks.positive("radius", radius), checks.not_negative("spacing", spacing)
    wanted = 1 if count is None else checks.whole("count", count, minimum=1)
    if wanted > len(space):
        raise InvalidValue(
            f"count is at most the size of the map, {len(space)}",
            got=f"count={wanted}",
            remedy="Ask for fewer",
        )
    if not isinstance(rng, np.random.Generator):
        raise InvalidValue(
            "rng is a numpy Generator",
            got=type(rng).__name__,
            remedy="Pass np.random.default_rng(seed)",
        )
    good = ~ground.closed(where)
    if above is not None:
        good &= ground.values > checks.finite("above", above)
    points, single = checks.positions(positions, dimensions=space.dimensions)
    cells = np.full((len(points), wanted), -1, dtype=np.int64)
    own = np.asarray(
        space.cell_at(points, outside=outside), dtype=np.int64
    )  # refuses before a die is thrown
    choose = door.best(layer)
    for number, point in enumerate(points):
        dice = _Dice(space, rng.random(space.shape, dtype=np.float32))
        cells[number] = choose(dice, point, far, wanted, apart, good, walk, outside, np.float32(1))[
            0
        ][0]
    return chosen(cells, lambda: own, single, count, otherwise, space, ground.flat)


class _Dice:
    """The number that each cell of a space has thrown; the highest wins."""

    def __init__(self, space: Space, values: NDArray[np.float32]) -> None:
        self.space = space
        self.values = values
