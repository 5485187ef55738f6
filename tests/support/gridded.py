"""Grids of many kinds."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.space.wrapping import Wrap

WALLS = np.array([[0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 1]], dtype=bool)


def grids(most: int = 9) -> st.SearchStrategy[fc.Grid]:
    """Grids of any kind, without terrain."""

    def build(
        width: int,
        height: int,
        seed: int,
        share: float,
        cell_size: float,
        origin: tuple[float, float],
        y_up: bool,
        wrap: Wrap,
    ) -> fc.Grid:
        walls = np.random.default_rng(seed).random((height, width)) < share
        return fc.Grid(
            width, height, cell_size=cell_size, origin=origin, y_up=y_up, wrap=wrap, walls=walls
        )

    return st.builds(
        build,
        st.integers(1, most),
        st.integers(1, most),
        st.integers(0, 999),
        st.sampled_from([0.0, 0.3, 0.9]),
        st.sampled_from([1.0, 0.1, 1 / 3, 7.0, 32.0, 1e-6]),
        st.tuples(st.sampled_from([0.0, -17.3, 0.1, 2e5]), st.sampled_from([0.0, -0.7, 1e-9, 3e4])),
        st.booleans(),
        st.booleans(),
    )
