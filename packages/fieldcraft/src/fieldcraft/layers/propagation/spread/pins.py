"""Sources of fields that spread: lower bounds in place of pins, and the attribution of values."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import kernels
from fieldcraft.layers.propagation.propagation import Attribution
from fieldcraft.layers.propagation.spread.losses import losses
from fieldcraft.layers.propagation.spread.spread_settings import SpreadSettings
from fieldcraft.layers.sources import Sources
from fieldcraft.space import Space

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
        else:
            high = emitted - self._losses
        if exponent == 0:
            low = emitted * self._losses
        else:
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
    return np.asarray(np.copysign(size * size if exponent == 2 else size * size * size, values))


def trace(
    values: NDArray[np.float32],
    space: Space,
    sources: Sources,
    spread: SpreadSettings,
    cell: int,
    resistance: NDArray[np.float32] | None = None,
) -> Attribution:
    """Return the attribution of a cell: the sources in the cell that supports it, and the part of
    each in what they support here.

    If the search from neighbor to neighbor finds no source, because the value fades or was
    deposited, the settled map is searched instead. Only sources count that have their strength
    in their cell.
    """
    flat = values.reshape(-1)
    value = float(flat[cell])
    pins = dict(zip(*(array.tolist() for array in sources.rows.pins(spread.stack)), strict=True))
    shown = {
        at: strength
        for at, strength in pins.items()
        if strength != 0 and flat[at] == np.float32(strength)
    }
    if value == 0 or not shown:
        return _attribution([], [])
    start, amount = _origin(flat, space, shown, spread, cell, resistance)
    if amount == 0:
        settled = spread.field(space, 1.0)
        settled.set_resistance(resistance)
        settled.feed(sources.copy())
        settled.settle()
        start, amount = _origin(settled.values.reshape(-1), space, shown, spread, cell, resistance)
    if amount * value <= 0:
        return _attribution([], [])
    return _shares(sources, spread, start, value if abs(value) <= abs(amount) else amount)


def _origin(
    flat: NDArray[np.float32],
    space: Space,
    shown: dict[int, float],
    spread: SpreadSettings,
    cell: int,
    resistance: NDArray[np.float32] | None,
) -> tuple[int, float]:
    """Return the cell of the source that a cell's value comes from, and what it supports here; 0
    if there is none.

    Each cell leads to the neighbor with the strongest arrival, to all of them if several are equal.
    """
    links: dict[int, tuple[int, np.float32]] = {cell: (-1, _ZERO)}
    waiting = [cell]
    for here in waiting:
        if here in shown:
            return here, _arriving(np.float32(shown[here]), here, links, spread, resistance)
        for there, loss in _supporters(flat, space, spread, here):
            if there not in links:
                links[there] = (here, loss)
                waiting.append(there)
    return cell, 0.0


def _supporters(
    flat: NDArray[np.float32], space: Space, spread: SpreadSettings, cell: int
) -> list[tuple[int, np.float32]]:
    """Return the neighbors with the strongest arrival in a cell, and the loss on the step from
    each.
    """
    cells, lengths = space.steps_into(cell)
    exponent = spread.exponent
    lost = losses(lengths, spread.decay, exponent)
    emitted = root(flat[cells], exponent)
    high = emitted * lost if exponent == 0 else emitted - lost
    low = emitted * lost if exponent == 0 else emitted + lost
    strongest = high.max(initial=_ZERO)
    weakest = low.min(initial=_ZERO)
    if strongest == 0 and weakest == 0:
        return []
    if strongest >= -weakest:
        best = high == strongest
    else:
        best = low == weakest
    return [(int(cells[k]), lost[k]) for k in np.flatnonzero(best)]


def _arriving(
    strength: np.float32,
    cell: int,
    links: dict[int, tuple[int, np.float32]],
    spread: SpreadSettings,
    resistance: NDArray[np.float32] | None,
) -> float:
    """Return what is left of a strength at the end of the path from a cell."""
    exponent = spread.exponent
    left = np.array([abs(strength)], dtype=np.float32)
    while links[cell][0] >= 0:
        cell, loss = links[cell]
        if resistance is None:
            loss_here = _ZERO
        else:
            loss_here = resistance.reshape(-1)[cell]
        if exponent == 0:
            left = left * loss * np.exp(-loss_here)
        else:
            left = power(np.maximum(root(left, exponent) - loss - loss_here, _ZERO), exponent)
        if left[0] < spread.floor:
            return 0.0
    return float(np.copysign(left[0], strength))


def _shares(sources: Sources, spread: SpreadSettings, cell: int, amount: float) -> Attribution:
    """Divide an amount among the sources in a cell: by strength, or all to the strongest."""
    here = np.flatnonzero(sources.cells == cell)
    ids = sources.ids[here]
    strengths = sources.strengths[here].astype(np.float64)
    if spread.stack == "sum":
        return _attribution(ids, amount * strengths / strengths.sum())
    strongest = max(range(len(ids)), key=lambda i: (abs(strengths[i]), strengths[i]))
    return _attribution([ids[strongest]], [amount])


def _attribution(ids: ArrayLike, amounts: ArrayLike) -> Attribution:
    return Attribution(
        np.array(ids, dtype=np.int64),
        np.array(amounts, dtype=np.float64),
        "in motion, deposited or written",
    )
