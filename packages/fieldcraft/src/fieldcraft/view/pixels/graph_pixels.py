"""Pictures of graphs, navigation meshes and hexagons, seen from above."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.space import HexGrid, Space
from fieldcraft.space.cached import cached
from fieldcraft.space.kinds import graph_of
from fieldcraft.view.drawing.brush import Brush
from fieldcraft.view.pixels.pixel_plan import MOST_PIXELS, RGBA, Floats, Plan
from fieldcraft.view.pixels.themes import Ground, Theme, theme_of

Polygons = tuple[Floats, NDArray[np.int64]]
"""Corners (x, y) of all polygons, and where those of each begin."""

_FINER = 2  # pixels are drawn so many times finer, and averaged
_MARGIN = 12
_LONGEST = 2**13
_CACHED = 4


@cached
def _owners(space: Space) -> dict[tuple[Any, ...], NDArray[np.int32]]:
    """Return the cached cells of the last pictures of a space, by their placement."""
    return {}


class AbovePlan(Plan):
    """A space seen from above: higher parts cover lower ones."""

    def __init__(
        self, space: Space, scale: float | None, size: int, heights: tuple[float, float] | None
    ) -> None:
        self.space = space
        if len(space):
            low, high = space.extent[:, :2]
        else:
            low, high = np.zeros((2, 2))
        self._low = low
        extent = high - low
        longest = float(extent.max())
        if scale is not None:
            self._margin = _MARGIN
        else:
            self._margin = min(_MARGIN, size // 2)
            if longest > 0:
                scale = max(size - 2 * _MARGIN, 1) / longest
            else:
                scale = 1.0
        self.scale = scale
        # As floats of Python, whose products are infinite without a warning.
        width, height = (min(side * scale, MOST_PIXELS) for side in extent.tolist())
        across = max(math.ceil(width) + 2 * self._margin, 1)
        down = max(math.ceil(height) + 2 * self._margin, 1)
        if max(across, down) > _LONGEST:
            raise InvalidValue(
                f"A picture has at most {_LONGEST:,} pixels along a side",
                got=f"{across} x {down}",
                remedy="Pass a smaller scale or size",
            )
        self.shape = self._bounded(down, across)
        self.pixels_per_cell = scale * _step_of(space)
        self.heights = heights
        if heights is not None:
            below, above = checks.pair("heights", heights)
            if space.dimensions != 3 or not below < above:
                raise InvalidValue(
                    "heights are (from, to) on a 3D graph",
                    got=f"{heights!r} on {space!r}",
                    remedy="Leave them out",
                )
        chosen = self.shows(space.positions)
        if chosen is None:
            chosen = np.ones(len(space), dtype=np.bool_)
        self._chosen = chosen

    def shows(self, positions: Floats) -> NDArray[np.bool_] | None:
        """Return which positions (N, D) are within the visible heights, None for all."""
        if self.heights is None or np.shape(positions)[-1] != 3:
            return super().shows(positions)
        z = positions[:, 2]
        return np.asarray((z >= self.heights[0]) & (z < self.heights[1]))

    def pixels(self, places: Floats) -> Floats:
        """Return the pixels (x, y) of world positions (N, 2)."""
        found = (places - self._low) * self.scale + self._margin
        if self.space.y_up:
            found[:, 1] = self.shape[0] - found[:, 1]
        return np.asarray(found)

    def places(self, pixels: Floats) -> Floats:
        """Return the world positions (N, 2) of pixels."""
        found = np.array(pixels, dtype=np.float64)
        if self.space.y_up:
            found[:, 1] = self.shape[0] - found[:, 1]
        return np.asarray((found - self._margin) / self.scale + self._low)

    def strongest(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the values by cell, (N,)."""
        return values.reshape(-1)

    def middle(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the values by cell, (N,)."""
        return values.reshape(-1)

    def compose(
        self, rgb: NDArray[np.uint8], drawn: NDArray[np.bool_], ground: Ground, opacity: float
    ) -> RGBA:
        """Return the picture: ground and edges, and over them the colors (N, 3) of the cells that
        are drawn (N,).
        """
        theme = theme_of(ground)
        cover = (checks.fraction("opacity", opacity) * drawn)[:, np.newaxis]
        tints = np.full((len(self.space), 4), 255, dtype=np.uint8)
        picture = np.zeros((_FINER * self.shape[0], _FINER * self.shape[1], 4), dtype=np.uint8)
        if ground is None:
            tints[:, :3] = rgb
            tints[:, 3:] = np.rint(255 * cover)
        else:
            tints[:, :3] = np.rint(self._ground(theme) * (1 - cover) + rgb * cover)
            picture[:] = (*theme.ground, 255)
            if not self._chosen.all():
                picture[self._cells(~self._chosen) >= 0, :3] = theme.other_floors
            if _polygons(self.space) is None:
                edges = graph_of(self.space).edges
                ends = self._fine(self.space.positions)[edges[self._chosen[edges].all(axis=1)]]
                brush = Brush(*picture.shape[:2])
                width = 1.2 * _FINER
                brush.segments(picture, ends[:, 0], ends[:, 1], width, theme.graph_edge, 1.0)
        cells = self._cells(self._chosen)
        inside = cells >= 0
        picture[inside] = tints[cells[inside]]
        blocks = picture.reshape(self.shape[0], _FINER, self.shape[1], _FINER, 4)
        return np.asarray(np.rint(blocks.mean(axis=(1, 3)))).astype(np.uint8)

    def _fine(self, places: Floats) -> Floats:
        """Return the finer pixels of world positions."""
        return self.pixels(np.asarray(places, dtype=np.float64)[:, :2]) * _FINER

    def _ground(self, theme: Theme) -> NDArray[np.uint8]:
        """Return the color of each cell without a value, (N, 3): gray by height."""
        space = self.space
        share = np.full(len(space), 0.25)
        if space.dimensions == 3 and len(space):
            z = space.positions[:, 2]
            share = (z - z.min()) / max(float(np.ptp(z)), 1e-300)
        low = np.array(theme.low_ground)
        high = np.array(theme.high_ground)
        tints: RGBA = np.rint(low + share[:, np.newaxis] * (high - low)).astype(np.uint8)
        tints[space.walls.reshape(-1)] = theme.wall
        return tints

    def _cells(self, chosen: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Return the chosen cell (N,) that shows at each finer pixel, -1 for none; cached."""
        found = _owners(self.space)
        key = (self.shape, self.scale, chosen.tobytes())
        if key not in found:
            while len(found) >= _CACHED:
                del found[next(iter(found))]
            found[key] = self._find_cells(np.flatnonzero(chosen))
        return found[key]

    def _find_cells(self, chosen: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the cell that shows at each finer pixel, of some cells in ascending order."""
        brush = Brush(_FINER * self.shape[0], _FINER * self.shape[1])
        if self.space.dimensions == 3:
            chosen = chosen[np.argsort(self.space.positions[chosen, 2], kind="stable")]
        polygons = _polygons(self.space)
        if polygons is not None:
            corners, starts = polygons
            if isinstance(self.space, HexGrid) and self.space.size * self.scale > 4:
                # Ground shows between hexagons, so that one can count them.
                centers = np.repeat(self.space.positions, 6, axis=0)
                corners = centers + (corners - centers) * (1 - 0.4 / (self.space.size * self.scale))
            return brush.polygons(self._fine(corners), starts, np.arange(len(corners)), chosen)
        if not len(chosen):
            return np.full(brush.shape, -1, dtype=np.int32)
        pixels = self._fine(self.space.positions)
        edges = graph_of(self.space).edges
        lengths = np.hypot(*(pixels[edges[:, 0]] - pixels[edges[:, 1]]).T)
        if len(lengths):
            typical = float(np.median(lengths))
        else:
            typical = 16.0
        radius = min(max(0.3 * typical, 2.0 * _FINER), 7.0 * _FINER)
        found = brush.nearest(pixels[chosen[::-1]], radius)
        return np.where(found >= 0, chosen[::-1][found], -1).astype(np.int32)


def outlines(space: Space) -> tuple[Polygons | None, float]:
    """Return the polygons of all cells, None for vertices without polygons, and how far a cell
    reaches from its center.
    """
    if isinstance(space, HexGrid):
        first = 30 if space.orientation == "pointy" else 0
        turn = np.radians(first + 60 * np.arange(6))
        ring = space.size * np.stack([np.cos(turn), np.sin(turn)], axis=1)
        corners = (space.positions[:, np.newaxis] + ring).reshape(-1, 2)
        return (corners, np.arange(0, 6 * len(space) + 1, 6)), float(space.size)
    mesh = graph_of(space).mesh
    if mesh is None:
        return None, _step_of(space)
    corners = mesh.corners[mesh.rings, :2]
    centers = np.repeat(space.positions[:, :2], np.diff(mesh.starts), axis=0)
    reach = float(np.hypot(*(corners - centers).T).max(initial=0.0))
    return (corners, mesh.starts), reach


def _step_of(space: Space) -> float:
    """Return the typical step of a space; 1 for one without steps."""
    if len(space.adjacency.ends):
        return space.typical_step
    return 1.0


def _polygons(space: Space) -> Polygons | None:
    """Return the polygons of all cells; vertices in a lattice are squares that touch."""
    polygons, _ = outlines(space)
    if polygons is not None:
        return polygons
    graph = graph_of(space)
    steps = np.abs(graph.positions[graph.edges[:, 0]] - graph.positions[graph.edges[:, 1]])[:, :2]
    lengths = np.hypot(*steps.T)
    if len(lengths) < 2 or np.quantile(lengths, 0.95) >= 1.5 * np.quantile(lengths, 0.05):
        return None
    half = float(steps.max(axis=1).min()) / 2
    square = half * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    corners = (space.positions[:, np.newaxis, :2] + square).reshape(-1, 2)
    return corners, np.arange(0, 4 * len(space) + 1, 4)
