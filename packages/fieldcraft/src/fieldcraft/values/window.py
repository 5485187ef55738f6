"""Windows: the values of maps around agents."""

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
from fieldcraft.space import Grid, grid_of
from fieldcraft.space.grid.grid import MAX_CELLS
from fieldcraft.space.space_ranges import within_range
from fieldcraft.values.exclusion import Near, have_sources, keys_left_out
from fieldcraft.values.expression import expression_of
from fieldcraft.values.operand import Operand


@dataclass(frozen=True, eq=False)
class Window(Suggesting):
    """The values of a map within a radius of agents, for local decisions.

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
    """Return the values of a map within a radius of agents, as square arrays.

    Values are 0 in the corners of a square, beyond the radius; `observe` fills whole rectangles.
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
    cells = _cells_around(space, centers, side, side)
    steps = np.sqrt((away * away)[:, None] + away * away)
    inside = (cells >= 0) & (steps <= far) & ~space.walls.reshape(-1)[cells]
    values = np.zeros(cells.shape, dtype=np.float32)
    keys = None
    if without is not None:
        keys = keys_left_out(layer, without, len(centers), single)
    if keys is None:
        values[inside] = expression_of(layer).values_at(cells[inside])
    else:
        values = _values_without(layer, cells, inside, centers, keys)
    corners = space.position_of(centers) - (reach + 0.5) * space.cell_size
    arrays: tuple[NDArray[Any], ...] = values, inside, cells, corners
    values, inside, cells, corners = (each[0] if single else each for each in arrays)
    return Window(values, inside, cells, steps * space.cell_size, corners)


def observe(
    maps: Iterable[Operand],
    positions: ArrayLike,
    window: int | tuple[int, int],
    *,
    without: object = None,
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
    without : hashable or sequence of hashable, optional
        Whose influence is left out of the windows of each agent, in all maps that have it; see
        `fieldcraft.best`.
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
        If there is no map, if maps are on different grids, if a window has an even side, or if no
        map has a key of `without`.

    See Also
    --------
    window : One map within a radius in world units, with cells and distances.

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

    Two agents that see each other, and not themselves:

    >>> allies = imap.add_layer("allies", fc.Radial(2, "linear"))
    >>> allies.sync(["ann", "bob"], [(1.5, 1.5), (2.5, 1.5)])
    >>> imap.step()
    >>> fc.observe([allies], [(1.5, 1.5), (2.5, 1.5)], (1, 3), without=["ann", "bob"])[:, 0, 0]
    array([[0. , 0.5, 1. ],
           [1. , 0.5, 0. ]], dtype=float32)
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
    points, single = checks.positions(positions)
    cells = np.asarray(grid.cell_at(points, outside=outside))
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
    if without is None:
        return planes
    keys = keys_left_out(_Channels(tuple(channels)), without, len(cells), single)
    if keys is None:
        return planes
    around = _cells_around(grid, cells, height, width)
    for number, each in enumerate(channels):
        if have_sources(each, keys).any():
            is_open = (around >= 0) & ~each.space.walls.reshape(-1)[around]
            planes[:, number] = _values_without(each, around, is_open, cells, keys)
    return planes


@dataclass(frozen=True)
class _Channels:
    """The maps of an observation, for what is left out of any of them."""

    maps: tuple[Operand, ...]

    @property
    def name(self) -> str:
        """The names of the maps."""
        return ", ".join(each.name for each in self.maps)


def _cells_around(
    grid: Grid, centers: NDArray[np.int64], height: int, width: int
) -> NDArray[np.int64]:
    """Return the cells of rectangles around some cells, (N, height, width); -1 off the map."""
    down = np.arange(height) - height // 2
    across = np.arange(width) - width // 2
    rows = ((centers // grid.width)[:, None] + down)[:, :, None]
    columns = ((centers % grid.width)[:, None] + across)[:, None, :]
    if grid.wraps_x:
        columns = columns % grid.width
    if grid.wraps_y:
        rows = rows % grid.height
    on_map = (rows >= 0) & (rows < grid.height) & (columns >= 0) & (columns < grid.width)
    return np.where(on_map, rows * grid.width + columns, -1)


def _values_without(
    map_: Operand,
    cells: NDArray[np.int64],
    wanted: NDArray[np.bool_],
    centers: NDArray[np.int64],
    keys: list[object],
) -> NDArray[np.float32]:
    """Return the values of the wanted cells around agents, each without its own sources, else 0."""
    own = np.where(wanted, cells, centers[:, np.newaxis, np.newaxis]).reshape(len(cells), -1)
    values = map_.values_near(Near(own, keys)).reshape(cells.shape)
    return np.where(wanted, values, np.float32(0))
