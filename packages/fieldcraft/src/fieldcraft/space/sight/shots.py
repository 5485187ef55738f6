"""The cells that a shot sweeps."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.words import IfOutside
from fieldcraft.kernels.sight.sight_lines import Line
from fieldcraft.space.cached import cached
from fieldcraft.space.cells import on_map
from fieldcraft.space.graph.graph import Graph
from fieldcraft.space.grid.grid import Grid
from fieldcraft.space.kinds import check_lines_of_sight, checked_space, graph_of, sight_grid_of
from fieldcraft.space.mesh.portals import portals_of
from fieldcraft.space.sight import over_polygons
from fieldcraft.space.sight.viewers import SightHeights, checked_heights, heights_for_kernels
from fieldcraft.space.space import Space
from fieldcraft.space.space_ranges import within_range

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Shot:
    """The cells that a shot crosses, in order of time, then of id.

    `cells` (N,) int64 are open cells; `seconds` (N,) float64 the time from now until the shot
    passes each; `end` the position where it stops, `blocked` whether an obstacle stopped it before
    its end. With heights, `above` (N,) float64 is how high above the ground of each cell it passes,
    else None.
    """

    cells: NDArray[np.int64]
    seconds: NDArray[np.float64]
    end: tuple[float, ...]
    blocked: bool
    above: NDArray[np.float64] | None = None


def incoming(
    space: Space,
    start: ArrayLike,
    end: ArrayLike,
    *,
    speed: float,
    width: float = 0.0,
    heights: ArrayLike | None = None,
    eye: float = 1.0,
    outside: IfOutside = "refuse",
) -> Shot:
    """Return the cells that a shot from `start` to `end` will sweep, and when.

    It stops where it enters a wall or leaves the map, and between two walls that touch it on both
    sides; the wall that it starts in does not stop it. It sweeps the open cells that it crosses,
    and with a `width` the cells whose center is within half the width of the line, unless a wall is
    between. A cell is passed when the shot is nearest its center.

    On a graph of squares (`Grid.to_graph`) it is the shot on the grid. On a graph with a mesh it
    runs over polygons as a line of sight does (see `visible`) and sweeps the polygons that it
    crosses; on a graph without mesh and squares nothing stops it. On both it also sweeps the open
    vertices within half its width, unless an obstacle hides them from the nearest point of the
    line.

    With `heights` it flies straight from `eye` above the ground of its first cell to `eye` above
    the ground of its last, and stops where the ground between them rises above its line. So a shot
    between the centers of two open cells arrives where `sees` says that one sees the other. It also
    sweeps the cells that it passes high above: `Shot.above` says how high.

    For a danger that grows as the shot comes nearer, weigh by time: `falloff(shot.seconds /
    horizon)`.

    Parameters
    ----------
    space : Space
        A grid or a graph.
    start, end : array_like
        World positions. `end` may be off the map. Along axes that wrap the line is straight in
        these coordinates and may wrap several times; aim over the seam by an end beyond the
        border. On a grid both are rounded to 1/2047 of a cell.
    speed : float
        World units per second, above 0.
    width : float, optional
        World units, at least 0, and on a grid at most 2,048 cells.
    heights, eye
        Ground that stops the shot, as in `visible`. The shot then ends on the map.
    outside : {"refuse", "clamp"}
        With "clamp" a start off the map counts as in the nearest cell.

    Raises
    ------
    InvalidValue
        For arguments outside of these ranges, or on a grid an end more than 262,144 cells away.
    OutsideMap
        If `start` is off the map.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> grid = fc.Grid(walls=[[0, 0, 0, 1, 0]])
    >>> shot = fc.incoming(grid, (0.5, 0.5), (4.5, 0.5), speed=2.0)
    >>> shot.cells, shot.seconds
    (array([0, 1, 2]), array([0. , 0.5, 1. ]))
    """
    start = on_map(checked_space(space, "A shot takes place on"), start, outside)
    first = checks.position(start, "start is one position", dimensions=space.dimensions)
    last = checks.position(end, "end is one position", dimensions=space.dimensions)
    seconds = math.hypot(*(last - first)) / checks.positive("speed", speed)
    if not math.isfinite(seconds):
        raise InvalidValue(
            "A shot arrives in finite time",
            got=f"speed={speed!r}",
            remedy="Pass a faster speed or a nearer end",
        )
    half_width = checks.not_negative("width", width) / 2
    grid = sight_grid_of(space)
    if grid is None:
        check_lines_of_sight(space, "A shot")
    over = checked_heights(space, heights, eye)
    if grid is not None:
        return _over_grid(grid, first, last, seconds, half_width, over)
    graph = graph_of(space)
    graph.cell_at(first)
    if graph.mesh is not None:
        return _over_mesh(graph, first, last, seconds, half_width)
    shares, away = _nearest(graph.positions, first, last, 1.0)
    near = np.flatnonzero((away <= within_range(graph, half_width)) & ~graph.walls)
    return _shot(near, shares[near], seconds, last, 1.0)


def _over_grid(
    grid: Grid,
    start: Floats,
    end: Floats,
    seconds: float,
    half_width: float,
    heights: SightHeights | None,
) -> Shot:
    """Return the shot over the cells of a grid."""
    ops = kernels.sight.shot_cells
    size = grid.cell_size
    half = half_width / size
    if half > ops.WIDEST or not (np.abs(end - start) <= ops.LONGEST * size).all():
        raise InvalidValue(
            f"On a grid a shot is at most {2 * ops.WIDEST:,} cells wide, and ends at most"
            f" {ops.LONGEST:,} cells from its start",
            got=f"width={2 * half_width:g}, {start.tolist()} to {end.tolist()}, cells of {size:g}",
            remedy="Cut it to its range",
        )
    grid.cell_at(start)
    x0 = ops.units((float(start[0]) - grid.origin[0]) / size)
    y0 = ops.units((float(start[1]) - grid.origin[1]) / size)
    x1 = ops.units((float(end[0]) - grid.origin[0]) / size)
    y1 = ops.units((float(end[1]) - grid.origin[1]) / size)
    across = grid.width * ops.UNITS
    down = grid.height * ops.UNITS
    x1 = x1 - x0 // across * across
    x0 = x0 % across
    y1 = y1 - y0 // down * down
    y0 = y0 % down
    if grid.y_up:
        y0 = down - y0
        y1 = down - y1
    ground, eye = heights_for_kernels(heights)
    first = 0.0
    last = 0.0
    if heights is not None:
        first = float(ground[y0 // ops.UNITS, x0 // ops.UNITS]) + eye
        last = float(ground[_last_cell(grid, y1 // ops.UNITS, x1 // ops.UNITS, end)]) + eye
    crossings = abs(y1 // ops.UNITS - y0 // ops.UNITS) + abs(x1 // ops.UNITS - x0 // ops.UNITS)
    if not grid.wrap:
        crossings = min(crossings, grid.height + grid.width)
    free = _free_slots(grid)
    if free:
        slot = free.pop()
    else:
        slot = np.zeros(len(grid), dtype=np.int32)
    if half_width > 0:
        width = within_range(grid, half_width) / size * ops.UNITS
    else:
        width = 0.0
    scratch = ops.scratch(grid.shape, crossings, width, slot)
    walls = grid.walls.view(np.uint8)
    count, stop = ops.shot(
        walls, ground, first, last, eye, y0, x0, y1, x1, width, grid.wrap_flags, *scratch
    )
    free.append(slot)
    cells = scratch[0][:count]
    shares = scratch[1][:count]
    above = None
    if heights is not None:
        above = first + shares * (last - first) - ground.reshape(-1)[cells]
    return _shot(cells, shares, seconds, start + stop * (end - start), stop, above)


def _last_cell(grid: Grid, row: int, column: int, end: Floats) -> tuple[int, int]:
    """Return the cell in which a shot over heights ends, (row, column)."""
    if grid.wraps_y:
        row = row % grid.height
    if grid.wraps_x:
        column = column % grid.width
    if not (0 <= row < grid.height and 0 <= column < grid.width):
        raise InvalidValue(
            "With heights a shot ends on the map, above the ground there",
            got=str(tuple(end.tolist())),
            remedy="Cut it to the map, or leave heights out",
        )
    return row, column


@cached
def _free_slots(grid: Grid) -> list[NDArray[np.int32]]:
    """Scratch of a grid that no shot is using."""
    return []


def _over_mesh(graph: Graph, start: Floats, end: Floats, seconds: float, half: float) -> Shot:
    """Return the shot over the polygons of a mesh, seen from above: it sweeps the polygons that it
    crosses, and polygons with a visible center near it.
    """
    here = over_polygons.sight_ends(graph, start[np.newaxis])
    portals, _ = portals_of(graph)
    first = portals.low + here.places[0] / portals.scales
    last = end[:2]
    passed, leaves, stopped = _swept(graph, int(here.cells[0]), here.places[0], first, last)
    if stopped:
        stop = float(leaves[-1])
    else:
        stop = 1.0
    shares, away = _nearest(graph.positions[:, :2], first, last, stop)
    swept = np.zeros(len(graph), dtype=np.bool_)
    swept[passed[passed < len(graph)]] = True
    near = away <= within_range(graph, half)
    for cell in np.flatnonzero(near & ~swept & ~graph.walls).tolist():
        under = int(passed[np.searchsorted(leaves[:-1], shares[cell])])
        swept[cell] = over_polygons.is_clear(
            graph, under, first + shares[cell] * (last - first), cell
        )
    final = np.append(first + stop * (last - first), (start + stop * (end - start))[2:])
    cells = np.flatnonzero(swept & ~graph.walls)
    return _shot(cells, shares[cells], seconds, final, stop)


def _nearest(places: Floats, start: Floats, end: Floats, stop: float) -> tuple[Floats, Floats]:
    """Return the share of a line at which it is nearest to each place, at most `stop`, and the
    distance there, (N,) each.
    """
    line = end - start
    offsets = places - start
    size = float((line**2).sum())
    if size:
        shares = np.clip(offsets @ line / size, 0.0, stop)
    else:
        shares = np.zeros(len(places))
    return shares, np.sqrt(((offsets - shares[:, np.newaxis] * line) ** 2).sum(axis=1))


def _shot(
    cells: NDArray[np.int64],
    shares: Floats,
    seconds: float,
    end: Floats,
    stop: float,
    above: Floats | None = None,
) -> Shot:
    """Return the shot that passes cells (N,) at these shares (N,) of its line, and `above` (N,)
    their ground.
    """
    order = np.lexsort((cells, shares))
    if above is not None:
        above = above[order]
    return Shot(cells[order], shares[order] * seconds, tuple(end.tolist()), stop < 1, above)


def _swept(
    graph: Graph, cell: int, place: NDArray[np.int64], start: Floats, end: Floats
) -> tuple[NDArray[np.int64], Floats, bool]:
    """Return the polygons that a line from `start` crosses, the shares of it at which it leaves
    them, and whether an obstacle stopped it. `place` is `start` in the whole numbers of the
    portals.
    """
    portals, flags = portals_of(graph)
    mesh = portals.links(flags)
    aim = Line(*place.tolist(), *portals.aim(start, end).tolist())
    floors = portals.corners, portals.rings
    line = Line(float(start[0]), float(start[1]), float(end[0]), float(end[1]))
    sweeps = []
    for left in (True, False):
        passed = np.empty(len(portals.starts), np.int64)
        leaves = np.empty(len(portals.starts))
        count, stopped = kernels.sight.sees.sweep(
            mesh, *floors, cell, line, aim, left, passed, leaves
        )
        sweeps.append((passed[:count], leaves[:count], bool(stopped)))
    one, other = sweeps
    is_farther = other[1][-1] > one[1][-1] or (one[2] and not other[2])
    if is_farther:
        return other
    return one
