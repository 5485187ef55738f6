"""Trails: gathering, blurring, evaporating; what is kept and what keeps its direction."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OnWall, WrongLayer
from fieldcraft.layers.propagation import Trail
from support.refusals import refused, unchanged
from support.trails import trailing


class TestAsALayer:
    def test_follows_walls(self) -> None:
        layer = trailing(Trail(1.0, floor=0))
        layer.deposit((9.5, 6.5), 9.0)
        layer.imap.step(2)
        layer.space.set_walls([6 * 19 + 10])
        layer.imap.step()
        assert layer.values[6, 10] == 0
        before = layer.values.sum(dtype=np.float64)
        layer.imap.step(5)
        assert layer.values.sum(dtype=np.float64) == pytest.approx(before, rel=1e-6)

    def test_can_be_tuned_and_settled(self) -> None:
        layer = trailing(Trail(0.5, blur=1))
        layer.deposit((9.5, 6.5), 16.0)
        layer.imap.step(2)
        layer.propagation = Trail(0.25, blur=1)
        layer.imap.step()
        assert layer.values[6, 9] == 2
        layer.deposit((9.5, 6.5), 16.0)
        layer.settle()
        layer.imap.step()
        assert not layer.values.any()
        with refused(InvalidValue):
            layer.propagation = Trail(vector=True)
        assert layer.propagation == Trail(0.25, blur=1)
        assert "trail" in str(fc.explain(layer, (3.5, 3.5)))


class TestRefusals:
    @pytest.mark.parametrize(
        "bad",
        [
            {"keep": 1.01},
            {"keep": -0.1},
            {"keep": float("nan")},
            {"keep": 0.5, "half_life": 1.0},
            {"half_life": 0},
            {"half_life": -1},
            {"blur": 2},
            {"blur": 0},
            {"blur": -3},
            {"blur": 65},
            {"blur": True},
            {"blur": [0.5, 0.5]},
            {"blur": [0.2, 0.5, 0.2]},
            {"blur": [0.4, 0.5, 0.1]},
            {"blur": [-0.25, 1.5, -0.25]},
            {"blur": [0.5, 0.5, 0.5], "edges": "lose"},
            {"blur": [float("nan")]},
            {"blur": np.ones((3, 3)) / 9},
            {"blur": "wide"},
            {"edges": "mirror"},
            {"floor": -1},
            {"vector": 2},
            {"accumulate": "no"},
        ],
    )
    def test_of_parameters(self, bad: dict[str, object]) -> None:
        with refused(InvalidValue):
            Trail(**bad)

    def test_keep_above_one_says_the_limit(self) -> None:
        with refused(InvalidValue, "is in [0, 1]"):
            Trail(1.5)

    def test_a_lossy_kernel_may_lose(self) -> None:
        assert Trail(blur=[0.2, 0.5, 0.2], edges="lose").weights()[0].sum() == pytest.approx(0.9)

    def test_of_what_comes(self) -> None:
        walls = np.zeros((13, 19), bool)
        walls[2, 3] = True
        layer, vector = trailing(Trail(), walls=walls), trailing(Trail(vector=True))
        with unchanged(layer, vector):
            with refused(OnWall):
                layer.deposit((3.5, 2.5))
            for bad in (float("nan"), 2.0**21, [1.0, 2.0]):
                with refused(InvalidValue):
                    layer.deposit((4.5, 2.5), bad)
            for bad in (1.0, [(1.0, 2.0), (1.0, 2.0)]):
                with refused(InvalidValue):
                    vector.deposit([(4.5, 2.5)], bad)
            with refused(WrongLayer, "deposit"):
                layer.add_source((4.5, 2.5))
            with refused(InvalidValue, "(13, 19, 2)"):
                vector.write(np.zeros((13, 19)))
            with refused(InvalidValue, "vector=True"):
                layer.vectors
        layer.deposit(np.zeros((0, 2)), np.zeros(0))
        vector.deposit(np.zeros((0, 2)), np.zeros((0, 2)))


GRID = fc.Grid(37, 23)


def worst(vectors: np.ndarray, way: np.ndarray, where: np.ndarray) -> float:
    """The largest angle in degrees between vectors and a way."""
    chosen = vectors[where].astype(np.float64)
    cosines = chosen @ way / np.maximum(np.hypot(*chosen.T) * np.hypot(*way), 1e-30)
    return float(np.degrees(np.arccos(np.clip(cosines, -1, 1))).max())


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**32), st.floats(-np.pi, np.pi), st.integers(1, 30), st.sampled_from([3, 5]))
def test_a_blurred_field_of_one_direction_keeps_it_as_vectors_and_loses_it_as_colors(
    seed, angle, steps, blur
):
    rng = np.random.default_rng(seed)
    way = np.array([np.cos(angle), np.sin(angle)])
    cells = rng.integers(0, len(GRID), 12)
    imap = fc.InfluenceMap(GRID)
    flow = imap.add_layer("flow", fc.Trail(keep=0.97, vector=True, blur=blur, floor=0))
    red, green, blue = (
        imap.add_layer(name, fc.Trail(keep=0.97, blur=blur, floor=0))
        for name in ("red", "green", "blue")
    )
    flow.deposit_at(cells, way)
    for channel, share in ((red, (way[0] + 1) / 2), (green, (way[1] + 1) / 2), (blue, 1.0)):
        channel.deposit_at(cells, share)
    imap.step(steps)
    there = flow.values > 1e-4
    assert worst(flow.vectors, way, there) < 0.1
    colors = np.stack([red.values, green.values], axis=-1)
    # Black is (-1, -1): where little is left of a stream, its color says that it goes there,
    # whichever way it went.
    faint = there & (blue.values < 0.02)
    if faint.any():
        assert worst(2 * colors - 1, np.array([-1.0, -1.0]), faint) < 5
    # The constant blue of that text, which says how much of black is nothing, gives the vectors
    # back.
    np.testing.assert_allclose(2 * colors - blue.values[..., None], flow.vectors, atol=1e-5)


def test_the_colors_turn_a_stream_round():
    imap = fc.InfluenceMap(GRID)
    way = np.array([0.8, 0.6])
    channels = [imap.add_layer(name, fc.Trail(keep=0.97)) for name in ("red", "green")]
    flow = imap.add_layer("flow", fc.Trail(keep=0.97, vector=True))
    flow.deposit((18.5, 11.5), way)
    for channel, share in zip(channels, (way + 1) / 2, strict=True):
        channel.deposit((18.5, 11.5), share)
    imap.step(10)
    here = np.zeros(GRID.shape, dtype=bool)
    here[11, 18] = True
    decoded = np.stack([2 * channel.values - 1 for channel in channels], axis=-1)
    assert worst(flow.vectors, way, here) == pytest.approx(0, abs=0.05)
    assert worst(decoded, way, here) > 150


@given(
    half=st.lists(st.floats(0.001, 1), min_size=1, max_size=4),
    off=st.sampled_from([0.0, 3e-16, 1e-12, 5e-7, -5e-7]),
    edges=st.sampled_from(["conserve", "lose"]),
)
@example(half=[0.4, 0.2, 0.1], off=0.0, edges="conserve")
def test_weights_of_a_trail_made_again_from_its_settings_are_the_same(half, off, edges):
    weights = np.array(half[:0:-1] + half)
    given = fc.Trail(blur=tuple(weights / weights.sum() * (1 + off)), edges=edges)
    again = fc.Trail(blur=given.blur, edges=edges)
    assert again == given
    assert abs(sum(given.blur) - 1) < 1e-14
