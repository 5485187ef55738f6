"""Pictures, films and plots.

None of these libraries is loaded before a function that needs it is called.
"""

from fieldcraft.view.film import Film, save_film, save_png
from fieldcraft.view.frame import frame, frame_owners, frame_teams
from fieldcraft.view.legends import ScaleLegend, TeamLegend
from fieldcraft.view.overlays import draw_arrows, draw_candidates, draw_dots, draw_lines
from fieldcraft.view.pages import page, picture
from fieldcraft.view.palettes import TEAM_COLORS, between, diverging, sequential, tinted
from fieldcraft.view.placement import Placement
from fieldcraft.view.plan import ColorScale
from fieldcraft.view.plots import plot_over_time

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
