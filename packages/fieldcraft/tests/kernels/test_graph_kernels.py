"""The compiled kernels of ways on graphs and meshes give the bits of their references, whatever the
number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft import kernels, steering
from fieldcraft.kernels.compiling import pool
from fieldcraft.paths import distance_map
from fieldcraft.paths.flow import flow_on_graph
from fieldcraft.paths.flow.flow_on_graph import GraphFlow
from fieldcraft.paths.search import path_problem
from fieldcraft.space.mesh import mesh
from fieldcraft.space.mesh.floors import floors_of
from fieldcraft.steering import movement_on_mesh as meshes
from support import graphs
from support.examples import examples
from support.tiers import plain

if not kernels.compiled():
    pytest.skip("the compiled kernels are not in use here", allow_module_level=True)

seeds = st.integers(0, 9_999)


@contextmanager
def bands() -> Iterator[None]:
    """Even a few agents are shared out among three threads."""
    before = pool.threads()
    fc.set_threads(3)
    try:
        with pytest.MonkeyPatch.context() as patch:
            for module in (meshes, flow_on_graph):
                patch.setattr(module, "_AGENTS", 3)
            patch.setattr(mesh, "_PER_THREAD", 3)
            patch.setattr(path_problem, "_PER_CHUNK", 2)
            yield
    finally:
        fc.set_threads(before)


def same(ask: Callable[[], list[Any]]) -> None:
    """`ask` answers alike, whatever serves it."""
    answers = [_bits(ask())]
    with bands():
        answers.append(_bits(ask()))
    with plain():
        answers.append(_bits(ask()))
    assert answers[0] == answers[1]
    assert answers[0] == answers[2]


def _bits(answer: list[Any]) -> list[Any]:
    return [(np.asarray(part).dtype, np.shape(part), np.asarray(part).tobytes()) for part in answer]


@examples(25, deadline=None)
@given(web=graphs.webs(), asked=st.lists(st.integers(0, 39), max_size=3))
def test_distances_and_what_follows_from_them(web: graphs.Web, asked: list[int]) -> None:
    def ask() -> list[Any]:
        graph = web.graph()
        arguments = web.arguments(graph)
        if arguments is None:
            return []
        goals, keywords = arguments
        field = distance_map(graph, graph.positions[goals], **keywords)
        found: list[Any] = [field.measured(np.array([vertex % len(graph)])) for vertex in asked]
        found.append(field.exact)
        rng = np.random.default_rng(web.seed)
        for _ in range(3):
            flow = GraphFlow(field)
            found += [flow.next, flow.arcs, flow.vectors, flow.sample(graph.positions + 0.3)]
            found += [
                field.descend(graph.positions[v]).cells for v in np.flatnonzero(~field.walls)[:4]
            ]
            graph.set_walls(rng.integers(0, len(graph), 2), bool(rng.integers(2)))
            if len(graph.edges):
                graph.set_edges(graph.edges[rng.integers(0, len(graph.edges), 2)])
            found += [np.asarray(field.repair()), field.exact]
        if not web.has_starts and web.limit is None:
            found.append(fc.flee_map(field).exact)
        return found

    same(ask)


@examples(20, deadline=None)
@given(web=graphs.webs(), seed=seeds)
def test_searches(web: graphs.Web, seed: int) -> None:
    def ask() -> list[Any]:
        graph = web.graph()
        free = np.flatnonzero(~graph.walls)
        if not len(free):
            return []
        starts, goals = np.random.default_rng(seed).choice(free, (2, 20))
        arguments = web.arguments(graph)
        cost = arguments[1].get("cost") if arguments is not None and web.costs != "walls" else None
        paths = fc.shortest_paths(graph, graph.positions[starts], graph.positions[goals], cost=cost)
        return [part for path in paths for part in (path.cells, path.length, path.cost)]

    same(ask)


@examples(12, deadline=None)
@given(seed=seeds, share=st.sampled_from([0.0, 0.2, 0.4]))
def test_meshes(seed: int, share: float) -> None:
    def ask() -> list[Any]:
        rng = np.random.default_rng(seed)
        walls = rng.random((9, 13)) < share
        walls[4, 6] = False
        yard, _ = graphs.squares(fc.Grid(13, 9, cell_size=0.7, walls=walls))
        yard.set_walls(rng.integers(0, len(yard), 3))
        free = np.flatnonzero(~yard.walls)
        if not len(free) or yard.mesh is None:
            return []
        at = yard.positions[rng.choice(free, 60)] + np.round(rng.uniform(-0.4, 0.4, (60, 2)), 1)
        shifts = np.round(rng.normal(size=(60, 2)), 1) * rng.choice([0.0, 0.5, 5.0], (60, 1))
        cost = rng.uniform(1, 4, len(yard)) if seed % 2 else None
        flow = GraphFlow(distance_map(yard, yard.positions[free[:2]]))
        paths = fc.shortest_paths(
            yard, yard.positions[free[:20]], yard.positions[free[-1]], smooth=True, cost=cost
        )
        found = [
            yard.cell_at(at),
            *yard.mesh.locate(at),
            steering.move(yard, at, shifts),
            flow.sample(at),
        ]
        return found + [
            part for path in paths for part in (path.positions, path.cells, path.length, path.cost)
        ]

    same(ask)


@settings(max_examples=14, deadline=None)
@given(seed=seeds)
def test_floors(seed: int) -> None:
    house = graphs.two_floors()
    rng = np.random.default_rng(seed)
    at = house.positions[rng.integers(0, 5, 30)]
    shifts = rng.normal(size=(30, 2)) * 6
    crowd = steering.Crowd(house, separation_radius=0.7)
    still = np.zeros((30, 2))
    same(
        lambda: [
            *crowd.step(at, shifts, still, 0.1, max_speed=2.0),
            steering.avoid_walls(house, at, shifts, 1.5),
        ]
    )
    same(
        lambda: [
            house.cell_at(at),
            steering.move(house, at, shifts),
            steering.move(house, at, shifts, leap=False),
            floors_of(house).blocked,
        ]
    )
