"""The parts of pictures for the packages of this project: a brush, text, and the colors of ground,
walls and values. Their arguments are not checked, and they may change with any version.
"""

from fieldcraft.view.drawing.brush import SHAPES, Brush, empty_mask
from fieldcraft.view.drawing.letters import ASCENT, LINE, lettered, measure, wrapped
from fieldcraft.view.film.film import SUFFIXES
from fieldcraft.view.film.writers import FASTEST_GIF
from fieldcraft.view.pages.legends import format_number, need_plots, over_ground, styled
from fieldcraft.view.palettes import parse_color, rgb_of
from fieldcraft.view.pixels.color_scale import HIDDEN, plain_values
from fieldcraft.view.pixels.graph_pixels import outlines
from fieldcraft.view.pixels.grid_pixels import beside, ground_kinds
from fieldcraft.view.pixels.pixel_plan import ON_WALL
from fieldcraft.view.pixels.placement import subject_of
from fieldcraft.view.pixels.themes import DARK

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
