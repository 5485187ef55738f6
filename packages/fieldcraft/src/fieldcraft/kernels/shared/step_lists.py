"""The steps of a space as kernels take them: lists of them, or those of a grid."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.shared.arrays import Floats, Ints

__all__ = [
    "ARCS",
    "END_STEPS",
    "LINKED_STEPS_1",
    "LINKED_STEPS_8",
    "OUT_STEPS",
    "Arcs",
    "EndSteps",
    "LinkedSteps",
    "OutSteps",
]

OUT_STEPS = "OutSteps(i8[::1], i4[::1], f8[::1])"
END_STEPS = "EndSteps(i8[::1], i4[::1])"
ARCS = "Arcs(i8[::1], i4[::1], i8[::1], i8[::1], i4[::1])"
LINKED_STEPS_1 = "LinkedSteps(u1[::1], i8[:,::1], i8, i8, b1)"
LINKED_STEPS_8 = "LinkedSteps(u8[::1], i8[:,::1], i8, i8, b1)"
"""The types of the classes in declarations of kernels; of a grid with up to 8 and up to 64 steps
out of a cell.
"""


class OutSteps(NamedTuple):
    """The steps out of cell v, from `starts[v]` up to `starts[v + 1]`, with their ends and
    lengths.
    """

    starts: Ints
    ends: NDArray[np.int32]
    lengths: Floats


class EndSteps(NamedTuple):
    """The steps out of cell v, from `starts[v]` up to `starts[v + 1]`, with their ends."""

    starts: Ints
    ends: NDArray[np.integer]


class Arcs(NamedTuple):
    """Arcs between numbered cells, by both ends.

    The arcs that enter cell v are `starts[v]` up to `starts[v + 1]`, and leave the cells
    `origins[arc]`. The arcs that leave v are `out_arcs[i]` for i from `out_starts[v]` up to
    `out_starts[v + 1]`, and end in `ends[arc]`.
    """

    starts: Ints
    origins: NDArray[np.int32]
    out_starts: Ints
    out_arcs: Ints
    ends: NDArray[np.int32]


class LinkedSteps(NamedTuple):
    """The steps of a grid, (K, 3): columns, rows, and what they add to the number of a cell. Bit k
    of `links[v]` is set if step k may enter cell v.
    """

    links: NDArray[np.unsignedinteger]
    steps: Ints
    width: int
    height: int
    wrap: bool
