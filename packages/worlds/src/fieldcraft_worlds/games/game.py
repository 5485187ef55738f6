"""Games: rules without a window, a clock or a file.

The *state* of a game is a frozen dataclass with everything that changes; a step returns another
one. *Orders* are data. Random numbers come from a `numpy.random.Generator` that is passed in. So
the same seed and orders give the same match, bit for bit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np

from fieldcraft_worlds.games.slider import Slider
from fieldcraft_worlds.scene import Scene

__all__ = [
    "Action",
    "Game",
    "InputEvent",
    "InputFrame",
    "MeasuredGame",
    "Overlay",
    "Slider",
    "World",
    "moves",
    "shown_first",
]


@dataclass(frozen=True)
class Overlay:
    """A part of the picture that a key shows or hides.

    Of one `group` one overlay is shown at a time. `shown` overlays are visible at the start.
    """

    name: str
    key: str
    text: str
    group: str = ""
    shown: bool = False


def shown_first(overlays: Iterable[Overlay]) -> frozenset[str]:
    """Return the names of the overlays that are visible at the start."""
    return frozenset(overlay.name for overlay in overlays if overlay.shown)


@dataclass(frozen=True)
class Action:
    """Something that a player can do, and its default inputs.

    Inputs are names: "key w", "key up", "key left shift", "mouse left", "mouse right". Actions of
    one `group` are choices: pressing one chooses it until another of the group is pressed; the
    first is chosen at the start. With `takes_over` a person plays from then on in place of a
    program.
    """

    name: str
    text: str
    inputs: tuple[str, ...]
    group: str = ""
    takes_over: bool = False


@dataclass(frozen=True)
class InputEvent:
    """One action at one step: it begins ("press"), continues ("hold") or ends ("release").

    `position` is where the pointer is in the world, and `start` where it was at the press; None if
    the pointer is outside the map. `stroke` is the path of the pointer since the last event of the
    same press, for brushes; see `fieldcraft_worlds.games.painting`.
    """

    action: str
    phase: Literal["press", "hold", "release"] = "press"
    position: tuple[float, float] | None = None
    start: tuple[float, float] | None = None
    stroke: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class InputFrame:
    """The inputs of one step.

    Events in their order, the position of the pointer, the choice in each group, and the new values
    of sliders that were moved.
    """

    events: tuple[InputEvent, ...] = ()
    pointer: tuple[float, float] | None = None
    chosen: Mapping[str, str] = field(default_factory=dict)
    sliders: Mapping[str, float] = field(default_factory=dict)

    def held(self, action: str) -> bool:
        """Return whether an action is held down."""
        return any(each.action == action and each.phase != "release" for each in self.events)

    def pressed(self, action: str) -> bool:
        """Return whether an action began at this step."""
        return any(each.action == action and each.phase == "press" for each in self.events)

    def direction(
        self,
        left: str = "left",
        right: str = "right",
        up: str = "up",
        down: str = "down",
        *,
        y_up: bool = False,
    ) -> tuple[float, float]:
        """Return the direction of four actions, see `moves`: (x, y) of length 1, or (0, 0).

        `up` is up on the screen, which is less y unless the map has `y_up`.
        """
        x = self.held(right) - self.held(left)
        y = self.held(down) - self.held(up)
        if y_up:
            y = -y
        far = max(math.hypot(x, y), 1.0)
        return x / far, y / far


def moves(text: str = "go") -> tuple[Action, Action, Action, Action]:
    """Return the actions "left", "right", "up" and "down" for `InputFrame.direction`: wasd and the
    arrow keys, which a gamepad's stick presses too.
    """

    def action(name: str, key: str) -> Action:
        return Action(name, f"{text} {name}", (f"key {key}", f"key {name}"))

    return action("left", "a"), action("right", "d"), action("up", "w"), action("down", "s")


class World(Protocol):
    """A game on one map with one set of settings. It may cache what follows from a state (layers,
    paths), nothing else: the same state, orders and rng give the same result at any time.

    A world may also have `check(state)`, which raises a `FieldcraftError` for a state of a save
    that the world cannot continue from; `begins(state)`, the name of the
    action of the pause key while the world waits for the player, or None; `brush(state)`, the
    radius of the brush in world units, which is drawn around the pointer; `tuned(state)`, the value
    of each slider by name; and `opening(frames)`, that many scenes for films, before the first
    step. A game may have `sliders`, a tuple of `Slider`, whose values arrive in
    `InputFrame.sliders`, and `by_hand`, the settings of `fieldcraft play NAME --by-hand`.
    """

    @property
    def space(self) -> Any:
        """The map."""

    @property
    def rate(self) -> int:
        """Steps a second at normal speed."""

    def start(self, rng: np.random.Generator) -> Any:
        """Return the first state."""

    def step(self, state: Any, orders: Sequence[Any], rng: np.random.Generator) -> Any:
        """Return the next state; `state` does not change. Raises a `FieldcraftError` for impossible
        orders.
        """

    def orders(self, state: Any, inputs: InputFrame) -> tuple[Any, ...]:
        """Return the orders of the player's inputs for the next step: frozen dataclasses out of
        `Game.kinds`. Impossible ones are dropped, and the player sees why.
        """

    def scene(self, state: Any, overlays: frozenset[str]) -> Scene:
        """Return the scene of a state, with the overlays of these names."""

    def result(self, state: Any) -> str | None:
        """Return how it ended, in a few words; None before the end."""


class Game(Protocol):
    """A set of rules; `fieldcraft play NAME` finds it in `fieldcraft_worlds.library`."""

    @property
    def name(self) -> str:
        """One word, as on the command line and in saves."""

    @property
    def version(self) -> int:
        """The version of states; raise it when old saves can no longer be loaded."""

    @property
    def title(self) -> str:
        """A few words for the window's title and for help."""

    @property
    def goal(self) -> str:
        """The goal of a player, or of a spectator, in one line."""

    @property
    def overlays(self) -> tuple[Overlay, ...]:
        """The overlays that keys show and hide, in the order of the legend."""

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions of a player, in the order of the help page; empty for a game to watch."""

    @property
    def settings(self) -> type:
        """A frozen dataclass with defaults, which raises for values out of range."""

    @property
    def kinds(self) -> tuple[type, ...]:
        """The frozen dataclasses of states and orders, nested ones included, for saves."""

    def default_map(self) -> Any:
        """Return the default map; None if `open` makes one from the settings."""

    def open(self, space: Any, settings: Any) -> World:
        """Return the game on a map; raises a `FieldcraftError` for a map that does not fit."""


class MeasuredGame(Game, Protocol):
    """A game with numbers to optimize, for `python -m research tune`."""

    @property
    def objectives(self) -> Mapping[str, int]:
        """The objectives by name: 1 for more is better, -1 for less; the default first."""

    def measured(self, world: Any, state: Any) -> Mapping[str, float]:
        """Return a number for each objective from the last state of a match."""
