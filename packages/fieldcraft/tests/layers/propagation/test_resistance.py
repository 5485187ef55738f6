"""Cells that resist what diffuses and floods: half-open doors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue

KNIGHT = [(1, 2), (2, 1), (-1, -2), (-2, -1), (1, 0), (-1, 0)]


def ground(kind: Any) -> Any:
    walls = np.random.default_rng(4).random((9, 13)) < 0.2
    walls[:, 6] = True
    walls[4, 5:8] = False
    if kind == "hex":
        return fc.HexGrid(13, 9, walls=walls)
    if kind == "graph":
        return fc.Grid(walls=walls, neighbors=8).to_graph()
    return fc.Grid(walls=walls, neighbors=kind)


def doors(space: Any) -> NDArray[np.float64]:
    held = np.random.default_rng(5).uniform(0, 3, space.shape)
    return np.where(np.random.default_rng(6).random(space.shape) < 0.4, held, 0.0)


def layer_on(space: Any, propagation: Any) -> tuple[fc.InfluenceMap, Any]:
    imap = fc.InfluenceMap(space)
    layer: Any = imap.add_layer("gas", propagation)
    layer.resistance = doors(space)
    for number, cell in enumerate(np.flatnonzero(~space.walls.reshape(-1))[3:60:9].tolist()):
        layer.deposit(space.position_of(cell), 2.0 + number)
    return imap, layer


@pytest.mark.parametrize("kind", [4, 8, KNIGHT, "hex", "graph"])
@pytest.mark.parametrize("edges", ["conserve", "lose"])
def test_diffusion_is_its_definition_and_loses_nothing(kind: Any, edges: str) -> None:
    space = ground(kind)
    _, layer = layer_on(space, fc.Diffuse(0.7, edges=edges, floor=0.0))
    ways, through = space.adjacency_from_walls, np.exp(-doors(space).reshape(-1))
    values = layer.values.reshape(-1).astype(np.float64)
    most = np.diff(space.graph.topology.leaving[0]) if kind == "graph" else 6
    if isinstance(space, fc.Grid):
        most = len(space.neighborhood)
    share = 0.7 / np.maximum(most, 1)
    walled = most - np.bincount(ways.origins, minlength=len(space))
    for _ in range(12):
        offered = values * share
        after = values - (walled * offered if edges == "lose" else 0.0)
        np.subtract.at(after, ways.origins, offered[ways.origins] * through[ways.ends])
        np.add.at(after, ways.ends, offered[ways.origins] * through[ways.ends])
        values = after
        layer.step()
        np.testing.assert_allclose(layer.values.reshape(-1), values, rtol=2e-4, atol=1e-5)
    if edges == "conserve":
        layer.step(200)
        assert layer.values.sum() == pytest.approx(values.sum(), rel=1e-4)


@pytest.mark.parametrize("as_graph", [False, True])
@pytest.mark.parametrize("fed", [False, True])
def test_it_settles_where_steps_lead(as_graph: bool, fed: bool) -> None:
    space: Any = fc.Grid(walls=[[0, 0, 1, 0, 0], [0, 0, 0, 0, 0], [0, 0, 1, 0, 0]], neighbors=8)
    space = space.to_graph() if as_graph else space
    imap = fc.InfluenceMap(space)
    settled, stepped = (imap.add_layer(name, fc.Diffuse(0.7, floor=0.0)) for name in "ab")
    for layer in (settled, stepped):
        layer.resistance = 0.3 * np.arange(15).reshape(space.shape) % 2
        layer.deposit([(0.5, 0.5), (4.5, 1.5)], [6.0, 9.0])
        if fed:
            layer.add_source((1.5, 2.5), 4.0)
    settled.settle()
    stepped.step(10_000)
    np.testing.assert_allclose(stepped.values, settled.values, rtol=1e-3, atol=1e-4)


def test_a_half_open_door_holds_gas_back() -> None:
    passed = []
    for door in (0.0, 2.0):
        space = fc.Grid(walls=[[0, 0, 1, 0, 0], [0, 0, 0, 0, 0], [0, 0, 1, 0, 0]])
        gas = fc.InfluenceMap(space).add_layer("gas", fc.Diffuse(0.8))
        gas.resistance = np.where(np.arange(15).reshape(3, 5) == 7, door, 0.0)
        gas.deposit((0.5, 1.5), 10.0)
        gas.step(10)
        passed.append(float(gas.values[:, 3:].sum()))
        assert gas.values.sum() == pytest.approx(10.0, rel=1e-5)
    assert 0 < passed[1] < 0.5 * passed[0]


def test_a_flood_goes_on_weaker() -> None:
    imap = fc.InfluenceMap(fc.Grid(8, 1))
    flood = imap.add_layer("flood", fc.Flood(cooling=0.0))
    flood.resistance = np.where(np.arange(8) == 3, np.log(2), 0.0)[np.newaxis]
    flood.add_source((0.5, 0.5), 8.0)
    imap.step(7)
    np.testing.assert_allclose(flood.values[0], [8, 8, 8, 4, 4, 4, 4, 4], rtol=1e-6)


@pytest.mark.parametrize("propagation", [fc.Diffuse(0.5), fc.Flood()])
def test_saves_keep_doors(propagation: Any, tmp_path: Any) -> None:
    imap, layer = layer_on(ground(4), propagation)
    imap.step(2)
    imap.save(tmp_path / "a.fieldcraft")
    twin = fc.InfluenceMap.load(tmp_path / "a.fieldcraft")
    for each in (imap, twin):
        each.step(3)
    np.testing.assert_array_equal(twin["gas"].values, layer.values)
    layer.resistance = None
    assert layer.resistance is None and twin["gas"].resistance is not None


def test_other_layers_say_which_resist() -> None:
    layer = fc.InfluenceMap(fc.Grid(5, 3)).add_layer("a", fc.Radial(2.0))
    with pytest.raises(InvalidValue, match="path"):
        layer.resistance = np.ones((3, 5))
