"""Layers and pixels for tests of pictures."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from fieldcraft import Grid
from fieldcraft.view import Placement
from fieldcraft.view.pixels.themes import DARK

HEIGHT, WIDTH = 7, 11


def field(seed: int = 0, shape: tuple[int, int] = (HEIGHT, WIDTH)) -> np.ndarray:
    return np.random.default_rng(seed).uniform(0.1, 5, shape).astype(np.float32)


GROUND, WALL = DARK.ground, DARK.wall


def cell(picture: np.ndarray, row: int, column: int, scale: int) -> np.ndarray:
    """The color in the middle of a cell."""
    return picture[row * scale + scale // 2, column * scale + scale // 2, :3]


def layer(
    space: Grid,
    values: np.ndarray,
    sources: list[tuple[tuple[float, float], float]] = (),
    name: str = "threat",
) -> Any:
    positions = np.array([position for position, _ in sources], dtype=float).reshape(-1, 2)
    strengths = np.array([strength for _, strength in sources], dtype=float)
    return SimpleNamespace(
        values=values,
        space=space,
        name=name,
        sources=SimpleNamespace(positions=positions, strengths=strengths),
    )


def canvas(height: int = 40, width: int = 60) -> np.ndarray:
    picture = np.zeros((height, width, 4), dtype=np.uint8)
    picture[..., 3] = 255
    return picture


def walled_grid() -> Grid:
    """A grid with a wall in its middle."""
    walls = np.zeros((11, 17), dtype=bool)
    walls[3:8, 8] = True
    return Grid(17, 11, walls=walls, neighbors=8)


def map_of(picture: Any, place: Placement) -> Any:
    """The part of a page with a title that shows the map."""
    height, width = place.shape
    return picture[-18 - height : -18, 18 : 18 + width]
