"""Legs: flows of belief along shortest ways, from the last sighting to any of all cells, and from
    there towards far parts of the map.

One belief stands for all goals of a first leg. Of all who set out for one of many cells by a
shortest way, those who are in a cell on the way have that many goals there or beyond it; so the
chance of each step, and of being there, follows from sums over the goals, and is exact. Where
several steps are equally short, they are taken so that ways are straight on the whole.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.paths import distance_map
from fieldcraft.pursuit.landmarks import Landmarks, landmarks_of
from fieldcraft.pursuit.motion.movers import Lost
from fieldcraft.space import Space
from fieldcraft.space.ways import kept_until_walls_change

__all__ = ["SECTORS", "FirstLeg", "Sectors", "first_leg", "sectors_of", "straightest"]

SECTORS = 8
"""Parts of a map that somebody goes to who goes on."""

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_NEAR = 1e-5  # the same of distances in float32
_FAR = 30.0  # typical steps to a far place
_EQUAL = 1e-6  # of a distance: two that are so near are one
_BEGINNING = 3.0  # typical steps by which the direction of a way is told
_CROOKED = 0.02  # of a step: how far aside is straight enough


@dataclass(frozen=True, eq=False)
class FirstLeg:
    """Shortest ways from one cell: `away` (N,) world units, infinite where none leads, the cells in
    the `order` in which they are reached, and the `parts` (A,) of those who come to the end of each
    step of `space.ways` that come by this step.
    """

    space: Space
    away: Floats
    order: Ints
    parts: Floats

    def liking(self, velocity: Floats, heading: float) -> Floats:
        """How well somebody likes the way to each cell, (N,), who goes on as it went: e to the
        minus of `heading` for one across.
        """
        return self.carried(np.exp(heading * (self._beginning(velocity) - 1)))

    def carried(self, near: Floats) -> Floats:
        """The mean over all ways to each cell of values where their beginnings ended, (N,); cells
        up to there have their own.
        """
        ways = self.space.ways
        early = self._early()
        parts = np.where(early[ways.ends], 0.0, self.parts)
        values = np.where(early, near, 0.0)
        kernels.legs.carry(self.order, ways.starts, ways.ends, parts, values)
        return values

    def split(self, goals: Floats) -> tuple[Floats, Floats]:
        """The chance of each step (A,), and of being there (N,), if each cell is the goal as often
        as `goals` (N,) says.
        """
        ways = self.space.ways
        ahead, there = np.zeros((2, len(self.space)))
        chances = np.zeros(len(ways.ends))
        kernels.legs.split(
            self.order, ways.starts, ways.ends, self.parts, goals, ahead, chances, there
        )
        return chances, there

    def _early(self) -> NDArray[np.bool_]:
        return np.asarray(self.away <= _BEGINNING * self.space.typical_step)

    def _beginning(self, velocity: Floats) -> Floats:
        if not velocity.any() or not len(self.order):
            return np.ones(len(self.space))
        moves = self.space.offsets_from(self.space.position_of(int(self.order[0])))[
            :, : len(velocity)
        ]
        size = np.sqrt((moves**2).sum(axis=1)) * np.sqrt((velocity**2).sum())
        return np.asarray((moves @ velocity) / np.where(size > 0, size, np.inf))


def first_leg(lost: Lost) -> FirstLeg:
    """The shortest ways from where somebody was last seen; worked out once."""
    if "first leg" not in lost.kept:
        assert lost.cell is not None
        lost.kept["first leg"] = _ways_from(lost.space, lost.cell)
    found: FirstLeg = lost.kept["first leg"]
    return found


def _ways_from(space: Space, cell: int) -> FirstLeg:
    away = distance_map(space, space.position_of(cell), outward=True).exact.reshape(-1)
    reached = np.flatnonzero(np.isfinite(away))
    order = reached[np.argsort(away[reached], kind="stable")].astype(np.int64)
    ways = space.ways
    origins, ends = ways.origins, ways.ends
    on = np.isfinite(away[origins]) & (away[ends] > away[origins])
    on[on] = (away[origins] + ways.lengths <= away[ends] * (1 + _EQUAL))[on]
    weights = np.zeros(len(ends))
    arcs = np.flatnonzero(on)
    weights[arcs] = straightest(
        space, arcs, space.offsets_from(space.position_of(cell))[ends[arcs]]
    )
    into = np.bincount(ends, weights=weights, minlength=len(space))
    return FirstLeg(
        space, away, order, np.divide(weights, into[ends], out=weights, where=into[ends] > 0)
    )


def straightest(space: Space, arcs: Ints, along: Floats) -> Floats:
    """How likely each of some equally short steps is, (K,), beside others: the less it leads aside
    from directions (K, D), the likelier.

    Of two steps on either side of a direction each is as likely as makes the way straight on the
    whole.
    """
    ways = space.ways
    moves = (space.positions[ways.ends[arcs]] - space.positions[ways.origins[arcs]])[:, :2]
    along = along[:, :2]
    size = np.maximum(np.sqrt((along**2).sum(axis=1)), 1e-12)
    aside = np.abs(moves[:, 0] * along[:, 1] - moves[:, 1] * along[:, 0]) / size
    return np.asarray(1.0 / (aside / space.typical_step + _CROOKED))


@dataclass(frozen=True, eq=False)
class Sectors:
    """Sectors of a part of a map, round `centers` (K,) cells that lie as far as can be from each
    other.

    `toward` (K, A) float32 is the chance of each step of `space.ways` for who goes to each, `there`
    (K, N) that of ending the way in a cell of the sector, and `next` (N, SECTORS) how likely each
    sector is for who sets out in a cell to a place far away.
    """

    centers: Ints
    toward: NDArray[np.float32]
    there: NDArray[np.float32]
    next: Floats
    space: Space
    owners: Ints
    flows: dict[Hashable, Any]

    def behind(self, lost: Lost) -> Floats:
        """The share of the cells of each sector that lie behind somebody who was lost, (K,)."""
        assert lost.cell is not None
        offsets = self.space.offsets_from(self.space.position_of(lost.cell))
        back = offsets[:, : len(lost.velocity)] @ lost.velocity <= 0
        own = self.owners >= 0
        sizes = np.bincount(self.owners[own], minlength=len(self.centers))
        return np.asarray(
            np.bincount(self.owners[own & back], minlength=len(self.centers)) / np.maximum(sizes, 1)
        )


def sectors_of(space: Space, cell: int) -> Sectors:
    """The sectors of the part of the map that a cell lies in; worked out once."""
    marks = landmarks_of(space, cell, SECTORS)
    known = _known(space)
    if marks.places.tobytes() not in known:
        known[marks.places.tobytes()] = _cut(space, marks)
    return known[marks.places.tobytes()]


@kept_until_walls_change
def _known(space: Space) -> dict[bytes, Sectors]:
    return {}


def _cut(space: Space, marks: Landmarks) -> Sectors:
    ways, step = space.ways, space.typical_step
    origins, ends = ways.origins, ways.ends
    count = len(marks.places)
    toward = np.zeros((count, len(ends)), dtype=np.float32)
    there = np.zeros((count, len(space)), dtype=np.float32)
    reached = np.isfinite(marks.away).any(axis=0)
    nearest = np.where(reached, marks.away.argmin(axis=0), -1)
    for number, (place, away) in enumerate(
        zip(marks.places.tolist(), marks.away.astype(np.float64), strict=True)
    ):
        on = np.isfinite(away[origins]) & (away[ends] < away[origins])
        on[on] = (ways.lengths + away[ends] <= away[origins] * (1 + _NEAR))[on]
        arcs = np.flatnonzero(on)
        weights = np.zeros(len(ends))
        weights[arcs] = straightest(
            space, arcs, -space.offsets_from(space.position_of(place))[origins[arcs]]
        )
        leaving = np.bincount(origins, weights=weights, minlength=len(space))
        toward[number] = np.divide(
            weights, leaving[origins], out=weights, where=leaving[origins] > 0
        )
        there[number] = np.where(nearest == number, step / (away + step), 0.0)
    return Sectors(
        marks.places.astype(np.int64), toward, there, _chosen(space, marks), space, nearest, {}
    )


def _chosen(space: Space, marks: Landmarks) -> Floats:
    """How likely each sector is for who sets out in a cell, (N, K): as it is large, of those that
    are far, or of the farther half.
    """
    away = marks.away.astype(np.float64).T
    some = np.isfinite(away)
    middle = np.sort(away, axis=1)[np.arange(len(away)), np.maximum(some.sum(axis=1) - 1, 0) // 2]
    far = some & (away >= np.minimum(_FAR * space.typical_step, middle)[:, np.newaxis])
    likely = np.where(far, marks.shares, 0.0)
    total = likely.sum(axis=1, keepdims=True)
    found = np.divide(
        likely, total, out=np.full(likely.shape, 1.0 / likely.shape[1]), where=total > 0
    )
    return np.pad(found, ((0, 0), (0, SECTORS - found.shape[1])))
