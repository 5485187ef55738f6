"""Standard ways of searching out of the literature, built plainly, to judge others by.

- `GreedySearch`: each goes where most of the belief lies for the way there;
- `HorizonSearch`: one after the other plans a way of some regions of the map ahead.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.pursuit import BeliefSearch
from fieldcraft.pursuit.search import PATIENCE, Places
from fieldcraft.space import Space
from research.search.voronoi_regions import VoronoiRegions, voronoi_regions

__all__ = ["GreedySearch", "HorizonSearch", "best_way"]

Floats = NDArray[np.float64]

_HORIZON = 4
_DISCOUNT = 0.95
_EVERY = 3.0


class GreedySearch(BeliefSearch):
    """Probability over distance: each searcher in turn goes to the region of the map that has most
    belief for the way there.

    Regions are the cells nearest to each of up to 64 places all over the map. A region that a
    searcher goes to is left to it by the others; it goes to the likeliest cell there. For
    parameters see `BeliefSearch`.

    References
    ----------
    The greedy way that searches are compared with, as in Hollinger, Singh, Djugash and Kehagias,
    "Efficient Multi-robot Search for a Moving Target", IJRR 2009.
    """

    def _assigned(self, points: Places, rng: np.random.Generator) -> Places:
        regions, likely, starts = self._laid_out(points)
        masses = regions.masses(likely)
        cells = []
        for start in starts:
            way = regions.away[:, start].astype(np.float64) + self.space.typical_step
            region = int(np.argmax(np.where(np.isfinite(way), masses / way, -1.0)))
            cells.append(regions.peak(likely, region))
            masses[region] = 0.0
        return self.space.position_of(np.array(cells))

    def _laid_out(self, points: Places) -> tuple[VoronoiRegions, Floats, list[int]]:
        """The regions, the belief, and the cells of searchers."""
        starts = np.atleast_1d(
            self.space.nearest_open(self.space.cell_at(points, outside="clamp"))
        ).tolist()
        return voronoi_regions(self.space, starts[0]), self.belief.probability(), starts


class HorizonSearch(GreedySearch):
    """Efficient multi-robot search: one searcher after the other takes the best of all ways of some
    regions of the map ahead.

    A way is worth the discounted chance that the target is met on it, in one of its regions at the
    moment in which the searcher gets there; the target wanders from region to region meanwhile,
    and what those before have met is not met again. Since that gain is submodular, one after the
    other is at least half as good as the best ways of all together. For the other parameters see
    `BeliefSearch`.

    Parameters
    ----------
    horizon : int, optional
        How many regions ahead; the time to decide grows as its power.
    discount : float, optional
        What meeting the target a region later is worth beside now, in (0, 1].

    References
    ----------
    Hollinger, Singh, Djugash and Kehagias, "Efficient Multi-robot Search for a Moving Target", IJRR
    2009: finite-horizon path enumeration with sequential allocation.
    """

    def __init__(
        self,
        space: Space,
        speed: float,
        *,
        horizon: int = _HORIZON,
        discount: float = _DISCOUNT,
        every: float = _EVERY,
        patience: float = PATIENCE,
        **options: Any,
    ) -> None:
        super().__init__(space, speed, every=every, patience=patience, **options)
        self.horizon = checks.integer("horizon", horizon, minimum=1, maximum=8)
        self.discount = checks.fraction("discount", discount)

    def _assigned(self, points: Places, rng: np.random.Generator) -> Places:
        regions, likely, starts = self._laid_out(points)
        over_time = [regions.masses(likely)]
        for _ in range(self.horizon):
            over_time.append(over_time[-1] @ regions.moves)
        taken: list[tuple[int, ...]] = []
        cells = []
        for start in starts:
            here = int(regions.owners[start])
            if here < 0:
                cells.append(start)
                continue
            way, _ = best_way(regions, over_time[0], here, self.horizon, self.discount, taken)
            taken.append(way)
            # It goes to where the way leads next; where it leads nowhere yet, it looks about in its
            # own region.
            onwards = next((region for region in way[1:] if region != here), here)
            first = way[1] if len(way) > 1 else here
            cells.append(
                regions.peak(likely, here if first == here and over_time[0][here] > 0 else onwards)
            )
        return self.space.position_of(np.array(cells))


def best_way(
    regions: VoronoiRegions,
    masses: Floats,
    start: int,
    horizon: int,
    discount: float,
    taken: list[tuple[int, ...]],
) -> tuple[tuple[int, ...], float]:
    """The best way of so many regions from a start, itself first, beside those that are `taken`;
    and what all of them are worth.
    """
    best: tuple[tuple[int, ...], float] = ((start,), -1.0)

    def go_on(way: tuple[int, ...], left: Floats, worth: float, value: float) -> None:
        nonlocal best
        moment = len(way) - 1
        if moment == horizon:
            if value > best[1]:
                best = way, value
            return
        after = left @ regions.moves
        elsewhere = 0.0
        for other in taken:
            if len(other) > moment + 1:
                elsewhere += float(after[other[moment + 1]])
                after[other[moment + 1]] = 0.0
        for to in regions.beside[way[-1]]:
            met = float(after[to])
            rest = after.copy()
            rest[to] = 0.0
            go_on((*way, to), rest, worth * discount, value + worth * (met + elsewhere))

    go_on((start,), masses.copy(), 1.0, 0.0)
    return best
