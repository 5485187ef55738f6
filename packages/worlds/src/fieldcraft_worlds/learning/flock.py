"""The flock as a lesson: a predator that hunts birds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid, checks
from fieldcraft_worlds.games.flock import rules
from fieldcraft_worlds.games.flock.derived import FlockDerived
from fieldcraft_worlds.games.flock.orders import Scare
from fieldcraft_worlds.games.flock.plugin import GAME, FlockWorld
from fieldcraft_worlds.games.flock.settings import Settings
from fieldcraft_worlds.games.flock.state import State
from fieldcraft_worlds.games.game import shown_first
from fieldcraft_worlds.games.walking import away
from fieldcraft_worlds.learning.lesson import WAYS
from fieldcraft_worlds.learning.windows import windows
from fieldcraft_worlds.scene import Scene

__all__ = ["LESSON", "FlockLesson"]

PREDATOR = "predator"
_PLANES = 4
_REACH = 1.5  # cells
_FASTER = 1.3  # than birds
_SWARM = 4.0  # birds in a cell that count as many


class FlockLesson:
    """The flock: the one agent is the "predator", which flies over walls, a little faster than
    birds.

    It chooses a way (9) and sees, around it: walls, birds, and the x and y of their mean heading.
    0.1 for each bird within 1.5 cells.

    Parameters
    ----------
    space : Grid, optional
        A grid; the game's own sky if None.
    settings : Settings, optional
        Of the flock; 400 birds if None.
    every : int, optional
        Steps of the game for one of the lesson.
    radius : int, optional
        Of the window, in cells.
    """

    agents = (PREDATOR,)

    def __init__(
        self,
        space: Grid | None = None,
        settings: Settings | None = None,
        *,
        every: int = 3,
        radius: int = 10,
    ) -> None:
        sky = GAME.default_map() if space is None else space
        self.world = FlockWorld(sky, Settings(birds=400) if settings is None else settings)
        self.derived: FlockDerived = self.world.derived
        self.every, self.radius = (
            checks.whole("every", every, minimum=1),
            checks.whole("radius", radius, minimum=1, maximum=100),
        )

    def choices(self, agent: str) -> tuple[int, ...]:
        """The way."""
        return (len(WAYS),)

    def shape(self, agent: str) -> tuple[int, int, int]:
        """Four planes around the predator."""
        return _PLANES, 2 * self.radius + 1, 2 * self.radius + 1

    def start(self, rng: np.random.Generator) -> State:
        """The first state, with a predator anywhere."""
        state = rules.start(self.derived, rng)
        x, y = self.derived.grid.position_of(int(rng.integers(len(self.derived.grid)))).tolist()
        return replace(state, predator=(x, y))

    def step(
        self, state: State, told: Mapping[str, NDArray[np.int64]], rng: np.random.Generator
    ) -> State:
        """Some steps of the game."""
        grid, settings = self.derived.grid, self.derived.settings
        far = _FASTER * settings.speed * grid.cell_size / settings.rate
        way = WAYS[int(told[PREDATOR][0])] if PREDATOR in told else WAYS[0]
        low, size = np.array(grid.origin), np.array(grid.size)
        for _ in range(self.every):
            at = np.array(state.predator) + far * way - low
            at = at % size if grid.wrap else np.clip(at, 0, size * (1 - 1e-9))
            x, y = (low + at).tolist()
            state = rules.step(self.derived, state, (Scare((x, y)),), rng)
        return state

    def seen(self, state: State, agents: tuple[str, ...]) -> dict[str, NDArray[np.float32]]:
        """The window around the predator."""
        grid = self.derived.grid
        birds = self.derived.swarm(state)
        cells, headings = birds.cells, birds.headings
        count = np.bincount(cells, minlength=len(grid))
        heading = [
            np.bincount(cells, weights=headings[:, axis], minlength=len(grid))
            / np.maximum(count, 1)
            for axis in (0, 1)
        ]
        planes = np.stack(
            [state.walls.reshape(-1), np.minimum(count / _SWARM, 1), *heading]
        ).reshape(_PLANES, *grid.shape)
        here = np.atleast_1d(grid.cell_at(np.array(state.predator)))
        cut = windows(
            grid, np.clip(planes, -1, 1).astype(np.float32), here, self.radius, (1.0, 0.0, 0.0, 0.0)
        )
        return dict.fromkeys(agents, cut[0])

    def rewards(self, before: State, after: State) -> dict[str, float]:
        """Birds within reach."""
        gaps = away(
            self.derived.grid, np.array(after.predator), self.derived.swarm(after).positions
        )
        near = np.hypot(gaps[:, 0], gaps[:, 1]) <= _REACH * self.derived.grid.cell_size
        return {PREDATOR: 0.1 * int(np.count_nonzero(near))}

    def fallen(self, state: State) -> frozenset[str]:
        """Nobody: a flock has no end."""
        return frozenset()

    def is_out_of_time(self, state: State) -> bool:
        """Never."""
        return False

    def scene(self, state: State) -> Scene:
        """The scene of a state."""
        return self.world.scene(state, SHOWN)


SHOWN = shown_first(GAME.overlays)
LESSON = FlockLesson
