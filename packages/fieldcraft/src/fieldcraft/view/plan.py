"""The plan of a picture: which cell shows at which pixel. Each kind of space has its own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.view.colors import HIDDEN, ColorScale

__all__ = ["DARK", "LIGHT", "ON_WALL", "RGB", "RGBA", "Floats", "Plan", "Theme", "theme_of"]

RGB = tuple[int, int, int]
RGBA = NDArray[np.uint8]
Floats = NDArray[np.float64]
Ground = str | None

MOST_PIXELS = 2**26
ON_WALL = 0.45
"""How much of a value's color a wall lets through."""


class Theme(NamedTuple):
    """The colors of everything but values: on the map, and on the page around it."""

    ground: RGB
    wall: RGB
    wall_edge: RGB
    never_seen: RGB
    low_ground: RGB
    high_ground: RGB
    other_floors: RGB
    graph_edge: RGB
    page: RGB
    text: RGB
    faint_text: RGB
    axes: RGB


DARK = Theme(
    ground=(30, 33, 41),
    wall=(13, 14, 18),
    wall_edge=(96, 105, 124),
    never_seen=(86, 82, 104),
    low_ground=(44, 48, 58),
    high_ground=(92, 98, 112),
    other_floors=(43, 46, 56),
    graph_edge=(70, 76, 90),
    page=(13, 14, 18),
    text=(230, 233, 239),
    faint_text=(150, 157, 170),
    axes=(44, 48, 58),
)
LIGHT = Theme(
    ground=(247, 248, 250),
    wall=(176, 181, 191),
    wall_edge=(104, 111, 125),
    never_seen=(214, 209, 226),
    low_ground=(226, 229, 234),
    high_ground=(190, 195, 204),
    other_floors=(236, 238, 242),
    graph_edge=(176, 181, 191),
    page=(255, 255, 255),
    text=(24, 27, 33),
    faint_text=(92, 98, 110),
    axes=(214, 217, 223),
)


THEMES = {"dark": DARK, "light": LIGHT}


def theme_of(ground: Ground) -> Theme:
    """Return the theme of a ground, `DARK` for None."""
    return DARK if ground is None else THEMES[checks.choice("ground", ground, tuple(THEMES))]


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
        """Return the picture: the ground, and over it the colors of what is drawn."""

    def shows(self, positions: Floats) -> NDArray[np.bool_]:
        """Return which positions (N, D) the picture shows."""
        return np.ones(len(positions), dtype=np.bool_)

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
        rgb, drawn = colors.rgb(shown), index != HIDDEN
        if never is not None:
            unseen = self.middle(never)
            rgb[unseen] = theme_of(ground).never_seen
            drawn |= unseen
        return self.compose(rgb, drawn, ground, opacity)

    def _bounded(self, height: int, width: int) -> tuple[int, int]:
        if height * width > MOST_PIXELS:
            raise InvalidValue(
                f"A picture has at most {MOST_PIXELS:,} pixels",
                got=f"{width} x {height}",
                remedy="Pass a smaller scale, or size=1024 in its place",
            )
        return height, width
