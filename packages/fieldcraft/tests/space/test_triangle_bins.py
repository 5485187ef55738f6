"""Triangles by squares of the plane."""

from __future__ import annotations

import numpy as np

from fieldcraft.space.mesh.triangle_bins import binned


def test_each_triangle_is_in_all_squares_that_its_box_reaches_into() -> None:
    rng = np.random.default_rng(3)
    corners = rng.uniform((-5, 2), (9, 40), (60, 2))
    triangles = rng.integers(0, 60, (50, 3))
    sides = corners[triangles[:, 1:]] - corners[triangles[:, :1]]
    has_area = np.abs(np.linalg.det(sides)) > 0
    found = binned(corners, triangles, has_area)
    low = corners[triangles[has_area]].min(axis=(0, 1))
    np.testing.assert_array_equal(found.low, low)
    boxes = np.stack([corners[triangles].min(axis=1), corners[triangles].max(axis=1)])
    first, last = ((boxes - low) / found.side).astype(int)
    for square in range(found.across**2):
        row, column = divmod(square, found.across)
        in_columns = (first[:, 0] <= column) & (column <= last[:, 0])
        in_rows = (first[:, 1] <= row) & (row <= last[:, 1])
        expected = np.flatnonzero(in_columns & in_rows & has_area)
        here = found.triangles[found.starts[square] : found.starts[square + 1]]
        assert here.tolist() == expected.tolist()
    np.testing.assert_array_equal(found.corners, triangles)


def test_no_triangles_are_in_no_square() -> None:
    found = binned(np.zeros((0, 2)), np.zeros((0, 3), dtype=np.int64), np.zeros(0, dtype=bool))
    assert found.across == 1
    assert found.starts.tolist() == [0, 0]
