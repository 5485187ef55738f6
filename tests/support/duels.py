"""Small duels for tests: fighters put where a test wants them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from fieldcraft import Grid
from fieldcraft_worlds.games.tether.derived import TetherDerived
from fieldcraft_worlds.games.tether.rules import start
from fieldcraft_worlds.games.tether.settings import Settings
from fieldcraft_worlds.games.tether.state import State

SPACE = Grid(30, 21)


def with_wall(column: int, rows: slice) -> Grid:
    walls = np.zeros((21, 30), dtype=bool)
    walls[rows, column] = True
    return Grid(30, 21, walls=walls, neighbors=8)


def placed(
    space: Grid, *positions: tuple[float, float], **settings: Any
) -> tuple[TetherDerived, State]:
    """A duel whose fighters, the long-range ones first, stand there."""
    derived = TetherDerived(space, Settings(fighters=len(positions) // 2, **settings))
    state = start(derived, np.random.default_rng(0))
    at = np.array(positions, dtype=np.float64)
    return derived, replace(state, fighters=replace(state.fighters, positions=at, aims=at.copy()))
