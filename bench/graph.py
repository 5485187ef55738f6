"""Spread on graphs against the way of the article on influence maps in game AI, written plainly in
C++; nearest vertices; ways.

"Far from rest": each batch starts from a field of random values, written outside of the timing, and
ends while every vertex still changes. "Moving": all sources change places before each step, so that
no block that holds a value is at rest. The peer collects the vertices of a step in a set; the last
column is against one that flags them instead.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import Delaunay, cKDTree

import fieldcraft as fc
from bench import graph_ways, opponents
from bench.race import race, repeats, say
from bench.table import Report, Table, at_least, at_most, milliseconds, target, times
from fieldcraft import view
from fieldcraft.space import Graph
from research.shared.plots import IntervalPanel, plot_curves

MOMENTUM = 0.3
STRENGTH = 5.0
FLOOR = 2e-3
"""What the two floors may differ by: the peer drops what is at most 0.001, fieldcraft what is below
it and heads below it.
"""
SEED = 20260807
CHART = Path("out/bench/propagations.png")

Values = NDArray[np.float32]
Cells = NDArray[np.int64]


class Waypoints:
    """The peer."""

    def __init__(
        self, library: ctypes.CDLL, graph: Graph, decay: float, *, flagged: bool = False
    ) -> None:
        self._library = library
        self._count = len(graph)
        places = np.ascontiguousarray(graph.positions)
        edges = np.ascontiguousarray(graph.edges)
        library.waypoints_new.restype = ctypes.c_void_p
        tuned = (ctypes.c_float(decay), ctypes.c_float(MOMENTUM), ctypes.c_bool(flagged))
        numbers = (ctypes.c_int(len(graph)), _address(edges), ctypes.c_int(len(edges)), *tuned)
        self._handle = ctypes.c_void_p(library.waypoints_new(_address(places), *numbers))
        weakref.finalize(self, library.waypoints_delete, self._handle)

    def write(self, values: Values) -> None:
        self._library.waypoints_write(self._handle, _address(np.ascontiguousarray(values)))

    def place(self, cells: Cells) -> None:
        cells = np.ascontiguousarray(cells)
        self._library.waypoints_sources(
            self._handle, _address(cells), ctypes.c_int(len(cells)), ctypes.c_float(STRENGTH)
        )

    def step(self, steps: int) -> None:
        self._library.waypoints_step(self._handle, ctypes.c_int(steps))

    def read(self) -> Values:
        values = np.empty(self._count, dtype=np.float32)
        self._library.waypoints_read(self._handle, _address(values))
        return values


class Fieldcraft:
    """A layer on the graph, by its public calls."""

    def __init__(self, graph: Graph, decay: float) -> None:
        self._graph = graph
        self.layer = fc.InfluenceMap(graph).add_layer(
            "influence", fc.Spread(decay=decay, momentum=MOMENTUM)
        )
        self._ids = np.empty(0, np.int64)

    def write(self, values: Values) -> None:
        self.layer.write(values)

    def place(self, cells: Cells) -> None:
        positions = self._graph.positions[cells]
        if len(self._ids):
            self.layer.sources.move(self._ids, positions)
        else:
            self._ids = self.layer.add_sources(positions, STRENGTH)

    def step(self, steps: int) -> None:
        for _ in range(steps):
            self.layer.step()

    def read(self) -> Values:
        return self.layer.read()


def lattice(side: int, *, shuffled: bool = False) -> Graph:
    """Vertices one apart, each with its eight neighbors; in random order if `shuffled`."""
    rows, columns = np.divmod(np.arange(side * side), side)
    edges = []
    for across, down in ((1, 0), (0, 1), (1, 1), (-1, 1)):
        inside = (columns + across >= 0) & (columns + across < side) & (rows + down < side)
        edges.append(
            np.stack(
                [np.flatnonzero(inside), np.flatnonzero(inside) + down * side + across], axis=1
            )
        )
    pairs = np.concatenate(edges)
    places = np.stack([columns, rows], axis=1).astype(np.float64)
    if shuffled:
        number = np.random.default_rng(SEED).permutation(side * side)
        places[number] = places.copy()
        pairs = number[pairs]
    return Graph(places, pairs)


def navmesh(polygons: int) -> Graph:
    """The triangles between random points: so many, or a few less."""
    points = np.random.default_rng(SEED).random((polygons // 2 + 20, 2)) * np.sqrt(polygons)
    return Graph.from_polygons(points, Delaunay(points).simplices[:polygons])


@dataclass(frozen=True)
class Case:
    """One row: `alive` is the share of vertices that hold a value."""

    title: str
    graph: Callable[[], Graph]
    decay: float
    start: Literal["noise", "settled"]
    moving: bool
    sources: int
    steps: int
    rounds: int
    required: float | None
    smoke: bool = True


CASES = (
    Case(
        "300 x 300 lattice, far from rest",
        partial(lattice, 300),
        0.05,
        "noise",
        False,
        100,
        16,
        30,
        70,
    ),
    Case(
        "300 x 300 lattice, settled: nothing left to do",
        partial(lattice, 300),
        0.05,
        "settled",
        False,
        100,
        16,
        10,
        70,
    ),
    Case(
        "1,000,000 vertices in random order, far from rest",
        partial(lattice, 1000, shuffled=True),
        0.05,
        "noise",
        False,
        100,
        2,
        6,
        100,
    ),
    Case(
        "1,000,000 vertices in random order, a tenth alive, moving",
        partial(lattice, 1000, shuffled=True),
        0.47,
        "settled",
        True,
        100,
        8,
        4,
        30,
    ),
)


def run(quick: bool) -> Report:
    """The tables of this suite."""
    report = Report()
    try:
        library = opponents.compiled()
    except opponents.MissingCompilerError as error:
        report.notes.append(str(error))
        return report
    table = Table("Spread on graphs, a step", _COLUMNS)
    graphs: dict[Any, Graph] = {}
    for case in CASES:
        say(f"bench graph: {case.title}")
        key = repr(case.graph)
        if key not in graphs:
            graphs.clear()
            graphs[key] = case.graph()
        _compare(case, graphs[key], library, quick, table, report)
    report.tables += [table, *_frames(library, quick), _nearest(quick)]
    report.tables += graph_ways.tables(lattice(300), navmesh(10_000), quick, report)
    return report


_COLUMNS = (
    "case",
    "alive",
    "best ms",
    "median ms",
    "C++ best ms",
    "fieldcraft is, best",
    "median",
    "required",
    "verdict",
    "against C++ with flags",
)


def _compare(
    case: Case, graph: Graph, library: ctypes.CDLL, quick: bool, table: Table, report: Report
) -> None:
    rng = np.random.default_rng(SEED)
    first = rng.choice(len(graph), case.sources, replace=False)
    second = np.array([graph.neighbors_of(cell)[0] for cell in first.tolist()])
    own, peer, kinder = (
        Fieldcraft(graph, case.decay),
        *(Waypoints(library, graph, case.decay, flagged=flag) for flag in (False, True)),
    )
    own.place(first)
    if case.start == "noise":
        values = (0.5 + 4.5 * rng.random(len(graph))).astype(np.float32)
    else:
        own.layer.settle()
        own.layer.step(40)
        values = own.read()

    def prepare(contender: Any) -> None:
        contender.place(first)
        contender.write(values)
        contender.step(1)

    def batch(contender: Any) -> None:
        if not case.moving:
            contender.step(case.steps)
            return
        for turn in range(case.steps):
            contender.place(first if turn % 2 else second)
            contender.step(1)

    contenders: dict[str, Any] = {"own": own, "peer": peer, "kinder": kinder}
    for contender in contenders.values():
        prepare(contender)
        batch(contender)
    ours = own.read()
    theirs = peer.read()
    held = np.union1d(first, second)  # the peer's sources fall below their strength within a step
    worst = float(np.abs(np.delete(ours, held) - np.delete(theirs, held)).max())
    if worst > FLOOR:
        report.wrong.append(f"{case.title}: differs from the C++ by {worst:g}")
    alive = np.count_nonzero(ours) / len(graph)
    rounds = repeats(quick, 2, case.rounds)
    took = race(
        {name: (partial(prepare, each), partial(batch, each)) for name, each in contenders.items()},
        case.steps,
        {"own": rounds, "peer": min(rounds, 3), "kinder": min(rounds, 2)},
    )
    ratio = took["peer"].best / took["own"].best
    table.add(
        case.title,
        f"{alive:.0%}",
        milliseconds(took["own"].best),
        milliseconds(took["own"].median),
        milliseconds(took["peer"].best),
        times(ratio),
        times(took["peer"].median / took["own"].median),
        f"{case.required:g}x",
        at_least(ratio, case.required),
        times(took["kinder"].best / took["own"].best),
    )


def _frames(library: ctypes.CDLL, quick: bool) -> list[Table]:
    """1 to 50 propagations in a frame, on two sizes of a navigation mesh: a layer each."""
    tables = []
    panels = []
    counts = (1, 5, 10, 20, 30, 40, 50)
    for polygons in (10_000, 40_000):
        say(f"bench graph: propagations a frame, {polygons:,} polygons")
        graph = navmesh(polygons)
        rng = np.random.default_rng(SEED)
        imap = fc.InfluenceMap(graph)
        layers = [
            imap.add_layer(f"layer {k}", fc.Spread(decay=0.05, momentum=MOMENTUM))
            for k in range(50)
        ]
        values = (0.5 + 4.5 * rng.random(len(graph))).astype(np.float32)
        peer = Waypoints(library, graph, 0.05)
        table = Table(
            f"Propagations a frame, navigation mesh of {len(graph):,} triangles",
            (
                "propagations",
                "best ms",
                "median ms",
                "C++ best ms",
                "fieldcraft is, best",
                "median",
                "required",
                "verdict",
            ),
        )
        drawn = []
        for count in counts:

            def prepare_own(
                count: int = count, layers: list[fc.Layer] = layers, values: Values = values
            ) -> None:
                for layer in layers[:count]:
                    layer.write(values)
                    layer.step()

            def frame(count: int = count, layers: list[fc.Layer] = layers) -> None:
                for layer in layers[:count]:
                    layer.step()

            prepare_own()
            frame()
            rounds = repeats(quick, 3, 20)
            took = race(
                {
                    "own": (prepare_own, frame),
                    "peer": (partial(peer.write, values), partial(peer.step, count)),
                },
                1,
                {"own": rounds, "peer": repeats(quick, 2, 4)},
            )
            drawn.append([took[name].best * 1e3 for name in ("own", "peer")])
            required = 60 if count == 50 and polygons == 10_000 else None
            ratio = took["peer"].best / took["own"].best
            table.add(
                str(count),
                milliseconds(took["own"].best),
                milliseconds(took["own"].median),
                milliseconds(took["peer"].best),
                times(ratio),
                times(took["peer"].median / took["own"].median),
                target(required),
                at_least(ratio, required),
            )
        tables.append(table)
        both = np.array(drawn)
        alone = np.where([True, False], both, np.nan)
        panels.append(IntervalPanel(f"{len(graph):,} triangles, ms a frame", both, both, both))
        panels.append(IntervalPanel("fieldcraft alone", alone, alone, alone))
    chart = plot_curves(
        counts,
        ["fieldcraft", "C++"],
        panels,
        axis="propagations a frame",
        title="Time of a frame",
        columns=2,
    )
    CHART.parent.mkdir(parents=True, exist_ok=True)
    view.save_png(CHART, chart)
    tables[-1].notes.append(f"Drawn in {CHART}.")
    return tables


def _nearest(quick: bool) -> Table:
    table = Table(
        "Nearest vertex for 10,000 positions",
        ("vertices", "best ms", "bare cKDTree ms", "costs", "median", "at most", "verdict"),
    )
    rng = np.random.default_rng(SEED)
    for count in (1_000, 10_000, 100_000):
        for axes in (2, 3):
            places = rng.random((count, axes))
            points = rng.random((10_000, axes))
            graph = Graph(places, [])
            tree = cKDTree(places)
            graph.cell_at(points)
            rounds = repeats(quick, 3, 25)
            took = race(
                {
                    "own": (_nothing, partial(graph.cell_at, points)),
                    "tree": (_nothing, partial(tree.query, points)),
                },
                1,
                {"own": rounds, "tree": rounds},
            )
            ratio = took["own"].best / took["tree"].best
            median = took["own"].median / took["tree"].median
            required = 0.5 if axes == 2 else 1.5
            table.add(
                f"{count:,} in {axes}D",
                milliseconds(took["own"].best),
                milliseconds(took["tree"].best),
                times(ratio),
                times(median),
                f"{required:g}x",
                at_most(ratio, required),
            )
    return table


def _nothing() -> None:
    pass


def _address(array: NDArray[Any]) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)
