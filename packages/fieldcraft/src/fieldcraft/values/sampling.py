"""Values at world positions."""

from __future__ import annotations

from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.words import OUTSIDE, Between, IfOutside
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.kernels.values.obstacles import Obstacles
from fieldcraft.space import Graph, Grid, Space
from fieldcraft.space.cached import cached_until_walls_change
from fieldcraft.space.cells import Many, One, points_and_cells, too_far
from fieldcraft.space.csr import runs
from fieldcraft.space.kinds import graph_of
from fieldcraft.space.wrapping import both_directions
from fieldcraft.values.bands import run_in_bands
from fieldcraft.values.exclusion import Near, excludable, keys_left_out, squares_around
from fieldcraft.values.readable import Cells, Floats, Readable, Values

HOW = ("nearest", "bilinear")
_SAMPLES = 10_000  # positions that pay for waking a thread
# Where no terrain matters: one class of ground, which is entered from itself.
_ONE_CLASS = read_only(np.zeros((1, 1), dtype=np.uint8))
_ENTERED = np.ones((1, 1), dtype=np.bool_)


@overload
def sample(
    layer: Readable | ArrayLike,
    positions: One,
    *,
    how: Between = ...,
    without: object = ...,
    outside: IfOutside = ...,
    space: Space | None = ...,
) -> float: ...
@overload
def sample(
    layer: Readable | ArrayLike,
    positions: Many,
    *,
    how: Between = ...,
    without: object = ...,
    outside: IfOutside = ...,
    space: Space | None = ...,
) -> NDArray[np.float32]: ...
@overload
def sample(
    layer: Readable | ArrayLike,
    positions: ArrayLike,
    *,
    how: Between = ...,
    without: object = ...,
    outside: IfOutside = ...,
    space: Space | None = ...,
) -> float | NDArray[np.float32]: ...
def sample(
    layer: Readable | ArrayLike,
    positions: ArrayLike,
    *,
    how: Between = "nearest",
    without: object = None,
    outside: IfOutside = "refuse",
    space: Space | None = None,
) -> float | NDArray[np.float32]:
    """Return the values at world positions.

    Parameters
    ----------
    layer : layer, expression or array_like
        Values on any space; an array in the shape of `space`.
    positions : array_like of shape (2,) or (N, 2)
        World positions; on a 3D graph of shape (3,) or (N, 3).
    how : {"nearest", "bilinear"}
        "nearest" reads the cell that holds the position. "bilinear" mixes the 2 x 2 cells whose
        centers surround it, as far as straight open steps lead to them from the position's own
        cell, so that nothing leaks through walls or past their corners. On a graph it reads the
        nearest point of the edges at the position's vertex.
    without : hashable or sequence of hashable, optional
        Whose influence is left out at each position, in all layers of an expression; see
        `fieldcraft.best`.
    outside : {"refuse", "clamp"}
        With "clamp" a position outside the map counts as the nearest cell.
    space : Space, optional
        The space of an array.

    Returns
    -------
    float or ndarray of float32
        One number for one position, (N,) for many.

    Raises
    ------
    OutsideMap
        If a position is outside the map.
    InvalidValue
        If another argument does not fit.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> distances = fc.distance_map(fc.Grid(3, 1), (0.5, 0.5))
    >>> fc.sample(distances, [(1.5, 0.5), (2.2, 0.5)])
    array([1., 2.], dtype=float32)
    >>> fc.sample(distances, (2.0, 0.5), how="bilinear")
    1.5
    >>> fc.sample([[7, 8, 9]], (1.5, 0.5), space=fc.Grid(3, 1))
    8.0
    """
    if not isinstance(how, str) or how not in HOW:
        checks.choice("how", how, HOW)
    if without is not None:
        personal = _sampled_without(layer, positions, without, how, outside)
        if personal is not None:
            return personal
    if how == "bilinear":
        if space is None:
            ground = getattr(layer, "space", None)
        else:
            ground = space
        if isinstance(ground, Grid):
            if space is None:
                array = getattr(layer, "values", None)
            else:
                array = layer
            values, single = _bilinear(array, ground, positions, outside)
        else:
            values, single = _between(Values(layer, space), positions, outside)
        if single:
            return float(values[0])
        return values
    found = Values(layer, space)
    cells = found.space.cell_at(positions, outside=outside)
    if isinstance(cells, int):
        return float(found.flat[cells])
    return found.flat[cells]


def _sampled_without(
    layer: object, positions: ArrayLike, without: object, how: Between, outside: IfOutside
) -> float | NDArray[np.float32] | None:
    """Return the values at positions without the sources of each; None if nothing is left out."""
    readable = excludable(layer, without)
    space: Space = readable.space
    points, own, single = points_and_cells(space, positions, outside)
    keys = keys_left_out(readable, without, len(points), single)
    if keys is None:
        return None
    cells = np.atleast_1d(own)
    if how == "nearest":
        found = readable.values_near(Near(cells[:, np.newaxis], keys))[:, 0]
    else:
        near = Near(_cells_beside(space, cells), keys)
        values = readable.values_near(near)
        found = np.empty(len(points), dtype=np.float32)
        array = np.zeros(len(space), dtype=np.float32)
        for i, point in enumerate(points):
            array[near.cells[i]] = values[i]
            between = array.reshape(space.shape)
            found[i] = sample(between, point, how=how, outside=outside, space=space)
    if single:
        return float(found[0])
    return found


def _cells_beside(space: Space, cells: Cells) -> Cells:
    """Return the cells that values between cells may depend on at positions in some cells, (N,
    k).
    """
    if isinstance(space, Grid):
        return squares_around(space, cells, 1)
    which, others = arcs_at(graph_of(space), cells)
    counts = np.bincount(which, minlength=len(cells))
    order = np.argsort(which, kind="stable")
    found = np.repeat(cells[:, np.newaxis], 1 + int(counts.max(initial=0)), axis=1)
    place = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
    found[which[order], 1 + place] = others[order]
    return found


def _bilinear(
    values: object, space: Grid, positions: ArrayLike, outside: IfOutside
) -> tuple[NDArray[np.float32], bool]:
    """Return the values between the cells of a grid, and whether it was one position."""
    if (
        type(values) is not np.ndarray
        or values.dtype != np.float32
        or values.shape != (space.height, space.width)
        or not values.flags.c_contiguous
        or values.flags.writeable
    ):
        values = Values(values, space).values  # type: ignore[arg-type]
    points, single = grid_points(positions)
    if outside not in OUTSIDE:
        checks.choice("outside", outside, OUTSIDE)
    found = np.empty(len(points), dtype=np.float32)
    off_map = np.full(1, -1, dtype=np.int64)
    inputs = values, obstacles_of(space), points, space.layout.frame, outside == "clamp"
    if len(points) < 2 * _SAMPLES:
        kernels.values.sample.bilinear(*inputs, 0, len(points), off_map, found)
    else:
        run_in_bands(
            kernels.values.sample.bilinear, inputs, (off_map, found), len(points), _SAMPLES
        )
    if off_map[0] >= 0:
        refuse_off_map(space, points, off_map, outside)
    return found, single


def grid_points(positions: ArrayLike) -> tuple[Floats, bool]:
    """Return positions as a read-only (N, 2) array, and whether it was one pair.

    The kernels find positions that are not finite.
    """
    if (
        isinstance(positions, np.ndarray)
        and positions.dtype == np.float64
        and positions.shape[1:] == (2,)
        and positions.flags.aligned
    ):
        points = positions
        single = False
    else:
        points, single = checks.positions(positions)
    points = np.ascontiguousarray(points).view()
    points.flags.writeable = False
    return points, single


@cached_until_walls_change
def obstacles_of(space: Grid) -> Obstacles:
    """Return what may block a step between two cells."""
    walls = read_only(space.walls)
    terrain = space.terrain
    if terrain is None or terrain.is_plain:
        return Obstacles(walls, not walls.any(), _ONE_CLASS, _ENTERED, False)
    both = terrain.enter & terrain.enter.T
    return Obstacles(walls, False, read_only(terrain.classes), both, True)


def refuse_off_map(space: Grid, points: Floats, off_map: Cells, outside: IfOutside) -> None:
    """Raise for the position that a kernel found off the map, if there is one."""
    if off_map[0] >= 0:
        with np.errstate(over="ignore", invalid="ignore"):
            # Raises, and names the position and the reason.
            space.cell_at(points, outside=outside)
        raise too_far(points[off_map[0]])


def _between(
    values: Values, positions: ArrayLike, outside: IfOutside
) -> tuple[NDArray[np.float32], bool]:
    """Return values between vertices at positions, (N,), and whether it was one position."""
    points, where, single = values.cells(positions, outside)
    cells = np.atleast_1d(where)
    found = values.flat[cells].astype(np.float64)
    _along_edges(graph_of(values.space), values.flat, points, cells, found)
    return found.astype(np.float32), single


def arcs_at(graph: Graph, cells: Cells) -> tuple[Cells, Cells]:
    """Return the vertices that open arcs join to each of `cells`, in either direction: (index in
    `cells`, the other vertex).
    """
    topology = graph.topology
    into = runs(topology.starts[cells], np.diff(topology.starts)[cells])
    from_in = np.repeat(np.arange(len(cells)), np.diff(topology.starts)[cells])
    keep = ~graph.blocked_arcs[into]
    which = from_in[keep]
    others = topology.origins[into[keep]].astype(np.int64)
    if graph.directed:
        starts, arcs = topology.leaving
        out = arcs[runs(starts[cells], np.diff(starts)[cells])]
        from_out = np.repeat(np.arange(len(cells)), np.diff(starts)[cells])
        keep = ~graph.blocked_arcs[out]
        which = np.concatenate([which, from_out[keep]])
        others = np.concatenate([others, topology.ends[out[keep]].astype(np.int64)])
    free = ~graph.walls[others]
    return which[free], others[free]


def _along_edges(
    graph: Graph,
    values: NDArray[np.float32],
    points: Floats,
    cells: Cells,
    found: Floats,
) -> None:
    """Write the values at the nearest points of the edges at each vertex into `found`."""
    which, others = arcs_at(graph, cells)
    free = ~graph.walls[cells[which]]
    which = which[free]
    others = others[free]
    start = graph.positions[cells[which]]
    end = graph.positions[others]
    edges, along = both_directions(graph.shortest_vectors(end - start), graph.period)
    which = which[edges]
    others = others[edges]
    start = start[edges]
    squares = (along * along).sum(axis=1)
    nonzero = squares > 0
    shares = np.zeros(len(which))
    projections = (graph.shortest_vectors(points[which] - start) * along).sum(axis=1)
    shares[nonzero] = np.clip(projections[nonzero] / squares[nonzero], 0, 1)
    nearest = start + shares[:, np.newaxis] * along
    away = (graph.shortest_vectors(nearest - points[which]) ** 2).sum(axis=1)
    order = np.lexsort((others, away, which))
    best = order[np.flatnonzero(np.diff(which[order], prepend=-1) != 0)]
    here = values[cells[which[best]]].astype(np.float64)
    share = shares[best]
    found[which[best]] = here * (1 - share) + values[others[best]] * share
