"""Fugitives that get out of sight, their behavior then, and the time until searchers see them
again.

Lengths are in typical steps of the map, so that the same settings work on grids, meshes and
waypoint graphs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Graph, Grid, Path, distance_map, visible
from fieldcraft.base.errors import InvalidValue

if TYPE_CHECKING:
    from fieldcraft_worlds.games.chase.searches import AnySearch

FUGITIVES = ("runs", "hides", "doubles back", "stands")
"""The ways of a fugitive once out of sight: runs on, and on; hides near by; turns and goes back
past the hunters; stands still.
"""

SPEED = 3.0  # steps a second, his and theirs

_MOST_VIEWS = 20_000  # views that are kept
_TRIES = 200  # starts that are tried on a map before it is given up
_FAR = 40  # steps: how far he wants to go
_GAP = (4, 10)  # steps that the one who chases him is behind
# the tick in which the one behind him doesn't get on: so he is lost even where nothing hides him
_STUMBLE = 4
_CALLED = 20  # steps: how far from the one who chases him the others are at most
_HIDING = (3, 15)  # steps to a hiding place
_TURN = (2.0, 5.0)  # seconds after which he turns to double back


class Ground:
    """A map, the view from each cell, and the distances to it; both cached.

    `reach` is the radius of sight in typical steps.
    """

    def __init__(self, space: Grid | Graph, reach: float) -> None:
        self.space = space
        self.step = space.typical_step
        self.reach = reach
        self.open = np.flatnonzero(~space.walls.reshape(-1))
        self._adjacency = space.adjacency
        self._views: dict[int, NDArray[np.int64]] = {}

    @property
    def tick(self) -> float:
        """The seconds of a typical step."""
        return 1.0 / SPEED

    def view(self, cell: int) -> NDArray[np.int64]:
        """Return the cells that are visible from a cell."""
        if (known := self._views.get(cell)) is None:
            seen = visible(self.space, self.space.position_of(cell), self.reach * self.step)
            if len(self._views) >= _MOST_VIEWS:
                self._views.clear()
            known = self._views[cell] = np.flatnonzero(seen)
        return known

    def sees(self, cell: int, other: int) -> bool:
        """Return whether one cell is visible from another."""
        view = self.view(cell)
        at = int(np.searchsorted(view, other))
        return at < len(view) and int(view[at]) == other

    def distances(self, cell: int) -> NDArray[np.float32]:
        """Return the distance from each cell to this one, in steps; infinite without a path."""
        return distance_map(self.space, self.space.position_of(cell)).values.reshape(
            -1
        ) / np.float32(self.step)

    def path(self, start: int, goal: int, avoid: NDArray[np.int64] | None = None) -> Path:
        """Return the shortest path, around the cells to `avoid` if possible."""
        ends = self.space.position_of(start), self.space.position_of(goal)
        if avoid is not None:
            cost = np.ones(len(self.space))
            cost[avoid] = np.inf
            cost[[start, goal]] = 1.0
            if found := distance_map(
                self.space, ends[1], cost=cost.reshape(self.space.shape)
            ).descend(ends[0]):
                return found
        return distance_map(self.space, ends[1]).descend(ends[0])

    def length(self, start: int, end: int) -> float:
        """Return the length of one step, in typical steps."""
        first = int(self._adjacency.starts[start])
        after = int(self._adjacency.starts[start + 1])
        return (
            float(
                self._adjacency.lengths[
                    first + int(np.searchsorted(self._adjacency.ends[first:after], end))
                ]
            )
            / self.step
        )


class Walker:
    """An agent on its path from cell to cell, a typical step each tick. `cell` is the nearest
    one.
    """

    def __init__(self, ground: Ground, cell: int) -> None:
        self.ground = ground
        self.cell = cell
        self._path: list[int] = []
        self._left = 0.0

    @property
    def arrived(self) -> bool:
        """Whether the agent is at the end of its path."""
        return not self._path

    def take(self, path: Path) -> None:
        """Follow a path from the cell of the agent; a begun step is reversed."""
        before = self._path
        self._path = path.cells[:0:-1].tolist()
        if before[-1:] != self._path[-1:]:
            self._left = -abs(self._left)

    def walk(self) -> None:
        """Walk for a tick. The agent is in the next cell after half of a step; it stops at the end
        of its path.
        """
        self._left += 1.0
        while (
            self._path
            and (length := self.ground.length(self.cell, self._path[-1])) <= 2 * self._left
        ):
            self._left -= length
            self.cell = self._path.pop()
        if not self._path:
            self._left = min(self._left, 0.0)


@dataclass(frozen=True)
class Escape:
    """A fugitive that has got out of sight.

    `last` is the cell where it was last seen, `velocity` its velocity there, world units per
    second. `cells` (ticks,) are its cells from then on, the first out of sight; `hunters` are the
    cells of the searchers, the chaser first. They start after `lead` ticks, and see nothing before.
    """

    last: int
    velocity: NDArray[np.float64]
    cells: NDArray[np.int64]
    hunters: NDArray[np.int64]
    lead: int


def escape(
    ground: Ground, fugitive: str, *, hunters: int, ticks: int, lead: int, seed: int
) -> Escape:
    """Return a fugitive that gets out of sight of its chaser, its later cells, and the other
    searchers.

    The chase depends only on the map and the seed, the behavior also on `fugitive`, and with more
    hunters the first ones are the same. The other hunters are at most twenty steps from the first,
    and do not see the fugitive.

    Raises
    ------
    InvalidValue
        For a map without a place out of sight.
    """
    rng = np.random.default_rng([seed, 0])
    found = next((each for _ in range(_TRIES) if (each := _chase(ground, rng)) is not None), None)
    if found is None:
        raise InvalidValue(
            "A fugitive can get out of sight",
            got=f"{ground.space!r}, on which {_TRIES} chases did not come to that",
            remedy="Take a map with walls, a larger one, or a shorter sight",
        )
    last, velocity, runner, chaser = found
    others = _others(
        ground, np.random.default_rng([seed, 1]), chaser.cell, runner.cell, hunters - 1
    )
    behavior = _Behavior(
        ground,
        np.random.default_rng([seed, 2, FUGITIVES.index(fugitive)]),
        runner,
        chaser.cell,
        last,
        velocity,
    )
    cells = [runner.cell]
    act = {
        "runs": behavior.runs,
        "hides": behavior.hides,
        "doubles back": behavior.doubles_back,
        "stands": behavior.stands,
    }[fugitive]
    for tick in range(ticks):
        act(tick)
        runner.walk()
        cells.append(runner.cell)
    return Escape(last, velocity, np.array(cells), np.array([chaser.cell, *others]), lead)


def _chase(
    ground: Ground, rng: np.random.Generator
) -> tuple[int, NDArray[np.float64], Walker, Walker] | None:
    """Return the last seen cell of the fugitive, its velocity, itself, and its chaser; None if it
    stays in sight, or was never seen.
    """
    start = int(rng.choice(ground.open))
    goal = _far_goal(ground, rng, start)
    if goal is None:
        return None
    path = ground.path(start, goal)
    gap = int(rng.integers(_GAP[0], _GAP[1] + 1))
    if len(path) <= gap + 2:
        return None
    chaser = Walker(ground, start)
    runner = Walker(ground, int(path.cells[0]))
    chaser.take(path)
    runner.take(path)
    for _ in range(gap):
        runner.walk()
    if not ground.sees(chaser.cell, runner.cell):
        return None
    tick = 0
    while not runner.arrived:
        last = runner.cell
        runner.walk()
        tick += 1
        if tick % _STUMBLE:
            chaser.walk()
        if last != runner.cell and not ground.sees(chaser.cell, runner.cell):
            positions = ground.space.position_of(np.array([last, runner.cell]))
            heading = positions[1] - positions[0]
            size = float(np.sqrt((heading**2).sum()))
            if size == 0:
                return None
            return last, heading / size * SPEED * ground.step, runner, chaser
    return None


def _far_goal(ground: Ground, rng: np.random.Generator, start: int) -> int | None:
    """Return a cell that the fugitive can reach, forty steps away, or in the farther half on small
    maps.
    """
    away = ground.distances(start)  # of paths to the start: few steps have one direction
    reached = np.flatnonzero(np.isfinite(away))
    if len(reached) < 2:
        return None
    least = min(_FAR, float(np.median(away[reached])))
    return int(rng.choice(reached[away[reached] >= least]))


def _others(
    ground: Ground, rng: np.random.Generator, chaser: int, hidden: int, count: int
) -> list[int]:
    away = ground.distances(chaser)
    blind = np.setdiff1d(np.flatnonzero(away <= _CALLED), ground.view(hidden))
    order = rng.permutation(blind if len(blind) else np.array([chaser]))
    return [int(order[k % len(order)]) for k in range(count)]


class _Behavior:
    """The behavior of a fugitive out of sight: called before each tick."""

    def __init__(
        self,
        ground: Ground,
        rng: np.random.Generator,
        runner: Walker,
        chaser: int,
        last: int,
        velocity: NDArray[np.float64],
    ) -> None:
        self.ground = ground
        self.rng = rng
        self.runner = runner
        self.chaser = chaser
        self.last = last
        self.velocity = velocity
        self.turn = int(rng.uniform(*_TURN) / ground.tick)

    def runs(self, tick: int) -> None:
        """Continue to the goal, and from there to the next one."""
        if self.runner.arrived:
            goal = _far_goal(self.ground, self.rng, self.runner.cell)
            if goal is not None and (path := self.ground.path(self.runner.cell, goal)):
                self.runner.take(path)

    def hides(self, tick: int) -> None:
        """Go to a near place that few cells see, and no cell with a distant view of the last seen
        place, and stay there.
        """
        if tick:
            return
        away = self.ground.distances(self.runner.cell)
        near = np.flatnonzero((away >= _HIDING[0]) & (away <= _HIDING[1]))
        dark = np.setdiff1d(
            near, np.union1d(self.ground.view(self.chaser), self.ground.view(self.last))
        )
        places = dark if len(dark) else near
        if not len(places):
            self.stands(tick)
            return
        some = self.rng.choice(places, min(12, len(places)), replace=False)
        seen = [len(self.ground.view(int(cell))) for cell in some]
        if path := self.ground.path(self.runner.cell, int(some[int(np.argmin(seen))])):
            self.runner.take(path)

    def doubles_back(self, tick: int) -> None:
        """Continue for some seconds; then go to a place behind the chaser, out of its sight if
        possible, and on.
        """
        if tick != self.turn:
            self.runs(tick)
            return
        away = self.ground.distances(self.runner.cell)
        offsets = self.ground.space.position_of(
            np.arange(len(away))
        ) - self.ground.space.position_of(self.last)
        behind = (offsets @ self.velocity < 0) & np.isfinite(away)
        far = behind & (away >= 2 * _CALLED)
        places = np.flatnonzero(far if far.any() else behind)
        if len(places):
            avoid = np.setdiff1d(self.ground.view(self.chaser), [self.runner.cell])
            self.runner.take(
                self.ground.path(self.runner.cell, int(self.rng.choice(places)), avoid)
            )

    def stands(self, tick: int) -> None:
        """Stop."""
        self.runner.take(Path(self.ground.space, np.array([self.runner.cell]), 0.0, 0.0))


def search_for(
    ground: Ground, fled: Escape, search: AnySearch, rng: np.random.Generator
) -> int | None:
    """Return the tick at which a searcher sees the fugitive again, or None. Each takes the shortest
    path to the place that the search assigns.
    """
    space = ground.space
    search.lost(space.position_of(fled.last), fled.velocity)
    crew = [Walker(ground, int(cell)) for cell in fled.hunters]
    goals = [-1] * len(crew)
    for tick, cell in enumerate(fled.cells.tolist()):
        search.advance(ground.tick)
        if tick < fled.lead:
            continue
        for walker in crew:
            walker.walk()
        if any(ground.sees(walker.cell, cell) for walker in crew):
            return tick
        search.observe(np.concatenate([ground.view(walker.cell) for walker in crew]))
        at = space.position_of(np.array([walker.cell for walker in crew]))
        wanted = np.atleast_1d(space.cell_at(search.places(at, rng))).tolist()
        _lead(ground, crew, goals, wanted)
    return None


def _lead(ground: Ground, crew: Sequence[Walker], goals: list[int], wanted: Sequence[int]) -> None:
    for number, (walker, goal) in enumerate(zip(crew, wanted, strict=True)):
        if goal != goals[number]:
            goals[number] = goal
            if path := ground.path(walker.cell, goal):
                walker.take(path)
