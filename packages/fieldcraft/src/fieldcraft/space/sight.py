"""The sight between positions: fields of view, watchers, pairs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.kernels import pool
from fieldcraft.space import graph_sight
from fieldcraft.space.cells import on_map
from fieldcraft.space.kinds import checked_space, needs_plane
from fieldcraft.space.opacity import look_at
from fieldcraft.space.protocol import Space
from fieldcraft.space.sight_arguments import (
    checked_facings,
    checked_heights,
    finite_radii,
    limits,
    squares,
)

__all__ = ["sees", "visible", "watchers"]

_CELLS_PER_THREAD = 20_000  # cells looked at that pay for waking a thread
_FEW = 16  # viewers and targets that are looked at together where only pairs are asked for
_NONE = np.zeros(0, dtype=np.int64)


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
    outside: str = "refuse",
) -> NDArray[np.bool_]:
    """Which cells can be seen from a position: bool in the space's shape.

    On a grid a cell is seen if its center lies within the radius and the straight line to it, from
    the center of the cell that the position is in, crosses no wall. The line may touch corners of
    walls on one side, not on both. So between open
    cells sight is symmetric, to the last bit: of two with the same radius, each sees the other or
    neither does. On a torus sight goes the shortest way.

    On a graph of squares (`Grid.to_graph`) everything is as on the grid, with walls where vertices
    are blocked; closed edges bar the way, not the view. On a graph with a mesh the line leads from
    the position itself to the vertices, seen from above, over polygons that edges join, from side
    to side. What hides is the rim of the mesh, blocked polygons and closed edges; what lies on
    another floor is seen only if the line gets there over ramps and stairs. Corners count as on a
    grid, and sight is as symmetric.
    On a graph of waypoints, without either, nothing is known of walls: what lies within the radius
    is seen, and within the cone.

    A position on a wall, a tower say, sees out: its own cell does not block. What it sees would see
    it with `walls=True`.

    Parameters
    ----------
    space : Space
        A grid or a graph. Its walls hide, or what `set_opaque` says.
    positions : array_like
        One position, or an (N, 2) array, (N, 3) on a graph in 3D: then what any of them sees.
    radius : array_like
        World units, above 0; one, or one per position. `np.inf` sees as far as the map goes.
    heights : array_like, optional
        Numbers in the space's shape, (height, width) on a grid: how high its ground is, or that of
        a graph of squares. Ground that rises above the line between two eyes blocks, anywhere but
        in the two cells at the ends. Walls block at any height.
    eye : float, optional
        How far above the ground eyes are, in the units of `heights`, at least 0. It counts for both
        ends.
    facing : array_like, optional
        An (x, y) direction, or one per position: see only a cone around it, and the cell stood in.
        A z is ignored.
    angle : float, optional
        The opening of that cone in degrees, above 0 and at most 360. A cone is not symmetric.
    walls : bool, optional
        Whether walls count, on a grid or a graph of squares, of which a side can be seen, and those
        in the corner between two such: for drawing. By default only open cells are seen.
    outside : {"refuse", "clamp"}
        With "clamp" positions off the map count as in the nearest cell.

    Raises
    ------
    InvalidValue
        For arguments outside of these ranges, and heights or walls on other graphs.
    OutsideMap
        For positions off the map.
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
    outside: str = "refuse",
) -> NDArray[np.int32]:
    """How many of the positions see each cell: int32 in the space's shape.

    The cover map of a group of enemies: cover is where this is 0. Takes what `visible` takes;
    positions in the same cell count each.
    """
    positions = on_map(checked_space(space, "Sight takes place on"), positions, outside)
    points, narrow, facings = _viewers(space, positions, facing, angle)
    radius = finite_radii(space, radius)
    walls = checks.flag("walls", walls)
    grid = space.sight_grid
    if grid is None:
        needs_plane(space, "Sight")
        _without(heights=heights, walls=walls or None)
        return graph_sight.counted(
            space.graph, points, squares(radius, len(points)), facings, narrow
        ).reshape(space.shape)
    reaches = limits(grid, radius, len(points))
    ground = (
        kernels.visible.NO_HEIGHTS
        if heights is None
        else checked_heights(space, heights).reshape(grid.shape)
    )
    eye = checks.not_negative("eye", eye)
    sources = np.atleast_1d(space.cell_at(points)).astype(np.int64)
    opaque, lit, doors = space.opaque.reshape(grid.shape), walls, _NONE
    differs = space.opaque is not space.walls
    if differs:
        # Open cells that hide are looked at one by one; with heights, as walls are.
        doors, lit = np.flatnonzero(opaque & ~grid.walls), walls or heights is not None
    blocked = opaque.view(np.uint8)
    largest = int(reaches.max(initial=0))
    work = len(sources) * kernels.visible.most_cells(grid.shape, largest)
    parts = pool.shares(min(len(sources), work // _CELLS_PER_THREAD))
    shares = [np.zeros(grid.shape, dtype=np.int32) for _ in range(parts)]
    deals = [
        [np.ascontiguousarray(each[k::parts]) for each in (sources, reaches, facings)]
        for k in range(parts)
    ]
    pool.run(
        [
            (
                kernels.visible.field_of_view,
                (
                    blocked,
                    ground,
                    *deals[k],
                    eye,
                    narrow,
                    grid.wrap,
                    lit,
                    shares[k],
                    kernels.visible.room(grid.shape, largest, heights=heights is not None),
                ),
            )
            for k in range(parts)
        ]
    )
    for share in shares[1:]:
        shares[0] += share
    found = shares[0]
    if len(doors) and not lit:
        seen = look_at(opaque, grid.wrap, sources, doors, reaches, facings, narrow)
        found.reshape(-1)[doors] = (seen | (sources[:, np.newaxis] == doors)).sum(axis=0)
    if differs and not walls:
        found[grid.walls] = 0
    return found.reshape(space.shape)


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
    outside: str = "refuse",
) -> NDArray[np.bool_]:
    """Which viewers see which targets: bool of shape (V, T); with `pairs`, whether each sees the
    target of its own number: (V,).

    As in `visible`, but on a mesh and between waypoints lines lead from position to position, and
    neither of the two cells at the ends
    blocks, nor is anything seen there because it is in the same cell: a cone of sight has a back.

    Parameters
    ----------
    space : Space
        A grid or a graph. Its walls hide, or what `set_opaque` says.
    viewers : array_like
        World positions, (V, 2), or (V, 3) on a graph in 3D; one position counts as one viewer.
    targets : array_like
        The same, (T, 2) or (T, 3).
    radius, facing, angle
        As in `visible`; one, or one per viewer.
    heights, eye : array_like, optional / float, optional
        As in `visible`; targets on walls are not seen then.
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
    """
    checked_space(space, "Sight takes place on")
    viewers, targets = on_map(space, viewers, outside), on_map(space, targets, outside)
    points, narrow, facings = _viewers(space, viewers, facing, angle)
    radius = finite_radii(space, radius)
    aims, _ = checks.positions(targets, dimensions=space.dimensions)
    grid = space.sight_grid
    if checks.flag("pairs", pairs):
        if len(aims) != len(points):
            raise InvalidValue(
                "Pairs have as many targets as viewers",
                got=f"{len(aims)} for {len(points)}",
                remedy="Leave pairs out for all",
            )
        if grid is None or heights is not None:
            return _pair_by_pair(
                space, points, aims, radius, facing, heights=heights, eye=eye, angle=angle
            )
    if grid is None:
        needs_plane(space, "Sight")
        _without(heights=heights)
        return graph_sight.sees(
            space.graph, points, aims, squares(radius, len(points)), facings, narrow
        )
    if heights is not None:
        goals = np.atleast_1d(space.cell_at(aims)).astype(np.int64)
        radii, ways = (
            checks.numbers("radius", radius, len(points)),
            None
            if facing is None
            else np.broadcast_to(checks.array("facing", facing), points.shape),
        )
        looks = [
            visible(
                space,
                p,
                r,
                heights=heights,
                eye=eye,
                facing=None if ways is None else ways[v],
                angle=angle,
            ).reshape(-1)[goals]
            for v, (p, r) in enumerate(zip(points, radii.tolist(), strict=True))
        ]
        return np.array(looks, dtype=np.bool_).reshape(len(points), len(aims))
    reaches = limits(grid, radius, len(points))
    cells, goals = _cells(space, viewers), _cells(space, targets)
    opaque = space.opaque.reshape(grid.shape)
    seen = look_at(opaque, grid.wrap, cells, goals, reaches, facings, narrow, pairs=pairs)
    return seen[:, 0] if pairs else seen


def _cells(space: Space, positions: ArrayLike) -> NDArray[np.int64]:
    found = space.cell_at(positions)
    return np.array([found]) if isinstance(found, int) else np.atleast_1d(found).astype(np.int64)


def _pair_by_pair(
    space: Space,
    points: NDArray[np.float64],
    aims: NDArray[np.float64],
    radius: ArrayLike,
    facing: ArrayLike | None,
    **look: Any,
) -> NDArray[np.bool_]:
    """Whether each viewer sees the target of its own number, (V,): a few at a time, of which every
    viewer looks at every target.
    """
    seen = np.zeros(len(points), dtype=np.bool_)
    each = np.broadcast_to(checks.array("radius", radius), len(points))
    ways = (
        None
        if facing is None
        else np.broadcast_to(checks.array("facing", facing), (len(points), 2))
    )
    for low in range(0, len(points), _FEW):
        few = slice(low, low + _FEW)
        seen[few] = sees(
            space,
            points[few],
            aims[few],
            each[few],
            facing=None if ways is None else ways[few],
            **look,
        ).diagonal()
    return seen


def _viewers(
    space: Space, positions: ArrayLike, facing: ArrayLike | None, angle: float
) -> tuple[NDArray[np.float64], float, NDArray[np.float64]]:
    """Checked positions (N, 2 or 3), the cosine of half the cone, and unit vectors (N, 2), none
    without a facing.
    """
    points, _ = checks.positions(positions, dimensions=space.dimensions)
    opening = checks.positive("angle", angle)
    if opening > 360:
        raise InvalidValue(
            "angle is at most 360 degrees",
            got=f"angle={angle!r}",
            remedy="Pass an angle in degrees, up to 360",
        )
    narrow = math.cos(math.radians(opening / 2)) - 1e-9  # both edges of the cone belong to it
    return (
        points,
        narrow,
        kernels.visible.NO_FACINGS
        if facing is None
        else checked_facings(space, facing, len(points)),
    )


def _without(**options: object) -> None:
    for name, given in options.items():
        if given is not None:
            raise InvalidValue(
                f"Sight on a graph without squares has no {name}",
                got=f"{name}=...",
                remedy=f"Leave {name} out",
            )
