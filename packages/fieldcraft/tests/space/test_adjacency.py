"""The steps that leave each cell: those that links allow, in the order of where they lead."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fieldcraft as fc
from support.worlds import KNIGHT

UNEVEN = [(1, 0), (-1, 0), (0, 3)]


@given(
    st.integers(0, 2**16),
    st.integers(1, 8),
    st.integers(1, 7),
    st.sampled_from([4, 8, KNIGHT, UNEVEN, [(1, 0)]]),
    st.booleans(),
    st.booleans(),
)
def test_they_are_the_links(
    seed: int, width: int, height: int, neighbors: object, wrap: bool, from_walls: bool
) -> None:
    walls = np.random.default_rng(seed).random((height, width)) < 0.3
    grid = fc.Grid(width, height, walls=walls, neighbors=neighbors, wrap=wrap, cell_size=0.5)  # type: ignore[arg-type]
    found = []
    for row, column in np.ndindex(height, width):
        for (dx, dy), mask, length in zip(
            grid.neighborhood.steps,
            grid.link_masks,
            grid.neighborhood.lengths(0.5).tolist(),
            strict=True,
        ):
            to = row + dy, column + dx
            if wrap:
                to = to[0] % height, to[1] % width
            if (
                0 <= to[0] < height
                and 0 <= to[1] < width
                and grid.links()[to] & mask
                and (from_walls or not walls[row, column])
            ):
                found.append((row * width + column, to[0] * width + to[1], length))
    ways = grid.adjacency_from_walls if from_walls else grid.adjacency
    steps = list(zip(ways.origins.tolist(), ways.ends.tolist(), ways.lengths.tolist(), strict=True))
    assert sorted(steps) == sorted(found)
    assert [step[:2] for step in steps] == sorted(step[:2] for step in found)


@pytest.mark.parametrize("directed", [False, True])
def test_on_graphs_they_are_the_open_edges(directed: bool) -> None:
    rng = np.random.default_rng(3)
    edges = rng.integers(0, 30, (90, 2))
    graph = fc.Graph(rng.random((30, 2)), edges, directed=directed, blocked=[4, 9])
    graph.set_edges(graph.edges[::7])
    pairs = (
        graph.open_edges
        if directed
        else np.concatenate([graph.open_edges, graph.open_edges[:, ::-1]])
    )
    ways = graph.adjacency
    assert np.stack([ways.origins, ways.ends], axis=1).tolist() == sorted(pairs.tolist())
    away = graph.positions[ways.ends] - graph.positions[ways.origins]
    np.testing.assert_allclose(ways.lengths, np.sqrt((away**2).sum(axis=1)))
    beside = graph.adjacency_from_walls
    assert set(beside.origins.tolist()) & {4, 9} and not set(beside.ends.tolist()) & {4, 9}


@pytest.mark.parametrize("kind", [fc.Grid, fc.HexGrid])
def test_the_adjacency_matrix_has_the_neighbors_and_the_lengths_of_steps(kind: type) -> None:
    space = kind(5, 4, walls=np.eye(4, 5, k=1, dtype=bool))
    matrix = space.adjacency.to_sparse()
    assert matrix.shape == (20, 20)
    for cell in np.flatnonzero(~space.walls):
        ends = matrix.indices[matrix.indptr[cell] : matrix.indptr[cell + 1]]
        assert ends.tolist() == space.neighbors_of(int(cell)).tolist()
    start, end = matrix.nonzero()
    legs = np.linalg.norm(space.position_of(start) - space.position_of(end), axis=1)
    np.testing.assert_allclose(matrix[start, end], legs)
