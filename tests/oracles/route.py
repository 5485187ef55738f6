"""The influence along a path, spelled out: the specification of `fieldcraft.kernels.route`.

All arithmetic on positions is float64 and in the order written here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ["along"]

Floats = NDArray[np.float32]
Wide = NDArray[np.float64]
Ints = NDArray[np.int64]


def along(
    values: Floats,
    places: Wide,
    starts: Ints,
    y_up: bool,
    wrap: bool,
    first: int,
    last: int,
    sums: Wide,
    lengths: Wide,
    highest: Wide,
    where: Wide,
) -> None:
    """Of each path, in cells: the sum of value times length, its length, the highest value and the
    middle of its stretch.

    Path `p` goes straight from each to the next of `places[starts[p] : starts[p + 1]]`, on a torus
    the short way. Of equal values the first counts; a path without length reads its cell.
    """
    height, width = values.shape

    def value(column: int, row: int) -> float:
        x = column % width if wrap else min(max(column, 0), width - 1)
        y = row % height if wrap else min(max(row, 0), height - 1)
        return float(values[height - 1 - y if y_up else y, x])

    for p in range(first, last):
        path = places[starts[p] : starts[p + 1]].tolist()
        total, length = 0.0, 0.0
        top, top_at = -math.inf, path[0]
        for (u, v), (u1, v1) in pairwise(path):
            du, dv = u1 - u, v1 - v
            if wrap:
                du -= width * round(du / width)
                dv -= height * round(dv / height)
            span = math.sqrt(du * du + dv * dv)
            if span == 0:
                continue
            length += span
            t = 0.0
            for until, column, row in _stretches(u, v, du, dv):
                if until > t:
                    here = value(column, row)
                    total += here * ((until - t) * span)
                    if here > top:
                        middle = (t + until) / 2.0
                        top, top_at = here, [u + du * middle, v + dv * middle]
                    t = until
        if top == -math.inf:
            top = value(
                *(
                    min(int(at), count - 1)
                    for at, count in zip(top_at, (width, height), strict=True)
                )
            )
        sums[p], lengths[p], highest[p], where[p] = total, length, top, top_at


def _stretches(u: float, v: float, du: float, dv: float) -> Iterator[tuple[float, int, int]]:
    """The cells that a straight line crosses in turn: (part of the line until which it is in the
    cell, column, row).
    """
    columns = _crossings(u, du)
    rows = _crossings(v, dv)
    column, row = math.floor(u), math.floor(v)
    i = j = 0
    while i < len(columns) or j < len(rows):
        until_column = columns[i] if i < len(columns) else math.inf
        until_row = rows[j] if j < len(rows) else math.inf
        yield min(until_column, until_row, 1.0), column, row
        if until_column <= until_row:
            column += 1 if du > 0 else -1
            i += 1
        else:
            row += 1 if dv > 0 else -1
            j += 1
    yield 1.0, column, row


def _crossings(u: float, du: float) -> list[float]:
    """The parts of a line after which one of its coordinates passes from cell to cell."""
    start, end = math.floor(u), math.floor(u + du)
    edges = range(start + 1, end + 1) if du > 0 else range(start, end, -1)
    return [(edge - u) / du for edge in edges]
