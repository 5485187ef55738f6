"""Sources with `pin=False`: lower bounds of the values in their cells."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels

Floats = NDArray[np.float32]
Cells = NDArray[np.int64]
_ZERO = np.float32(0)


def stronger(first: Floats, second: Floats) -> NDArray[np.bool_]:
    """Return where the first magnitude is larger, or equal and the first value not smaller."""
    sizes = np.abs(first)
    others = np.abs(second)
    return np.asarray((sizes > others) | ((sizes == others) & (first >= second)))


class LowerBounds:
    """The cells of sources with `pin=False`, and what arrives in them.

    A step treats these cells as any other; afterwards they are raised to the strength of their
    source where it is the stronger of the two.

    Parameters
    ----------
    cells : ndarray of int64, shape (K,)
        Places among the values: cells, or ranks on a graph.
    least : ndarray of float32, shape (K,)
        The strength of the source in each cell.
    origins : ndarray of int64, shape (K, N)
        Where steps into each cell come from.
    losses : ndarray of float32
        The loss on these steps, of shape (K, N) or (N,).
    arrives : ndarray of bool, shape (K, N)
        Which of these steps exist.
    through : ndarray of float32, shape (K,), optional
        How each cell attenuates what arrives.
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

    def overruled(self, values: Floats, exponent: int, floor: np.float32) -> NDArray[np.bool_]:
        """Return where something stronger of the other sign arrives: these cells turn to it, and
        are weaker than their sources in between.
        """
        emitted = root(values[self._origins], exponent)
        if exponent == 0:
            high = emitted * self._losses
            low = high
        else:
            high = emitted - self._losses
            low = emitted + self._losses
        strongest = np.where(self._arrives, high, _ZERO).max(axis=1, initial=0)
        weakest = np.where(self._arrives, low, _ZERO).min(axis=1, initial=0)
        if self._through is not None:
            if exponent == 0:
                strongest = strongest * self._through
                weakest = weakest * self._through
            else:
                strongest = np.maximum(strongest - self._through, _ZERO)
                weakest = np.minimum(weakest + self._through, _ZERO)
        target = power(np.where(strongest >= -weakest, strongest, weakest), exponent)
        turns = (target < 0) != (self.least < 0)
        return np.asarray(turns & (np.abs(target) >= floor) & ~stronger(self.least, target))

    def apply(self, values: Floats, overruled: NDArray[np.bool_] | None) -> Cells:
        """Raise the cells to their sources' strengths, and return the cells that this changes."""
        here = values[self.cells]
        low = stronger(self.least, here) & (here != self.least)
        if overruled is not None:
            low &= ~overruled
        values[self.cells[low]] = self.least[low]
        return np.asarray(self.cells[low])


def root(values: Floats, exponent: int) -> Floats:
    """Return values as they are before they fall off: their roots for quadratic and cubic falloff,
    with the sign kept.
    """
    if exponent <= 1:
        return values
    found = np.empty_like(values)
    kernels.spread.graph_spread.emit(
        values.reshape(-1), exponent, 0, values.size, found.reshape(-1)
    )
    return found


def power(values: Floats, exponent: int) -> Floats:
    """Return the inverse of `root`."""
    if exponent <= 1:
        return values
    size = np.abs(values)
    if exponent == 2:
        return np.asarray(np.copysign(size * size, values))
    return np.asarray(np.copysign(size * size * size, values))
