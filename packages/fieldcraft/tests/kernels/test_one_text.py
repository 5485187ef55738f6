"""Families of kernels that are written once: laws judge them, by SciPy and by each other, in
whichever tier serves.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

import fieldcraft as fc
from fieldcraft import kernels
from fieldcraft.space.mesh.portals import portals_of
from fieldcraft.space.sight.over_polygons import sight_ends
from support import graphs

pytestmark = pytest.mark.reference

seeds = st.integers(0, 2**16)


def meadow(seed: int) -> fc.Graph:
    """A mesh of squares with holes, and some of them blocked."""
    rng = np.random.default_rng(seed)
    graph, _ = graphs.squares(fc.Grid(9, 7, cell_size=1.5, walls=rng.random((7, 9)) < 0.2))
    graph.set_walls(rng.choice(len(graph), len(graph) // 8, replace=False))
    return graph


@settings(max_examples=12)
@given(seeds, st.integers(1, 50))
def test_wandering_is_a_product_with_a_matrix(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    starts = np.concatenate([[0], np.cumsum(rng.integers(0, 5, count))])
    origins = rng.integers(0, count, starts[-1]).astype(np.int32)
    mass, keep, shares, out = (
        rng.random(count),
        rng.random(count),
        rng.random(len(origins)),
        np.zeros(count),
    )
    kernels.pursuit.belief_steps.wander(starts, origins, shares, keep, mass, 0.75, out)
    matrix = csr_array((shares, origins, starts), shape=(count, count))
    np.testing.assert_allclose(out, 0.75 * (matrix @ mass + keep * mass), rtol=1e-12)


@settings(max_examples=12)
@given(seeds, st.integers(1, 12), st.integers(1, 17))
def test_wandering_over_a_grid_is_that_over_its_list_of_steps(
    seed: int, height: int, width: int
) -> None:
    rng = np.random.default_rng(seed)
    mass = np.zeros((height + 2, width + 2))
    mass[1:-1, 1:-1] = rng.random((height, width))
    keep, part, flows, ins = (
        rng.random((height, width)),
        rng.random((height, width)),
        rng.random(2),
        np.zeros((height, width), dtype=np.uint8),
    )
    origins: list[int] = []
    shares, ends = [], []
    for y, x in np.ndindex(height, width):
        for bit, (dy, dx) in enumerate(kernels.pursuit.belief_steps.AROUND):
            j, i = y + dy, x + dx
            if 0 <= j < height and 0 <= i < width and rng.random() < 0.7:
                ins[y, x] |= np.uint8(1 << bit)
                origins.append(j * width + i)
                shares.append(part[j, i] * flows[int(dy != 0 and dx != 0)])
                ends.append(y * width + x)
    starts = np.searchsorted(np.array(ends, dtype=np.int64), np.arange(height * width + 1))
    grid, flat = np.zeros_like(mass), np.zeros(height * width)
    middle = height // 2
    for first, last in ((0, middle), (middle, height)):
        kernels.pursuit.belief_steps.wander_grid(
            ins, keep, part, flows, mass, 1.25, first, last, grid, np.zeros((2, 3, width + 2))
        )
    listed = (starts, np.array(origins, dtype=np.int32), np.array(shares, dtype=np.float64))
    inner = mass[1:-1, 1:-1].reshape(-1).copy()
    kernels.pursuit.belief_steps.wander(*listed, keep.reshape(-1), inner, 1.25, flat)
    np.testing.assert_allclose(grid[1:-1, 1:-1].reshape(-1), flat, rtol=1e-12)


@settings(max_examples=10)
@given(seeds)
def test_a_look_round_sees_what_lines_to_all_middles_see(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = meadow(seed)
    places = graph.position_of(rng.integers(0, len(graph), 4))
    here, (portals, shut) = sight_ends(graph, places), portals_of(graph)
    limits = rng.uniform(1, 100, 4)
    turns = rng.uniform(0, 2 * np.pi, 4)
    cones = kernels.sight.visible.NO_CONES
    if seed % 2 == 0:
        cones = np.stack([np.cos(turns), np.sin(turns), np.full(4, 0.3)], axis=1)
    counts = np.zeros(len(graph), dtype=np.int32)
    mesh = portals.links(shut)
    viewers = kernels.sight.sees.SightViewers(here.cells, here.points, here.places, limits, cones)
    kernels.sight.sees.count_seen(
        mesh,
        portals.middles,
        graph.walls,
        graph.positions,
        viewers,
        portals.scale,
        0,
        4,
        counts,
    )
    seen = np.zeros((4, len(graph)), dtype=np.bool_)
    everything = np.arange(len(graph))
    targets = kernels.sight.sees.SightTargets(everything, graph.positions, portals.middles)
    kernels.sight.sees.sees_places(mesh, viewers, targets, True, False, 0, 4, seen)
    assert counts.tolist() == np.where(graph.walls, 0, seen.sum(axis=0)).tolist()


@settings(max_examples=10)
@given(seeds)
def test_places_lie_in_the_triangles_that_are_found(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = meadow(seed)
    mesh = graph.mesh
    assert mesh is not None
    points = rng.uniform(mesh.corners[:, :2].min(axis=0), mesh.corners[:, :2].max(axis=0), (30, 2))
    found, shares, _ = mesh.locate(points)
    inside = found >= 0
    corners = mesh.corners[mesh.triangles[found[inside]]][:, :, :2]
    np.testing.assert_allclose(
        (shares[inside, :, np.newaxis] * corners).sum(axis=1), points[inside], atol=1e-6
    )
    assert (shares[inside] >= -1e-6).all()


def test_a_string_through_open_ground_is_straight() -> None:
    walls = np.zeros((6, 9), dtype=bool)
    field = fc.flow_field(fc.distance_map(fc.Grid(9, 6, walls=walls).to_graph(), [(8.5, 5.5)]))
    ways = field.sample(np.array([(0.5, 0.5), (4.5, 2.5)]))
    np.testing.assert_allclose(np.hypot(*ways.T), 1.0, rtol=1e-6)
