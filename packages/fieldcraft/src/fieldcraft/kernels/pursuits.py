"""Pursuits: worlds side by side, each with pursuers and an evader in cells of a grid, for
    `fieldcraft.adapters.rl`.

The worlds lie one below the other on one grid with a rim of walls round each, as wide as a view.
`cells` (B, A + 1) has the evader of each world and then its pursuers. `walls` are 255, `opens`
(cells, 9) says which steps are open from a cell, and `offsets` (9,) where they lead to.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.declare import kernel
from fieldcraft.kernels.sees import between_cells

__all__ = ["hunt", "watch"]

_WALL, _FRIEND, _PREY = 0, 1, 2
_CHUNK = 16


@kernel
def _caught(opens, offsets, cells, world):
    """Whether a pursuer stands one open step from the evader, or in its cell."""
    here = cells[world, 0]
    for p in range(1, cells.shape[1]):
        apart = cells[world, p] - here
        for way in range(len(offsets)):
            if apart == offsets[way] and opens[here, way]:
                return True
    return False


@kernel
def _sees(walls, view, one, other):
    """Whether two cells of one world see each other."""
    width = walls.shape[1]
    row, column = one // width, one % width
    dy, dx = other // width - row, other % width - column
    if abs(dy) > view or abs(dx) > view or dy * dy + dx * dx > view * (view + 1):
        return False
    return between_cells(walls, row, column, dy, dx)


@kernel(
    "u1[:,::1], b1[:,::1], i8[:,::1], i8[::1], i8, b1, i8[:,::1], i8[::1], b1[::1], i8, i8, out"
    " i8[:,::1], out i8[:,::1], out b1[::1]"
)
def hunt(
    walls,
    opens,
    ways,
    offsets,
    view,
    flees,
    actions,
    dice,
    resting,
    first,
    last,
    cells,
    apart,
    caught,
):
    """Let everybody of the worlds [first, last) that don't rest take a step: the pursuers as told,
    then the evader.

    An evader that `flees` takes, of its open steps, the one that leads farthest from the nearest
    pursuer in sight, the first of several; one that sees none takes the step of its `dice`.
    `caught` says whether it was, before or after its own step. `ways` (9, 2) are the steps as (dx,
    dy), `apart` (B, 9) is room to work in.
    """
    width = walls.shape[1]
    for b in range(first, last):
        caught[b] = False
        if resting[b]:
            continue
        for p in range(1, cells.shape[1]):
            way = actions[b, p - 1]
            if opens[cells[b, p], way]:
                cells[b, p] += offsets[way]
        caught[b] = _caught(opens, offsets, cells, b)
        if caught[b]:
            continue
        here = cells[b, 0]
        way = dice[b]
        if flees:
            row, column = here // width, here % width
            sees = False
            for p in range(1, cells.shape[1]):
                if _sees(walls, view, cells[b, p], here):
                    dy, dx = cells[b, p] // width - row, cells[b, p] % width - column
                    for w in range(9):
                        squared = (dy - ways[w, 1]) ** 2 + (dx - ways[w, 0]) ** 2
                        if not sees or squared < apart[b, w]:
                            apart[b, w] = squared
                    sees = True
            if sees:
                way = 0
                for w in range(1, 9):
                    if opens[here, w] and apart[b, w] > apart[b, way]:
                        way = w
        if opens[here, way]:
            cells[b, 0] += offsets[way]
        caught[b] = _caught(opens, offsets, cells, b)


@kernel(
    "u1[:,::1], i8[:,::1], i8, i8, u1[::1], i8, i8, out i8[:,::1], out i8[::1], out u1[:,:,:,:,::1]"
)
def watch(walls, cells, view, never, glow, first, last, known, age, windows):
    """Draw what the pursuers of the worlds [first, last) know into `windows` (B, A, 3, side, side):
    walls, friends, and the evader.

    `known` (B, 2) is where it was last seen, `age` (B,) how many steps ago, `never` if it was not;
    `glow[age]` how bright it is drawn, on the rim of a window if it lies outside.
    """
    width = walls.shape[1]
    side = 2 * view + 1
    drawn, ground = windows.reshape(-1), walls.reshape(-1)
    for b in range(first, last):
        age[b] = min(age[b] + 1, never)
        for p in range(1, cells.shape[1]):
            if _sees(walls, view, cells[b, p], cells[b, 0]):
                age[b] = 0
                known[b, 0], known[b, 1] = cells[b, 0] // width, cells[b, 0] % width
                break
        for p in range(1, cells.shape[1]):
            top, left = cells[b, p] // width - view, cells[b, p] % width - view
            begin = np.uint64(((b * (cells.shape[1] - 1) + p - 1) * 3 + _WALL) * side * side)
            corner = top * width + left
            if side <= _CHUNK and corner + (side - 1) * width + _CHUNK <= ground.shape[0]:
                # A copy of fixed length is one instruction; what it writes too much is written over
                # by what comes next.
                for i in range(side):
                    to, source = begin + np.uint64(i * side), np.uint64(corner + i * width)
                    for j in range(_CHUNK):
                        drawn[to + np.uint64(j)] = ground[source + np.uint64(j)]
            else:
                for i in range(side):
                    for j in range(side):
                        windows[b, p - 1, _WALL, i, j] = walls[top + i, left + j]
            empty = begin + np.uint64(side * side)
            for k in range(np.uint64(2 * side * side)):
                drawn[empty + k] = 0
            for q in range(1, cells.shape[1]):
                i, j = cells[b, q] // width - top, cells[b, q] % width - left
                if q != p and 0 <= i < side and 0 <= j < side:
                    windows[b, p - 1, _FRIEND, i, j] = 255
            if age[b] < never:
                i, j = (
                    min(max(known[b, 0] - top, 0), side - 1),
                    min(max(known[b, 1] - left, 0), side - 1),
                )
                windows[b, p - 1, _PREY, i, j] = glow[age[b]]
