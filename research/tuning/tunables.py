"""Things to tune: a game or a way of searching, its settings, and what counts as good."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import partial
from typing import Any

from fieldcraft.errors import InvalidValue, UnknownName
from fieldcraft_worlds.library import find_game
from fieldcraft_worlds.play.settings import settings_from
from research.experiments.study import Job, Row, number
from research.tuning import plays, searching
from research.tuning.ranges import nested
from research.tuning.recipes import of_recipe
from research.tuning.tunable import Tunable

__all__ = ["TUNABLES", "find_tunable", "of_game"]


def declared(settings: Any, prefix: str = "") -> dict[str, Any]:
    """The numbers and words of a dataclass, and of those in it, by dotted name."""
    found: dict[str, Any] = {}
    for field in fields(settings):
        value = getattr(settings, field.name)
        if is_dataclass(value):
            found |= declared(value, f"{prefix}{field.name}.")
        elif isinstance(value, (int, float, str)) and not isinstance(value, bool) and field.init:
            found[prefix + field.name] = value
    return found


def of_game(
    name: str, told: str, objectives: Mapping[str, int], run: Callable[[Job], Row]
) -> Tunable:
    """A game as something to tune: all numbers and words among its settings."""
    kind = find_game(name).settings
    return Tunable(
        name,
        told,
        declared(kind()),
        objectives,
        run,
        lambda values: settings_from(kind, nested(values)),
    )


def of_way(way: str, run: Callable[[Job], Row]) -> Tunable:
    """A way of searching as something to tune."""
    return Tunable(
        f"search-{way}",
        f"four searchers by {way}, after fugitives lost from sight",
        searching.SEARCHED[way],
        {"seconds": -1, "found": 1},
        run,
        lambda values: searching.probe(way, values),
    )


def of_measured_game(name: str) -> Tunable:
    """A game that counts how well it goes, by its name or as "module:object"; raises `InvalidValue`
    for one that does not.
    """
    game = find_game(name)
    if not hasattr(game, "objectives") or not hasattr(game, "measured"):
        raise InvalidValue(
            "A game that is tuned says what is sought",
            got=f"{name} without objectives and measured",
            remedy="Add what fieldcraft_worlds.games.game.MeasuredGame asks for",
        )
    return of_game(
        name, f"{game.title}, by itself", game.objectives, partial(plays.measured_game, name)
    )


_TOWERS = {"ahead": 1, "won": 1}

TUNABLES: dict[str, Callable[[], Tunable]] = {
    "towers": lambda: of_game(
        "towers",
        "the influence commander against the shortest way, from both sides",
        _TOWERS,
        plays.towers,
    ),
    "towers-planner": lambda: replace(
        of_game(
            "towers",
            "the planner against the shortest way, from both sides",
            _TOWERS,
            plays.planner,
        ),
        name="towers-planner",
    ),
    "chase": lambda: of_game(
        "chase",
        "hunters after a player who is played by a program",
        {"hearts": 1, "seconds": -1, "caught": 1},
        plays.chase,
    ),
    "maze": lambda: of_game(
        "maze",
        "monsters after a player who is played by a script",
        {"treasures": -1, "caught": 1, "seconds": -1},
        plays.maze,
    ),
    "tether": lambda: of_game(
        "tether",
        "the tether against three other brains, from both sides",
        {"ahead": 1, "won": 1},
        plays.tether,
    ),
    "ants": lambda: of_measured_game("ants"),
    "flock": lambda: of_measured_game("flock"),
    "physarum": lambda: of_measured_game("physarum"),
    "search-flood": lambda: of_way("flood", searching.flood),
    "search-belief": lambda: of_way("belief", searching.belief),
    "search-party": lambda: of_way("party", searching.party),
}
"""The things that can be tuned, by name: every game, and ways of searching."""


def found_as(name: str) -> Tunable:
    """The thing to tune of a name, of a recipe's file, or of a game of your own as
    "module:object".
    """
    if name in TUNABLES:
        return TUNABLES[name]()
    if name.endswith(".toml"):
        return of_recipe(name)
    if ":" in name:
        return of_measured_game(name)
    raise UnknownName("thing to tune", name, TUNABLES)


def find_tunable(name: str, objective: str | None) -> tuple[Tunable, str]:
    """The thing to tune, and the objective, by default its first; raises `UnknownName`, or
    `InvalidValue` for no such objective.
    """
    found = found_as(name)
    wanted = next(iter(found.objectives)) if objective is None else objective
    if wanted not in found.objectives:
        raise InvalidValue(
            f"An objective of {name} is one of {', '.join(found.objectives)}",
            got=repr(objective),
            remedy="Choose one",
        )
    return found, wanted


def score_of(row: Row, objective: str, sign: int) -> float:
    """How good a row is: the more the better."""
    return sign * number(row, objective)
