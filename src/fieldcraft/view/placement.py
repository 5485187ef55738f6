"""Where a map lands on the pixels of a picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.view.colors import numbers, plain_values

__all__ = ["GridLike", "Placement", "Subject", "subject_of"]

_MOST_PIXELS = 2**26


class GridLike(Protocol):
    """The facts that a picture needs to know of a map; `fieldcraft.Grid` offers them."""

    @property
    def width(self) -> int: ...  # noqa: D102
    @property
    def height(self) -> int: ...  # noqa: D102
    @property
    def cell_size(self) -> float: ...  # noqa: D102
    @property
    def origin(self) -> tuple[float, float]: ...  # noqa: D102
    @property
    def y_up(self) -> bool: ...  # noqa: D102
    @property
    def shape(self) -> tuple[int, int]: ...  # noqa: D102
    @property
    def walls(self) -> NDArray[np.bool_]: ...  # noqa: D102


@dataclass(frozen=True)
class _Plain:
    """The map of an array that came without one: unit cells, no walls, y downwards."""

    width: int
    height: int
    cell_size: float = 1.0
    origin: tuple[float, float] = (0.0, 0.0)
    y_up: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        return (self.height, self.width)

    @property
    def walls(self) -> NDArray[np.bool_]:
        return np.zeros(self.shape, dtype=np.bool_)


@dataclass(frozen=True)
class Subject:
    """The subject of a picture: finite float32 values on their own grid, the sources behind them, and a name."""

    values: NDArray[np.float32]
    space: GridLike
    sources: Any
    name: str

    def on(self, base: GridLike) -> NDArray[np.float32]:
        """The values at the centres of the cells of `base`, shape (base.height, base.width)."""
        own = self.space
        if own is base:
            return self.values
        if own.y_up != base.y_up:
            raise InvalidValue(
                "A layer and the map that it is drawn on agree on y_up", got=f"{own.y_up} on {base.y_up}", remedy="Draw it on its own map"
            )
        columns, rows = (
            np.floor((base.origin[axis] + (np.arange(count) + 0.5) * base.cell_size - own.origin[axis]) / own.cell_size).astype(np.int64)
            for axis, count in enumerate((base.width, base.height))
        )
        if min(columns[0], rows[0]) < 0 or columns[-1] >= own.width or rows[-1] >= own.height:
            raise InvalidValue(
                "A layer covers the whole map that it is drawn on",
                got=f"{own.width} x {own.height} cells of {own.cell_size:g} from {own.origin} on {base!r}",
                remedy="Pass the map that the layer belongs to as space=",
            )
        if base.y_up:
            rows = (own.height - 1 - rows)[::-1]
        picked: NDArray[np.float32] = self.values[rows[:, np.newaxis], columns]
        return picked


class Placement:
    """Where a map lands on the pixels of `frame(...)`: use it to draw your own things on top.

    Parameters
    ----------
    space: a grid, `fieldcraft.Grid` or alike.
    scale: whole pixels per cell; if absent, as many as keep the longer side within `size`; a map with more cells than
        that is shrunk by the smallest whole number that makes it fit.
    size: pixels, at least 1; used where `scale` is absent.
    crop: whether to leave out the rows and columns along the rim that hold nothing but walls, save one.

    `pixels_per_cell` is `scale`, or 1 / `shrink` for a shrunk map; `shape` is (H, W) in pixels. `rows` and `columns` are
    the slices of an array of shape (height, width) that are shown.

    """

    def __init__(self, space: GridLike, *, scale: int | None = None, size: int = 1024, crop: bool = False) -> None:
        self.space = grid_of(space)
        self.rows, self.columns = slice(0, space.height), slice(0, space.width)
        if crop:
            blocked = space.walls
            self.rows, self.columns = _open_part(blocked, 1), _open_part(blocked, 0)
        height, width = self.rows.stop - self.rows.start, self.columns.stop - self.columns.start
        longest = max(width, height)
        side = checks.whole("size", size, minimum=1)
        self.scale = checks.whole("scale", scale, minimum=1) if scale is not None else max(1, side // longest)
        self.shrink = 1 if scale is not None else max(1, -(-longest // side))
        self.shape = (-(-height // self.shrink) * self.scale, -(-width // self.shrink) * self.scale)
        if self.shape[0] * self.shape[1] > _MOST_PIXELS:
            raise InvalidValue(
                f"A picture has at most {_MOST_PIXELS:,} pixels",
                got=f"{self.shape[1]} x {self.shape[0]}",
                remedy="Pass a smaller scale, or size=1024 in its place",
            )

    @property
    def pixels_per_cell(self) -> float:
        """Pixels per cell along both axes."""
        return self.scale / self.shrink

    def pixel_of(self, positions: ArrayLike) -> NDArray[np.float64]:
        """The pixels (x, y), counted from the top left corner, of world positions: (2,) for one, (N, 2) for many."""
        points, single = checks.positions(positions)
        cells = (points - self.space.origin) / self.space.cell_size
        if self.space.y_up:
            cells[:, 1] = self.space.height - cells[:, 1]
        pixels = (cells - (self.columns.start, self.rows.start)) * self.pixels_per_cell
        return pixels[0] if single else pixels

    def position_of(self, pixels: ArrayLike) -> NDArray[np.float64]:
        """The world positions of pixels (x, y): (2,) for one, (N, 2) for many; `pixel_of` backwards."""
        points, single = checks.positions(pixels)
        cells = points / self.pixels_per_cell + (self.columns.start, self.rows.start)
        if self.space.y_up:
            cells[:, 1] = self.space.height - cells[:, 1]
        positions = cells * self.space.cell_size + self.space.origin
        return positions[0] if single else positions


def grid_of(space: GridLike) -> GridLike:
    """`space` itself if it is a grid, or `InvalidValue`."""
    needed = ("width", "height", "cell_size", "origin", "y_up", "shape", "walls")
    if not all(hasattr(space, name) for name in needed):
        raise InvalidValue(
            "A picture needs a grid", got=type(space).__name__, remedy="Pass a fieldcraft.Grid as space=, or draw a graph with frame_graph"
        )
    return space


def _open_part(walls: NDArray[np.bool_], across: int) -> slice:
    """The lines of cells, `across` being the axis along them, from one before the first open cell to one after the last."""
    count = walls.shape[1 - across]
    found = np.flatnonzero(~walls.all(axis=across))
    return slice(max(int(found[0]) - 1, 0), min(int(found[-1]) + 2, count)) if len(found) else slice(0, count)


def subject_of(layer: Any, space: GridLike | None, *, finite: bool = True) -> tuple[Subject, GridLike]:
    """The subject of a picture and the map to draw it on, from a layer or an array, and the caller's `space`.

    With `finite=False` nobody has looked at the values yet, nor turned them into float32.
    """
    if hasattr(layer, "values") and hasattr(layer, "space"):
        own, sources, name = grid_of(layer.space), getattr(layer, "sources", None), str(getattr(layer, "name", ""))
        values = numbers(layer.values)
    else:
        values = numbers(layer)
        own = grid_of(space) if space is not None else _Plain(values.shape[1], values.shape[0])
        sources, name = None, ""
    shape = tuple(own.shape)
    if values.shape != shape:
        hint = " (these look like [x, y]: transpose them)" if values.shape == shape[::-1] else ""
        raise InvalidValue(
            "values have the map's shape (height, width)",
            got=f"shape {values.shape} on a map of {shape}{hint}",
            remedy="Pass an array indexed [row, column]",
        )
    if finite:
        values = plain_values(values)
    return Subject(values, own, sources, name), space if space is not None else own
