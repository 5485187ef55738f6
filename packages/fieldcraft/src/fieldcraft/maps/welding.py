"""Corners in one place made one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["weld"]


def weld(
    corners: NDArray[np.float64], triangles: NDArray[np.int64], tolerance: float
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Corners and triangles with corners at most `tolerance` apart joined, and without triangles of
    which nothing is left.

    Corners that are joined by a chain of such distances become the one with the lowest number.
    """
    if not len(corners):
        return corners, triangles[:0]
    _, exact, inverse = np.unique(corners, axis=0, return_index=True, return_inverse=True)
    one = np.arange(len(exact))
    if tolerance > 0:
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components
        from scipy.spatial import cKDTree

        near = cKDTree(corners[exact]).query_pairs(tolerance, output_type="ndarray")
        joined = coo_array(
            (np.ones(len(near), dtype=np.int8), (near[:, 0], near[:, 1])),
            shape=(len(exact), len(exact)),
        )
        _, one = connected_components(joined, directed=False)
    groups = one[inverse.reshape(-1)]
    # Groups in the order of their first corner.
    _, first, renumbered = np.unique(groups, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    welded = rank[renumbered.reshape(-1)][triangles]
    a, b, c = welded.T if len(welded) else np.zeros((3, 0), dtype=np.int64)
    whole = (a != b) & (b != c) & (c != a)
    return corners[first[order]], welded[whole]
