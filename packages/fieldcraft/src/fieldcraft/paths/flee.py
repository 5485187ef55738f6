"""Flee maps: the way to safety, not into a corner."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.interruption import whole
from fieldcraft.paths.cost import Cost
from fieldcraft.paths.distance import DistanceMap

__all__ = ["FleeMap", "flee_map"]

_NONE = np.empty(0, dtype=np.int64)
_NONE.flags.writeable = False


def flee_map(danger: DistanceMap, *, strength: float = 1.2, limit: float | None = None) -> FleeMap:
    """Where to run from the goals of a distance map: descend it.

    Going away from danger step by step ends in the nearest corner. Here each cell is worth
    `strength` times as much as it is
    far from danger, and every step costs its length: a cell that is safe in itself is worth a way
    to it if that way is shorter than what is gained, even one that first leads past the danger. So
    a dead end is left while there is time.

    Parameters
    ----------
    danger: the distance map to what is fled from. Cells that it doesn't reach, or that lie beyond
        its limit, are safe.
    strength: above 1. The larger, the longer the ways that are worth their while; at 1 everyone
        would stay.
    limit: the search ends at this value. By default it doesn't.

    Raises `InvalidValue` for other arguments. The idea is that of the roguelikes' "safety maps"
    (the distances times -1.2, scanned again until they settle), done exactly.
    """
    if not isinstance(danger, DistanceMap):
        raise InvalidValue(
            "A flee map is made from a distance map",
            got=type(danger).__name__,
            remedy="Pass fc.distance_map(space, threats)",
        )
    number = checks.finite("strength", strength)
    if not number > 1:
        raise InvalidValue(
            "strength is above 1", got=f"strength={strength!r}", remedy="Pass 1.2, say"
        )
    return FleeMap(danger, number, np.inf if limit is None else checks.not_negative("limit", limit))


class FleeMap(DistanceMap):
    """How far it is to safety; made by `flee_map`. Used like any distance map: `descend` leads to
    safety, and so does a flow field.

    The values are 0 at the safest cells of the map, and elsewhere what `flee_map` says, in world
    units (times cost). `goals` are the cells to run to, `start_costs` what these lack in safety.
    """

    name = "flight"

    def __init__(self, danger: DistanceMap, strength: float, limit: float) -> None:
        self.danger = danger
        self.rule = danger.rule
        self._points = None
        self.strength = strength
        self._followed = -1
        goals, start_costs = self._aims()
        distances = danger._distances
        self._set_up(distances.ground, distances.prices.copy(), goals, start_costs, limit)

    def _aims(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The cells to run to, and what they lack in safety."""
        distances = self.danger.exact.reshape(-1)
        self._followed = self.danger.version
        reached = distances < np.inf
        top = distances.max(initial=0.0, where=reached)
        lacking = self.strength * (top - np.where(reached, distances, top))
        # A cell from which a step leads to one that is safer by more than the step costs is not run
        # to.
        goals = self.danger._distances.summits(lacking)
        return goals, lacking[goals]

    @property
    def outdated(self) -> bool:
        """Whether the danger, walls or costs have changed since; `repair` takes that over."""
        return self.danger.outdated or self.danger.version != self._followed

    @whole
    def repair(self, cells: ArrayLike | None = None, cost: Cost = None) -> NDArray[np.int64] | None:
        """Take over what has changed: repairs the danger's map first, with these arguments. See
        `DistanceMap.repair`.

        A flee map is begun anew whenever a distance to the danger has changed, so None comes back
        then.
        """
        self.danger.repair(cells, cost)
        if self.danger.version == self._followed:
            return _NONE
        with self._guard:
            goals, start_costs = self._aims()
            self._prices = self.danger._distances.prices.copy()
            self._begin(self.danger._distances.ground, goals, start_costs)
            self._note(None)
        return None
