"""Who sees what, and what a shot sweeps."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.kernels import pool
from fieldcraft.kernels.reference import sight as reference
from fieldcraft.kernels.reference import stamp as stamp_reference
from fieldcraft.space.grid import Grid

__all__ = ["Shot", "incoming", "visible", "watchers"]

_CELLS_PER_THREAD = 20_000  # cells looked at that pay for waking a thread


def visible(
    space: Grid,
    positions: ArrayLike,
    radius: ArrayLike,
    *,
    heights: ArrayLike | None = None,
    eye: float = 1.0,
    facing: ArrayLike | None = None,
    angle: float = 90.0,
    walls: bool = False,
) -> NDArray[np.bool_]:
    """Which cells can be seen from a position: bool of shape (height, width), [row, column].

    A cell is seen if its centre lies within the radius and the straight line to it, from the centre of the cell that
    the position is in, crosses no wall. The line may touch corners of walls on one side, not on both. So between open
    cells sight is symmetric, to the last bit: of two with the same radius, each sees the other or neither does. On a
    torus sight goes the shortest way.

    Parameters
    ----------
    space: a grid; its walls block.
    positions: one (x, y) pair, or an (N, 2) array: then what any of them sees.
    radius: world units, above 0; one, or one per position.
    heights: numbers of shape (height, width), [row, column]: how high the ground is. Ground that rises above the line
        between two eyes blocks, anywhere but in the two cells at the ends. Walls block at any height.
    eye: how far above the ground eyes are, in the units of `heights`, at least 0. It counts for both ends.
    facing: an (x, y) direction, or one per position: see only a cone around it, and the cell stood in.
    angle: the opening of that cone in degrees, above 0 and at most 360. A cone is not symmetric.
    walls: whether walls count of which a side can be seen, and those in the corner between two such: for drawing. By
        default only open cells are seen.

    A position on a wall, a tower say, sees out: its own cell does not block. What it sees would see it with `walls=True`.

    Raises `InvalidValue` for arguments outside of these ranges and `OutsideMap` for positions off the map.
    """
    return _counted(space, positions, radius, heights, eye, facing, angle, walls) > 0


def watchers(
    space: Grid,
    positions: ArrayLike,
    radius: ArrayLike,
    *,
    heights: ArrayLike | None = None,
    eye: float = 1.0,
    facing: ArrayLike | None = None,
    angle: float = 90.0,
    walls: bool = False,
) -> NDArray[np.int32]:
    """How many of the positions see each cell: int32 of shape (height, width), [row, column].

    The cover map of a group of enemies: cover is where this is 0. Takes what `visible` takes; positions in the same cell
    count each.
    """
    return _counted(space, positions, radius, heights, eye, facing, angle, walls)


@dataclass(frozen=True)
class Shot:
    """What a shot sweeps, in the order in which it gets there; of cells passed at once the lowest id comes first.

    `cells` (N,) int64 are open cells; `seconds` (N,) float64 the time from now until the shot passes each; `end` the
    (x, y) where it stops, `blocked` whether something stopped it there before its end.
    """

    cells: NDArray[np.int64]
    seconds: NDArray[np.float64]
    end: tuple[float, float]
    blocked: bool


def incoming(space: Grid, start: ArrayLike, end: ArrayLike, *, speed: float, width: float = 0.0) -> Shot:
    """The cells that a shot from `start` to `end` will sweep, and when.

    It stops where it enters a wall or leaves the map, and where it would squeeze between two walls that touch it on both
    sides; the wall that it starts in does not stop it. It sweeps the open cells that it crosses, and with a `width` those
    whose centre lies within half of it of the line, unless a wall stands between. A cell is passed when the shot is nearest
    its centre.

    For a danger that grows as the shot comes nearer, weigh by time: `falloff(shot.seconds / horizon)`.

    Parameters
    ----------
    space: a grid.
    start, end: (x, y) in world units. `end` may lie off the map. On a torus the shot goes as the numbers say, round and
        round if they say so; aim over the seam by an end beyond the rim. Both are rounded to 1/2047 of a cell.
    speed: world units per second, above 0.
    width: world units, at least 0 and at most 2,048 cells.

    Raises `InvalidValue` for arguments outside of these ranges, or an end more than 262,144 cells away, and `OutsideMap`
    if `start` is off the map.
    """
    _checked_grid(space)
    from_to = []
    for name, point in (("start", start), ("end", end)):
        points, single = checks.positions(point)
        if not single:
            raise InvalidValue(f"{name} is one (x, y) pair", got=f"an array of shape {np.shape(point)}", remedy="Call once per shot")
        from_to.append(points[0])
    seconds = math.hypot(*(from_to[1] - from_to[0])) / checks.positive("speed", speed)
    half_width = _half_width(space, width)
    if not math.isfinite(seconds):
        raise InvalidValue("A shot arrives in finite time", got=f"speed={speed!r}", remedy="Pass a faster speed or a nearer end")
    (y0, x0), (y1, x1) = _units(space, from_to[0], from_to[1])

    blocked = space.walls.view(np.uint8)
    if kernels.compiled():
        from fieldcraft.kernels import stamp

        crossings = abs(y1 // stamp.UNITS - y0 // stamp.UNITS) + abs(x1 // stamp.UNITS - x0 // stamp.UNITS)
        if not space.wrap:
            crossings = min(crossings, space.height + space.width)
        cells, shares, path, slot = stamp.room(space.shape, crossings, half_width)
        count, stop = stamp.shot(blocked, y0, x0, y1, x1, half_width, space.wrap, cells, shares, path, slot)
        cells, shares = cells[:count], shares[:count]
    else:
        cells, shares, stop = stamp_reference.shot(blocked, y0, x0, y1, x1, half_width, space.wrap)
    order = np.lexsort((cells, shares))
    x, y = from_to[0] + stop * (from_to[1] - from_to[0])
    return Shot(cells[order], shares[order] * seconds, (float(x), float(y)), stop < 1)


def _counted(
    space: Grid,
    positions: ArrayLike,
    radius: ArrayLike,
    heights: ArrayLike | None,
    eye: float,
    facing: ArrayLike | None,
    angle: float,
    walls: bool,
) -> NDArray[np.int32]:
    _checked_grid(space)
    points, _ = checks.positions(positions)
    limits = _limits(space, radius, len(points))
    ground = reference.NO_HEIGHTS if heights is None else _checked_heights(space, heights)
    eye = checks.not_negative("eye", eye)
    facings = reference.NO_FACINGS if facing is None else _checked_facings(space, facing, len(points))
    opening = checks.positive("angle", angle)
    if opening > 360:
        raise InvalidValue("angle is at most 360 degrees", got=f"angle={angle!r}", remedy="Pass an angle in degrees, up to 360")
    narrow = math.cos(math.radians(opening / 2)) - 1e-9  # both edges of the cone belong to it
    sources = np.atleast_1d(space.cell_at(points)).astype(np.int64)
    blocked = space.walls.view(np.uint8)
    if not kernels.compiled():
        counts = np.zeros(space.shape, dtype=np.int32)
        reference.field_of_view(blocked, ground, eye, sources, limits, facings, narrow, space.wrap, walls, counts)
        return counts

    from fieldcraft.kernels import sight

    largest = int(limits.max(initial=0))
    work = len(sources) * sight.most_cells(space.shape, largest)
    parts = max(1, min(pool.threads(), len(sources), work // _CELLS_PER_THREAD))
    shares = [np.zeros(space.shape, dtype=np.int32) for _ in range(parts)]
    pool.run(
        [
            (
                sight.field_of_view,
                (
                    blocked, ground, eye, sources[k::parts], limits[k::parts], facings[k::parts], narrow, space.wrap, walls, shares[k],
                    *sight.room(space.shape, largest, heights=heights is not None),
                ),
            )
            for k in range(parts)
        ]
    )  # fmt: skip
    for share in shares[1:]:
        shares[0] += share
    return shares[0]


def _checked_grid(space: Grid) -> None:
    if not isinstance(space, Grid):
        raise InvalidValue("Sight needs a grid", got=type(space).__name__, remedy="Pass a fieldcraft.Grid")


def _limits(space: Grid, radius: ArrayLike, count: int) -> NDArray[np.int64]:
    radii = np.asarray(radius)
    if radii.ndim == 0:
        radii = np.full(count, checks.positive("radius", radius))
    if radii.shape != (count,) or radii.dtype.kind not in "iuf":
        raise InvalidValue(
            "radius is one number, or one per position",
            got=f"{radii.dtype} of shape {radii.shape} for {count} positions",
            remedy=f"Pass one number or {count} of them",
        )
    bad = np.flatnonzero(~(np.isfinite(radii) & (radii > 0)))
    if len(bad):
        raise InvalidValue("radius is finite and above 0", got=f"{radii[bad[0]]} at index {bad[0]}", remedy="Pass a radius above 0")
    different, which = np.unique(radii, return_inverse=True)
    return np.array([reference.squared_reach(float(r) / space.cell_size) for r in different], dtype=np.int64)[which]


def _checked_heights(space: Grid, heights: ArrayLike) -> NDArray[np.float32]:
    array = np.asarray(heights)
    if array.shape != space.shape or array.dtype.kind not in "iuf":
        hint = " (these look like [x, y]: transpose them)" if array.shape == space.shape[::-1] != space.shape else ""
        raise InvalidValue(
            "heights are numbers of the map's shape (height, width)",
            got=f"{array.dtype} of shape {array.shape} on a map of {space.shape}{hint}",
            remedy="Pass an array indexed [row, column]",
        )
    with np.errstate(over="ignore"):
        narrow = np.ascontiguousarray(array, dtype=np.float32)
    if not np.isfinite(narrow).all():
        row, column = np.argwhere(~np.isfinite(narrow))[0].tolist()
        raise InvalidValue(
            "heights are finite float32 numbers", got=f"{array[row, column]} at [{row}, {column}]", remedy="Replace NaN and infinity"
        )
    return narrow


def _checked_facings(space: Grid, facing: ArrayLike, count: int) -> NDArray[np.float64]:
    remedy = f"Pass one (x, y) pair or an array of shape ({count}, 2), none of them (0, 0)"
    array = np.asarray(facing)
    if array.dtype.kind not in "iuf" or array.shape not in ((2,), (count, 2)):
        raise InvalidValue(
            "facing is one (x, y) direction, or one per position",
            got=f"{array.dtype} of shape {array.shape} for {count} positions",
            remedy=remedy,
        )
    wide = np.broadcast_to(array, (count, 2)).astype(np.float64)
    largest = np.abs(wide).max(axis=1, keepdims=True)
    bad = np.flatnonzero(~(np.isfinite(largest) & (largest > 0)))
    if len(bad):
        raise InvalidValue("A direction is finite and not (0, 0)", got=f"{tuple(wide[bad[0]].tolist())}", remedy=remedy)
    wide /= largest
    wide /= np.hypot(wide[:, 0], wide[:, 1])[:, np.newaxis]
    if space.y_up:
        wide[:, 1] *= -1
    return wide


def _half_width(space: Grid, width: float) -> float:
    """Half the width of a shot in the units of points."""
    half = checks.not_negative("width", width) / 2 / space.cell_size
    if half > stamp_reference.WIDEST:
        raise InvalidValue(
            f"A shot is at most {2 * stamp_reference.WIDEST:,} cells wide", got=f"width={width!r}", remedy="Pass a smaller width"
        )
    return half * stamp_reference.UNITS


def _units(space: Grid, start: NDArray[np.float64], end: NDArray[np.float64]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Both points as (row, column) in units, the start on the map."""
    space.cell_at(start)
    if not (np.abs(end - start) <= stamp_reference.LONGEST * space.cell_size).all():
        raise InvalidValue(
            f"A shot ends at most {stamp_reference.LONGEST:,} cells from its start",
            got=f"{start.tolist()} to {end.tolist()} on cells of {space.cell_size:g}",
            remedy="Cut it to its range",
        )
    x0, x1 = (stamp_reference.units((float(point[0]) - space.origin[0]) / space.cell_size) for point in (start, end))
    y0, y1 = (stamp_reference.units((float(point[1]) - space.origin[1]) / space.cell_size) for point in (start, end))
    across, down = space.width * stamp_reference.UNITS, space.height * stamp_reference.UNITS
    x1, x0 = x1 - x0 // across * across, x0 % across
    y1, y0 = y1 - y0 // down * down, y0 % down
    return ((down - y0, x0), (down - y1, x1)) if space.y_up else ((y0, x0), (y1, x1))
