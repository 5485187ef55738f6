"""Polygons that share sides."""

from __future__ import annotations

from fieldcraft.space import Graph

CORNERS = [(0, 0), (2, 0), (2, 2), (0, 2), (6, 0), (6, 2), (4, 5)]
POLYGONS = [(0, 1, 2, 3), (1, 4, 5, 2), (2, 5, 6)]


def two_floors(**words):
    """A flat floor, a slope 50 to the right of it, and a balcony beside the floor, 3 above it."""
    corners = [(0, 0, 0), (4, 0, 0), (4, 4, 0), (0, 4, 0)]
    corners += [(50, 0, 0), (54, 0, 2), (54, 4, 2), (50, 4, 0)]
    corners += [(4, 0, 3), (24, 0, 3), (24, 4, 3), (4, 4, 3)]
    polygons = [(0, 1, 2, 3), (4, 5, 6, 7), (8, 9, 10, 11)]
    return Graph.from_polygons(corners, polygons, max_height=1.0, **words)
