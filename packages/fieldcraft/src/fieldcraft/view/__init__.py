"""Pixels: pictures with NumPy alone, letters and files through Pillow, films through PyAV, plots by
    matplotlib, your own pygame surface.

None of these libraries is loaded before a function that needs it is called.
"""

from fieldcraft.view.arrows import draw_arrows
from fieldcraft.view.colors import TEAM_COLORS, ColorScale, between, diverging, sequential, tinted
from fieldcraft.view.film import Film, save_film, save_png
from fieldcraft.view.frame import Team, frame, frame_teams
from fieldcraft.view.graphs import frame_graph, picture_floors
from fieldcraft.view.legend import ScaleLegend, TeamLegend
from fieldcraft.view.lines import draw_dots, draw_lines
from fieldcraft.view.panels import IntervalPanel
from fieldcraft.view.placement import Placement
from fieldcraft.view.plots import plot_curves, plot_intervals, plot_over_time
from fieldcraft.view.sheet import picture, picture_teams, sheet
from fieldcraft.view.strips import ScaleStrip, TeamStrip, above_strip
from fieldcraft.view.territory import frame_owners, frame_shares
from fieldcraft.view.window import Camera, draw
from fieldcraft.view.world_file import save_map

__all__ = [
    "TEAM_COLORS",
    "Camera",
    "ColorScale",
    "Film",
    "IntervalPanel",
    "Placement",
    "ScaleLegend",
    "ScaleStrip",
    "Team",
    "TeamLegend",
    "TeamStrip",
    "above_strip",
    "between",
    "diverging",
    "draw",
    "draw_arrows",
    "draw_dots",
    "draw_lines",
    "frame",
    "frame_graph",
    "frame_owners",
    "frame_shares",
    "frame_teams",
    "picture",
    "picture_floors",
    "picture_teams",
    "plot_curves",
    "plot_intervals",
    "plot_over_time",
    "save_film",
    "save_map",
    "save_png",
    "sequential",
    "sheet",
    "tinted",
]
