"""The duel as a lesson: fighters of a long and of a short range."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid, checks, generate_map
from fieldcraft_worlds.games.game import shown_first
from fieldcraft_worlds.games.tether import rules
from fieldcraft_worlds.games.tether.ai import Plan, layer_of, planned
from fieldcraft_worlds.games.tether.derived import TetherDerived
from fieldcraft_worlds.games.tether.plugin import GAME, TetherWorld
from fieldcraft_worlds.games.tether.settings import SIDES, Settings
from fieldcraft_worlds.games.tether.state import NOBODY, State
from fieldcraft_worlds.learning.lesson import WAYS, ahead_of
from fieldcraft_worlds.learning.windows import marked, spots, windows
from fieldcraft_worlds.scene import Scene

__all__ = ["LESSON", "TetherLesson"]

_PLANES = 5
_STRIDE = 3  # cells ahead that a led fighter walks to
_HIT = 0.01  # what a point of damage is worth


class TetherLesson:
    """The duel: fighters "long_0", ... and "short_0", ...; each hits by itself whom it reaches.

    A fighter chooses a way (9). It sees walls, its own side and the other one (as much as is left
    of each; the others on the window's rim where they are beyond), the tether layer of its side
    (`fc.Stamp.tether` around where its enemies will be, scaled to 1), and where the enemy reaches.
    1 for 100 points of damage dealt by its side, -1 for as many taken, 1 or -1 for the end.

    Parameters
    ----------
    space : Grid, optional
        A grid; a hall of pillars, 48 x 32, if None.
    settings : Settings, optional
        Of the duel.
    every : int, optional
        Steps of the game for one of the lesson; plans are made each `settings.think`.
    radius : int, optional
        Of windows, in cells.
    """

    def __init__(
        self,
        space: Grid | None = None,
        settings: Settings | None = None,
        *,
        every: int = 6,
        radius: int = 8,
    ) -> None:
        rules = Settings() if settings is None else settings
        self.world = TetherWorld(
            generate_map("pillars", 48, 32, seed=3, neighbors=8) if space is None else space, rules
        )
        self.derived: TetherDerived = self.world.derived
        self.every, self.radius = (
            checks.integer("every", every, minimum=1),
            checks.integer("radius", radius, minimum=1, maximum=100),
        )
        self.agents = tuple(
            f"{side}_{number}" for side in SIDES for number in range(rules.fighters)
        )
        self._walls = self.derived.ground.walls.astype(np.float32)

    def choices(self, agent: str) -> tuple[int, ...]:
        """The way."""
        return (len(WAYS),)

    def shape(self, agent: str) -> tuple[int, int, int]:
        """Five planes around the fighter."""
        return _PLANES, 2 * self.radius + 1, 2 * self.radius + 1

    def start(self, rng: np.random.Generator) -> State:
        """The first state."""
        return rules.start(self.derived, rng)

    def step(
        self, state: State, told: Mapping[str, NDArray[np.int64]], rng: np.random.Generator
    ) -> State:
        """Some steps of the game."""
        led = {self.agents.index(agent): WAYS[int(choice[0])] for agent, choice in told.items()}

        def brains(derived: TetherDerived, now: State) -> dict[int, Plan]:
            plans = planned(derived, now) if len(led) < len(now.fighters) else {}
            for number, way in led.items():
                if now.fighters.alive[number]:
                    plans[number] = self._walking(now, number, way)
            return plans

        for _ in range(self.every):
            if state.over:
                break
            state = rules.step(self.derived, state, (), rng, brains)
        return state

    def _walking(self, state: State, number: int, way: NDArray[np.float64]) -> Plan:
        """The plan to go a few cells along a way, as far as it is straight."""
        at = state.fighters.positions[number]
        own = int(self.derived.cells(at[None])[0])
        if not way.any():
            return Plan(np.array([own]))
        shares = np.arange(1, _STRIDE + 1)[:, None] * self.derived.cell
        return Plan(np.concatenate([[own], ahead_of(self.derived.ground, at, way * shares, 1.0)]))

    def seen(self, state: State, agents: tuple[str, ...]) -> dict[str, NDArray[np.float32]]:
        """Windows around fighters."""
        ground, fighters = self.derived.ground, state.fighters
        cells = self.derived.cells(fighters.positions)
        left = np.clip(
            fighters.health
            / [self.derived.settings.rules[side].health for side in fighters.sides.tolist()],
            0,
            1,
        )
        found = {}
        for side in (0, 1):
            own = [agent for agent in agents if agent.startswith(SIDES[side])]
            if not own:
                continue
            friends, foes = fighters.of(side), fighters.of(1 - side)
            layer = layer_of(self.derived, state, side)
            most = max(float(np.abs(layer).max(initial=0.0)), 1e-9)
            reached = self.derived.reached(cells[foes].tolist(), state.tuning.ranges[1 - side]) > 0
            shaped = [
                (plane.reshape(ground.shape)).astype(np.float32)
                for plane in (layer / most, reached)
            ]
            planes = np.stack(
                [
                    self._walls,
                    marked(ground, cells[friends], left[friends]),
                    np.zeros_like(self._walls),
                    *shaped,
                ]
            )
            rows = np.array([self.agents.index(agent) for agent in own])
            cut = windows(ground, planes, cells[rows], self.radius, (1.0, 0.0, 0.0, 0.0, 0.0))
            for agent, row, window in zip(own, rows.tolist(), cut, strict=True):
                window[2][spots(ground, int(cells[row]), cells[foes], self.radius)] = left[foes]
                found[agent] = window
        return found

    def rewards(self, before: State, after: State) -> dict[str, float]:
        """Damage, and the end."""
        dealt = after.dealt - before.dealt
        worth = {}
        for agent in self.agents:
            side = SIDES.index(agent.partition("_")[0])
            end = (
                0.0
                if not after.over or before.over or after.winner == NOBODY
                else 1.0
                if after.winner == side
                else -1.0
            )
            worth[agent] = float(_HIT * (dealt[side] - dealt[1 - side]) + end)
        return worth

    def fallen(self, state: State) -> frozenset[str]:
        """The dead; all, at the end."""
        alive = state.fighters.alive
        return frozenset(
            agent for number, agent in enumerate(self.agents) if state.over or not alive[number]
        )

    def is_out_of_time(self, state: State) -> bool:
        """Whether the damage decided."""
        return state.over and all(len(state.fighters.of(side)) for side in (0, 1))

    def scene(self, state: State) -> Scene:
        """The scene of a state."""
        return self.world.scene(state, SHOWN)


SHOWN = shown_first(GAME.overlays)
LESSON = TetherLesson
