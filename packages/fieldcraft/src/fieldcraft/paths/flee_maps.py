"""Flee maps: the distance from every cell to safety."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.interruption import atomic
from fieldcraft.paths.cost import Cost
from fieldcraft.paths.distance_maps import DistanceMap
from fieldcraft.space.csr import NO_CELLS


def flee_map(danger: DistanceMap, *, strength: float = 1.2, limit: float | None = None) -> FleeMap:
    """Return a map that leads away from the goals of a distance map when it is descended.

    Walking away from danger step by step ends in the nearest corner. Here each cell is worth
    `strength` times its distance to the danger, and each step costs its length. So agents leave a
    dead end while there is time, even if their path first leads past the danger.

    Parameters
    ----------
    danger : DistanceMap
        The distances to the danger. Cells that it does not reach, or that lie beyond its limit, are
        safe.
    strength : float
        Above 1. The larger, the longer the paths that agents take to safety.
    limit : float, optional
        The search ends at this value.

    Returns
    -------
    FleeMap
        Values are 0 at the safest cells, and elsewhere what it costs to reach safety.

    Raises
    ------
    InvalidValue
        If an argument does not fit, or the map is outward.

    References
    ----------
    The "safety maps" of roguelikes (distances times -1.2, scanned again until they settle), done
    exactly: roguebasin.com, "The Incredible Power of Dijkstra Maps".

    Examples
    --------
    >>> import fieldcraft as fc
    >>> corridor = fc.Grid(20, 1)
    >>> danger = fc.distance_map(corridor, (2.5, 0.5))
    >>> path = fc.flee_map(danger).descend((1.5, 0.5))
    >>> path.positions[-1]  # past the danger, out of the dead end
    array([19.5,  0.5])
    """
    checks.instance(
        danger,
        DistanceMap,
        "A flee map is made from a distance map",
        "Pass fc.distance_map(space, threats)",
    )
    number = checks.positive("strength", strength, maximum=checks.LARGEST)
    if not number > 1:
        raise InvalidValue("strength is above 1", got=f"strength={strength!r}", remedy="Pass 1.2")
    if limit is None:
        return FleeMap(danger, number, np.inf)
    return FleeMap(danger, number, checks.not_negative("limit", limit))


class FleeMap(DistanceMap):
    """The distance from every cell to safety; made by `flee_map`, and used like any distance map.

    `goals` are the cells to run to, `start_costs` what these lack in safety.
    """

    name = "flight"

    def __init__(self, danger: DistanceMap, strength: float, limit: float) -> None:
        self.danger = danger
        self.strength = strength
        self.charge = danger.charge
        self.outward = danger.outward
        self.size = danger.size
        goals, start_costs = self._safe_cells()
        self._followed = danger.version
        search = danger.search
        self._set_up(search.ground, search.costs.copy(), goals, start_costs, limit)

    def _safe_cells(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the cells to run to, and what they lack in safety."""
        distances = self.danger.exact.reshape(-1)
        reached = distances < np.inf
        top = distances.max(initial=0.0, where=reached)
        lacking = self.strength * (top - np.where(reached, distances, top))
        # Cells from which a step leads to a cell that is safer by more than the step costs are no
        # goals.
        goals = self.danger.search.minima(lacking)
        return goals, lacking[goals]

    @property
    def outdated(self) -> bool:
        """Whether the danger, walls or costs have changed since the last `repair`."""
        return self.danger.outdated or self.danger.version != self._followed

    @atomic
    def repair(self, cells: ArrayLike | None = None, cost: Cost = None) -> NDArray[np.int64] | None:
        """Repair the danger's map with these arguments, then this map.

        Returns None where the danger's map has changed: then the flee map is searched again.
        """
        self.danger.repair(cells, cost)
        if self.danger.version == self._followed:
            return NO_CELLS
        with self._lock:
            self.goals, self.start_costs = self._safe_cells()
            self._followed = self.danger.version
            self.cell_costs = self.danger.search.costs.copy()
            self._restart(self.danger.search.ground)
            self._note(None)
        return None
