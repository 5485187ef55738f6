"""Names of inputs, and which action each of them does."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence

from fieldcraft.errors import InvalidValue, UnknownName
from fieldcraft_worlds.games.game import Action, Game, Slider

__all__ = [
    "FRAME_INPUTS",
    "FRAME_KEYS",
    "FRAME_PAD",
    "PAD_BUTTONS",
    "PAD_NAMES",
    "SLIDER_KEYS",
    "any_pad",
    "bindings_of",
    "by_action",
    "sliders_of",
]

FRAME_KEYS = (
    ("space", "pause, go on"),
    (".", "one step"),
    ("+ -", "faster, slower"),
    ("wheel", "nearer, farther; with its button held down, move the map"),
    ("home", "the whole map"),
    ("tab", "show or hide the panel"),
    ("f5 f9", "save, load"),
    ("f12", "take a picture"),
    ("r", "the same match from the start"),
    ("h", "this page"),
    ("esc", "leave"),
)
"""Keys of the frame and what they do, for the page of help."""

FRAME_INPUTS = frozenset(
    {
        f"key {name}"
        for name in (
            "space",
            ".",
            "+",
            "-",
            "=",
            "h",
            "r",
            "escape",
            "tab",
            "f5",
            "f9",
            "f12",
            "home",
        )
    }
    | {"mouse middle"}
)
"""Inputs that belong to the frame in every game."""

SLIDER_KEYS = {"key f3": -1, "key f4": 1, "key f6": -1, "key f7": 1}
"""Keys that choose a slider and move it, in games that have some."""

FRAME_PAD = {"pad start": "key space", "pad back": "key h"}
"""The events of a gamepad's buttons in the frame where the game has no use for them."""

PAD_BUTTONS = (
    *(
        "a",
        "b",
        "x",
        "y",
        "back",
        "guide",
        "start",
        "left stick",
        "right stick",
        "left shoulder",
        "right shoulder",
    ),
    *("up", "down", "left", "right"),
)
"""The buttons of a gamepad in SDL's order; the last four are its cross."""

PAD_NAMES = frozenset(
    {f"pad {button}" for button in PAD_BUTTONS}
    | {f"pad {side} trigger" for side in ("left", "right")}
    | {
        f"pad {side} stick {way}"
        for side in ("left", "right")
        for way in ("up", "down", "left", "right")
    }
    | {f"pad button {number}" for number in range(1, 33)}
)
"""All names of inputs of gamepads; "pad button 1" and so on are those of devices that SDL has no
layout for.
"""

_MOUSE = ("mouse left", "mouse right", "mouse back", "mouse forward")
_NUMBERED = re.compile(r"pad \d+ ")


def any_pad(name: str) -> str:
    """An input of one gamepad as that of any: "pad a" for "pad 2 a"; other names stay as they
    are.
    """
    return _NUMBERED.sub("pad ", name, count=1)


def sliders_of(game: Game) -> tuple[Slider, ...]:
    """The sliders of a game, none for games that do not speak of any."""
    found: tuple[Slider, ...] = tuple(getattr(game, "sliders", ()))
    return found


def bindings_of(game: Game, changes: Mapping[str, object] | None = None) -> dict[str, str]:
    """Which action each input does: the game's own, with the inputs of some actions replaced.

    Raises
    ------
    InvalidValue
        For inputs that there are none of and for those that the frame or another action has.
    UnknownName
        For actions that the game does not know.
    """
    actions = {action.name: action.inputs for action in game.actions}
    for name, inputs in (changes or {}).items():
        if name not in actions:
            raise UnknownName("action", name, actions)
        actions[name] = _listed(inputs)
    holders = dict.fromkeys(FRAME_INPUTS, "the frame")
    holders |= {f"key {overlay.key}": overlay.name for overlay in game.overlays}
    if sliders_of(game):
        holders |= dict.fromkeys(SLIDER_KEYS, "the sliders")
    for slider in sliders_of(game):
        for item in slider.keys:
            _claim(holders, item, slider.name)
    bound: dict[str, str] = {}
    for name, wanted in actions.items():
        for item in wanted:
            _check_name(item)
            _claim(holders, item, name)
            bound[item] = name
    return bound


def by_action(bindings: Mapping[str, str], actions: Sequence[Action]) -> dict[str, list[str]]:
    """The inputs of each action, in the order of the actions."""
    inputs: dict[str, list[str]] = {action.name: [] for action in actions}
    for name, action in bindings.items():
        inputs[action].append(name)
    return inputs


def _claim(holders: dict[str, str], item: str, name: str) -> None:
    if item in holders:
        raise InvalidValue(
            "An input does one thing",
            got=f"{item!r} for {name} and {holders[item]}",
            remedy="Choose another for one of them",
        )
    holders[item] = name


def _listed(inputs: object) -> tuple[str, ...]:
    listed = [inputs] if isinstance(inputs, str) else inputs
    if not isinstance(listed, (list, tuple)) or not all(
        isinstance(item, str) and item for item in listed
    ):
        raise InvalidValue(
            "The inputs of an action are names",
            got=repr(inputs)[:80],
            remedy='Write ["key w", "key up"], say',
        )
    return tuple(" ".join(item.lower().split()) for item in listed)


def _check_name(item: str) -> None:
    """Keys are what the keyboard says; the names of buttons are known."""
    name = any_pad(item)
    if name.startswith("key ") or name in _MOUSE or name in PAD_NAMES or item in FRAME_INPUTS:
        return
    near = difflib.get_close_matches(name, [*_MOUSE, *sorted(PAD_NAMES)], n=1)
    raise InvalidValue(
        'An input is "key ...", a button of the mouse, or part of a gamepad',
        got=repr(item),
        remedy=(
            f"Did you mean {near[0]!r}?" if near else 'Write "key w", "mouse left" or "pad a", say'
        ),
    )
