"""A map cut into regions: the cells that are nearest to each of some places, and how somebody gets
from one to the next.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldcraft.pursuit.backend import backend
from fieldcraft.pursuit.visibility import Landmarks, landmarks_of
from fieldcraft.space import Space
from fieldcraft.space.adjacency import cached_until_walls_change

__all__ = ["VoronoiRegions", "voronoi_regions"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_STAY = 0.1
_MOST = 64  # regions
_NUMBERS = 2**25  # of distances in all


@dataclass(frozen=True, eq=False)
class VoronoiRegions:
    """VoronoiRegions of a map.

    `owners` (N,) is the region of each cell, -1 for walls and where no way leads from; `centers`
    (K,) are cells, `away` (K, N) how far it is to them. `beside` are the regions beside each,
    itself first. `moves` (K, K) is how likely who wanders gets from each (rows) to each other while
    a searcher goes from one region to the next.
    """

    owners: Ints
    centers: Ints
    away: NDArray[np.float32]
    beside: tuple[tuple[int, ...], ...]
    moves: Floats

    def masses(self, likely: Floats) -> Floats:
        """How likely each region is, (K,), by how likely each cell is."""
        flat = likely.reshape(-1)
        some = self.owners >= 0
        return np.bincount(
            self.owners[some], weights=flat[some], minlength=len(self.centers)
        ).astype(np.float64)

    def peak(self, likely: Floats, region: int) -> int:
        """The likeliest cell of a region; its center if none is possible."""
        cells = np.flatnonzero(self.owners == region)
        best = cells[np.argmax(likely.reshape(-1)[cells])] if len(cells) else self.centers[region]
        return int(best) if likely.reshape(-1)[best] > 0 else int(self.centers[region])


def voronoi_regions(space: Space, cell: int) -> VoronoiRegions:
    """The regions of the part of the map that a cell lies in; worked out once."""
    marks = landmarks_of(space, cell, max(8, min(_MOST, _NUMBERS // max(len(space), 1))))
    known = _known(space)
    key = marks.places.tobytes()
    if key not in known:
        known[key] = _cut(space, marks)
    return known[key]


@cached_until_walls_change
def _known(space: Space) -> dict[bytes, VoronoiRegions]:
    return {}


def _cut(space: Space, marks: Landmarks) -> VoronoiRegions:
    nearest = marks.away.argmin(axis=0).astype(np.int64)
    reached = np.isfinite(marks.away.min(axis=0))
    owners = np.where(reached, nearest, -1)
    ways, count = space.adjacency, len(marks.places)
    walk = backend(space).random_walk(_STAY, space.typical_step)
    leaving, entering = owners[ways.origins], owners[ways.ends]
    inside = (leaving >= 0) & (entering >= 0)
    # One interval of somebody who wanders, who is as likely in any cell of a region.
    sizes = np.maximum(np.bincount(owners[reached], minlength=count), 1)
    chance = walk.slower * walk.part[ways.origins]
    step = np.zeros((count, count))
    np.add.at(step, (leaving[inside], entering[inside]), chance[inside] / sizes[leaving[inside]])
    touching = step + step.T > 0
    np.fill_diagonal(touching, False)
    np.fill_diagonal(step, 0.0)
    np.fill_diagonal(step, 1 - step.sum(axis=1))
    between = marks.away[:, marks.places][touching]
    hop = (
        float(np.median(between[np.isfinite(between)]))
        if np.isfinite(between).any()
        else space.typical_step
    )
    moves = np.linalg.matrix_power(step, max(1, round(hop / space.typical_step)))
    beside = tuple((region, *np.flatnonzero(touching[region]).tolist()) for region in range(count))
    return VoronoiRegions(owners, marks.places.astype(np.int64), marks.away, beside, moves)
