"""The door between kinds of space: each function here picks once what serves a space."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fieldcraft.propagation.canvas import Blots, GridBlots
from fieldcraft.propagation.field import Field
from fieldcraft.propagation.on_hex.stamps import HexBlots
from fieldcraft.propagation.on_hex.trail import HexTrailField
from fieldcraft.propagation.stamps import Stamp
from fieldcraft.propagation.trail import Trail, TrailField
from fieldcraft.space import Space, picked

if TYPE_CHECKING:
    pass

__all__ = ["blots_on", "trail_field"]


def trail_field(trail: Trail, space: Space, every: float) -> Field:
    """A field in which stamps and deposits gather."""
    kind: Callable[..., Field] = picked(
        space, "A layer with fc.Trail", grid=TrailField, hex=HexTrailField
    )
    return kind(trail, space, every)


def blots_on(
    space: Space,
    stamp: Stamp,
    points: NDArray[np.float64],
    *,
    rotations: NDArray[np.float64],
    scales: NDArray[np.float64],
    between: bool,
) -> Blots:
    """Stamps at places (N, 2), each turned by degrees (N,) and sized (N,)."""
    kind: Callable[..., Blots] = picked(space, "stamp()", grid=GridBlots, hex=HexBlots)
    return kind(space, stamp, points, rotations=rotations, scales=scales, between=between)
