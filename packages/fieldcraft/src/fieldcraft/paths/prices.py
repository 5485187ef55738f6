"""The prices of the ground of a distance map, and which of them have changed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.paths.cost import LEAST, Cost, checked, picked, read, resolve
from fieldcraft.paths.scratch import scratch_of
from fieldcraft.space import Space

__all__ = ["Prices"]

_NONE = np.empty(0, dtype=np.int64)
_NONE.flags.writeable = False


class Prices:
    """The cost of each cell: `uniform` for all, or `costs`, one per cell.

    `least` and `dearest` bound the finite ones of open ground, and `infinite` says whether there
    may be others: these bounds only widen.
    """

    def __init__(self, space: Space, cost: Cost) -> None:
        self.space = space
        self._scratch = scratch_of(space)
        self.uniform = uniform(cost)
        self.costs: NDArray[np.float64] | None = None
        self.infinite = False
        if self.uniform is not None:
            self.least = self.dearest = self.uniform
        else:
            self.least, self.dearest, self.infinite = read(space, cost, self._allotted(len(space)))
        self._know(cost)

    def _allotted(self, cells: int) -> NDArray[np.float64]:
        """Make room for `costs`, which are returned, and on both sides of them for
        `kernels.distance.add_near`.
        """
        self.pad = self._scratch.pad
        self.padded = self._scratch.take(np.float64, more=2 * self.pad)
        self.costs = self.padded[self.pad : self.pad + cells]
        return self.costs

    def __del__(self) -> None:
        if getattr(self, "costs", None) is not None:  # nobody else has been given them
            self._scratch.give(self.padded)

    def _know(self, cost: Cost) -> None:
        """Keep what can be asked again: a layer or an expression."""
        self._asked = cost if isinstance(getattr(cost, "space", None), Space) else None
        self._seen = _version(self._asked)

    def __getstate__(self) -> dict[str, Any]:
        names = ("space", "uniform", "infinite", "least", "dearest")
        costs = None if self.costs is None else self.costs.copy()
        return {name: getattr(self, name) for name in names} | {
            "costs": costs,
            "asked": self._asked,
            "stale": self.outdated,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        costs, asked, stale = (state.pop(name) for name in ("costs", "asked", "stale"))
        self.__dict__.update(state)
        self._scratch = scratch_of(self.space)
        self.costs = None
        if costs is not None:
            self._allotted(len(costs))[:] = costs
        self._know(asked)
        if stale:
            self._seen = object()

    @property
    def shut(self) -> NDArray[np.float64] | None:
        """The costs if some may be infinite."""
        return self.costs if self.infinite else None

    @property
    def outdated(self) -> bool:
        """Whether the layer or expression that was read has changed since."""
        return self._asked is not None and _version(self._asked) != self._seen

    def copy(self) -> Prices:
        """The same prices, which keep theirs when these change."""
        other = object.__new__(Prices)
        other.__dict__.update(self.__dict__)
        other.costs = None
        if self.costs is not None:
            other._allotted(len(self.costs))
            other.padded[:] = self.padded
        return other

    def take_over(
        self, cost: Cost, cells: NDArray[np.int64] | None, walls: NDArray[np.int64]
    ) -> NDArray[np.int64] | None:
        """Take over a cost, or where it is None what the layer or expression says now; changed
        `walls` may have opened.

        Returns the cells that cost something else now, of which some may be walls. None where a
        number has come for an array, an
        array for a number or a number for another: then nothing is taken over yet. `cells` are the
        only ones looked at.
        """
        if cost is None and not self.outdated:
            if self.costs is not None and len(walls):
                checked(self.space, self.costs, walls)
                self._widen(walls)
            return _NONE
        asked = self._asked if cost is None else cost
        number = uniform(asked)
        if number is not None or self.costs is None:
            return _NONE if number is not None and number == self.uniform else None
        if cells is None:
            resolved = resolve(self.space, asked)
            assert resolved is not None
            found = resolved.reshape(-1)
            where = np.flatnonzero(found != self.costs)
            found = found[where]
        else:
            where = np.union1d(cells, walls)
            found = picked(self.space, asked, where)
            differ = found != self.costs[where]
            where, found = where[differ], found[differ]
        self.costs[where] = found
        self._know(asked)
        self._widen(np.concatenate([where, walls]))
        return where

    def _widen(self, cells: NDArray[np.int64]) -> None:
        assert self.costs is not None
        found = self.costs[cells][~self.space.walls.reshape(-1)[cells]]
        finite = found[np.isfinite(found)]
        self.infinite = self.infinite or len(finite) < len(found)
        self.least = min(self.least, float(finite.min(initial=math.inf)))
        self.dearest = max(self.dearest, float(finite.max(initial=0)))


def uniform(cost: Cost) -> float | None:
    """The one cost of all cells, where it is given as a number or not at all; None for anything
    else.
    """
    if cost is None:
        return 1.0
    if isinstance(cost, (int, float, np.integer, np.floating)) and not isinstance(
        cost, (bool, np.bool_)
    ):
        number = checks.finite("cost", cost)
        if LEAST <= number <= checks.LARGEST:
            return number
        raise InvalidValue(
            f"A cost lies from {LEAST:g} to {checks.LARGEST:g}",
            got=f"cost={cost!r}",
            remedy="Pass a number such as 1",
        )
    return None


def _version(cost: object) -> object:
    """Something that changes when a layer or expression does; None for what never says so."""
    return getattr(cost, "version", None)
