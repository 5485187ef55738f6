"""Blocks of polygons are those that networkx finds, and those between two polygons lie on all ways
from one to the other.
"""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels.paths.any_angle_arrays import PortalBlocks

Ints = NDArray[np.int64]


def doors(seed: int, count: int, share: float) -> tuple[Ints, NDArray[np.int32]]:
    """Doors at random, some of them twice, some one-way."""
    rng = np.random.default_rng(seed)
    pairs = rng.integers(0, count, (int(share * count), 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    back = pairs[rng.random(len(pairs)) < 0.9, ::-1]
    inside, behind = np.concatenate([pairs, back]).T
    order = np.argsort(inside, kind="stable")
    starts = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.bincount(inside, minlength=count), out=starts[1:])
    return starts, behind[order].astype(np.int32)


def blocks(starts: Ints, behind: NDArray[np.int32]) -> tuple[Ints, Ints, Ints, Ints]:
    """Call the kernel with the polygons beside each."""
    inside = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    rows, beside = np.unique(
        np.stack([np.append(inside, behind), np.append(behind, inside)], axis=1), axis=0
    ).T.reshape(2, -1)
    first = np.searchsorted(rows, np.arange(len(starts)))
    return kernels.paths.any_angle_blocks.blocks(starts, behind, first, beside.copy())


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 9_999),
    count=st.integers(2, 40),
    share=st.sampled_from([0.5, 1.0, 1.3, 2.5]),
)
def test_blocks_are_those_of_networkx(seed: int, count: int, share: float) -> None:
    starts, behind = doors(seed, count, share)
    above, heads, depths, within = blocks(starts, behind)
    inside = np.repeat(np.arange(count), np.diff(starts))
    web = nx.Graph()
    web.add_nodes_from(range(count))
    web.add_edges_from(zip(inside.tolist(), behind.tolist(), strict=True))
    expected = {frozenset(block) for block in nx.biconnected_components(web)}
    members: dict[int, set[int]] = {}
    for here, there, block in zip(inside.tolist(), behind.tolist(), within.tolist(), strict=True):
        members.setdefault(block, set()).update((here, there))
    assert {frozenset(block) for block in members.values()} == expected
    assert sorted(members) == list(range(len(heads)))

    rng = np.random.default_rng(seed)
    allowed = np.zeros(len(heads), dtype=np.int64)
    for run, (start, goal) in enumerate(rng.integers(0, count, (6, 2)).tolist(), start=1):
        joined = kernels.paths.any_angle_blocks.allow(
            PortalBlocks(above, heads, depths), start, goal, run, allowed
        )
        assert joined == nx.has_path(web, start, goal)
        if joined:
            # On simple ways from start to goal lie just the polygons of these blocks.
            between = set().union(
                *(members[block] for block in np.flatnonzero(allowed == run).tolist()),
                {start, goal},
            )
            linked = web.copy()
            if start != goal:
                linked.add_edge(start, goal)
                around = next(
                    block for block in nx.biconnected_components(linked) if {start, goal} <= block
                )
                assert between == around
            else:
                assert between == {start}


@pytest.mark.parametrize("count", [1, 5])
def test_polygons_without_doors(count: int) -> None:
    above, heads, depths, within = blocks(
        np.zeros(count + 1, dtype=np.int64), np.empty(0, dtype=np.int32)
    )
    assert (
        above.tolist() == [-1] * count
        and depths.tolist() == [0] * count
        and not len(heads)
        and not len(within)
    )
    assert (
        not kernels.paths.any_angle_blocks.allow(
            PortalBlocks(above, heads, depths), 0, count - 1, 1, np.zeros(0, dtype=np.int64)
        )
        or count == 1
    )
