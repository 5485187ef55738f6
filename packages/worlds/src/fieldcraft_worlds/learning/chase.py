"""The chase as a lesson: a runner who gets out, hunters who catch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid, checks, generate_map, sees
from fieldcraft.errors import InvalidValue
from fieldcraft_worlds.games.chase.ai import decided
from fieldcraft_worlds.games.chase.derived import ChaseDerived, Sighting
from fieldcraft_worlds.games.chase.orders import GAITS, Lead, Order, Pace, Throw, Walk
from fieldcraft_worlds.games.chase.plugin import GAME, ChaseWorld
from fieldcraft_worlds.games.chase.rules import step
from fieldcraft_worlds.games.chase.settings import GUARDS, HunterRules, Settings
from fieldcraft_worlds.games.chase.state import CHASE, HUNTER, State
from fieldcraft_worlds.games.game import shown_first
from fieldcraft_worlds.learning.lesson import WAYS, ahead_of
from fieldcraft_worlds.learning.windows import marked, spots, windows
from fieldcraft_worlds.scene import Scene

__all__ = ["LESSON", "ChaseLesson"]

RUNNER = "runner"
_PLANES = 5
_FAR = 2.0  # units ahead that a led hunter walks to
_THROW = 8.0  # units that a led runner throws
_FADES = 6.0  # seconds in which what is known of the runner fades by half
_LONG = 60.0  # seconds after which a place counts as unwatched


class ChaseLesson:
    """The chase: "runner", and hunters "hunter_0", "hunter_1", ...

    - The runner chooses a way (9), a gait (3: sneak, walk, run), and where to throw a stone (9: not
      at all, or 8 units that way).
      It sees walls, the layer of enemies or infection, noise, hunters in sight, and what to walk
      to: items, then the exit, on the window's rim where they lie beyond. 1 for an item, 5 for
          getting out, -1 for a heart, -0.01 a step.
    - A hunter chooses a way (9), and runs there; it catches whom it can reach. It sees walls,
      hunters, the runner (1 where any hunter sees it now, less where it was last seen; on the rim
      where that is beyond), noise, and how long each place was not looked at. 1 for a heart, -5 for
      an escape, -0.01 a step.

    Parameters
    ----------
    space : Grid, optional
        A grid; rooms of 40 x 28 if None.
    settings : Settings, optional
        Of the chase; three guards, no civilians and two items if None.
    every : int, optional
        Steps of the game for one of the lesson; hunters think each `settings.think`.
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
        ground = generate_map("rooms", 40, 28, seed=2, neighbors=8) if space is None else space
        if not isinstance(ground, Grid):
            raise InvalidValue(
                "Windows are cut from a grid",
                got=type(ground).__name__,
                remedy="Pass a map of cells",
            )
        rules = (
            Settings(
                kind=GUARDS,
                hunters=3,
                civilians=0,
                items=2,
                limit=60.0,
                hunter=HunterRules(view=12),
            )
            if settings is None
            else settings
        )
        self.world = ChaseWorld(ground, rules)
        self.every, self.radius = (
            checks.integer("every", every, minimum=1),
            checks.integer("radius", radius, minimum=1, maximum=100),
        )
        self.derived = self.world.derived
        self.agents = (RUNNER, *(f"hunter_{number}" for number in range(rules.hunters)))
        self._space: Grid = ground
        self._walls = ground.walls.astype(np.float32)

    def choices(self, agent: str) -> tuple[int, ...]:
        """Way, gait and throw of the runner; the way of a hunter."""
        return (len(WAYS), len(GAITS), len(WAYS)) if agent == RUNNER else (len(WAYS),)

    def shape(self, agent: str) -> tuple[int, int, int]:
        """Five planes around the agent."""
        return _PLANES, 2 * self.radius + 1, 2 * self.radius + 1

    def start(self, rng: np.random.Generator) -> State:
        """The first state."""
        state: State = self.world.start(rng)
        return state

    def step(
        self, state: State, told: Mapping[str, NDArray[np.int64]], rng: np.random.Generator
    ) -> State:
        """Some steps of the game."""
        rows = state.people.rows(HUNTER)
        led = np.array(
            [
                number
                for number in range(self.derived.settings.hunters)
                if f"hunter_{number}" in told
            ],
            dtype=np.int64,
        )
        ways = WAYS[[int(told[f"hunter_{number}"][0]) for number in led]].reshape(-1, 2)
        minds = _Led(rows[led], ways) if len(led) else decided
        orders = (
            self._orders(state, told[RUNNER])
            if RUNNER in told
            else (Lead(False),)
            if state.by_hand
            else ()
        )
        for _ in range(self.every):
            if state.over:
                break
            state = step(self.derived, state, orders, rng, minds)
            orders = ()
        return state

    def _orders(self, state: State, choice: NDArray[np.int64]) -> tuple[Order, ...]:
        way, gait, throw = (int(each) for each in choice)
        asked: list[Order] = [
            Walk(float(WAYS[way, 0]), float(WAYS[way, 1])),
            Pace(tuple(GAITS)[gait]),
        ]
        if throw and state.stones:
            space = self._space
            cell = int(
                ahead_of(
                    space,
                    state.people.positions[:1, :2],
                    WAYS[throw : throw + 1],
                    _THROW * self.derived.ground.unit,
                )[0]
            )
            x, y = space.position_of(cell).tolist()
            gap = self.derived.ground.away(state.people.positions[0], np.array([x, y]))
            if (
                float(np.hypot(*gap))
                <= self.derived.settings.player.throw * self.derived.ground.unit
            ):
                asked.append(Throw(x, y))
        return tuple(asked)

    def seen(self, state: State, agents: tuple[str, ...]) -> dict[str, NDArray[np.float32]]:
        """Windows around agents."""
        space, people, derived = self._space, state.people, self.derived
        hunters = people.rows(HUNTER)
        quiet = np.clip(state.noise, 0, 1)
        found: dict[str, NDArray[np.float32]] = {}
        if RUNNER in agents:
            far = self.derived.settings.player.view * self.derived.ground.unit
            near = (
                hunters[sees(space, people.positions[:1], people.positions[hunters], far)[0]]
                if len(hunters)
                else hunters
            )
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
            window[4][spots(space, here, left if len(left) else [state.exit], self.radius)] = 1
            found[RUNNER] = window
        led = [agent for agent in agents if agent != RUNNER]
        if led:
            rows = hunters[[int(agent.removeprefix("hunter_")) for agent in led]]
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
                led, rows.tolist(), self._cut(planes, people.cells[rows]), strict=True
            ):
                contacts = state.contacts
                if not np.isnan(contacts.positions[0]).any():
                    cell = int(space.cell_at(contacts.positions[0], outside="clamp"))
                    window[2][spots(space, int(people.cells[row]), [cell], self.radius)] = 0.5 ** (
                        float(contacts.ages[0]) / _FADES
                    )
                found[agent] = window
        return found

    def _cut(self, planes: NDArray[np.float32], cells: NDArray[np.int64]) -> NDArray[np.float32]:
        return windows(self._space, planes, cells, self.radius, (1.0, *[0.0] * (_PLANES - 1)))

    def rewards(self, before: State, after: State) -> dict[str, float]:
        """Hearts, items, and getting out."""
        hearts = before.hearts - after.hearts
        items = int(after.items.taken.sum()) - int(before.items.taken.sum())
        out = 5.0 * (after.outcome == "escaped" and before.outcome != "escaped")
        worth = dict.fromkeys(self.agents, float(hearts - out - 0.01))
        worth[RUNNER] = float(items + out - hearts - 0.01)
        return worth

    def fallen(self, state: State) -> frozenset[str]:
        """All, at the end."""
        return frozenset(self.agents) if state.over else frozenset()

    def is_out_of_time(self, state: State) -> bool:
        """Whether the runner has survived."""
        return state.outcome == "survived"

    def scene(self, state: State) -> Scene:
        """The scene of a state."""
        return self.world.scene(state, SHOWN)


SHOWN = shown_first(GAME.overlays)
LESSON = ChaseLesson


@dataclass(frozen=True, eq=False)
class _Led:
    """Minds of hunters, some of whom, by `rows` (L,), run along `ways` (L, 2) and catch whom they
    reach.
    """

    rows: NDArray[np.int64]
    ways: NDArray[np.float64]

    def __call__(
        self,
        derived: ChaseDerived,
        state: State,
        sighting: Sighting,
        rng: np.random.Generator,
    ) -> State:
        ground = derived.ground
        after = decided(derived, state, sighting, rng)
        people = after.people
        space: Any = ground.space
        cells = ahead_of(space, people.positions[self.rows, :2], self.ways, _FAR * ground.unit)
        cells = np.where(
            ground.is_home[cells] & self.ways.any(axis=1), cells, people.cells[self.rows]
        )
        moods, targets, goals = people.moods.copy(), people.targets.copy(), people.goals.copy()
        moods[self.rows], targets[self.rows], goals[self.rows] = CHASE, 0, cells
        return replace(after, people=replace(people, moods=moods, targets=targets, goals=goals))
