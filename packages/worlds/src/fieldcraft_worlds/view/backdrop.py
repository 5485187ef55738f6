"""The lowest layers of a scene on a grid: ground, values and areas, a color per cell, enlarged to
pixels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.view import ColorScale, between, tinted
from fieldcraft.view.picture_parts import (
    HIDDEN,
    ON_WALL,
    RIM,
    Brush,
    beside,
    empty_mask,
    ground_kinds,
    plain_values,
    subject_of,
)
from fieldcraft_worlds.scene import Areas, Field
from fieldcraft_worlds.view.camera import Camera
from fieldcraft_worlds.view.tones import rgb_of_tone

RGBA = NDArray[np.uint8]

PAGE = (13, 14, 18)
_OUTLINED_FROM = 3.0  # pixels a cell; below, whole wall cells are lit, not their edges
_LIT = 0.6
_WALL_BIT = 9  # of the code of a cell


def scale_of(field: Field) -> ColorScale:
    """Return the color scale of a field."""
    table = None
    if isinstance(field.colors, tuple):
        negative, positive = field.colors
        table = between(rgb_of_tone(negative), rgb_of_tone(positive))
    elif field.colors is not None:
        table = tinted(rgb_of_tone(field.colors))
    values = np.asarray(getattr(field.values, "values", field.values))
    if values.ndim == 1:  # of a graph
        if values.size:
            values = values[np.newaxis]
        else:
            values = np.zeros((1, 1))
    return ColorScale.of(values, limits=field.limits, threshold=field.threshold, table=table)


class GridBackdrop:
    """Draws grids through a camera; parts that depend only on map and camera are cached."""

    def __init__(self) -> None:
        self._cached_for: tuple[Any, ...] = ()
        self._space: Grid | None = None

    def draw(
        self,
        canvas: RGBA,
        space: Grid,
        camera: Camera,
        field: Field | None,
        scale: ColorScale | None,
        areas: Sequence[Areas],
        brush: Brush,
    ) -> None:
        """Draw into `canvas`, uint8 of shape (H, W, 4); `scale` is that of the field."""
        self._update(canvas, space, camera)
        picture = canvas.view(np.uint32)[..., 0]
        picture.fill(_pixel(PAGE))
        if not len(self._rows) or not len(self._columns):
            return
        if field is not None and scale is not None:
            subject, _ = subject_of(field.values, space, finite=False)
            if subject.space is space or subject.values.shape == tuple(space.shape):
                values = subject.values
            else:
                values = subject.on(space)
            strip = values[self._rows, self._columns.min() : self._columns.max() + 1]
            shown = plain_values(
                strip.take(self._columns - self._columns.min(), axis=1), "values in view"
            )
            index = scale.index(shown)
            painted = np.zeros(index.shape, dtype=np.bool_)
            if field.rgb is not None:
                painted = (index != HIDDEN) & ((self._codes >> _WALL_BIT) & 1 == 0)
                index = np.full_like(index, HIDDEN)
            codes = self._codes + index
            opacity = checks.fraction("opacity", field.opacity)
        else:
            codes = self._codes + np.uint16(HIDDEN)
            scale = ColorScale(0, 1)
            opacity = 0.0
        tiles = self._table(scale, opacity).take(codes)
        if field is not None and field.rgb is not None:
            colors = tiles.view(np.uint8).reshape(*tiles.shape, 4)
            given = field.rgb[self._rows][:, self._columns][painted]
            ground = colors[painted, :3]
            colors[painted, :3] = np.rint(ground * (1 - opacity) + given * opacity)
        if areas:
            self._blend_area(tiles.view(np.uint8).reshape(*tiles.shape, 4), areas, space, brush)
        rows = slice(self._top, self._top + len(self._down))
        columns = slice(self._left, self._left + len(self._across))
        picture[rows, columns] = tiles.take(self._across, axis=1).take(self._down, axis=0)
        if len(self._edge_pixels):
            picture.reshape(-1)[self._edge_pixels] = _pixel(RIM)

    def _update(self, canvas: RGBA, space: Grid, camera: Camera) -> None:
        """Update the cells in view and their ground, if map or camera changed."""
        version = getattr(space, "walls_version", None)
        key = (canvas.shape, camera.position, camera.zoom, camera.y_up, version)
        if space is self._space and key == self._cached_for and version is not None:
            return
        if camera.y_up != space.y_up:
            raise InvalidValue(
                "Camera and map have the same y_up",
                got=f"y_up={camera.y_up} for a map with {space.y_up}",
                remedy=f"Pass y_up={space.y_up}",
            )
        high, wide = canvas.shape[:2]
        across = camera.to_world(
            np.stack([np.arange(wide + 1.0), np.zeros(wide + 1)], axis=1), (wide, high)
        )[:, 0]
        down = camera.to_world(
            np.stack([np.zeros(high + 1), np.arange(high + 1.0)], axis=1), (wide, high)
        )[:, 1]
        size = space.cell_size
        across = (across - space.origin[0]) / size
        down = (down - space.origin[1]) / size
        if space.y_up:
            down = space.height - down
        self._left, self._columns, self._across = _cells_in_view(across, space.width)
        self._top, self._rows, self._down = _cells_in_view(down, space.height)
        self._edge_pixels = np.zeros(0, dtype=np.int64)
        if len(self._rows) and len(self._columns):
            kinds, colors = ground_kinds(space)
            picked = kinds[self._rows][:, self._columns]
            walls = np.asarray(space.walls)
            walled = walls[self._rows][:, self._columns]
            pixels_per_cell = camera.zoom * size
            lit = np.zeros(walled.shape, dtype=np.bool_)
            if pixels_per_cell >= _OUTLINED_FROM:
                self._edge_pixels = self._outline(walled, wide, pixels_per_cell)
            elif pixels_per_cell >= 1:
                lit = beside(walled, ~walled)
            else:
                share = _shares(walls, self._rows, self._columns)
                walled = share > 0.5
                lit = ((share > 0) & ~walled) | beside(walled, share == 0)
                picked = np.where(
                    walled & (picked < len(colors)),
                    np.where(walls[self._rows][:, self._columns], picked, len(colors) - 1),
                    picked,
                )
            self._colors = colors
            self._codes = (((picked * 2 + walled) * 2 + lit) * 256).astype(np.uint32)
        self._space = space
        self._cached_for = key

    def _outline(
        self, walled: NDArray[np.bool_], wide: int, pixels_per_cell: float
    ) -> NDArray[np.int64]:
        """Return the pixels of lines along inner edges of walls, as places in the flat canvas."""
        thick = min(max(1, round(pixels_per_cell / 4)), 3)
        across = self._across
        down = self._down
        part = {axis: _edges(index, thick) for axis, index in ((1, across), (0, down))}
        outline = np.zeros((len(down), len(across)), dtype=np.bool_)
        padded = np.pad(~walled, 1)
        height, width = walled.shape
        for y in (-1, 0, 1):
            for x in (-1, 0, 1):
                if x or y:
                    edge = walled & padded[1 + y : 1 + y + height, 1 + x : 1 + x + width]
                    if edge.any():
                        outline |= (
                            edge.take(across, axis=1).take(down, axis=0)
                            & part[1][x]
                            & part[0][y][:, np.newaxis]
                        )
        rows, columns = np.nonzero(outline)
        return (rows + self._top) * wide + columns + self._left

    def _table(self, scale: ColorScale, opacity: float) -> NDArray[np.uint32]:
        """Return the colors of all values for each kind of ground, wall or not, lit or not, as
        32-bit pixels.
        """
        cover = np.zeros(HIDDEN + 1)
        cover[: len(scale.table)] = opacity
        rgb = np.zeros((HIDDEN + 1, 3))
        rgb[: len(scale.table)] = scale.table
        table = np.full((len(self._colors), 2, 2, HIDDEN + 1, 4), 255, dtype=np.uint8)
        for wall in (0, 1):
            share = (cover * (ON_WALL if wall else 1.0))[:, np.newaxis]
            mixed = self._colors[:, np.newaxis] * (1 - share) + rgb * share
            table[:, wall, 0, :, :3] = np.rint(mixed)
            table[:, wall, 1, :, :3] = np.rint(mixed * (1 - _LIT) + np.array(RIM) * _LIT)
        return table.reshape(-1, 4).view(np.uint32)[:, 0]

    def _blend_area(self, tiles: RGBA, areas: Sequence[Areas], space: Grid, brush: Brush) -> None:
        """Blend the colors of areas into the tiles of cells."""
        for area in areas:
            cells = np.asarray(area.cells)
            if cells.shape != tuple(space.shape) or cells.dtype.kind not in "biu":
                raise InvalidValue(
                    "Areas are bools or whole numbers in the map's shape (height, width)",
                    got=(
                        f"shape {cells.shape}, dtype {cells.dtype} on a map of {tuple(space.shape)}"
                    ),
                    remedy="Pass a mask indexed [row, column]",
                )
            picked = cells[self._rows][:, self._columns]
            if cells.dtype.kind == "b":
                picked = picked.astype(np.int8) - 1
            elif picked.size and (picked.min() < -1 or picked.max() >= len(area.colors)):
                raise InvalidValue(
                    f"Areas pick one of {len(area.colors)} colors, or -1",
                    got=f"{picked.min()} to {picked.max()}",
                    remedy="Pass a color for each number",
                )
            opacity = checks.fraction("opacity", area.opacity)
            for number, color in enumerate(area.colors):
                mask = empty_mask(*picked.shape)
                np.multiply(picked == number, np.uint8(255), out=mask[:, : picked.shape[1]])
                brush.wash(tiles, mask, rgb_of_tone(color), opacity)


def _pixel(rgb: tuple[int, int, int]) -> int:
    """Return an opaque color as the 32-bit number of its four bytes."""
    return int(np.array([*rgb, 255], dtype=np.uint8).view(np.uint32)[0])


def _cells_in_view(
    edges: NDArray[np.float64], count: int
) -> tuple[int, NDArray[np.int64], NDArray[np.int64]]:
    """Return along one axis, from the edges of pixels in cells, the first pixel on the map, the
    cells in view, and the index of the cell of each pixel.
    """
    cells = np.floor((edges[1:] + edges[:-1]) / 2).astype(np.int64)
    shown = np.flatnonzero((cells >= 0) & (cells < count))
    if not len(shown):
        # A map thinner than a pixel is drawn in the pixel of its middle.
        low = np.minimum(edges[1:], edges[:-1])
        high = np.maximum(edges[1:], edges[:-1])
        shown = np.flatnonzero((low <= count / 2) & (count / 2 < high))
        if len(shown):
            return (int(shown[0]), np.array([count // 2]), np.zeros(1, dtype=np.int64))
        return (0, shown, shown)
    cells = cells[shown]
    starts = np.ones(len(cells), dtype=np.bool_)
    starts[1:] = cells[1:] != cells[:-1]
    return int(shown[0]), cells[starts], np.cumsum(starts) - 1


def _edges(index: NDArray[np.int64], thick: int) -> dict[int, NDArray[np.bool_]]:
    """Return which pixels along one axis are at the start (-1) of their cell, at its end (1), or
    anywhere in it (0).
    """
    new = np.flatnonzero(np.diff(index, prepend=-1))
    ends = np.append(new[1:], len(index))
    place = np.arange(len(index))
    return {
        -1: place - new[index] < thick,
        0: np.ones(len(index), dtype=np.bool_),
        1: ends[index] - place <= thick,
    }


def _shares(
    walls: NDArray[np.bool_], rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the share of walls around some cells, for maps with less than a pixel a cell."""
    flip = len(rows) > 1 and rows[0] > rows[-1]
    down = _borders(rows[::-1] if flip else rows, walls.shape[0])
    across = _borders(columns, walls.shape[1])
    part = walls[down[0] : down[-1], across[0] : across[-1]].astype(np.float64)
    sums = np.add.reduceat(
        np.add.reduceat(part, down[:-1] - down[0], axis=0), across[:-1] - across[0], axis=1
    )
    sums /= np.outer(np.diff(down), np.diff(across))
    return np.asarray(sums[::-1] if flip else sums)


def _borders(picked: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Return the borders between the surroundings of cells, half-way to the next."""
    half = (int(picked[1] - picked[0]) if len(picked) > 1 else count) // 2
    between = (picked[:-1] + picked[1:] + 1) // 2
    return np.concatenate(
        [[max(int(picked[0]) - half, 0)], between, [min(int(picked[-1]) + half + 1, count)]]
    )
