"""Walkable ground of triangles: the common part of levels in `.obj` and glTF files."""

from __future__ import annotations

import logging
import math

import numpy as np

from fieldcraft.base import checks
from fieldcraft.base.errors import BadMapFile, InvalidValue
from fieldcraft.formats.maps.reading import parsing
from fieldcraft.kernels.shared.arrays import Floats, Ints
from fieldcraft.space import Graph

__all__ = ["Slopes", "face_normals", "ground_of", "weld"]


class Slopes:
    """Which triangles are walkable ground: those that face up and are no steeper than `max_slope`
    degrees. `up` is the axis that is up in the file, "y" or "z".
    """

    def __init__(self, up: str, max_slope: float) -> None:
        self.up = checks.choice("up", up, ("y", "z"))
        self.max_slope = checks.not_negative("max_slope", max_slope)
        if self.max_slope >= 90:
            raise InvalidValue(
                "max_slope is below 90 degrees",
                got=f"max_slope={max_slope!r}",
                remedy="Pass 45, say",
            )


def ground_of(
    name: str,
    corners: Floats,
    triangles: Ints,
    slopes: Slopes,
    max_height: float | None,
    log: logging.Logger,
) -> Graph:
    """Return the walkable ground of triangles (T, 3) of corners (C, 3): a vertex in the middle of
    each triangle, and edges between those that share a side.

    Corners closer than a hundred-thousandth of the size of the level are one. The log says how many
    triangles are left out.
    """
    if slopes.up == "y":
        corners = np.stack([corners[:, 0], -corners[:, 2], corners[:, 1]], axis=1)
    normals = face_normals(corners[triangles])
    lengths = np.sqrt((normals * normals).sum(axis=1))
    least = math.cos(math.radians(slopes.max_slope)) - 1e-9
    walkable = triangles[(lengths > 0) & (normals[:, 2] >= lengths * least)]
    _report_dropped(log, name, lengths, normals[:, 2], lengths * least, slopes.max_slope)
    used, numbers = np.unique(walkable, return_inverse=True)
    tolerance = float(np.ptp(corners, axis=0).max(initial=0.0)) * 1e-5
    places, walkable = weld(corners[used], numbers.reshape(-1, 3), tolerance)
    if not len(walkable):
        other = "z" if slopes.up == "y" else "y"
        raise BadMapFile(
            "A level has walkable ground",
            got=f"{len(triangles):,} triangles, none up to {slopes.max_slope:g} degrees, in {name}",
            remedy=f'Try up="{other}", or a larger max_slope',
        )
    with parsing(name, "level"):
        return Graph.from_polygons(places, walkable, max_height=max_height, y_up=True)


def _report_dropped(
    log: logging.Logger, name: str, lengths: Floats, ups: Floats, least: Floats, slope: float
) -> None:
    """Log how many triangles are left out, and why."""
    flat = int(np.count_nonzero(lengths == 0))
    down = int(np.count_nonzero((lengths > 0) & (ups < 0)))
    steep = int(np.count_nonzero((lengths > 0) & (ups >= 0) & (ups < least)))
    if flat + down + steep:
        log.warning(
            "%s: %d of %d triangles are left out: %d steeper than max_slope=%g degrees, %d that"
            " face down, %d without area",
            name,
            flat + down + steep,
            len(lengths),
            steep,
            slope,
            down,
            flat,
        )


def face_normals(triangles: Floats) -> Floats:
    """Return vectors at right angles to triangles (T, 3, 3), twice as long as these are large."""
    return np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])


def weld(corners: Floats, triangles: Ints, tolerance: float) -> tuple[Floats, Ints]:
    """Return corners and triangles with corners at most `tolerance` apart joined, without triangles
    that have lost a corner.

    Corners that are joined by a chain of such distances become the one with the lowest number.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    if not len(corners):
        return corners, triangles[:0]
    near = cKDTree(corners).query_pairs(tolerance, output_type="ndarray")
    joined = coo_array((np.ones(len(near), dtype=np.int8), near.T), shape=(len(corners),) * 2)
    _, groups = connected_components(joined, directed=False)
    _, first = np.unique(groups, return_index=True)
    order = np.argsort(first)
    rank = np.argsort(order)
    welded = rank[groups][triangles]
    a, b, c = welded.T
    return corners[first[order]], welded[(a != b) & (b != c) & (c != a)]
