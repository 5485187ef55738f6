"""Outlines of groups of cells as GeoJSON, which Shapely and GeoPandas take."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.space.grid import Grid
from fieldcraft.space.hex_grid import HexGrid
from fieldcraft.space.protocol import Space

__all__ = ["geometry"]

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]
_SQUARE = np.array([(0, 0), (1, 0), (1, 1), (0, 1)])
_INWARDS = 1e-3  # how far beside a side a place of a hole is, in lengths of the side


def geometry(space: Space, cells: Ids) -> dict[str, Any]:
    """Return cells of a grid or hexagons as a MultiPolygon, vertices of a graph as a MultiPoint."""
    if not isinstance(space, Grid | HexGrid):
        return {"type": "MultiPoint", "coordinates": space.position_of(cells).tolist()}
    places, corners = _corners(space, cells)
    shells, holes = list[Floats](), list[Floats]()
    for ring in _rings(corners):
        line = places[[*ring, ring[0]]]
        (shells if _area(line) > 0 else holes).append(line)
    polygons = [[_without_straight(shell)] for shell in shells]
    for hole in holes:
        side = hole[1] - hole[0]
        place = (hole[0] + hole[1]) / 2 + _INWARDS * np.array([side[1], -side[0]])
        around = [k for k, shell in enumerate(shells) if _is_inside(shell, place)]
        polygons[min(around, key=lambda k: _area(shells[k]))].append(_without_straight(hole))
    return {"type": "MultiPolygon", "coordinates": polygons}


def _corners(space: Grid | HexGrid, cells: Ids) -> tuple[Floats, Ids]:
    """World positions of corners, (C, 2), and those of each cell with it on the left, (N, K)."""
    if isinstance(space, HexGrid):
        places, corners = space.layout.corners(space.to_axial(cells))
        ring = places[corners[0]]
        return places, corners if _area(np.concatenate([ring, ring[:1]])) > 0 else corners[:, ::-1]
    rows, columns = np.divmod(cells, space.width)
    rows = space.height - 1 - rows if space.y_up else rows
    marks = np.stack([columns, rows], axis=1)[:, np.newaxis] + _SQUARE
    known, corners = np.unique(marks.reshape(-1, 2), axis=0, return_inverse=True)
    return known * space.cell_size + space.origin, corners.reshape(-1, 4).astype(np.int64)


def _rings(corners: Ids) -> list[list[int]]:
    """Sides that only one cell has, joined into rings that pass no corner twice."""
    first, second = corners.reshape(-1), np.roll(corners, -1, axis=1).reshape(-1)
    size = int(corners.max(initial=0)) + 1
    outer = ~np.isin(first * size + second, second * size + first)
    ahead: dict[int, list[int]] = {}
    for start, end in zip(first[outer].tolist(), second[outer].tolist(), strict=True):
        ahead.setdefault(start, []).append(end)
    rings = []
    for start in ahead:
        line = {start: None}  # in order
        corner = start
        while ahead[corner]:
            corner = ahead[corner].pop()
            if corner not in line:
                line[corner] = None
                continue
            ring = list[int]()
            while not ring or ring[-1] != corner:
                ring.append(line.popitem()[0])
            line[corner] = None
            rings.append(ring[::-1])
    return rings


def _area(line: Floats) -> float:
    """The area in a ring, above 0 where it goes round with the inside on the left."""
    x, y = line.T
    return float((x[:-1] * y[1:] - x[1:] * y[:-1]).sum()) / 2


def _is_inside(line: Floats, place: Floats) -> bool:
    crossed = 0
    for (ax, ay), (bx, by) in pairwise(line.tolist()):
        if (ay > place[1]) != (by > place[1]):
            crossed += ax + (place[1] - ay) / (by - ay) * (bx - ax) > place[0]
    return crossed % 2 == 1


def _without_straight(line: Floats) -> list[list[float]]:
    """A ring without the places at which it goes straight on."""
    legs = np.diff(line, axis=0)
    before = np.roll(legs, 1, axis=0)
    turns = legs[:, 0] * before[:, 1] - legs[:, 1] * before[:, 0]
    kept = line[:-1][np.abs(turns) > 1e-9 * (legs**2).sum(axis=1)]
    return [*kept.tolist(), kept[0].tolist()]
