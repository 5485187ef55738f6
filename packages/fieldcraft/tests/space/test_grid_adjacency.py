"""The steps of a grid as lists."""

from __future__ import annotations

import numpy as np
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
