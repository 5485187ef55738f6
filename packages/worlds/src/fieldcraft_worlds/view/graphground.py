"""The lowest layers of a scene on a graph: polygons, or vertices and edges, colored by their
values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.view import ColorScale
from fieldcraft.view.picture_parts import GROUND, HIDDEN, ON_WALL, WALL, Brush, plain_values
from fieldcraft_worlds.scene import Areas, Field
from fieldcraft_worlds.view.backdrop import PAGE
from fieldcraft_worlds.view.camera import Camera
from fieldcraft_worlds.view.extent import step_of
from fieldcraft_worlds.view.tones import rgb_of_tone

RGBA = NDArray[np.uint8]

_EDGE = (58, 63, 76)
_VERTEX = (78, 84, 100)
_OUTLINED_FROM = 7.0  # pixels from polygon to polygon
_OUTLINE = 0.78
_RADII = (2.0, 12.0)


class GraphBackdrop:
    """Draws graphs through a camera; the vertex of each pixel is cached."""

    def __init__(self) -> None:
        self._cached_for: tuple[Any, ...] = ()
        self._space: Any = None

    def draw(
        self,
        canvas: RGBA,
        space: Any,
        camera: Camera,
        field: Field | None,
        scale: ColorScale | None,
        areas: Sequence[Areas],
        brush: Brush,
    ) -> None:
        """Draw into `canvas`, uint8 of shape (H, W, 4); `scale` is that of the field."""
        self._update(canvas, space, camera, brush)
        canvas[:] = self._behind
        colors = self._colors(space, field, scale)
        for area in areas:
            _blend_area(colors, area)
        table = np.full((2, len(colors), 4), 255, dtype=np.uint8)
        table[0, :, :3] = np.rint(colors)
        table[1, :, :3] = np.rint(colors * _OUTLINE)
        canvas.view(np.uint32).reshape(-1)[self._pixels] = (
            table.reshape(-1, 4).view(np.uint32)[:, 0].take(self._owners)
        )

    def _update(self, canvas: RGBA, space: Any, camera: Camera, brush: Brush) -> None:
        """Update the vertex of each pixel, if map or camera changed."""
        key = (canvas.shape, camera.position, camera.zoom, camera.y_up)
        if space is self._space and key == self._cached_for:
            return
        high, wide = canvas.shape[:2]
        canvas[:] = (*PAGE, 255)
        if space.mesh is None:
            pixels = camera.to_screen(space.positions[:, :2], (wide, high)).reshape(-1, 2)
            ends = pixels[space.edges]
            brush.segments(canvas, ends[:, 0], ends[:, 1], 1.3, _EDGE, 1.0)
            owners = brush.nearest(
                pixels, float(np.clip(0.4 * step_of(space) * camera.zoom, *_RADII))
            )
        else:
            mesh = space.mesh
            pixels = camera.to_screen(mesh.corners[:, :2], (wide, high)).reshape(-1, 2)
            if space.dimensions == 3:
                heights = space.positions[:, 2]
            else:
                heights = np.zeros(len(space))
            owners = brush.polygons(
                pixels, mesh.starts, mesh.rings, np.argsort(heights, kind="stable")
            )
        flat = owners.reshape(-1)
        self._pixels = np.flatnonzero(flat >= 0)
        self._owners = flat[self._pixels].astype(np.int64)
        if space.mesh is not None and step_of(space) * camera.zoom >= _OUTLINED_FROM:
            border = np.zeros(owners.shape, dtype=np.bool_)
            border[:, :-1] |= owners[:, 1:] != owners[:, :-1]
            border[:-1] |= owners[1:] != owners[:-1]
            self._owners += border.reshape(-1)[self._pixels] * len(space)
        self._behind = canvas.copy()
        self._space = space
        self._cached_for = key

    def _colors(
        self, space: Any, field: Field | None, scale: ColorScale | None
    ) -> NDArray[np.float64]:
        """Return the color of each vertex, (N, 3)."""
        colors = np.empty((len(space), 3))
        colors[:] = _VERTEX if space.mesh is None else GROUND
        colors[space.walls] = WALL
        if field is not None and scale is not None:
            given = np.asarray(getattr(field.values, "values", field.values))
            if given.shape != tuple(space.shape):
                raise InvalidValue(
                    "values are one number per vertex",
                    got=f"shape {given.shape} for {len(space)} vertices",
                    remedy="Pass an array of shape (N,)",
                )
            if not len(given):
                return colors
            values = plain_values(given[np.newaxis])[0]
            drawn = scale.index(values) != HIDDEN
            share = (
                checks.fraction("opacity", field.opacity)
                * drawn
                * np.where(space.walls, ON_WALL, 1.0)
            )
            colors += (scale.rgb(values) - colors) * share[:, np.newaxis]
        return colors


def _blend_area(colors: NDArray[np.float64], area: Areas) -> None:
    cells = np.asarray(area.cells)
    if cells.shape != (len(colors),) or cells.dtype.kind not in "biu":
        raise InvalidValue(
            "Areas are bools or whole numbers, one per vertex",
            got=f"shape {cells.shape}, dtype {cells.dtype} for {len(colors)} vertices",
            remedy="Pass a mask of shape (N,)",
        )
    opacity = checks.fraction("opacity", area.opacity)
    if cells.dtype.kind == "b":
        numbers = cells.astype(np.int64) - 1
    else:
        numbers = cells
    for number, color in enumerate(area.colors):
        chosen = numbers == number
        colors[chosen] += (np.array(rgb_of_tone(color)) - colors[chosen]) * opacity
