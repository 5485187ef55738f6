"""Names of inputs, and which action each of them does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fieldcraft.errors import InvalidValue, UnknownName
from fieldcraft_worlds.games.game import Action, Game, Slider

FRAME_KEYS = (
    ("space", "pause, continue"),
    (".", "one step"),
    ("+ -", "faster, slower"),
    ("wheel", "zoom; hold the wheel down to move the map"),
    ("home", "the whole map"),
    ("tab", "show or hide the panel"),
    ("f5 f9", "save, load"),
    ("f12", "save a picture"),
    ("r", "play the same match again"),
    ("h", "this page"),
    ("esc", "quit"),
)
"""Keys of every game and what they do, for the page of help."""

FRAME_INPUTS = frozenset(
    {f"key {name}" for name in (*"+-=.hr", "space", "escape", "tab", "f5", "f9", "f12", "home")}
    | {"mouse middle"}
)
"""Inputs that do the same in every game."""

_MOUSE = ("mouse left", "mouse right", "mouse back", "mouse forward")


def sliders_of(game: Game) -> tuple[Slider, ...]:
    """Return the sliders of a game, if it has any."""
    found: tuple[Slider, ...] = tuple(getattr(game, "sliders", ()))
    return found


def bindings_of(game: Game, changes: Mapping[str, object] | None = None) -> dict[str, str]:
    """Return the action of each input: the game's own, with the inputs of some actions replaced.

    Raises
    ------
    InvalidValue
        For unknown inputs, and for inputs that something else uses.
    UnknownName
        For actions that the game does not have.
    """
    actions = {action.name: action.inputs for action in game.actions}
    for name, inputs in (changes or {}).items():
        if name not in actions:
            raise UnknownName("action", name, actions)
        actions[name] = _listed(inputs)
    users = dict.fromkeys(FRAME_INPUTS, "every game")
    users |= {f"key {overlay.key}": overlay.name for overlay in game.overlays}
    bound: dict[str, str] = {}
    for name, wanted in actions.items():
        for item in wanted:
            if not item.startswith("key ") and item not in _MOUSE and item not in FRAME_INPUTS:
                raise InvalidValue(
                    'An input is "key ..." or a button of the mouse',
                    got=repr(item),
                    remedy='Write "key w" or "mouse left", say',
                )
            if item in users:
                raise InvalidValue(
                    "An input does one thing",
                    got=f"{item!r} for {name} and {users[item]}",
                    remedy="Choose another for one of them",
                )
            users[item] = bound[item] = name
    return bound


def by_action(bindings: Mapping[str, str], actions: Sequence[Action]) -> dict[str, list[str]]:
    """Return the inputs of each action, in the order of the actions."""
    inputs: dict[str, list[str]] = {action.name: [] for action in actions}
    for name, action in bindings.items():
        inputs[action].append(name)
    return inputs


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
