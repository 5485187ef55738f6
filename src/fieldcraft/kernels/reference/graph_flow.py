"""Directions between the vertices of a graph, spelled out: the specification of `fieldcraft.kernels.graph_flow`."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["lead", "lead_through", "point"]

MARGIN = 0.05
"""How far from the ends of a door one passes it, in shares of it."""
NEAR = 1e-4
"""How near to a door one stands in it, in shares of its width."""
AHEAD = 32
"""How many doors one looks ahead."""

Wide = NDArray[np.float64]
Ints = NDArray[np.int64]


def point(
    ends: NDArray[np.int32], closed: NDArray[np.bool_], walls: NDArray[np.bool_], places: Wide, vertices: Ints, taken: Ints,
    following: Ints, vectors: NDArray[np.float32],
) -> None:  # fmt: skip
    """Write what follows each of the vertices, and the unit vector there, after the arcs `taken`; shut ones are taken no more."""
    for vertex in vertices.tolist():
        arc = int(taken[vertex])
        if arc >= 0 and (closed[arc] or walls[ends[arc]]):
            arc = taken[vertex] = -1
        following[vertex] = ends[arc] if arc >= 0 else -1
        vectors[vertex] = 0.0
        if arc >= 0:
            away = [float(places[ends[arc], a] - places[vertex, a]) for a in range(places.shape[1])]
            length = math.sqrt(_squared(away))
            if length > 0:
                vectors[vertex] = [x / length for x in away]


def lead(
    starts: Ints,
    origins: NDArray[np.int32],
    places: Wide,
    taken: Ints,
    following: Ints,
    goals: NDArray[np.bool_],
    points: Wide,
    vertices: Ints,
    first: int,
    last: int,
    out: Wide,
) -> None:
    """Write the unit vectors in which to walk from points, whose nearest vertices are given, from `first` up to `last`.

    `taken` and `following` are the arc and the vertex to take from each vertex, -1 for none, `goals` the vertices where ways end. Of the
    arcs that the field takes out of a vertex and into it, the one nearest to the point is followed to its end; the one out of the
    vertex where they are equally near. Next to a goal that is the goal itself.
    """
    axes = range(places.shape[1])
    for i in range(first, last):
        vertex, point = int(vertices[i]), points[i].tolist()
        aim, best = -1, math.inf
        if goals[vertex]:
            aim, best = vertex, _squared([point[a] - float(places[vertex, a]) for a in axes])
        elif following[vertex] >= 0:
            aim, best = int(following[vertex]), _off(places, vertex, int(following[vertex]), point)
        if aim >= 0:
            for arc in range(int(starts[vertex]), int(starts[vertex + 1])):
                if taken[origins[arc]] == arc:
                    off = _off(places, int(origins[arc]), vertex, point)
                    if off < best:
                        aim, best = vertex, off
        out[i] = 0.0
        if aim >= 0:
            away = [float(places[aim, a] - point[a]) for a in axes]
            length = math.sqrt(_squared(away))
            if length > 0:
                out[i] = [x / length for x in away]


def lead_through(
    following: Ints,
    goals: NDArray[np.bool_],
    middles: Wide,
    gates: Ints,
    behind: NDArray[np.int32],
    sides: Wide,
    shut: NDArray[np.bool_],
    points: Wide,
    polygons: Ints,
    first: int,
    last: int,
    out: Wide,
) -> None:
    """Write the unit vectors (x, y) in which to walk from `points` in `polygons`, from `first` up to `last`.

    Doors are given as to `mesh_moving`. A string is pulled taut through the doors that lead on, `AHEAD` of them, each narrowed by `MARGIN`,
    to the middle of the last polygon or door; one makes for its first bend. Who stands in a door already pulls it through those
    behind, and goes straight out if it leads back. In a goal one makes for its middle, and so one does where no door leads on.
    """
    for i in range(first, last):
        polygon = int(polygons[i])
        x, y = float(points[i, 0]), float(points[i, 1])
        out[i] = 0.0
        if following[polygon] < 0 and not goals[polygon]:
            continue
        ax, ay = _aim(following, middles, gates, behind, sides, shut, polygon, x, y)
        length = math.sqrt((ax - x) * (ax - x) + (ay - y) * (ay - y))
        if length > 0:
            out[i, 0], out[i, 1] = (ax - x) / length, (ay - y) / length


def _aim(
    following: Ints, middles: Wide, gates: Ints, behind: NDArray[np.int32], sides: Wide, shut: NDArray[np.bool_],
    polygon: int, x: float, y: float,
) -> tuple[float, float]:  # fmt: skip
    lx = ly = rx = ry = nx = ny = 0.0
    fx, fy = x, y
    open_ = False
    here = polygon
    for passed in range(AHEAD):
        then = int(following[here])
        door = _portal(gates, behind, sides, shut, here, then, fx, fy) if then >= 0 else -1
        if door < 0:
            fx, fy = middles[here if then < 0 else then].tolist()
            break
        # Who leaves through a door from u to v has v on the left, where left is what turns y towards -x.
        ux, uy, vx, vy = sides[door].tolist()
        ex, ey = MARGIN * (vx - ux), MARGIN * (vy - uy)
        ux, uy, vx, vy = ux + ex, uy + ey, vx - ex, vy - ey
        fx, fy = (ux + vx) / 2, (uy + vy) / 2
        if passed == 0 and _squared_off(ux, uy, vx, vy, x, y) <= NEAR * NEAR * ((vx - ux) * (vx - ux) + (vy - uy) * (vy - uy)):
            nx, ny = vy - uy, ux - vx
        elif not open_:
            lx, ly, rx, ry, open_ = vx, vy, ux, uy, True
        else:
            # The new door narrows the string's room, or lies beyond a bend of it.
            if _turn(x, y, rx, ry, ux, uy) >= 0:
                if _turn(x, y, lx, ly, ux, uy) > 0:
                    fx, fy = lx, ly
                    break
                rx, ry = ux, uy
            if _turn(x, y, lx, ly, vx, vy) <= 0:
                if _turn(x, y, rx, ry, vx, vy) < 0:
                    fx, fy = rx, ry
                    break
                lx, ly = vx, vy
        here = then
    if open_:
        if _turn(x, y, rx, ry, fx, fy) < 0:
            fx, fy = rx, ry
        elif _turn(x, y, lx, ly, fx, fy) > 0:
            fx, fy = lx, ly
    if (nx != 0 or ny != 0) and (fx - x) * nx + (fy - y) * ny <= 0:
        fx, fy = x + nx, y + ny
    return fx, fy


def _turn(ax: float, ay: float, bx: float, by: float, cx: float, cy: float) -> float:
    """Above 0 where c lies to the left of the line from a to b."""
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)


def _squared_off(ux: float, uy: float, vx: float, vy: float, x: float, y: float) -> float:
    """The squared distance of a place from the line between two others."""
    ex, ey = vx - ux, vy - uy
    size = ex * ex + ey * ey
    share = min(max(((x - ux) * ex + (y - uy) * ey) / size, 0.0), 1.0) if size > 0 else 0.0
    px, py = x - ux - share * ex, y - uy - share * ey
    return px * px + py * py


def _portal(
    gates: Ints, behind: NDArray[np.int32], sides: Wide, shut: NDArray[np.bool_], polygon: int, then: int, x: float, y: float
) -> int:
    """The open portal from a polygon to another whose middle is nearest to a place, or -1."""
    found, best = -1, math.inf
    for portal in range(int(gates[polygon]), int(gates[polygon + 1])):
        if behind[portal] == then and not shut[portal]:
            ux, uy, vx, vy = sides[portal].tolist()
            mx, my = (ux + vx) / 2 - x, (uy + vy) / 2 - y
            if mx * mx + my * my < best:
                found, best = portal, mx * mx + my * my
    return found


def _off(places: Wide, start: int, end: int, point: list[float]) -> float:
    """The squared distance of a point from the straight line between two vertices."""
    axes = range(places.shape[1])
    along = [float(places[end, a] - places[start, a]) for a in axes]
    away = [point[a] - float(places[start, a]) for a in axes]
    square = _squared(along)
    share = min(max(_dot(away, along) / square, 0.0), 1.0) if square > 0 else 0.0
    return _squared([x - share * y for x, y in zip(away, along, strict=True)])


def _squared(vector: list[float]) -> float:
    return _dot(vector, vector)


def _dot(one: list[float], other: list[float]) -> float:
    total = 0.0
    for x, y in zip(one, other, strict=True):
        total += x * y
    return total
