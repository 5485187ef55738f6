"""The page of help, and the choices that the panel shows."""

from __future__ import annotations

from collections.abc import Mapping

from fieldcraft_worlds.games.game import Game
from fieldcraft_worlds.play.bindings import FRAME_KEYS, by_action
from fieldcraft_worlds.view.panel import PanelKey

__all__ = ["choices", "hand_keys", "help_lines"]

Lines = tuple[tuple[str, str], ...]


def choices(game: Game, bindings: Mapping[str, str], chosen: Mapping[str, str]) -> list[PanelKey]:
    """Return the choice in each group of actions."""
    actions = {action.name: action for action in game.actions}
    inputs = by_action(bindings, game.actions)
    return [
        PanelKey(
            next(iter(inputs[name]), "").removeprefix("key ").upper(),
            actions[name].text,
        )
        for name in chosen.values()
    ]


def hand_keys(game: Game, bindings: Mapping[str, str]) -> list[PanelKey]:
    """Return the keys by which a person takes over from the program that plays, if there is one,
    and begins again.
    """
    inputs = by_action(bindings, game.actions)
    names = [name for action in game.actions if action.takes_over for name in inputs[action.name]]
    takes = [f"{name.removeprefix('key ').upper()}: you play" for name in names[:1]]
    return [PanelKey("", ",  ".join([*takes, "R: again"])), PanelKey("", "")]


def help_lines(game: Game, bindings: Mapping[str, str], sliders: Lines, has_pads: bool) -> Lines:
    """Return what each key does, in parts with an empty line between them."""
    inputs = by_action(bindings, game.actions)
    keys = tuple(
        (_listed(inputs[action.name], pads=False) or "no key", action.text)
        for action in game.actions
    )
    pads = tuple(
        (names, action.text)
        for action in game.actions
        if (names := _listed(inputs[action.name], pads=True))
    ) + tuple(
        (name, text)
        for name, text in (("pad start", "pause, go on"), ("pad back", "this page"))
        if name not in bindings
    )
    overlays = tuple((overlay.key, overlay.text) for overlay in game.overlays)
    lines: list[tuple[str, str]] = []
    for part in (keys, pads if has_pads else (), sliders, overlays, FRAME_KEYS):
        lines += [("", ""), *part] if lines and part else part
    return tuple(lines)


def _listed(names: list[str], *, pads: bool) -> str:
    return ", ".join(name.removeprefix("key ") for name in names if name.startswith("pad ") == pads)
