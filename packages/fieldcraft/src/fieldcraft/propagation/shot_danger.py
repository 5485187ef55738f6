"""The danger of shots under way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.falloff import Falloff
from fieldcraft.space import Shot, Space, checked_space

__all__ = ["shot_danger"]


def shot_danger(
    space: Space,
    shots: Sequence[Shot],
    horizon: float,
    *,
    strengths: ArrayLike = 1.0,
    falloff: Any = "linear",
    elapsed: ArrayLike = 0.0,
) -> NDArray[np.float32]:
    """How much each cell is threatened by shots under way: float32 in the space's shape, (height,
    width) on a grid.

    A shot adds `strength * falloff(time to impact / horizon)` to each cell that it has yet to
    sweep; what it has passed is safe from it. The array goes into an ordinary layer:
    `imap.add_layer("danger", values=...)`, then `layer.write(...)` each frame.

    Parameters
    ----------
    space: the grid or graph that the shots of `fc.incoming` were made on.
    shots: any number of them.
    horizon: seconds from which on an impact does not matter yet, above 0.
    strengths: one number for all, or one per shot.
    falloff: a name, a table or a callable, as for `Radial`.
    elapsed: seconds since each shot was fired: one number for all, or one per shot.

    Raises `InvalidValue` for arguments outside of these ranges.
    """
    checked_space(space, "Shots are on")
    within = checks.positive("horizon", horizon)
    shots = checks.sequence("shots", shots)
    curve = Falloff.of(falloff)
    amounts = checks.amounts("strengths", strengths, len(shots)).astype(np.float64)
    flown = checks.numbers("elapsed", elapsed, len(shots))
    total = np.zeros(len(space))
    for shot, amount, gone in zip(shots, amounts.tolist(), flown.tolist(), strict=True):
        if not isinstance(shot, Shot):
            raise InvalidValue(
                "Shots come from fc.incoming()", got=repr(shot), remedy="Pass what it returned"
            )
        if len(shot.cells) and int(shot.cells.max()) >= len(space):
            raise InvalidValue(
                "A shot is on the space that it was made on",
                got="cells beyond this one",
                remedy="Pass that space",
            )
        left = shot.seconds - gone
        ahead = left >= 0
        total[shot.cells[ahead]] += amount * curve(left[ahead] / within)
    return total.reshape(space.shape).astype(np.float32)
