"""The order in which kernels spread influence over a graph."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft import kernels
from fieldcraft.layers.propagation.spread.arrangement import Arrangement, arrangement_of

LARGE = 8 * kernels.spread.graph_spread.BLOCK + 100


def scattered(count: int) -> fc.Graph:
    """Return vertices in no order, each joined to the next ones along x."""
    rng = np.random.default_rng(4)
    places = rng.permutation(count)
    order = np.argsort(places)
    edges = np.concatenate([np.stack([order[:-k], order[k:]], axis=1) for k in (1, 2)])
    return fc.Graph(np.stack([places, np.zeros(count)], axis=1), edges)


def test_a_small_graph_keeps_the_order_of_its_vertices() -> None:
    topology = scattered(40).topology
    arranged = Arrangement(topology)
    assert arranged.order is None
    assert arranged.ranks_of(np.array([3, 1])).tolist() == [3, 1]
    assert arranged.padded % kernels.spread.graph_spread.LANES == 0
    assert arrangement_of(topology) is arrangement_of(topology)


@pytest.mark.parametrize("count", [40, LARGE])
def test_rows_and_lists_have_the_same_arcs(count: int) -> None:
    topology = scattered(count).topology
    arranged = Arrangement(topology)
    assert (arranged.order is None) == (count < LARGE)
    order = np.arange(count) if arranged.order is None else arranged.order
    ends = np.repeat(np.arange(count), np.diff(arranged.starts))
    pairs = np.stack([order[arranged.origins.astype(np.int64)], order[ends]], axis=1)
    known = np.stack([topology.origins, topology.ends], axis=1)
    np.testing.assert_array_equal(np.unique(pairs, axis=0), np.unique(known, axis=0))
    arcs = np.arange(len(topology.origins)) if arranged.arcs is None else arranged.arcs
    np.testing.assert_array_equal(topology.origins[arcs], pairs[:, 0])
    lost = arranged.losses(0.5, 0, np.zeros(len(arcs), dtype=bool))
    rows = arranged.in_rows(lost, 0)
    np.testing.assert_array_equal(rows[arranged.places], lost)
    assert np.count_nonzero(rows) == len(arcs)


def test_closed_arcs_lose_everything() -> None:
    topology = scattered(10).topology
    arranged = Arrangement(topology)
    closed = np.zeros(len(topology.origins), dtype=bool)
    closed[2] = True
    assert arranged.losses(0.5, 0, closed)[2] == 0
    assert arranged.losses(0.5, 1, closed)[2] == np.finfo(np.float32).max
