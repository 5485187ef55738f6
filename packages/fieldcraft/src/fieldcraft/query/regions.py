"""Connected ground above a threshold."""

from __future__ import annotations

from fieldcraft import checks
from fieldcraft.query.ground import Ground, Readable
from fieldcraft.space.answers import Regions, regions_above

__all__ = ["regions"]


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
