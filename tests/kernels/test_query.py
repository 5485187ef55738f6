"""The compiled kernels of questions give the bits of their references."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.kernels import compiled
from fieldcraft.kernels.reference import query as reference
from fieldcraft.query.ground import Ground, frozen, moves_of

if not compiled():
    pytest.skip("the compiled kernels are not in use here", allow_module_level=True)

from fieldcraft.kernels import query as fast

KNIGHT = [(1, 2), (2, 1), (-1, 2), (-2, 1)]
HEX = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)]


class World:
    """A random map, its values, and random positions on it."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = np.random.default_rng(seed)
        width, height = (int(n) for n in rng.integers(1, 40, 2))
        terrain = None
        if rng.random() < 0.4:
            terrain = fc.Terrain(rng.integers(0, 3, (height, width)), rng.random((3, 3)) < 0.6)
        self.space = fc.Grid(
            width,
            height,
            cell_size=float(rng.choice([1.0, 0.5, 0.3, 7.1])),
            origin=(float(rng.normal()), float(rng.normal())),
            y_up=bool(rng.random() < 0.5),
            walls=rng.random((height, width)) < rng.choice([0.0, 0.1, 0.5, 1.0], p=[0.4, 0.3, 0.25, 0.05]),
            terrain=terrain,
            neighbors=[4, 8, KNIGHT, HEX][rng.integers(4)],
            wrap=bool(rng.random() < 0.4),
        )
        # Few different values, so that there are ties and plateaus.
        levels = float(rng.choice([1.0, 3.0, 1e6]))
        self.values = (np.round(rng.normal(size=(height, width)) * levels) / levels).astype(np.float32)
        self.ground = Ground(self)

    def positions(self, count: int, margin: float = 0.0) -> Any:
        """Positions up to `margin` of the map's size off it, many of them on edges and centres of cells."""
        size = np.array(self.space.size)
        places = (self.rng.random((count, 2)) * (1 + 2 * margin) - margin) * size / self.space.cell_size
        snapped = np.round(places * 2) / 2
        places = np.where(self.rng.random((count, 1)) < 0.4, np.minimum(snapped, size / self.space.cell_size - 0.5), places)
        return places * self.space.cell_size + self.space.origin


def same(one: Any, other: Any) -> None:
    assert one.dtype == other.dtype
    assert one.tobytes() == other.tobytes()


worlds = st.integers(0, 2**32).map(World)


@given(worlds, st.booleans())
@settings(max_examples=80, deadline=None)
def test_bilinear_and_gradient(world: World, clamp: bool) -> None:
    space, ground = world.space, world.ground
    points = world.positions(60, margin=0.3)
    points[::17] = np.nan
    common = (ground.values, *ground.obstacles(), frozen(points), *space.origin, space.cell_size, space.y_up, space.wrap, clamp)
    for name, extra, shape, dtype in (
        ("bilinear", (), (60,), np.float32),
        ("gradient", (False,), (60, 2), np.float64),
        ("gradient", (True,), (60, 2), np.float64),
    ):
        answers = []
        for module in (fast, reference):
            out, outside = np.zeros(shape, dtype), np.full(1, -1)
            getattr(module, name)(*common, *extra, 3, 57, outside, out)
            answers.append((out, outside))
        same(answers[0][0], answers[1][0])
        same(answers[0][1], answers[1][1])


@given(worlds, st.sampled_from([0.4, 1.0, 3.0, 9.5, 40.0]), st.sampled_from([0.0, 1.0, 2.5]), st.integers(1, 4), st.sampled_from([1, -1]))
@settings(max_examples=120, deadline=None)
def test_best(world: World, reach: float, spacing: float, count: int, sign: int) -> None:
    space, ground = world.space, world.ground
    places, _ = ground.places(world.positions(12), "clamp")
    closed = ground.closed(world.rng.random(space.shape) < 0.9)
    sign = np.float32(sign)
    tiles = (-(-space.height // fast.TILE), -(-space.width // fast.TILE))
    bounds, plain = np.empty(tiles, np.float32), np.empty(tiles, np.float32)
    fast.bounds(ground.values, closed, sign, bounds)
    reference.bounds(ground.values, closed, sign, plain)
    np.testing.assert_array_equal(bounds, plain)  # 0 and -0 are equally high
    for taking in (False, True):
        answers = []
        for module, highest in ((reference, bounds), (fast, bounds), (fast, np.full(tiles, np.inf, np.float32))):
            out, taken = np.full((12, count), -1), closed.copy()
            module.best(
                ground.values, taken, highest, sign, places, reach**2, spacing**2, taking, space.y_up, space.wrap, 0, 12, out
            )  # fmt: skip
            answers.append((out, taken))
        for out, taken in answers[1:]:
            same(out, answers[0][0])
            same(taken, answers[0][1])


@given(worlds, st.sampled_from([-10.0, 0.0, 0.5]), st.sampled_from([0.0, 1.0, 4.0]))
@settings(max_examples=100, deadline=None)
def test_peaks_and_thin(world: World, threshold: float, spacing: float) -> None:
    space, ground = world.space, world.ground
    answers = []
    for module in (fast, reference):
        found = np.zeros(len(space), np.int64)
        count = module.peaks(ground.values, ground.walls, *moves_of(space), threshold, space.wrap, found)
        kept, closed = np.zeros(len(space), np.int64), np.zeros(space.shape, np.uint8)
        most = module.thin(found[:count], closed, spacing**2, space.wrap, 7, kept)
        answers.append((found[:count], kept[:most], closed))
    for one, other in zip(*answers, strict=True):
        same(one, other)


@given(worlds, st.sampled_from([-10.0, 0.0, 0.5]))
@settings(max_examples=100, deadline=None)
def test_label_and_measure(world: World, threshold: float) -> None:
    space, ground = world.space, world.ground
    answers = []
    for module in (fast, reference):
        labels = np.zeros(space.shape, np.int32)
        queue, columns, rows = (np.zeros(len(space), np.int64) for _ in range(3))
        count, size = module.label(
            ground.values, ground.walls, *moves_of(space), threshold, space.wrap, labels, queue, columns, rows
        )  # fmt: skip
        cells, totals, tops, middles = np.zeros(count, np.int64), np.zeros(count), np.full(count, -1), np.zeros(count, np.int64)
        module.measure(ground.values, labels, queue, columns, rows, size, cells, totals, tops, middles)
        answers.append((labels, queue[:size], columns[:size], rows[:size], cells, totals, tops, middles))
    for one, other in zip(*answers, strict=True):
        same(one, other)


@given(worlds)
@settings(max_examples=80, deadline=None)
def test_along(world: World) -> None:
    space, ground = world.space, world.ground
    places, _ = ground.places(world.positions(30, margin=0.2), "clamp")
    starts = np.array([0, 1, 3, 8, 20, 30])
    answers = []
    for module in (fast, reference):
        out = [np.zeros(5), np.zeros(5), np.zeros(5), np.zeros((5, 2))]
        module.along(ground.values, places, starts, space.y_up, space.wrap, 0, 5, *out)
        answers.append(out)
    for one, other in zip(*answers, strict=True):
        same(one, other)
