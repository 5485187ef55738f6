"""The ants as a lesson: a keeper who tunes a colony and digs its walls."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid, checks
from fieldcraft_worlds.games.ants import rules
from fieldcraft_worlds.games.ants.derived import AntsDerived
from fieldcraft_worlds.games.ants.orders import Order, Paint, Tune
from fieldcraft_worlds.games.ants.plugin import GAME, AntWorld, meadow
from fieldcraft_worlds.games.ants.settings import SCALAR, Settings
from fieldcraft_worlds.games.ants.state import State
from fieldcraft_worlds.games.game import shown_first
from fieldcraft_worlds.learning.windows import RASTER, blocks, place_on_raster
from fieldcraft_worlds.scene import Scene

__all__ = ["LESSON", "AntsLesson"]

KEEPER = "keeper"
TUNED = ("keep", "distance", "turn", "wander", "separate")
_PLANES = 6
_STEPS = 20  # from one end of a slider to the other


class AntsLesson:
    """The ants: the one agent is the "keeper", who does what a player does but feeds nobody.

    It moves one slider (11: none, or one of keep, distance, turn, wander, separate a twentieth down
    or up) and paints (3: nothing, a wall, or clears) at a place (column and row of a raster of 8 x
    8 over the map). It sees the whole map in blocks: walls, the trails to food and home, food, ants
    that search and ants that carry. 0.1 for each food that comes home.

    Parameters
    ----------
    space : Grid, optional
        A grid; a meadow of 80 x 50 if None.
    settings : Settings, optional
        Of the colony, trails "scalar"; 600 ants if None.
    every : int, optional
        Steps of the game for one of the lesson.
    block : int, optional
        The side of a block, in cells.
    """

    agents = (KEEPER,)

    def __init__(
        self,
        space: Grid | None = None,
        settings: Settings | None = None,
        *,
        every: int = 15,
        block: int = 5,
    ) -> None:
        ground = meadow(80, 50, seed=7) if space is None else space
        self.world = AntWorld(ground, Settings(ants=600) if settings is None else settings)
        self.derived: AntsDerived = self.world.derived
        self.every, self.block = (
            checks.whole("every", every, minimum=1),
            checks.whole("block", block, minimum=1),
        )
        self._sliders = {slider.name: slider for slider in GAME.sliders}

    def choices(self, agent: str) -> tuple[int, ...]:
        """The slider, the brush, column and row."""
        return 1 + 2 * len(TUNED), 3, RASTER, RASTER

    def shape(self, agent: str) -> tuple[int, int, int]:
        """Six planes of blocks."""
        height, width = self.derived.grid.shape
        return _PLANES, -(-height // self.block), -(-width // self.block)

    def start(self, rng: np.random.Generator) -> State:
        """The first state."""
        return rules.start(self.derived, rng)

    def step(
        self, state: State, told: Mapping[str, NDArray[np.int64]], rng: np.random.Generator
    ) -> State:
        """Some steps of the game."""
        orders: tuple[Order, ...] = self._orders(state, told[KEEPER]) if KEEPER in told else ()
        for _ in range(self.every):
            state = rules.step(self.derived, state, orders, rng)
            orders = ()
        return state

    def _orders(self, state: State, choice: NDArray[np.int64]) -> tuple[Order, ...]:
        moved, brush, column, row = (int(each) for each in choice)
        asked: list[Order] = []
        if moved:
            slider, up = self._sliders[TUNED[(moved - 1) // 2]], moved % 2 == 0
            low, high = slider.low, slider.high
            value = float(getattr(state.tuning, slider.name)) + (high - low) / _STEPS * (
                1 if up else -1
            )
            asked.append(Tune(slider.name, min(max(value, low), high)))
        if brush:
            x, y = place_on_raster(self.derived.grid, column, row).tolist()
            asked.append(Paint("wall" if brush == 1 else "clear", ((x, y),)))
        return tuple(asked)

    def seen(self, state: State, agents: tuple[str, ...]) -> dict[str, NDArray[np.float32]]:
        """The map in blocks."""
        grid, cells = self.derived.grid, self.derived.swarm(state).cells
        trails = [
            plane / (1 + plane) if state.trails == SCALAR else np.tanh(plane)
            for plane in state.planes
        ]
        ants = [
            np.bincount(cells[rows], minlength=len(grid)).reshape(grid.shape) / 4
            for rows in (~state.carrying, state.carrying)
        ]
        food = state.food / max(self.derived.settings.food, 1)
        planes = np.stack([state.walls, *trails, food, *ants]).astype(np.float32)
        return {agent: np.clip(blocks(planes, self.block), -1, 1) for agent in agents}

    def rewards(self, before: State, after: State) -> dict[str, float]:
        """Food that came home."""
        return {KEEPER: 0.1 * (after.home - before.home)}

    def fallen(self, state: State) -> frozenset[str]:
        """Nobody: a colony has no end."""
        return frozenset()

    def is_out_of_time(self, state: State) -> bool:
        """Never."""
        return False

    def scene(self, state: State) -> Scene:
        """The scene of a state."""
        return self.world.scene(state, SHOWN)


SHOWN = shown_first(GAME.overlays)
LESSON = AntsLesson
