"""How a fugitive gets out of sight, what it does then, and how long searchers take to see it again.

Lengths are in typical steps of the map, so that one set of settings fits a grid, a mesh and a
waypoint graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Graph, Grid, Path, distance_map, visible
from fieldcraft.errors import InvalidValue

if TYPE_CHECKING:
    from fieldcraft_worlds.games.chase.searches import AnySearch

FUGITIVES = ("runs", "hides", "doubles back", "stands")
"""The ways of a fugitive once out of sight: runs on, and on; hides near by; turns and goes back
past the hunters; stands still.
"""

SPEED = 3.0  # steps a second, his and theirs

_KEPT = 20_000  # views that are kept
_TRIES = 200  # starts that are tried on a map before it is given up
_FAR = 40  # steps: how far he wants to go
_GAP = (4, 10)  # steps that the one who chases him is behind
# the tick in which the one behind him doesn't get on: so he is lost even where nothing hides him
_STUMBLE = 4
_CALLED = 20  # steps: how far from the one who chases him the others are at most
_HIDING = (3, 15)  # steps to a hiding place
_TURN = (2.0, 5.0)  # seconds after which he turns to double back


class Ground:
    """A map, what is seen from each cell, and how far it is to it; both looked up once.

    `reach` is how far one sees, in typical steps.
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
        """Seconds in which a typical step is taken."""
        return 1.0 / SPEED

    def view(self, cell: int) -> NDArray[np.int64]:
        """The cells that are seen from a cell, all round."""
        if (known := self._views.get(cell)) is None:
            seen = visible(self.space, self.space.position_of(cell), self.reach * self.step)
            if len(self._views) >= _KEPT:
                self._views.clear()
            known = self._views[cell] = np.flatnonzero(seen)
        return known

    def sees(self, cell: int, other: int) -> bool:
        """Whether one cell is seen from another."""
        view = self.view(cell)
        at = int(np.searchsorted(view, other))
        return at < len(view) and int(view[at]) == other

    def distances(self, cell: int) -> NDArray[np.float32]:
        """How far it is from each cell to this one, in steps; infinite where no way leads."""
        return distance_map(self.space, self.space.position_of(cell)).values.reshape(
            -1
        ) / np.float32(self.step)

    def path(self, start: int, goal: int, avoid: NDArray[np.int64] | None = None) -> Path:
        """The shortest path, around the cells to `avoid` if there is one."""
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
        """Of one step, in typical steps."""
        first, after = int(self._adjacency.starts[start]), int(self._adjacency.starts[start + 1])
        return (
            float(
                self._adjacency.lengths[
                    first + int(np.searchsorted(self._adjacency.ends[first:after], end))
                ]
            )
            / self.step
        )


class Walker:
    """An agent on its path from cell to cell, a typical step each tick. `cell` is the one it
    is nearest to.
    """

    def __init__(self, ground: Ground, cell: int) -> None:
        self.ground = ground
        self.cell = cell
        self._path: list[int] = []
        self._left = 0.0

    @property
    def arrived(self) -> bool:
        """Whether the path is at its end."""
        return not self._path

    def take(self, path: Path) -> None:
        """Follow a path, which begins where the agent is; what it has gone of another step it goes
        back.
        """
        before, self._path = self._path, path.cells[:0:-1].tolist()
        if before[-1:] != self._path[-1:]:
            self._left = -abs(self._left)

    def walk(self) -> None:
        """Let a tick pass. A step counts as taken when half of it is; the agent rests at the end of
        its path.
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
    """The fugitive is out of sight, and so are its ways.

    `last` is the cell that it was last seen in, `velocity` how it ran there, world units a second.
    `cells` (ticks,) are where it is from then on, the first being one out of sight; `hunters` where
    those are who search for it, the one that chased it first. They set out after `lead` ticks, and
    see nothing before.
    """

    last: int
    velocity: NDArray[np.float64]
    cells: NDArray[np.int64]
    hunters: NDArray[np.int64]
    lead: int


def escape(
    ground: Ground, fugitive: str, *, hunters: int, ticks: int, lead: int, seed: int
) -> Escape:
    """One who is chased gets out of sight of the one behind it; where it goes then, and where the
    others are.

    The chase depends on the map and the seed alone, its behavior on `fugitive` too, and of more
    hunters the first are the same. The others are at most twenty steps from the first, and don't
    see it.

    Raises
    ------
    InvalidValue
        For a map on which nobody gets out of sight.
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
    """Where the fugitive was last seen and how it ran, itself, and the one behind it; None if it
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
    chaser, runner = Walker(ground, start), Walker(ground, int(path.cells[0]))
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
    """A cell that the fugitive can reach, forty steps away, or in the farther half where the map is
    smaller.
    """
    away = _from(ground, start)
    reached = np.flatnonzero(np.isfinite(away))
    if len(reached) < 2:
        return None
    least = min(_FAR, float(np.median(away[reached])))
    return int(rng.choice(reached[away[reached] >= least]))


def _from(ground: Ground, start: int) -> NDArray[np.float32]:
    """How far each cell is from a start, in steps: to it, since ways that lead only one way are
    few; those that don't come back are out.
    """
    return ground.distances(start)


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
        self.ground, self.rng, self.runner = ground, rng, runner
        self.chaser, self.last, self.velocity = chaser, last, velocity
        self.turn = int(rng.uniform(*_TURN) / ground.tick)

    def runs(self, tick: int) -> None:
        """On to where the fugitive wanted to go, and from there to the next place."""
        if self.runner.arrived:
            goal = _far_goal(self.ground, self.rng, self.runner.cell)
            if goal is not None and (path := self.ground.path(self.runner.cell, goal)):
                self.runner.take(path)

    def hides(self, tick: int) -> None:
        """To a place near by that few others see, and not those who look at the place last seen
        from afar; it stays there.
        """
        if tick:
            return
        away = _from(self.ground, self.runner.cell)
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
        """On for some seconds; then to a place behind the chaser, out of its sight if there is such
        a way, and on.
        """
        if tick != self.turn:
            self.runs(tick)
            return
        away = _from(self.ground, self.runner.cell)
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
        """Not a step more."""
        self.runner.take(Path(self.ground.space, np.array([self.runner.cell]), 0.0, 0.0))


def search_for(
    ground: Ground, fled: Escape, search: AnySearch, rng: np.random.Generator
) -> int | None:
    """The tick at which a searcher sees the fugitive again, None if none does. Each goes where the
    search sends it, the shortest way.
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
