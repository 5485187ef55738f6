"""Worlds as data: a TOML file says map, layers, sources and outputs; running it makes pictures,
films and tables.
"""

from fieldcraft.recipe.document import DATA, data_beside
from fieldcraft.recipe.parts import Recipe
from fieldcraft.recipe.read import read_recipe
from fieldcraft.recipe.world import played
from fieldcraft.settings import parse_value

__all__ = ["DATA", "Recipe", "data_beside", "parse_value", "played", "read_recipe"]
