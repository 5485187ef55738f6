"""Walkable ground of level geometry, baked from voxels: triangle soup with floors above each other,
steps and thin walls.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import BadMapFile, InvalidValue
from fieldcraft.space import Graph, Mesh

__all__ = ["bake", "is_walkable"]

_MOST_COLUMNS = 2**22
_MOST_CROSSED = (
    2**23
    # columns under triangles, each triangle's counted by itself; a piece of ground of 32 bytes at
    # most for each
)
_MOST_PLACES = 2**19  # a kilobyte of memory each
_MOST_LAYERS = 2**20


def bake(
    triangles: NDArray[np.float64],
    *,
    cell_size: float,
    agent_radius: float,
    agent_height: float,
    step_height: float,
    max_slope: float,
    min_area: float,
    name: str,
) -> Graph:
    """The places of a level, triangles (T, 3, 3) with z up, where an agent can stand: a vertex in
    the middle of each cell of a floor.

    The level is filled with voxels of `cell_size` and half of that high. A place is walkable on the
    top of solid ground no steeper than `max_slope` degrees with `agent_height` free above it, and
    `agent_radius` away from every wall, edge and drop. From place to place one steps to the eight
    cells around, up or down at most `step_height`, and never across a corner. Connected parts
    smaller than `min_area` square world units are left out. Edges are as long as the straight
    lines. The mesh of the graph has a square round each place.

    Source: the steps of Mikko Mononen's Recast up to the distance field, with places in place of
        polygons.
    """
    size = checks.positive("cell_size", cell_size)
    thick = size / 2
    radius, tall = (
        checks.not_negative("agent_radius", agent_radius),
        checks.positive("agent_height", agent_height),
    )
    climb = int(min(checks.not_negative("step_height", step_height) / thick + 1e-9, _MOST_LAYERS))
    least = checks.not_negative("min_area", min_area)
    low = triangles.min(axis=(0, 1)) - size
    extent = triangles.max(axis=(0, 1)) + size - low
    columns = np.ceil(extent[:2] / size)
    if columns.prod() > _MOST_COLUMNS or extent[2] / thick > _MOST_LAYERS:
        raise InvalidValue(
            f"A baked level has at most {_MOST_COLUMNS:,} columns of {_MOST_LAYERS:,} voxels",
            got=(
                f"cells of {size:g} on {extent[0]:g} x {extent[1]:g}, {extent[2]:g} high, in {name}"
            ),
            remedy="Pass a larger cell_size",
        )
    width, height = (int(count) for count in columns)
    scaled = (triangles - low) / (size, size, thick)
    cells, lows, highs, flags = _spans(
        scaled, is_walkable(triangles, max_slope), width, height, name
    )
    clearance = max(1, math.ceil(min(tall / thick - 1e-9, _MOST_LAYERS)))
    places, tops, ceilings = (np.empty(len(cells), dtype=np.int64) for _ in range(3))
    count = kernels.voxels.floors(
        cells, lows, highs, flags, climb, clearance, places, tops, ceilings
    )
    if count > _MOST_PLACES:
        raise InvalidValue(
            f"A baked level has at most {_MOST_PLACES:,} places to stand on",
            got=f"{count:,} in {name}",
            remedy="Pass a larger cell_size",
        )
    places, tops, ceilings = places[:count], tops[:count], ceilings[:count]
    starts = np.searchsorted(places, np.arange(width * height + 1))
    around = np.empty((count, 4), dtype=np.int64)
    kernels.voxels.beside(places, tops, ceilings, starts, width, height, climb, clearance, around)
    rows, across = np.divmod(places, width)
    positions = low + np.stack([(across + 0.5) * size, (rows + 0.5) * size, tops * thick], axis=1)
    edges = _edges(around)
    kept = _away_from_rims(positions, edges, around, radius)
    kept &= _large(edges, kept, math.ceil(min(least / size**2 - 1e-9, _MOST_PLACES + 1)))
    if not kept.any():
        raise BadMapFile(
            "A level has ground that an agent can stand on",
            got=f"none in {name}",
            remedy="Check which way is up, and the size of the agent against the level's units",
        )
    number = np.cumsum(kept) - 1
    edges = number[edges[kept[edges].all(axis=1)]]
    # From here on places have their own numbers; -1 is the last entry, and stays -1.
    around = np.append(np.where(kept, number, -1), -1)[around[kept]]
    return Graph(
        positions[kept],
        edges,
        max_height=tall,
        mesh=_squares(positions[kept], around, size),
        y_up=True,
    )


def is_walkable(triangles: NDArray[np.float64], max_slope: float) -> NDArray[np.bool_]:
    """Which triangles face up, by the order of their corners, and are no steeper than `max_slope`
    degrees, in [0, 90).
    """
    slope = checks.not_negative("max_slope", max_slope)
    if slope >= 90:
        raise InvalidValue(
            "max_slope is below 90 degrees",
            got=f"max_slope={max_slope!r}",
            remedy="Pass an angle such as 45",
        )
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    lengths = np.sqrt((normals * normals).sum(axis=1))
    return np.asarray(
        (lengths > 0) & (normals[:, 2] >= lengths * (math.cos(math.radians(slope)) - 1e-9))
    )


def _spans(
    scaled: NDArray[np.float64], walkable: NDArray[np.bool_], width: int, height: int, name: str
) -> tuple[NDArray[np.int64], ...]:
    """The pieces of ground that triangles fill, sorted by cell and height."""
    flags_in = walkable.astype(np.int64)
    across = np.floor(scaled[..., :2].max(axis=1)) - np.floor(scaled[..., :2].min(axis=1)) + 1
    crossed = float(across.prod(axis=1).sum())
    if crossed > _MOST_CROSSED:
        raise InvalidValue(
            f"The triangles of a baked level lie over at most {_MOST_CROSSED:,} columns in all",
            got=f"{crossed:,.0f} in {name}",
            remedy="Pass a larger cell_size, or take away what lies far off",
        )
    room = int(crossed)
    while True:
        cells, lows, highs, flags = (np.empty(room, dtype=np.int64) for _ in range(4))
        count = int(
            kernels.voxels.rasterize(
                np.ascontiguousarray(scaled), flags_in, width, height, cells, lows, highs, flags
            )
        )
        if count <= room:
            break
        room = count
    order = np.lexsort((highs[:count], lows[:count], cells[:count]))
    return cells[order], lows[order], highs[order], flags[order]


def _edges(around: NDArray[np.int64]) -> NDArray[np.int64]:
    """The steps that lead both ways, (E, 2): straight ones, and diagonal ones whose both ways round
    the corner meet.
    """
    here = np.arange(len(around))
    pairs = []
    both = np.zeros_like(around, dtype=np.bool_)
    for k in range(4):
        there = around[:, k]
        both[:, k] = (there >= 0) & (around[there, (k + 2) % 4] == here)
        if k < 2:  # the other two ways lead back
            pairs.append(np.stack([here[both[:, k]], there[both[:, k]]], axis=1))
    for k in range(2):
        turn = (k + 1) % 4
        first, second = around[:, k], around[:, turn]
        open_ = both[:, k] & both[:, turn]
        open_ &= both[first, turn] & both[second, k]
        ends = around[first, turn]
        open_ &= ends == around[second, k]
        pairs.append(np.stack([here[open_], ends[open_]], axis=1))
    ends = np.sort(np.concatenate(pairs), axis=1)
    keys = np.sort(ends[:, 0] * max(len(around), 1) + ends[:, 1])
    return np.stack(np.divmod(keys, max(len(around), 1)), axis=1)


def _squares(positions: NDArray[np.float64], around: NDArray[np.int64], size: float) -> Mesh:
    """A square round each place, that shares corners with those that one steps to; corners lie as
    high as the places round them.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    count = len(positions)
    here = np.arange(count)
    # Corner k of a place lies between its sides k and k + 1.
    same = []
    for k in range(4):
        some = here[(around[:, k] >= 0) & (around[around[:, k], (k + 2) % 4] == here)]
        there = around[some, k]
        same += [
            np.stack([4 * some + k, 4 * there + (k + 1) % 4]),
            np.stack([4 * some + (k - 1) % 4, 4 * there + (k + 2) % 4]),
        ]
    pairs = np.concatenate(same, axis=1)
    joined = coo_array(
        (np.ones(pairs.shape[1], dtype=np.int8), (pairs[0], pairs[1])), shape=(4 * count,) * 2
    )
    corners, owner = connected_components(joined, directed=False)
    offsets = np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)]) * (size / 2)
    own = np.repeat(positions, 4, axis=0)
    own[:, :2] += np.tile(offsets, (count, 1))
    members = np.bincount(owner, minlength=corners)
    places = np.stack(
        [
            np.bincount(owner, weights=own[:, axis], minlength=corners) / members
            for axis in range(3)
        ],
        axis=1,
    )
    return Mesh(places, owner.reshape(count, 4).astype(np.int64))


def _away_from_rims(
    positions: NDArray[np.float64],
    edges: NDArray[np.int64],
    around: NDArray[np.int64],
    radius: float,
) -> NDArray[np.bool_]:
    """Which places are at least `radius`, walked on the floor, from the outer side of those where
    it ends.
    """
    count = len(positions)
    if radius == 0 or not count:
        return np.ones(count, dtype=np.bool_)
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    rims = np.flatnonzero((around < 0).any(axis=1))
    if not len(rims):
        return np.ones(count, dtype=np.bool_)
    plan = positions[:, :2]
    lengths = np.sqrt(((plan[edges[:, 0]] - plan[edges[:, 1]]) ** 2).sum(axis=1))
    half = float(np.abs(plan[edges[:, 0]] - plan[edges[:, 1]]).max(initial=0)) / 2
    steps = coo_array((lengths, (edges[:, 0], edges[:, 1])), shape=(count, count)).tocsr()
    away = dijkstra(steps, directed=False, indices=rims, min_only=True, limit=radius + half)
    return np.asarray(away + half >= radius - 1e-9)


def _large(edges: NDArray[np.int64], kept: NDArray[np.bool_], least: int) -> NDArray[np.bool_]:
    """Which of the kept places lie in connected parts of at least so many."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    inside = edges[kept[edges].all(axis=1)]
    joined = coo_array(
        (np.ones(len(inside), dtype=np.int8), (inside[:, 0], inside[:, 1])),
        shape=(len(kept), len(kept)),
    )
    _, parts = connected_components(joined, directed=False)
    sizes = np.bincount(parts[kept], minlength=int(parts.max(initial=0)) + 1)
    return np.asarray(sizes[parts] >= least)
