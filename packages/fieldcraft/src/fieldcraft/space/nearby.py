"""Vertices within a straight distance."""

from __future__ import annotations

from itertools import chain

import numpy as np
from numpy.typing import NDArray

from fieldcraft.space.graph import Graph

__all__ = ["vertices_within"]


def vertices_within(graph: Graph, points: NDArray[np.float64], radius: float) -> list[list[int]]:
    """The vertices within a straight distance of each point, round a torus the short way, in no
    order.
    """
    if not len(graph) or not len(points):
        return [[] for _ in points]
    tree, period = graph.topology.tree, graph.period
    if period is None:
        return list(tree.query_ball_point(points, radius))
    points = graph.wrapped(points)
    shifts = [np.array((dx, dy)) * period for dx in (-1, 0, 1) for dy in (-1, 0, 1)]
    found = [tree.query_ball_point(points + shift, radius) for shift in shifts]
    return [sorted(set(chain.from_iterable(each))) for each in zip(*found, strict=True)]
