"""The steps that leave the cells of a grid, called as the compiled kernels are; see
`fieldcraft.kernels.reference.moves`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.reference import moves as reference

__all__ = ["label", "leave", "stops", "stops_room"]

Moves = NDArray[np.signedinteger]


def leave(
    walls: NDArray[np.bool_],
    classes: NDArray[np.uint8],
    enter: NDArray[np.bool_],
    ruled: bool,
    steps: NDArray[np.int64],
    wrap: bool,
    y0: int,
    y1: int,
    x0: int,
    x1: int,
    moves: Moves,
) -> None:
    """Write which steps may leave each cell of rows [y0, y1) and columns [x0, x1).

    Bit k says that step k ends on the map, on open ground that the terrain lets one enter; a
    diagonal one also that both ways round the corner may be gone. `ruled` says whether the table
    `enter` of the terrain's `classes` forbids anything that walls don't.
    """
    height, width = walls.shape

    def may(here: tuple[int, int], there: tuple[int, int]) -> bool:
        return not walls[there] and not (ruled and not enter[classes[here], classes[there]])

    for y in range(y0, y1):
        for x in range(x0, x1):
            moves[y, x] = 0
            for k, (dx, dy) in enumerate(steps.tolist()):
                if walls[y, x] or not (wrap or (0 <= y + dy < height and 0 <= x + dx < width)):
                    continue
                here, there = (y, x), ((y + dy) % height, (x + dx) % width)
                corners = ((y, there[1]), (there[0], x)) if abs(dx) == 1 and abs(dy) == 1 else ()
                if may(here, there) and all(
                    may(here, corner) and may(corner, there) for corner in corners
                ):
                    moves[y, x] |= 1 << k


def stops_room(_shape: tuple[int, int]) -> NDArray[np.int64]:
    """No room: where runs end is looked for in each search."""
    return np.zeros(0, dtype=np.int64)


def stops(
    _moves: Moves, _eight: bool, _y0: int, _y1: int, _x0: int, _x1: int, _bits: NDArray[np.int64]
) -> None:
    """Nothing is marked."""


def label(
    moves: Moves, steps: NDArray[np.int64], width: int, height: int, labels: NDArray[np.int32]
) -> None:
    """Number the parts of the map between which no step leads, one way or the other: two cells of
    one part have one number.
    """
    labels[:] = reference.label(moves, steps, width, height)
