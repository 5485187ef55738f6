"""Neighbors are those that a look at every pair finds; keeping apart, heading alike and staying
together follow from them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.steering import Neighbors, alignment, cohesion, separation
from support.crowds import World
from support.refusals import refused

seeds = st.integers(0, 2**32 - 1)


def offsets_of(space: fc.Grid, at: Any, others: Any) -> Any:
    """From each of `at` to each of `others`, the short way round."""
    found = others - at[:, np.newaxis]
    size = np.array(space.size)
    around = found - size * np.round(found / size)
    return np.where([space.wraps_x, space.wraps_y], around, found)


@settings(max_examples=35)
@given(seeds, st.sampled_from([0.3, 1.0, 3.0, 50.0]))
def test_everybody_within_the_radius_counts_once(seed: int, reach: float) -> None:
    world = World(seed)
    at, radius = world.agents(60), reach * world.size
    moving = world.rng.normal(size=at.shape)
    offsets = offsets_of(world.space, at, at)
    apart = np.hypot(offsets[..., 0], offsets[..., 1])
    edge = np.abs(apart - radius) < 1e-6 * world.size
    near = (apart < radius) & ~np.eye(60, dtype=bool)
    sure = ~edge.any(axis=1)
    agents = Neighbors(at, radius, space=world.space)
    np.testing.assert_array_equal(agents.counts()[sure], near.sum(axis=1)[sure])
    clear = sure & ((apart > 0) | np.eye(60, dtype=bool)).all(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        pushes = np.where(
            near[..., np.newaxis],
            -offsets / apart[..., np.newaxis] * (1 - apart / radius)[..., np.newaxis],
            0,
        ).sum(axis=1)
        mean = (near @ moving) / near.sum(axis=1)[:, np.newaxis]
        middle = np.where(near[..., np.newaxis], offsets, 0).sum(axis=1)
    half = clear & (
        not world.space.wrap
        or (np.abs(np.abs(offsets) - np.array(world.space.size) / 2) > 1e-6 * world.size).all(
            axis=(1, 2)
        )
    )
    np.testing.assert_allclose(separation(agents, strength=2.0)[half], 2 * pushes[half], atol=1e-7)
    lonely = near.sum(axis=1) == 0
    np.testing.assert_allclose(
        alignment(agents, moving)[sure & ~lonely], (mean - moving)[sure & ~lonely], atol=1e-9
    )
    assert not alignment(agents, moving)[sure & lonely].any()
    towards = cohesion(agents, moving, 3.0) + moving
    lengths = np.hypot(*middle.T)
    some = half & ~lonely & (lengths > 1e-6 * world.size)
    np.testing.assert_allclose(
        towards[some], 3 * middle[some] / lengths[some, np.newaxis], atol=1e-6
    )


@settings(max_examples=35)
@given(seeds, st.sampled_from([0.5, 2.0, 9.0]))
def test_nearest(seed: int, reach: float) -> None:
    world = World(seed)
    at, radius = world.agents(50), reach * world.size
    towers = world.agents(20)
    teams = world.rng.integers(0, 3, 50)
    agents = Neighbors(at, radius, space=world.space)
    for around, groups in ((None, None), (None, teams), (towers, None)):
        found, distances = agents.nearest(around, groups=groups)
        offsets = offsets_of(world.space, at if around is None else around, at)
        apart = np.hypot(offsets[..., 0], offsets[..., 1])
        if around is None:
            np.fill_diagonal(apart, np.inf)
        if groups is not None:
            apart[groups[:, np.newaxis] == groups] = np.inf
        least = apart.min(axis=1)
        sure = np.abs(least - radius) > 1e-6 * world.size
        some = sure & (least < radius)
        np.testing.assert_allclose(distances[some], least[some], atol=1e-9 * np.abs(at).max())
        assert (found[some] >= 0).all()
        np.testing.assert_allclose(
            apart[some, found[some]], least[some], atol=1e-9 * np.abs(at).max()
        )
        assert (found[sure & ~some] == -1).all()
        assert np.isinf(distances[sure & ~some]).all()


def test_of_equals_the_lowest_number() -> None:
    found, distances = Neighbors([(5, 5), (6, 5), (4, 5), (5, 6)], 2.0).nearest()
    assert found.tolist() == [1, 0, 0, 0]
    assert distances.tolist() == [1, 1, 1, 1]
    assert Neighbors([(5, 5), (6.5, 5), (3.5, 5)], 2.0).nearest()[0].tolist() == [
        1,
        0,
        0,
    ]  # whichever bin comes first


def test_agents_in_one_spot_part() -> None:
    pushes = separation(Neighbors([(5, 5), (5, 5)], 1.0))
    np.testing.assert_allclose(pushes[0], -pushes[1])
    np.testing.assert_allclose(np.hypot(*pushes[0]), 1)
    many = separation(Neighbors(np.full((40, 2), 3.0), 1.0))
    assert (np.hypot(*many.T) > 0).all()
    np.testing.assert_allclose(many.sum(axis=0), 0, atol=1e-9)


def test_the_nearer_the_harder() -> None:
    near = Neighbors([(5, 5), (5.25, 5), (9, 9), (9.75, 9), (20, 20)], 1.0)
    pushes = separation(near, strength=[1, 1, 1, 1, 9])
    np.testing.assert_allclose(
        pushes, [(-0.75, 0), (0.75, 0), (-0.25, 0), (0.25, 0), (0, 0)], atol=1e-12
    )


def test_over_the_rim_of_a_torus_only() -> None:
    at = [(0.2, 3.0), (8.9, 3.0)]
    assert not separation(Neighbors(at, 1.0)).any()
    ring = separation(Neighbors(at, 1.0, space=fc.Grid(9, 7, wrap=True)))
    np.testing.assert_allclose(ring, [(0.7, 0), (-0.7, 0)], atol=1e-12)


def test_far_scattered_and_dense_crowds() -> None:
    rng = np.random.default_rng(3)
    scattered = rng.normal(size=(200, 2)) * 1e9
    assert Neighbors(scattered, 1.0).counts().sum() == 0
    on_a_line = np.stack([np.linspace(0, 1e6, 500), np.zeros(500)], axis=1)
    assert Neighbors(on_a_line, 2100.0).counts().tolist() == [1] + [2] * 498 + [1]
    heap = rng.random((300, 2)) * 1e-3
    assert (Neighbors(heap, 1.0).counts() == 299).all()
    assert Neighbors(on_a_line, 2100.0).nearest([(1e300, -1e300)])[0].tolist() == [-1]


def test_none_and_one() -> None:
    empty = Neighbors([], 1.0)
    assert (len(empty), empty.counts().shape, separation(empty).shape) == (0, (0,), (0, 2))
    assert alignment(empty, []).shape == (0, 2)
    assert empty.nearest()[0].shape == (0,)
    assert empty.nearest([(1, 1)])[0].tolist() == [-1]
    one = Neighbors([(1, 1)], 1.0)
    assert separation(one).tolist() == cohesion(one, [(1, 0)], 2.0).tolist() == [[0, 0]]
    assert "1 agents" in repr(one)


def test_bad_input_is_refused() -> None:
    at = [(1.0, 1.0), (2.0, 1.0)]
    with refused(InvalidValue, "radius"):
        Neighbors(at, 0)
    with refused(InvalidValue, "radius"):
        Neighbors([(1e30, 0), (0, 0)], 1e-9)
    with refused(InvalidValue, "one (x, y) pair"):
        Neighbors((1, 1), 1.0)
    with refused(InvalidValue, "nan"):
        Neighbors([(1, math.nan)], 1.0)
    near = Neighbors(at, 1.0)
    for word, call in (
        ("strength", lambda: separation(near, strength=-1)),
        ("(3, 2)", lambda: alignment(near, np.zeros((3, 2)))),
        ("max_speed", lambda: cohesion(near, at, -1.0)),
        ("both", lambda: near.nearest(at, groups=[1, 2])),
        ("whole numbers", lambda: near.nearest(groups=[0.5, 1.5])),
        ("groups", lambda: near.nearest(groups=[1, 2, 3])),
        ("one (x, y) pair", lambda: near.nearest((1, 1))),
    ):
        with refused(InvalidValue, word):
            call()
    with pytest.raises(InvalidValue):
        Neighbors(at, 1.0, space="torus")  # type: ignore[arg-type]
