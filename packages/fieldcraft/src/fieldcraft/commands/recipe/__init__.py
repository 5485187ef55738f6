"""Recipes: a world with map, layers, sources and outputs in a TOML file."""

from fieldcraft.commands.recipe.read import read_recipe
from fieldcraft.commands.recipe.recipe_parts import DATA, Recipe, data_beside
from fieldcraft.commands.recipe.world import played

__all__ = ["DATA", "Recipe", "data_beside", "played", "read_recipe"]
