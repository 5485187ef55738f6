"""The strength of teams in a cell, spelled out: the specification of `fieldcraft.kernels.teams`.

A team's presence in a cell is the magnitude of its map there. All maps are flat and of the same
length.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["NOBODY", "lead", "survey"]

Floats = NDArray[np.float32]
Numbers = NDArray[np.int32]
NOBODY = -1


def survey(maps: Sequence[Floats], total: Floats, contested: Floats, leader: Numbers) -> None:
    """Look through the maps of all teams, in their order.

    `total` becomes the sum of presences, `contested` twice the sum of all but the strongest,
    `leader` the number of the
    strongest team: the first of equals, `NOBODY` where all are 0.
    """
    strongest, rest = np.zeros_like(total), np.zeros_like(total)
    leader[:] = NOBODY
    for number, values in enumerate(maps):
        presence = np.abs(values)
        rest += np.minimum(presence, strongest)
        leader[presence > strongest] = number
        np.maximum(strongest, presence, out=strongest)
    np.add(strongest, rest, out=total)
    np.add(rest, rest, out=contested)


def lead(maps: Sequence[Floats], margin: float, neutral: int, owner: Numbers) -> None:
    """Write into `owner` the number of the strongest team where it is ahead of the second by at
    least `margin`.

    And `neutral` where it is not, or where all are 0.
    """
    strongest, second = (
        np.zeros(owner.shape, dtype=np.float32),
        np.zeros(owner.shape, dtype=np.float32),
    )
    owner[:] = neutral
    for number, values in enumerate(maps):
        presence = np.abs(values)
        np.maximum(second, np.minimum(presence, strongest), out=second)
        owner[presence > strongest] = number
        np.maximum(strongest, presence, out=strongest)
    owner[strongest - second < np.float32(margin)] = neutral
