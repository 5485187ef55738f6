"""The plan of a picture: which cell shows at which pixel. Each kind of space has its own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.view.colors import HIDDEN, ColorScale
from fieldcraft.view.palettes import Color

__all__ = ["FOG", "GROUND", "MOST_PIXELS", "ON_WALL", "RGBA", "RIM", "WALL", "Floats", "Plan"]

RGBA = NDArray[np.uint8]
Floats = NDArray[np.float64]

MOST_PIXELS = 2**26
GROUND = (30, 33, 41)
WALL = (13, 14, 18)
RIM = (96, 105, 124)
FOG = (86, 82, 104)
ON_WALL = 0.45
"""How much of a value's color a wall lets through."""


class Plan(ABC):
    """The plan of one space at one size: `shape` is (H, W) in pixels."""

    shape: tuple[int, int]
    pixels_per_cell: float

    @abstractmethod
    def pixels(self, places: Floats) -> Floats:
        """The pixels (x, y) from the top left corner, of world positions (N, 2)."""

    @abstractmethod
    def places(self, pixels: Floats) -> Floats:
        """The world positions (N, 2) of pixels."""

    @abstractmethod
    def strongest(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """The values to draw: where a pixel shows several cells, that of largest magnitude."""

    @abstractmethod
    def middle(self, values: NDArray[Any]) -> NDArray[Any]:
        """The same, of several cells the one in their middle."""

    @abstractmethod
    def mean(self, values: NDArray[Any]) -> NDArray[Any]:
        """The same, of several cells the mean."""

    @abstractmethod
    def compose(
        self,
        rgb: NDArray[np.uint8],
        drawn: NDArray[np.bool_],
        ground: Color | ArrayLike | None,
        opacity: float,
    ) -> RGBA:
        """The picture: the ground, and over it the colors of what is drawn."""

    def shows(self, positions: Floats) -> NDArray[np.bool_]:
        """Which positions (N, D) the picture shows."""
        return np.ones(len(positions), dtype=np.bool_)

    def scaled(
        self,
        values: NDArray[np.float32],
        colors: ColorScale,
        unknown: NDArray[np.bool_] | None,
        never: NDArray[np.bool_] | None,
        ground: Color | ArrayLike | None,
        opacity: float,
    ) -> RGBA:
        """The picture of the values of all cells: `unknown` cells are not drawn, cells `never` seen
        are fog.
        """
        shown = self.strongest(values)
        index = colors.index(shown)
        if unknown is not None:
            index[self.middle(unknown)] = HIDDEN
        rgb, drawn = colors.rgb(shown), index != HIDDEN
        if never is not None:
            fog = self.middle(never)
            rgb[fog] = FOG
            drawn |= fog
        return self.compose(rgb, drawn, ground, opacity)

    def _bounded(self, height: int, width: int) -> tuple[int, int]:
        if height * width > MOST_PIXELS:
            raise InvalidValue(
                f"A picture has at most {MOST_PIXELS:,} pixels",
                got=f"{width} x {height}",
                remedy="Pass a smaller scale, or size=1024 in its place",
            )
        return height, width


def ground_picture(ground: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.uint8] | None:
    """The colors of single cells, uint8 of shape (*shape, 3); None for one color for all cells."""
    if isinstance(ground, str):
        return None
    given = checks.array("ground", ground)
    if given.ndim < 2:
        return None
    if given.shape != (*shape, 3) or given.dtype != np.uint8:
        raise InvalidValue(
            "The colors of the ground are uint8, three for each cell",
            got=f"shape {given.shape}, dtype {given.dtype} on a map of {shape}",
            remedy=f"Pass shape {(*shape, 3)}",
        )
    return given
