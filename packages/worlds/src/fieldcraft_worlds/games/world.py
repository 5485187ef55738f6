"""Worlds whose rules and scenes are functions of a derived, the layers and ways that follow from a
state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Protocol

import numpy as np

from fieldcraft_worlds.games.game import InputFrame
from fieldcraft_worlds.games.states import check_state
from fieldcraft_worlds.scene import Scene

__all__ = [
    "MOST_AMOUNT",
    "DerivedWorld",
    "Rules",
    "TunedWorld",
    "Views",
]

MOST_AMOUNT = 2.0**20
"""The most that may be left in a cell of a trail."""


class Rules(Protocol):
    """The module of a game's rules."""

    @property
    def start(self) -> Callable[[Any, np.random.Generator], Any]:
        """The first state, of a derived and rng."""

    @property
    def step(self) -> Callable[[Any, Any, Sequence[Any], np.random.Generator], Any]:
        """The next state, of a derived, a state, orders and rng."""


class Views(Protocol):
    """The module of a game's scenes."""

    @property
    def seen(self) -> Callable[..., Scene]:
        """The scene, of a derived, a state and the names of overlays."""


class DerivedWorld:
    """A game on one map: `rules` and `views` are its modules, which it calls with its `derived`."""

    rules: Rules
    views: Views

    def __init__(self, space: Any, derived: Any) -> None:
        self.space = space
        self.derived = derived

    @property
    def rate(self) -> int:
        """Steps a second."""
        return int(self.derived.settings.rate)

    def start(self, rng: np.random.Generator) -> Any:
        """The first state; raises `InvalidValue` where the map has no room for what the game begins
        with.
        """
        return self.rules.start(self.derived, rng)

    def step(self, state: Any, orders: Sequence[Any], rng: np.random.Generator) -> Any:
        """The next state, by the rules; raises a `FieldcraftError` for an order that cannot be
        followed.
        """
        return self.rules.step(self.derived, state, orders, rng)

    @property
    def sizes(self) -> dict[str, int]:
        """The sizes that the declarations of the state name; see `Holds`."""
        return {}

    def check(self, state: Any) -> None:
        """Raise a `FieldcraftError` for a state that the world cannot continue from."""
        check_state(state, self.space, **self.sizes)

    def orders(self, state: Any, inputs: InputFrame) -> tuple[Any, ...]:
        """Return the orders of a player: none, unless a game has some."""
        return ()

    def scene(self, state: Any, overlays: frozenset[str]) -> Scene:
        """The scene of a state."""
        return self.views.seen(self.derived, state, overlays)

    def result(self, state: Any) -> str | None:
        """How it ended: never, unless a game says so."""
        return None


class TunedWorld(DerivedWorld):
    """A world whose states have a `tuning`, a dataclass of numbers, led by sliders and painted with
    a `brush`.
    """

    def tuned(self, state: Any) -> Mapping[str, float]:
        """Where each slider stands."""
        return {name: float(value) for name, value in asdict(state.tuning).items()}

    def brush(self, state: Any) -> float:
        """The radius of the brush, world units."""
        return float(state.tuning.brush * self.space.cell_size)
