"""Grids of hexagons."""

from __future__ import annotations

from hypothesis import strategies as st

import fieldcraft as fc

hexes = st.builds(
    lambda columns, rows, orientation, y_up, wrap: fc.HexGrid(
        columns * 2 if wrap else columns,
        rows * 2 if wrap else rows,
        orientation=orientation,
        y_up=y_up,
        wrap=wrap,
        size=0.7,
        origin=(3, -2),
    ),
    st.integers(1, 7),
    st.integers(1, 6),
    st.sampled_from(["pointy", "flat"]),
    st.booleans(),
    st.booleans(),
)
