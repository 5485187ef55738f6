"""Hunters with limited knowledge, against one that sees through walls.

A hunter looks believable if it does not use knowledge that it cannot have. This study counts the
steps that bring a hunter nearer to a target that it has not seen for some time: about half by
chance.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid, InfluenceMap, Trail, distance_map, visible
from fieldcraft_worlds.games.chase.searches import BeliefSearch
from research.hunt.hunt import CAUGHT, LONGEST, RATE, hunt_jobs, steps_to, target_walk
from research.shared.statistics import Interval, mean, rate
from research.shared.study import (
    Experiment,
    Job,
    Measure,
    Row,
    Study,
    Summary,
    integer,
    map_options,
    number,
    seed_options,
)
from research.shared.worlds import by_map, grid_of, seeds_of, worlds_of

SIGHT = 10.0  # cells
LEAD = 4 * RATE  # steps for which the hunter only looks
UNSEEN = 2 * RATE  # steps after which a target counts as unseen
_HALF_LIFE = 5.0  # seconds, of the trail

HUNTERS = {
    "through walls": "shortest path to the target, seen or not",
    "last seen": "shortest path to where it was last seen",
    "trail": "along the trail of directions that it leaves",
    "belief": "by a belief about the target",
}
"""Methods of following, and their names in tables."""

_MEASURES = (
    Measure("caught", percent=True, limits=(0.0, 1.0)),
    Measure("seconds until then"),
    Measure("seconds unseen"),
    Measure("steps nearer to an unseen target", percent=True, limits=(0.0, 1.0), mark=0.5),
)


def knowledge_study(
    kinds: Iterable[str] | None = None,
    files: Iterable[str | os.PathLike[str]] = (),
    *,
    size: str = "80x56",
    seeds: int = 40,
    first_seed: int = 1000,
    seconds: float = 60.0,
) -> Study:
    """Return the study of `experiment knowledge`: the same walks, followed by each hunter.

    Raises
    ------
    InvalidValue
        For arguments out of range.
    BadMapFile
        For a file that is no map.
    """
    worlds, digests = worlds_of(kinds, files, size, neighbors=8)
    jobs = hunt_jobs(worlds, seeds_of(seeds, first_seed), seconds, HUNTERS)
    title = "Following a target that goes out of sight"
    return Study("knowledge", title, "hunts", jobs, hunt, _summarise, digests)


def hunt(job: Job) -> Row:
    """Return the end of one hunt, the time without sight of the target, and the share of steps
    nearer to it in that time.
    """
    space = grid_of(job, "The hunt takes place", neighbors=8)
    steps = round(number(job, "seconds") * RATE)
    seed = integer(job, "seed")
    _, *target = target_walk(space, np.random.default_rng(seed), steps)
    hunter = _METHODS[str(job["by"])](space, target[0], np.random.default_rng([seed, 1]))
    unseen = 0
    nearer = 0
    moved = 0
    ended = len(target)
    for step, at in enumerate(target):
        distances = distance_map(space, space.position_of(at)).values.reshape(-1)
        before = hunter.cell
        if distances[before] <= CAUGHT * space.cell_size:
            ended = step
            break
        hunter.step(at)
        if hunter.unseen > UNSEEN:
            unseen += 1
            moved += bool(distances[hunter.cell] != distances[before])
            nearer += bool(distances[hunter.cell] < distances[before])
    return {
        "caught": ended < len(target),
        "after": ended / RATE,
        "unseen": unseen / RATE,
        "moved": moved,
        "nearer": nearer,
    }


class _Hunter:
    """A hunter that starts in sight of the target. When it loses sight it walks to the last known
    place of the target, and then to random places.
    """

    def __init__(self, space: Grid, target: int, rng: np.random.Generator) -> None:
        self.space = space
        self.rng = rng
        self.unseen = 0
        self.last = target
        self.path: list[int] = []
        self._steps = 0
        self._home = np.flatnonzero(space.parts().reshape(-1) == 0)
        self.cell = int(rng.choice(self._home[self._view(target)[self._home]]))

    def step(self, target: int) -> None:
        """Look, and take a step."""
        view = self._view(self.cell)
        self.unseen = 0 if view[target] else self.unseen + 1
        self.search(target, view)
        if not self.unseen:
            self.path = steps_to(self.space, self.cell, target)
            self.last = target
        if not self.path:
            self.path = steps_to(self.space, self.cell, int(self.rng.choice(self._home)))
        self._steps += 1
        if self.path and self._steps > LEAD:
            self.cell = self.path.pop()

    def search(self, target: int, view: NDArray[np.bool_]) -> None:
        """Choose the path to an unseen target; `view` are the cells in sight, (cells,)."""

    def _view(self, cell: int) -> NDArray[np.bool_]:
        space = self.space
        return visible(space, space.position_of(cell), SIGHT * space.cell_size).reshape(-1)


class _ThroughWalls(_Hunter):
    def search(self, target: int, view: NDArray[np.bool_]) -> None:
        self.path = steps_to(self.space, self.cell, target)


class _Trail(_Hunter):
    """A hunter that follows the trail in its cell, if there is one."""

    def __init__(self, space: Grid, target: int, rng: np.random.Generator) -> None:
        super().__init__(space, target, rng)
        trail = Trail(half_life=_HALF_LIFE, vector=True)
        self._trail = InfluenceMap(space).add_layer("trail", trail, every=1 / RATE)
        self._before = target

    def search(self, target: int, view: NDArray[np.bool_]) -> None:
        here = self.space.position_of(self.cell)
        heading = self.space.position_of(target) - self.space.position_of(self._before)
        self._trail.deposit(self.space.position_of(self._before), heading)
        self._trail.step()
        self._before = target
        vector = self._trail.vectors.reshape(-1, 2)[self.cell]
        if vector.any():
            beside = np.asarray(self.space.neighbors_of(self.cell))
            ahead = self.space.position_of(beside) - here
            self.path = [int(beside[np.argmax((ahead @ vector) / np.hypot(*ahead.T))])]


class _Belief(_Hunter):
    """A hunter that walks to the likeliest place of a belief."""

    def __init__(self, space: Grid, target: int, rng: np.random.Generator) -> None:
        super().__init__(space, target, rng)
        self._belief = BeliefSearch(space, RATE * space.cell_size)

    def search(self, target: int, view: NDArray[np.bool_]) -> None:
        position_of = self.space.position_of
        self._belief.advance(1 / RATE)
        if not self.unseen:
            self._belief.found(position_of(target))
            return
        if self.unseen == 1:
            velocity = (position_of(target) - position_of(self.last)) * RATE
            self._belief.lost(position_of(self.last), velocity)
        self._belief.observe(view.reshape(self.space.shape))
        goal = self._belief.places(position_of(self.cell)[None], self.rng)[0]
        self.path = steps_to(self.space, self.cell, int(self.space.cell_at(goal)))


_METHODS = {
    "through walls": _ThroughWalls,
    "last seen": _Hunter,
    "trail": _Trail,
    "belief": _Belief,
}


def _summarise(rows: Sequence[Row]) -> Summary:
    groups = by_map(rows)
    found: dict[tuple[str, str, str], Interval] = {}
    for group, some in groups.items():
        for method in HUNTERS:
            own = [row for row in some if row["by"] == method]
            shares = [number(row, "nearer") / number(row, "moved") for row in own if row["moved"]]
            caught = sum(bool(row["caught"]) for row in own)
            values = (
                rate(caught, len(own)),
                mean([number(row, "after") for row in own]),
                mean([number(row, "unseen") for row in own]),
                *([mean(shares)] if shares else []),
            )
            for measure, value in zip(_MEASURES, values, strict=False):
                found[group, method, measure.name] = value
    notes = (
        *(f"{name}: {text}" for name, text in HUNTERS.items()),
        f"A target is unseen {UNSEEN / RATE:g} s after it went out of sight ({SIGHT:g} cells, no"
        " wall between). All hunters start in sight, wait"
        f" {LEAD / RATE:g} s, walk to a target in sight, and to random places without knowledge;"
        " a hunt that fails counts with its whole time",
    )
    return Summary(tuple(groups), tuple(HUNTERS), _MEASURES, found, notes)


EXPERIMENT = Experiment(
    "knowledge",
    "hunters with limited knowledge, against one that sees through walls",
    "Lets hunters follow a target that goes out of sight, and counts their steps nearer to it while"
    " they cannot know its place.",
    {
        **map_options(),
        **seed_options(40, "worlds per map, each hunted in by every method"),
        **LONGEST,
    },
    knowledge_study,
)
