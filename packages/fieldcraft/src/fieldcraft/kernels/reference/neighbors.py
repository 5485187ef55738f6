"""The neighbors of agents, spelled out: the specification of `fieldcraft.kernels.neighbors`.

Agents are sorted into square bins at least as wide as they see, so that all neighbours of one lie
in the 3 x 3 bins around its own. Sums run over these bins row by row, on a torus beginning with
those that lie before the rim, and within a bin as agents come.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["APART_X", "APART_Y", "closest", "flock", "separate", "sort"]

Wide = NDArray[np.float64]
Ints = NDArray[np.int64]

_TURNS = [k * math.pi * (3 - math.sqrt(5)) for k in range(16)]
APART_X, APART_Y = np.cos(_TURNS), np.sin(_TURNS)
"""Where agents in one spot go: the first of a pair one way, the other the opposite."""


def _bins(at: Wide, low: float, per: float, count: int) -> Ints:
    return np.asarray(np.clip((at - low) * per, 0, count - 1)).astype(np.int64)


def _onto(points: Wide, low_x: float, low_y: float, period_x: float, period_y: float) -> Wide:
    """Points, on a torus those on the map."""
    if period_x == 0:
        return points.copy()
    return np.stack(
        [low_x + (points[:, 0] - low_x) % period_x, low_y + (points[:, 1] - low_y) % period_y],
        axis=1,
    )


def sort(
    points: Wide,
    low_x: float,
    low_y: float,
    period_x: float,
    period_y: float,
    per_x: float,
    per_y: float,
    columns: int,
    keys: Ints,
    starts: Ints,
    order: Ints,
    places: Wide,
    lines: Wide,
) -> None:
    """Sort `points` (N, 2) by bins, those of a bin as they come: `order` says which is where,
    `places` has them (on a torus: on the map).

    The members of bin `b` are `starts[b]` to `starts[b + 1]`; `lines` (2, N) has all x, then all y
    of `places`; `keys` is scratch of N.
    """
    rows = (len(starts) - 1) // columns
    on_map = _onto(points, low_x, low_y, period_x, period_y)
    keys[:] = _bins(on_map[:, 1], low_y, per_y, rows) * columns + _bins(
        on_map[:, 0], low_x, per_x, columns
    )
    order[:] = np.argsort(keys, kind="stable")
    places[:] = on_map[order]
    lines[:] = places.T
    starts[:] = np.searchsorted(keys[order], np.arange(len(starts)))


def _beside(own: int, count: int, wrap: bool) -> list[int]:
    """The bins around one along an axis, in the order in which sums run."""
    if not wrap:
        return list(range(max(own - 1, 0), min(own + 2, count)))
    if count < 3:
        return list(range(count))
    return [(own + d) % count for d in (-1, 0, 1)]


def _near(
    x: float,
    y: float,
    places: Wide,
    starts: Ints,
    low_x: float,
    low_y: float,
    period_x: float,
    period_y: float,
    per_x: float,
    per_y: float,
    columns: int,
) -> tuple[Ints, Wide, Wide]:
    """The agents in the bins around a point, by their place in the sorted order, and their offsets
    from it.
    """
    rows, wrap = (len(starts) - 1) // columns, period_x > 0
    row = int(_bins(np.array(y), low_y, per_y, rows))
    column = int(_bins(np.array(x), low_x, per_x, columns))
    bins = [
        r * columns + c for r in _beside(row, rows, wrap) for c in _beside(column, columns, wrap)
    ]
    members = np.concatenate([np.arange(starts[b], starts[b + 1]) for b in bins])
    dx, dy = places[members, 0] - x, places[members, 1] - y
    if wrap:
        dx = np.where(
            dx > period_x / 2, dx - period_x, np.where(dx < -period_x / 2, dx + period_x, dx)
        )
        dy = np.where(
            dy > period_y / 2, dy - period_y, np.where(dy < -period_y / 2, dy + period_y, dy)
        )
    return members, dx, dy


def _total(terms: Wide) -> float:
    """A sum that runs from the first to the last."""
    return float(np.add.accumulate(np.concatenate([[0.0], terms]))[-1])


def separate(
    lines: Wide,
    order: Ints,
    starts: Ints,
    low_x: float,
    low_y: float,
    period_x: float,
    period_y: float,
    per_x: float,
    per_y: float,
    columns: int,
    radius: float,
    first: int,
    last: int,
    out: Wide,
) -> None:
    """The sum of pushes on each agent, in sorted order, into `out` (N, 2): from each neighbour
    away, by 1 - distance / radius.
    """
    common = (lines.T, starts, low_x, low_y, period_x, period_y, per_x, per_y, columns)
    for k in range(first, last):
        members, dx, dy = _near(float(lines[0, k]), float(lines[1, k]), *common)
        dx, dy = -dx, -dy
        d2 = dx * dx + dy * dy
        with np.errstate(divide="ignore"):
            share = 1 / np.sqrt(np.where(d2 > 0, d2, np.inf)) - 1 / radius
        near, together = share > 0, members[(d2 == 0) & (members != k)]
        turn = (order[together] + order[k]) % len(APART_X)
        sign = np.where(order[k] < order[together], 1.0, -1.0)
        out[k] = (
            _total(np.concatenate([dx[near] * share[near], sign * APART_X[turn]])),
            _total(np.concatenate([dy[near] * share[near], sign * APART_Y[turn]])),
        )


def flock(
    places: Wide,
    order: Ints,
    starts: Ints,
    low_x: float,
    low_y: float,
    period_x: float,
    period_y: float,
    per_x: float,
    per_y: float,
    columns: int,
    radius: float,
    velocities: Wide,
    first: int,
    last: int,
    out: Wide,
) -> None:
    """Sums over each agent's neighbours, in sorted order, into `out` (N, 5): how many, their
    offsets, their velocities (by `order`).
    """
    common = (places, starts, low_x, low_y, period_x, period_y, per_x, per_y, columns)
    for k in range(first, last):
        members, dx, dy = _near(float(places[k, 0]), float(places[k, 1]), *common)
        near = (dx * dx + dy * dy < radius * radius) & (members != k)
        moving = velocities[order[members[near]]]
        out[k] = (
            near.sum(),
            _total(dx[near]),
            _total(dy[near]),
            _total(moving[:, 0]),
            _total(moving[:, 1]),
        )


def closest(
    places: Wide,
    order: Ints,
    starts: Ints,
    low_x: float,
    low_y: float,
    period_x: float,
    period_y: float,
    per_x: float,
    per_y: float,
    columns: int,
    radius: float,
    groups: Ints,
    points: Wide,
    own: Ints,
    selves: Ints,
    first: int,
    last: int,
    found: Ints,
    distances: Wide,
) -> None:
    """For each of `points` (N, 2) the nearest member within the radius, the lowest number of
    equals, into `found` (-1 if none).

    Where there are `groups` (one per member), one of another group than the point's `own`; never
    the member of `selves` (-1 if none).
    """
    common = (places, starts, low_x, low_y, period_x, period_y, per_x, per_y, columns)
    on_map = _onto(points, low_x, low_y, period_x, period_y)
    for k, (x, y) in enumerate(on_map[first:last].tolist(), first):
        members, dx, dy = _near(x, y, *common)
        with np.errstate(over="ignore"):
            numbers, d2 = order[members], dx * dx + dy * dy
        fits = (d2 <= radius * radius) & (numbers != selves[k])
        if len(groups):
            fits &= groups[numbers] != own[k]
        chosen = min(
            zip(d2[fits].tolist(), numbers[fits].tolist(), strict=True), default=(math.inf, -1)
        )
        found[k], distances[k] = chosen[1], math.sqrt(chosen[0])
