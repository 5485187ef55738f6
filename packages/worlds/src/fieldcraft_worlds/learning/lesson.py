"""Lessons: what there is to learn in a game, without any library of environments."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fieldcraft.errors import UnknownName
from fieldcraft_worlds.scene import Scene

__all__ = ["LESSONS", "WAYS", "Lesson", "ahead_of", "lesson_of"]

WAYS: NDArray[np.float64] = np.array(
    [(0, 0), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)], dtype=np.float64
)
WAYS[1:] /= np.hypot(WAYS[1:, 0], WAYS[1:, 1])[:, None]
"""The direction of each of nine steps, (9, 2), unit vectors in world axes: stay, and eight ways
round, as in `fieldcraft_worlds.learning.Pursuits`.
"""

LESSONS = ("chase", "tether", "towers")
"""The games to learn in."""


class Lesson(Protocol):
    """A game as its learners meet it: who acts, by which choices, what each sees, and what is good.

    A lesson keeps nothing from step to step: states go in and come out.
    """

    @property
    def agents(self) -> tuple[str, ...]:
        """Everybody who can be led."""

    def choices(self, agent: str) -> tuple[int, ...]:
        """Of how many things an agent chooses one, for each of its choices."""

    def shape(self, agent: str) -> tuple[int, int, int]:
        """The shape of what an agent sees: (planes, rows, columns)."""

    def start(self, rng: np.random.Generator) -> Any:
        """The first state."""

    def step(
        self, state: Any, told: Mapping[str, NDArray[np.int64]], rng: np.random.Generator
    ) -> Any:
        """The state after the next choices of those who are led; programs lead the others."""

    def seen(self, state: Any, agents: tuple[str, ...]) -> dict[str, NDArray[np.float32]]:
        """The planes that agents see: float32 from -1 to 1."""

    def rewards(self, before: Any, after: Any) -> dict[str, float]:
        """The worth of a step for each agent."""

    def fallen(self, state: Any) -> frozenset[str]:
        """The agents for whom it is over, all of them at the end of the game."""

    def is_out_of_time(self, state: Any) -> bool:
        """Whether time alone has ended it."""

    def scene(self, state: Any) -> Scene:
        """The scene of a state."""


def lesson_of(name: str, **options: Any) -> Lesson:
    """The lesson of a game by its name; `options` are those of its class, `Lesson` in
    `fieldcraft_worlds.learning.NAME`.
    """
    if name not in LESSONS:
        raise UnknownName("lesson", name, LESSONS)
    made: Lesson = importlib.import_module(f"fieldcraft_worlds.learning.{name}").LESSON(**options)
    return made


def ahead_of(
    space: Any, positions: NDArray[np.float64], ways: NDArray[np.float64], far: float
) -> NDArray[np.int64]:
    """The open cells nearest to positions (N, 2) moved `far` world units along directions (N, 2):
    (N,).
    """
    return np.atleast_1d(
        space.nearest_open(space.cell_at(positions + far * ways, outside="clamp"))
    ).astype(np.int64)
