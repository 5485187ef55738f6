"""The chase as a task to learn: a runner that escapes, hunters that catch it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import Grid, generate_map, sees
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft_worlds.games.chase.ai import decide
from fieldcraft_worlds.games.chase.derived import ChaseDerived, Sighting
from fieldcraft_worlds.games.chase.orders import GAITS, Lead, Order, Pace, Throw, Walk
from fieldcraft_worlds.games.chase.plugin import GAME, ChaseWorld
from fieldcraft_worlds.games.chase.rules import step
from fieldcraft_worlds.games.chase.settings import GUARDS, HunterRules, Settings
from fieldcraft_worlds.games.chase.state import CHASE, HUNTER, State
from fieldcraft_worlds.games.game import shown_first
from fieldcraft_worlds.scene import Scene

Planes = NDArray[np.float32]


def windows(
    space: Grid, planes: Planes, cells: ArrayLike, radius: int, outside: ArrayLike
) -> Planes:
    """Return square windows (N, planes, 2 * radius + 1, 2 * radius + 1) of planes (planes, height,
    width) around cells (N,).

    Outside the map each plane has its value of `outside` (planes,); axes that wrap continue on
    the other side.
    """
    padded = np.empty(
        (len(planes), space.height + 2 * radius, space.width + 2 * radius), dtype=np.float32
    )
    padded[:] = np.asarray(outside, dtype=np.float32)[:, None, None]
    padded[:, radius : radius + space.height, radius : radius + space.width] = planes
    if space.wraps_y:
        rows = np.pad(planes, ((0, 0), (radius, radius), (0, 0)), mode="wrap")
        padded[:, :, radius : radius + space.width] = rows
    if space.wraps_x:
        inner = padded[:, :, radius : radius + space.width]
        padded = np.pad(inner, ((0, 0), (0, 0), (radius, radius)), mode="wrap")
    side = 2 * radius + 1
    rows, columns = np.divmod(np.asarray(cells, dtype=np.int64), space.width)
    return (
        np.lib.stride_tricks.sliding_window_view(padded, (side, side), axis=(1, 2))[
            :, rows, columns
        ]
        .swapaxes(0, 1)
        .copy()
    )


def places_in(
    space: Grid, here: int, cells: ArrayLike, radius: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return rows and columns of cells in the window around a cell; cells outside are moved to its
    edge.
    """
    rows, columns = np.divmod(np.asarray(cells, dtype=np.int64), space.width)
    row, column = divmod(here, space.width)
    down = rows - row
    right = columns - column
    if space.wraps_y:
        down = (down + space.height // 2) % space.height - space.height // 2
    if space.wraps_x:
        right = (right + space.width // 2) % space.width - space.width // 2
    return np.clip(down, -radius, radius) + radius, np.clip(right, -radius, radius) + radius


def marked(space: Grid, cells: ArrayLike, amounts: ArrayLike = 1.0) -> Planes:
    """Return a plane (height, width) with an amount in each of some cells, the largest where
    several meet.
    """
    plane = np.zeros(len(space), dtype=np.float32)
    np.maximum.at(plane, np.asarray(cells, dtype=np.int64), np.asarray(amounts, dtype=np.float32))
    return plane.reshape(space.shape)


DIRECTIONS: NDArray[np.float64] = np.array(
    [(0, 0), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)], dtype=np.float64
)
DIRECTIONS[1:] /= np.hypot(DIRECTIONS[1:, 0], DIRECTIONS[1:, 1])[:, None]
"""The direction of each of nine steps, (9, 2), unit vectors in world axes: stay, and eight."""

RUNNER = "runner"
_PLANES = 5
_FAR = 2.0  # units ahead of a controlled hunter
_THROW = 8.0  # units
_FADES = 6.0  # seconds in which a sighting fades by half
_LONG = 60.0  # seconds after which a place counts as unseen


class ChaseLesson:
    """The chase by observations and choices: "runner", and hunters "hunter_0", "hunter_1", ...

    - The runner chooses a direction (9), a gait (3: sneak, walk, run), and a throw of a stone (9:
      none, or 8 directions). It sees walls, the layer of enemies or infection, noise, hunters in
      sight, and its goals: items, then the exit, on the window's edge if they are beyond. Rewards:
      1 for an item, 5 for an escape, -1 for a heart, -0.01 a step.
    - A hunter chooses a direction (9), runs, and catches the runner in reach. It sees walls,
      hunters, the runner (1 in sight of any hunter, less where it was last seen; on the edge if
      beyond), noise, and the time since each cell was seen. Rewards: 1 for a heart, -5 for an
      escape, -0.01 a step.

    Parameters
    ----------
    space : Grid, optional
        A grid; rooms of 40 x 28 if None.
    settings : Settings, optional
        Of the chase; three guards, no civilians and two items if None.
    every : int, optional
        Steps of the game in one step; hunters decide every `settings.think`.
    radius : int, optional
        Of windows, in cells.
    """

    def __init__(
        self,
        space: Grid | None = None,
        settings: Settings | None = None,
        *,
        every: int = 6,
        radius: int = 7,
    ) -> None:
        if space is None:
            ground = generate_map("rooms", 40, 28, seed=2, neighbors=8)
        else:
            ground = space
        if not isinstance(ground, Grid):
            raise InvalidValue(
                "Windows are cut from a grid",
                got=type(ground).__name__,
                remedy="Pass a map of cells",
            )
        if settings is None:
            rules = Settings(
                kind=GUARDS,
                hunters=3,
                civilians=0,
                items=2,
                limit=60.0,
                hunter=HunterRules(view=12),
            )
        else:
            rules = settings
        self.world = ChaseWorld(ground, rules)
        self.every = checks.integer("every", every, minimum=1)
        self.radius = checks.integer("radius", radius, minimum=1, maximum=100)
        self.derived = self.world.derived
        self.agents = (RUNNER, *(f"hunter_{number}" for number in range(rules.hunters)))
        self._space: Grid = ground
        self._walls = ground.walls.astype(np.float32)

    def choices(self, agent: str) -> tuple[int, ...]:
        """Return the number of options of each choice of an agent."""
        if agent == RUNNER:
            return (len(DIRECTIONS), len(GAITS), len(DIRECTIONS))
        return (len(DIRECTIONS),)

    def shape(self, agent: str) -> tuple[int, int, int]:
        """Return the shape of an observation: (planes, rows, columns)."""
        return _PLANES, 2 * self.radius + 1, 2 * self.radius + 1

    def start(self, rng: np.random.Generator) -> State:
        """Return the first state."""
        state: State = self.world.start(rng)
        return state

    def step(
        self, state: State, chosen: Mapping[str, NDArray[np.int64]], rng: np.random.Generator
    ) -> State:
        """Return the state after some steps of the game; programs control the other agents."""
        rows = state.people.rows(HUNTER)
        own = np.array(
            [
                number
                for number in range(self.derived.settings.hunters)
                if f"hunter_{number}" in chosen
            ],
            dtype=np.int64,
        )
        directions = DIRECTIONS[[int(chosen[f"hunter_{number}"][0]) for number in own]].reshape(
            -1, 2
        )
        ai = _Controlled(rows[own], directions) if len(own) else decide
        orders: tuple[Any, ...] = ()
        if RUNNER in chosen:
            orders = self._orders(state, chosen[RUNNER])
        elif state.by_hand:
            orders = (Lead(False),)
        for _ in range(self.every):
            if state.over:
                break
            state = step(self.derived, state, orders, rng, ai)
            orders = ()
        return state

    def _orders(self, state: State, choice: NDArray[np.int64]) -> tuple[Order, ...]:
        """Return the orders of a choice: direction, gait, and whether to throw."""
        direction, gait, throw = choice.tolist()
        orders: list[Order] = [
            Walk(float(DIRECTIONS[direction, 0]), float(DIRECTIONS[direction, 1])),
            Pace(tuple(GAITS)[gait]),
        ]
        if throw and state.stones:
            space = self._space
            cell = int(
                _cells_ahead(
                    space,
                    state.people.positions[:1, :2],
                    DIRECTIONS[throw : throw + 1],
                    _THROW * self.derived.ground.unit,
                )[0]
            )
            x, y = space.position_of(cell).tolist()
            gap = self.derived.ground.away(state.people.positions[0], np.array([x, y]))
            if (
                float(np.hypot(*gap))
                <= self.derived.settings.player.throw * self.derived.ground.unit
            ):
                orders.append(Throw(x, y))
        return tuple(orders)

    def observations(self, state: State, agents: tuple[str, ...]) -> dict[str, NDArray[np.float32]]:
        """Return the windows around agents: float32 from -1 to 1."""
        space = self._space
        people = state.people
        derived = self.derived
        hunters = people.rows(HUNTER)
        quiet = np.clip(state.noise, 0, 1)
        found: dict[str, NDArray[np.float32]] = {}
        if RUNNER in agents:
            far = self.derived.settings.player.view * self.derived.ground.unit
            if len(hunters):
                near = hunters[sees(space, people.positions[:1], people.positions[hunters], far)[0]]
            else:
                near = hunters
            here = int(people.cells[0])
            planes = np.stack(
                [
                    self._walls,
                    np.clip(state.infection, 0, 1),
                    quiet,
                    marked(space, people.cells[near]),
                    np.zeros_like(quiet),
                ]
            )
            window = self._cut(planes, np.array([here]))[0]
            left = state.items.cells[~state.items.taken]
            goals = left if len(left) else [state.exit]
            window[4][places_in(space, here, goals, self.radius)] = 1
            found[RUNNER] = window
        own = [agent for agent in agents if agent != RUNNER]
        if own:
            rows = hunters[[int(agent.removeprefix("hunter_")) for agent in own]]
            waited = np.clip(derived.waited(state.seen) / _LONG, 0, 1).astype(np.float32)
            planes = np.stack(
                [
                    self._walls,
                    marked(space, people.cells[hunters]),
                    np.zeros_like(quiet),
                    quiet,
                    waited,
                ]
            )
            for agent, row, window in zip(
                own, rows.tolist(), self._cut(planes, people.cells[rows]), strict=True
            ):
                contacts = state.contacts
                if not np.isnan(contacts.positions[0]).any():
                    cell = int(space.cell_at(contacts.positions[0], outside="clamp"))
                    window[2][places_in(space, int(people.cells[row]), [cell], self.radius)] = (
                        0.5 ** (float(contacts.ages[0]) / _FADES)
                    )
                found[agent] = window
        return found

    def _cut(self, planes: NDArray[np.float32], cells: NDArray[np.int64]) -> NDArray[np.float32]:
        return windows(self._space, planes, cells, self.radius, (1.0, *[0.0] * (_PLANES - 1)))

    def rewards(self, before: State, after: State) -> dict[str, float]:
        """Return the reward of a step for each agent."""
        hearts = before.hearts - after.hearts
        items = int(after.items.taken.sum()) - int(before.items.taken.sum())
        out = 5.0 * (after.outcome == "escaped" and before.outcome != "escaped")
        worth = dict.fromkeys(self.agents, float(hearts - out - 0.01))
        worth[RUNNER] = float(items + out - hearts - 0.01)
        return worth

    def fallen(self, state: State) -> frozenset[str]:
        """Return the agents that are done: all at the end."""
        if state.over:
            return frozenset(self.agents)
        return frozenset()

    def is_out_of_time(self, state: State) -> bool:
        """Return whether the runner survived until the time limit."""
        return state.outcome == "survived"

    def scene(self, state: State) -> Scene:
        """Return the scene of a state."""
        return self.world.scene(state, SHOWN)


SHOWN = shown_first(GAME.overlays)


@dataclass(frozen=True, eq=False)
class _Controlled:
    """AI of hunters of which some, `rows` (L,), run along `directions` (L, 2) and catch."""

    rows: NDArray[np.int64]
    directions: NDArray[np.float64]

    def __call__(
        self,
        derived: ChaseDerived,
        state: State,
        sighting: Sighting,
        rng: np.random.Generator,
    ) -> State:
        ground = derived.ground
        after = decide(derived, state, sighting, rng)
        people = after.people
        space: Any = ground.space
        cells = _cells_ahead(
            space, people.positions[self.rows, :2], self.directions, _FAR * ground.unit
        )
        cells = np.where(
            ground.is_home[cells] & self.directions.any(axis=1), cells, people.cells[self.rows]
        )
        moods = people.moods.copy()
        targets = people.targets.copy()
        goals = people.goals.copy()
        moods[self.rows] = CHASE
        targets[self.rows] = 0
        goals[self.rows] = cells
        return replace(after, people=replace(people, moods=moods, targets=targets, goals=goals))


def _cells_ahead(
    space: Grid, positions: NDArray[np.float64], directions: NDArray[np.float64], far: float
) -> NDArray[np.int64]:
    """Return the open cells nearest to positions (N, 2) moved `far` world units along directions
    (N, 2): (N,).
    """
    ends = space.cell_at(positions + far * directions, outside="clamp")
    return np.atleast_1d(space.nearest_open(ends)).astype(np.int64)
