"""Which way to walk, spelled out: the specification of `fieldcraft.kernels.flow`.

All arrays have row 0 where y is smallest. `bars` are `space.passages`. A cell may be left by the
sides behind which it is nearer to the goal, so that who follows the field comes nearer with every
cell. One case needs care: where ground has a price, only a diagonal step may lead nearer, past two
dear cells. Nobody walks exactly through a corner, so such a *pinched* cell is left through the
cheaper of the two, and that one may be left only for what is nearer than the pinched cell.
"""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["pinch", "point", "sample"]

EAST, WEST, NORTH, SOUTH = 1, 2, 4, 8
WALL = 255
SIDES = ((EAST, 1, 0), (WEST, -1, 0), (NORTH, 0, 1), (SOUTH, 0, -1))
CORNERS = (
    (16, EAST, NORTH, 1, 1),
    (32, WEST, NORTH, -1, 1),
    (64, EAST, SOUTH, 1, -1),
    (128, WEST, SOUTH, -1, -1),
)

_Kind = TypeVar("_Kind", np.float64, np.uint8)
Wide = NDArray[np.float64]
Floats = NDArray[np.float32]
Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]


def pinch(
    distances: Wide, bars: Bytes, goals: Bytes, cells: Ints, first: int, last: int, pinched: Bytes
) -> None:
    """For `cells` from which only a diagonal step leads nearer: the side through which to pass its
    corner; else 0.
    """
    nearer = np.zeros(distances.shape, dtype=np.bool_)
    for bit, dx, dy in SIDES:
        nearer |= (bars & bit == 0) & (_beside(distances, dx, dy) < distances)
    found = np.zeros(distances.shape, dtype=np.uint8)
    best = distances.copy()
    for bit, side, level, dx, dy in CORNERS:
        there = _beside(distances, dx, dy)
        better = (bars & (bit | side | level) == 0) & (there < best)
        found[better] = np.where(
            _beside(distances, dx, 0) <= _beside(distances, 0, dy), side, level
        )[better]
        best[better] = there[better]
    found[nearer | (bars == WALL) | (goals != 0) | np.isinf(distances)] = 0
    chosen = cells[first:last]
    pinched.reshape(-1)[chosen] = found.reshape(-1)[chosen]


def point(
    distances: Wide,
    bars: Bytes,
    goals: Bytes,
    pinched: Bytes,
    cells: Ints,
    first: int,
    last: int,
    vectors: Floats,
    gates: Bytes,
) -> None:
    """The direction of each of `cells` into `vectors` (h, w, 2), and the sides and corners it may
    be left by into `gates`.

    Along each axis the direction is as steep as the distance falls, by the side where it falls
    most. It points between two sides only if the cell between them is nearer to the goal too and
    nothing bars the corner; else to the side where it falls most.
    """
    cap = distances.copy()
    for (bit, _, _), (_, dx, dy) in zip(
        SIDES, (SIDES[1], SIDES[0], SIDES[3], SIDES[2]), strict=True
    ):
        leads_here = (_beside(pinched, dx, dy) == bit) & (_beside(bars, dx, dy) & bit == 0)
        cap = np.where(leads_here, np.minimum(cap, _beside(distances, dx, dy)), cap)
    base = np.where(np.isinf(distances), cap, distances)
    gate = np.zeros(distances.shape, dtype=np.uint8)
    for bit, dx, dy in SIDES:
        gate |= np.where((bars & bit == 0) & (_beside(distances, dx, dy) < cap), bit, 0).astype(
            np.uint8
        )
    for bit, side, level, dx, dy in CORNERS:
        free = (
            (gate & side != 0)
            & (gate & level != 0)
            & (bars & bit == 0)
            & (_beside(distances, dx, dy) < cap)
        )
        gate |= np.where(free, bit, 0).astype(np.uint8)
    falls = []
    for ahead, behind in (SIDES[:2], SIDES[2:]):
        with np.errstate(invalid="ignore"):
            one, other = (
                np.where(gate & bit != 0, base - _beside(distances, dx, dy), 0.0)
                for bit, dx, dy in (ahead, behind)
            )
        falls.append(np.where(other > one, -other, one))
    x, y = falls
    corner = np.left_shift(16, (x < 0) + 2 * (y < 0))
    straight = (x != 0) & (y != 0) & (gate & corner == 0)
    across = np.abs(x) >= np.abs(y)
    x, y = np.where(straight & ~across, 0.0, x), np.where(straight & across, 0.0, y)
    scale = np.maximum(np.abs(x), np.abs(y))
    falling = scale > 0
    with np.errstate(invalid="ignore"):  # infinite where no way leads, which is nowhere below
        x, y = (np.divide(part, scale, out=np.zeros_like(scale), where=falling) for part in (x, y))
        length = np.sqrt(x * x + y * y)
        x, y = (np.divide(part, length, out=np.zeros_like(scale), where=falling) for part in (x, y))
    for bit, dx, dy in SIDES:
        x, y, gate = (
            np.where(pinched == bit, dx, x),
            np.where(pinched == bit, dy, y),
            np.where(pinched == bit, np.uint8(bit), gate),
        )
    nowhere = (bars == WALL) | (goals != 0) | np.isinf(cap)
    chosen = cells[first:last]
    vectors.reshape(-1, 2)[chosen] = np.where(
        nowhere[..., np.newaxis], 0, np.stack([x, y], axis=-1)
    ).reshape(-1, 2)[chosen]
    gates.reshape(-1)[chosen] = np.where(nowhere, 0, gate).reshape(-1)[chosen]


def sample(
    vectors: Floats,
    gates: Bytes,
    points: Wide,
    x0: float,
    y0: float,
    size: float,
    wrap: bool,
    clamp: bool,
    first: int,
    last: int,
    wrong: Ints,
    out: Wide,
) -> None:
    """The direction at each of `points` (N, 2), world units, into `out` (N, 2), unit or 0; a point
    off the map into `wrong[0]`.

    The directions of the 2 x 2 cells whose centers surround the point, mixed by how near these are;
    that of the cell across only if one of those beside has one. Of the mixture goes what points to
    where the point's own cell must not be left; if less than half of the rest points the way of the
    own cell, that cell's direction serves alone.
    """
    height, width = gates.shape
    for i in range(first, last):
        x, y = points[i].tolist()
        u, v = (x - x0) / size, (y - y0) / size
        if not (0 <= u < width and 0 <= v < height):
            if not (math.isfinite(u) and math.isfinite(v) and (clamp or wrap)):
                wrong[0] = i
                continue
            if not wrap:
                u = min(max(u, 0.0), width * (1 - 2.0**-53))
                v = min(max(v, 0.0), height * (1 - 2.0**-53))
        column, row = float(np.floor(u)), float(np.floor(v))
        c, r = int(column % width), int(row % height)
        own = vectors[r, c].astype(np.float64)
        if not own.any():
            out[i] = 0
            continue
        tx, ty = u - column - 0.5, v - row - 0.5
        c1, tx = _toward(c, tx, width, wrap)
        r1, ty = _toward(r, ty, height, wrap)
        mixed = (
            own * ((1 - tx) * (1 - ty))
            + vectors[r, c1] * np.float64(tx * (1 - ty))
            + vectors[r1, c] * np.float64((1 - tx) * ty)
        )
        if vectors[r, c1].any() or vectors[r1, c].any():
            mixed = mixed + vectors[r1, c1] * np.float64(tx * ty)
        out[i] = _let_out(mixed, own, int(gates[r, c]))


def _toward(own: int, part: float, count: int, wrap: bool) -> tuple[int, float]:
    """The neighbouring row or column on that side of the center, and how much it counts; the own
    one off the map.
    """
    other = own + (1 if part >= 0 else -1)
    if wrap:
        return other % count, abs(part)
    return (other, abs(part)) if 0 <= other < count else (own, 0.0)


def _let_out(mixed: Wide, own: Wide, gate: int) -> tuple[float, float]:
    """A direction, freed of what points to where the cell must not be left."""
    x, y = mixed.tolist()
    own_x, own_y = own.tolist()
    if not gate & (EAST if x > 0 else WEST):
        x = 0.0
    if not gate & (NORTH if y > 0 else SOUTH):
        y = 0.0
    if x and y and not gate & (16 << ((x < 0) + 2 * (y < 0))):
        if abs(own_x) >= abs(own_y):
            y = 0.0
        else:
            x = 0.0
    length = math.sqrt(x * x + y * y)
    if length == 0 or x * own_x + y * own_y < 0.5 * length:
        x, y, length = own_x, own_y, math.sqrt(own_x * own_x + own_y * own_y)
    return x / length, y / length


def _beside(array: NDArray[_Kind], dx: int, dy: int) -> NDArray[_Kind]:
    """For each cell, the value of `array` one step (dx, dy) further, from the other side at the
    rim, where `bars` tell maps from tori.
    """
    return np.roll(array, (-dy, -dx), axis=(0, 1))
