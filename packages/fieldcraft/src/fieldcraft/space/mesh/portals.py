"""Portals: pieces of the sides of polygons that lines of sight pass through."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels.shared.arrays import Floats, Ints
from fieldcraft.kernels.sight.sight_lines import SightPortals
from fieldcraft.space.cached import cached_until_walls_change
from fieldcraft.space.csr import NO_CELLS, runs, starts_of
from fieldcraft.space.graph.graph import Graph
from fieldcraft.space.graph.topology import Topology
from fieldcraft.space.mesh.mesh import Mesh

_NEAR = 1e-4  # sides meet that are this close to one line, in shares of the shorter one
_AT_ONCE = 1_000_000
_FAR = 2.0**32  # the largest whole number; farther positions are clamped to it
_BITS = 30  # products of two differences stay below 2**62


@dataclass(frozen=True, eq=False)
class Portals:
    """The pieces of sides that edges of a graph lead through, as `fieldcraft.kernels.sight.sees`
    takes them.

    The portals of polygon p are `starts[p]` up to `starts[p + 1]`: `ends` (K,) int32, `sides` (K,
    4). Its corners, in order with the inside on the left, are `rings` (R, 2) from `corners[p]` up
    to `corners[p + 1]`. After the polygons of the mesh come polygons that fill gaps, so that sight
    passes along an edge over a gap (a jump). `arcs` (K, 2) are the arcs of the edge in both
    directions.

    `fine` (K, 4) are the sides and `middles` (P, 2) the centers of the polygons of the mesh, in
    whole numbers: see `rounded`.
    """

    starts: Ints
    ends: NDArray[np.int32]
    sides: Floats
    arcs: Ints
    corners: Ints
    rings: Floats
    low: Floats
    scales: Floats
    fine: Ints
    middles: Ints

    def rounded(self, places: Floats) -> Ints:
        """Return places (..., 2) in whole numbers of about a billionth of the mesh, so that tests
        of lines are exact.

        One of the mesh's `units` is a power of two of them, so that positions that are such
        fractions of a unit are not rounded. Lines touch the same things in both coordinates.
        """
        return _rounded(places, self.low, self.scales)

    def aim(self, start: Floats, end: Floats) -> Ints:
        """Return the end of a line in whole numbers (2,), or a place on it if it ends far off the
        mesh.
        """
        direction = end - start
        size = float(np.abs(direction * self.scales).max())
        return self.rounded(start + direction * min(1.0, 2.0**_BITS / max(size, 1.0)))

    @property
    def scale(self) -> float:
        """The whole numbers in a world unit, along x or y, the larger one."""
        return float(self.scales.max())

    def links(self, flags: NDArray[np.uint8]) -> SightPortals:
        """Return the portals as kernels take them, with `flags` (K,) of whether each is open."""
        return SightPortals(self.starts, self.ends, self.fine, flags)

    def flags(self, walls: NDArray[np.bool_], closed: NDArray[np.bool_]) -> NDArray[np.uint8]:
        """Return how far sight passes each portal, (K,), if vertices `walls` (N,) and arcs `closed`
        (A,) are blocked.
        """
        behind = np.concatenate(
            [walls, np.zeros(len(self.starts) - 1 - len(walls), dtype=np.bool_)]
        )
        flags = np.where(
            behind[self.ends],
            np.uint8(kernels.sight.sees.BLOCKED),
            np.uint8(kernels.sight.sees.OPEN),
        )
        closed_arcs = np.append(closed, True)  # the last is for -1, no arc
        flags[closed_arcs[self.arcs].all(axis=1)] = kernels.sight.sees.CLOSED
        return flags


_known: WeakKeyDictionary[Topology, tuple[Mesh, Portals]] = WeakKeyDictionary()


def portals_of(graph: Graph) -> tuple[Portals, NDArray[np.uint8]]:
    """Return the portals of a graph with a mesh, computed once, and their flags, cached until walls
    change.
    """
    return _portals(graph), _blocked_flags(graph)


def sight_portals_of(graph: Graph) -> tuple[Portals, NDArray[np.uint8]]:
    """Return the portals of a graph with a mesh, and their flags for sight."""
    if graph.opaque is graph.walls:
        return _portals(graph), _blocked_flags(graph)
    return _portals(graph), _opaque_flags(graph)


def _portals(graph: Graph) -> Portals:
    assert graph.mesh is not None
    known = _known.get(graph.topology)
    if known is None or known[0] is not graph.mesh:
        known = _known[graph.topology] = (graph.mesh, _built(graph.mesh, graph.topology))
    return known[1]


@cached_until_walls_change
def _blocked_flags(graph: Graph) -> NDArray[np.uint8]:
    return _portals(graph).flags(graph.walls, graph.blocked_arcs)


@cached_until_walls_change
def _opaque_flags(graph: Graph) -> NDArray[np.uint8]:
    return _portals(graph).flags(graph.opaque, graph.blocked_arcs)


def _built(mesh: Mesh, topology: Topology) -> Portals:
    """For each pair of polygons that an edge joins, in one direction or both: the sides they share;
    else the pieces in which sides of theirs lie along each other, seen from above; else the two
    sides that face each other over a gap.
    """
    plan = np.ascontiguousarray(mesh.corners[:, :2])
    rings = _going_round(mesh, plan)
    shared, owners = mesh.shared
    joined = topology.are_joined(owners)
    shared = shared[joined]
    owners = owners[joined]
    count = len(mesh)
    one = topology.origins.astype(np.int64)
    other = topology.ends
    keys = np.unique(np.minimum(one, other) * count + np.maximum(one, other))
    keys = keys[~np.isin(keys, owners.min(axis=1) * count + owners.max(axis=1))]
    rest = np.stack(np.divmod(keys, max(count, 1)), axis=1)
    rest = rest[~_touch_in_a_point(mesh, plan, rest)]
    beside, overlaps, rest = _found_between_sides(_alongside, mesh.starts, rings, rest)
    facing, gaps, _ = _found_between_sides(_facing, mesh.starts, rings, rest)

    fill = count + np.arange(len(facing))
    pairs = np.concatenate(
        [
            owners,
            beside,
            np.stack([facing[:, 0], fill], axis=1),
            np.stack([facing[:, 1], fill], axis=1),
        ]
    )
    edges = np.concatenate([owners, beside, facing, facing])
    lines = np.concatenate([plan[shared].reshape(-1, 4), overlaps, gaps[:, :4], gaps[:, 4:]])
    middles = np.concatenate([mesh.centers[:, :2], gaps.reshape(-1, 4, 2).mean(axis=1)])
    # Each portal belongs to the polygons on both of its sides; the inside is on the left.
    pairs = np.concatenate([pairs, pairs[:, ::-1]])
    edges = np.concatenate([edges, edges])
    lines = np.concatenate([lines, lines])
    turn = _turns(lines, middles[pairs[:, 0]])
    sides = np.where((turn < 0)[:, np.newaxis], lines[:, [2, 3, 0, 1]], lines)
    keep = np.flatnonzero(turn)
    order = keep[np.lexsort((sides[keep, 1], sides[keep, 0], pairs[keep, 1], pairs[keep, 0]))]
    pairs = pairs[order]
    edges = edges[order]
    sides = np.ascontiguousarray(sides[order])
    starts = starts_of(pairs[:, 0], count + len(fill))
    arcs = np.stack([topology.arcs_between(edges[:, k], edges[:, 1 - k]) for k in range(2)], axis=1)
    # The outline of a gap is one side backwards, then the other.
    around = gaps[:, [2, 3, 0, 1, 6, 7, 4, 5]].reshape(-1, 2)
    corners = np.concatenate([mesh.starts, mesh.starts[-1] + 4 * np.arange(1, len(fill) + 1)])
    if len(plan):
        low = plan.min(axis=0)
    else:
        low = np.zeros(2)
    extent = float(((plan - low) / mesh.units).max(initial=0))
    scales = 2.0 ** (_BITS - (math.frexp(extent)[1] if extent > 0 else 0)) / mesh.units
    fine = _rounded(sides.reshape(-1, 2, 2), low, scales).reshape(-1, 4)
    return Portals(
        starts,
        pairs[:, 1].astype(np.int32),
        sides,
        arcs,
        corners,
        np.concatenate([rings, around]),
        low,
        scales,
        np.ascontiguousarray(fine),
        _rounded(mesh.centers[:, :2], low, scales),
    )


def _rounded(places: Floats, low: Floats, scales: Floats) -> Ints:
    return np.rint(np.clip((places - low) * scales, -_FAR, _FAR)).astype(np.int64)


def _going_round(mesh: Mesh, plan: Floats) -> Floats:
    """Return the corners of each polygon in order, with its inside on the left."""
    signed = np.bincount(mesh.triangle_polygons, weights=mesh.doubled_areas, minlength=len(mesh))
    place = np.arange(len(mesh.rings))
    first, last = (
        np.repeat(mesh.starts[k : len(mesh.starts) - 1 + k], np.diff(mesh.starts)) for k in range(2)
    )
    turned = (signed < 0)[mesh.ring_polygons]
    return np.ascontiguousarray(plan[mesh.rings[np.where(turned, first + last - 1 - place, place)]])


def _turns(lines: Floats, points: Floats) -> Floats:
    """Return a number above 0 for points to the left of their line (ux, uy, vx, vy)."""
    ux, uy, vx, vy = lines.T
    return np.asarray((vx - ux) * (points[:, 1] - uy) - (vy - uy) * (points[:, 0] - ux))


def _touch_in_a_point(mesh: Mesh, plan: Floats, pairs: Ints) -> NDArray[np.bool_]:
    """Return which pairs of polygons have bounding boxes that only touch in a corner, such as
    diagonal squares.
    """
    if not len(pairs):
        return np.zeros(0, dtype=np.bool_)
    low, high = (
        each.reduceat(plan[mesh.rings], mesh.starts[:-1]) for each in (np.minimum, np.maximum)
    )
    common = np.minimum(high[pairs[:, 0]], high[pairs[:, 1]]) - np.maximum(
        low[pairs[:, 0]], low[pairs[:, 1]]
    )
    return np.asarray((np.abs(common) <= 1e-9 * (high - low)[pairs[:, 0]]).all(axis=1))


_Find = Callable[[Floats, Floats, Ints], tuple[Ints, Floats]]
"""A search in pairs of sides, (S, 4) each, of which the pair of polygons is given: it returns the
pairs of polygons for which something was found, (K,), and its coordinates, (K, ...).
"""


def _found_between_sides(
    find: _Find, starts: Ints, rings: Floats, pairs: Ints
) -> tuple[Ints, Floats, Ints]:
    """Return what `find` finds between a side of the first and a side of the second of pairs of
    polygons (E, 2): the pairs (K, 2), coordinates (K, ...), and the pairs without a result.

    Pairs of sides are made and searched in portions, so that they need little memory.
    """
    following = np.arange(1, len(rings) + 1)
    following[starts[1:] - 1] = starts[:-1]
    sides = np.concatenate([rings, rings[following]], axis=1)
    sizes = np.diff(starts)[pairs]
    work = np.cumsum(sizes[:, 0] * sizes[:, 1])
    total = 0
    if len(work):
        total = int(work[-1])
    cuts = np.searchsorted(work, np.arange(_AT_ONCE, total, _AT_ONCE))
    numbers = [NO_CELLS]
    found = [find(np.zeros((0, 4)), np.zeros((0, 4)), NO_CELLS)[1]]
    for low, high in itertools.pairwise([0, *cuts.tolist(), len(pairs)]):
        one, other = pairs[low:high].T
        one_sizes, other_sizes = sizes[low:high].T
        # Each side of the first polygon, then with it each side of the second.
        first = runs(starts[one], one_sizes)
        which = np.repeat(np.arange(low, high), one_sizes)
        repeats = other_sizes[which - low]
        second = runs(starts[other[which - low]], repeats)
        number, lines = find(
            sides[np.repeat(first, repeats)], sides[second], np.repeat(which, repeats)
        )
        numbers.append(number)
        found.append(lines)
    pair = np.concatenate(numbers)
    return pairs[pair], np.concatenate(found), np.delete(pairs, pair, axis=0)


def _alongside(one: Floats, other: Floats, which: Ints) -> tuple[Ints, Floats]:
    """Return the pieces that two sides share, (K, 4), and their pairs."""
    ends = np.stack([one[:, :2], one[:, 2:], other[:, :2], other[:, 2:]], axis=1)
    along = ends[:, 1] - ends[:, 0]
    length = np.sqrt((along**2).sum(axis=1))
    shorter = np.minimum(length, np.sqrt(((ends[:, 3] - ends[:, 2]) ** 2).sum(axis=1)))
    along = along / np.where(length > 0, length, 1.0)[:, np.newaxis]
    away = ends - ends[:, :1]
    at = (away * along[:, np.newaxis]).sum(axis=2)
    off = np.abs(
        away[:, :, 0] * along[:, 1, np.newaxis] - away[:, :, 1] * along[:, 0, np.newaxis]
    ).max(axis=1, initial=0)
    spans = np.sort(at.reshape(-1, 2, 2), axis=2)
    overlap = spans[:, :, 1].min(axis=1) - spans[:, :, 0].max(axis=1)
    fits = np.flatnonzero((shorter > 0) & (off <= _NEAR * shorter) & (overlap > _NEAR * shorter))
    # In their order along the side, the middle two of the four ends bound the piece.
    order = np.argsort(at[fits], axis=1, kind="stable")[:, 1:3]
    return which[fits], ends[fits[:, np.newaxis], order].reshape(-1, 4)


def _facing(one: Floats, other: Floats, which: Ints) -> tuple[Ints, Floats]:
    """Return for each pair of polygons the nearest two sides that face each other, (K, 8), and the
    pairs.

    Their middles are at most the sum of their lengths apart.
    """
    away = (
        np.sqrt((((one[:, :2] + one[:, 2:]) - (other[:, :2] + other[:, 2:])) ** 2).sum(axis=1)) / 2
    )
    long = sum(np.sqrt(((side[:, :2] - side[:, 2:]) ** 2).sum(axis=1)) for side in (one, other))
    ring = np.stack([one[:, 2:], one[:, :2], other[:, 2:], other[:, :2]], axis=1)
    is_convex = np.ones(len(one), dtype=np.bool_)
    for k in range(4):
        is_convex &= (
            _turns(np.concatenate([ring[:, k], ring[:, (k + 1) % 4]], axis=1), ring[:, (k + 2) % 4])
            > 0
        )
    fits = np.flatnonzero(is_convex & (away <= long))
    order = fits[np.lexsort((fits, away[fits], which[fits]))]
    _, first = np.unique(which[order], return_index=True)
    best = order[first]
    return which[best], np.concatenate([one[best], other[best]], axis=1)
