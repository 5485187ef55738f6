"""The position of a map on the pixels of a picture, and the values of a picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.space import Grid, Space
from fieldcraft.space.kinds import checked_space
from fieldcraft.view.pixels.color_scale import numbers, plain_values
from fieldcraft.view.pixels.graph_pixels import AbovePlan
from fieldcraft.view.pixels.grid_pixels import GridPlan
from fieldcraft.view.pixels.pixel_plan import Plan


@dataclass(frozen=True)
class Subject:
    """The values that a picture shows, finite float32 on a space of their own, with sources and a
    name.

    `unknown` marks cells without a value, `never` cells that were never seen.
    """

    values: NDArray[np.float32]
    space: Space
    sources: Any
    name: str
    unknown: NDArray[np.bool_] | None = None
    never: NDArray[np.bool_] | None = None

    def on(self, base: Space) -> NDArray[np.float32]:
        """Return the values at the centers of the cells of `base`, in its shape."""
        return resampled(self.values, self.space, base)


def resampled(values: NDArray[Any], own: Space, base: Space) -> NDArray[Any]:
    """Return values on the cells of one space at the centers of the cells of another."""
    if own is base or own.same_cells(base):
        return values
    if own.y_up != base.y_up:
        raise InvalidValue(
            "A layer and the map that it is drawn on agree on y_up",
            got=f"{own.y_up} on {base.y_up}",
            remedy="Draw it on its own map",
        )
    centers = np.asarray(base.positions, dtype=np.float64)[:, : own.dimensions]
    if isinstance(own, Grid):
        low, high = own.extent
        if (centers < low).any() or (centers >= high).any():
            raise InvalidValue(
                "A layer covers the whole map that it is drawn on",
                got=f"{own!r} on {base!r}",
                remedy="Pass the map that the layer belongs to as space=",
            )
    return np.asarray(values.reshape(-1)[np.asarray(own.cell_at(centers))].reshape(base.shape))


class Placement:
    """The position of a map on the pixels of `frame(...)`, to draw other things on top.

    Parameters
    ----------
    space : Space
        The map. Graphs, meshes and hexagons are seen from above.
    scale : float, optional
        Pixels per world unit, on every kind of space. On a grid a cell has a whole number of
        pixels, or a pixel a whole number of cells. By default the largest number that keeps the
        longer side within `size`.
    size : int
        Pixels along the longer side, used where `scale` is absent.
    crop : bool
        Leave out the rows and columns along the edges of a grid that hold nothing but walls, save
        one.
    heights : (float, float), optional
        Show only vertices of a 3D graph with z from the first up to the second.

    Attributes
    ----------
    shape : (int, int)
        Height and width in pixels.
    pixels_per_cell : float
        Pixels per cell of a grid, or per typical step of another space.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> place = fc.view.Placement(fc.Grid(20, 10, cell_size=2.0), scale=4)
    >>> place.shape, place.pixels_per_cell
    ((80, 160), 8.0)
    >>> place.pixel_of((10.0, 5.0))
    array([40., 20.])
    """

    def __init__(
        self,
        space: Space,
        *,
        scale: float | None = None,
        size: int = 1024,
        crop: bool = False,
        heights: tuple[float, float] | None = None,
    ) -> None:
        self.space = checked_space(space, "A picture needs")
        if scale is None:
            factor = None
        else:
            factor = checks.positive("scale", scale)
        side = checks.integer("size", size, minimum=1)
        checks.flag("crop", crop)
        self.plan: Plan
        if isinstance(space, Grid):
            if heights is not None:
                raise InvalidValue(
                    "heights are (from, to) on a 3D graph",
                    got=f"heights={heights!r} on {space!r}",
                    remedy="Leave them out",
                )
            self.plan = GridPlan(space, factor, side, crop)
        else:
            self.plan = AbovePlan(self.space, factor, side, heights)
        self.shape = self.plan.shape
        self.pixels_per_cell = self.plan.pixels_per_cell

    def pixel_of(self, positions: ArrayLike) -> NDArray[np.float64]:
        """Return the pixels (x, y), counted from the top left corner, of world positions: (2,) for
        one, (N, 2) for many.
        """
        axes = 3 if np.shape(positions)[-1:] == (3,) else 2
        points, single = checks.positions(positions, dimensions=axes)
        pixels = self.plan.pixels(points[:, :2])
        return np.asarray(pixels[0] if single else pixels)

    def position_of(self, pixels: ArrayLike) -> NDArray[np.float64]:
        """Return the world positions (x, y) of pixels, the inverse of `pixel_of`: (2,) for one, (N,
        2) for many.
        """
        points, single = checks.positions(pixels)
        positions = self.plan.places(points)
        return np.asarray(positions[0] if single else positions)


def subject_of(layer: Any, space: Space | None, *, finite: bool = True) -> tuple[Subject, Space]:
    """Return the subject of a picture and the map to draw it on, from a layer or an array, and the
    caller's `space`.

    Infinite values of a layer, such as those of distance maps beyond walls, count as unknown. With
    `finite=False` values are neither checked nor converted to float32.
    """
    if space is not None:
        checked_space(space, "A picture needs")
    unknown = None
    sources = None
    name = ""
    if hasattr(layer, "values") and hasattr(layer, "space"):
        own = checked_space(layer.space, "A picture needs")
        sources = getattr(layer, "sources", None)
        name = str(getattr(layer, "name", ""))
        values = numbers(layer.values, dimensions=(1, 2))
        if hasattr(layer, "finite_values") and np.isinf(values).any():
            unknown = np.isinf(values)
            values = np.where(unknown, np.float32(0), values)
    else:
        if space is not None:
            values = numbers(layer, dimensions=(1, 2))
            own = space
        else:
            values = numbers(layer)
            own = Grid(values.shape[1], values.shape[0])
    rule = f"values have the map's shape {own.axes}, here {tuple(own.shape)}"
    checks.array_of(values, tuple(own.shape), "fiub", rule, "Pass a value for each cell")
    if finite:
        values = plain_values(values, dimensions=(1, 2))
    if unknown is None and hasattr(type(layer), "unknown"):
        unknown = layer.unknown
    never = None
    if hasattr(type(layer), "never"):
        never = layer.never
    if space is None:
        space = own
    return Subject(values, own, sources, name, unknown, never), space
