"""Mazes from a seed: rooms with doors between them, and the walls of a grid that follow."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.space.grid import MAX_CELLS

__all__ = ["ALGORITHMS", "EAST", "SOUTH", "maze_doors", "maze_growth", "maze_walls"]

ALGORITHMS = ("backtracker", "growing")
EAST, SOUTH = 1, 2

_MOST_ROOMS = 2**24
_MOST_KEY = 2**63 - 1
_ALL = (1 << 64) - 1


def maze_doors(
    columns: int, rows: int, *, algorithm: str = "backtracker", loops: float = 0.0, seed: int = 0
) -> NDArray[np.uint8]:
    """Return the doors of a maze of rooms: uint8 of shape (rows, columns), the sum of `EAST` and
    `SOUTH` for the doors of each room.

    Without `loops` the maze is perfect: exactly one path joins any two rooms, through
    `columns * rows - 1` doors.

    Parameters
    ----------
    columns, rows : int
        Rooms, at least 1 each and at most 2**24 together.
    algorithm : {"backtracker", "growing"}
        "backtracker" digs until it is stuck, then goes back: long winding corridors, few dead ends.
        "growing" continues from any earlier room every other time: more and shorter dead ends.
    loops : float
        The share of dead ends that get a second door, 0 to 1.
    seed : int
        At least 0; the same arguments give the same maze.

    Raises
    ------
    InvalidValue
        For anything else.

    References
    ----------
    J. Buck, "Mazes for Programmers" (2015).

    Examples
    --------
    >>> from fieldcraft.maps.mazes import maze_doors
    >>> maze_doors(4, 2, seed=1)
    array([[3, 1, 1, 0],
           [1, 1, 1, 0]], dtype=uint8)
    """
    openings = _openings(columns, rows, algorithm, loops, seed)
    doors = np.zeros((rows, columns), dtype=np.uint8)
    found = np.fromiter((2 * room + (bit == SOUTH) for room, bit in openings), dtype=np.int64)
    np.bitwise_or.at(doors.reshape(-1), found // 2, (1 + found % 2).astype(np.uint8))
    return doors


def maze_growth(
    columns: int, rows: int, *, algorithm: str = "backtracker", loops: float = 0.0, seed: int = 0
) -> Iterator[NDArray[np.uint8]]:
    """Yield the doors of a maze after each door that is opened; the last array is the maze.

    Arguments and errors are those of `maze_doors`.
    """
    openings = _openings(columns, rows, algorithm, loops, seed)
    doors = np.zeros((rows, columns), dtype=np.uint8)
    for room, bit in openings:
        doors.reshape(-1)[room] |= bit
        yield doors.copy()


def maze_walls(doors: NDArray[np.uint8], corridor: int = 1) -> NDArray[np.bool_]:
    """Return the walls of a maze, bool, 1 cell thick between rooms of `corridor` squared cells,
    with a frame around all.

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


def _openings(
    columns: int, rows: int, algorithm: str, loops: float, seed: int
) -> Iterator[tuple[int, int]]:
    """Check the arguments, and return the doors to open in order: the room that has the door, and
    its bit.
    """
    high, wide = checks.whole("rows", rows, minimum=1), checks.whole("columns", columns, minimum=1)
    checks.choice("algorithm", algorithm, ALGORITHMS)
    share = checks.fraction("loops", loops)
    if high * wide > _MOST_ROOMS:
        raise InvalidValue(
            f"A maze has at most {_MOST_ROOMS:,} rooms",
            got=f"{columns} x {rows}",
            remedy="Ask for a smaller one",
        )
    key = int(np.random.default_rng(checks.whole("seed", seed)).integers(_MOST_KEY))
    return _carved(high, wide, algorithm, share, key)


def _carved(
    rows: int, columns: int, algorithm: str, loops: float, key: int
) -> Iterator[tuple[int, int]]:
    partners: list[list[int]] = [[] for _ in range(rows * columns)]
    for room, there in _tree(rows, columns, 1.0 if algorithm == "backtracker" else 0.5, key):
        partners[room].append(there)
        partners[there].append(room)
        yield _door(room, there, columns)
    for room in range(len(partners) if loops > 0 else 0):
        closed = [each for each in _beside(room, rows, columns) if each not in partners[room]]
        if len(partners[room]) == 1 and closed and (_random(key, room, 1) >> 11) * 2.0**-53 < loops:
            there = closed[_pick(_random(key, room, 2), 0, len(closed))]
            partners[room].append(there)
            partners[there].append(room)
            yield _door(room, there, columns)


def _tree(rows: int, columns: int, newest: float, key: int) -> Iterator[tuple[int, int]]:
    """Yield the doors of a tree that grows from one of its rooms into a neighbor: from the newest
    room with this probability, else from any.
    """
    active = [_pick(key, 0, rows * columns)]
    is_in = bytearray(rows * columns)
    is_in[active[0]] = True
    turn = 1
    while active:
        place = len(active) - 1
        if newest < 1:
            if (_random(key, turn, 0) >> 11) * 2.0**-53 >= newest:
                place = _pick(key, turn + 1, len(active))
            turn += 2
        room = active[place]
        free = [there for there in _beside(room, rows, columns) if not is_in[there]]
        if not free:
            active[place] = active[-1]
            active.pop()
            continue
        there = free[_pick(key, turn, len(free))]
        turn += 1
        is_in[there] = True
        active.append(there)
        yield room, there


def _beside(room: int, rows: int, columns: int) -> list[int]:
    """Return the rooms to the east, south, west and north."""
    row, column = divmod(room, columns)
    found = [room + 1] if column < columns - 1 else []
    if row < rows - 1:
        found.append(room + columns)
    if column > 0:
        found.append(room - 1)
    if row > 0:
        found.append(room - columns)
    return found


def _door(room: int, there: int, columns: int) -> tuple[int, int]:
    """Return the room whose entry holds the door between two rooms, and its bit."""
    return min(room, there), EAST if abs(there - room) == 1 and columns > 1 else SOUTH


def _random(key: int, first: int, second: int) -> int:
    """Return random bits of two counters, below 2**64: SplitMix64 (Steele, Lea, Flood 2014), once
    for each counter.
    """
    for counter in (first, second):
        key = (key + (counter + 1) * 0x9E3779B97F4A7C15) & _ALL
        key = ((key ^ (key >> 30)) * 0xBF58476D1CE4E5B9) & _ALL
        key = ((key ^ (key >> 27)) * 0x94D049BB133111EB) & _ALL
        key ^= key >> 31
    return key


def _pick(key: int, turn: int, count: int) -> int:
    """Return a uniform random number below `count`."""
    return ((_random(key, turn, 0) >> 32) * count) >> 32
