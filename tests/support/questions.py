"""Random maps with values, for the kernels that answer questions about them."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.query.on_grid import GridGround
from support.worlds import KNIGHT

FORWARD = KNIGHT[:4]
HEX = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)]


class World:
    """A random map, its values, and random positions on it."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = np.random.default_rng(seed)
        width, height = (int(n) for n in rng.integers(1, 40, 2))
        terrain = None
        if rng.random() < 0.4:
            terrain = fc.Terrain(rng.integers(0, 3, (height, width)), rng.random((3, 3)) < 0.6)
        self.space = fc.Grid(
            width,
            height,
            cell_size=float(rng.choice([1.0, 0.5, 0.3, 7.1])),
            origin=(float(rng.normal()), float(rng.normal())),
            y_up=bool(rng.random() < 0.5),
            walls=rng.random((height, width))
            < rng.choice([0.0, 0.1, 0.5, 1.0], p=[0.4, 0.3, 0.25, 0.05]),
            terrain=terrain,
            neighbors=[4, 8, FORWARD, HEX][rng.integers(4)],
            wrap=bool(rng.random() < 0.4),
        )
        # Few different values, so that there are ties and plateaus.
        levels = float(rng.choice([1.0, 3.0, 1e6]))
        self.values = (np.round(rng.normal(size=(height, width)) * levels) / levels).astype(
            np.float32
        )
        self.ground = GridGround(self)

    def positions(self, count: int, margin: float = 0.0) -> Any:
        """Positions up to `margin` of the map's size off it, many of them on edges and centers of
        cells.
        """
        size = np.array(self.space.size)
        places = (
            (self.rng.random((count, 2)) * (1 + 2 * margin) - margin) * size / self.space.cell_size
        )
        snapped = np.round(places * 2) / 2
        places = np.where(
            self.rng.random((count, 1)) < 0.4,
            np.minimum(snapped, size / self.space.cell_size - 0.5),
            places,
        )
        return places * self.space.cell_size + self.space.origin


def same(one: Any, other: Any) -> None:
    assert one.dtype == other.dtype
    assert one.tobytes() == other.tobytes()


worlds = st.integers(0, 2**32).map(World)
