"""The layers for programs without Python have the bits of the library's.

Their own source runs uncompiled here, and calls the compiled kernels of the library.
"""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.kernels.compiling import tier

NATIVE = Path(__file__).resolve().parents[1]
SHAPES = [(1, 1), (7, 12), (40, 33), (18, 70)]


@pytest.fixture(scope="module")
def embedded():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tier, "compiled", lambda: False)
        patch.setattr(tier, "library", lambda: None)
        patch.syspath_prepend(NATIVE)
        yield importlib.import_module("embedded")


def walls_of(shape, seed):
    walls = np.random.default_rng(seed).random(shape) < 0.3
    walls.flat[0] = False
    return walls


@pytest.mark.parametrize("neighbors", [4, 8])
@pytest.mark.parametrize("shape", SHAPES)
def test_spread_has_the_bits_of_the_layer(embedded, shape, neighbors):
    walls = walls_of(shape, 1)
    grid = fc.Grid(walls=walls, neighbors=neighbors)
    imap = fc.InfluenceMap(grid)
    layer = imap.add_layer("threat", fc.Spread(decay=0.15, momentum=0.4, floor=1e-3))
    values, held = np.zeros(shape, np.float32), np.zeros(shape, np.uint8)
    for strength, cell in zip((3.0, 5.5), np.flatnonzero(~walls)[[0, -1]], strict=True):
        layer.add_source(grid.position_of(int(cell)), strength)
        values.flat[cell], held.flat[cell] = strength, 1
    imap.step(13)
    losses = np.exp(-0.15 * np.hypot(1, [0, 1])).astype(np.float32)
    rule = (neighbors, *losses, np.float32(0.4), np.float32(1e-3))
    embedded.spread(values, walls.view(np.uint8), held, *rule, 13)
    np.testing.assert_array_equal(values, layer.values)


@pytest.mark.parametrize("shape", SHAPES)
def test_radial_has_the_bits_of_the_layer(embedded, shape):
    walls = walls_of(shape, 2)
    grid = fc.Grid(walls=walls)
    imap = fc.InfluenceMap(grid)
    layer = imap.add_layer("light", fc.Radial(4.5, metric="straight", falloff="linear"))
    cells = np.random.default_rng(3).choice(np.flatnonzero(~walls), 5).astype(np.int32)
    strengths = np.array([1.0, -2.0, 0.3, 7.0, 1.5])
    for cell, strength in zip(cells.tolist(), strengths.tolist(), strict=True):
        layer.add_source(grid.position_of(cell), strength)
    imap.step()
    away = np.arange(-4.0, 5.0)
    weights = np.maximum(1 - np.hypot(away, away[:, np.newaxis]) / 4.5, 0)
    values = np.zeros(shape, np.float32)
    embedded.radial(values, walls.view(np.uint8), cells, strengths, weights)
    np.testing.assert_array_equal(values, layer.values)


@pytest.mark.parametrize("neighbors", [4, 8])
@pytest.mark.parametrize("shape", SHAPES)
def test_distances_have_the_bits_of_the_map_and_agents_arrive(embedded, shape, neighbors):
    walls = walls_of(shape, 4)
    grid = fc.Grid(walls=walls, neighbors=neighbors, cell_size=1.0)
    goals = np.flatnonzero(~walls)[[0, -1]].astype(np.int32)
    values = np.zeros(shape, np.float32)
    embedded.distance_map(values, walls.view(np.uint8), goals, neighbors, 1.0)
    np.testing.assert_array_equal(values, fc.distance_map(grid, grid.position_of(goals)).values)
    agents = np.flatnonzero(~walls).astype(np.int32)
    following = np.empty_like(agents)
    for _ in range(len(agents)):
        before = values.flat[agents]
        embedded.next_cells(values, walls.view(np.uint8), neighbors, agents, following)
        after = values.flat[following]
        assert ((after < before) | (following == agents)).all()
        agents[:] = following
    assert (np.isin(agents, goals) | ~np.isfinite(values.flat[agents])).all()
