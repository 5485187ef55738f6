"""Windows: the values of a map in squares around agents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.compose.expression import expression_of
from fieldcraft.errors import InvalidValue
from fieldcraft.layer.operand import Operand
from fieldcraft.space import grid_of
from fieldcraft.space.grid import MAX_CELLS

__all__ = ["Window", "window"]

_SLACK = 1 + 1e-12  # distances are equal up to rounding


@dataclass(frozen=True, eq=False)
class Window:
    """The values of a map in squares around agents, for observations and local decisions.

    Arrays are indexed [row, column] like the map's, with the agent's cell in the middle.

    Attributes
    ----------
    values : ndarray of float32, (side, side) or (N, side, side)
        The values, 0 outside of `inside`.
    inside : ndarray of bool
        Open cells on the map within the radius.
    cells : ndarray of int64
        Ids of cells, -1 off the map.
    distances : ndarray of float64, (side, side)
        World distance of each cell's center from the middle one's.
    origin : ndarray of float64, (2,) or (N, 2)
        The corner of the square with the smallest world x and y; it may lie off the map.
    """

    values: NDArray[np.float32]
    inside: NDArray[np.bool_]
    cells: NDArray[np.int64]
    distances: NDArray[np.float64]
    origin: NDArray[np.float64]


def window(
    layer: Operand, positions: ArrayLike, radius: float, *, outside: str = "refuse"
) -> Window:
    """Return the values of a map in squares around agents.

    Only the cells of the windows are computed of an expression.

    Parameters
    ----------
    layer : layer or expression
        The map, on a grid.
    positions : array_like of shape (2,) or (N, 2)
        World positions of agents.
    radius : float
        World units from the center of the agent's cell to the centers of others, above 0.
    outside : {"refuse", "clamp"}
        With "clamp" a position outside the map counts as the nearest cell.

    Returns
    -------
    Window
        Arrays of one window, or of N windows.

    Raises
    ------
    OutsideMap
        If a position is off the map.
    InvalidValue
        If another argument has a wrong value, shape or type.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> imap = fc.InfluenceMap(fc.Grid(5, 3))
    >>> cover = imap.add_layer("cover", values=[[0, 1, 2, 3, 9], [0, 0, 0, 0, 0], [0, 0, 0, 4, 0]])
    >>> near = fc.window(cover, (2.5, 1.5), radius=1.5)
    >>> near.values
    array([[1., 2., 3.],
           [0., 0., 0.],
           [0., 0., 4.]], dtype=float32)
    >>> near.distances.round(1)
    array([[1.4, 1. , 1.4],
           [1. , 0. , 1. ],
           [1.4, 1. , 1.4]])
    """
    remedy = "Pass a layer or an expression"
    space = grid_of(
        checks.instance(layer, Operand, "A window is cut from a map", remedy).space, "A window"
    )
    far = checks.positive("radius", radius) / space.cell_size
    points, single = checks.positions(positions)
    centers = np.asarray(space.cell_at(points, outside=outside), dtype=np.int64)
    reach = int(min(far, float(space.width + space.height)) * _SLACK)
    side = 2 * reach + 1
    if space.wrap and side > min(space.width, space.height):
        raise InvalidValue(
            "On a torus a window is no wider than the map",
            got=f"{side} cells on {space.width} x {space.height}",
            remedy="Use a smaller radius",
        )
    if len(centers) * side * side > MAX_CELLS:
        raise InvalidValue(
            f"Windows have at most {MAX_CELLS:,} cells together",
            got=f"{len(centers)} of {side} x {side}",
            remedy="Use a smaller radius, or fewer agents at once",
        )
    away = np.arange(-reach, reach + 1)
    rows = ((centers // space.width)[:, None] + away)[:, :, None]
    columns = ((centers % space.width)[:, None] + away)[:, None, :]
    if space.wrap:
        rows, columns = rows % space.height, columns % space.width
    on_map = (rows >= 0) & (rows < space.height) & (columns >= 0) & (columns < space.width)
    cells = np.where(on_map, rows * space.width + columns, -1)
    steps = np.sqrt((away * away)[:, None] + away * away)
    inside = on_map & (steps <= far * _SLACK) & ~space.walls.reshape(-1)[cells]
    values = np.zeros(cells.shape, dtype=np.float32)
    values[inside] = expression_of(layer).values_at(cells[inside])
    corners = space.position_of(centers) - (reach + 0.5) * space.cell_size
    arrays: tuple[NDArray[Any], ...] = values, inside, cells, corners
    values, inside, cells, corners = (each[0] if single else each for each in arrays)
    return Window(values, inside, cells, steps * space.cell_size, corners)
