"""Checked parts of a graph."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from fieldcraft.base.errors import InvalidValue
from fieldcraft.space.graph import graph_checks
from support.refusals import refused

PLACES = np.array([(0.0, 0.0), (3.0, 4.0), (3.0, 0.0)])


def test_what_comes_back() -> None:
    places = graph_checks.checked_positions(PLACES)
    assert places is not PLACES and (places == PLACES).all()
    assert graph_checks.checked_positions([(0, 0, 1)]).shape == (1, 3)
    pairs = graph_checks.checked_edges([(0, 1), (1, 2)], 3)
    assert pairs.dtype == np.int64
    assert graph_checks.checked_edges([], 3).shape == (0, 2)
    assert graph_checks.checked_edges((0, 1), 3, single=True).tolist() == [[0, 1]]
    assert graph_checks.edge_lengths(PLACES, pairs, None).tolist() == [5, 4]
    assert graph_checks.edge_lengths(PLACES, pairs, [7, 8]).tolist() == [7, 8]
    assert graph_checks.checked_labels(["a", 2, ("c", 3)], 3) == ("a", 2, ("c", 3))


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: graph_checks.checked_positions((0, 0)), "array"),
        (lambda: graph_checks.checked_positions([(0, 1e40)]), "in size"),
        (lambda: graph_checks.checked_edges([(0, 3)], 3), "index 0"),
        (lambda: graph_checks.checked_edges([(0, 1)], 0), "without vertices"),
        (lambda: graph_checks.checked_edges([(0.5, 1)], 3), "pairs of vertex numbers"),
        (lambda: graph_checks.edge_lengths(PLACES, np.array([[0, 1]]), [-1]), "length"),
        (lambda: graph_checks.edge_lengths(PLACES, np.array([[0, 1]]), [1, 2]), "one per edge"),
        (lambda: graph_checks.checked_labels(["a"], 3), "3"),
        (lambda: graph_checks.checked_labels(["a", "a", "b"], 3), "a"),
    ],
)
def test_what_is_refused(call: Callable[[], object], word: str) -> None:
    with refused(InvalidValue, word):
        call()


def test_a_graph_has_at_most_so_many_vertices_and_edges() -> None:
    places = np.broadcast_to(np.zeros(2), (2**26 + 1, 2))
    with refused(InvalidValue, "at most 67,108,864 vertices", "67,108,865"):
        graph_checks.checked_positions(places)
    pairs = np.broadcast_to(np.int64(7), (2**27 + 1, 2))
    with refused(InvalidValue, "at most 134,217,728 edges", "134,217,729"):
        graph_checks.checked_edges(pairs, 1)
