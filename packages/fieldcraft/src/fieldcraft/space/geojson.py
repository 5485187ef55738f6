"""Groups of cells as GeoJSON geometries."""

from __future__ import annotations

from typing import Any

import numpy as np

from fieldcraft.kernels.shared.arrays import Floats, Ints
from fieldcraft.space.grid.grid import Grid
from fieldcraft.space.hexagons.hex_grid import HexGrid
from fieldcraft.space.space import Space

_SQUARE = np.array([(0, 0), (1, 0), (1, 1), (0, 1)])


def geometry(space: Space, cells: Ints) -> dict[str, Any]:
    """Return cells of a grid or hexagons as a MultiPolygon, vertices of a graph as a MultiPoint.

    Cells that share a side are in one polygon: its outline counterclockwise, then its holes.
    """
    from scipy.sparse import coo_array  # loading it takes longer than all of `import fieldcraft`
    from scipy.sparse.csgraph import connected_components

    if not isinstance(space, Grid | HexGrid):
        return {"type": "MultiPoint", "coordinates": space.position_of(cells).tolist()}
    points, corners = _corners(space, cells)
    starts = corners.reshape(-1)
    ends = np.roll(corners, -1, axis=1).reshape(-1)
    cell_of = np.repeat(np.arange(len(cells)), corners.shape[1])
    _, inner, other = np.intersect1d(
        starts * len(points) + ends, ends * len(points) + starts, return_indices=True
    )
    shared = np.ones(len(inner), dtype=np.bool_), (cell_of[inner], cell_of[other])
    count, polygon_of = connected_components(coo_array(shared, shape=(len(cells), len(cells))))
    outer = np.delete(np.arange(len(starts)), inner)
    polygons = []
    for number in range(count):
        sides = outer[polygon_of[cell_of[outer]] == number]
        rings = [points[ring] for ring in _rings(starts[sides].tolist(), ends[sides].tolist())]
        polygons.append([ring.tolist() for ring in sorted(rings, key=_area, reverse=True)])
    return {"type": "MultiPolygon", "coordinates": polygons}


def _corners(space: Grid | HexGrid, cells: Ints) -> tuple[Floats, Ints]:
    """Return corners (C, 2) and the ones of each cell, (N, K), counterclockwise if y points up."""
    if isinstance(space, HexGrid):
        points, corners = space.layout.corners(space.to_axial(cells))
        return points, corners if _area(points[corners[0]]) > 0 else corners[:, ::-1]
    rows, columns = np.divmod(cells, space.width)
    low = np.stack([columns, space.height - 1 - rows if space.y_up else rows], axis=1)
    each = (low[:, np.newaxis] + _SQUARE).reshape(-1, 2)
    unique, corners = np.unique(each, axis=0, return_inverse=True)
    return unique * space.cell_size + space.origin, corners.reshape(-1, 4).astype(np.int64)


def _rings(starts: list[int], ends: list[int]) -> list[list[int]]:
    """Join sides into closed rings that visit no corner twice."""
    following: dict[int, list[int]] = {}
    for start, end in zip(starts, ends, strict=True):
        following.setdefault(start, []).append(end)
    rings = []
    for start in following:
        path = {start: None}  # the keys are the corners, in order
        corner = start
        while following[corner]:
            corner = following[corner].pop()
            if corner in path:
                ring = [corner, path.popitem()[0]]
                while ring[-1] != corner:
                    ring.append(path.popitem()[0])
                rings.append(ring[::-1])
            path[corner] = None
    return rings


def _area(ring: Floats) -> float:
    """Return the area inside a ring, negative for a clockwise one."""
    (x, y), (next_x, next_y) = ring.T, np.roll(ring, -1, axis=0).T
    return float((x * next_y - next_x * y).sum()) / 2
