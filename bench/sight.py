"""Sight on meshes: looking round, against a line to every triangle in reach, written plainly in
C++; and pairs of guards and thieves.
"""

from __future__ import annotations

import ctypes
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import Delaunay

import fieldcraft as fc
from bench import opponents
from bench.race import race, repeats, say
from bench.table import Report, Table, milliseconds, times

TRIANGLES = 10_000
VIEWERS = 8
GUARDS = 100
THIEVES = 100
RADII = (10.0, 30.0, 100.0)
SEED = 20231118


class Level:
    """A square of triangles with pillars in it, a hundred units wide or so, and the same as arrays
    for the peer.
    """

    def __init__(self) -> None:
        rng = np.random.default_rng(SEED)
        side = np.sqrt(TRIANGLES)
        self.corners = np.ascontiguousarray(rng.random((TRIANGLES // 2 + 20, 2)) * side)
        whole = Delaunay(self.corners)
        pillars = rng.random((60, 2)) * side
        away = np.sqrt(
            ((self.corners[whole.simplices].mean(axis=1)[:, np.newaxis] - pillars) ** 2).sum(axis=2)
        ).min(axis=1)
        kept = np.flatnonzero(away > 2.0)
        number = np.full(len(whole.simplices) + 1, -1, dtype=np.int64)
        number[kept] = np.arange(len(kept))
        self.triangles = np.ascontiguousarray(whole.simplices[kept], dtype=np.int64)
        # SciPy's triangles go round with the inside on the left; neighbor k lies across from
        # corner k, behind the side from k + 1.
        self.beside = np.ascontiguousarray(number[whole.neighbors[kept]][:, [2, 0, 1]])
        self.graph = fc.Graph.from_polygons(self.corners, self.triangles)
        self.middles = np.ascontiguousarray(self.graph.positions)

    def plainly(
        self, library: ctypes.CDLL, viewer: int, radius: float, seen: NDArray[np.uint8]
    ) -> None:
        """What a triangle sees, by the peer."""
        arrays = (self.corners, self.triangles, self.beside, self.middles)
        library.look_round(
            *(ctypes.c_void_p(array.ctypes.data) for array in arrays),
            ctypes.c_int64(len(self.triangles)),
            ctypes.c_int64(viewer),
            ctypes.c_double(radius),
            ctypes.c_void_p(seen.ctypes.data),
        )


def run(quick: bool) -> Report:
    """Every table of this suite."""
    say("bench sight: looking round")
    report = Report()
    library = opponents.built(Path(__file__).with_name("sight.cpp"))
    level = Level()
    graph = level.graph
    rng = np.random.default_rng(SEED)
    viewers = rng.integers(0, len(graph), VIEWERS)
    rounds = repeats(quick, 3, 30)
    table = Table(
        f"{VIEWERS} viewers look round on a mesh of {len(graph):,} triangles with pillars",
        (
            "radius",
            "seen by each",
            "fieldcraft best ms",
            "median",
            "C++ best ms",
            "fieldcraft is, best",
            "median",
        ),
    )
    seen = np.zeros(len(graph), dtype=np.uint8)
    for radius in RADII:
        places = graph.positions[viewers]
        counts = fc.query.watchers(graph, places, radius)
        plain = np.zeros(len(graph), dtype=np.int64)
        for viewer in viewers.tolist():
            level.plainly(library, viewer, radius, seen)
            plain += seen
        if not np.array_equal(counts, plain):
            report.wrong.append(
                f"radius {radius:g}: {np.count_nonzero(counts != plain)} triangles are seen by"
                " other numbers of viewers"
            )

        def peer(radius: float = radius) -> None:
            for viewer in viewers.tolist():
                level.plainly(library, viewer, radius, seen)

        calls = {
            "own": (_nothing, partial(fc.query.watchers, graph, places, radius)),
            "peer": (_nothing, peer),
        }
        found = race(calls, 1, {"own": rounds, "peer": max(rounds // 5, 2)})
        own = found["own"]
        other = found["peer"]
        table.add(
            f"{radius:g}",
            f"{plain.sum() / VIEWERS:,.0f}",
            milliseconds(own.best),
            milliseconds(own.median),
            milliseconds(other.best),
            times(other.best / own.best),
            times(other.median / own.median),
        )
    table.notes.append(
        "The C++ runs on one core, and gets its viewers as triangles; fieldcraft finds those by"
        " position, too."
    )
    report.tables.append(table)

    guards, thieves = (
        graph.positions[rng.integers(0, len(graph), count)] for count in (GUARDS, THIEVES)
    )
    facing = rng.normal(size=(GUARDS, 2))
    pairs = Table(
        f"{GUARDS * THIEVES:,} pairs: who sees whom?", ("question", "in sight", "best ms", "median")
    )
    for title, options in (
        ("within 30", {}),
        ("within 30, in a cone of 120 degrees", {"facing": facing, "angle": 120.0}),
    ):
        ask = partial(fc.sees, graph, guards, thieves, 30.0, **options)
        took = race({"own": (_nothing, ask)}, 1, {"own": rounds})["own"]
        pairs.add(
            title,
            f"{np.count_nonzero(ask()):,}",
            milliseconds(took.best),
            milliseconds(took.median),
        )
    report.tables.append(pairs)
    return report


def _nothing() -> None:
    """Nothing is to be prepared."""
