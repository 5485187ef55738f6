"""Windows: the values of a map in squares around agents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.missing_names import Suggesting
from fieldcraft.base.words import IfOutside
from fieldcraft.kernels.shared.arrays import aligned
from fieldcraft.space import grid_of
from fieldcraft.space.grid.grid import MAX_CELLS
from fieldcraft.space.space_ranges import within_range
from fieldcraft.values.exclusion import Near, keys_left_out
from fieldcraft.values.expression import expression_of
from fieldcraft.values.operand import Operand


@dataclass(frozen=True, eq=False)
class Window(Suggesting):
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
        The corner of the square with the smallest world x and y; it may be off the map.
    """

    values: NDArray[np.float32]
    inside: NDArray[np.bool_]
    cells: NDArray[np.int64]
    distances: NDArray[np.float64]
    origin: NDArray[np.float64]


def window(
    layer: Operand,
    positions: ArrayLike,
    radius: float,
    *,
    without: object = None,
    outside: IfOutside = "refuse",
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
    without : hashable or sequence of hashable, optional
        Whose influence is left out of each window, in all layers of an expression; see
        `fieldcraft.best`.
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
    far = within_range(space, checks.positive("radius", radius)) / space.cell_size
    points, single = checks.positions(positions)
    centers = np.asarray(space.cell_at(points, outside=outside), dtype=np.int64)
    reach = int(min(far, float(space.width + space.height)))
    side = 2 * reach + 1
    if (space.wraps_x and side > space.width) or (space.wraps_y and side > space.height):
        raise InvalidValue(
            "Along an axis that wraps, a window is no wider than the map",
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
    if space.wraps_x:
        columns = columns % space.width
    if space.wraps_y:
        rows = rows % space.height
    on_map = (rows >= 0) & (rows < space.height) & (columns >= 0) & (columns < space.width)
    cells = np.where(on_map, rows * space.width + columns, -1)
    steps = np.sqrt((away * away)[:, None] + away * away)
    inside = on_map & (steps <= far) & ~space.walls.reshape(-1)[cells]
    values = np.zeros(cells.shape, dtype=np.float32)
    keys = None
    if without is not None:
        keys = keys_left_out(layer, without, len(centers), single)
    if keys is None:
        values[inside] = expression_of(layer).values_at(cells[inside])
    else:
        own = np.where(inside, cells, centers[:, np.newaxis, np.newaxis]).reshape(len(cells), -1)
        values[inside] = layer.values_near(Near(own, keys)).reshape(cells.shape)[inside]
    corners = space.position_of(centers) - (reach + 0.5) * space.cell_size
    arrays: tuple[NDArray[Any], ...] = values, inside, cells, corners
    values, inside, cells, corners = (each[0] if single else each for each in arrays)
    return Window(values, inside, cells, steps * space.cell_size, corners)


def observe(
    maps: Iterable[Operand],
    positions: ArrayLike,
    window: int | tuple[int, int],
    *,
    outside: IfOutside = "refuse",
) -> NDArray[np.float32]:
    """Return the values of maps around agents as one array, for reinforcement learning.

    The array is contiguous and starts on a cache line, so that PyTorch and JAX take it by DLPack
    without a copy: `torch.from_dlpack(planes)`, `jax.dlpack.from_dlpack(planes)`.

    Parameters
    ----------
    maps : iterable of layers and expressions
        One for each channel, all on one grid. Distance maps are read with finite numbers in place
        of infinite ones.
    positions : array_like of shape (N, 2) or (2,)
        World positions of agents. One pair gives N = 1: learners take batches, so the first axis
        stays, which `window` and `best` leave out for one position.
    window : int or (int, int)
        The height and width of a window in cells, both odd; one number for a square. The agent's
        cell is in the middle.
    outside : {"refuse", "clamp"}
        With "clamp" a position outside the map counts as the nearest cell.

    Returns
    -------
    ndarray of float32, (N, channels, height, width)
        Rows and columns in the order of the map's array; 0 in walls and off the map. Along an
        axis that wraps windows go on at the other side.

    Raises
    ------
    OutsideMap
        If a position is off the map.
    InvalidValue
        If there is no map, if maps are on different grids, or if a window has an even side.

    See Also
    --------
    window : One map in circles of world units, with cells and distances.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> imap = fc.InfluenceMap(fc.Grid(5, 3))
    >>> cover = imap.add_layer("cover", values=[[0, 1, 2, 3, 9], [0, 0, 0, 0, 5], [0, 0, 0, 4, 0]])
    >>> planes = fc.observe([cover, 1 - cover], [(2.5, 0.5), (4.5, 1.5)], window=3)
    >>> planes.shape
    (2, 2, 3, 3)
    >>> planes[:, 0]
    array([[[0., 0., 0.],
            [1., 2., 3.],
            [0., 0., 0.]],
    <BLANKLINE>
           [[3., 9., 0.],
            [0., 5., 0.],
            [4., 0., 0.]]], dtype=float32)
    """
    channels = checks.sequence("maps", maps)
    remedy = "Pass layers or expressions of one influence map"
    for each in channels:
        checks.instance(each, Operand, "An observation is made of maps", remedy)
    if not channels or not all(each.space.same_cells(channels[0].space) for each in channels):
        got = ", ".join(f"{each.name} on {each.space!r}" for each in channels) or "none"
        raise InvalidValue("An observation has maps, all on one grid", got=got, remedy=remedy)
    grid = grid_of(channels[0].space, "An observation")
    if isinstance(window, tuple) and len(window) == 2:
        sides = window
    else:
        sides = (window, window)
    height, width = (checks.integer("window", side, minimum=1) for side in sides)
    if height % 2 == 0 or width % 2 == 0:
        got = f"{height} x {width}"
        raise InvalidValue("The sides of a window are odd", got=got, remedy="Add or take off one")
    cells = np.asarray(grid.cell_at(checks.positions(positions)[0], outside=outside))
    if max(len(cells), 1) * len(channels) * height * width > MAX_CELLS:
        raise InvalidValue(
            f"Windows have at most {MAX_CELLS:,} cells together",
            got=f"{len(cells)} of {len(channels)} x {height} x {width}",
            remedy="Use a smaller window, or fewer agents at once",
        )
    values = np.stack([each.finite_values() for each in channels])
    for plane, each in zip(values, channels, strict=True):
        np.copyto(plane, 0, where=each.space.walls)  # an array of your own has values there
    padded = values
    across = (0, 0), (0, 0), (width // 2, width // 2)
    down = (0, 0), (height // 2, height // 2), (0, 0)
    for margin, wraps in ((across, grid.wraps_x), (down, grid.wraps_y)):
        if wraps:
            padded = np.pad(padded, margin, mode="wrap")
        else:
            padded = np.pad(padded, margin)
    views = np.lib.stride_tricks.sliding_window_view(padded, (height, width), axis=(1, 2))
    rows, columns = np.divmod(cells, grid.width)
    planes = aligned((len(cells), len(channels), height, width))  # else JAX copies it
    planes[:] = views.transpose(1, 2, 0, 3, 4)[rows, columns]
    return planes
