"""Polygons that touch without sharing corners: corners in one place, thin seams, and corners on the
side of a neighbor.
"""

from __future__ import annotations

import logging
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.ranges import farthest_within
from fieldcraft.space.mesh.mesh import Mesh

_log = logging.getLogger(__name__)

_SEAM = 1e-3  # corners are one that are this close, in shares of the shortest side beside them
_BESIDE = 4e-4  # a corner lies on a side that is this close, in shares of it: so much may bend

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def joined(mesh: Mesh, weld: float | None) -> Mesh:
    """Return a mesh in which polygons that touch share corners.

    Corners closer together than `weld` become the one with the lowest number, by default those
    closer than a thousandth of the shortest side that ends there. Corners on the side of a neighbor
    become corners of that polygon too, if the polygons then share a piece of it.
    """
    if not len(mesh):
        return mesh
    numbers = _welded(mesh, weld)
    rings = [numbers[mesh.rings[a:b]].tolist() for a, b in pairwise(mesh.starts.tolist())]
    count = len(np.unique(mesh.rings)) - len(np.unique(numbers[mesh.rings]))
    added = _split(mesh.corners, rings, weld)
    if not count and not added:
        return mesh
    _log.info(
        "%d corners were joined with others, and %d put into the sides of neighbors", count, added
    )
    return Mesh(mesh.corners, rings)


def _welded(mesh: Mesh, weld: float | None) -> Ints:
    """Return the number of the corner that each corner becomes, (C,)."""
    numbers = np.arange(len(mesh.corners))
    _, first, groups = np.unique(mesh.corners, axis=0, return_index=True, return_inverse=True)
    numbers = _without_losses(mesh, numbers, first[groups.reshape(-1)])
    shortest = _shortest_sides(mesh, numbers)
    if weld is None:
        limits = _SEAM * shortest
    else:
        limits = np.full(len(numbers), weld)
    pairs = _near(mesh.corners, np.unique(numbers[mesh.rings]), limits)
    wanted = _groups(pairs, len(numbers))[numbers]
    found = _without_losses(mesh, numbers, wanted)
    if weld is not None and (found != wanted)[mesh.rings].any():
        corner = int(np.flatnonzero(found != wanted)[0])
        raise InvalidValue(
            "Corners of one polygon stay apart when corners are joined",
            got=f"weld={weld:g} at corner {corner}, {tuple(mesh.corners[corner].tolist())}",
            remedy="Pass a smaller weld, or leave it out",
        )
    return found


def _shortest_sides(mesh: Mesh, numbers: Ints) -> Floats:
    """Return the length of the shortest side, longer than 0, that ends in each corner, (C,)."""
    sides, _ = mesh.sides()
    lengths = np.sqrt(((mesh.corners[sides[:, 0]] - mesh.corners[sides[:, 1]]) ** 2).sum(axis=1))
    shortest = np.full(len(numbers), np.inf)
    for ends in numbers[sides].T:
        np.minimum.at(shortest, ends, np.where(lengths > 0, lengths, np.inf))
    return np.where(np.isfinite(shortest), shortest, 0.0)[numbers]


def _near(corners: Floats, used: Ints, limits: Floats) -> Ints:
    """Return the pairs of used corners, (K, 2), that are no farther apart than the limits of
    both.
    """
    from scipy.spatial import cKDTree

    largest = float(np.abs(corners[used]).max())
    reach = farthest_within(float(limits[used].max()), largest)
    found: Ints = used[cKDTree(corners[used]).query_pairs(reach, output_type="ndarray")]
    away = np.sqrt(((corners[found[:, 0]] - corners[found[:, 1]]) ** 2).sum(axis=1))
    near: Ints = found[away <= farthest_within(limits[found].min(axis=1), largest)]
    return near


def _groups(pairs: Ints, count: int) -> Ints:
    """Return the lowest number of the corners that a chain of pairs joins with each, (count,)."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    joint = coo_array((np.ones(len(pairs), dtype=np.int8), pairs.T), shape=(count, count))
    _, labels = connected_components(joint, directed=False)
    _, first = np.unique(labels, return_index=True)
    lowest: Ints = first[labels]
    return lowest


def _without_losses(mesh: Mesh, numbers: Ints, wanted: Ints) -> Ints:
    """Return `wanted`, but `numbers` for the groups that would join two corners of one polygon."""
    keys = np.stack([mesh.ring_polygons, wanted[mesh.rings]], axis=1)
    _, first, counts = np.unique(keys, axis=0, return_index=True, return_counts=True)
    lost = keys[first[counts > 1], 1]
    return np.where(np.isin(wanted, lost), numbers, wanted)


def _split(corners: Floats, rings: list[list[int]], weld: float | None) -> int:
    """Put corners that lie on a side of a neighbor into its ring; return how many."""
    sides = _outline(rings)
    if not sides:
        return 0
    added = _on_sides(corners, sides, weld)
    if not any(added):
        return 0
    pieces: dict[tuple[int, int], int] = {}
    for (_, a, b), between in zip(sides, added, strict=True):
        for one, other in pairwise([a, *between, b]):
            piece = (min(one, other), max(one, other))
            pieces[piece] = pieces.get(piece, 0) + 1
    count = 0
    # From the last side of each polygon on, so that places in its ring stay what they are.
    for (polygon, a, b), between in reversed(list(zip(sides, added, strict=True))):
        chain = [a, *between, b]
        useful = [
            corner
            for before, corner, after in zip(chain, chain[1:], chain[2:], strict=False)
            if pieces[min(before, corner), max(before, corner)] > 1
            or pieces[min(corner, after), max(corner, after)] > 1
        ]
        ring = rings[polygon]
        useful = [corner for corner in useful if corner not in ring]
        at = ring.index(a) + 1
        ring[at:at] = useful
        count += len(useful)
    return count


def _outline(rings: list[list[int]]) -> list[tuple[int, int, int]]:
    """Return the sides that no other polygon shares: the polygon and the two corners, in order."""
    sides = [
        (polygon, a, b)
        for polygon, ring in enumerate(rings)
        for a, b in zip(ring, [*ring[1:], ring[0]], strict=True)
    ]
    ends = np.sort(np.array([side[1:] for side in sides]), axis=1)
    _, which, counts = np.unique(ends, axis=0, return_inverse=True, return_counts=True)
    alone = np.flatnonzero(counts[which.reshape(-1)] == 1)
    return [sides[index] for index in alone.tolist()]


def _on_sides(
    corners: Floats, sides: list[tuple[int, int, int]], weld: float | None
) -> list[list[int]]:
    """Return the corners of other sides that lie on each side, in order along it."""
    from scipy.spatial import cKDTree

    ends = np.array([side[1:] for side in sides])
    used = np.unique(ends)
    tree = cKDTree(corners[used])
    start = corners[ends[:, 0]]
    along = corners[ends[:, 1]] - corners[ends[:, 0]]
    lengths = np.sqrt((along**2).sum(axis=1))
    if weld is None:
        limits = _BESIDE * lengths
    else:
        limits = np.full(len(lengths), weld)
    limits = farthest_within(limits, float(np.abs(corners[used]).max()))
    near = tree.query_ball_point(start + along / 2, lengths / 2 + limits)
    which = np.repeat(np.arange(len(sides)), [len(each) for each in near])
    others = used[np.concatenate([np.empty(0, dtype=np.int64), *near]).astype(np.int64)]
    other_end = (others[:, np.newaxis] != ends[which]).all(axis=1) & (lengths[which] > 0)
    which = which[other_end]
    others = others[other_end]
    away = corners[others] - start[which]
    shares = (away * along[which]).sum(axis=1) / lengths[which] ** 2
    aside = np.sqrt(((away - shares[:, np.newaxis] * along[which]) ** 2).sum(axis=1))
    margins = limits[which] / lengths[which]
    on_side = (aside <= limits[which]) & (shares > margins) & (shares < 1 - margins)
    found: list[list[int]] = [[] for _ in sides]
    for k in np.flatnonzero(on_side)[np.argsort(shares[on_side], kind="stable")].tolist():
        found[which[k]].append(int(others[k]))
    return found
