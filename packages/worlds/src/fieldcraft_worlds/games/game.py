"""The game as the frame knows it: rules without a window, a clock or a file.

A game is played by numbers: its *state* holds everything that changes, a frozen dataclass that a
step never touches but answers with another; *orders* are data; random numbers come from a
`numpy.random.Generator` that is passed in. So one seed is one match, bit for bit, and a match is
replayed from its orders.
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
    """Something that a key shows or hides.

    Overlays of one `group` exclude each other, as the fields of values do: there is one at a time.
    `shown` says whether it is there at the start.
    """

    name: str
    key: str
    text: str
    group: str = ""
    shown: bool = False


def shown_first(overlays: Iterable[Overlay]) -> frozenset[str]:
    """The names of the overlays that are there at the start."""
    return frozenset(overlay.name for overlay in overlays if overlay.shown)


@dataclass(frozen=True)
class Action:
    """Something that a player can do, and the inputs that do it unless settings say otherwise.

    Inputs are names: "key w", "key up", "key left shift", "mouse left", "mouse right", "pad a",
    "pad left stick up"; "pad 2 a" is that of the second gamepad only;
    `fieldcraft_worlds.play.bindings` has all names of gamepads. Actions of one `group` are choices:
    pressing one chooses it until another of the group is pressed; the first is chosen at the start.
    With `takes_over` a person plays from then on in place of a program.
    """

    name: str
    text: str
    inputs: tuple[str, ...]
    group: str = ""
    takes_over: bool = False


@dataclass(frozen=True)
class InputEvent:
    """One action at one step: it begins ("press"), goes on ("hold") or ends ("release").

    `position` is where the pointer is in the world, and `start` where it was at the press; None
    where there is no pointer or it is beside the map. `amount` is how far, 0 to 1: a stick may be
    half way. `stroke` is where the pointer went since the last
    event of the same press: that signal's position first, `position` last, empty where there is
    none; for brushes, see `fieldcraft_worlds.games.painting`.
    """

    action: str
    phase: Literal["press", "hold", "release"] = "press"
    position: tuple[float, float] | None = None
    start: tuple[float, float] | None = None
    amount: float = 1.0
    stroke: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class InputFrame:
    """All that the player does at one step.

    Signals in the order in which they came, where the pointer is, what is chosen by group, and the
    sliders that were moved since the last step, by name, with their new values.
    """

    events: tuple[InputEvent, ...] = ()
    pointer: tuple[float, float] | None = None
    chosen: Mapping[str, str] = field(default_factory=dict)
    sliders: Mapping[str, float] = field(default_factory=dict)

    def held(self, action: str) -> float:
        """How far an action is held at this step, 0 if it is not."""
        return max(
            (s.amount for s in self.events if s.action == action and s.phase != "release"),
            default=0.0,
        )

    def pressed(self, action: str) -> bool:
        """Whether an action began at this step."""
        return any(s.action == action and s.phase == "press" for s in self.events)

    def direction(
        self,
        left: str = "left",
        right: str = "right",
        up: str = "up",
        down: str = "down",
        *,
        y_up: bool = False,
    ) -> tuple[float, float]:
        """Where four actions that are held point to, see `moves`: (x, y) in the world's directions,
        no longer than 1, (0, 0) for nowhere.

        `up` is up on the screen, which is less y unless the map has `y_up`.
        """
        x, y = self.held(right) - self.held(left), self.held(down) - self.held(up)
        far = max(math.hypot(x, y), 1.0)
        return x / far, (-y if y_up else y) / far


def moves(text: str = "go") -> tuple[Action, Action, Action, Action]:
    """Four actions, "left", "right", "up" and "down", for `InputFrame.direction`: wasd, the arrows,
    a gamepad's cross and its left stick.
    """
    keys = {"left": "a", "right": "d", "up": "w", "down": "s"}

    def action(way: str) -> Action:
        return Action(
            way,
            f"{text} {way}",
            (f"key {keys[way]}", f"key {way}", f"pad {way}", f"pad left stick {way}"),
        )

    return action("left"), action("right"), action("up"), action("down")


class World(Protocol):
    """A game on one map with one set of settings. It may keep what follows from a state (layers,
    ways) to be fast, never more: the same state, orders and rng give the same answer, whatever was
    asked before.

    A world may also have `checked(state)`, which returns the state of a save if the world can
    continue from it and raises a `FieldcraftError` otherwise; `begins(state)`, the name of the
    action that the pause key does while the world waits for the player, or None; `brush(state)`,
    the radius of the brush in world units, whose outline is drawn around the pointer; and
    `tuned(state)`, the value of each slider by name. A game may have `sliders`, a tuple of
    `Slider`, whose moves arrive as `InputFrame.sliders`, and `by_hand`, the settings that
    `fieldcraft play NAME --by-hand` takes.
    """

    @property
    def space(self) -> Any:
        """The map that it was opened on."""

    @property
    def rate(self) -> int:
        """Steps a second at normal speed."""

    def start(self, rng: np.random.Generator) -> Any:
        """The first state."""

    def step(self, state: Any, orders: Sequence[Any], rng: np.random.Generator) -> Any:
        """The next state; `state` itself stays as it was. Refuses orders that cannot be followed
        with a `FieldcraftError`.
        """

    def orders(self, state: Any, inputs: InputFrame) -> tuple[Any, ...]:
        """The orders that the player's inputs mean at this state: for the next step, frozen
        dataclasses out of `Game.kinds`.

        Those that cannot be followed the frame drops with a word to the player.
        """

    def scene(self, state: Any, overlays: frozenset[str]) -> Scene:
        """The scene of a state, with the overlays of these names."""

    def result(self, state: Any) -> str | None:
        """How it ended, in a few words; None while it goes on. A game without an end answers None
        for ever.
        """


class Game(Protocol):
    """A set of rules that `fieldcraft play NAME` finds by its name in
    `fieldcraft_worlds.library`.
    """

    @property
    def name(self) -> str:
        """One word, as on the command line; saves say it."""

    @property
    def version(self) -> int:
        """The number of the layout of states; raise it when old saves can no longer go on."""

    @property
    def title(self) -> str:
        """A few words for the window's title and for help."""

    @property
    def goal(self) -> str:
        """What a player wants, or what there is to watch, in one line."""

    @property
    def overlays(self) -> tuple[Overlay, ...]:
        """The overlays that keys show and hide, in the order of the legend."""

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions of a player, in the order of the help page; empty for a game to watch."""

    @property
    def settings(self) -> type:
        """A frozen dataclass whose fields all have defaults, and which refuses what is out of
        range.
        """

    @property
    def kinds(self) -> tuple[type, ...]:
        """The frozen dataclasses that states and orders are made of, nested ones included; what is
        saved is made of these.
        """

    def default_map(self) -> Any:
        """The map that is played on where none is given; always the same. None: `open` makes one
        from the settings.
        """

    def open(self, space: Any, settings: Any) -> World:
        """The game on that map; raises a `FieldcraftError` for a map that it cannot be played
        on.
        """


class MeasuredGame(Game, Protocol):
    """A game that counts how well it goes when it plays by itself: `research tune` looks for
    settings by that.
    """

    @property
    def objectives(self) -> Mapping[str, int]:
        """The numbers that may be sought, by name: 1 for the more the better, -1 for the less; the
        first is sought by default.
        """

    def measured(self, world: Any, state: Any) -> Mapping[str, float]:
        """A number for each objective, of the last state of a match; the same state, the same."""
