"""Games and worlds made of parts: settings, a derived state, rules and scenes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from fieldcraft_worlds.games.game import Action, InputFrame, Overlay
from fieldcraft_worlds.games.slider import Slider
from fieldcraft_worlds.games.states import check_state
from fieldcraft_worlds.scene import Scene

MOST_AMOUNT = 2.0**20
"""The most that a cell of a trail may hold."""


def _measure_nothing(world: Any, state: Any) -> Mapping[str, float]:
    """Return no numbers, for games without objectives."""
    return {}


@dataclass(frozen=True)
class GameOfParts:
    """A game by its parts; see `Game` and `MeasuredGame` for their meaning."""

    name: str
    title: str
    goal: str
    settings: type
    kinds: tuple[type, ...]
    default_map: Callable[..., Any]
    open: Callable[..., Any]
    overlays: tuple[Overlay, ...]
    actions: tuple[Action, ...]
    sliders: tuple[Slider, ...] = ()
    by_hand: Mapping[str, object] = field(default_factory=dict)
    objectives: Mapping[str, int] = field(default_factory=dict)
    measured: Callable[..., Mapping[str, float]] = _measure_nothing
    version: int = 1


class DerivedWorld:
    """A game on one map. `rules` and `scenes` are modules whose functions take its `derived`:
    `start`, `step` and `scene_of`.
    """

    rules: Any
    scenes: Any

    def __init__(self, space: Any, derived: Any) -> None:
        self.space = space
        self.derived = derived

    @property
    def rate(self) -> int:
        """Steps a second."""
        return int(self.derived.settings.rate)

    def start(self, rng: np.random.Generator) -> Any:
        """Return the first state; raises `InvalidValue` on a map that is too small."""
        return self.rules.start(self.derived, rng)

    def step(self, state: Any, orders: Sequence[Any], rng: np.random.Generator) -> Any:
        """Return the next state; raises a `FieldcraftError` for an impossible order."""
        return self.rules.step(self.derived, state, orders, rng)

    @property
    def sizes(self) -> dict[str, int]:
        """The sizes that the declarations of the state name; see `Contents`."""
        return {}

    def check(self, state: Any) -> None:
        """Raise a `FieldcraftError` for a state that the world cannot continue from."""
        check_state(state, self.space, **self.sizes)

    def orders(self, state: Any, inputs: InputFrame) -> tuple[Any, ...]:
        """Return the orders of a player: by default none."""
        return ()

    def scene(self, state: Any, overlays: frozenset[str]) -> Scene:
        """Return the scene of a state."""
        scene: Scene = self.scenes.scene_of(self.derived, state, overlays)
        return scene

    def result(self, state: Any) -> str | None:
        """Return how it ended, None before the end: by default always."""
        return None


class TunedWorld(DerivedWorld):
    """A world whose states have a `tuning`, a dataclass of numbers with sliders."""

    def tuned(self, state: Any) -> Mapping[str, float]:
        """Return the value of each slider."""
        return {name: float(value) for name, value in asdict(state.tuning).items()}


class PaintedWorld(TunedWorld):
    """A world in which a player paints with a `brush`, one of the numbers of its tuning."""

    def brush(self, state: Any) -> float:
        """Return the radius of the brush, world units."""
        return float(state.tuning.brush * self.space.cell_size)
