"""Paths and positions of units on the grids of a battlefield."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.paths import Path, shortest_path
from fieldcraft.space import Grid


@dataclass(frozen=True)
class Journey:
    """A path on foot, or two `paths` with the `worms` between them, entrance and exit."""

    paths: tuple[Path, ...]
    worms: tuple[Any, ...] = ()

    @property
    def cost(self) -> float:
        """The cost of all paths without the toll."""
        return float(sum(leg.cost for leg in self.paths))


def on_open(space: Grid, positions: ArrayLike) -> NDArray[np.float64]:
    """Return the centers of the nearest open cells."""
    cells = np.atleast_1d(space.cell_at(positions, outside="clamp"))
    return space.position_of(space.nearest_open(cells))


def path_between(
    space: Grid, start: ArrayLike, goal: ArrayLike, cost: Any, smooth: bool = False
) -> Path:
    """Return the cheapest path between the nearest open cells of two positions."""
    ends = on_open(space, np.concatenate([checks.positions(end)[0] for end in (start, goal)]))
    return shortest_path(space, ends[0], ends[1], cost=cost, smooth=smooth)


def cheapest_journey(
    space: Grid, start: ArrayLike, goal: ArrayLike, cost: Any, worms: Sequence[Any], toll: float
) -> Journey:
    """Return the cheapest path on foot or through two of the worms."""
    walk = path_between(space, start, goal, cost)
    if len(worms) < 2:
        return Journey((walk,))
    to_worm = [path_between(space, start, worm.position, cost) for worm in worms]
    from_worm = [path_between(space, worm.position, goal, cost) for worm in worms]
    cheapest = None
    least = math.inf
    for entrance, there in enumerate(to_worm):
        for exit_, onward in enumerate(from_worm):
            if entrance != exit_ and there and onward and there.cost + onward.cost < least:
                least = there.cost + onward.cost
                cheapest = Journey((there, onward), (worms[entrance], worms[exit_]))
    if cheapest is None or (walk and walk.cost <= least + toll):
        return Journey((walk,))
    return cheapest


def firing_cells(
    space: Grid,
    danger_of: NDArray[np.float32],
    positions: ArrayLike,
    targets: ArrayLike,
    reach: float,
    radius: float,
) -> NDArray[np.float64]:
    """Return the least dangerous position around each unit with its target in range, see
    `Battlefield.firing_positions`.
    """
    at = checks.positions(positions)[0]
    targets_at = np.broadcast_to(checks.positions(targets)[0], at.shape)
    size = int(checks.positive("radius", radius))
    dy, dx = np.mgrid[-size : size + 1, -size : size + 1].reshape(2, -1)
    order = np.argsort(dx**2 + dy**2, kind="stable")  # the nearest first
    order = order[(dx**2 + dy**2)[order] <= radius**2]
    # The cells around each unit, (N, K, 2): column and row from the south.
    cells = np.floor(at)[:, np.newaxis] + np.stack([dx, dy], axis=1)[order]
    centers = cells + 0.5
    inside = (cells >= 0).all(axis=2) & (cells < (space.width, space.height)).all(axis=2)
    on_map = np.clip(centers, 0.5, (space.width - 0.5, space.height - 0.5))
    ids = np.asarray(space.cell_at(on_map.reshape(-1, 2))).reshape(inside.shape)
    usable = inside & ~space.walls.reshape(-1)[ids]
    offsets = centers - targets_at[:, np.newaxis]
    away = np.hypot(offsets[:, :, 0], offsets[:, :, 1])
    in_range = usable & (away <= checks.positive("reach", reach))
    danger = np.where(in_range, danger_of.reshape(-1)[ids], np.inf)
    distance = np.where(usable, away, np.inf)
    chosen = np.where(
        np.isfinite(danger.min(axis=1)), danger.argmin(axis=1), distance.argmin(axis=1)
    )
    return space.position_of(ids[np.arange(len(at)), chosen])
