"""Sources as floors: their cells read the stronger of their own strength and what the step makes of
them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels import numpy_spread

__all__ = ["Floors", "stronger"]

Floats = NDArray[np.float32]
Cells = NDArray[np.int64]
_ZERO = np.float32(0)


def stronger(first: Floats, second: Floats) -> NDArray[np.bool_]:
    """Where the first magnitude is the larger one, or of equals the first value."""
    sizes, others = np.abs(first), np.abs(second)
    return np.asarray((sizes > others) | ((sizes == others) & (first >= second)))


class Floors:
    """The cells of sources that do not pin, and what arrives in them.

    Kernels know cells that are held and cells that are not. So before each step the floors are
    found that the step would leave below their strength; these are held for this one step.

    cells: flat indices (K,) into the values, or ranks on a graph; `least` (K,) their strengths.
        `origins` (K, N) are the cells from
    which steps arrive, `losses`, of that shape or one for all, what they lose on the way, `arrives`
    (K, N) which of them do, and `through` (K,) how the cells attenuate what arrives.
    """

    def __init__(
        self,
        cells: Cells,
        least: Floats,
        origins: Cells,
        losses: Floats,
        arrives: NDArray[np.bool_],
        through: Floats | None = None,
    ) -> None:
        self.cells = cells
        self.least = least
        self._origins = origins
        self._losses = losses
        self._arrives = arrives
        self._through = through
        self.held = np.ones(len(cells), dtype=np.bool_)

    def choose(
        self, flat: Floats, exponent: int, momentum: np.float32, keep: np.float32, floor: np.float32
    ) -> Cells:
        """Find out which are held in the step from these values; the cells where that is news."""
        moved = numpy_spread.moved(
            flat[self.cells], self._arriving(flat, exponent), momentum, keep, floor
        )
        held = stronger(self.least, moved)
        turned = self.cells[held != self.held]
        self.held = held
        return np.asarray(turned)

    def mend(self, flat: Floats) -> Cells:
        """Bring what is held to its strength after a step; the cells that this changes."""
        low = self.held & (flat[self.cells] != self.least)
        flat[self.cells[low]] = self.least[low]
        return np.asarray(self.cells[low])

    def beaten(self, flat: Floats, exponent: int, floor: np.float32) -> NDArray[np.bool_]:
        """Which floors something stronger reaches on a settled map."""
        target = self._arriving(flat, exponent)
        return ~stronger(self.least, np.where(np.abs(target) < floor, _ZERO, target))

    def _arriving(self, flat: Floats, exponent: int) -> Floats:
        emitted = numpy_spread.root(flat[self._origins], exponent)
        high = emitted * self._losses if exponent == 0 else emitted - self._losses
        low = emitted * self._losses if exponent == 0 else emitted + self._losses
        strongest = np.where(self._arrives, high, _ZERO).max(axis=1, initial=0)
        weakest = np.where(self._arrives, low, _ZERO).min(axis=1, initial=0)
        strongest, weakest = numpy_spread.attenuated(strongest, weakest, self._through, exponent)
        return numpy_spread.power(np.where(strongest >= -weakest, strongest, weakest), exponent)
