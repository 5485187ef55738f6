"""A small room."""

from __future__ import annotations

import numpy as np

import fieldcraft as fc
from fieldcraft.space.wrapping import Wrap


def arena(seed: int, *, wrap: Wrap = False) -> fc.Grid:
    walls = np.random.default_rng(seed).random((9, 14)) < 0.25
    walls[0, :4] = walls[8, 10:] = False
    return fc.Grid(walls=walls, wrap=wrap)
