"""Walls of a hunt leave a path to the target, and the party finds it."""

from __future__ import annotations

import numpy as np

import fieldcraft as fc
from research.chase.walls import build, hunt


def test_walls_leave_a_path() -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        space = fc.generate_map("rooms", 40, 28, seed=seed, neighbors=8)
        free = np.flatnonzero(~space.walls.reshape(-1))
        before = int(space.walls.sum())
        at = np.asarray(space.position_of(free[:2]))
        build(space, int(free[-1]), at, rng)
        away = fc.distance_map(space, space.position_of(int(free[-1])))
        assert np.isfinite(away.sample(at)).all()
        assert space.walls.sum() == before + 30


def test_a_hunt_ends_though_walls_are_built_and_is_the_same_each_time() -> None:
    took = [hunt(seed, True) for seed in (0, 1, 2, 0)]
    assert max(took) < 30
    assert took[0] == took[-1]
