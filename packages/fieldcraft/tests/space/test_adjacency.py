"""The steps that leave each cell: those that links allow, in the order of where they lead."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc


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


def test_a_sparse_array_has_no_steps_from_a_cell_to_itself() -> None:
    ring = fc.Grid(1, 5, wrap=True)  # its cells are beside themselves
    steps = ring.adjacency.to_sparse()
    origins, ends = steps.nonzero()
    assert len(origins) == 10 and (origins != ends).all()


@pytest.mark.parametrize("most", [1, 2, 3])
def test_pairs_of_cells_are_joined_by_a_few_steps(most: int) -> None:
    space = fc.Grid(walls=np.random.default_rng(5).random((5, 7)) < 0.3, neighbors=4, wrap="x")
    steps = space.adjacency.to_sparse() != 0
    reached = np.zeros((35, 35), dtype=np.bool_)
    walked = np.eye(35)
    for _ in range(most):
        walked = walked @ steps.toarray()
        reached |= walked > 0
    origins, ends = np.divmod(np.arange(35 * 35), 35)
    found = space.adjacency.join(origins, ends, most)
    assert found.tolist() == reached.reshape(-1).tolist()
