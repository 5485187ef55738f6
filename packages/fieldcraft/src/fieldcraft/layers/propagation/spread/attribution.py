"""The sources that a value of Spread comes from."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.layers.propagation.propagation import Attribution
from fieldcraft.layers.propagation.spread.losses import losses
from fieldcraft.layers.propagation.spread.lower_bounds import power, root
from fieldcraft.layers.propagation.spread.spread_settings import SpreadSettings
from fieldcraft.layers.sources import Sources
from fieldcraft.space import Space

_ZERO = np.float32(0)


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
    cells, strengths = sources.rows.pins(spread.stack)
    pins = dict(zip(cells.tolist(), strengths.tolist(), strict=True))
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
    # The value may still be on its way to what the source supports.
    if abs(value) <= abs(amount):
        amount = value
    return _shares(sources, spread, start, amount)


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
    if exponent == 0:
        high = emitted * lost
        low = high
    else:
        high = emitted - lost
        low = emitted + lost
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
