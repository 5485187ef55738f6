"""Random grounds, agents on them, and the plain kernels in place of the compiled ones."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.kernels.compiling import pool
from support.worlds import WRAPS

ENTER = np.array([[1, 1, 0], [0, 1, 0], [0, 1, 1]], dtype=bool)
_MODULES = (
    "fieldcraft.paths.flow.flow_on_graph",
    "fieldcraft.paths.flow.flow_on_grid",
    "fieldcraft.steering.neighbors",
)


@contextmanager
def bands() -> Iterator[None]:
    """Even a few agents are shared out among three threads."""
    before = pool.threads()
    fc.set_threads(3)
    try:
        with pytest.MonkeyPatch.context() as patch:
            for module in _MODULES:
                patch.setattr(importlib.import_module(module), "_AGENTS", 3)
            for name in ("_MOVERS", "_CROWD"):
                patch.setattr(
                    importlib.import_module("fieldcraft.steering.movement_on_grid"), name, 3
                )
            patch.setattr(
                importlib.import_module("fieldcraft.paths.flow.flow_on_grid"), "_CELLS", 5
            )
            yield
    finally:
        fc.set_threads(before)


class World:
    """A random ground with at least one open cell, and agents anywhere on it."""

    def __init__(self, seed: int, *, most: int = 25, terrain: bool = True) -> None:
        self.rng = rng = np.random.default_rng(seed)
        width, height = (int(n) for n in rng.integers(1, most, 2))
        walls = rng.random((height, width)) < rng.choice([0.0, 0.1, 0.3, 0.5])
        walls.flat[rng.integers(walls.size)] = False
        classes = rng.integers(0, 3, walls.shape)
        self.space = fc.Grid(
            width,
            height,
            cell_size=float(rng.choice([1.0, 0.3, 7.1, 32.0])),
            origin=(float(rng.normal()), float(rng.choice([0.0, -3.7, 1e5]))),
            y_up=bool(rng.random() < 0.5),
            wrap=WRAPS[int(rng.integers(4))],
            walls=walls,
            terrain=fc.Terrain(classes, ENTER) if terrain and rng.random() < 0.25 else None,
            neighbors=int(rng.choice([4, 8])),
        )
        self.size = self.space.cell_size

    @property
    def open_cells(self) -> Any:
        return np.flatnonzero(~self.space.walls.reshape(-1))

    def agents(self, count: int, *, room: float = 0.0) -> Any:
        """Positions in open cells that keep `room` (in cells) to the sides of theirs, some of them
        on sides and corners.
        """
        offsets = (self.rng.random((count, 2)) - 0.5) * (1 - 2 * room)
        offsets[::5] = np.round(offsets[::5] * 2) / 2 * (0.9999 - 2 * room)
        return self.space.position_of(self.rng.choice(self.open_cells, count)) + offsets * self.size

    def shifts(self, count: int) -> Any:
        """Displacements from tiny to far beyond the map, some along one axis or a diagonal, some
        none.
        """
        found = self.rng.normal(size=(count, 2)) * 10.0 ** self.rng.uniform(-4, 2.5, (count, 1))
        found[::7, 0] = 0
        found[1::7, 1] = 0
        found[2::7] = np.round(found[2::7])
        found[3::7, 1] = found[3::7, 0]
        found[4::49] = 0
        return found * self.size
