"""Two groups that change places through a narrow part: 27 scenarios on each kind of ground, three
sizes of it with three sizes of groups and three seeds, all of which resolve.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

import fieldcraft as fc

MOST_STEPS = 600


def corridor(width: int, length: int) -> fc.Grid:
    """Two rooms and a corridor between them, with passing places if its width is 1."""
    walls = np.ones((7, length + 8), dtype=bool)
    walls[:, :4] = walls[:, -4:] = False
    walls[3 : 3 + width] = False
    if width == 1:
        walls[2, 6:-6:4] = False
    return fc.Grid(walls=walls, neighbors=4)


def corner(length: int) -> fc.Grid:
    """Two corridors of width 3 that meet at a right angle."""
    walls = np.ones((length, length + 3), dtype=bool)
    walls[:, :3] = walls[-3:] = False
    return fc.Grid(walls=walls, neighbors=4)


def gate(length: int) -> fc.Grid:
    """Two rooms and one cell between them."""
    walls = np.zeros((9, 2 * length + 1), dtype=bool)
    walls[:, length] = True
    walls[4, length] = False
    return fc.Grid(walls=walls, neighbors=4)


GROUNDS: dict[str, Callable[[int], fc.Grid]] = {
    "corridor of width 1 with passing places": lambda size: corridor(1, 3 * size),
    "corridor of width 3": lambda size: corridor(3, 3 * size),
    "corner": lambda size: corner(4 * size),
    "narrow gate": lambda size: gate(3 * size),
}


def resolved(grid: fc.Grid, count: int, seed: int) -> bool:
    """Whether two groups of so many agents at the ends of the ground change places."""
    rng = np.random.default_rng(seed)
    cells = np.flatnonzero(~grid.walls.reshape(-1))
    cells = cells[np.argsort(100 * (cells % grid.width) - cells // grid.width)]
    ends = rng.permutation(cells[:16])[:count], rng.permutation(cells[-16:])[:count]
    now, goals = np.concatenate(ends), np.concatenate(ends[::-1])
    crowd = fc.steering.PIBT(grid, look_ahead=12, seed=seed)
    for _ in range(MOST_STEPS):
        if (now == goals).all():
            return True
        after = crowd.step(now, goals)
        assert len(set(after.tolist())) == len(after)
        assert not grid.walls.reshape(-1)[after].any()
        now = after
    return False


@pytest.mark.parametrize("name", GROUNDS)
def test_all_27_scenarios_resolve(name: str) -> None:
    scenarios = list(itertools.product((2, 3, 4), (2, 4, 8), (0, 1, 2)))
    stuck = [each for each in scenarios if not resolved(GROUNDS[name](each[0]), *each[1:])]
    assert len(scenarios) == 27
    assert not stuck
