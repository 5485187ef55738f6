"""Pixels: pictures with NumPy alone, files and films through Pillow and PyAV, and drawing onto your own pygame surface.

None of these libraries is loaded before a function that needs it is called.
"""

from fieldcraft.view.colors import TEAM_COLORS, ColorScale, diverging, sequential, tinted
from fieldcraft.view.film import Film, save_film, save_png
from fieldcraft.view.frame import Team, frame, frame_teams
from fieldcraft.view.legend import ScaleLegend, TeamLegend
from fieldcraft.view.placement import Placement
from fieldcraft.view.sheet import picture, picture_teams, sheet
from fieldcraft.view.window import Camera, draw

__all__ = [
    "TEAM_COLORS",
    "Camera",
    "ColorScale",
    "Film",
    "Placement",
    "ScaleLegend",
    "Team",
    "TeamLegend",
    "diverging",
    "draw",
    "frame",
    "frame_teams",
    "picture",
    "picture_teams",
    "save_film",
    "save_png",
    "sequential",
    "sheet",
    "tinted",
]
