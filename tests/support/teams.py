"""Battles of teams."""

from __future__ import annotations

import numpy as np

import fieldcraft as fc

NAMES = ("red", "blue", "green", "gold", "grey")


def a_space(seed=0, width=41, height=27, walls=0.1, **more):
    rng = np.random.default_rng(seed)
    return fc.Grid(
        width, height, walls=rng.random((height, width)) < walls if walls else None, **more
    )


def a_battle(count=3, seed=0, space=None, units=8, signs=(1.0,), radial=None, hostile=None):
    """Teams with random sources, shown."""
    space = a_space(seed) if space is None else space
    teams = fc.InfluenceMap(space).add_teams(
        NAMES[:count], radial or fc.Radial(6 * space.cell_size), hostile=hostile
    )
    rng = np.random.default_rng(seed + 1)
    corner, size = np.array(space.origin), np.array(space.size)
    for layer in teams.layers.values():
        strengths = rng.uniform(0.1, 3, units) * rng.choice(signs, units)
        layer.add_sources(corner + rng.random((units, 2)) * size, strengths, on_wall="nearest")
        layer.step()
    return teams
