"""Sources as floors: a cell reads the stronger of its own strength and what arrives, on grids and
graphs, by the bit.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import fieldcraft as fc
from fieldcraft.layers.propagation.spread.lower_bounds import stronger
from fieldcraft.space.wrapping import Wrap
from oracles import spread as reference
from support.refusals import refused
from support.worlds import KNIGHT_AND_CORNER, WRAPS

SPREADS = st.builds(
    fc.Spread,
    decay=st.sampled_from([0.0, 0.1, 0.7]),
    momentum=st.sampled_from([0.0, 0.4, 1.0]),
    falloff=st.sampled_from(["exponential", "linear", "quadratic", "cubic"]),
    half_life=st.sampled_from([None, 0.3]),
    floor=st.sampled_from([0.0, 1e-3, 0.2]),
    pin=st.just(False),
)


def plainly(
    values: NDArray[np.float32], layer: fc.Layer, grid: fc.Grid, spread: fc.Spread
) -> NDArray[np.float32]:
    """One step as it is defined: the rule for every open cell, and then the stronger of that and
    the cell's source, unless something stronger of the other sign arrives.
    """
    after = ruled(values, layer, grid, spread)
    cells, strengths = layer.sources.rows.pins(spread.stack)
    held = stronger(strengths, after[cells]) & ~turning(values, layer, grid, spread)
    after[cells] = np.where(held, strengths, after[cells])
    return after.reshape(grid.shape)


def losses_of(grid: fc.Grid, spread: fc.Spread) -> NDArray[np.float32]:
    """What each step of the grid loses."""
    lengths = grid.neighborhood.lengths(grid.cell_size)
    if spread.exponent == 0:
        return np.exp(-spread.decay * lengths).astype(np.float32)
    return (spread.decay * lengths).astype(np.float32)


def turning(
    values: NDArray[np.float32], layer: fc.Layer, grid: fc.Grid, spread: fc.Spread
) -> NDArray[np.bool_]:
    """In the cells of which sources something stronger of the other sign arrives."""
    cells, strengths = layer.sources.rows.pins(spread.stack)
    target = reference.targets(
        values,
        grid.links(),
        np.array(grid.neighborhood.steps),
        losses_of(grid, spread),
        spread.exponent,
        grid.wrap_flags,
    )
    arrives = target.reshape(-1)[cells]
    arrives = np.where(np.abs(arrives) < np.float32(spread.floor), np.float32(0), arrives)
    return (arrives != 0) & ((arrives < 0) != (strengths < 0)) & ~stronger(strengths, arrives)


def ruled(
    values: NDArray[np.float32], layer: fc.Layer, grid: fc.Grid, spread: fc.Spread
) -> NDArray[np.float32]:
    """The rule for every open cell, sources aside, (N,)."""
    keep = np.float32(-1 if spread.half_life is None else 0.5 ** (layer.every / spread.half_life))
    after = reference.spread(
        values,
        grid.walls.astype(np.uint8),
        grid.links(),
        np.array(grid.neighborhood.steps),
        losses_of(grid, spread),
        spread.exponent,
        np.float32(spread.momentum),
        keep,
        np.float32(spread.floor),
        grid.wrap_flags,
    ).reshape(-1)
    return np.asarray(after)


@settings(max_examples=25)
@given(
    spread=SPREADS,
    neighbors=st.sampled_from([4, 8, KNIGHT_AND_CORNER]),
    wrap=st.sampled_from(WRAPS),
    signed=st.booleans(),
    large=st.booleans(),
    seed=st.integers(0, 10**6),
)
@example(fc.Spread(0.1, 0.4, pin=False), 8, False, False, True, 1)
@example(
    fc.Spread(0.0, 1.0, "quadratic", half_life=0.3, floor=0.0, pin=False), 4, False, True, False, 0
)
def test_is_the_definition(
    spread: fc.Spread, neighbors: object, wrap: Wrap, signed: bool, large: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    width, height = (90, 70) if large else (17, 11)
    grid = fc.Grid(
        width, height, walls=rng.random((height, width)) < 0.15, neighbors=neighbors, wrap=wrap
    )
    layer = fc.InfluenceMap(grid).add_layer("noise", spread)
    values = np.zeros(grid.shape, np.float32)
    places = grid.position_of(np.flatnonzero(~grid.walls.reshape(-1)))
    for _ in range(4):
        layer.sources.remove(layer.sources.ids)
        strengths = rng.integers(-8 if signed else 1, 9, 6)
        layer.add_sources(rng.permutation(places)[:6], strengths)
        cells, least = layer.sources.rows.pins("max")
        flat = values.reshape(-1)
        loose = stronger(flat[cells], least) | turning(values, layer, grid, spread)
        flat[cells] = np.where(loose, flat[cells], least)
        for count in (1, int(rng.integers(1, 12))):
            layer.step(count)
            for _ in range(count):
                values = plainly(values, layer, grid, spread)
            assert np.array_equal(layer.values, values)


@pytest.mark.parametrize("falloff", ["exponential", "linear", "quadratic"])
@pytest.mark.parametrize("on_graph", [False, True])
def test_settled_it_is_the_strongest_of_what_each_source_alone_makes(
    falloff: str, on_graph: bool
) -> None:
    rng = np.random.default_rng(3)
    grid = fc.Grid(23, 14, walls=rng.random((14, 23)) < 0.2, neighbors=8)
    space = grid.to_graph() if on_graph else grid
    cells = rng.permutation(np.flatnonzero(~grid.walls.reshape(-1)))[:7]
    strengths = rng.random(7) * 9 + 1

    def settled(chosen: NDArray[np.int64]) -> NDArray[np.float32]:
        layer = fc.InfluenceMap(space).add_layer(
            "noise", fc.Spread(0.1, 1.0, falloff=falloff, pin=False)
        )
        layer.add_sources(grid.position_of(cells[chosen]), strengths[chosen])
        layer.settle()
        once = layer.read()
        layer.step(3)
        assert np.array_equal(layer.values, once)
        return once

    alone = np.max([settled(np.array([k])) for k in range(7)], axis=0)
    assert np.array_equal(settled(np.arange(7)), alone)


@pytest.mark.parametrize("momentum", [0.2, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("moving", [False, True])
def test_steps_with_both_signs_reach_what_is_settled(momentum: float, moving: bool) -> None:
    for seed in range(8):
        rng = np.random.default_rng(seed)
        grid = fc.Grid(13, 9, walls=rng.random((9, 13)) < 0.2, neighbors=8)
        space = grid.to_graph() if seed % 2 else grid
        spread = fc.Spread(
            0.3, momentum, falloff=["exponential", "linear"][seed // 2 % 2], floor=0, pin=False
        )
        settled, stepped = (fc.InfluenceMap(space).add_layer("a", spread) for _ in range(2))
        cells = rng.permutation(np.flatnonzero(~grid.walls.reshape(-1)))[:9]
        strengths = rng.uniform(-6, 6, 8)
        for layer in (settled, stepped):
            layer.add_sources(space.position_of(cells[:8]), strengths)
        settled.settle()
        if moving:  # another source that changes before each step holds no cell back
            for _ in range(150):
                other = stepped.add_source(space.position_of(int(cells[8])), 1e-6)
                stepped.step()
                other.remove()
        stepped.step(400)
        np.testing.assert_allclose(stepped.values, settled.values, rtol=1e-4, atol=1e-5)


def test_a_graph_agrees_with_its_grid() -> None:
    rng = np.random.default_rng(5)
    grid = fc.Grid(31, 18, walls=rng.random((18, 31)) < 0.2, neighbors=8)
    places = grid.position_of(rng.permutation(np.flatnonzero(~grid.walls.reshape(-1)))[:9])
    layers = [
        fc.InfluenceMap(space).add_layer("noise", fc.Spread(0.2, 0.5, pin=False))
        for space in (grid, grid.to_graph())
    ]
    for count in (1, 7, 30):
        for layer in layers:
            layer.sources.remove(layer.sources.ids)
            layer.add_sources(places[count % 3 :: 2], np.arange(len(places[count % 3 :: 2])) + 1.0)
            layer.step(count)
        assert np.array_equal(layers[0].values.reshape(-1), layers[1].values)


def test_a_rat_does_not_hide_the_dragon() -> None:
    corridor = np.ones((3, 20), dtype=bool)
    corridor[1] = False
    for pin, behind in ((True, 1.0 * np.exp(-0.1 * 5)), (False, 9.0 * np.exp(-0.1 * 12))):
        layer = fc.InfluenceMap(fc.Grid(walls=corridor)).add_layer(
            "threat", fc.Spread(0.1, 1.0, pin=pin)
        )
        layer.add_source((2.5, 1.5), strength=9.0)
        rat = layer.add_source((9.5, 1.5), strength=1.0)
        layer.step(30)
        assert layer.sample((14.5, 1.5)) == pytest.approx(behind, rel=1e-5)
        assert (layer.sample((9.5, 1.5)) == 1.0) == pin
        rat.remove()
        layer.step(30)
        assert layer.sample((14.5, 1.5)) == pytest.approx(9.0 * np.exp(-0.1 * 12), rel=1e-5)


def test_comes_to_rest() -> None:
    grid = fc.Grid(200, 100)
    layer = fc.InfluenceMap(grid).add_layer("noise", fc.Spread(0.8, 1.0, pin=False))
    layer.add_sources([(50.5, 50.5), (53.5, 50.5)], [9.0, 0.1])
    layer.step(60)
    once = layer.read()
    layer.step(5)
    assert np.array_equal(layer.values, once)
    changed = replace(layer.propagation, pin=True)
    layer.propagation = changed
    layer.step(2)
    assert layer.sample((53.5, 50.5)) == np.float32(0.1)


def test_pin_is_true_or_false() -> None:
    with refused(fc.errors.InvalidValue):
        fc.Spread(0.1, 0.5, pin=1)  # type: ignore[arg-type]
