"""Vertices in buckets: the nearest is the one that a k-d tree finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import cKDTree

import fieldcraft as fc
from fieldcraft.kernels.shared.nearest import UNSURE
from fieldcraft.space.graph.buckets import Buckets


def cloud(rng: np.random.Generator, kind: str, count: int, dimensions: int) -> np.ndarray:
    positions = rng.uniform(-20, 30, (count, dimensions))
    if kind == "lattice":
        positions = positions.round()
    if kind == "line":
        positions[:, 1] = 3.0
    if kind == "strip":
        positions[:, 0] *= 50
    if kind == "groups":
        positions = positions.round(-1) + rng.normal(0, 0.5, positions.shape)
    if kind == "far":
        positions += 1e9
    return positions


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    kind=st.sampled_from(["even", "lattice", "line", "strip", "groups", "far"]),
    count=st.integers(1, 300),
    dimensions=st.sampled_from([2, 3]),
)
def test_finds_the_vertices_that_a_tree_finds(
    seed: int, kind: str, count: int, dimensions: int
) -> None:
    rng = np.random.default_rng(seed)
    positions = cloud(rng, kind, count, dimensions)
    buckets = Buckets.of(positions)
    if buckets is None:
        return
    low, high = positions.min(axis=0), positions.max(axis=0)
    points = rng.uniform(low - 0.3 * (high - low), high + 0.3 * (high - low), (200, dimensions))
    points[:20] = positions[rng.integers(0, count, 20)]
    points[20:40] = points[20:40].round()
    points[40:44] = rng.choice([-1e15, 1e15], (4, dimensions))
    found = buckets.nearest(points)
    expected = cKDTree(positions).query(points)[1]
    sure = found != UNSURE
    np.testing.assert_array_equal(found[sure], expected[sure])


def test_is_sure_of_almost_all_places_among_even_vertices() -> None:
    rng = np.random.default_rng(3)
    positions = rng.uniform(0, 100, (3000, 2))
    buckets = Buckets.of(positions)
    assert buckets is not None
    found = buckets.nearest(rng.uniform(0, 100, (5000, 2)))
    assert np.count_nonzero(found == UNSURE) < 5


def test_is_not_sure_of_equally_near_vertices() -> None:
    buckets = Buckets.of(np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 0.0], [9.0, 4.0]]))
    assert buckets is not None
    assert buckets.nearest(np.array([[1.0, 0.0], [2.1, 0.0], [0.1, 0.0]])).tolist() == [-2, -2, 0]


@pytest.mark.parametrize(
    "positions", [np.zeros((5, 2)), np.append(np.zeros((100, 2)), [[1.0, 1.0]], axis=0)]
)
def test_vertices_that_are_close_together_need_a_tree(positions: np.ndarray) -> None:
    assert Buckets.of(positions) is None
    graph = fc.Graph(positions, [(0, 1)], lengths=[1.0])
    assert graph.cell_at((0.9, 0.9)) == cKDTree(positions).query((0.9, 0.9))[1]


def test_a_graph_finds_equally_near_vertices_as_a_tree_does() -> None:
    rng = np.random.default_rng(1)
    positions = rng.integers(0, 12, (60, 2)).astype(float)
    points = rng.integers(0, 24, (400, 2)) / 2
    graph = fc.Graph(positions, [(0, 1)], lengths=[1.0])
    np.testing.assert_array_equal(graph.cell_at(points), cKDTree(positions).query(points)[1])
