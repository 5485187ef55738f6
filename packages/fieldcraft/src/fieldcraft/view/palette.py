"""Choosing few colours to stand for many."""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

from fieldcraft.view.colors import lab_of, rgb_of

__all__ = ["Tally", "packed", "reduced", "unpacked"]

Packed = NDArray[np.uint32]

_REFINEMENTS = 2


def packed(rgb: NDArray[np.uint8]) -> Packed:
    """Colours of shape (..., 3), or (..., 4) without their alpha, as one number each: 0xrrggbb."""
    red, green, blue = (rgb[..., channel].astype(np.uint32) for channel in range(3))
    return red << np.uint32(16) | green << np.uint32(8) | blue


def unpacked(colors: Packed) -> NDArray[np.uint8]:
    """Numbers 0xrrggbb as colours of shape (..., 3)."""
    return np.stack([colors >> 16 & 255, colors >> 8 & 255, colors & 255], axis=-1).astype(np.uint8)


class Tally:
    """How often each colour occurs: `colors` packed and rising, `counts` beside them."""

    def __init__(self) -> None:
        self.colors: Packed = np.empty(0, dtype=np.uint32)
        self.counts: NDArray[np.int64] = np.empty(0, dtype=np.int64)

    def add(self, pixels: Packed) -> None:
        """Count the colours of `pixels`, of any shape."""
        colors, counts = np.unique(pixels, return_counts=True)
        both, where = np.unique(np.concatenate([self.colors, colors]), return_inverse=True)
        self.counts = np.bincount(where, weights=np.concatenate([self.counts, counts])).astype(
            np.int64
        )
        self.colors = both


def reduced(tally: Tally, most: int) -> Packed:
    """For each colour of `tally` the one that stands for it, at most `most` different ones, chosen
    by how they look.

    Median cut in CIELAB, then each colour goes to the nearest mean. The root of its count says how
    much a colour matters, so that a large background does not starve thin lines and small lights.
    """
    from scipy.spatial import cKDTree  # loading it takes longer than all of `import fieldcraft`

    points, weights = lab_of(unpacked(tally.colors)), np.sqrt(tally.counts)
    group = _median_cut(points, weights, most)
    for _ in range(_REFINEMENTS):
        mass = np.bincount(group, weights=weights)
        sums = np.stack(
            [np.bincount(group, weights=weights * points[:, axis]) for axis in range(3)], axis=1
        )
        means = sums[mass > 0] / mass[mass > 0, np.newaxis]
        group = cKDTree(means).query(points)[1]
    palette = np.rint(np.clip(rgb_of(means), 0, 255)).astype(np.uint8)
    return packed(palette[group])


def _median_cut(
    points: NDArray[np.float64], weights: NDArray[np.float64], most: int
) -> NDArray[np.int64]:
    """Groups of points, as one number per point: the group that spreads most is cut in two until
    there are `most`.
    """
    group = np.zeros(len(points), dtype=np.int64)
    heap = [(*_spread(points, weights), 0)]
    for fresh in range(1, most):
        spread, axis, cut = heapq.heappop(heap)
        if spread == 0:
            break
        members = np.flatnonzero(group == cut)
        members = members[np.argsort(points[members, axis], kind="stable")]
        mass = np.cumsum(weights[members])
        half = int(np.clip(np.searchsorted(mass, mass[-1] / 2) + 1, 1, len(members) - 1))
        group[members[half:]] = fresh
        for number, part in ((cut, members[:half]), (fresh, members[half:])):
            heapq.heappush(heap, (*_spread(points[part], weights[part]), number))
    return group


def _spread(points: NDArray[np.float64], weights: NDArray[np.float64]) -> tuple[float, int]:
    """Minus the weighted spread along the widest axis, so that a heap gives the widest first, and
    that axis.
    """
    deviation = points - np.average(points, axis=0, weights=weights)
    spread = (weights[:, np.newaxis] * deviation**2).sum(axis=0)
    axis = int(spread.argmax())
    return (-float(spread[axis]) if len(points) > 1 else 0.0), axis
