"""From maps to bytes: the plane of cells or pixels that a page draws, its values as one byte each,
and the tiles that have changed.

A byte is a row of a table of colors, see `fieldcraft.view.ColorScale`; 255 is not drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fieldcraft.space import Grid, Space
from fieldcraft.view.picture_parts import outlines
from fieldcraft.view.pixels.color_scale import HIDDEN

MOST_CELLS = 2048 * 2048
_MOST_POLYGONS = 120_000
_MOST_EDGES = 300_000
_PIXELS = 1024
_ROW = 1024
TILE = 64

Bytes = NDArray[np.uint8]
Region = tuple[float, ...] | None


class Scale(Protocol):
    """What gives each value a row of a table of colors."""

    def index(self, values: NDArray[np.float32]) -> Bytes:
        """Return the row for each value, `HIDDEN` where it is not drawn."""


@dataclass(frozen=True, eq=False)
class Shape:
    """The form in which a page draws the cells of a space: rows of a grid, polygons, dots, or
    pixels if there are too many cells.

    `meta` describes it for the page; `geometry` are the bytes of its triangles, dots and edges.
    """

    meta: dict[str, Any]
    geometry: bytes
    plane: Callable[[Region], Plane]


class Plane:
    """The rows of bytes for one part of a map: the cell of each byte, or the cells of which it
    shows the strongest.
    """

    def __init__(
        self,
        space: Space,
        shape: tuple[int, int],
        extent: tuple[float, ...] | None = None,
        bins: Bins | None = None,
        *,
        plain: bool = True,
    ) -> None:
        self.space = space
        self.shape = shape
        self.extent = extent
        self._bins = bins
        self._plain = plain

    def bytes_of(self, values: NDArray[np.float32], scale: Scale) -> Bytes:
        """Return the bytes of values, uint8 of shape (rows, columns)."""
        if self._bins is None:
            flat = values
        else:
            flat = self._bins.strongest(values.reshape(-1))
        return self._rows(scale.index(flat))

    def walls(self, walls: NDArray[np.bool_]) -> Bytes:
        """Return 1 for walls, 0 for open cells; a pixel is open if one of its cells is."""
        if self._bins is None:
            flat = walls.astype(np.uint8)
        else:
            flat = self._bins.all_of(walls.reshape(-1))
        return self._rows(flat)

    def _rows(self, flat: Bytes) -> Bytes:
        """Return bytes in rows; the end of the last row is not drawn."""
        if self._plain:
            return np.ascontiguousarray(flat.reshape(self.shape))
        rows = np.full(self.shape, HIDDEN, dtype=np.uint8)
        rows.reshape(-1)[: flat.size] = flat.reshape(-1)
        return rows


class Bins:
    """The pixels that cells fall into."""

    def __init__(self, pixels: NDArray[np.int64], cells: NDArray[np.int64], count: int) -> None:
        order = np.argsort(pixels, kind="stable")
        self._cells = cells[order]
        self._filled, self._starts = np.unique(pixels[order], return_index=True)
        self._count = count

    def strongest(self, flat: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the value of the strongest magnitude in each pixel, 0 in empty ones."""
        out = np.zeros(self._count, dtype=np.float32)
        if len(self._cells):
            taken = flat[self._cells]
            high = np.maximum.reduceat(taken, self._starts)
            low = np.minimum.reduceat(taken, self._starts)
            out[self._filled] = np.where(high >= -low, high, low)
        return out

    def all_of(self, flat: NDArray[np.bool_]) -> Bytes:
        """Return 1 for pixels in which all cells are True, or without cells."""
        out = np.ones(self._count, dtype=np.uint8)
        if len(self._cells):
            out[self._filled] = np.logical_and.reduceat(flat[self._cells], self._starts)
        return out


def shape_of(space: Space) -> Shape:
    """Return the form in which a page draws a space."""
    meta: dict[str, Any] = {
        "extent": space.extent[:, :2].reshape(-1).tolist(),
        "y_up": bool(space.y_up),
        "cells": len(space),
        "dimensions": space.dimensions,
        "cell": space.cell_name,
    }
    if isinstance(space, Grid) and len(space) <= MOST_CELLS:
        height, width = space.shape
        plane = Plane(space, (height, width))
        return Shape(
            {
                **meta,
                "form": "grid",
                "width": width,
                "height": height,
                "cell_size": space.cell_size,
            },
            b"",
            lambda region: plane,
        )
    if len(space) > _MOST_POLYGONS or isinstance(space, Grid):
        return Shape({**meta, "form": "pixels"}, b"", lambda region: _pixels(space, region))
    rows = max(-(-len(space) // _ROW), 1)
    drawn, reach = outlines(space)
    if drawn is None:
        kinds, geometry = _dots(space)
    else:
        kinds, geometry = _triangles(space, *drawn)
    plane = Plane(space, (rows, _ROW), plain=False)
    return Shape(
        {**meta, "form": "cells", "width": _ROW, "height": rows, "reach": float(reach), **kinds},
        geometry,
        lambda region: plane,
    )


def _triangles(
    space: Space, corners: NDArray[np.float64], starts: NDArray[np.int64]
) -> tuple[dict[str, Any], bytes]:
    """Return fans of triangles: (x, y) float32 of each corner, and the cell of each as uint32;
    higher cells come later.
    """
    begin = np.asarray(starts[:-1])
    counts = np.diff(starts) - 2
    cells = np.repeat(np.arange(len(counts)), np.maximum(counts, 0))
    if space.dimensions == 3:
        cells = cells[np.argsort(space.positions[cells, 2], kind="stable")]
    within = _within(cells)
    first = begin[cells]
    fan = np.stack([first, first + within + 1, first + within + 2], axis=1).reshape(-1)
    points = np.ascontiguousarray(corners[fan], dtype="<f4")
    owners = np.repeat(cells, 3).astype("<u4")
    return {"triangles": len(fan), "dots": 0, "edges": 0}, points.tobytes() + owners.tobytes()


def _within(cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the index of each number among equal ones, in an array with equal numbers together."""
    if len(cells):
        begins = np.flatnonzero(np.append(True, cells[1:] != cells[:-1]))
    else:
        begins = np.zeros(0, np.int64)
    return np.arange(len(cells)) - np.repeat(begins, np.diff(np.append(begins, len(cells))))


def _dots(space: Space) -> tuple[dict[str, Any], bytes]:
    """Return a dot for each vertex, and the edges as pairs of dots."""
    points = np.ascontiguousarray(space.positions[:, :2], dtype="<f4")
    adjacency = space.adjacency
    ends = np.repeat(np.arange(len(space)), np.diff(adjacency.starts))
    pairs = np.stack([ends, adjacency.ends], axis=1)
    pairs = np.unique(np.sort(pairs, axis=1), axis=0)[:_MOST_EDGES].astype("<u4")
    owners = np.arange(len(space), dtype="<u4")
    return {
        "triangles": 0,
        "dots": len(space),
        "edges": len(pairs),
    }, points.tobytes() + owners.tobytes() + pairs.tobytes()


def _pixels(space: Space, region: Region) -> Plane:
    """Return a plane of at most 1024 pixels a side for a part of the map."""
    full_low, full_high = space.extent[:, :2]
    low = full_low
    high = full_high
    if region is not None:
        low = np.maximum(full_low, region[:2])
        high = np.minimum(full_high, region[2:])
        if not (low < high).all():
            low = full_low
            high = full_high
    size = np.maximum(high - low, 1e-9)
    # About as far as cells lie apart, so that pixels are not empty.
    spacing = math.sqrt(float((full_high - full_low).prod()) / len(space))
    pixel = max(float(size.max()) / _PIXELS, spacing)
    columns = max(math.ceil(size[0] / pixel), 1)
    rows = max(math.ceil(size[1] / pixel), 1)
    positions = space.positions[:, :2]
    places = ((positions - low) / pixel).astype(np.int64)
    inside = (positions >= low) & (places >= 0) & (places < (columns, rows))
    cells = np.flatnonzero(inside.all(axis=1))
    bins = Bins(places[cells, 1] * columns + places[cells, 0], cells, rows * columns)
    extent = (*low.tolist(), float(low[0] + columns * pixel), float(low[1] + rows * pixel))
    return Plane(space, (rows, columns), extent, bins)


def tiles(new: Bytes, old: Bytes | None) -> list[tuple[int, int, int, int]] | None:
    """Return the tiles (x, y, width, height) in which two planes differ; None for the whole plane,
    if most of it differs or there is no old one.
    """
    if old is None or old.shape != new.shape:
        return None
    if new is old:
        return []
    height, width = new.shape
    differ = new != old
    across = np.arange(0, width, TILE)
    down = np.arange(0, height, TILE)
    changed = np.logical_or.reduceat(np.logical_or.reduceat(differ, down, axis=0), across, axis=1)
    if np.count_nonzero(changed) > 0.6 * changed.size:
        return None
    found = []
    for row, column in np.argwhere(changed).tolist():
        x = column * TILE
        y = row * TILE
        found.append((x, y, min(TILE, width - x), min(TILE, height - y)))
    return found


def nice(value: float) -> float:
    """Return the next of 1, 1.5, 2, 3, 4, 5, 6, 8, 10, 15 ... at or above a size, so that adaptive
    limits do not flicker.
    """
    if value <= 0 or not math.isfinite(value):
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(
        step * power
        for step in (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
        if step * power >= value * (1 - 1e-6)
    )
