"""The tower game as a lesson: commanders of teams."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid, checks, generate_map
from fieldcraft.errors import InvalidValue
from fieldcraft_worlds.games.game import shown_first
from fieldcraft_worlds.games.towers import rules
from fieldcraft_worlds.games.towers.derived import TowersDerived
from fieldcraft_worlds.games.towers.orders import Command, March, Order, Send, Strike
from fieldcraft_worlds.games.towers.plugin import GAME, TowerWorld
from fieldcraft_worlds.games.towers.settings import Settings
from fieldcraft_worlds.games.towers.state import NOBODY, State
from fieldcraft_worlds.games.walking import away
from fieldcraft_worlds.learning.windows import RASTER, blocks, marked, place_on_raster
from fieldcraft_worlds.scene import Scene

__all__ = ["LESSON", "TowersLesson"]

WHAT = ("nothing", "send", "march", "strike")
_SENT = 5
_PLANES = 7


class TowersLesson:
    """The tower game: an agent is the commander of a team, "blue" or "orange" as the settings name
    them.

    A commander chooses what (4: nothing, send five units from the own tower that is nearest to the
    place to the squad, march there, strike the enemy tower nearest to it), for which squad, where
    (column and row of a raster of 8 x 8 over the map) and how (2: the short way or a safe one):
    what a player does with two mouse buttons. It sees the whole map in blocks: walls, the influence
    of its own team and of all others (scaled by a tower's), own and enemy towers (as much as is
    left of them), own and enemy units. A tenth of what the score gains on the best of the others, 5
    or -5 for the end.

    Parameters
    ----------
    space : Grid, optional
        A grid; a field of 72 x 48 with boulders if None.
    settings : Settings, optional
        Of the match, layout "seeded"; four towers a team if None.
    every : int, optional
        Steps of the game for one of the lesson.
    block : int, optional
        The side of a block, in cells.
    """

    def __init__(
        self,
        space: Grid | None = None,
        settings: Settings | None = None,
        *,
        every: int = 30,
        block: int = 4,
    ) -> None:
        rules = Settings(towers=4, limit=180.0) if settings is None else settings
        if rules.layout != "seeded":
            raise InvalidValue(
                "Towers stand when the lesson begins",
                got=f"layout={rules.layout!r}",
                remedy='Pass layout="seeded"',
            )
        self.world = TowerWorld(
            generate_map("open", 72, 48, seed=7, neighbors=8) if space is None else space, rules
        )
        self.derived: TowersDerived = self.world.derived
        self.every, self.block = (
            checks.integer("every", every, minimum=1),
            checks.integer("block", block, minimum=1),
        )
        self.agents = tuple(rules.teams)
        self._walls = self.derived.space.walls.astype(np.float32)

    def choices(self, agent: str) -> tuple[int, ...]:
        """The kind of order, the squad, column, row, and the way."""
        return len(WHAT), self.derived.settings.squads, RASTER, RASTER, 2

    def shape(self, agent: str) -> tuple[int, int, int]:
        """Seven planes of blocks."""
        height, width = self.derived.space.shape
        return _PLANES, -(-height // self.block), -(-width // self.block)

    def start(self, rng: np.random.Generator) -> State:
        """The first state."""
        return rules.start(self.derived, rng)

    def step(
        self, state: State, told: Mapping[str, NDArray[np.int64]], rng: np.random.Generator
    ) -> State:
        """Some steps of the game."""
        orders: list[Order] = []
        for team, agent in enumerate(self.agents):
            if bool(state.by_hand[team]) != (agent in told):
                orders.append(Command(team, agent in told))
        for agent, choice in told.items():
            orders += self._orders(state, self.agents.index(agent), choice)
        for _ in range(self.every):
            if state.over:
                break
            state = rules.step(self.derived, state, orders, rng)
            orders = []
        return state

    def _orders(self, state: State, team: int, choice: NDArray[np.int64]) -> list[Order]:
        what, squad, column, row, safely = (int(each) for each in choice)
        space = self.derived.space
        place = place_on_raster(space, column, row)
        if WHAT[what] == "march":
            return [March(team, squad, float(place[0]), float(place[1]), bool(safely))]
        own = WHAT[what] == "send"
        rows = np.flatnonzero((state.towers.teams == team) == own)
        if WHAT[what] == "nothing" or not len(rows):
            return []
        gaps = away(space, place, space.position_of(state.towers.cells[rows]).reshape(-1, 2))
        tower = int(state.towers.ids[rows[np.argmin(np.hypot(gaps[:, 0], gaps[:, 1]))]])
        return (
            [Send(team, tower, _SENT, squad)] if own else [Strike(team, squad, tower, bool(safely))]
        )

    def seen(self, state: State, agents: tuple[str, ...]) -> dict[str, NDArray[np.float32]]:
        """The map in blocks."""
        settings, space, towers, units = (
            self.derived.settings,
            self.derived.space,
            state.towers,
            state.units,
        )
        self.derived.follow(state)
        values = [
            self.derived.teams[name].values / settings.tower.influence for name in settings.teams
        ]
        cells = (
            np.atleast_1d(space.cell_at(units.positions))
            if len(units)
            else np.zeros(0, dtype=np.int64)
        )
        area = float(self.block**2)
        found = {}
        for agent in agents:
            team = self.agents.index(agent)
            others = np.sum([each for number, each in enumerate(values) if number != team], axis=0)
            own = towers.teams == team
            health = towers.health / settings.tower.health * area
            crowd = [
                np.bincount(cells[units.teams == team], minlength=len(space)),
                np.bincount(cells[units.teams != team], minlength=len(space)),
            ]
            planes = np.stack(
                [
                    self._walls,
                    np.clip(values[team], 0, 1),
                    np.clip(others, 0, 1),
                    marked(space, towers.cells[own], health[own]),
                    marked(space, towers.cells[~own], health[~own]),
                    *(np.minimum(each.reshape(space.shape) * area / 10, area) for each in crowd),
                ]
            )
            found[agent] = np.clip(blocks(planes, self.block), 0, 1)
        return found

    def rewards(self, before: State, after: State) -> dict[str, float]:
        """The score, and the end."""
        gained = (after.scores - before.scores).astype(np.float64)
        worth = {}
        for team, agent in enumerate(self.agents):
            end = (
                0.0
                if not after.over or before.over or after.winner == NOBODY
                else 5.0
                if after.winner == team
                else -5.0
            )
            worth[agent] = float(0.1 * (gained[team] - np.delete(gained, team).max()) + end)
        return worth

    def fallen(self, state: State) -> frozenset[str]:
        """All, at the end."""
        return frozenset(self.agents) if state.over else frozenset()

    def is_out_of_time(self, state: State) -> bool:
        """Whether the score decided."""
        return state.over and len(np.unique(state.towers.teams)) > 1

    def scene(self, state: State) -> Scene:
        """The scene of a state."""
        return self.world.scene(state, SHOWN)


SHOWN = shown_first(GAME.overlays)
LESSON = TowersLesson
