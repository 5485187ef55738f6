"""Faces with more than three corners cut into triangles that do not reach out of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["MOST_WORK", "cut", "turns"]

MOST_WORK = (
    2**24
    # the most squares of numbers of corners, added up, of faces with several corners that point
    # inwards
)
_BENT = 1e-6  # turns to the inside by less are rounding, in shares of a face


def turns(
    corners: NDArray[np.float64], rings: NDArray[np.int64], starts: NDArray[np.int64]
) -> NDArray[np.float64]:
    """For each entry of `rings` how far the face turns there, below 0 where the corner points
    inwards; in shares of the face's area.

    `corners` are (C, 3), `rings` the corners of all faces one after the other, of which face i
    begins at `starts[i]` and ends at `starts[i + 1]`.
    """
    sizes = np.diff(starts)
    owners = np.repeat(np.arange(len(sizes)), sizes)
    following = np.arange(1, len(rings) + 1)
    following[starts[1:] - 1] = starts[:-1]
    ahead = corners[rings[following]] - corners[rings]
    # From a corner of its own the way round a face spans twice its area, in the direction that it
    # faces.
    own = corners[rings] - corners[rings[starts[:-1]]][owners]
    normals = np.add.reduceat(np.cross(own, own[following]), starts[:-1], axis=0)
    turned = (np.cross(ahead, ahead[following]) * normals[owners]).sum(axis=1)
    size = (normals**2).sum(axis=1)
    shares = np.empty(len(rings))
    shares[following] = turned / np.where(size > 0, size, 1.0)[owners]
    return np.where(shares < -_BENT, shares, np.maximum(shares, 0.0))


def cut(places: NDArray[np.float64]) -> list[tuple[int, int, int]]:
    """The corners of a face, (n, 3), going round, cut into n - 2 triangles of numbers of them,
    which face as it does.

    Where it crosses itself, what cannot be cut otherwise becomes a fan. Source: ear clipping, G. H.
    Meisters, "Polygons have ears", American Mathematical Monthly 82, 1975.
    """
    own = places - places[0]
    normal = np.cross(own, np.roll(own, -1, axis=0)).sum(axis=0)
    axis = int(np.abs(normal).argmax())
    plane = np.delete(own, axis, axis=1)[:, :: -1 if (axis == 1) != (normal[axis] < 0) else 1]
    left, found, at = list(range(len(plane))), [], 0
    while len(left) > 3:
        near = (
            k % len(left) for k in range(at - 1, at - 1 + len(left))
        )  # what was cut last makes ears of those beside it
        ear = next((k for k in near if _is_ear(plane, left, k)), None)
        if ear is None:
            break
        at = ear
        found.append((left[at - 1], left[at], left[(at + 1) % len(left)]))
        del left[at]
    return found + [(left[0], left[k], left[k + 1]) for k in range(1, len(left) - 1)]


def _is_ear(plane: NDArray[np.float64], left: list[int], k: int) -> bool:
    """Whether the corner `left[k]` points outwards, and no other lies in the triangle with its two
    neighbours.
    """
    triangle = plane[[left[k - 1], left[k], left[(k + 1) % len(left)]]]
    ahead = np.roll(triangle, -1, axis=0) - triangle
    if ahead[0, 0] * ahead[1, 1] <= ahead[0, 1] * ahead[1, 0]:
        return False
    others = plane[left]
    others = others[(others[:, np.newaxis] != triangle).any(axis=2).all(axis=1)]
    away = others[:, np.newaxis] - triangle
    return not (ahead[:, 0] * away[:, :, 1] - ahead[:, 1] * away[:, :, 0] >= 0).all(axis=1).any()
