"""The colors of everything in a picture but values."""

from __future__ import annotations

from typing import NamedTuple

from fieldcraft.base import checks

RGB = tuple[int, int, int]
Ground = str | None
"""The name of a theme; None for a transparent ground."""


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
    if ground is None:
        return DARK
    return THEMES[checks.choice("ground", ground, tuple(THEMES))]
