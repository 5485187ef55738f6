"""The page of help, and the choices that the panel shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fieldcraft_worlds.games.game import Action, Game
from fieldcraft_worlds.play.inputs import FRAME_KEYS, by_action, sliders_of
from fieldcraft_worlds.view.panel import PanelKey

Lines = tuple[tuple[str, str], ...]


def team_of_sides(game: Game, settings: Any) -> dict[str, str]:
    """Return the team that each choice of a side stands for; there are as many as teams."""
    sides = [action.name for action in game.actions if action.group == "side"]
    return dict(zip(sides, getattr(settings, "teams", ()), strict=False))


def actions_of(game: Game, settings: Any) -> list[Action]:
    """Return the actions of a player; choices of a side name its team, and sides without a team
    are left out.
    """
    teams = team_of_sides(game, settings)
    found = []
    for action in game.actions:
        if action.name in teams:
            found.append(replace(action, text=f"team {teams[action.name]}"))
        elif action.group != "side":
            found.append(action)
    return found


def choices(
    game: Game, settings: Any, bindings: Mapping[str, str], chosen: Mapping[str, str]
) -> list[PanelKey]:
    """Return the choice in each group of actions."""
    texts = {action.name: action.text for action in actions_of(game, settings)}
    inputs = by_action(bindings, game.actions)
    return [
        PanelKey(next(iter(inputs[name]), "").removeprefix("key ").upper(), texts[name])
        for name in chosen.values()
        if name in texts
    ]


def hand_keys(game: Game, bindings: Mapping[str, str]) -> list[PanelKey]:
    """Return the lines with the key, or the use of the mouse, by which a person takes part, and the
    keys for another match and for help.
    """
    inputs = by_action(bindings, game.actions)
    takes = [name for action in game.actions if action.takes_over for name in inputs[action.name]]
    parts = [f"{name.removeprefix('key ').upper()}: you play" for name in takes[:1]]
    lines = [PanelKey("", ",  ".join([*parts, "R: again", "H: help"])), PanelKey("", "")]
    clicks = [each.text for each in game.actions if "mouse left" in inputs[each.name]]
    if takes:
        return lines
    if clicks:
        return [PanelKey("", f"mouse: {clicks[0]}"), *lines]
    return lines


def help_lines(game: Game, settings: Any, bindings: Mapping[str, str]) -> Lines:
    """Return all keys with their texts, in parts with an empty line between them."""
    inputs = by_action(bindings, game.actions)
    keys = []
    for action in actions_of(game, settings):
        names = [name.removeprefix("key ") for name in inputs[action.name]]
        keys.append((", ".join(names) or "no key", action.text))
    sliders = []
    if sliders_of(game):
        sliders.append(("mouse", "drag the sliders in the panel"))
    overlays = [(overlay.key, overlay.text) for overlay in game.overlays]
    lines: list[tuple[str, str]] = []
    for part in (keys, sliders, overlays, FRAME_KEYS):
        if lines and part:
            lines.append(("", ""))
        lines += part
    return tuple(lines)
