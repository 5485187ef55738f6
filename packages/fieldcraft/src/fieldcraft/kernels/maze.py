"""Carving mazes, fast: the same doors as `fieldcraft.kernels.reference.maze`."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.chance import share, throw
from fieldcraft.kernels.declare import kernel
from fieldcraft.kernels.reference.maze import EAST, SOUTH

__all__ = ["EAST", "SOUTH", "braid", "divide", "eller", "grow", "kruskal", "prim", "wilson"]

_32 = np.uint64(32)
# Counters of this type: kernels are compiled anew for each number that stands in the code.
_0, _1, _2, _3 = np.int64(0), np.int64(1), np.int64(2), np.int64(3)


@kernel
def _pick(key, turn, count):
    """A number below `count`."""
    return np.int64(((throw(key, turn, _0) >> _32) * np.uint64(count)) >> _32)


@kernel
def _beside(room, side, rows, columns):
    """The room to the east, south, west or north, or -1."""
    if side == 0:
        return room + 1 if (room + 1) % columns != 0 else np.int64(-1)
    if side == 1:
        return room + columns if room + columns < rows * columns else np.int64(-1)
    if side == 2:
        return room - 1 if room % columns != 0 else np.int64(-1)
    return room - columns if room >= columns else np.int64(-1)


@kernel
def _open(doors, room, side):
    """Open the door on that side."""
    columns = doors.shape[1]
    if side == 0 or side == 1:
        doors[room // columns, room % columns] |= np.uint8(1 << side)
    elif side == 2:
        doors[(room - 1) // columns, (room - 1) % columns] |= np.uint8(EAST)
    else:
        doors[(room - columns) // columns, room % columns] |= np.uint8(SOUTH)


@kernel
def _is_open(doors, room, side):
    columns = doors.shape[1]
    if side == 2:
        room -= 1
    elif side == 3:
        room -= columns
    return doors[room // columns, room % columns] & np.uint8(EAST if side % 2 == 0 else SOUTH) != 0


@kernel
def _free_side(room, is_in, rows, columns, key, turn):
    """A side on which there is a room that is not in yet, or -1 if there is none."""
    free = 0
    for side in range(4):
        there = _beside(room, side, rows, columns)
        if there >= 0 and not is_in[there]:
            free += 1
    if free == 0:
        return -1
    left = _pick(key, turn, free)
    for side in range(4):
        there = _beside(room, side, rows, columns)
        if there >= 0 and not is_in[there]:
            if left == 0:
                return side
            left -= 1
    return -1


@kernel("out u1[:,::1], f8, i8")
def grow(doors, newest, key):
    """A tree that grows from one of its rooms into one beside it: the newest with this chance, else
    from any.
    """
    rows, columns = doors.shape
    count = rows * columns
    is_in = np.zeros(count, dtype=np.bool_)
    lived = np.empty(count, dtype=np.int64)
    lived[0] = _pick(key, _0, count)
    is_in[lived[0]] = True
    turn = 1
    size = 1
    while size > 0:
        place = size - 1
        if newest < 1.0:
            if share(key, turn, _0) >= newest:
                place = _pick(key, turn + 1, size)
            turn += 2
        room = lived[place]
        side = _free_side(room, is_in, rows, columns, key, turn)
        if side < 0:
            size -= 1
            lived[place] = lived[size]
            continue
        turn += 1
        there = _beside(room, side, rows, columns)
        _open(doors, room, side)
        is_in[there] = True
        lived[size] = there
        size += 1


@kernel("out u1[:,::1], i8")
def prim(doors, key):
    """A tree that grows through any of the doors that lead out of it."""
    rows, columns = doors.shape
    count = rows * columns
    is_in = np.zeros(count, dtype=np.bool_)
    out = np.empty(2 * count, dtype=np.int64)
    size = 0
    room = _pick(key, _0, count)
    turn = 1
    while room >= 0:
        is_in[room] = True
        for side in range(4):
            there = _beside(room, side, rows, columns)
            if there >= 0 and not is_in[there]:
                out[size] = 4 * room + side
                size += 1
        room = np.int64(-1)
        while size > 0:
            place = _pick(key, turn, size)
            turn += 1
            door = out[place]
            size -= 1
            out[place] = out[size]
            there = _beside(door // 4, door % 4, rows, columns)
            if not is_in[there]:
                _open(doors, door // 4, door % 4)
                room = there
                break


@kernel("out u1[:,::1], i8")
def kruskal(doors, key):
    """All doors in random order, each opened if it joins what is not yet joined."""
    rows, columns = doors.shape
    count = rows * columns
    pairs = np.empty(2 * count, dtype=np.int64)
    size = 0
    for room in range(count):
        for side in range(2):
            if _beside(room, side, rows, columns) >= 0:
                pairs[size] = 2 * room + side
                size += 1
    joined = np.arange(count)
    for last in range(size - 1, -1, -1):
        place = _pick(key, last, last + 1)
        door = pairs[place]
        pairs[place] = pairs[last]
        one = door // 2
        other = _beside(one, door % 2, rows, columns)
        while joined[one] != one:
            joined[one] = joined[joined[one]]
            one = joined[one]
        while joined[other] != other:
            joined[other] = joined[joined[other]]
            other = joined[other]
        if one != other:
            joined[max(one, other)] = min(one, other)
            _open(doors, door // 2, door % 2)


@kernel("out u1[:,::1], i8")
def wilson(doors, key):
    """Every tree with the same chance: from each room a random walk to the tree, without its loops,
    becomes part of it.
    """
    rows, columns = doors.shape
    count = rows * columns
    is_in = np.zeros(count, dtype=np.bool_)
    went = np.zeros(count, dtype=np.uint8)
    is_in[_pick(key, _0, count)] = True
    turn = 1
    for start in range(count):
        room = start
        while not is_in[room]:
            row = room // columns
            column = room - row * columns
            left = _pick(
                key, turn, (column < columns - 1) + (row < rows - 1) + (column > 0) + (row > 0)
            )
            turn += 1
            if column < columns - 1:
                if left == 0:
                    went[room] = 0
                    room += 1
                    continue
                left -= 1
            if row < rows - 1:
                if left == 0:
                    went[room] = 1
                    room += columns
                    continue
                left -= 1
            if column > 0 and left == 0:
                went[room] = 2
                room -= 1
            else:
                went[room] = 3
                room -= columns
        room = start
        while not is_in[room]:
            is_in[room] = True
            side = went[room]
            _open(doors, room, side)
            room = _beside(room, side, rows, columns)


@kernel("out u1[:,::1], i8")
def divide(doors, key):
    """One hall, cut across its longer side by a wall with one door, and so are the halves, until
    all are one room wide.
    """
    rows, columns = doors.shape
    for row in range(rows):
        for column in range(columns):
            doors[row, column] = np.uint8(
                (EAST if column < columns - 1 else 0) | (SOUTH if row < rows - 1 else 0)
            )
    turn = 0
    halls = np.empty((rows + columns + 2, 4), dtype=np.int64)
    halls[0, 0], halls[0, 1], halls[0, 2], halls[0, 3] = 0, 0, columns, rows
    size = 1
    while size > 0:
        size -= 1
        left, top, wide, high = halls[size]
        if wide == 1 or high == 1:
            continue
        upright = wide > high
        if wide == high:
            upright = _pick(key, turn, _2) == 1
            turn += 1
        at = 1 + _pick(key, turn, (wide if upright else high) - 1)
        door = _pick(key, turn + 1, high if upright else wide)
        turn += 2
        for step in range(high if upright else wide):
            if step == door:
                continue
            if upright:
                doors[top + step, left + at - 1] &= np.uint8(SOUTH)
            else:
                doors[top + at - 1, left + step] &= np.uint8(EAST)
        for half in range(2):
            halls[size, 0] = left
            halls[size, 1] = top
            halls[size, 2] = wide
            halls[size, 3] = high
            axis = 0 if upright else 1
            halls[size, axis] += half * at
            halls[size, axis + 2] = at if half == 0 else (wide if upright else high) - at
            size += 1


@kernel("out u1[:,::1], i8")
def eller(doors, key):
    """Row by row: rooms side by side are joined or not, and of each part of a row at least one door
    leads to the next row.
    """
    rows, columns = doors.shape
    turn = 0
    part = np.arange(columns)
    into = np.arange(columns)  # what a part has become within a row
    members = np.empty(columns, dtype=np.int64)
    chosen = np.empty(columns, dtype=np.int64)
    is_taken = np.empty(columns, dtype=np.bool_)
    for row in range(rows):
        is_last = row == rows - 1
        for column in range(columns):
            into[column] = column
        for column in range(columns - 1):
            one = part[column]
            while into[one] != one:
                into[one] = into[into[one]]
                one = into[one]
            other = part[column + 1]
            while into[other] != other:
                into[other] = into[into[other]]
                other = into[other]
            if one == other:
                continue
            if is_last or _pick(key, turn, _2) == 1:
                doors[row, column] |= np.uint8(EAST)
                into[other] = one
            turn += 1
        if is_last:
            return
        members[:] = 0
        is_taken[:] = False
        for column in range(columns):
            each = part[column]
            while into[each] != each:
                each = into[each]
            part[column] = each
            members[each] += 1
        for each in range(columns):
            if members[each] > 0:
                chosen[each] = _pick(key, turn + each, members[each])
        for column in range(columns):
            each = part[column]
            if chosen[each] == 0 or _pick(key, turn + columns + column, _3) == 0:
                doors[row, column] |= np.uint8(SOUTH)
                is_taken[each] = True
            chosen[each] -= 1
        turn += 2 * columns
        fresh = 0
        for column in range(columns):
            if doors[row, column] & np.uint8(SOUTH) == 0:
                while is_taken[fresh]:
                    fresh += 1
                part[column] = fresh
                fresh += 1


@kernel("out u1[:,::1], f8, i8")
def braid(doors, loops, key):
    """Open a second door, with this chance, where a room has one, so that fewer dead ends are left
    and more loops.
    """
    rows, columns = doors.shape
    for room in range(rows * columns):
        closed = 0
        beside = 0
        for side in range(4):
            if _beside(room, side, rows, columns) >= 0:
                beside += 1
                closed += not _is_open(doors, room, side)
        if closed != beside - 1 or closed == 0 or share(key, room, _1) >= loops:
            continue
        left = _pick(throw(key, room, _2), _0, closed)
        for side in range(4):
            if _beside(room, side, rows, columns) >= 0 and not _is_open(doors, room, side):
                if left == 0:
                    _open(doors, room, side)
                    break
                left -= 1
