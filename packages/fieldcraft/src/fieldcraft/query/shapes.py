"""Peaks and regions: where the hills are, and connected cells above a threshold."""

from __future__ import annotations

from fieldcraft import checks
from fieldcraft.query.backend import queries
from fieldcraft.query.ground import Ground, Readable
from fieldcraft.space.answers import Regions, Spots, regions_above

__all__ = ["peaks", "regions"]


def peaks(
    layer: Readable, count: int | None = None, *, spacing: float = 0.0, threshold: float = 0.0
) -> Spots:
    """The local maxima, strongest first: open cells beside which, one step of the space's
    neighbourhood away, nothing is higher.

    A plateau of equal values counts once, by its cell nearest to its middle. Of equal peaks the
    lowest cell comes first.

    Returns `Spots` with as many entries as were found: positions (K, 2), values (K,), cells (K,).
    Raises `InvalidValue`.

    Parameters
    ----------
    layer : Readable
        A layer or an expression.
    count : int, optional
        How many at most; None for all.
    spacing : float, optional
        The least distance to the stronger peaks before it, world units from center to center.
    threshold : float, optional
        Only values above this count.
    """
    ground = queries(layer)
    most = (
        len(ground.space)
        if count is None
        else min(checks.whole("count", count, minimum=1), len(ground.space))
    )
    apart, above = checks.not_negative("spacing", spacing), checks.finite("threshold", threshold)
    return Spots.at(ground.peaks(most, apart, above), ground.space, ground.flat, ranked=True)


def regions(layer: Readable, threshold: float = 0.0) -> Regions:
    """The connected regions whose values are above `threshold`, the one with the largest total
    first.

    Open cells belong together when a step of the space's neighbourhood leads from one to the other,
    in either direction. Of equal totals the region with the lowest cell comes first, of equally
    high peaks the lowest cell counts. Raises `InvalidValue` for a threshold that is not a finite
    number.
    """
    ground = Ground(layer)
    return regions_above(ground.space, ground.values, checks.finite("threshold", threshold))
