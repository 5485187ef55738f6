"""Stairs: walkable polygons whose sides lie above each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.space import Mesh

__all__ = ["steps_between"]

_SAMPLES = 200_000
_FEWEST = 3


def steps_between(
    mesh: Mesh, step_height: float, tolerance: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The pairs of polygons that a step joins, (E, 2), and the ways from middle to middle over the
    step, (E,).

    A step is where free sides (those of one polygon only) of two polygons lie at most `tolerance`
    apart seen from above and at most
    `step_height` in height: so stairs without risers, thresholds, and sides that meet others in the
    middle. Sides are looked at in points, some 200,000 of them in all, at least three each.
    """
    from scipy.spatial import cKDTree

    nothing = np.zeros((0, 2), dtype=np.int64), np.zeros(0)
    pairs, owners = mesh.sides()
    _, inverse, counts = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
    free = counts[inverse.reshape(-1)] == 1
    pairs, owners = pairs[free], owners[free]
    start, end = mesh.corners[pairs[:, 0]], mesh.corners[pairs[:, 1]]
    lengths = np.sqrt(((end - start)[:, :2] ** 2).sum(axis=1))
    keep = lengths > tolerance
    owners, start, end, lengths = owners[keep], start[keep], end[keep], lengths[keep]
    if len(owners) < 2:
        return nothing
    spacing = max(float(lengths.sum()) / _SAMPLES, float(lengths.min()) / _FEWEST)
    numbers = np.maximum(np.ceil(lengths / spacing), _FEWEST).astype(np.int64)
    side = np.repeat(np.arange(len(owners)), numbers)
    share = (
        np.arange(len(side)) - np.repeat(np.cumsum(numbers) - numbers, numbers) + 0.5
    ) / np.repeat(numbers, numbers)
    points = start[side] + share[:, np.newaxis] * (end - start)[side]
    # A point on another side is at most this far from one of the points that stand for it.
    reach = float((lengths / numbers).max()) / 2 + tolerance
    tree = cKDTree(points[:, :2])
    near = tree.query_pairs(reach, output_type="ndarray")
    near = np.concatenate([near, near[:, ::-1]])
    one, other = near[:, 0], side[near[:, 1]]
    apart = owners[side[one]] != owners[other]
    one, other = one[apart], other[apart]
    along = (end - start)[other]
    at = ((points[one] - start[other])[:, :2] * along[:, :2]).sum(axis=1) / lengths[other] ** 2
    foot = start[other] + np.clip(at, 0, 1)[:, np.newaxis] * along
    off = np.sqrt(((foot - points[one])[:, :2] ** 2).sum(axis=1))
    fits = (off <= tolerance) & (np.abs(foot[:, 2] - points[one, 2]) <= step_height)
    if not fits.any():
        return nothing
    one, other, foot = one[fits], other[fits], foot[fits]
    joined = np.stack([owners[side[one]], owners[other]], axis=1)
    ways = [
        np.sqrt(((mesh.centers[joined[:, 0]] - points[one]) ** 2).sum(axis=1)),
        np.sqrt(((foot - points[one]) ** 2).sum(axis=1)),
    ]
    ways.append(np.sqrt(((mesh.centers[joined[:, 1]] - foot) ** 2).sum(axis=1)))
    return joined, np.maximum(sum(ways), np.finfo(np.float64).tiny)
