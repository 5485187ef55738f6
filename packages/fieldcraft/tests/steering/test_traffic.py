"""The layer of traffic: what agents leave on it, what it costs to move against it, on all spaces."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue

KINDS = ("four", "eight", "hex", "graph", "tall graph")


def space_of(kind: str) -> fc.Space:
    """Two ways around a block: cells 0 to 8 lie in the first row, 54 to 62 in the last."""
    walls = np.zeros((7, 9), dtype=bool)
    walls[1:6, 1:8] = True
    if kind == "hex":
        return fc.HexGrid(9, 7, walls=walls)
    grid = fc.Grid(walls=walls, neighbors=8 if kind == "eight" else 4)
    if not kind.endswith("graph"):
        return grid
    flat = grid.to_graph()
    if kind == "graph":
        return flat
    places = np.column_stack([flat.positions, 0.5 * flat.positions[:, 1]])
    edges = np.stack([grid.adjacency.origins, grid.adjacency.ends], axis=1)
    return fc.Graph(places, edges[edges[:, 0] < edges[:, 1]])


def with_traffic(space: fc.Space, **settings: Any) -> tuple[fc.InfluenceMap, Any, Any]:
    imap = fc.InfluenceMap(space)
    layer = imap.add_layer("traffic", fc.Trail(vector=True, blur=1, half_life=0.25))
    return imap, layer, fc.steering.PIBT(space, traffic=layer, **settings)


def stream(imap: fc.InfluenceMap, layer: Any, cells: Any, strength: float, steps: int = 30) -> None:
    """Let agents go along cells, one after the other, for some steps."""
    places = imap.space.position_of(cells)
    legs = np.diff(places, axis=0)
    legs /= np.linalg.norm(legs, axis=1)[:, np.newaxis]
    for _ in range(steps):
        layer.deposit_at(cells[1:], strength * legs)
        imap.step()


@pytest.mark.parametrize("kind", KINDS)
def test_traffic_holds_the_moves_of_the_last_steps(kind: str) -> None:
    space = space_of(kind)
    imap, layer, crowd = with_traffic(space)
    cells = np.array([0, 44])
    expected = np.zeros((len(space), space.dimensions))
    keep = 0.5 ** (layer.every / 0.25)
    for _ in range(5):
        after = crowd.step(cells, [8, 54])
        imap.step()
        legs = space.position_of(after) - space.position_of(cells)
        legs /= np.maximum(np.linalg.norm(legs, axis=1), 1e-9)[:, np.newaxis]
        expected *= keep
        np.add.at(expected, after, (1 - keep) * legs)
        cells = after
    np.testing.assert_allclose(layer.vectors.reshape(expected.shape), expected, atol=1e-5)
    lengths = np.linalg.norm(expected, axis=1)
    np.testing.assert_allclose(layer.values.reshape(-1), lengths, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_traffic_is_an_ordinary_layer(kind: str, tmp_path: Path) -> None:
    space = space_of(kind)
    imap, layer, crowd = with_traffic(space)
    cells = np.array([0, 54])
    for _ in range(4):
        cells = crowd.step(cells, [8, 62])
        imap.step()
    crowd.step(cells, [8, 62])  # what has come since the last update is saved, too
    imap.save(tmp_path / "map.npz")
    twin = fc.InfluenceMap.load(tmp_path / "map.npz")
    for each in (imap, twin):
        each.step()
    assert twin["traffic"].vectors.tobytes() == layer.vectors.tobytes()
    busy = (1 + 3 * layer).values
    np.testing.assert_allclose(busy, np.where(space.walls, 0, 1 + 3 * layer.values), rtol=1e-6)
    place = space.position_of(int(cells[0]))
    assert layer.sample(place) == layer.values.reshape(-1)[cells[0]] > 0
    assert fc.view.frame(layer, scale=8).ndim == 3


@pytest.mark.parametrize("kind", KINDS)
def test_an_agent_does_not_go_against_the_flow(kind: str) -> None:
    space = space_of(kind)
    imap, layer, crowd = with_traffic(space, weight=10.0)
    stream(imap, layer, np.arange(9), 0.2)
    seen, cells, goal = set(), np.array([26]), 18
    for _ in range(40):
        cells = crowd.step(cells, [goal])
        seen.add(int(cells[0]))
    assert cells.tolist() == [goal]
    assert 4 not in seen
    assert 58 in seen


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("outward", [False, True])
def test_distance_maps_charge_steps_against_the_flow(kind: str, outward: bool) -> None:
    space = space_of(kind)
    imap, layer, _ = with_traffic(space)
    stream(imap, layer, np.arange(9), 0.02)
    given = {"cost": 2.0, "outward": outward}
    aim = 26 if outward else 18
    goal = space.position_of(aim)
    found = fc.distance_map(space, goal, traffic=layer, weight=5.0, **given)
    # An oracle: the length of a step times a factor, and Bellman's equation.
    flow, ways = layer.vectors.reshape(len(space), -1).astype(np.float64), space.adjacency
    legs = space.position_of(ways.ends) - space.position_of(ways.origins)
    legs /= np.linalg.norm(legs, axis=1)[:, np.newaxis]
    along = ((flow[ways.origins] + flow[ways.ends]) / 2 * legs).sum(axis=1)
    costs = 2.0 * ways.lengths * (1 + 5.0 * np.maximum(-along, 0))
    begin, end = (ways.ends, ways.origins) if outward else (ways.origins, ways.ends)
    left = np.full(len(space), np.inf)
    left[aim] = 0
    for _ in range(len(space)):
        np.minimum.at(left, begin, left[end] + costs)
    np.testing.assert_allclose(found.values.reshape(-1), left, rtol=1e-5)
    plain = fc.distance_map(space, goal, **given).values.reshape(-1)
    assert (left > plain + 0.01).any() and not found.outdated


def test_a_distance_map_follows_traffic_when_it_is_repaired() -> None:
    space = space_of("four")
    imap, layer, _ = with_traffic(space)
    distances = fc.distance_map(space, space.position_of(0), traffic=layer, weight=5.0)
    flow = fc.flow_field(distances)
    top = space.position_of(5)
    assert flow.sample(top).tolist() == [-1.0, 0.0]
    stream(imap, layer, np.arange(9), 1.0)
    assert distances.outdated and distances.repair() is None
    assert flow.sample(top).tolist() == [1.0, 0.0]
    assert len(distances.repair()) == 0


def test_a_swarm_leaves_traffic_and_turns_with_it() -> None:
    grid = fc.Grid(40, 30)
    imap = fc.InfluenceMap(grid)
    traffic = imap.add_layer("traffic", fc.Trail(vector=True, blur=3, keep=0.9))
    lane = [(x + 0.5, 15.5) for x in range(5, 30)]
    deposits = fc.steering.Deposit(traffic, 0.5)
    first = fc.steering.Swarm.at(grid, lane, (1, 0))
    first.run(fc.steering.Walk(speed=1.0), 1.0, steps=5, deposits=deposits)
    assert traffic.vectors[15, 12:30, 0].min() > 0.3
    second = fc.steering.Swarm.at(grid, lane[8:], (0.6, 0.8))
    walk = fc.steering.Walk(speed=0.1, align=4.0, distance=0.1)
    second.run(walk, 1.0, steps=5, flow=traffic)
    assert (second.headings[:, 0] > 0.8).all()


def test_traffic_that_does_not_fit() -> None:
    grid = fc.Grid(9, 7)
    imap = fc.InfluenceMap(grid)
    plain = imap.add_layer("a", fc.Trail())
    other = fc.InfluenceMap(fc.Grid(9, 7)).add_layer("b", fc.Trail(vector=True))
    for use in (
        lambda layer: fc.steering.PIBT(grid, traffic=layer),
        lambda layer: fc.distance_map(grid, (0.5, 0.5), traffic=layer),
    ):
        with pytest.raises(InvalidValue, match="vector=True"):
            use(plain)
        with pytest.raises(InvalidValue, match="same space"):
            use(other)
    flows = imap.add_layer("c", fc.Trail(vector=True))
    with pytest.raises(InvalidValue, match="weight"):
        fc.distance_map(grid, (0.5, 0.5), traffic=flows, weight=-1.0)
    graph = fc.InfluenceMap(grid.to_graph())
    with pytest.raises(InvalidValue, match="Pass blur=1"):
        graph.add_layer("a", fc.Trail(vector=True))
