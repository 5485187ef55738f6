"""A tiny game for tests of the frame: dots wander, a click puts a beacon that draws them, and it is
over when enough have come.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid, generate_map
from fieldcraft.base.errors import InvalidValue
from fieldcraft_worlds.games.game import Action, InputFrame, Overlay
from fieldcraft_worlds.scene import Areas, Arrows, Cones, Fact, Field, Label, Lines, Marks, Scene


@dataclass(frozen=True)
class Stride:
    length: float = 0.3
    wobble: float = 0.5


@dataclass(frozen=True)
class Settings:
    dots: int = 30
    rate: int = 20
    goal: int = 1000
    stride: Stride = Stride()

    def __post_init__(self) -> None:
        if self.dots < 1:
            raise InvalidValue("There is a dot", got=f"dots={self.dots}", remedy="Pass 1 or more")


@dataclass(frozen=True)
class Beacon:
    x: float
    y: float


@dataclass(frozen=True, eq=False)
class State:
    step: int
    positions: NDArray[np.float64]
    headings: NDArray[np.float64]
    trail: NDArray[np.float32]
    beacon: tuple[float, float] | None
    came: int


class WanderingWorld:
    def __init__(self, space: Grid, settings: Settings) -> None:
        self.space = space
        self.settings = settings
        self.rate = settings.rate

    def start(self, rng: np.random.Generator) -> State:
        cells = rng.choice(np.flatnonzero(~self.space.walls.ravel()), size=self.settings.dots)
        return State(
            0,
            self.space.position_of(cells),
            rng.uniform(0, 2 * np.pi, len(cells)),
            np.zeros(self.space.shape, np.float32),
            None,
            0,
        )

    def step(self, state: State, orders: Sequence[Beacon], rng: np.random.Generator) -> State:
        beacon = state.beacon
        headings = state.headings + rng.normal(0, self.settings.stride.wobble, len(state.headings))
        for order in orders:
            if self.space.walls.flat[self.space.cell_at((order.x, order.y))]:
                raise InvalidValue(
                    "A beacon stands on open ground",
                    got=f"({order.x:g}, {order.y:g})",
                    remedy="Put it elsewhere",
                )
            beacon = (order.x, order.y)
        if beacon is not None:
            gap = np.array(beacon) - state.positions
            headings = np.arctan2(gap[:, 1], gap[:, 0]) + rng.normal(0, 0.3, len(headings))
        ahead = state.positions + self.settings.stride.length * np.stack(
            [np.cos(headings), np.sin(headings)], axis=1
        )
        walled = self.space.walls.flat[self.space.cell_at(ahead, outside="clamp")]
        positions = np.where(walled[:, None], state.positions, ahead)
        headings = np.where(walled, headings + np.pi, headings)
        trail = state.trail * np.float32(0.98)
        np.add.at(trail.reshape(-1), self.space.cell_at(positions, outside="clamp"), np.float32(1))
        near = 0 if beacon is None else int((np.hypot(*(positions - beacon).T) < 2).sum())
        return State(state.step + 1, positions, headings, trail, beacon, max(state.came, near))

    def orders(self, state: State, inputs: InputFrame) -> tuple[Beacon, ...]:
        asked = [
            Beacon(*s.position)
            for s in inputs.events
            if s.action == "beacon" and s.phase == "press" and s.position is not None
        ]
        if inputs.pressed("home") and inputs.chosen["home"] == "middle":
            asked.append(
                Beacon(*(np.array(self.space.origin) + np.array(self.space.size) / 2).tolist())
            )
        return tuple(asked)

    def scene(self, state: State, overlays: frozenset[str]) -> Scene:
        ahead = np.stack([np.cos(state.headings), np.sin(state.headings)], axis=1)
        teams = np.arange(len(state.positions)) % 3
        cells = np.arange(len(self.space)).reshape(self.space.shape)
        steps = np.stack([state.positions, state.positions + 2 * ahead], axis=1)
        field = None
        if "trail" in overlays:
            field = Field(state.trail, "where they were", (0.0, 6.0))
        if "checks" in overlays:
            field = Field(np.where(cells % 2, 1.0, -1.0), "a pattern", (-2.0, 2.0))
        beacon = (
            ()
            if state.beacon is None
            else (Marks(np.array([state.beacon]), "diamond", 2.0, "goal", label="beacon"),)
        )
        return Scene(
            space=self.space,
            title="wandering dots",
            field=field,
            areas=(Areas(cells % 7 == 0, ("good",), label="sevenths"),)
            if "areas" in overlays
            else (),
            cones=(Cones(state.positions[:6], ahead[:6], 6.0, 57.0, teams[:6]),)
            if "cones" in overlays
            else (),
            lines=(Lines(steps, "path", label="next"),) if "lines" in overlays else (),
            arrows=(Arrows(state.positions, 2 * ahead),) if "arrows" in overlays else (),
            marks=(
                Marks(
                    state.positions, "disc", 1.1, teams, ahead, health=np.linspace(0, 1, len(teams))
                ),
                *beacon,
            ),
            labels=(
                Label((float(self.space.origin[0] + 5), float(self.space.origin[1] + 5)), "corner"),
            ),
            facts=(Fact("dots", str(len(state.positions)), 0), Fact("came", str(state.came))),
            headline=self.result(state) or "",
        )

    def result(self, state: State) -> str | None:
        return f"{state.came} came" if state.came >= self.settings.goal else None


@dataclass(frozen=True)
class WanderingGame:
    name: str = "wandering"
    version: int = 1
    title: str = "Wandering dots"
    goal: str = "Watch dots wander."
    overlays: tuple[Overlay, ...] = (
        Overlay("trail", "1", "where they were", group="field", shown=True),
        Overlay("checks", "2", "a pattern", group="field"),
        Overlay("areas", "3", "every seventh cell"),
        Overlay("cones", "4", "what some see"),
        Overlay("lines", "5", "where they go"),
        Overlay("arrows", "6", "the same as arrows"),
    )
    actions: tuple[Action, ...] = (
        Action("beacon", "put a beacon", ("mouse left",)),
        Action("home", "put it in the middle", ("key g",)),
        Action("anywhere", "g does nothing", ("key n",), "home"),
        Action("middle", "g puts it in the middle", ("key m",), "home"),
    )
    settings: type = Settings
    kinds: tuple[type, ...] = (State, Beacon)

    def default_map(self) -> Grid:
        return generate_map("cave", 60, 40, seed=3)

    def open(self, space: Any, settings: Settings) -> WanderingWorld:
        return WanderingWorld(space, settings)


GAME = WanderingGame()


def another_version() -> WanderingGame:
    return replace(GAME, version=2)
