"""Everything that remembers walls follows them: as it is, and in each copy that is made of it
before or after a change. The rules are in `fieldcraft.space.changes`.

A class that reads a `walls_version` has a row in `FOLLOWERS`, or is one of `NO_FOLLOWERS`.
"""

from __future__ import annotations

import ast
import copy
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft import steering
from fieldcraft.pursuit.hiding_places import SearcherSight, visibility_cache
from fieldcraft.pursuit.landmarks import landmarks_of
from fieldcraft.pursuit.transitions import backend
from fieldcraft.space import Space
from fieldcraft.space.space_saves import restored, state_of
from support.propagations import others
from support.worlds import KINDS, open_cells

GRIDS = ("grid", "torus", "cylinder", "corners cut")
HEXES = ("hexes", "torus of hexes", "cylinder of hexes")
ALL = (*GRIDS, "waypoints", "mesh", *HEXES)
SIGHT = (*GRIDS, "mesh", "hexes")
LATTICES = (*GRIDS, *HEXES)


TIMES = ("before", "after", "between")
"""When walls change: before a copy is made, after it, or both."""
WALK = steering.Walk(speed=1.0, distance=1.0)


def reloaded(space: Space) -> Space:
    """The space as a save brings it back: with its walls, without its history."""
    return restored(*state_of(space))


@dataclass(frozen=True)
class Follower:
    """A kind of follower: the classes that it stands for, how one is made beside an open cell, and
    what it shows after it has gone on.

    One without memory (`is_new`) shows what a new one shows. Others show what their copies show.
    """

    covers: tuple[str, ...]
    make: Callable[[Space, int], Any]
    shows: Callable[[Any], list[Any]]
    kinds: tuple[str, ...] = ALL
    is_new: bool = False
    space_of: Callable[[Any], Space] = field(default=lambda follower: follower.space)
    copied: Callable[[Any], Any] | None = None
    saved: Callable[[Any, Path], Any] | None = None
    times: tuple[str, ...] = TIMES


# Distances and paths


def paths_from(space: Space, cell: int) -> Any:
    return Finder(space, cell)


@dataclass
class Finder:
    """A space that answers questions of paths and sight; what it caches belongs to the space."""

    space: Space
    cell: int

    def paths(self) -> list[Any]:
        ends = open_cells(self.space)[::4]
        place = self.space.position_of
        found = []
        for end in ends.tolist():
            path = fc.shortest_path(self.space, place(self.cell), place(end))
            found.append(-1.0 if path is None else path.length)
        return [found]

    def sight(self) -> list[Any]:
        place = self.space.position_of(self.cell)
        return [fc.visible(self.space, place, 6.0), self.space.opaque, self.space.parts()]

    def landmarks(self) -> list[Any]:
        marks, ground = landmarks_of(self.space, self.cell, 6), backend(self.space)
        return [marks.places, marks.away, ground.starts, ground.ends]

    def clusters(self) -> list[Any]:
        visibility = visibility_cache(self.space, SearcherSight(5.0))
        visibility.fill(np.unique(visibility.of))
        return [visibility.of, visibility.views]


def a_distance_map(space: Space, cell: int) -> fc.DistanceMap:
    found = fc.distance_map(space, space.position_of(cell))
    _ = found.values
    return found


def repaired(distances: Any) -> list[Any]:
    distances.repair()
    return [distances.values, distances.outdated]


def shown_flow(flow: Any) -> list[Any]:
    flow.distance_map.repair()
    space = flow.distance_map.space
    places = space.position_of(open_cells(space))
    return [flow.sample(places)]


# Layers


def an_influence_map(propagation: Any) -> Callable[[Space, int], fc.InfluenceMap]:
    def make(space: Space, cell: int) -> fc.InfluenceMap:
        imap = fc.InfluenceMap(space)
        layer = imap.add_layer("a", propagation, every=0.1)
        spots = space.position_of(np.unique([cell, *open_cells(space)[::7].tolist()]))
        amounts = np.arange(1.0, len(spots) + 1)
        if isinstance(propagation, fc.Fade):
            layer.mark(spots, amounts, radius=2.5)
        elif propagation._takes_sources:
            layer.sync(range(len(spots)), spots, amounts)
        else:
            layer.deposit(spots, amounts)
        imap.advance(0.3)
        _ = layer.values
        return imap

    return make


def shown_layer(imap: fc.InfluenceMap) -> list[Any]:
    layer = imap["a"]
    before = layer.values.copy()
    imap.advance(0.2)
    return [before, layer.values.copy()]


def saved_map(imap: fc.InfluenceMap, folder: Path) -> fc.InfluenceMap:
    imap.save(folder / "a")
    return fc.InfluenceMap.load(folder / "a")


def a_layer(propagation: Any, *covers: str, kinds: tuple[str, ...] = ALL) -> Follower:
    return Follower(
        (*covers, "Layer", "Steps"),
        an_influence_map(propagation),
        shown_layer,
        kinds,
        copied=fc.InfluenceMap.copy,
        saved=saved_map,
    )


# Pursuit


def a_belief(motion: Any) -> Callable[[Space, int], fc.Belief]:
    def make(space: Space, cell: int) -> fc.Belief:
        belief = fc.Belief(space, space.typical_step, motion=motion, every=0.5)
        belief.see(space.position_of(cell), velocity=np.full(space.dimensions, 0.5))
        belief.step(3)
        return belief

    return make


def shown_belief(belief: fc.Belief) -> list[Any]:
    before = belief.values.copy()
    belief.observe(open_cells(belief.space)[:2])
    belief.step(2)
    assert not belief.values[belief.space.walls].any()
    return [before, belief.values.copy(), belief.estimate("peak")]


def saved_belief(motion: Any) -> Callable[[fc.Belief, Path], fc.Belief]:
    def save(belief: fc.Belief, folder: Path) -> fc.Belief:
        twin = fc.Belief(reloaded(belief.space), belief.speed, motion=motion, every=belief.every)
        twin.restore(belief.state())
        return twin

    return save


def a_pursuit(space: Space, cell: int) -> fc.Pursuit:
    hunt = fc.Pursuit(space, cell, np.full(space.dimensions, 0.5), every=0.5, tail=4.0)
    hunt.step(3)
    return hunt


def shown_pursuit(hunt: fc.Pursuit) -> list[Any]:
    before = hunt.values.copy()
    hunt.observe(open_cells(hunt.space)[:2])
    hunt.step(2)
    assert not hunt.values[hunt.space.walls].any()
    return [before, hunt.values.copy(), hunt.barrier, hunt.estimate()]


def saved_pursuit(hunt: fc.Pursuit, folder: Path) -> fc.Pursuit:
    space, start = reloaded(hunt.space), int(hunt.space.cell_at(hunt.last_seen))
    twin = fc.Pursuit(space, start, np.full(space.dimensions, 0.5), every=0.5, tail=4.0)
    twin.restore(hunt.state())
    return twin


def a_party(space: Space, cell: int) -> fc.SearchParty:
    party = fc.SearchParty(space, 2 * space.typical_step, sight=4.0, every=1.0, particles=80)
    party.lost(space.position_of(cell), np.full(space.dimensions, 0.5))
    party.places(space.position_of([cell, cell]), np.random.default_rng(1))
    return party


def shown_party(party: fc.SearchParty) -> list[Any]:
    before = party.values
    party.advance(1.5)
    searchers = party.space.position_of(open_cells(party.space)[:2])
    places = party.places(searchers, np.random.default_rng(2))
    assert not party.space.walls.reshape(-1)[party.space.cell_at(places)].any()
    return [before, party.values, places]


def saved_party(party: fc.SearchParty, folder: Path) -> fc.SearchParty:
    twin = fc.SearchParty(
        reloaded(party.space), party.speed, sight=party.sight, every=1.0, particles=80
    )
    twin.restore(party.state())
    return twin


def a_last_seen(space: Space, cell: int) -> fc.LastSeen:
    seen = fc.LastSeen(space, unseen=9.0)
    seen.observe([cell])
    seen.advance(1.0)
    return seen


def shown_last_seen(seen: fc.LastSeen) -> list[Any]:
    assert not seen.values[seen.space.walls].any() and not seen.never[seen.space.walls].any()
    return [seen.values, seen.never]


def saved_last_seen(seen: fc.LastSeen, folder: Path) -> fc.LastSeen:
    twin = fc.LastSeen(reloaded(seen.space), unseen=9.0)
    twin.restore(seen.state())
    return twin


# Agents


@dataclass
class Walkers:
    """Agents of a PIBT in their cells, on the way to goals."""

    space: Space
    pibt: steering.PIBT
    cells: Any
    goals: Any


def walkers(**options: Any) -> Callable[[Space, int], Walkers]:
    def make(space: Space, cell: int) -> Walkers:
        parts = space.parts().reshape(-1)
        cells = np.flatnonzero(parts == parts[cell])
        made = Walkers(
            space, steering.PIBT(space, on_unreachable="wait", **options), cells[:3], cells[-3:]
        )
        made.cells = made.pibt.step(made.cells, made.goals)
        return made

    return make


def shown_walkers(made: Walkers) -> list[Any]:
    found, walls = [], made.space.walls.reshape(-1)
    made.cells = np.unique(made.space.nearest_open(made.cells))
    made.goals = np.unique(made.space.nearest_open(made.goals))[: len(made.cells)]
    made.cells = made.cells[: len(made.goals)]
    for _ in range(3):
        made.cells = made.pibt.step(made.cells, made.goals)
        assert not walls[made.cells].any()
        found.append(made.cells)
    return found


def one_walker(space: Space, cell: int) -> Walkers:
    pibt = steering.PIBT(space, look_ahead=3, on_unreachable="wait")
    return Walkers(space, pibt, np.array([cell]), np.array([len(space) - 1]))


def shown_walk(made: Walkers) -> list[Any]:
    """How many steps lead to the goal; which of the shortest paths is taken is drawn anew."""
    goals, cells, steps = np.atleast_1d(made.space.nearest_open(made.goals)), made.cells, 0
    while steps < 60 and not np.array_equal(cells, goals):
        cells, steps = made.pibt.step(cells, goals), steps + 1
    return [steps]


def a_swarm(space: Space, cell: int) -> steering.Swarm:
    swarm = steering.Swarm.at(space, space.position_of([cell, cell]), seed=3)
    swarm.run(WALK, 0.1, steps=3)
    return swarm


def shown_swarm(swarm: steering.Swarm) -> list[Any]:
    swarm.run(WALK, 0.1, steps=5)
    assert not swarm.space.walls.reshape(-1)[swarm.cells].any()
    return [swarm.agents.copy()]


FOLLOWERS = {
    "distance map": Follower(("DistanceMap", "GridSearch"), a_distance_map, repaired, is_new=True),
    "flee map": Follower(
        (), lambda space, cell: fc.flee_map(a_distance_map(space, cell)), repaired, is_new=True
    ),
    "flow field": Follower(
        ("FlowField",),
        lambda space, cell: fc.flow_field(a_distance_map(space, cell)),
        shown_flow,
        ("grid", "torus", "cylinder", "waypoints", "mesh", *HEXES),
        is_new=True,
    ),
    "paths": Follower(
        ("GraphProblem", "moves_of", "_windows"), paths_from, Finder.paths, is_new=True
    ),
    "sight": Follower(("cached_until_walls_change",), paths_from, Finder.sight, SIGHT, is_new=True),
    "landmarks": Follower((), paths_from, Finder.landmarks, is_new=True),
    "clusters of what is seen": Follower((), paths_from, Finder.clusters, SIGHT, is_new=True),
    "clearance": Follower(
        ("Clearance", "_Sizes"),
        lambda space, cell: fc.question.Clearance(space),
        lambda clearance: [clearance.values],
        (*GRIDS, "mesh"),
        is_new=True,
    ),
    "eased": Follower(
        ("Eased",),
        lambda space, cell: fc.compose.Eased(fc.question.Clearance(space), half_life=1.0),
        lambda eased: [eased.values, eased.space.walls],
        GRIDS,
    ),
    "expression": Follower(
        ("Expression", "Ground"),
        lambda space, cell: 1 + 2 * fc.question.Clearance(space),
        lambda expression: [expression.values],
        GRIDS,
        is_new=True,
    ),
    "smoothing": Follower(
        ("Smoothing",),
        lambda space, cell: fc.question.Clearance(space).smooth(2),
        lambda expression: [expression.values],
        GRIDS,
        is_new=True,
    ),
    "spread": a_layer(fc.Spread(0.05, 0.6), "SpreadingField"),
    "spread without pins": a_layer(fc.Spread(0.05, 0.6, pin=False), "SpreadingField"),
    "radial": a_layer(fc.Radial(5), "RadialField", "RadialUpdates"),
    "radial along paths": a_layer(fc.Radial(5, metric="path"), "RadialField", "RadialUpdates"),
    "flood": a_layer(fc.Flood(0.12, steps=9), "FloodField"),
    "fade": a_layer(fc.Fade(3.0, 1.0, mark_spread=0.4), "FadeField"),
    "fade that spreads": a_layer(fc.Fade(half_life=3.0, diffusion=0.2), "FadeField"),
    "trail": a_layer(fc.Trail(), "TrailField", kinds=LATTICES),
    "diffuse": a_layer(fc.Diffuse(0.8, half_life=3.0), "DiffuseField"),
    **{
        type(other).__name__: a_layer(other)
        for other in others(fc.Spread, fc.Radial, fc.Flood, fc.Fade, fc.Trail, fc.Diffuse)
    },
    "belief": Follower(("Belief",), a_belief(None), shown_belief, saved=saved_belief(None)),
    "belief with motions": Follower(
        ("Belief",),
        a_belief(fc.Motion()),
        shown_belief,
        saved=saved_belief(fc.Motion()),
    ),
    "last seen": Follower(("LastSeen",), a_last_seen, shown_last_seen, saved=saved_last_seen),
    "pursuit": Follower(("Pursuit", "Flood"), a_pursuit, shown_pursuit, saved=saved_pursuit),
    "search party": Follower(
        ("SearchParty",), a_party, shown_party, (*SIGHT, "waypoints"), saved=saved_party
    ),
    "agents that step together": Follower(("ManyGoals",), walkers(), shown_walkers),
    "agents that look ahead": Follower(("Guides",), walkers(look_ahead=3), shown_walkers),
    "one agent that looks ahead": Follower(("Guides",), one_walker, shown_walk, is_new=True),
    "swarm": Follower(
        ("Swarm", "HostAgents"), a_swarm, shown_swarm, GRIDS, copied=steering.Swarm.copy
    ),
}

NO_FOLLOWERS = {
    "Grid": "has the version; follows a finer grid, see test_changes",
    "Graph": "gives lines of sight a grid of its own, which nothing may change",
    "GridSnapshot": "is the walls of one moment",
    "GridMoves": "is the moves of one moment",
    "_grid_now": "is cached with the space",
    "_graph_now": "is cached with the space",
}

CASES = [
    (name, kind, when)
    for name, row in FOLLOWERS.items()
    for kind in row.kinds
    for when in row.times
]


def copies_of(row: Follower, folder: Path) -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """How copies of a follower are made."""
    yield "deep copy", copy.deepcopy
    yield "pickle", lambda follower: pickle.loads(pickle.dumps(follower))
    if row.copied is not None:
        yield "copy", row.copied
    if row.saved is not None:
        save = row.saved
        yield "save", lambda follower: save(follower, folder)


def change(space: Space, spared: int, seed: int) -> None:
    """Close some cells and open some walls, and where there are edges, block one."""
    dice = np.random.default_rng(seed)
    walls = np.flatnonzero(space.walls.reshape(-1))
    free = np.setdiff1d(open_cells(space), [spared])
    space.set_walls(dice.choice(free, min(5, len(free) // 3), replace=False))
    space.set_walls(dice.choice(walls, min(2, len(walls)), replace=False), False)
    if seed % 2 and not isinstance(space, fc.Grid) and len(space.graph.open_edges):
        space.graph.set_edges(dice.choice(space.graph.open_edges))


def world(kind: str, seed: int) -> tuple[Space, int]:
    space = KINDS[kind](np.random.default_rng(seed))
    parts = space.parts().reshape(-1)
    largest = np.flatnonzero(parts == 0)
    return space, int(largest[len(largest) // 2])


def assert_same(one: list[Any], other: list[Any], how: str) -> None:
    assert len(one) == len(other)
    for first, second in zip(one, other, strict=True):
        assert np.array_equal(first, second, equal_nan=True), how


@pytest.mark.parametrize(("name", "kind", "when"), CASES)
def test_followers_and_their_copies_follow_walls(
    name: str, kind: str, when: str, tmp_path: Path
) -> None:
    row = FOLLOWERS[name]
    for seed in range(2):
        for how, copied in copies_of(row, tmp_path):
            space, cell = world(kind, seed)
            follower = row.make(space, cell)
            if row.is_new:
                row.shows(follower)  # so that it has something to remember
            if when != "after":
                change(space, cell, seed)
            twin = copied(follower)
            if when != "before":
                change(space, cell, 10 + seed)
                if row.space_of(twin) is not space:
                    change(row.space_of(twin), cell, 10 + seed)
            shown = row.shows(twin)
            assert_same(shown, row.shows(follower), how)
            if row.is_new:
                assert_same(shown, row.shows(row.make(reloaded(space), cell)), "new")


def readers() -> set[str]:
    """The classes and functions of the library that read a `walls_version`."""
    names = {"walls_version", "walls_changed", "_walls_version"}
    found = set()
    for file in Path(fc.__file__).parent.rglob("*.py"):
        for part in ast.parse(file.read_text()).body:
            if not isinstance(part, (ast.ClassDef, ast.FunctionDef)):
                continue
            read = {each.attr for each in ast.walk(part) if isinstance(each, ast.Attribute)}
            read |= {each.id for each in ast.walk(part) if isinstance(each, ast.Name)}
            if read & names:
                found.add(part.name)
    return found


def test_every_reader_of_a_version_is_in_the_table() -> None:
    table = {name for row in FOLLOWERS.values() for name in row.covers} | set(NO_FOLLOWERS)
    assert readers() - table == set(), "add a row to FOLLOWERS"
    assert table - readers() == set(), "remove what is no longer there"
