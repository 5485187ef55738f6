"""Searching: floods and belief updates against the ways they are usually written, and crowds that
    choose where to go.

The flood of the article on influence maps in game AI is in `flood.cpp`. Belief in NumPy is shifted
slices of the array, and zeros where the viewers look.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

import fieldcraft as fc
from bench import opponents
from bench.race import race, repeats, say
from bench.table import Report, Table, at_least, milliseconds, times

SIZE = 512
VIEWERS = 8
SIGHT = 24.0
STAY = 0.1
UPDATES = 15
"""Updates in a batch, and before it: the arrays of the other contender leave the caches slowly."""
REQUIRED = 8.0
FLOODS = 20
FLOOD_REQUIRED = 30.0
CHOOSE_REQUIRED = 20.0
DATA = Path(
    os.environ.get("FIELDCRAFT_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")
)


class Arrays:
    """The same by whole-array arithmetic: for each of eight ways, what is sent is added to a slice
    one cell further.

    Which ways are open, and how many there are from each cell, is worked out once.
    """

    def __init__(self, space: fc.Grid, views: list[NDArray[np.bool_]]) -> None:
        self.views = views
        links = space.links()
        height, width = space.shape
        self.ways: list[tuple[tuple[slice, slice], tuple[slice, slice], NDArray[np.float64]]] = []
        degree = np.zeros(space.shape)
        flow = np.zeros(space.shape)
        for (dx, dy), mask, length in zip(
            space.neighborhood.steps, space.link_masks, space.neighborhood.lengths(1.0), strict=True
        ):
            there = (slice(max(dy, 0), height + min(dy, 0)), slice(max(dx, 0), width + min(dx, 0)))
            here = (
                slice(max(-dy, 0), height + min(-dy, 0)),
                slice(max(-dx, 0), width + min(-dx, 0)),
            )
            open_ = ((links[there] & mask) != 0) & ~space.walls[here]
            degree[here] += open_
            flow[here] += open_ / length
            self.ways.append((here, there, open_ / length))
        self.part = (1 - STAY) / np.maximum(degree, 1)
        self.keep = 1 - flow * self.part
        self.belief = ~space.walls / np.count_nonzero(~space.walls)

    def update(self) -> None:
        """One step, and what the viewers see cleared."""
        sent = self.belief * self.part
        after = self.belief * self.keep
        for here, there, share in self.ways:
            after[there] += sent[here] * share
        for view in self.views:
            after[view] = 0
        self.belief = after / after.sum()


class Ours:
    """fieldcraft's public calls."""

    def __init__(self, space: fc.Grid, views: list[NDArray[np.bool_]]) -> None:
        self.seen = np.logical_or.reduce(views)
        self.belief = fc.Belief(space, 1.0, stay=STAY, every=1.0)
        self.cells = np.flatnonzero(self.seen)

    def update(self) -> None:
        self.belief.step()
        self.belief.observe(self.cells)


def flood(report: Report, quick: bool) -> None:
    """Floods on the graphs of two games, from twenty places each, until nothing is left to
    enter.
    """
    say("bench pursuit: floods to exhaustion")
    library = opponents.built(Path(__file__).with_name("flood.cpp"))
    library.flood_new.restype = ctypes.c_void_p
    library.flood_delete.argtypes = [ctypes.c_void_p]
    table = Table(
        f"A flood to exhaustion, from {FLOODS} places in turn",
        (
            "map",
            "vertices",
            "fieldcraft best ms a flood",
            "C++ best ms",
            "fieldcraft is, best",
            "median",
            "required",
            "verdict",
        ),
    )
    for name in ("navmesh/cs2/de_dust2.json", "waypoints/quake/e4m5.navjson"):
        path = DATA / name
        if not path.is_file():
            report.notes.append(f"Left out: {name}. Not found: {path} (set FIELDCRAFT_DATA).")
            continue
        graph = fc.load_map(path)
        ways = graph.adjacency
        arcs = np.ascontiguousarray(np.stack([ways.origins, ways.ends.astype(np.int64)], axis=1))
        peer = ctypes.c_void_p(
            library.flood_new(ctypes.c_void_p(arcs.ctypes.data), len(arcs), len(graph))
        )
        starts = np.random.default_rng(2).integers(0, len(graph), FLOODS)

        def ours(start: int, graph: fc.Graph = graph) -> fc.Pursuit:
            hunt = fc.Pursuit(graph, start, speed=1.0, most_hot=len(graph), most_steps=len(graph))
            hunt.step(len(graph))
            return hunt

        for start in starts.tolist():
            library.flood_run(peer, start)
            if library.flood_reached(peer) != np.count_nonzero(ours(start).state()["ignited"] >= 0):
                report.wrong.append(
                    f"flood on {name} from vertex {start}: the two reach different vertices"
                )

        def all_of(one: Callable[[object], object], places: list[object]) -> None:
            for place in places:
                one(place)

        calls = {
            "ours": (lambda: None, partial(all_of, ours, starts.tolist())),
            "peer": (
                lambda: None,
                partial(all_of, partial(library.flood_run, peer), starts.tolist()),
            ),
        }
        found = race(calls, FLOODS, dict.fromkeys(calls, repeats(quick, 3, 15)))
        library.flood_delete(peer)
        ratio = found["peer"].best / found["ours"].best
        table.add(
            path.stem,
            f"{len(graph):,}",
            milliseconds(found["ours"].best),
            milliseconds(found["peer"].best),
            times(ratio),
            times(found["peer"].median / found["ours"].median),
            f"{FLOOD_REQUIRED:g}x",
            at_least(ratio, FLOOD_REQUIRED),
        )
    table.notes.append(
        "fieldcraft makes a Pursuit for each flood and runs it to its end; the peer keeps its lists"
        " of neighbors."
    )
    report.tables.append(table)


def choose(report: Report, quick: bool) -> None:
    """Pursuers that find where they are, read two layers there and around, and choose where to
    go.
    """
    path = DATA / "waypoints" / "quake" / "e4m5.navjson"
    if not path.is_file():
        report.notes.append(
            f"Left out: pursuers that choose. Not found: {path} (set FIELDCRAFT_DATA)."
        )
        return
    say("bench pursuit: a thousand pursuers and more")
    graph = fc.load_map(path)
    rng = np.random.default_rng(6)
    imap = fc.InfluenceMap(graph)
    for name in ("player", "enemy"):
        imap.add_layer(name, fc.Spread(0.002, 0.6)).add_sources(
            graph.position_of(rng.integers(0, len(graph), 12)), 5.0
        )
    imap.step(60)
    hunger = imap["player"] - 0.5 * imap["enemy"]
    neighbors = [graph.neighbors_of(vertex).tolist() for vertex in range(len(graph))]
    tree = cKDTree(graph.positions)

    def loop(positions: NDArray[np.float64]) -> list[int]:
        """What is written for one agent, for all of them; the layers as lists, which are faster to
        read one by one.
        """
        player = imap["player"].values.tolist()
        enemy = imap["enemy"].values.tolist()
        chosen = []
        for position in positions:
            best = int(tree.query(position)[1])
            best_value = player[best] - 0.5 * enemy[best]
            for beside in neighbors[best]:
                value = player[beside] - 0.5 * enemy[beside]
                if value > best_value:
                    best = beside
                    best_value = value
            chosen.append(best)
        return chosen

    table = Table(
        "Pursuers on e4m5 that find their vertex, read two layers and choose the best vertex beside"
        " it, per frame",
        (
            "pursuers",
            "fieldcraft best ms",
            "us a pursuer",
            "Python loop best ms",
            "fieldcraft is, best",
            "required",
            "verdict",
        ),
    )
    for count in (1_000, 2_000, 5_000, 10_000):
        positions = graph.positions[rng.integers(0, len(graph), count)] + rng.uniform(
            -20, 20, (count, 3)
        )
        if not np.allclose(
            fc.query.uphill(hunger, positions).positions, graph.positions[loop(positions)]
        ):
            report.wrong.append(f"{count} pursuers: the loop and fieldcraft choose differently")
        calls = {
            "ours": (imap.step, partial(fc.query.uphill, hunger, positions)),
            "loop": (lambda: None, partial(loop, positions)),
        }
        found = race(calls, 1, {"ours": repeats(quick, 5, 40), "loop": repeats(quick, 2, 5)})
        ratio = found["loop"].best / found["ours"].best
        table.add(
            f"{count:,}",
            milliseconds(found["ours"].best),
            f"{found['ours'].best / count * 1e6:.3f}",
            milliseconds(found["loop"].best),
            times(ratio),
            f"{CHOOSE_REQUIRED:g}x",
            at_least(ratio, CHOOSE_REQUIRED),
        )
    table.notes.append(
        "The map makes a step before each round of fieldcraft, outside of the timing, so that"
        " nothing is remembered."
    )
    report.tables.append(table)


def believe(report: Report, quick: bool) -> None:
    """One step and what eight viewers see."""
    say("bench pursuit: a belief and eight viewers")
    rng = np.random.default_rng(4)
    space = fc.Grid(SIZE, SIZE, walls=rng.random((SIZE, SIZE)) < 0.2, neighbors=8)
    places = space.position_of(np.asarray(space.nearest_open(rng.integers(0, len(space), VIEWERS))))
    views = [fc.visible(space, place, SIGHT) for place in places]
    ours = Ours(space, views)
    arrays = Arrays(space, views)
    for _ in range(25):
        ours.update()
        arrays.update()
    if not np.allclose(ours.belief.probability(), arrays.belief, rtol=1e-9, atol=1e-15):
        report.wrong.append("belief: the arrays and fieldcraft differ")

    def batch(update: Callable[[], None]) -> Callable[[], None]:
        def several() -> None:
            for _ in range(UPDATES):
                update()

        return several

    rounds = repeats(quick, 3, 40)
    calls = {
        "fieldcraft": (batch(ours.update), batch(ours.update)),
        "NumPy": (batch(arrays.update), batch(arrays.update)),
    }
    found = race(calls, UPDATES, dict.fromkeys(calls, rounds))
    table = Table(
        f"Belief: one step and {VIEWERS} views of radius {SIGHT:g}, {SIZE} x {SIZE} with walls, 8"
        " neighbors",
        ("contender", "best ms", "median", "fieldcraft is, best", "median", "required", "verdict"),
    )
    own = found["fieldcraft"]
    other = found["NumPy"]
    table.add("fieldcraft", milliseconds(own.best), milliseconds(own.median), "", "", "", "")
    ratio = other.best / own.best
    table.add(
        "NumPy: slices, shifted and added",
        milliseconds(other.best),
        milliseconds(other.median),
        times(ratio),
        times(other.median / own.median),
        f"{REQUIRED:g}x",
        at_least(ratio, REQUIRED),
    )
    table.notes.append(
        f"{rounds} rounds of {UPDATES} updates, after as many untimed, as in a loop that does nothing else."
        " What the viewers see is given to both."
    )
    report.tables.append(table)


def run(quick: bool) -> Report:
    """Every table of this suite."""
    report = Report()
    flood(report, quick)
    choose(report, quick)
    believe(report, quick)
    return report
