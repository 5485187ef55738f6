"""Paths and positions of units on the grids of a battlefield."""

from __future__ import annotations

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
    return space.position_of(
        space.nearest_open(np.atleast_1d(space.cell_at(positions, outside="clamp")))
    )


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
    there = [path_between(space, start, worm.position, cost) for worm in worms]
    on = [path_between(space, worm.position, goal, cost) for worm in worms]
    pairs = [
        (a, b)
        for a in range(len(worms))
        for b in range(len(worms))
        if a != b and there[a] and on[b]
    ]
    a, b = min(pairs, key=lambda pair: there[pair[0]].cost + on[pair[1]].cost, default=(-1, -1))
    if a < 0 or (walk and walk.cost <= there[a].cost + on[b].cost + toll):
        return Journey((walk,))
    return Journey((there[a], on[b]), (worms[a], worms[b]))


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
    order = np.argsort(dx**2 + dy**2, kind="stable")
    order = order[(dx**2 + dy**2)[order] <= radius**2]
    cells = np.floor(at)[:, None] + np.stack([dx, dy], axis=1)[order]
    inside = (cells >= 0).all(axis=2) & (cells < (space.width, space.height)).all(axis=2)
    ids = np.asarray(
        space.cell_at(
            np.clip(cells + 0.5, 0.5, (space.width - 0.5, space.height - 0.5)).reshape(-1, 2)
        )
    ).reshape(inside.shape)
    usable = inside & ~space.walls.reshape(-1)[ids]
    away = np.hypot(*np.moveaxis(cells + 0.5 - targets_at[:, None], 2, 0))
    danger = np.where(
        usable & (away <= checks.positive("reach", reach)),
        danger_of.reshape(-1)[ids],
        np.inf,
    )
    nearer = np.where(usable, away, np.inf)
    best_ = np.where(np.isfinite(danger.min(axis=1)), danger.argmin(axis=1), nearer.argmin(axis=1))
    return space.position_of(ids[np.arange(len(at)), best_])
