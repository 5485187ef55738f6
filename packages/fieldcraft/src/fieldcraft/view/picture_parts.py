"""The parts of pictures for the packages of this project: a brush, text, and the colors of ground,
walls and values. Their arguments are not checked, and they may change with any version.
"""

from fieldcraft.view.drawing.brush import (
    ASCENT,
    LINE,
    SHAPES,
    Brush,
    empty_mask,
    lettered,
    measure,
    wrapped,
)
from fieldcraft.view.film.film import SUFFIXES
from fieldcraft.view.film.writers import FASTEST_GIF
from fieldcraft.view.pages.legends import format_number, need_plots, over_ground, styled
from fieldcraft.view.palettes import parse_color, rgb_of
from fieldcraft.view.pixels.graph_pixels import outlines
from fieldcraft.view.pixels.grid_pixels import beside, ground_kinds
from fieldcraft.view.pixels.pixel_plan import DARK, HIDDEN, ON_WALL, plain_values
from fieldcraft.view.pixels.placement import subject_of

__all__ = [
    "ASCENT",
    "FASTEST_GIF",
    "GROUND",
    "HIDDEN",
    "LINE",
    "ON_WALL",
    "RIM",
    "SHAPES",
    "SUFFIXES",
    "WALL",
    "Brush",
    "beside",
    "empty_mask",
    "format_number",
    "ground_kinds",
    "lettered",
    "measure",
    "need_plots",
    "outlines",
    "over_ground",
    "parse_color",
    "plain_values",
    "rgb_of",
    "styled",
    "subject_of",
    "wrapped",
]

GROUND = DARK.ground
WALL = DARK.wall
RIM = DARK.wall_edge
