"""The worlds: their names, their modules, and their films in the gallery."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from importlib import metadata
from typing import cast

from fieldcraft.base.errors import InvalidValue, UnknownName
from fieldcraft_worlds.games.game import Game


@dataclass(frozen=True)
class Piece:
    """A film of a game that plays by itself.

    Parameters
    ----------
    name : str
        Of the film, without its suffix.
    title : str
        Its title.
    summary : str
        One sentence on the film.
    look : str
        What to look at.
    guide : str
        The page of docs about it.
    seed, place, settings
        Those of the match, as on the command line; the game's own map without a `place`.
    beside : tuple[str, ...], optional
        The settings of a second match, which the film shows to the right of the first; None for
        one match.
    begin, seconds : float, optional
        Start and duration of the film, in seconds of the world.
    every : int, optional
        Steps from one frame to the next.
    overlays : tuple[str, ...], optional
        The overlays by name; the default ones without any.
    width : int, optional
        Pixels; the height follows from the map.
    quality : int, optional
        Of the WebP, 1 to 100.
    """

    name: str
    title: str
    summary: str
    look: str
    guide: str
    seed: int = 7
    place: str = ""
    settings: tuple[str, ...] = field(default=())
    beside: tuple[str, ...] | None = None
    begin: float = 0.0
    seconds: float = 10.0
    every: int = 3
    overlays: tuple[str, ...] = ()
    width: int = 560
    quality: int = 45

    def command(self, game: str) -> str:
        """Return the command that plays it in a window."""
        parts = [f"fieldcraft play {game}", self.place, f"--seed {self.seed}"]
        parts += [f"--set {_quoted(setting)}" for setting in self.settings]
        parts += [f"--overlay {_quoted(name)}" for name in self.overlays]
        return " ".join(part for part in parts if part)


def _quoted(text: str) -> str:
    """Return a text as a shell takes it."""
    if any(letter in text for letter in ' []"'):
        return f"'{text}'"
    return text


@dataclass(frozen=True)
class Row:
    """A world: its `name` on the command line, the `module` with its `GAME`, and its `pieces` in
    the gallery.
    """

    name: str
    module: str
    pieces: tuple[Piece, ...]


WORLDS = (
    Row(
        "towers",
        "fieldcraft_worlds.games.towers.plugin",
        (
            Piece(
                "towers",
                "The tower game",
                "Two commanders read the same influence map and send squads against each "
                "other's towers.",
                "Colors say who owns the ground, lines where both are equally strong. Squads "
                "walk around the range of enemy towers, and the front gives way when one falls.",
                "control.md",
                seed=2,
                begin=14,
                seconds=16,
                every=4,
            ),
        ),
    ),
    Row(
        "chase",
        "fieldcraft_worlds.games.chase.plugin",
        (
            Piece(
                "chase",
                "The chase",
                "Zombies hunt what they see, infect what they catch, and search for the player "
                "once they have lost it.",
                "Red is where the player may have run by now; blue lies behind it. The cross is "
                "the zombies' best guess, and a line leads from it to the player.",
                "pursuit.md",
                seed=2,
                begin=27,
                seconds=12,
                overlays=("heat", "sight", "barrier", "estimate"),
            ),
        ),
    ),
    Row(
        "maze",
        "fieldcraft_worlds.games.maze.plugin",
        (
            Piece(
                "maze",
                "The maze",
                "Three monsters share one memory and search a maze for the thief of its treasures.",
                "Bright cells were visited lately. They fade within 17 s, and monsters go where it "
                "is dark, until one of them sees the player.",
                "memory.md",
                seed=10,
                settings=("memory.amount=6",),
                begin=4,
                seconds=16,
            ),
        ),
    ),
    Row(
        "tether",
        "fieldcraft_worlds.games.tether.plugin",
        (
            Piece(
                "tether",
                "The duel",
                "A fighter with a range of ten cells against one with a range of five, among "
                "pillars.",
                "The long range is blue. Its layer is blue where it will hit and not be hit in "
                "half a second, and orange where the other will hit it; pillars cut pieces out of "
                "the ring. The circles are the ranges now.",
                "memory.md",
                seed=3,
                begin=3,
                seconds=14,
            ),
        ),
    ),
    Row(
        "ants",
        "fieldcraft_worlds.games.ants.plugin",
        (
            Piece(
                "ants",
                "The ants",
                "Three thousand ants and two pheromones: searching ants leave the one that "
                "leads home, carriers the one that leads to food.",
                "No ant knows the way. The road between nest and pile is what remains when all "
                "strengthen what they follow. The third pile lies off the roads: as long as others "
                "are nearer, few ants come by.",
                "pheromones.md",
                begin=4,
                seconds=14,
                every=4,
            ),
            Piece(
                "ants-velocity",
                "Ants on a trail of directions",
                "The same ants align with one trail, which holds the direction of other ants.",
                "The hue of a trail is its direction: pink to the right, yellow down, green to the "
                "left, blue up, so both lanes of a road differ. Roads fork, smooth and dissolve. A "
                "second layer, which does not accumulate, keeps ants apart.",
                "pheromones.md",
                settings=("trails=velocity",),
                begin=15,
                seconds=9,
                every=4,
                width=440,
                quality=30,
            ),
            Piece(
                "ants-vortices",
                "Vortices",
                "The same without food: left without the layer that keeps ants apart, right with "
                "it.",
                "Left, ants align with the trail ahead, which is their own: after 25 s 99 of 100 "
                "go around in circles. A vortex has all hues in a ring. Right, the layer dissolves "
                "most vortices: 13 of 100 do.",
                "pheromones.md",
                settings=("trails=velocity", "searchers=1", "piles=0", "velocity.separate=0"),
                beside=("trails=velocity", "searchers=1", "piles=0"),
                begin=16,
                seconds=9,
                every=4,
                overlays=("trails", "ants"),
                width=300,
                quality=30,
            ),
        ),
    ),
    Row(
        "flock",
        "fieldcraft_worlds.games.flock.plugin",
        (
            Piece(
                "flock",
                "The flock",
                "Fifteen hundred birds that never look at each other: each reads three layers.",
                "Alignment, separation and cohesion come from layers, so ten times as many "
                "birds cost ten times as much, not a hundred times.",
                "pheromones.md",
                seed=9,
                begin=4,
                seconds=9,
                every=4,
                width=440,
                quality=30,
            ),
        ),
    ),
    Row(
        "physarum",
        "fieldcraft_worlds.games.physarum.plugin",
        (
            Piece(
                "physarum",
                "The slime mold",
                "Twenty-eight thousand agents follow what they leave, and grow roads between "
                "twelve cities.",
                "First nets, then roads that join all cities. The line is the shortest tree.",
                "pheromones.md",
                begin=0,
                seconds=20,
                every=10,
                width=480,
                quality=25,
            ),
            Piece(
                "physarum-million",
                "A million agents",
                "The same with a million agents and twenty-four cities, on a map of more than a "
                "million cells.",
                "At first all cells are alike; after five seconds there is a net, which becomes "
                "coarser, because used roads remain.",
                "pheromones.md",
                place="open:1536x768:5",
                settings=(
                    "agents=1000000",
                    "cities=24",
                    "distance=24",
                    "city=7",
                    "speed=30",
                ),
                begin=0,
                seconds=16,
                every=12,
                width=560,
                quality=15,
            ),
        ),
    ),
)

GAMES = {row.name: row for row in WORLDS}


def saved_game(name: object) -> Game:
    """Return the game that a file or a link names: one of `GAMES`, or a game that an installed
    package registers as an entry point in the group "fieldcraft.games".

    Raises
    ------
    InvalidValue
        For any other name, before anything is imported.
    """
    if isinstance(name, str) and name in GAMES:
        return find_game(name)
    for point in metadata.entry_points(group="fieldcraft.games"):
        if point.name == name:
            return cast("Game", point.load())
    raise InvalidValue(
        "A file names a game that an installed package registers",
        got=repr(name)[:80],
        remedy="For a save of your own game, pass module:object --load SAVE",
    )


def find_game(name: str) -> Game:
    """Return the game of that name, or of "module:object" for a game of your own, an object in a
    module that can be imported.
    """
    if ":" not in name:
        if name not in GAMES:
            raise UnknownName("game", name, GAMES)
        return cast("Game", importlib.import_module(GAMES[name].module).GAME)
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
        for part in (
            "name",
            "version",
            "title",
            "overlays",
            "actions",
            "settings",
            "kinds",
            "default_map",
            "open",
        )
        if not hasattr(found, part)
    ]
    if missing:
        raise InvalidValue(
            "A game has all that fieldcraft_worlds.games.game.Game asks for",
            got=f"{name} without {', '.join(missing)}",
            remedy="Add these",
        )
    return cast("Game", found)
