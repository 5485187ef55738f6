"""Places for searchers: positions for the likely cells of a target, one for each agent."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.words import Estimate, IfOutside
from fieldcraft.paths import distance_map
from fieldcraft.space import Space
from fieldcraft.space.space_ranges import at_spacing

ESTIMATES = ("medoid", "mean", "peak")


def estimate(
    space: Space, cells: NDArray[np.int64], weights: NDArray[np.float64], how: Estimate
) -> NDArray[np.float64]:
    """Return one world position for cells with weights above 0; see `Pursuit.estimate`."""
    checks.choice("how", how, ESTIMATES)
    places = space.position_of(cells)
    mean = mean_position(space, places, weights)
    if how == "mean":
        return mean
    if how == "peak":
        top = weights >= weights.max() * (1 - 1e-9)
        cells = cells[top]
        places = places[top]
    away = np.round((offsets(space, places, mean) ** 2).sum(axis=1), 9)
    return np.asarray(places[np.lexsort((cells, away))[0]])


def offsets(
    space: Space, positions: NDArray[np.float64], origin: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the vectors from a position to others, (N, 2) or (N, 3); the short way around axes
    that wrap.
    """
    straight = positions - origin
    if space.period is None:
        return straight
    return space.shortest_vectors(straight)


def mean_position(
    space: Space, places: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the weighted mean of positions; along axes that wrap by the shortest vectors from the
    mean of directions on each circle.
    """
    shares = weights[:, np.newaxis] / weights.sum()
    size = space.period
    if size is None:
        return np.asarray((places * weights[:, np.newaxis]).sum(axis=0) / weights.sum())
    around = np.isfinite(size)
    circle = np.where(around, size, 2 * np.pi)
    angles = places * (2 * np.pi / circle)
    sines = (np.sin(angles) * shares).sum(axis=0)
    cosines = (np.cos(angles) * shares).sum(axis=0)
    middle = np.arctan2(sines, cosines) * (circle / (2 * np.pi))
    middle = np.where(around, middle, (places * shares).sum(axis=0))
    mean = middle + (offsets(space, places, middle) * shares).sum(axis=0)
    return space.wrapped(mean)


def assigned(
    space: Space,
    cells: NDArray[np.int64],
    weights: NDArray[np.float64],
    agents: ArrayLike,
    spacing: float | None,
    outside: IfOutside,
) -> NDArray[np.float64]:
    """Return a place for each agent, (N, 2) or (N, 3) world positions; see `Pursuit.assign`."""
    points, _ = checks.positions(agents, dimensions=space.dimensions)
    if not len(points):
        return np.zeros((0, space.dimensions))
    starts = np.atleast_1d(space.nearest_open(space.cell_at(points, outside=outside)))
    if spacing is not None:
        gap = checks.not_negative("spacing", spacing)
    elif len(space.adjacency.ends):
        gap = 4 * space.typical_step
    else:
        gap = 0.0
    places = _spread_out(space, cells, weights, len(points), gap)
    from scipy.optimize import linear_sum_assignment

    goals, which = np.unique(places, return_inverse=True)
    maps = [distance_map(space, space.position_of(int(goal))) for goal in goals]
    walks = np.stack([each.measured(starts) for each in maps], axis=1)[:, which]
    # A place without a path to it costs more than all paths of the others.
    walks[np.isinf(walks)] = 1 + 2 * len(points) * float(walks[np.isfinite(walks)].max(initial=1.0))
    _, numbers = linear_sum_assignment(walks)
    return space.position_of(places[numbers])


def _spread_out(
    space: Space, cells: NDArray[np.int64], weights: NDArray[np.float64], count: int, gap: float
) -> NDArray[np.int64]:
    """Return `count` of the cells, likely ones first, each at least `gap` from those before it if
    there is room. With fewer cells, they repeat.
    """
    positions = space.position_of(cells)
    first = space.cell_at(estimate(space, cells, weights, "peak"))
    at = np.flatnonzero(cells == first)
    if len(at):
        taken = [int(at[0])]
    else:
        taken = [int(np.argmax(weights))]
    near = np.sqrt((offsets(space, positions, positions[taken[0]]) ** 2).sum(axis=1))
    least = at_spacing(space, gap)
    for _ in range(count - 1):
        far = near >= least
        if far.any() and gap > 0:
            worth = np.where(far, weights, 0.0)
        else:
            worth = weights * near
        best = int(np.lexsort((cells, near, -worth))[0])
        if worth[best] > 0:
            taken.append(best)
        else:
            taken.append(taken[len(taken) % len(cells)])
        away = offsets(space, positions, positions[taken[-1]])
        near = np.minimum(near, np.sqrt((away**2).sum(axis=1)))
    return cells[taken]


def likely_cells(probability: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the cells with a probability above 0, and their probabilities."""
    flat = probability.reshape(-1)
    cells = np.flatnonzero(flat > 0)
    return cells, flat[cells]
