"""One step each for whoever moves from tile to tile down a distance map."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.paths.charged import ways_at
from fieldcraft.paths.standing import standing
from fieldcraft.space.answers import Spots

if TYPE_CHECKING:
    from fieldcraft.paths.distance import DistanceMap

__all__ = ["stepped"]


def stepped(distances: DistanceMap, positions: ArrayLike, apart: bool, onto_goals: bool) -> Spots:
    """See `DistanceMap.step`."""
    space = distances.space
    checks.positions(positions, dimensions=space.dimensions)
    for name, flag in (("apart", apart), ("onto_goals", onto_goals)):
        if not isinstance(flag, bool):
            raise InvalidValue(
                f"{name} is True or False", got=f"{name}={flag!r}", remedy="Pass one of these"
            )
    if distances.outward:
        raise InvalidValue(
            "One steps down a map of how far it is to its goals",
            got="a map with outward=True",
            remedy="Make it without outward",
        )
    starts, single = standing(space, distances.walls, "walker", positions)
    ways = ways_at(space, distances.walls.reshape(-1))
    counts = ways.starts[starts + 1] - ways.starts[starts]
    walker = np.repeat(np.arange(len(starts)), counts)
    arcs = np.repeat(ways.starts[starts] - (np.cumsum(counts) - counts), counts) + np.arange(
        len(walker)
    )
    there = ways.ends[arcs].astype(np.int64)
    open_ = ~(distances.walls | space.walls).reshape(-1)[there]
    walker, arcs, there = walker[open_], arcs[open_], there[open_]
    left_here = distances.sample_cells(starts)
    left = distances.sample_cells(there)
    worth = left + distances.rule.price(distances.prices, starts[walker], there, ways.lengths[arcs])
    # Side by side round a goal is no loss where the way is taken; without others only what is
    # nearer is.
    leads = (left <= left_here[walker] if apart else left < left_here[walker]) & np.isfinite(left)
    if not onto_goals:
        leads &= ~np.isin(there, distances.goals)
    walker, there, worth = walker[leads], there[leads], worth[leads]
    order = np.lexsort((there, worth, walker))
    walker, there = walker[order], there[order]
    first = np.searchsorted(walker, np.arange(len(starts) + 1))
    cells = _apart(starts, left_here, there, first) if apart else starts.copy()
    if not apart:
        moves = first[:-1] < first[1:]
        cells[moves] = there[first[:-1][moves]]
    flat = np.full(len(space), np.inf, dtype=np.float32)
    flat[cells] = distances.sample_cells(cells)
    return (
        Spots.steps(cells[0], starts[0], space, flat)
        if single
        else Spots.steps(cells, starts, space, flat)
    )


def _apart(
    starts: NDArray[np.int64],
    left: NDArray[np.float64],
    there: NDArray[np.int64],
    first: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Let walkers step one after the other, the nearest first, each to the best cell on which
    nobody stands then.
    """
    cells = starts.copy()
    stand_on: dict[int, int] = {}
    for cell in starts.tolist():
        stand_on[cell] = stand_on.get(cell, 0) + 1
    options, edges = there.tolist(), first.tolist()
    for walker in np.argsort(left, kind="stable").tolist():
        for cell in options[edges[walker] : edges[walker + 1]]:
            if not stand_on.get(cell):
                stand_on[int(starts[walker])] -= 1
                stand_on[cell] = 1
                cells[walker] = cell
                break
    return cells
