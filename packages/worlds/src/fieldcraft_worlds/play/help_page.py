"""The page of help, and the choices that the panel shows."""

from __future__ import annotations

from collections.abc import Mapping

from fieldcraft_worlds.games.game import Game
from fieldcraft_worlds.play.inputs import FRAME_KEYS, by_action, sliders_of
from fieldcraft_worlds.view.panel import PanelKey

Lines = tuple[tuple[str, str], ...]


def choices(game: Game, bindings: Mapping[str, str], chosen: Mapping[str, str]) -> list[PanelKey]:
    """Return the choice in each group of actions."""
    texts = {action.name: action.text for action in game.actions}
    inputs = by_action(bindings, game.actions)
    return [
        PanelKey(next(iter(inputs[name]), "").removeprefix("key ").upper(), texts[name])
        for name in chosen.values()
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


def help_lines(game: Game, bindings: Mapping[str, str]) -> Lines:
    """Return all keys with their texts, in parts with an empty line between them."""
    inputs = by_action(bindings, game.actions)
    keys = tuple(
        (", ".join(name.removeprefix("key ") for name in inputs[each.name]) or "no key", each.text)
        for each in game.actions
    )
    sliders = (("mouse", "drag the sliders in the panel"),) if sliders_of(game) else ()
    overlays = tuple((overlay.key, overlay.text) for overlay in game.overlays)
    lines: list[tuple[str, str]] = []
    for part in (keys, sliders, overlays, FRAME_KEYS):
        lines += [("", ""), *part] if lines and part else part
    return tuple(lines)
