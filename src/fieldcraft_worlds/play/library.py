"""The games that there are, by name; each is loaded when it is asked for."""

from __future__ import annotations

import importlib
from typing import cast

from fieldcraft.errors import InvalidValue, UnknownName
from fieldcraft_worlds.games.game import Game

__all__ = ["GAMES", "find_game"]

GAMES = {
    "ants": "fieldcraft_worlds.games.ants.plugin",
    "flock": "fieldcraft_worlds.games.flock.plugin",
    "chase": "fieldcraft_worlds.games.chase.plugin",
    "towers": "fieldcraft_worlds.games.towers.plugin",
    "tether": "fieldcraft_worlds.games.tether.plugin",
    "maze": "fieldcraft_worlds.games.maze.plugin",
}


def find_game(name: str) -> Game:
    """The game of that name, or of "module:object" for a game of your own: an object in a module that can be imported."""
    if ":" not in name:
        if name not in GAMES:
            raise UnknownName("game", name, GAMES)
        return cast("Game", importlib.import_module(GAMES[name]).GAME)
    module, _, attribute = name.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise InvalidValue(
            "A game of your own is module:object, both to be found from here",
            got=f"{name!r} ({error})",
            remedy="Set PYTHONPATH=. for a module in this folder",
        ) from error
    missing = [
        part
        for part in ("name", "version", "title", "overlays", "actions", "settings", "kinds", "default_map", "open")
        if not hasattr(found, part)
    ]
    if missing:
        raise InvalidValue(
            "A game has all that fieldcraft_worlds.games.game.Game asks for", got=f"{name} without {', '.join(missing)}", remedy="Add these"
        )
    return cast("Game", found)
