"""Pictures, films and plots.

None of these libraries is loaded before a function that needs it is called.
"""

from fieldcraft.view.drawing.overlays import draw_arrows, draw_candidates, draw_dots, draw_lines
from fieldcraft.view.film.film import Film, save_film, save_png
from fieldcraft.view.frame import frame, frame_owners, frame_teams
from fieldcraft.view.pages.legends import ScaleLegend, TeamLegend
from fieldcraft.view.pages.pages import page, picture
from fieldcraft.view.pages.plots import plot_over_time
from fieldcraft.view.palettes import TEAM_COLORS, between, diverging, sequential, tinted
from fieldcraft.view.pixels.color_scale import ColorScale
from fieldcraft.view.pixels.placement import Placement

__all__ = [
    "TEAM_COLORS",
    "ColorScale",
    "Film",
    "Placement",
    "ScaleLegend",
    "TeamLegend",
    "between",
    "diverging",
    "draw_arrows",
    "draw_candidates",
    "draw_dots",
    "draw_lines",
    "frame",
    "frame_owners",
    "frame_teams",
    "page",
    "picture",
    "plot_over_time",
    "save_film",
    "save_png",
    "sequential",
    "tinted",
]
