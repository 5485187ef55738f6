"""The sight between positions: fields of view, watchers, pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.words import IfOutside
from fieldcraft.kernels.compiling import pool
from fieldcraft.space.grid.grid import Grid
from fieldcraft.space.kinds import check_lines_of_sight, graph_of, sight_grid_of
from fieldcraft.space.sight import over_polygons
from fieldcraft.space.sight.lines_on_grid import sees_cells
from fieldcraft.space.sight.viewers import (
    SightHeights,
    Viewers,
    checked_heights,
    checked_viewers,
    heights_for_kernels,
    points_on_map,
)
from fieldcraft.space.space import Space

_CELLS_PER_THREAD = 20_000  # cells in reach of viewers that pay for waking a thread


def visible(
    space: Space,
    positions: ArrayLike,
    radius: ArrayLike,
    *,
    heights: ArrayLike | None = None,
    eye: float = 1.0,
    facing: ArrayLike | None = None,
    angle: float = 90.0,
    walls: bool = False,
    outside: IfOutside = "refuse",
) -> NDArray[np.bool_]:
    """Return which cells can be seen from a position: bool in the space's shape.

    On a grid a cell is seen if its center is within the radius and the straight line to it, from
    the center of the viewer's cell, crosses no wall. The line may touch corners of walls on one
    side, not on both. Sight between open cells is exactly symmetric: of two viewers with the same
    radius, each sees the other or neither does. On a torus the line is the shortest one.

    On a graph of squares (`Grid.to_graph`) sight is that of the grid, with walls where vertices are
    blocked; blocked edges don't hide anything. On a graph with a mesh the line leads from the
    position itself to the vertices, seen from above, over polygons that edges join, from side to
    side. The border of the mesh, blocked polygons and blocked edges block the line; another floor
    is seen only if the line gets there over ramps and stairs. Corners count as on a grid, and sight
    is as symmetric. On a graph of waypoints without mesh and squares nothing blocks the line:
    everything within the radius and the cone is seen.

    A viewer in a wall, such as on a tower, sees out: its own cell does not block. The cells that it
    sees would see it with `walls=True`.

    Parameters
    ----------
    space : Space
        A grid or a graph. Opaque cells block the line: walls, or the cells of `set_opaque`.
    positions : array_like
        One position, or an (N, 2) array, (N, 3) on a graph in 3D; the result is the union of what
        they see.
    radius : array_like
        World units, above 0; one, or one per position. `np.inf` is without limit.
    heights : array_like, optional
        The height of the ground in the space's shape, (height, width) on a grid, for a grid or a
        graph of squares. A cell is level: it has its height from side to side, and rises or falls
        in steps at its sides. Ground that rises above the line between two eyes blocks it, except
        in the two cells at the ends. Walls block at any height.
    eye : float, optional
        The height of eyes above the ground, in the units of `heights`, at least 0, at both ends.
    facing : array_like, optional
        An (x, y) direction, or one per position: only a cone around it and the own cell are seen. A
        z is ignored.
    angle : float, optional
        The opening of that cone in degrees, above 0 and at most 360. A cone is not symmetric.
    walls : bool, optional
        Whether to include walls with a visible side, and walls in the corner between two such
        walls, on a grid or a graph of squares: for drawing. By default only open cells are seen.
    outside : {"refuse", "clamp"}
        With "clamp" positions off the map count as in the nearest cell.

    Raises
    ------
    InvalidValue
        For arguments outside of these ranges, and heights or walls on other graphs.
    OutsideMap
        For positions off the map.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> grid = fc.Grid(walls=[[0, 0, 1, 0],
    ...                       [0, 0, 0, 0]])
    >>> fc.visible(grid, (0.5, 0.5), radius=9)
    array([[ True,  True, False, False],
           [ True,  True,  True,  True]])
    """
    counts = watchers(
        space,
        positions,
        radius,
        heights=heights,
        eye=eye,
        facing=facing,
        angle=angle,
        walls=walls,
        outside=outside,
    )
    return counts > 0


def watchers(
    space: Space,
    positions: ArrayLike,
    radius: ArrayLike,
    *,
    heights: ArrayLike | None = None,
    eye: float = 1.0,
    facing: ArrayLike | None = None,
    angle: float = 90.0,
    walls: bool = False,
    outside: IfOutside = "refuse",
) -> NDArray[np.int32]:
    """Return how many of the positions see each cell: int32 in the space's shape.

    The cover map of a group of enemies: cover is where this is 0. Positions in the same cell count
    each.

    Parameters
    ----------
    space, positions, radius, heights, eye, facing, angle, walls, outside
        As for `visible`.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> grid = fc.Grid(walls=[[0, 0, 1, 0],
    ...                       [0, 0, 0, 0]])
    >>> fc.query.watchers(grid, [(0.5, 0.5), (3.5, 1.5)], 9)
    array([[2, 1, 0, 1],
           [2, 2, 2, 2]], dtype=int32)
    """
    viewers = checked_viewers(space, positions, radius, facing, angle, outside)
    walls = checks.flag("walls", walls)
    grid = sight_grid_of(space)
    if grid is None:
        check_lines_of_sight(space, "Sight")
    over = checked_heights(space, heights, eye)
    if grid is None:
        if walls:
            raise InvalidValue(
                "Sight on a graph without squares has no walls",
                got="walls=True",
                remedy="Leave walls out",
            )
        return over_polygons.counted(graph_of(space), viewers).reshape(space.shape)
    return _counted(space, grid, viewers, over, walls=walls).reshape(space.shape)


def _counted(
    space: Space,
    grid: Grid,
    viewers: Viewers,
    heights: SightHeights | None,
    *,
    walls: bool,
) -> NDArray[np.int32]:
    """Return how many of the viewers see each cell of a grid, (height, width)."""
    sources = space._locate(viewers.points, "refuse")
    limits = viewers.squared_cells(grid.cell_size)
    opaque = space.opaque.reshape(grid.shape)
    ground, eye = heights_for_kernels(heights)
    differs = space.opaque is not space.walls
    largest = int(limits.max(initial=0))
    work = len(sources) * kernels.sight.visible.most_cells(grid.shape, largest)
    bands = pool.bands(len(sources), work // _CELLS_PER_THREAD)
    counts = [np.zeros(grid.shape, dtype=np.int32) for _ in bands]
    pool.run(
        [
            (
                kernels.sight.visible.field_of_view,
                (
                    opaque.view(np.uint8),
                    ground,
                    sources[low:high],
                    limits[low:high],
                    viewers.cones[low:high],
                    eye,
                    grid.wrap_flags,
                    walls,
                    share,
                    kernels.sight.visible.scratch(grid.shape, largest, heights=heights is not None),
                ),
            )
            for (low, high), share in zip(bands, counts, strict=True)
        ]
    )
    found: NDArray[np.int32] = sum(counts[1:], start=counts[0])
    if differs and not walls:
        hidden = np.flatnonzero(opaque & ~grid.walls)
        seen = sees_cells(
            opaque, grid.wrap_flags, sources, hidden, limits, viewers.cones, heights=heights
        )
        found.reshape(-1)[hidden] = (seen | (sources[:, np.newaxis] == hidden)).sum(axis=0)
        found[grid.walls] = 0
    return found


def sees(
    space: Space,
    viewers: ArrayLike,
    targets: ArrayLike,
    radius: ArrayLike,
    *,
    heights: ArrayLike | None = None,
    eye: float = 1.0,
    facing: ArrayLike | None = None,
    angle: float = 90.0,
    pairs: bool = False,
    outside: IfOutside = "refuse",
) -> NDArray[np.bool_]:
    """Return which viewers see which targets: bool of shape (V, T); with `pairs`, whether each sees
    the target of its own number: (V,).

    As in `visible`, but on a mesh and between waypoints lines lead from position to position.
    Neither of the two cells at the ends blocks, and a cone of sight holds for targets in the
    viewer's own cell too.

    Parameters
    ----------
    space : Space
        A grid or a graph. Opaque cells block the line: walls, or the cells of `set_opaque`.
    viewers, targets : array_like
        World positions, (V, 2) and (T, 2), or (V, 3) and (T, 3) on a graph in 3D; one position
        counts as one viewer or target.
    radius, facing, angle
        As for `visible`; one, or one per viewer.
    heights, eye
        As for `visible`.
    pairs : bool, optional
        Whether the first viewer looks for the first target alone, the second for the second, and so
        on.
    outside : {"refuse", "clamp"}
        With "clamp" viewers and targets off the map count as in the nearest cell.

    Raises
    ------
    InvalidValue
        If an argument has a wrong value, shape or type.
    OutsideMap
        As `visible` does.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> grid = fc.Grid(walls=[[0, 0, 1, 0],
    ...                       [0, 0, 0, 0]])
    >>> fc.sees(grid, [(0.5, 0.5), (0.5, 1.5)], [(3.5, 0.5), (3.5, 1.5)], radius=9)
    array([[False,  True],
           [False,  True]])
    """
    looking = checked_viewers(space, viewers, radius, facing, angle, outside)
    points = points_on_map(space, targets, outside)
    if checks.flag("pairs", pairs) and len(points) != len(looking):
        raise InvalidValue(
            "Pairs have as many targets as viewers",
            got=f"{len(points)} for {len(looking)}",
            remedy="Leave pairs out for all",
        )
    grid = sight_grid_of(space)
    if grid is None:
        check_lines_of_sight(space, "Sight")
    over = checked_heights(space, heights, eye)
    if grid is None:
        seen = over_polygons.sees(graph_of(space), looking, points, pairs=pairs)
        return seen[:, 0] if pairs else seen
    seen = sees_cells(
        space.opaque.reshape(grid.shape),
        grid.wrap_flags,
        space._locate(looking.points, "refuse"),
        space._locate(points, "refuse"),
        looking.squared_cells(grid.cell_size),
        looking.cones,
        pairs=pairs,
        heights=over,
    )
    return seen[:, 0] if pairs else seen
