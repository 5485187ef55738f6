"""The parts of pictures, for packages that draw their own: a brush, letters, and the colors of
ground, walls and values.
"""

from fieldcraft.view.brush import SHAPES, Brush, empty_mask
from fieldcraft.view.canvas import GROUND, ON_WALL, RIM, WALL, beside, ground_kinds
from fieldcraft.view.colors import HIDDEN, parse_color, plain_values
from fieldcraft.view.film import SUFFIXES
from fieldcraft.view.legend import format_number, over_ground
from fieldcraft.view.placement import GridLike, subject_of
from fieldcraft.view.plot_page import need_plots
from fieldcraft.view.text import ASCENT, LINE, lettered, measure, wrapped
from fieldcraft.view.writers import FASTEST_GIF

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
    "GridLike",
    "beside",
    "empty_mask",
    "format_number",
    "ground_kinds",
    "lettered",
    "measure",
    "need_plots",
    "over_ground",
    "parse_color",
    "plain_values",
    "subject_of",
    "wrapped",
]
