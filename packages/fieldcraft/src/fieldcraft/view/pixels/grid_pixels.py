"""Pictures of grids: the ground, the values over it, and lines along the edges of walls."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.space import Grid
from fieldcraft.space.cached import cached_until_walls_change
from fieldcraft.view.pixels.color_scale import HIDDEN, ColorScale
from fieldcraft.view.pixels.pixel_plan import MOST_PIXELS, ON_WALL, RGBA, Floats, Plan
from fieldcraft.view.pixels.themes import DARK, LIGHT, RGB, Ground, Theme, theme_of

_TINTS = {
    "ground": (0, 0, 0),
    "swamp": (15, 17, -5),
    "shallow": (0, 15, 21),
    "water": (-10, 5, 19),
    "tree": (-10, 7, -8),
    "forest": (-10, 7, -8),
    "sand": (30, 21, 1),
    "road": (22, 21, 19),
    "grass": (2, 13, -5),
    "mountain": (14, 9, 3),
    "rock": (14, 9, 3),
    "snow": (40, 41, 41),
    "ice": (28, 37, 39),
}
"""The differences of kinds of terrain from the color of the ground, by a word in their names."""


class GridPlan(Plan):
    """A grid on whole pixels: `scale` pixels per cell, or `shrink` cells per pixel; the other is
    1. `rows` and `columns` are the slices that are shown.
    """

    def __init__(self, space: Grid, scale: float | None, size: int, crop: bool) -> None:
        self.space = space
        self.rows = slice(0, space.height)
        self.columns = slice(0, space.width)
        if crop:
            self.rows = _open_part(space.walls, 1)
            self.columns = _open_part(space.walls, 0)
        height = self.rows.stop - self.rows.start
        width = self.columns.stop - self.columns.start
        longest = max(width, height)
        if scale is None:
            self.scale = max(1, size // longest)
            self.shrink = max(1, -(-longest // size))
        else:
            self.scale, self.shrink = _integer_pixels(scale, space.cell_size, longest)
        self.shape = self._bounded(
            -(-height // self.shrink) * self.scale, -(-width // self.shrink) * self.scale
        )
        self.pixels_per_cell = self.scale / self.shrink

    def pixels(self, places: Floats) -> Floats:
        """Return the pixels (x, y) of world positions (N, 2)."""
        found = places.copy()
        x, y = found.T  # one axis at a time, since NumPy is slow on pairs
        x -= self.space.origin[0]
        y -= self.space.origin[1]
        found /= self.space.cell_size
        if self.space.y_up:
            np.subtract(self.space.height, y, out=y)
        x -= self.columns.start
        y -= self.rows.start
        found *= self.pixels_per_cell
        return found

    def places(self, pixels: Floats) -> Floats:
        """Return the world positions (N, 2) of pixels."""
        cells = pixels / self.pixels_per_cell + (self.columns.start, self.rows.start)
        if self.space.y_up:
            cells[:, 1] = self.space.height - cells[:, 1]
        return np.asarray(cells * self.space.cell_size + self.space.origin)

    def strongest(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the value of largest magnitude of each pixel, the positive one on a tie."""
        shown = values[self.rows, self.columns]
        if self.shrink == 1:
            return shown
        parts = self._blocks(shown)
        high = parts.max(axis=(1, 3))
        low = parts.min(axis=(1, 3))
        return np.asarray(np.where(high >= -low, high, low))

    def middle(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the value of the cell in the middle of each pixel."""
        half = self.shrink // 2
        return self._blocks(values[self.rows, self.columns])[:, half, :, half]

    def _blocks(self, cells: NDArray[Any]) -> NDArray[Any]:
        """Return cells as blocks, shape (rows, shrink, columns, shrink, ...); the last ones repeat
        the edge of the map.
        """
        height, width = cells.shape[:2]
        shrink = self.shrink
        pad = [(0, -height % shrink), (0, -width % shrink)] + [(0, 0)] * (cells.ndim - 2)
        if shrink > 1:
            full = np.pad(cells, pad, mode="edge")
        else:
            full = cells
        down = full.shape[0] // shrink
        across = full.shape[1] // shrink
        return full.reshape(down, shrink, across, shrink, *cells.shape[2:])

    def compose(
        self, rgb: NDArray[np.uint8], drawn: NDArray[np.bool_], ground: Ground, opacity: float
    ) -> RGBA:
        """Return the picture: ground, values, and lines along the edges of walls."""
        walls = self.space.walls[self.rows, self.columns]
        wall_share = self._blocks(walls).mean(axis=(1, 3), dtype=np.float32)
        cover = checks.fraction("opacity", opacity) * drawn * (1 - (1 - ON_WALL) * wall_share)
        cover = cover[..., np.newaxis]
        if ground is None:
            cells = np.concatenate([rgb, np.rint(cover * 255)], axis=-1)
            return self._enlarged(cells.astype(np.uint8))
        theme = theme_of(ground)
        kinds, tones = ground_kinds(self.space, theme)
        under = tones[kinds]
        below = self._blocks(under[self.rows, self.columns]).mean(axis=(1, 3), dtype=np.float32)
        cells = np.rint(below * (1 - cover) + rgb * cover)
        edge = theme.wall_edge
        if self.shrink > 1:
            edge_share = np.where(
                wall_share < 1,
                np.minimum(1, 2 * wall_share),
                beside(wall_share == 1, wall_share == 0),
            )[..., np.newaxis]
            cells = np.rint(cells * (1 - edge_share) + np.array(edge) * edge_share)
        opaque = np.full((*cells.shape[:2], 1), 255)
        picture = self._enlarged(np.concatenate([cells, opaque], axis=-1).astype(np.uint8))
        if self.shrink == 1:
            picture.reshape(-1, 4)[self._wall_lines(), :3] = edge
        return picture

    def scaled(
        self,
        values: NDArray[np.float32],
        colors: ColorScale,
        unknown: NDArray[np.bool_] | None,
        never: NDArray[np.bool_] | None,
        ground: Ground,
        opacity: float,
    ) -> RGBA:
        """Return the picture of the values of all cells. Where no pixel shows several cells, each
        pair of ground and value is mixed once.
        """
        if self.shrink > 1 or never is not None:
            return super().scaled(values, colors, unknown, never, ground, opacity)
        index = colors.index(values[self.rows, self.columns])
        if unknown is not None:
            index[self.middle(unknown)] = HIDDEN
        theme = theme_of(ground)
        terrain = self.space.terrain
        kinds, tones = ground_kinds(self.space, theme)
        if terrain is None:
            is_open = np.array([True])
        else:
            is_open = terrain.enter.diagonal()
        walled = np.append(~is_open, True)
        count = len(colors.table)
        rgb = np.empty((HIDDEN + 1, 3), dtype=np.uint8)
        rgb[:count] = colors.table
        # The color under alpha 0 shows where a texture is filtered.
        rgb[count:] = colors.rgb(np.zeros(1, dtype=np.float32))
        share = checks.fraction("opacity", opacity) * np.where(walled, np.float32(ON_WALL), 1)
        cover = (share[:, np.newaxis] * (np.arange(HIDDEN + 1) < count))[..., np.newaxis]
        table = np.full((len(tones), HIDDEN + 1, 4), 255, dtype=np.uint8)
        if ground is None:
            table[..., :3] = rgb
            table[..., 3:] = np.rint(cover * 255)
        else:
            table[..., :3] = np.rint(tones[:, np.newaxis] * (1 - cover) + rgb * cover)
        mixed = table.view(np.uint32)[..., 0].reshape(-1)
        index = np.ascontiguousarray(index)
        shown = np.ascontiguousarray(kinds[self.rows, self.columns])
        if ground is None:
            lines = np.empty(0, dtype=np.int64)
        else:
            lines = self._wall_lines()
        edge = np.array([*theme.wall_edge, 255], dtype=np.uint8).view(np.uint32)[0]
        picture = np.empty((*self.shape, 4), dtype=np.uint8)
        pixels = picture.view(np.uint32)[..., 0]
        kernels.pictures.frame_pixels.enlarge(shown, index, mixed, lines, self.scale, edge, pixels)
        return picture

    def _enlarged(self, cells: NDArray[Any]) -> NDArray[Any]:
        """Return cells as squares of pixels."""
        return np.repeat(np.repeat(cells, self.scale, axis=1), self.scale, axis=0)

    def _wall_lines(self) -> NDArray[np.int64]:
        """Return the pixels of lines along the edges of walls, inside of the wall; cached until
        walls change.
        """
        space = self.space
        key = (self.rows.start, self.columns.start, self.shape, self.scale)
        last = _outlines(space)
        if key in last:
            return last[key]
        walls = np.asarray(space.walls[self.rows, self.columns])
        thick = min(max(1, round(self.scale / 4)), 3)
        marked = np.zeros(self.shape, dtype=np.bool_)
        height, width = walls.shape
        scale = self.scale
        cells = marked.reshape(height, scale, width, scale).transpose(0, 2, 1, 3)
        part = {-1: slice(0, thick), 0: slice(None), 1: slice(max(scale - thick, 0), None)}
        for across in (-1, 0, 1):
            for down in (-1, 0, 1):
                if across or down:
                    cells[walls & _shifted(~walls, across, down), part[down], part[across]] = True
        found = np.flatnonzero(marked)
        last.clear()
        last[key] = found
        return found


@cached_until_walls_change
def _outlines(space: Grid) -> dict[tuple[Any, ...], NDArray[np.int64]]:
    """Return the outlines of the last picture of a grid, by the part and the size that it shows."""
    return {}


def _integer_pixels(scale: float, cell_size: float, longest: int) -> tuple[int, int]:
    """Return pixels per cell and cells per pixel for `scale` pixels per world unit, on a map of so
    many cells along the longer side. A pixel holds the whole map at most.
    """
    wanted = min(max(scale * cell_size, 1 / longest), MOST_PIXELS + 1)
    pixels = max(round(wanted), 1)
    cells = max(round(1 / wanted), 1)
    if abs(pixels / cells / wanted - 1) > 1e-6:
        nearest = pixels / cells / cell_size
        raise InvalidValue(
            "On a grid scale, in pixels per world unit, gives a cell a whole number of pixels, or"
            " a pixel a whole number of cells",
            got=f"scale={scale:g}: {wanted:g} pixels per cell of {cell_size:g}",
            remedy=f"Pass scale={nearest:g}, or size in its place",
        )
    return pixels, cells


def _open_part(walls: NDArray[np.bool_], across: int) -> slice:
    """Return the lines of cells, `across` being the axis along them, from one before the first open
    cell to one after the last.
    """
    count = walls.shape[1 - across]
    found = np.flatnonzero(~walls.all(axis=across))
    if not len(found):
        return slice(0, count)
    return slice(max(int(found[0]) - 1, 0), min(int(found[-1]) + 2, count))


def ground_kinds(space: Grid, theme: Theme = DARK) -> tuple[NDArray[np.uint16], NDArray[np.uint8]]:
    """Return the kind of ground of each cell, shape (height, width), and the colors of the kinds,
    shape (K, 3); the last kind is a plain wall.
    """
    walls = space.walls
    terrain = space.terrain
    if terrain is None:
        return walls.astype(np.uint16), np.array([theme.ground, theme.wall], dtype=np.uint8)
    is_open = terrain.enter.diagonal()
    colors = [
        _color_of_kind(name, theme.ground if open_ else theme.wall, theme)
        for name, open_ in zip(terrain.names, is_open, strict=True)
    ]
    kinds = terrain.classes.astype(np.uint16)
    kinds[walls & is_open[terrain.classes]] = len(colors)
    return kinds, np.array([*colors, theme.wall], dtype=np.uint8)


def _color_of_kind(name: str, usual: RGB, theme: Theme) -> RGB:
    """Return the color of a class of terrain, by a word in its name."""
    for word, tint in _TINTS.items():
        if word in name.lower():
            parts = np.array(tint)
            if theme is LIGHT:  # its ground is nearly white: tints darken it
                parts = 2 * (parts - parts.max())
            red, green, blue = (theme.ground + parts).tolist()
            return red, green, blue
    return usual


def beside(cells: NDArray[np.bool_], others: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which of `cells` touch one of `others`, corners included: bool of one shape (height,
    width).
    """
    steps = (-1, 0, 1)
    near = [_shifted(others, across, down) for across in steps for down in steps]
    return np.asarray(cells & np.logical_or.reduce(near))


def _shifted(cells: NDArray[np.bool_], across: int, down: int) -> NDArray[np.bool_]:
    """Return for each cell whether the one `across` to the right and `down` below it is set;
    nothing is set outside of the map.
    """
    padded = np.pad(cells, 1)
    height, width = cells.shape
    return padded[1 + down : 1 + down + height, 1 + across : 1 + across + width]
