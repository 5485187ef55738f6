"""Paths on graphs against SciPy's `csgraph.dijkstra` and networkx, and what repairs, flow fields and
moves cost.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import dijkstra

import fieldcraft as fc
from bench.race import Times, race, repeats, say
from bench.table import Report, Table, milliseconds, times
from fieldcraft import steering
from fieldcraft.paths.cost import CellCosts
from fieldcraft.paths.flow.flow_on_graph import GraphFlow
from fieldcraft.paths.search.path_on_mesh import pulled
from fieldcraft.space import Graph

SEED = 20260807
DATA = Path(
    os.environ.get("FIELDCRAFT_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")
)
AURORA = "navmesh/polyanya/aurora"
PUBLISHED_ENDS = ((993.0, 290.0), (34.0, 622.0))
PUBLISHED_LENGTH = 1123.222637572437
PUBLISHED = {"the authors' C++": 4960.92, "Rust crate": 4568.5}
"""Microseconds of the last problem of Aurora, from corner to corner of the grid, by the README of
the Rust crate polyanya.
"""
PAIRS = 40


def matrix(graph: Graph, cost: NDArray[np.float64] | None = None) -> csr_array:
    """The graph as SciPy has it, from the goal on."""
    topology = graph.topology
    if cost is None:
        sizes = topology.lengths
    else:
        sizes = topology.lengths * (cost[topology.origins] + cost[topology.ends]) / 2
    return coo_array((sizes, (topology.ends, topology.origins)), shape=(len(graph),) * 2).tocsr()


def tables(lattice: Graph, mesh: Graph, quick: bool, report: Report) -> list[Table]:
    """Distances on a lattice and paths on a navigation mesh."""
    found = [_distances(lattice, quick, report), _paths(mesh, quick, report), _agents(mesh, quick)]
    if (DATA / f"{AURORA}.scen").is_file():
        return [*found, _any_angle(quick, report)]
    report.notes.append(
        f"Left out: ways at any angle on Aurora. Not found: {DATA / AURORA} (set FIELDCRAFT_DATA)."
    )
    return found


def _distances(graph: Graph, quick: bool, report: Report) -> Table:
    say("bench graph: distance maps")
    table = Table(
        f"Distance maps on graphs, {len(graph):,} vertices with 8 neighbors",
        (
            "case",
            "best ms",
            "median ms",
            "scipy csgraph best ms",
            "fieldcraft is, best",
            "median",
            "networkx best ms",
            "fieldcraft is",
        ),
    )
    goal = len(graph) // 2 + 150
    place = graph.positions[goal]
    rng = np.random.default_rng(SEED)
    for name, cost in (
        ("new, all ground alike", None),
        ("new, a cost per vertex", rng.uniform(1, 5, len(graph))),
    ):
        sizes = matrix(graph, cost)
        other = nx.from_scipy_sparse_array(sizes, create_using=nx.DiGraph)

        def own(cost: NDArray[np.float64] | None = cost) -> NDArray[np.float32]:
            return fc.distance_map(graph, place, cost=cost).values

        peer = partial(dijkstra, sizes, indices=goal)
        if not np.allclose(own(), peer(), rtol=1e-6):
            report.wrong.append(f"distances on a graph, {name}: not those of SciPy")
        slow = partial(nx.single_source_dijkstra_path_length, other, goal)
        rounds = {
            "own": repeats(quick, 3, 25),
            "scipy": repeats(quick, 2, 15),
            "nx": repeats(quick, 1, 2),
        }
        took = _timed({"own": own, "scipy": peer, "nx": slow}, rounds)
        ours = took["own"]
        theirs = took["scipy"]
        slowest = took["nx"]
        table.add(
            name,
            milliseconds(ours.best),
            milliseconds(ours.median),
            milliseconds(theirs.best),
            times(theirs.best / ours.best),
            times(theirs.median / ours.median),
            milliseconds(slowest.best),
            times(slowest.best / ours.best),
        )
    _followers(graph, place, quick, table)
    return table


def _followers(graph: Graph, place: NDArray[np.float64], quick: bool, table: Table) -> None:
    """What comes after a distance map: its repair, and the directions to it."""
    field = fc.distance_map(graph, place)
    field.values  # noqa: B018
    rng = np.random.default_rng(SEED)
    cells: list[NDArray[np.int64]] = []

    def tower() -> None:
        if cells:
            graph.set_walls(cells.pop(), False)
            field.repair()
        cells.append(rng.integers(0, len(graph), 1) + np.arange(3))
        np.clip(cells[0], 0, len(graph) - 1, out=cells[0])
        graph.set_walls(cells[0])

    tower()
    field.repair()
    rounds = repeats(quick, 5, 200)
    cases: dict[str, tuple[Callable[[], None], Callable[[], object]]] = {
        "repaired, three vertices blocked": (tower, field.repair),
        "flow field of a finished map": (_nothing, lambda: GraphFlow(field).vectors),
    }
    for name, (prepare, run) in cases.items():
        run()
        took = _timed(
            {"own": run}, {"own": rounds if "repaired" in name else min(rounds, 25)}, prepare
        )["own"]
        table.add(name, milliseconds(took.best), milliseconds(took.median), "", "", "", "", "")
    if cells:
        graph.set_walls(cells.pop(), False)


def _paths(mesh: Graph, quick: bool, report: Report) -> Table:
    say("bench graph: shortest paths")
    table = Table(
        f"{PAIRS} shortest paths, navigation mesh of {len(mesh):,} triangles",
        (
            "case",
            "best ms",
            "median ms",
            "scipy csgraph best ms",
            "fieldcraft is, best",
            "networkx A* best ms",
            "fieldcraft is",
        ),
    )
    rng = np.random.default_rng(SEED)
    starts, goals = rng.choice(np.flatnonzero(mesh.parts() == 0), (2, PAIRS))
    places = mesh.positions
    sizes = matrix(mesh)
    other = mesh.to_networkx()

    def straight(a: int, b: int) -> float:
        return float(np.hypot(*(places[a] - places[b])))

    def by_networkx() -> list[float]:
        return [
            nx.astar_path_length(other, a, b, heuristic=straight, weight="length")
            for a, b in zip(starts, goals, strict=True)
        ]

    def by_scipy() -> list[float]:
        return [
            float(dijkstra(sizes, indices=int(b))[a]) for a, b in zip(starts, goals, strict=True)
        ]

    own = partial(fc.shortest_paths, mesh, places[starts], places[goals])
    found = [path.length for path in own()]
    if not np.allclose(found, by_scipy(), rtol=1e-9):
        report.wrong.append("shortest paths on a graph: not as long as SciPy's")
    smooth = partial(fc.shortest_paths, mesh, places[starts], places[goals], smooth=True)
    prices = CellCosts(mesh, None)

    def strings() -> list[float]:
        return [
            pulled(mesh, path.cells, places[[a, b]], prices).length
            for path, a, b in zip(own(), starts.tolist(), goals.tolist(), strict=True)
        ]

    if any(
        path.length > string * (1 + 1e-9) for path, string in zip(smooth(), strings(), strict=True)
    ):
        report.wrong.append("shortest paths on a mesh: longer than strings")
    rounds = {
        "own": repeats(quick, 3, 20),
        "smooth": repeats(quick, 2, 10),
        "string": repeats(quick, 2, 10),
        "scipy": repeats(quick, 1, 5),
        "nx": repeats(quick, 1, 2),
    }
    took = _timed(
        {"own": own, "smooth": smooth, "string": strings, "scipy": by_scipy, "nx": by_networkx},
        rounds,
    )
    for name, key in (
        ("from middle to middle", "own"),
        ("exact at any angle, smooth=True", "smooth"),
        ("a string pulled through the first", "string"),
    ):
        ours = took[key]
        table.add(
            name,
            milliseconds(ours.best),
            milliseconds(ours.median),
            milliseconds(took["scipy"].best),
            times(took["scipy"].best / ours.best),
            milliseconds(took["nx"].best),
            times(took["nx"].best / ours.best),
        )
    return table


def _any_angle(quick: bool, report: Report) -> Table:
    """Problems of the map that the authors of Polyanya publish with it, exactly and by strings as
    before.
    """
    say("bench graph: ways at any angle on Aurora")
    mesh = fc.load_map(DATA / f"{AURORA}-merged.mesh")
    problems = fc.maps.load_scenarios(DATA / f"{AURORA}.scen")
    if quick:
        some = slice(0, None, 100)
    else:
        some = slice(0, None, 20)
    starts = problems.starts[some]
    goals = problems.goals[some]
    prices = CellCosts(mesh, None)

    def strings() -> list[float]:
        plain = fc.shortest_paths(mesh, starts, goals)
        return [
            pulled(mesh, path.cells, np.stack(ends), prices).length
            for path, *ends in zip(plain, starts, goals, strict=True)
        ]

    exact = partial(fc.shortest_paths, mesh, starts, goals, smooth=True)
    last = partial(fc.shortest_path, mesh, *PUBLISHED_ENDS, smooth=True)
    if abs(last().length / PUBLISHED_LENGTH - 1) > 1e-9:
        report.wrong.append(
            f"the last problem of Aurora: {last().length}, published {PUBLISHED_LENGTH}"
        )
    shorter = 1 - sum(path.length for path in exact()) / sum(strings())
    took = _timed(
        {"exact": exact, "string": strings, "last": last},
        {"exact": 3, "string": 3, "last": repeats(quick, 3, 40)},
    )
    table = Table(
        f"Paths at any angle on Aurora, {len(mesh):,} polygons",
        ("problems", "fieldcraft best us each", "beside it, us", "ratio"),
    )
    here, before, one = (
        took[key].best / count * 1e6
        for key, count in (("exact", len(starts)), ("string", len(starts)), ("last", 1))
    )
    table.add(
        f"{len(starts)} of its .scen, smooth=True",
        f"{here:.0f}",
        f"a pulled string {before:.0f}",
        times(before / here),
    )
    for name, published in PUBLISHED.items():
        table.add(
            "the last, 1,123 long", f"{one:.0f}", f"{name} {published:,.0f}", times(published / one)
        )
    table.notes.append(
        f"The exact ways are {shorter:.1%} shorter than the strings through the ways over middles."
        " Published figures are from the README of the Rust crate polyanya (0.7.0): one run each,"
        " on its author's machine."
    )
    return table


def _agents(mesh: Graph, quick: bool) -> Table:
    say("bench graph: agents")
    table = Table(
        f"Agents a frame, navigation mesh of {len(mesh):,} triangles",
        ("agents", "follow a flow ms", "move ms"),
    )
    rng = np.random.default_rng(SEED)
    flow = GraphFlow(fc.distance_map(mesh, mesh.positions[len(mesh) // 2]))
    for count in (1_000, 10_000):
        at = mesh.positions[rng.integers(0, len(mesh), count)]
        shifts = rng.normal(size=(count, 2)) * 0.3
        cases: dict[str, Callable[[], object]] = {
            "sample": partial(flow.sample, at),
            "move": partial(steering.move, mesh, at, shifts),
        }
        for run in cases.values():
            run()
        took = _timed(cases, dict.fromkeys(cases, repeats(quick, 3, 25)))
        table.add(f"{count:,}", *(milliseconds(took[name].best) for name in cases))
    return table


def _nothing() -> None:
    pass


def _timed(
    ways: dict[str, Callable[[], object]],
    rounds: dict[str, int],
    prepare: Callable[[], None] = _nothing,
) -> dict[str, Times]:
    """Race what answers."""

    def run(way: Callable[[], object]) -> None:
        way()

    return race({name: (prepare, partial(run, way)) for name, way in ways.items()}, 1, rounds)
