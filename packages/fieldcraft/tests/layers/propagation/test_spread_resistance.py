"""Cells that resist what enters them: the definition by the bit on grids, the oracle of Dijkstra,
graphs, files.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.layers.propagation.spread.spread import FALLOFFS
from fieldcraft.space.wrapping import Wrap
from oracles import spread as reference
from oracles.spread import settled
from support.refusals import refused
from support.worlds import KNIGHT_AND_CORNER, WRAPS


@settings(max_examples=16)
@given(
    spread=st.builds(
        fc.Spread,
        decay=st.sampled_from([0.0, 0.1, 0.7]),
        momentum=st.sampled_from([0.4, 1.0]),
        falloff=st.sampled_from(list(FALLOFFS)),
        half_life=st.sampled_from([None, 0.3]),
    ),
    neighbors=st.sampled_from([4, 8, KNIGHT_AND_CORNER]),
    wrap=st.sampled_from(WRAPS),
    signed=st.booleans(),
    large=st.booleans(),
    seed=st.integers(0, 10**6),
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
    layer.resistance = (rng.random(grid.shape) * (rng.random(grid.shape) < 0.3)).astype(np.float32)
    through = np.exp(-layer.resistance) if spread.exponent == 0 else layer.resistance
    cells = np.sort(rng.permutation(np.flatnonzero(~grid.walls.reshape(-1)))[:5])
    layer.add_sources(grid.position_of(cells), rng.integers(-8 if signed else 1, 9, 5))
    pinned, strengths = layer.sources.rows.pins("max")
    values, frozen = np.zeros(grid.shape, np.float32), grid.walls.astype(np.uint8)
    values.reshape(-1)[pinned], frozen.reshape(-1)[pinned] = strengths, 1
    lengths = grid.neighborhood.lengths(grid.cell_size)
    losses = (
        np.exp(-spread.decay * lengths) if spread.exponent == 0 else spread.decay * lengths
    ).astype(np.float32)
    keep = np.float32(-1 if spread.half_life is None else 0.5 ** (layer.every / spread.half_life))
    floor, steps = np.float32(spread.floor), np.array(grid.neighborhood.steps)
    for count in (1, 4, 23):
        layer.step(count)
        for _ in range(count):
            values = reference.spread(
                values,
                frozen,
                grid.links(),
                steps,
                losses,
                spread.exponent,
                np.float32(spread.momentum),
                keep,
                floor,
                grid.wrap_flags,
                through,
            )
        assert np.array_equal(layer.values, values)
    layer.settle()
    way = (grid.links(), steps, losses, spread.exponent, grid.wrap_flags, through)
    ended = settled(values, frozen, lambda each: reference.targets(each, *way), floor)
    assert np.array_equal(layer.values, ended)


def test_settled_it_is_the_cheapest_way() -> None:
    """Entering a cell costs its resistance: Dijkstra over steps that cost `decay * length +
    resistance` says the same.
    """
    rng = np.random.default_rng(4)
    grid = fc.Grid(19, 12, walls=rng.random((12, 19)) < 0.2, neighbors=8)
    start = int(np.flatnonzero(~grid.walls.reshape(-1))[40])
    smoke = rng.random(grid.shape) * 2
    best = np.full(len(grid), np.inf)
    best[start] = 0.0
    waiting = [start]
    while waiting:
        here = waiting.pop(0)
        for there in grid.neighbors_of(here).tolist():
            length = float(np.hypot(*(grid.position_of(there) - grid.position_of(here))))
            cost = best[here] + 0.1 * length + smoke.reshape(-1)[there]
            if cost < best[there] - 1e-12:
                best[there] = cost
                waiting.append(there)
    for space in (grid, grid.to_graph()):
        for falloff, expected in (
            ("exponential", 9 * np.exp(-best)),
            ("linear", np.maximum(9 - best, 0)),
        ):
            layer = fc.InfluenceMap(space).add_layer(
                "noise", fc.Spread(0.1, 1.0, falloff=falloff, floor=0.0)
            )
            layer.add_source(grid.position_of(start), strength=9.0)
            layer.resistance = smoke.reshape(space.shape)
            layer.settle()
            assert layer.values.reshape(-1) == pytest.approx(expected, rel=1e-5, abs=1e-5)
            layer.step(3)
            assert layer.values.reshape(-1) == pytest.approx(expected, rel=1e-5, abs=1e-5)


def test_a_door_weakens_and_opens(tmp_path: Path) -> None:
    corridor = np.ones((3, 20), dtype=bool)
    corridor[1] = False
    imap = fc.InfluenceMap(fc.Grid(walls=corridor))
    noise = imap.add_layer("noise", fc.Spread(0.1, 1.0))
    doors = np.zeros((3, 20), dtype=np.float32)
    doors[1, 8] = np.log(4)
    noise.add_source((2.5, 1.5), strength=9.0)
    noise.resistance = imap.add_layer("doors", values=doors)
    imap.step(30)
    assert noise.sample((12.5, 1.5)) == pytest.approx(9 * np.exp(-1) / 4, rel=1e-5)
    assert fc.explain(noise, (12.5, 1.5)).contributions

    path = tmp_path / "map.npz"
    imap.save(path)
    loaded, twin = fc.InfluenceMap.load(path), imap.copy()
    for each in (imap, loaded, twin):
        each.step(3)
    assert np.array_equal(loaded["noise"].values, noise.values)
    assert np.array_equal(twin["noise"].values, noise.values)

    noise.resistance = None
    imap.step(30)
    assert noise.sample((12.5, 1.5)) == pytest.approx(9 * np.exp(-1), rel=1e-5)
    assert twin["noise"].resistance is not None


@pytest.mark.parametrize(
    "wrong",
    [np.zeros((2, 3)), np.full((3, 4), -1.0), np.full((3, 4), np.nan), np.full((3, 4), "x")],
)
def test_what_is_refused(wrong: np.ndarray) -> None:
    layer = fc.InfluenceMap(fc.Grid(4, 3)).add_layer("noise", fc.Spread(0.1, 0.5))
    with refused(InvalidValue):
        layer.resistance = wrong
    assert layer.resistance is None
    discs = fc.InfluenceMap(fc.Grid(4, 3)).add_layer("guns", fc.Radial(3.0))
    with refused(InvalidValue, 'metric="path"'):
        discs.resistance = np.zeros((3, 4))


def test_without_a_source_it_resists_still() -> None:
    imap = fc.InfluenceMap(fc.Grid(9, 1))
    noise = imap.add_layer("noise", fc.Spread(0.1, 1.0))
    noise.sync(["dog", "cat"], [(0.5, 0.5), (1.5, 0.5)], [9.0, 1.0])
    noise.resistance = np.arange(9).reshape(1, 9) == 4
    noise.settle()
    alone = fc.InfluenceMap(imap.space).add_layer("noise", noise.propagation)
    alone.resistance = noise.resistance
    alone.add_source((0.5, 0.5), 9.0)
    alone.settle()
    assert noise.without("cat").values.tobytes() == alone.values.tobytes()
    noise.resistance = alone.resistance = None
    noise.settle()
    alone.settle()
    assert noise.without("cat").values.tobytes() == alone.values.tobytes()
