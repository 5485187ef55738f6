"""A map cut into quarters: the cells that are nearest to each of some places, and how somebody gets
from one to the next.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldcraft.pursuit.motion.goals import Goals, goals_everywhere
from fieldcraft.pursuit.shares import Shares
from fieldcraft.space import Space
from fieldcraft.space.ways import kept_until_walls_change

__all__ = ["Quarters", "quarters_of"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_STAY = 0.1


@dataclass(frozen=True, eq=False)
class Quarters:
    """Quarters of a map.

    `owners` (N,) is the quarter of each cell, -1 for walls and where no way leads from; `centers`
    (K,) are cells, `away` (K, N) how far it is to them. `beside` are the quarters beside each,
    itself first. `moves` (K, K) is how likely who wanders gets from each (rows) to each other while
    a searcher goes from one quarter to the next.
    """

    owners: Ints
    centers: Ints
    away: NDArray[np.float32]
    beside: tuple[tuple[int, ...], ...]
    moves: Floats

    def masses(self, likely: Floats) -> Floats:
        """How likely each quarter is, (K,), by how likely each cell is."""
        flat = likely.reshape(-1)
        some = self.owners >= 0
        return np.bincount(
            self.owners[some], weights=flat[some], minlength=len(self.centers)
        ).astype(np.float64)

    def peak(self, likely: Floats, quarter: int) -> int:
        """The likeliest cell of a quarter; its center if none is possible."""
        cells = np.flatnonzero(self.owners == quarter)
        best = cells[np.argmax(likely.reshape(-1)[cells])] if len(cells) else self.centers[quarter]
        return int(best) if likely.reshape(-1)[best] > 0 else int(self.centers[quarter])


def quarters_of(space: Space, cell: int) -> Quarters:
    """The quarters of the part of the map that a cell lies in; worked out once."""
    goals = goals_everywhere(space, cell)
    known = _known(space)
    if known.goals is not goals:
        known.quarters, known.goals = _cut(space, goals), goals
    assert known.quarters is not None
    return known.quarters


@dataclass(eq=False)
class _Known:
    goals: Goals | None = None
    quarters: Quarters | None = None


@kept_until_walls_change
def _known(space: Space) -> _Known:
    return _Known()


def _cut(space: Space, goals: Goals) -> Quarters:
    nearest = goals.away.argmin(axis=0).astype(np.int64)
    reached = np.isfinite(goals.away.min(axis=0))
    owners = np.where(reached, nearest, -1)
    ways, count = space.ways, len(goals.cells)
    shares = Shares.of(space, _STAY, space.typical_step)
    leaving, entering = owners[ways.origins], owners[ways.ends]
    inside = (leaving >= 0) & (entering >= 0)
    # One interval of somebody who wanders, who is as likely in any cell of a quarter.
    sizes = np.maximum(np.bincount(owners[reached], minlength=count), 1)
    chance = shares.slower * shares.part[ways.origins]
    step = np.zeros((count, count))
    np.add.at(step, (leaving[inside], entering[inside]), chance[inside] / sizes[leaving[inside]])
    touching = step + step.T > 0
    np.fill_diagonal(touching, False)
    np.fill_diagonal(step, 0.0)
    np.fill_diagonal(step, 1 - step.sum(axis=1))
    between = goals.away[:, goals.cells][touching]
    hop = (
        float(np.median(between[np.isfinite(between)]))
        if np.isfinite(between).any()
        else space.typical_step
    )
    moves = np.linalg.matrix_power(step, max(1, round(hop / space.typical_step)))
    beside = tuple(
        (quarter, *np.flatnonzero(touching[quarter]).tolist()) for quarter in range(count)
    )
    return Quarters(owners, goals.cells, goals.away, beside, moves)
