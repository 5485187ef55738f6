"""Where the hills are."""

from __future__ import annotations

from fieldcraft import checks
from fieldcraft.query import door
from fieldcraft.query.ground import Ground, Readable
from fieldcraft.space.answers import Spots

__all__ = ["peaks"]


def peaks(
    layer: Readable, count: int | None = None, *, spacing: float = 0.0, threshold: float = 0.0
) -> Spots:
    """The local maxima, strongest first: open cells beside which, one step of the space's
    neighbourhood away, nothing is higher.

    A plateau of equal values counts once, by its cell nearest to its middle. Of equal peaks the
    lowest cell comes first.

    Parameters
    ----------
    layer: a layer or an expression.
    count: how many at most; None for all.
    spacing: the least distance to the stronger peaks before it, world units from center to center.
    threshold: only values above this count.

    Returns `Spots` with as many entries as were found: positions (K, 2), values (K,), cells (K,).
    Raises `InvalidValue`.
    """
    ground = Ground(layer)
    most = (
        len(ground.space)
        if count is None
        else min(checks.whole("count", count, minimum=1), len(ground.space))
    )
    apart, above = checks.not_negative("spacing", spacing), checks.finite("threshold", threshold)
    return Spots.at(
        door.peaks(layer)(layer, most, apart, above), ground.space, ground.flat, ranked=True
    )
