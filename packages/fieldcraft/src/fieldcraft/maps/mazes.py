"""Mazes made from a seed: rooms and the doors between them, and the walls of a grid that follow
from these.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.kernels.reference import maze as reference
from fieldcraft.kernels.reference.maze import EAST, SOUTH
from fieldcraft.space.grid import MAX_CELLS

__all__ = ["ALGORITHMS", "EAST", "SOUTH", "maze_doors", "maze_growth", "maze_walls"]

ALGORITHMS = ("backtracker", "prim", "kruskal", "wilson", "division", "eller", "growing")

_MOST_ROOMS = 2**24
_MOST_WALK = 1e9  # steps of the random walks of Wilson's algorithm, about ten seconds
_MOST_KEY = 2**63 - 1


def maze_doors(
    columns: int, rows: int, *, algorithm: str = "backtracker", loops: float = 0.0, seed: int = 0
) -> NDArray[np.uint8]:
    """The doors of a maze of rooms: uint8 of shape (rows, columns), the sum of `EAST` and `SOUTH`
    for those out of each room.

    Without `loops` the maze is perfect: one way, and one only, leads from any room to any other, by
    `columns * rows - 1` doors.

    Parameters
    ----------
    columns, rows: rooms, at least 1 each and at most 2**24 together.
    algorithm:
        "backtracker" digs on until it is stuck, then goes back: long winding ways, few dead ends.
        "prim" grows on all sides: many short dead ends.
        "kruskal" opens doors in random order where they join two parts.
        "wilson" gives every maze that there is with the same chance; for long strips its random
        walks take too long, and it says so. "division" cuts halls in two by walls with one door:
        long straight walls. "eller" makes row after row.
        "growing" digs on or starts anew from an older room, half and half.
    loops: how many of the dead ends get a second door, 0 to 1; with 1 none is left, where there are
        two rows and columns.
    seed: at least 0; the same arguments give the same maze.

    Raises `InvalidValue` for anything else.

    Source: J. Buck, "Mazes for Programmers" (2015), for all but "wilson"; D. B. Wilson, "Generating
        random spanning trees more
    quickly than the cover time", STOC 1996.
    """
    shape = checks.whole("rows", rows, minimum=1), checks.whole("columns", columns, minimum=1)
    checks.choice("algorithm", algorithm, ALGORITHMS)
    opened = checks.fraction("loops", loops)
    if shape[0] * shape[1] > _MOST_ROOMS:
        raise InvalidValue(
            f"A maze has at most {_MOST_ROOMS:,} rooms",
            got=f"{columns} x {rows}",
            remedy="Ask for a smaller one",
        )
    if algorithm == "wilson":
        _check_walks(*shape)
    key = int(np.random.default_rng(checks.whole("seed", seed)).integers(_MOST_KEY))
    doors = np.zeros(shape, dtype=np.uint8)
    _carve(kernels.maze, doors, algorithm, opened, key)
    return doors


def maze_growth(
    columns: int, rows: int, *, algorithm: str = "backtracker", loops: float = 0.0, seed: int = 0
) -> Iterator[NDArray[np.uint8]]:
    """The doors of a maze while it is made: arrays as of `maze_doors`, one after each change, the
    last being the maze.

    For the eye, and for mazes up to a few thousand rooms: it is made slowly. Arguments and errors
    are those of `maze_doors`.
    """
    whole = maze_doors(columns, rows, algorithm=algorithm, loops=loops, seed=seed)
    key = int(np.random.default_rng(seed).integers(_MOST_KEY))
    watched = np.zeros(whole.shape, dtype=np.uint8).view(_Watched)
    watched.changes = _Changes(watched)
    _carve(reference, watched, algorithm, float(loops), key)
    shown = np.zeros(whole.shape, dtype=np.uint8)
    for rooms, doors in watched.changes.made:
        shown.reshape(-1)[rooms] = doors
        yield shown.copy()


def _carve(ops: Any, doors: NDArray[np.uint8], algorithm: str, loops: float, key: int) -> None:
    if algorithm in ("backtracker", "growing"):
        ops.grow(doors, 1.0 if algorithm == "backtracker" else 0.5, key)
    elif algorithm == "division":
        ops.divide(doors, key)
    else:
        getattr(ops, algorithm)(doors, key)
    if loops > 0:
        ops.braid(doors, loops, key)


class _Changes:
    """A diary of an array: which of its places changed to what, each time something was written."""

    def __init__(self, array: NDArray[np.uint8]) -> None:
        self._array = np.asarray(array)
        self._before = self._array.copy()
        self.made: list[tuple[NDArray[np.int64], NDArray[np.uint8]]] = []

    def note(self) -> None:
        places = np.flatnonzero(self._array != self._before)
        if len(places):
            self.made.append((places, self._array.reshape(-1)[places].copy()))
            self._before[...] = self._array


class _Watched(np.ndarray):
    """An array that notes its changes, also those through its views."""

    changes: _Changes | None = None

    def __array_finalize__(self, other: Any) -> None:
        self.changes = getattr(other, "changes", None)

    def __setitem__(self, place: Any, value: Any) -> None:
        super().__setitem__(place, value)
        if self.changes is not None:
            self.changes.note()


def maze_walls(doors: NDArray[np.uint8], corridor: int = 1) -> NDArray[np.bool_]:
    """The walls of a maze, bool, 1 cell thick between rooms of `corridor` x `corridor` cells, with
    a frame around all.

    The shape is `rows * (corridor + 1) + 1` by `columns * (corridor + 1) + 1`.
    """
    doors, wide = (
        checks.array("doors", doors),
        checks.whole("corridor", corridor, minimum=1, maximum=MAX_CELLS),
    )
    if doors.ndim != 2 or doors.dtype.kind not in "iu":
        raise InvalidValue(
            "doors are whole numbers of shape (rows, columns)",
            got=f"{doors.dtype} of shape {doors.shape}",
            remedy="Pass an array of maze_growth",
        )
    rows, columns = doors.shape
    if (rows * (wide + 1) + 1) * (columns * (wide + 1) + 1) > MAX_CELLS:
        raise InvalidValue(
            f"A maze has at most {MAX_CELLS:,} cells",
            got=f"{columns} x {rows} rooms of {wide}",
            remedy="Make it smaller",
        )
    pitch = wide + 1
    walls = np.ones((rows * pitch + 1, columns * pitch + 1), dtype=np.bool_)
    east, south = (doors & EAST) == 0, (doors & SOUTH) == 0
    for at in range(1, pitch):
        walls[at::pitch, pitch::pitch] = east
        walls[pitch::pitch, at::pitch] = south
        for beside in range(1, pitch):
            walls[at::pitch, beside::pitch] = False
    return walls


def _check_walks(rows: int, columns: int) -> None:
    """Refuse what Wilson's algorithm would not get done: a walk on a strip of length n takes some n
    * n steps.
    """
    short, long = sorted((rows, columns))
    if short * long * (math.log2(short * long + 1) + long / (3 * short)) > _MOST_WALK:
        raise InvalidValue(
            f"The random walks of algorithm='wilson' take at most {_MOST_WALK:g} steps or so",
            got=f"{columns} x {rows} rooms",
            remedy="Ask for a shape nearer to a square, or for another algorithm",
        )
