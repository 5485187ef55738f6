"""Charges on entering and ranges outward, beside a search written down plainly; steps of tile
monsters; flow to the very goal.
"""

from __future__ import annotations

import heapq

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OnWall
from support.refusals import refused


def _space(seed: int, kind: str):
    rng = np.random.default_rng(seed)
    walls = rng.random((5, 8)) < 0.2
    walls[2, 3] = False
    grid = fc.Grid(
        walls=walls, neighbors=8 if kind == "king" else 4, wrap=kind == "torus", cell_size=2.0
    )
    if kind != "graph":
        return grid
    edges = [(a, b) for a in range(12) for b in range(12) if a != b and rng.random() < 0.25]
    return fc.Graph(rng.random((12, 2)) * 9, np.array(edges), directed=True)


def _plainly(space, goals, start_costs, cost, charge, outward, limit):
    """Dijkstra's search, as in a book: how far each cell is, and by which price a step goes."""
    barred = space.walls | np.isinf(cost)
    ways = space.with_walls(barred).adjacency  # no corner of what is barred is cut
    cost = np.asarray(cost, dtype=float).reshape(-1)

    def price(a, b, length):
        return length * (cost[b] if charge == "enter" else (cost[a] + cost[b]) / 2)

    steps: dict[int, list[tuple[int, float]]] = {}
    for a, b, length in zip(
        ways.origins.tolist(), ways.ends.tolist(), ways.lengths.tolist(), strict=True
    ):
        here, there = (a, b) if outward else (b, a)
        steps.setdefault(here, []).append((there, price(a, b, length)))
    far = np.full(len(space), np.inf)
    waiting = [
        (begin, cell)
        for cell, begin in zip(goals, start_costs, strict=True)
        if not np.isinf(cost[cell])
    ]
    while waiting:
        distance, cell = heapq.heappop(waiting)
        if distance >= far[cell] or distance > limit:
            continue
        far[cell] = distance
        for there, size in steps.get(cell, ()):
            if not np.isinf(cost[there]) and not np.isinf(cost[cell]):
                heapq.heappush(waiting, (distance + size, there))
    return far.reshape(space.shape)


@settings(max_examples=16, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    kind=st.sampled_from(["grid", "king", "torus", "graph"]),
    charge=st.sampled_from(["mean", "enter"]),
    outward=st.booleans(),
    extras=st.booleans(),
)
def test_is_the_search_of_the_book(seed, kind, charge, outward, extras):
    space = _space(seed, kind)
    rng = np.random.default_rng(seed + 1)
    cost = rng.integers(1, 6, space.shape).astype(float)
    cost[rng.random(space.shape) < 0.1] = np.inf
    free = np.flatnonzero(~space.walls.reshape(-1) & np.isfinite(cost.reshape(-1)))
    goals = np.unique(rng.choice(free, 2))
    begins = rng.random(len(goals)) * 4 if extras else np.zeros(len(goals))
    limit = 12.0 if extras else np.inf
    distances = fc.distance_map(
        space,
        space.position_of(goals),
        cost=cost,
        start_costs=begins,
        limit=limit if extras else None,
        charge=charge,
        outward=outward,
    )
    expected = _plainly(space, goals.tolist(), begins.tolist(), cost, charge, outward, limit)
    np.testing.assert_allclose(distances.values, expected, rtol=1e-6)
    reached = free[np.isfinite(expected.reshape(-1)[free])]
    start = int(rng.choice(reached))
    path = distances.descend(space.position_of(start))
    ends = path.cells[[0, -1]].tolist()
    assert (ends[1] if outward else ends[0]) == start
    assert (ends[0] if outward else ends[1]) in goals
    walked = 0.0
    ways, flat = space.adjacency, cost.reshape(-1)
    for a, b in zip(path.cells[:-1], path.cells[1:], strict=True):
        arcs = np.arange(ways.starts[a], ways.starts[a + 1])
        length = ways.lengths[arcs[ways.ends[arcs] == b]].min()
        walked += length * (flat[b] if charge == "enter" else (flat[a] + flat[b]) / 2)
    assert walked == pytest.approx(path.cost)
    if charge == "mean" and not outward and not extras and len(goals) == 1:
        goal = space.position_of(int(goals[0]))
        shortest = fc.shortest_path(space, space.position_of(start), goal, cost=cost)
        assert shortest.cost == pytest.approx(path.cost)


def test_a_row_of_tiles_reckons_as_board_games_do():
    space = fc.Grid(5, 2, tiles=True)
    cost = np.ones(space.shape)
    cost[0, 2] = 5
    cost[1] = np.inf
    assert fc.distance_map(space, (0, 0), cost=cost).sample((2, 0)) == 4
    assert fc.distance_map(space, (2, 0), cost=cost, charge="enter").sample((0, 0)) == 6
    assert (
        fc.distance_map(space, (0, 0), cost=cost, charge="enter", outward=True).sample((2, 0)) == 6
    )
    assert fc.distance_map(space, (0, 0), cost=cost, charge="enter").sample((2, 0)) == 2
    with refused(InvalidValue, "charge"):
        fc.distance_map(space, (0, 0), charge="leave")
    with refused(InvalidValue, "outward"):
        fc.distance_map(space, (0, 0), outward=1)


@pytest.mark.parametrize("graph", [False, True])
def test_charged_maps_follow_walls_and_serve_what_others_serve(graph):
    walls = np.zeros((4, 7), dtype=bool)
    walls[:3, 3] = True
    space = fc.Grid(walls=walls)
    space = space.to_graph() if graph else space
    distances = fc.distance_map(space, (6.5, 0.5), charge="enter")
    usual = fc.distance_map(space, (6.5, 0.5))
    np.testing.assert_allclose(distances.values, usual.values)
    assert fc.would_block(space, [24], distances)
    assert distances.cut_off([24]).tolist() == usual.cut_off([24]).tolist()
    flow = fc.flow_field(distances)
    assert np.abs(flow.sample((0.5, 0.5))).max() > 0
    flight = fc.flee_map(distances)
    np.testing.assert_allclose(flight.values, fc.flee_map(usual).values, rtol=1e-6)
    space.set_walls([0])
    assert distances.outdated
    assert distances.repair() is None
    usual.repair()
    np.testing.assert_allclose(distances.values, usual.values)
    with refused(InvalidValue, "outward"):
        fc.flow_field(fc.distance_map(space, (6.5, 0.5), outward=True))
    with refused(InvalidValue, "outward"):
        fc.distance_map(space, (6.5, 0.5), outward=True).step((1.5, 1.5))


@settings(max_examples=16, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    kind=st.sampled_from(["grid", "king", "torus", "graph"]),
    charge=st.sampled_from(["mean", "enter"]),
)
def test_steps_go_down_by_what_they_cost(seed, kind, charge):
    space = _space(seed, kind)
    rng = np.random.default_rng(seed)
    cost = rng.integers(1, 4, space.shape).astype(float)
    free = np.flatnonzero(~space.walls.reshape(-1))
    distances = fc.distance_map(
        space, space.position_of(int(rng.choice(free))), cost=cost, charge=charge
    )
    walkers = rng.choice(free, 9)
    steps = distances.step(space.position_of(walkers))
    exact, flat, ways = distances.exact.reshape(-1), cost.reshape(-1), space.adjacency
    for walker, cell, found in zip(
        walkers.tolist(), steps.cells.tolist(), steps.found.tolist(), strict=True
    ):
        if not found:
            assert cell == walker
            assert exact[walker] in (0, np.inf)
            continue
        arcs = np.arange(ways.starts[walker], ways.starts[walker + 1])
        length = ways.lengths[arcs[ways.ends[arcs] == cell]].min()
        price = length * (flat[cell] if charge == "enter" else (flat[walker] + flat[cell]) / 2)
        assert exact[walker] == pytest.approx(exact[cell] + price)
    one = distances.step(space.position_of(int(walkers[0])))
    assert int(one.cells) == steps.cells[0]
    np.testing.assert_array_equal(steps.positions, space.position_of(steps.cells))
    # Apart: nobody steps onto another, and nobody away from the goal.
    different = np.unique(walkers)
    one_per_cell = distances.step(space.position_of(different), one_per_cell=True)
    assert len(np.unique(one_per_cell.cells)) == len(different)
    assert (exact[one_per_cell.cells] <= exact[different]).all()


def test_monsters_line_up_and_surround():
    space = fc.Grid(9, 5, tiles=True)
    space.set_walls([0, 1, 2, 3, 18, 19, 20, 21])  # a corridor along row 1 that opens into a room
    hunt = fc.distance_map(space, (7, 2))
    monsters = np.array([(0.0, 1.0), (1.0, 1.0), (2.0, 1.0)])
    together = hunt.step(monsters, one_per_cell=True)
    assert together.positions.tolist() == [[1, 1], [2, 1], [3, 1]], (
        "the foremost goes first, and makes room"
    )
    room = fc.Grid(9, 5, tiles=True, neighbors=8)
    hunt, pack = (
        fc.distance_map(room, (7, 2)),
        np.array([(3.0, 1.0), (3.0, 3.0), (2.0, 3.0), (4.0, 1.0), (5.0, 4.0)]),
    )
    for _ in range(12):
        steps = hunt.step(pack, one_per_cell=True, onto_goals=False)
        assert len(np.unique(steps.cells)) == len(pack)
        pack = steps.positions
    assert np.abs(pack - (7, 2)).max() == 1, "five stand round the player"
    hunt = fc.distance_map(space, (7, 2))
    with refused(OnWall, "walker", "index 1"):
        hunt.step([(3.0, 1.0), (0.0, 0.0)])
    with refused(InvalidValue, "one_per_cell"):
        hunt.step(pack, one_per_cell=1)
