"""Where a map lands on the pixels of a picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.space import Space, picked
from fieldcraft.view import canvas, from_above
from fieldcraft.view.colors import HIDDEN, Color, ColorScale, numbers, plain_values

__all__ = [
    "GridLike",
    "Placement",
    "PlacementFromAbove",
    "Subject",
    "is_square",
    "square",
    "subject_of",
]

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
    """The subject of a picture: finite float32 values on their own map, their sources, a name, and
    which cells have no value.
    """

    values: NDArray[np.float32]
    space: Any
    sources: Any
    name: str
    unknown: NDArray[np.bool_] | None = None
    never: NDArray[np.bool_] | None = None

    def on(self, base: Any) -> NDArray[np.float32]:
        """The values at the centers of the cells of `base`, in its shape."""
        return self._picked(self.values, base)

    def unknown_on(self, base: Any) -> NDArray[np.bool_] | None:
        """Which cells of `base` have no value, None for none."""
        return None if self.unknown is None else self._picked(self.unknown, base)

    def never_on(self, base: Any) -> NDArray[np.bool_] | None:
        """Which cells of `base` were never seen, None where nobody asks."""
        return None if self.never is None else self._picked(self.never, base)

    def _picked(self, values: NDArray[Any], base: Any) -> NDArray[Any]:
        own = self.space
        if own is base or (isinstance(own, Space) and own.same_cells(base)):
            return values
        if isinstance(own, Space) and isinstance(base, Space) and not is_square(base):
            return np.asarray(
                values.reshape(-1)[
                    np.asarray(own.cell_at(base.positions[:, : own.dimensions])).reshape(base.shape)
                ]
            )
        square(own)
        if own.y_up != base.y_up:
            raise InvalidValue(
                "A layer and the map that it is drawn on agree on y_up",
                got=f"{own.y_up} on {base.y_up}",
                remedy="Draw it on its own map",
            )
        columns, rows = (
            np.floor(
                (base.origin[axis] + (np.arange(count) + 0.5) * base.cell_size - own.origin[axis])
                / own.cell_size
            ).astype(np.int64)
            for axis, count in enumerate((base.width, base.height))
        )
        if min(columns[0], rows[0]) < 0 or columns[-1] >= own.width or rows[-1] >= own.height:
            raise InvalidValue(
                "A layer covers the whole map that it is drawn on",
                got=(
                    f"{own.width} x {own.height} cells of {own.cell_size:g} from {own.origin} on"
                    f" {base!r}"
                ),
                remedy="Pass the map that the layer belongs to as space=",
            )
        if base.y_up:
            rows = (own.height - 1 - rows)[::-1]
        return np.asarray(values[rows[:, np.newaxis], columns])


class Placement:
    """Where a map lands on the pixels of `frame(...)`: use it to draw your own things on top.

    Parameters
    ----------
    space: any space, or whatever offers what `fieldcraft.Grid` does. Graphs, meshes and hexagons
        are seen from above.
    scale: whole pixels per cell of a grid; if absent, as many as keep the longer side within
        `size`; a map with more cells than that is shrunk by the smallest whole number that makes it
        fit.
    size: pixels, at least 1; used where `scale` is absent.
    crop: whether to leave out the rows and columns along the rim of a grid that hold nothing but
        walls, save one.

    `shape` is (H, W) in pixels. On a grid `pixels_per_cell` is `scale`, or 1 / `shrink` for a
    shrunk map, and `rows` and `columns` are the slices of an array of shape (height, width) that
    are shown.

    """

    def __new__(cls, space: Any, **_: Any) -> Placement:
        """One for a grid, or one for a space that is seen from above."""
        kind = cls
        if cls is Placement and isinstance(space, Space):
            kind = picked(
                space, "A picture", grid=Placement, graph=PlacementFromAbove, hex=PlacementFromAbove
            )  # type: ignore[assignment]
        return super().__new__(kind)

    shape: tuple[int, int]
    space: Any

    def __init__(
        self, space: Any, *, scale: int | None = None, size: int = 1024, crop: bool = False
    ) -> None:
        self.space = square(space)
        self.rows, self.columns = slice(0, space.height), slice(0, space.width)
        if checks.flag("crop", crop):
            blocked = space.walls
            self.rows, self.columns = _open_part(blocked, 1), _open_part(blocked, 0)
        height, width = self.rows.stop - self.rows.start, self.columns.stop - self.columns.start
        longest = max(width, height)
        side = checks.whole("size", size, minimum=1)
        self.scale = (
            checks.whole("scale", scale, minimum=1)
            if scale is not None
            else max(1, side // longest)
        )
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
        """The pixels (x, y), counted from the top left corner, of world positions: (2,) for one,
        (N, 2) for many.
        """
        points, single = checks.positions(positions)
        cells = (points - self.space.origin) / self.space.cell_size
        if self.space.y_up:
            cells[:, 1] = self.space.height - cells[:, 1]
        pixels = (cells - (self.columns.start, self.rows.start)) * self.pixels_per_cell
        return np.asarray(pixels[0] if single else pixels)

    def position_of(self, pixels: ArrayLike) -> NDArray[np.float64]:
        """The world positions of pixels (x, y): (2,) for one, (N, 2) for many; `pixel_of`
        backwards.
        """
        points, single = checks.positions(pixels)
        cells = points / self.pixels_per_cell + (self.columns.start, self.rows.start)
        if self.space.y_up:
            cells[:, 1] = self.space.height - cells[:, 1]
        positions = cells * self.space.cell_size + self.space.origin
        return np.asarray(positions[0] if single else positions)

    def strongest(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """The value that each picture cell shows of values in the map's shape: of several cells
        that of largest magnitude.
        """
        return canvas.strongest(values[self.rows, self.columns], self.shrink)

    def middle(self, values: NDArray[Any]) -> NDArray[Any]:
        """The same, but of several cells the value of the one in their middle."""
        shown = values[self.rows, self.columns]
        middle = self.shrink // 2
        return (
            shown if self.shrink == 1 else canvas.blocks(shown, self.shrink)[:, middle, :, middle]
        )

    def mean(self, values: NDArray[Any]) -> NDArray[Any]:
        """The same, but of several cells the mean of their values."""
        shown = values[self.rows, self.columns]
        return (
            shown
            if self.shrink == 1
            else np.asarray(canvas.blocks(shown, self.shrink).mean(axis=(1, 3)))
        )

    def compose(
        self,
        rgb: NDArray[np.uint8],
        drawn: NDArray[np.bool_],
        ground: Color | ArrayLike | None,
        opacity: float,
    ) -> NDArray[np.uint8]:
        """The picture: the ground, the colours of what is drawn over it, the rims of walls on
        top.
        """
        return canvas.compose(self, rgb, drawn, ground, opacity)

    def scaled(
        self,
        values: NDArray[np.float32],
        colors: ColorScale,
        unknown: NDArray[np.bool_] | None,
        never: NDArray[np.bool_] | None,
        ground: Color | ArrayLike | None,
        opacity: float,
    ) -> NDArray[np.uint8]:
        """The picture of values that `strongest` gave: those of `unknown` cells are not drawn,
        `never` seen ones are fog.
        """
        index = colors.index(values)
        if unknown is not None:
            index[self.middle(unknown)] = HIDDEN
        if never is not None:
            fog, rgb = self.middle(never), colors.rgb(values)
            rgb[fog] = canvas.FOG
            return self.compose(rgb, (index != HIDDEN) | fog, ground, opacity)
        one_color = (
            ground is None or isinstance(ground, str) or checks.array("ground", ground).ndim < 2
        )
        if getattr(self, "shrink", 0) != 1 or not one_color:
            return self.compose(colors.rgb(values), index != HIDDEN, ground, opacity)
        return canvas.compose_indexed(self, colors, index, ground, opacity)  # type: ignore[arg-type]


class PlacementFromAbove(Placement):
    """Where a graph, a mesh or hexagons land on pixels: their plan, as large as `size` allows."""

    def __init__(
        self, space: Space, *, scale: int | None = None, size: int = 1024, crop: bool = False
    ) -> None:
        if scale is not None:
            raise InvalidValue(
                "scale is for the cells of a grid",
                got=f"scale={scale!r} on {space!r}",
                remedy="Pass size, in pixels",
            )
        self.space = space
        self.plan = from_above.Plan(space, checks.whole("size", size, minimum=1))
        self.shape = self.plan.picture

    @property
    def pixels_per_cell(self) -> float:
        """Pixels per step from cell to cell."""
        return (
            self.plan.scale
            / from_above.FINER
            * (self.space.typical_step if len(self.space.ways.ends) else 1.0)
        )

    def pixel_of(self, positions: ArrayLike) -> NDArray[np.float64]:
        """The pixels (x, y), counted from the top left corner, of world positions: (2,) for one,
        (N, 2) for many.
        """
        axes = 3 if np.shape(positions)[-1:] == (3,) else 2
        points, single = checks.positions(positions, dimensions=axes)
        pixels = self.plan.pixels(points[:, :2]) / from_above.FINER
        return np.asarray(pixels[0] if single else pixels)

    def position_of(self, pixels: ArrayLike) -> NDArray[np.float64]:
        """The world positions (x, y) of pixels: (2,) for one, (N, 2) for many; `pixel_of`
        backwards.
        """
        points, single = checks.positions(pixels)
        positions = self.plan.places(points * from_above.FINER)
        return np.asarray(positions[0] if single else positions)

    def strongest(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """The values by cell, (N,): what is above covers what is below."""
        return values.reshape(-1)

    def middle(self, values: NDArray[Any]) -> NDArray[Any]:
        """The same."""
        return values.reshape(-1)

    def mean(self, values: NDArray[Any]) -> NDArray[Any]:
        """The same."""
        return values.reshape(-1)

    def compose(
        self,
        rgb: NDArray[np.uint8],
        drawn: NDArray[np.bool_],
        ground: Color | ArrayLike | None,
        opacity: float,
    ) -> NDArray[np.uint8]:
        """The picture: the ground, and the colours (N, 3) of the cells that are drawn (N,) over
        it.
        """
        return from_above.compose(
            self.plan, rgb, drawn, ground, checks.fraction("opacity", opacity)
        )


def is_square(space: object) -> bool:
    """Whether a space has the cells of a grid, `fieldcraft.Grid` or alike."""
    return all(
        hasattr(space, name)
        for name in ("width", "height", "cell_size", "origin", "y_up", "shape", "walls")
    )


def square(space: Any) -> GridLike:
    """The space itself if it is a grid or alike, or `InvalidValue`."""
    if not is_square(space):
        raise InvalidValue(
            "A picture needs a grid, or another space",
            got=type(space).__name__,
            remedy="Pass the layer itself, or its space as space=",
        )
    found: GridLike = space
    return found


def _open_part(walls: NDArray[np.bool_], across: int) -> slice:
    """The lines of cells, `across` being the axis along them, from one before the first open cell
    to one after the last.
    """
    count = walls.shape[1 - across]
    found = np.flatnonzero(~walls.all(axis=across))
    return (
        slice(max(int(found[0]) - 1, 0), min(int(found[-1]) + 2, count))
        if len(found)
        else slice(0, count)
    )


def subject_of(layer: Any, space: Any, *, finite: bool = True) -> tuple[Subject, Any]:
    """The subject of a picture and the map to draw it on, from a layer or an array, and the
    caller's `space`.

    Where the values of a layer are infinite, as those of distance maps are where no way leads,
    there is none. With `finite=False` nobody has looked at the values yet, nor turned them into
    float32.
    """
    checks.flag("finite", finite)
    if space is not None and not isinstance(space, Space):
        square(space)
    unknown = None
    if hasattr(layer, "values") and hasattr(layer, "space"):
        own, sources, name = (
            layer.space,
            getattr(layer, "sources", None),
            str(getattr(layer, "name", "")),
        )
        if not isinstance(own, Space):
            square(own)
        values = numbers(layer.values, dimensions=(1, 2) if isinstance(own, Space) else (2,))
        if (
            hasattr(layer, "finite_values")
            and values.dtype.kind == "f"
            and bool(np.isinf(values).any())
        ):
            unknown = np.isinf(values)
            values = np.where(unknown, np.float32(0), values)
    else:
        values = numbers(layer, dimensions=(1, 2) if isinstance(space, Space) else (2,))
        own = (
            (space if isinstance(space, Space) else square(space))
            if space is not None
            else _Plain(values.shape[1], values.shape[0])
        )
        sources, name = None, ""
    shape = tuple(own.shape)
    if values.shape != shape:
        hint = (
            " (these look like [x, y]: transpose them)"
            if values.shape == shape[::-1] != shape
            else ""
        )
        raise InvalidValue(
            f"values have the map's shape {getattr(own, 'axes', '(height, width)')}",
            got=f"shape {values.shape} on a map of {shape}{hint}",
            remedy="Pass a value for each cell",
        )
    if finite:
        values = plain_values(values, dimensions=(1, 2))
    return Subject(values, own, sources, name, unknown, getattr(layer, "never", None)), (
        space if space is not None else own
    )
