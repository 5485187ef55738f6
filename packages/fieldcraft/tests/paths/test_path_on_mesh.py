"""The shortest ways over meshes: as long as visibility graphs say, never longer than strings, never
through a wall, from bit to bit.
"""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial import Delaunay

import fieldcraft as fc
from fieldcraft.paths import shortest_path, shortest_paths
from fieldcraft.paths.cost import CellCosts
from fieldcraft.paths.search.path_on_mesh import pulled
from support import graphs, realdata

Bits = NDArray[np.bool_]


def squares_length(walls: Bits, start: tuple[int, int], goal: tuple[int, int]) -> float:
    """The shortest way between places in half cells by a visibility graph over the corners of
    walls, in whole numbers.
    """
    shut = np.pad(walls, 1, constant_values=True)
    rows, columns = np.nonzero(shut)
    low_x, low_y = 2 * (columns - 1), 2 * (rows - 1)
    around = np.lib.stride_tricks.sliding_window_view(shut, (2, 2)).reshape(
        *(size - 1 for size in shut.shape), 4
    )
    corners = [(2 * int(x), 2 * int(y)) for y, x in np.argwhere(around.sum(axis=2) == 1)]
    # Where walls touch nobody gets through between them: neither at a corner nor along a side.
    touching = around[..., 0] & around[..., 3] | around[..., 1] & around[..., 2]
    upright, level = np.argwhere(shut[:, :-1] & shut[:, 1:]), np.argwhere(shut[:-1] & shut[1:])
    pinches = np.concatenate([2 * np.argwhere(touching), 2 * upright - (1, 0), 2 * level - (0, 1)])[
        :, ::-1
    ]

    def seen(a: tuple[int, int], b: tuple[int, int]) -> bool:
        (ax, ay), (bx, by) = a, b
        crosses = np.array(
            [
                (bx - ax) * (low_y + v - ay) - (by - ay) * (low_x + u - ax)
                for u in (0, 2)
                for v in (0, 2)
            ]
        )
        inside = (
            (max(ax, bx) > low_x)
            & (min(ax, bx) < low_x + 2)
            & (max(ay, by) > low_y)
            & (min(ay, by) < low_y + 2)
        )
        if (inside & (crosses.min(axis=0) < 0) & (crosses.max(axis=0) > 0)).any():
            return False
        x, y = pinches.T
        on_line = ((bx - ax) * (y - ay) == (by - ay) * (x - ax)) & (
            (x - ax) * (x - bx) + (y - ay) * (y - by) < 0
        )
        return not on_line.any()

    web = nx.Graph()
    web.add_nodes_from([start, goal])
    for a, b in itertools.combinations({start, goal, *corners}, 2):
        if seen(a, b):
            web.add_edge(a, b, weight=np.hypot(a[0] - b[0], a[1] - b[1]) / 2)
    try:
        return float(nx.dijkstra_path_length(web, start, goal))
    except nx.NetworkXNoPath:
        return np.inf


@settings(max_examples=14, deadline=None)
@given(seed=st.integers(0, 9_999), share=st.sampled_from([0.15, 0.3, 0.45]))
def test_over_squares_they_are_as_long_as_a_visibility_graph_says(seed: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    walls = rng.random((6, 8)) < share
    mesh, _ = graphs.squares(fc.Grid(8, 6, walls=walls))
    if len(mesh) < 2:
        return
    centers = mesh.positions[rng.integers(0, len(mesh), (2, 3))]
    for start, goal in zip(*centers, strict=True):
        path = shortest_path(mesh, start, goal, smooth=True)
        expected = squares_length(
            walls, tuple((2 * start).astype(int).tolist()), tuple((2 * goal).astype(int).tolist())
        )
        assert path.length == pytest.approx(expected, rel=1e-12), (start, goal)


def holed(seed: int, points: int) -> tuple[fc.Graph, list[tuple[int, int]]] | None:
    """Triangles between random points with some left out, and the sides of the holes; None where
    holes touch in a point.
    """
    rng = np.random.default_rng(seed)
    places = np.concatenate([rng.uniform(0, 10, (points, 2)), [(0, 0), (12, 0), (12, 10), (0, 10)]])
    triangles = Delaunay(places).simplices
    for _ in range(4):
        away = np.hypot(*(places[triangles].mean(axis=1) - rng.uniform(1, 9, 2)).T)
        triangles = triangles[away > 1.6]
    sides: dict[tuple[int, int], int] = {}
    for triangle in triangles.tolist():
        for a, b in itertools.combinations(sorted(triangle), 2):
            sides[a, b] = sides.get((a, b), 0) + 1
    rims = [side for side, times in sides.items() if times == 1]
    if np.bincount(np.array(rims).ravel()).max() > 2:
        return None
    return fc.Graph.from_polygons(places, triangles), rims


def holed_length(
    mesh: fc.Graph,
    rims: list[tuple[int, int]],
    start: NDArray[np.float64],
    goal: NDArray[np.float64],
) -> float:
    """The shortest way by a visibility graph: lines that cross no rim, with a middle on the
    mesh.
    """
    assert mesh.mesh is not None
    corners = mesh.mesh.corners
    used = np.unique(np.array(rims))
    places = np.concatenate([[start, goal], corners[used]])
    names = np.concatenate([[-1, -2], used])
    a, b = corners[[side[0] for side in rims]], corners[[side[1] for side in rims]]

    def turn(
        p: NDArray[np.float64], q: NDArray[np.float64], r: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        return np.asarray(
            (q[..., 0] - p[..., 0]) * (r[..., 1] - p[..., 1])
            - (q[..., 1] - p[..., 1]) * (r[..., 0] - p[..., 0])
        )

    web = nx.Graph()
    web.add_nodes_from(range(len(places)))
    for i, j in itertools.combinations(range(len(places)), 2):
        p, q = places[i], places[j]
        if (min(names[i], names[j]), max(names[i], names[j])) not in rims:
            apart = np.array([not {names[i], names[j]} & set(side) for side in rims])
            crossed = (
                (turn(p, q, a) * turn(p, q, b) < 0) & (turn(a, b, p) * turn(a, b, q) < 0) & apart
            )
            if crossed.any() or mesh.mesh.locate(((p + q) / 2)[np.newaxis])[0][0] < 0:
                continue
        web.add_edge(i, j, weight=float(np.hypot(*(p - q))))
    try:
        return float(nx.dijkstra_path_length(web, 0, 1))
    except nx.NetworkXNoPath:
        return np.inf


def test_over_triangles_they_are_as_long_as_a_visibility_graph_says() -> None:
    tried = 0
    for seed in range(150):
        made = holed(seed, 30)
        if made is None:
            continue
        mesh, rims = made
        rng = np.random.default_rng(seed)
        for start, goal in zip(*mesh.positions[rng.integers(0, len(mesh), (2, 2))], strict=True):
            path = shortest_path(mesh, start, goal, smooth=True)
            assert path.length == pytest.approx(holed_length(mesh, rims, start, goal), rel=1e-9)
            tried += path.found
    assert tried > 40


def webs(seed: int) -> fc.Graph | None:
    """A mesh of triangles with holes, some of them walls, some sides shut, some one-way."""
    rng = np.random.default_rng(seed)
    places = np.round(rng.uniform(0, 10, (30, 2)), int(rng.integers(0, 4)))
    try:
        triangles = Delaunay(np.unique(places, axis=0)).simplices
    except Exception:  # all on one line
        return None
    mesh = fc.Graph.from_polygons(np.unique(places, axis=0), triangles)
    mesh.set_walls(np.flatnonzero(rng.random(len(mesh)) < 0.2))
    some = mesh.edges[rng.random(len(mesh.edges)) < 0.1]
    if len(some):
        mesh.set_edges(some)
    return mesh


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 9_999))
def test_they_are_never_longer_than_strings_and_stay_on_the_mesh(seed: int) -> None:
    mesh = webs(seed)
    if mesh is None or mesh.mesh is None:
        return
    rng = np.random.default_rng(seed)
    free = np.flatnonzero(~mesh.walls)
    ends = mesh.positions[rng.choice(free, (2, 6))]
    for plain, path in zip(
        shortest_paths(mesh, *ends), shortest_paths(mesh, *ends, smooth=True), strict=True
    ):
        assert plain.found == path.found
        if path:
            places = np.stack([plain.positions[0], plain.positions[-1]])
            assert path.length <= pulled(
                mesh, plain.cells, places, CellCosts(mesh, None)
            ).length * (1 + 1e-12)
            walked = path.at(np.linspace(0, path.length, 50))
            found = mesh.mesh.locate(walked)[0]
            assert (found >= 0).all()
            off_rims = mesh.mesh.locate(walked)[1].min(axis=1) > 1e-6
            assert not mesh.walls[mesh.mesh.triangle_polygons[found[off_rims]]].any()
            assert path.positions[[0, -1]].tolist() == places.tolist()


class TestEnds:
    def test_ends_stay_where_they_were_asked_for_to_the_bit(self) -> None:
        mesh, _ = graphs.squares(fc.Grid(7, 5))
        for start, goal in (
            ((2.0, 1.0), (5.0, 4.0)),
            ((0.0, 0.0), (6.999999, 5.0)),
            ((1.0, 0.3), (3.0, 4.7)),
            ((0.1 + 0.2, 3.0), (6.0, 1.1)),
        ):
            path = shortest_path(mesh, start, goal, smooth=True)
            assert path.positions[[0, -1]].tolist() == [list(start), list(goal)]
            assert path.length == pytest.approx(
                np.hypot(goal[0] - start[0], goal[1] - start[1]), rel=1e-12
            )

    def test_a_start_on_the_rim_sees_what_lies_behind_it(self) -> None:
        # Along a wall that ends: the way goes round its end, from a start on the very line of the
        # wall.
        walls = np.zeros((4, 7), dtype=bool)
        walls[1, 2:5] = True
        mesh, _ = graphs.squares(fc.Grid(7, 4, walls=walls))
        path = shortest_path(mesh, (1.0, 2.0), (6.5, 1.5), smooth=True)
        assert path.length == pytest.approx(4 + np.hypot(1.5, 0.5))
        assert path.positions.tolist() == [[1, 2], [5, 2], [6.5, 1.5]]


def test_a_shut_door_in_the_open_is_walked_round() -> None:
    # A slit: the ground reaches all round its ends, which are corners all the same.
    mesh, numbers = graphs.squares(fc.Grid(5, 4))
    for x in (1, 2, 3):
        mesh.set_edges((int(numbers[1 * 5 + x]), int(numbers[2 * 5 + x])))
    path = shortest_path(mesh, (1.5, 1.5), (1.5, 2.5), smooth=True)
    assert path.length == pytest.approx(2 * np.hypot(0.5, 0.5))
    assert path.positions.tolist() == [[1.5, 1.5], [1, 2], [1.5, 2.5]]


@pytest.mark.parametrize("name", ["arena", "aurora"])
def test_listed_problems(name: str) -> None:
    # Both files list the lengths of ways over the cells of the grid; a mesh of the same ground has
    # ways as short or shorter.
    folder = realdata.folder("navmesh") / "polyanya"
    problems = fc.maps.load_scenarios(folder / f"{name}.scen")
    assert len(problems) == {"arena": 160, "aurora": 2990}[name]
    mesh = fc.load_map(folder / f"{name}-merged.mesh")
    some = slice(None, None, 6 if name == "aurora" else 1)
    starts, goals = problems.starts[some], problems.goals[some]
    paths = shortest_paths(mesh, starts, goals, smooth=True)
    lengths = np.array([path.length for path in paths])
    assert (lengths <= problems.lengths[some] + 2 * problems.precision[some]).all()
    straight = np.hypot(*(goals - starts).T)
    assert (lengths >= straight * (1 - 1e-12)).all()
    if name == "arena":  # the same ground in other polygons
        fine = shortest_paths(fc.load_map(folder / "arena.mesh"), starts, goals, smooth=True)
        np.testing.assert_allclose([path.length for path in fine], lengths, rtol=1e-12)


@pytest.mark.parametrize("file", ["cs2/de_dust2.json", "recast-output/poly_mesh.json"])
def test_over_hills_ways_are_never_longer_than_unsmoothed(file: str) -> None:
    mesh = fc.load_map(realdata.folder("navmesh") / file)
    rng = np.random.default_rng(4)
    largest = np.flatnonzero(mesh.parts() == np.bincount(mesh.parts()[mesh.parts() >= 0]).argmax())
    ends = mesh.positions[rng.choice(largest, (2, 200))]
    for plain, path in zip(
        shortest_paths(mesh, *ends), shortest_paths(mesh, *ends, smooth=True), strict=True
    ):
        assert plain.found == path.found
        if plain:
            assert path.length <= plain.length * (1 + 1e-9)
            assert path.positions[[0, -1]].tolist() == plain.positions[[0, -1]].tolist()
