"""The plan of a picture: which cell shows at which pixel, one for each kind of space."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.errors import InvalidValue
from fieldcraft.view.pixels.color_scale import HIDDEN, ColorScale
from fieldcraft.view.pixels.themes import Ground, theme_of

RGBA = NDArray[np.uint8]
Floats = NDArray[np.float64]

MOST_PIXELS = 2**26
ON_WALL = 0.45
"""How much of a value's color a wall lets through."""


class Plan(ABC):
    """The plan of one space at one size: `shape` is (H, W) in pixels."""

    shape: tuple[int, int]
    pixels_per_cell: float

    @abstractmethod
    def pixels(self, places: Floats) -> Floats:
        """Return the pixels (x, y) from the top left corner, of world positions (N, 2)."""

    @abstractmethod
    def places(self, pixels: Floats) -> Floats:
        """Return the world positions (N, 2) of pixels."""

    @abstractmethod
    def strongest(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the values to draw: where a pixel shows several cells, that of largest
        magnitude.
        """

    @abstractmethod
    def middle(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the values to draw: of several cells the one in their middle."""

    @abstractmethod
    def compose(
        self, rgb: NDArray[np.uint8], drawn: NDArray[np.bool_], ground: Ground, opacity: float
    ) -> RGBA:
        """Return the picture: the ground with the colors over it."""

    def shows(self, positions: Floats) -> NDArray[np.bool_] | None:
        """Return which positions (N, D) the picture shows, None for all."""
        return None

    def scaled(
        self,
        values: NDArray[np.float32],
        colors: ColorScale,
        unknown: NDArray[np.bool_] | None,
        never: NDArray[np.bool_] | None,
        ground: Ground,
        opacity: float,
    ) -> RGBA:
        """Return the picture of the values of all cells: `unknown` cells are not drawn, cells
        `never` seen have a color of their own.
        """
        shown = self.strongest(values)
        index = colors.index(shown)
        if unknown is not None:
            index[self.middle(unknown)] = HIDDEN
        rgb = colors.rgb(shown)
        drawn = index != HIDDEN
        if never is not None:
            unseen = self.middle(never)
            rgb[unseen] = theme_of(ground).never_seen
            drawn |= unseen
        return self.compose(rgb, drawn, ground, opacity)

    def _bounded(self, height: int, width: int) -> tuple[int, int]:
        """Return the size of a picture; refuse too large ones."""
        if height * width > MOST_PIXELS:
            raise InvalidValue(
                f"A picture has at most {MOST_PIXELS:,} pixels",
                got=f"{width} x {height}",
                remedy="Pass a smaller scale, or size=1024 in its place",
            )
        return height, width
