"""Carving mazes, spelled out: the specification of `fieldcraft.kernels.maze`.

A maze has rows x columns rooms, numbered row by row, and between neighbouring rooms a door or none:
`doors` (rows, columns), uint8, says which doors lead `EAST` and `SOUTH` out of each room. All
kernels but `divide` begin with none and open a tree of them, so that one way leads from any room to
any other. Every choice is a die of the key and a count.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.reference.chance import SHARE, throw

__all__ = ["EAST", "SOUTH", "braid", "divide", "eller", "grow", "kruskal", "prim", "wilson"]

EAST, SOUTH = 1, 2

Doors = NDArray[np.uint8]


def grow(doors: Doors, newest: float, key: int) -> None:
    """A tree that grows from one of its rooms into one beside it: the newest with this chance, else
    from any.
    """
    columns = doors.shape[1]
    turn = 1
    lived = [_pick(key, 0, doors.size)]
    is_in = np.zeros(doors.size, dtype=np.bool_)
    is_in[lived[0]] = True
    while lived:
        place = len(lived) - 1
        if newest < 1:
            if (throw(key, turn, 0) >> 11) * SHARE >= newest:
                place = _pick(key, turn + 1, len(lived))
            turn += 2
        room = lived[place]
        free = [there for there in _beside(room, doors) if not is_in[there]]
        if not free:
            lived[place] = lived[-1]
            lived.pop()
            continue
        there = free[_pick(key, turn, len(free))]
        turn += 1
        _open(doors, room, there, columns)
        is_in[there] = True
        lived.append(there)


def prim(doors: Doors, key: int) -> None:
    """A tree that grows through any of the doors that lead out of it."""
    columns = doors.shape[1]
    is_in = np.zeros(doors.size, dtype=np.bool_)
    room = _pick(key, 0, doors.size)
    turn = 1
    out: list[tuple[int, int]] = []
    while True:
        is_in[room] = True
        out += [(room, there) for there in _beside(room, doors) if not is_in[there]]
        while out:
            place = _pick(key, turn, len(out))
            turn += 1
            (room, there), out[place] = out[place], out[-1]
            out.pop()
            if not is_in[there]:
                _open(doors, room, there, columns)
                room = there
                break
        else:
            return


def kruskal(doors: Doors, key: int) -> None:
    """All doors in random order, each opened if it joins what is not yet joined."""
    columns = doors.shape[1]
    pairs = [
        (room, there)
        for room in range(doors.size)
        for there in _beside(room, doors)
        if there > room
    ]
    joined = list(range(doors.size))
    for last in range(len(pairs) - 1, -1, -1):
        place = _pick(key, last, last + 1)
        (room, there), pairs[place] = pairs[place], pairs[last]
        one, other = _root(joined, room), _root(joined, there)
        if one != other:
            joined[max(one, other)] = min(one, other)
            _open(doors, room, there, columns)


def wilson(doors: Doors, key: int) -> None:
    """Every tree with the same chance: from each room a random walk to the tree, without its loops,
    becomes part of it.

    D. B. Wilson, "Generating random spanning trees more quickly than the cover time", STOC 1996.
    """
    columns = doors.shape[1]
    is_in = np.zeros(doors.size, dtype=np.bool_)
    is_in[_pick(key, 0, doors.size)] = True
    turn = 1
    went = list(range(doors.size))
    for start in range(doors.size):
        room = start
        while not is_in[room]:
            beside = list(_beside(room, doors))
            went[room] = beside[_pick(key, turn, len(beside))]
            turn += 1
            room = went[room]
        room = start
        while not is_in[room]:
            is_in[room] = True
            _open(doors, room, went[room], columns)
            room = went[room]


def divide(doors: Doors, key: int) -> None:
    """One hall, cut across its longer side by a wall with one door, and so are the halves, until
    all are one room wide.
    """
    rows, columns = doors.shape
    doors[:, :-1] |= EAST
    doors[:-1] |= SOUTH
    turn = 0
    halls = [(0, 0, columns, rows)]
    while halls:
        left, top, wide, high = halls.pop()
        if wide == 1 or high == 1:
            continue
        upright = wide > high
        if wide == high:
            upright = _pick(key, turn, 2) == 1
            turn += 1
        along, across = (wide, high) if upright else (high, wide)
        at = 1 + _pick(key, turn, along - 1)
        door = _pick(key, turn + 1, across)
        turn += 2
        if upright:
            wall = doors[top : top + high, left + at - 1]
            halls += [(left, top, at, high), (left + at, top, wide - at, high)]
        else:
            wall = doors[top + at - 1, left : left + wide]
            halls += [(left, top, wide, at), (left, top + at, wide, high - at)]
        kept = wall[door]
        wall &= ~np.uint8(EAST if upright else SOUTH)
        wall[door] = kept


def eller(doors: Doors, key: int) -> None:
    """Row by row: rooms side by side are joined or not, and of each part of a row at least one door
    leads to the next row.
    """
    rows, columns = doors.shape
    turn = 0
    part = list(range(columns))
    for row in range(rows):
        is_last = row == rows - 1
        for column in range(columns - 1):
            one, other = part[column], part[column + 1]
            if one == other:
                continue
            if is_last or _pick(key, turn, 2) == 1:
                doors[row, column] |= EAST
                part = [one if each == other else each for each in part]
            turn += 1
        if is_last:
            return
        goes = []
        for each in sorted(set(part)):
            members = [column for column in range(columns) if part[column] == each]
            chosen = members[_pick(key, turn + each, len(members))]
            goes += [
                column
                for column in members
                if column == chosen or _pick(key, turn + columns + column, 3) == 0
            ]
        turn += 2 * columns
        fresh = iter(sorted(set(range(columns)) - {part[column] for column in goes}))
        below = set(goes)
        for column in range(columns):
            if column in below:
                doors[row, column] |= SOUTH
            else:
                part[column] = next(fresh)


def braid(doors: Doors, loops: float, key: int) -> None:
    """Open a second door, with this chance, where a room has one, so that fewer dead ends are left
    and more loops.
    """
    columns = doors.shape[1]
    for room in range(doors.size):
        beside = list(_beside(room, doors))
        closed = [there for there in beside if not _is_open(doors, room, there, columns)]
        if (
            len(closed) == len(beside) - 1
            and closed
            and (throw(key, room, 1) >> 11) * SHARE < loops
        ):
            _open(doors, room, closed[_pick(throw(key, room, 2), 0, len(closed))], columns)


def _pick(key: int, turn: int, count: int) -> int:
    """A number below `count`, as likely as any other, to one part in 2**32 / count."""
    return ((throw(key, turn, 0) >> 32) * count) >> 32


def _beside(room: int, doors: Doors) -> Iterator[int]:
    """The rooms to the east, south, west and north."""
    rows, columns = doors.shape
    row, column = divmod(room, columns)
    if column < columns - 1:
        yield room + 1
    if row < rows - 1:
        yield room + columns
    if column > 0:
        yield room - 1
    if row > 0:
        yield room - columns


def _door(room: int, there: int, columns: int) -> tuple[int, int]:
    """The room in whose entry of `doors` the door between two rooms stands, and its bit."""
    return min(room, there), EAST if abs(there - room) == 1 and columns > 1 else SOUTH


def _open(doors: Doors, room: int, there: int, columns: int) -> None:
    first, bit = _door(room, there, columns)
    doors.reshape(-1)[first] |= bit


def _is_open(doors: Doors, room: int, there: int, columns: int) -> bool:
    first, bit = _door(room, there, columns)
    return bool(doors.reshape(-1)[first] & bit)


def _root(joined: list[int], room: int) -> int:
    while joined[room] != room:
        joined[room] = joined[joined[room]]
        room = joined[room]
    return room
