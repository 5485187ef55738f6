"""Random operations as lines of Python: how they are registered, and what they are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import fieldcraft as fc
from fieldcraft.space import Space
from support.any_order.scripts import World

Dice = np.random.Generator

COSTS = [1.0, 1.0, 1.0, 1.5, 2.0, 3.0, 20.0, 300.0, 1e6, float("inf")]
"""Costs of cells: many equal ones, and a few that are far greater."""
AMOUNTS = [-3.0, -1.0, -0.5, 0.25, 1.0, 2.0, 5.5, 8.0]
SECONDS = [0.0, 0.05, 0.1, 0.25, 0.35, 0.7, 1.3]


class EndOfScript(Exception):
    """The last line of a script fails."""


@dataclass
class Scene:
    """A script while it is written, with the plain world after its lines so far."""

    dice: Dice
    lines: list[str] = field(default_factory=list)
    world: World = field(default_factory=World)
    bound: bool = False
    """Whether an object with a state of its own follows a layer: the map is not replaced then."""
    budget: bool = True
    """Whether layers do not depend on each other, so that budgets change nothing."""

    @property
    def space(self) -> Space:
        found: Space = self.world.names["space"]
        return found

    def add(self, line: str) -> Any:
        """Add a line, and run it in the plain world; return its result.

        Raises `EndOfScript` for an error that no caller of the library should see: running the
        script finds it again.
        """
        self.lines.append(line)
        try:
            return self.world.run(line)
        except Exception as error:
            raise EndOfScript(line) from error

    def get(self, name: str) -> Any:
        """Return an object of the plain world, or None."""
        return self.world.names.get(name)

    def named(self, *kinds: type) -> list[str]:
        """Return the names of the objects of some classes."""
        return [name for name, each in self.world.names.items() if isinstance(each, kinds)]

    # Literals

    def chance(self, share: float) -> bool:
        """Return True with a probability."""
        return bool(self.dice.random() < share)

    def one_of(self, choices: Any) -> Any:
        """Return one of some choices."""
        return choices[int(self.dice.integers(len(choices)))]

    def open_cells(self) -> np.ndarray:
        """Return the cells that are no walls."""
        return np.flatnonzero(~self.space.walls.reshape(-1))

    def cell(self) -> int:
        """Return a cell, an open one mostly."""
        opened = self.open_cells()
        if len(opened) and self.chance(0.9):
            return int(self.one_of(opened))
        return int(self.dice.integers(len(self.space)))

    def cells(self, most: int = 4) -> list[int]:
        """Return a few different cells."""
        count = int(self.dice.integers(1, most + 1))
        return sorted({self.cell() for _ in range(count)})

    def place(self) -> list[float]:
        """Return a position, in an open cell mostly."""
        center = self.space.position_of(self.cell())
        if self.chance(0.5):
            center = center + self.dice.uniform(-0.2, 0.2, len(center))
        return [round(float(each), 3) for each in center]

    def places(self, most: int = 4) -> list[list[float]]:
        """Return a few positions."""
        return [self.place() for _ in range(int(self.dice.integers(1, most + 1)))]

    def amount(self, *, negative: bool = True) -> float:
        """Return a strength or an amount."""
        found = float(self.one_of(AMOUNTS))
        return found if negative else abs(found)

    def amounts(self, count: int, *, negative: bool = True) -> list[float]:
        """Return strengths or amounts."""
        return [self.amount(negative=negative) for _ in range(count)]

    def array(self, choices: Any) -> str:
        """Return the code of an array in the space's shape, with numbers of these."""
        numbers = self.dice.choice(choices, self.space.shape).tolist()
        return f"np.array({numbers})".replace("inf", "np.inf")

    def over_heights(self, *more: str) -> str:
        """Return keywords of heights for sight, and others for calls with heights alone; nothing
        where sight does not run over squares.
        """
        if self.space.sight_grid is None:
            return ""
        ground = self.array([0.0, 0.5, 1.0, 2.5])
        return "".join(f", {each}" for each in (*more, f"heights={ground}", "eye=0.5"))

    def on_wall(self, *, through: bool = True) -> str:
        """Return a keyword about positions in walls."""
        words = ["refuse", "nearest", "nearest", "through" if through else "nearest"]
        return f"on_wall={self.one_of(words)!r}"


Draw = Callable[[Scene, str], str | None]


@dataclass(frozen=True)
class Operation:
    """A random call on an object of a class: `draw` returns it as a line, or None."""

    draw: Draw
    kind: type
    uses: tuple[str, ...]
    """The methods and properties that it calls."""
    weight: float


OPERATIONS: list[Operation] = []
PEEKS: list[Operation] = []


def operation(kind: type, *uses: str, weight: float = 1.0) -> Callable[[Draw], Draw]:
    """Decorate a function that draws a call which may change an object of a class."""

    def register(draw: Draw) -> Draw:
        OPERATIONS.append(Operation(draw, kind, uses, weight))
        return draw

    return register


def peek(kind: type, *uses: str) -> Callable[[Draw], Draw]:
    """Decorate a function that draws an expression which changes nothing."""

    def register(draw: Draw) -> Draw:
        PEEKS.append(Operation(draw, kind, uses, 1.0))
        return draw

    return register


def drawn(scene: Scene, registered: list[Operation]) -> str | None:
    """Return a random call on a random object."""
    pairs = []
    for name, each in scene.world.names.items():
        found = [one for one in registered if isinstance(each, one.kind)]
        if found:
            pairs.append((name, found))
    name, found = scene.one_of(pairs)
    weights = np.array([one.weight for one in found])
    chosen = found[int(scene.dice.choice(len(found), p=weights / weights.sum()))]
    return chosen.draw(scene, name)


def is_layer(each: Any) -> bool:
    """Whether an object is a layer with cells of the common size."""
    return isinstance(each, fc.Layer)
