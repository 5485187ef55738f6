"""The cells that a shot sweeps."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.space import graph_sight
from fieldcraft.space.adjacency import cached
from fieldcraft.space.cells import on_map
from fieldcraft.space.graph import Graph
from fieldcraft.space.grid import Grid
from fieldcraft.space.kinds import checked_space, needs_plane
from fieldcraft.space.portals import portals_of
from fieldcraft.space.protocol import Space

__all__ = ["Shot", "incoming"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Shot:
    """The cells that a shot sweeps, in the order in which it gets there; of cells passed at once
    the lowest id comes first.

    `cells` (N,) int64 are open cells; `seconds` (N,) float64 the time from now until the shot
    passes each; `end` the position where it stops, `blocked` whether something stopped it there
    before its end.
    """

    cells: NDArray[np.int64]
    seconds: NDArray[np.float64]
    end: tuple[float, ...]
    blocked: bool


def incoming(
    space: Space,
    start: ArrayLike,
    end: ArrayLike,
    *,
    speed: float,
    width: float = 0.0,
    outside: str = "refuse",
) -> Shot:
    """The cells that a shot from `start` to `end` will sweep, and when.

    It stops where it enters a wall or leaves the map, and where it would squeeze between two walls
    that touch it on both sides; the wall that it starts in does not stop it. It sweeps the open
    cells that it crosses, and with a `width` those whose center lies within half of it of the line,
    unless a wall stands between. A cell is passed when the shot is nearest its center.

    On a graph of squares (`Grid.to_graph`) it is the shot on the grid. On a graph with a mesh it
    runs over polygons as a line of sight does (see `visible`) and sweeps those that it crosses; on
    a graph without either nothing stops it. On both it sweeps the open vertices within half its
    width, unless something hides them from the nearest point of its way.

    For a danger that grows as the shot comes nearer, weigh by time: `falloff(shot.seconds /
    horizon)`.

    Parameters
    ----------
    space : Space
        A grid or a graph.
    start, end : array_like
        World positions. `end` may lie off the map. On a torus the shot goes as the numbers say,
        round and round if they say so; aim over the seam by an end beyond the rim. On a grid both
        are rounded to 1/2047 of a cell.
    speed : float
        World units per second, above 0.
    width : float, optional
        World units, at least 0, and on a grid at most 2,048 cells.
    outside : {"refuse", "clamp"}
        With "clamp" a start off the map counts as in the nearest cell.

    Raises
    ------
    InvalidValue
        For arguments outside of these ranges, or on a grid an end more than 262,144 cells away.
    OutsideMap
        If `start` is off the map.
    """
    start = on_map(checked_space(space, "A shot takes place on"), start, outside)
    from_to = []
    for name, point in (("start", start), ("end", end)):
        points, single = checks.positions(point, dimensions=space.dimensions)
        if not single:
            raise InvalidValue(
                f"{name} is one position",
                got=f"an array of shape {np.shape(point)}",
                remedy="Call once per shot",
            )
        from_to.append(points[0])
    seconds = math.hypot(*(from_to[1] - from_to[0])) / checks.positive("speed", speed)
    if not math.isfinite(seconds):
        raise InvalidValue(
            "A shot arrives in finite time",
            got=f"speed={speed!r}",
            remedy="Pass a faster speed or a nearer end",
        )
    grid = space.sight_grid
    if grid is None:
        needs_plane(space, "A shot")
        return _over_graph(
            space.graph, from_to[0], from_to[1], seconds, checks.not_negative("width", width) / 2
        )
    half_width = _half_width(grid, width)
    (y0, x0), (y1, x1) = _units(grid, from_to[0], from_to[1])

    blocked = grid.walls.view(np.uint8)
    ops = kernels.shots
    crossings = abs(y1 // ops.UNITS - y0 // ops.UNITS) + abs(x1 // ops.UNITS - x0 // ops.UNITS)
    if not grid.wrap:
        crossings = min(crossings, grid.height + grid.width)
    free = _free_slots(grid)
    slot = free.pop() if free else np.zeros(len(grid), dtype=np.int32)
    scratch = ops.scratch(grid.shape, crossings, half_width, slot)
    count, stop = ops.shot(blocked, y0, x0, y1, x1, half_width, grid.wrap, *scratch)
    free.append(slot)
    cells, shares = scratch[0][:count], scratch[1][:count]
    order = np.lexsort((cells, shares))
    x, y = from_to[0] + stop * (from_to[1] - from_to[0])
    return Shot(cells[order], shares[order] * seconds, (float(x), float(y)), stop < 1)


@cached
def _free_slots(grid: Grid) -> list[NDArray[np.int32]]:
    """Scratch of a grid that no shot is using."""
    return []


def _over_graph(graph: Graph, start: Floats, end: Floats, seconds: float, half: float) -> Shot:
    """The shot over a graph: without a mesh, whatever lies near its way."""
    graph.cell_at(start)
    if graph.mesh is not None:
        return _over_mesh(graph, start, end, seconds, half)
    shares, away = _nearest(graph.positions, start, end, 1.0)
    return _shot(
        np.flatnonzero((away <= half * (1 + 1e-9)) & ~graph.walls), shares, seconds, end, 1.0
    )


def _over_mesh(graph: Graph, start: Floats, end: Floats, seconds: float, half: float) -> Shot:
    """Over polygons only the plan counts: those that the shot crosses, and those whose middle is
    near it with nothing in between.
    """
    here = graph_sight.sight_ends(graph, start[np.newaxis])
    portals, _ = portals_of(graph)
    first, last = portals.low + here.places[0] / portals.scales, end[:2]
    passed, leaves, stopped = _swept(graph, int(here.cells[0]), here.places[0], first, last)
    stop = float(leaves[-1]) if stopped else 1.0
    shares, away = _nearest(graph.positions[:, :2], first, last, stop)
    swept = np.zeros(len(graph), dtype=np.bool_)
    swept[passed[passed < len(graph)]] = True
    for cell in np.flatnonzero((away <= half * (1 + 1e-9)) & ~swept & ~graph.walls).tolist():
        under = int(passed[np.searchsorted(leaves[:-1], shares[cell])])
        swept[cell] = graph_sight.is_clear(
            graph, under, first + shares[cell] * (last - first), cell
        )
    final = np.append(first + stop * (last - first), (start + stop * (end - start))[2:])
    return _shot(np.flatnonzero(swept & ~graph.walls), shares, seconds, final, stop)


def _nearest(places: Floats, start: Floats, end: Floats, stop: float) -> tuple[Floats, Floats]:
    """The share of a way at which it is nearest to each place, at most `stop`, and how far away it
    is then, (N,) each.
    """
    way, offsets = end - start, places - start
    size = float((way**2).sum())
    shares = np.clip(offsets @ way / size, 0.0, stop) if size else np.zeros(len(places))
    return shares, np.sqrt(((offsets - shares[:, np.newaxis] * way) ** 2).sum(axis=1))


def _shot(
    cells: NDArray[np.int64], shares: Floats, seconds: float, end: Floats, stop: float
) -> Shot:
    order = np.lexsort((cells, shares[cells]))
    return Shot(cells[order], shares[cells[order]] * seconds, tuple(end.tolist()), stop < 1)


def _swept(
    graph: Graph, cell: int, place: NDArray[np.int64], start: Floats, end: Floats
) -> tuple[NDArray[np.int64], Floats, bool]:
    """The polygons that a line from a `place`, which is `start`, runs over, the shares of it at
    which it leaves them, and whether something stopped it.
    """
    portals, shut = portals_of(graph)
    mesh = portals.links(shut)
    directed = *place.tolist(), *portals.aim(start, end).tolist()
    floors = portals.corners, portals.rings
    line = float(start[0]), float(start[1]), float(end[0]), float(end[1])
    best: tuple[NDArray[np.int64], Floats, bool] | None = None
    for left in (True, False):
        passed, leaves = (
            np.empty(len(portals.starts), dtype=np.int64),
            np.empty(len(portals.starts)),
        )
        count, stopped = kernels.sees.sweep(
            mesh, *floors, cell, line, directed, left, passed, leaves
        )
        if best is None or leaves[count - 1] > best[1][-1] or (best[2] and not stopped):
            best = passed[:count], leaves[:count], bool(stopped)
    assert best is not None
    return best


def _half_width(space: Grid, width: float) -> float:
    """Half the width of a shot in the units of points."""
    half = checks.not_negative("width", width) / 2 / space.cell_size
    if half > kernels.shots.WIDEST:
        raise InvalidValue(
            f"A shot is at most {2 * kernels.shots.WIDEST:,} cells wide",
            got=f"width={width!r}",
            remedy="Pass a smaller width",
        )
    return half * kernels.shots.UNITS


def _units(
    space: Grid, start: NDArray[np.float64], end: NDArray[np.float64]
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Both points as (row, column) in units, the start on the map."""
    space.cell_at(start)
    if not (np.abs(end - start) <= kernels.shots.LONGEST * space.cell_size).all():
        raise InvalidValue(
            f"A shot ends at most {kernels.shots.LONGEST:,} cells from its start",
            got=f"{start.tolist()} to {end.tolist()} on cells of {space.cell_size:g}",
            remedy="Cut it to its range",
        )
    x0, x1 = (
        kernels.shots.units((float(point[0]) - space.origin[0]) / space.cell_size)
        for point in (start, end)
    )
    y0, y1 = (
        kernels.shots.units((float(point[1]) - space.origin[1]) / space.cell_size)
        for point in (start, end)
    )
    across, down = space.width * kernels.shots.UNITS, space.height * kernels.shots.UNITS
    x1, x0 = x1 - x0 // across * across, x0 % across
    y1, y0 = y1 - y0 // down * down, y0 % down
    return ((down - y0, x0), (down - y1, x1)) if space.y_up else ((y0, x0), (y1, x1))
