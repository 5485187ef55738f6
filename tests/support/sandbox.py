"""A tiny game for tests of brushes and sliders: a walker with a paintbrush on a field whose color
fades.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid
from fieldcraft_worlds.games.game import Action, InputFrame, Overlay, Slider, moves
from fieldcraft_worlds.games.painting import brushed
from fieldcraft_worlds.scene import Field, Marks, Scene


@dataclass(frozen=True)
class Settings:
    keep: float = 0.99
    radius: float = 1.5


@dataclass(frozen=True)
class Paint:
    color: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Walk:
    x: float
    y: float


@dataclass(frozen=True)
class Tune:
    name: str
    value: float


@dataclass(frozen=True, eq=False)
class State:
    paint: NDArray[np.float64]
    walker: tuple[float, float]
    keep: float
    radius: float


class SandboxWorld:
    rate = 20

    def __init__(self, space: Grid, settings: Settings) -> None:
        self.space = space
        self.settings = settings

    def start(self, rng: np.random.Generator) -> State:
        return State(
            np.zeros(self.space.shape),
            (self.space.width / 2, self.space.height / 2),
            self.settings.keep,
            self.settings.radius,
        )

    def step(self, state: State, orders: Sequence[Any], rng: np.random.Generator) -> State:
        paint = state.paint * state.keep
        for order in orders:
            if isinstance(order, Tune):
                state = replace(state, **{order.name: order.value})
            elif isinstance(order, Walk):
                state = replace(
                    state, walker=(state.walker[0] + order.x, state.walker[1] + order.y)
                )
            else:
                paint.flat[brushed(self.space, order.points, state.radius)] = {
                    "red": 1.0,
                    "blue": -1.0,
                }[order.color]
        return replace(state, paint=paint)

    def orders(self, state: State, inputs: InputFrame) -> tuple[Any, ...]:
        asked: list[Any] = [Tune(name, value) for name, value in inputs.sliders.items()]
        asked += [
            Paint(inputs.chosen["color"], s.stroke)
            for s in inputs.events
            if s.action == "paint" and s.stroke
        ]
        direction = inputs.direction(y_up=self.space.y_up)
        if direction != (0.0, 0.0):
            asked.append(Walk(*direction))
        return tuple(asked)

    def brush(self, state: State) -> float:
        return state.radius

    def tuned(self, state: State) -> Mapping[str, float]:
        return {"keep": state.keep, "radius": state.radius}

    def scene(self, state: State, overlays: frozenset[str]) -> Scene:
        return Scene(
            self.space,
            "sandbox",
            Field(state.paint, "paint", (-1.0, 1.0)) if "paint" in overlays else None,
            marks=(Marks(np.array([state.walker]), "disc", 2.0),),
        )

    def result(self, state: State) -> str | None:
        return None


@dataclass(frozen=True)
class Sandbox:
    name: str = "sandbox"
    version: int = 1
    title: str = "A sandbox"
    goal: str = "Paint the field"
    overlays: tuple[Overlay, ...] = (Overlay("paint", "1", "what was painted", shown=True),)
    actions: tuple[Action, ...] = (
        *moves("walk"),
        Action("paint", "paint", ("mouse left",)),
        Action("red", "paint red", ("key q",), "color"),
        Action("blue", "paint blue", ("key e",), "color"),
    )
    sliders: tuple[Slider, ...] = (
        Slider("keep", "how much stays", 0.5, 1.0),
        Slider("radius", "width of the brush", 0.5, 8.0, step=0.5),
    )
    settings: type = Settings
    kinds: tuple[type, ...] = (State, Paint, Walk, Tune)

    def default_map(self) -> Grid:
        return Grid(60, 40)

    def open(self, space: Any, settings: Settings) -> SandboxWorld:
        return SandboxWorld(space, settings)


GAME = Sandbox()
