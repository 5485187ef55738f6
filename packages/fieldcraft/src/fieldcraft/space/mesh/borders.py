"""Borders of a mesh: the pieces of the sides of open polygons that nobody crosses on foot."""

from __future__ import annotations

from itertools import chain

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels.shared.arrays import Floats, read_only
from fieldcraft.space.cached import cached_until_walls_change
from fieldcraft.space.graph.graph import Graph
from fieldcraft.space.mesh.portals import Portals, portals_of

_ON_SIDE = 1e-3  # a portal this close to a side, in shares of the side, lies on it
_MOST_PIECES = 4  # into so many pieces borders are cut at most, on average


@cached_until_walls_change
def borders_of(graph: Graph) -> Floats:
    """Return the borders of a graph with a mesh, (B, 2, 2 or 3) from end to end: the rim, and the
    sides of blocked polygons and edges. Where agents jump over a gap there is a border, too.
    """
    mesh = graph.mesh
    assert mesh is not None
    portals, flags = portals_of(graph)
    walked = (flags == kernels.sight.sees.OPEN) & (portals.ends < len(mesh))
    lines = []
    for polygon in np.flatnonzero(~graph.walls).tolist():
        first, last = mesh.starts[polygon : polygon + 2].tolist()
        ring = mesh.corners[mesh.rings[first:last]]
        sides = _open_sides(portals, walked, polygon)
        for begin, end in zip(ring, np.roll(ring, -1, axis=0), strict=True):
            for low, high in _uncovered(begin[:2], end[:2], sides):
                lines.append([begin + low * (end - begin), begin + high * (end - begin)])
    return read_only(np.array(lines).reshape(-1, 2, mesh.dimensions))


def _open_sides(portals: Portals, walked: NDArray[np.bool_], polygon: int) -> Floats:
    """Return the portals that lead out of a polygon on foot, (K, 4)."""
    own = np.s_[portals.starts[polygon] : portals.starts[polygon + 1]]
    return portals.sides[own][walked[own]]


def _uncovered(begin: Floats, end: Floats, sides: Floats) -> list[tuple[float, float]]:
    """Return the shares of a side between which no portal lies on it."""
    along = end - begin
    squared = float((along**2).sum())
    if squared == 0:
        return []
    ends = sides.reshape(-1, 2, 2) - begin
    shares = np.sort((ends @ along) / squared, axis=1)
    off = np.abs(ends[..., 0] * along[1] - ends[..., 1] * along[0]).max(axis=1, initial=0)
    on_side = off <= _ON_SIDE * squared
    gaps = []
    reached = 0.0
    for low, high in sorted(np.clip(shares[on_side], 0.0, 1.0).tolist()):
        if low > reached + _ON_SIDE:
            gaps.append((reached, low))
        reached = max(reached, high)
    if reached < 1 - _ON_SIDE:
        gaps.append((reached, 1.0))
    return gaps


@cached_until_walls_change
def widths_of(graph: Graph) -> NDArray[np.float32]:
    """Return twice the distance from the center of each polygon to the nearest border, (N,): 0 in
    walls, and at most the size of the map.
    """
    from scipy.spatial import cKDTree

    found = np.full(len(graph), float(np.ptp(graph.extent, axis=0).max(initial=0.0)) / 2)
    lines = _cut(borders_of(graph))
    if len(lines):
        middles = lines.mean(axis=1)
        halves = np.sqrt(((lines[:, 1] - lines[:, 0]) ** 2).sum(axis=1)) / 2
        tree = cKDTree(middles)
        # A border that is nearer than the nearest middle has its own middle within this distance.
        away, _ = tree.query(graph.positions)
        near = tree.query_ball_point(graph.positions, away * (1 + _ON_SIDE) + halves.max())
        sizes = np.array([len(each) for each in near])
        pairs = np.fromiter(chain.from_iterable(near), dtype=np.int64, count=int(sizes.sum()))
        points = np.repeat(graph.positions, sizes, axis=0)
        distances = _distances(points, lines[pairs])
        found = np.minimum.reduceat(distances, np.cumsum(sizes) - sizes)
    found[graph.walls] = 0.0
    return read_only((2 * found).astype(np.float32))


def _cut(lines: Floats) -> Floats:
    """Return lines (B, 2, D) cut into pieces of about the same length."""
    lengths = np.sqrt(((lines[:, 1] - lines[:, 0]) ** 2).sum(axis=1))
    counts = np.ones(len(lines), dtype=np.int64)
    if len(lines):
        usual = max(float(np.median(lengths)), float(lengths.sum()) / (_MOST_PIECES * len(lines)))
        counts = np.ceil(lengths / usual).astype(np.int64).clip(min=1)
    which = np.repeat(np.arange(len(lines)), counts)
    numbers = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
    ends = np.stack([numbers, numbers + 1], axis=1) / counts[which, np.newaxis]
    along = lines[which, 1] - lines[which, 0]
    return np.asarray(lines[which, :1] + ends[..., np.newaxis] * along[:, np.newaxis])


def distances_to_lines(points: Floats, lines: Floats) -> Floats:
    """Return the distance from each point (N, D) to each line (B, 2, D) from end to end, (N, B)."""
    return _distances(points[:, np.newaxis], lines)


def _distances(points: Floats, lines: Floats) -> Floats:
    """Return the distances of points (..., D) from lines (B, 2, D) from end to end."""
    begin = lines[:, 0]
    along = lines[:, 1] - begin
    squares = (along**2).sum(axis=1)
    away = points - begin
    shares = (away * along).sum(axis=-1) / np.where(squares > 0, squares, 1.0)
    nearest = away - np.clip(shares, 0.0, 1.0)[..., np.newaxis] * along
    return np.asarray(np.sqrt((nearest**2).sum(axis=-1)))
