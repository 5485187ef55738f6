"""Worlds as data: a TOML file says map, layers, sources and outputs; running it makes pictures,
films and tables.
"""

from fieldcraft.recipe.document import DATA, data_beside, parse_value
from fieldcraft.recipe.parse import read_recipe
from fieldcraft.recipe.parts import Recipe
from fieldcraft.recipe.world import played

__all__ = ["DATA", "Recipe", "data_beside", "parse_value", "played", "read_recipe"]
