"""Worlds by their names: recipes, saved maps, and the worlds of packages."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from typing import Any

from fieldcraft.base.errors import BadSaveFile, FieldcraftError, UnknownName
from fieldcraft.base.files import is_there
from fieldcraft.commands.recipe import read_recipe
from fieldcraft.commands.shipped_recipes import SHIPPED, recipe_path
from fieldcraft.layers.influence_map import InfluenceMap
from fieldcraft_lab.live import Live, LiveMap
from fieldcraft_lab.live_recipe import LiveRecipe

WORLDS = "fieldcraft.lab"
"""The group of entry points with worlds of other packages: a name and an opener, see
`packages/worlds`.
"""


def _openers() -> dict[str, Any]:
    """Return the openers of packages by name."""
    return {point.name: point.load() for point in metadata.entry_points(group=WORLDS)}


def opened(name: str, *, overrides: tuple[str, ...] = (), data: str | Path | None = None) -> Live:
    """Return the world of a name on the command line: a recipe (.toml), a saved map, or a world of
    another package.

    Raises
    ------
    UnknownName
        Or any error of reading a file.
    """
    openers = _openers()
    for opener in openers.values():
        if name in opener.names:
            game: Live = opener(name, overrides)
            return game
    recipe = recipe_path(Path(name))
    if recipe.suffix == ".toml":
        return LiveRecipe(read_recipe(recipe, overrides, data=data), overrides)
    if is_there(name):
        return LiveMap(InfluenceMap.load(name), title=Path(name).stem)
    raise UnknownName("world or file", name, {*game_names(), *recipe_names()})


def recipe_names() -> list[str]:
    """Return the names of the recipes that come with fieldcraft."""
    return sorted(path.stem for path in SHIPPED.glob("*.toml"))


def game_names() -> list[str]:
    """Return the names of the worlds of other packages."""
    return [name for opener in _openers().values() for name in opener.names]


def world_of(kind: str, origin: dict[str, Any]) -> Live:
    """Return the world of an `origin` of this kind; raises `BadSaveFile` if no installed package
    has it.
    """
    known: dict[str, Any] = {LiveMap.kind: LiveMap, LiveRecipe.kind: LiveRecipe}
    if kind not in known:
        known |= {opener.kind: opener for opener in _openers().values()}
    if kind not in known:
        raise BadSaveFile(
            "A session is of a world that can be opened here",
            got=repr(kind),
            remedy="Install the package that brings it",
        )
    try:
        world: Live = known[kind].from_origin(origin)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, FieldcraftError):
            raise
        raise BadSaveFile(
            "A session contains the beginning of its world",
            got=str(error)[:80],
            remedy="Use another copy of the file",
        ) from error
    return world
