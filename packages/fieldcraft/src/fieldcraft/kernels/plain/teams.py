"""The strength of teams, called as the compiled kernels are; see
`fieldcraft.kernels.reference.teams`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.plain.memory import floats
from fieldcraft.kernels.reference import teams as reference

__all__ = ["lead", "survey"]

Floats = NDArray[np.float32]
Numbers = NDArray[np.int32]


def survey(
    bases: NDArray[np.int64],
    first: int,
    last: int,
    total: Floats,
    contested: Floats,
    leader: Numbers,
) -> None:
    """Look through the cells [first, last) of the maps at the addresses `bases`, float32 by
    cell.
    """
    reference.survey(
        _maps(bases, first, last), total[first:last], contested[first:last], leader[first:last]
    )


def lead(
    bases: NDArray[np.int64], first: int, last: int, margin: float, neutral: int, owner: Numbers
) -> None:
    """Write into the cells [first, last) of `owner` the strongest team where it is ahead by
    `margin`, else `neutral`.
    """
    reference.lead(_maps(bases, first, last), margin, neutral, owner[first:last])


def _maps(bases: NDArray[np.int64], first: int, last: int) -> list[Floats]:
    return [floats(address + 4 * first, last - first) for address in bases.tolist()]
