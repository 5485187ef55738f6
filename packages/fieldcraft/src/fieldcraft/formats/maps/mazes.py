"""Walls of mazes, made from a seed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.words import MazeAlgorithm

__all__ = ["MAZE_ALGORITHMS", "maze_walls"]

MAZE_ALGORITHMS = ("backtracker", "growing")
"""How a maze is carved. "backtracker" digs until it is stuck, then goes back: long winding
corridors, few dead ends. "growing" continues from any earlier room every other time: more and
shorter dead ends (J. Buck, "Mazes for Programmers", 2015)."""

_MOST_KEY = 2**63 - 1
_ALL = (1 << 64) - 1


def maze_walls(
    columns: int, rows: int, corridor: int, algorithm: MazeAlgorithm, loops: float, seed: int
) -> NDArray[np.bool_]:
    """Return the walls of a maze, 1 cell thick between rooms of `corridor` squared cells, with a
    frame around all: shape `(rows * (corridor + 1) + 1, columns * (corridor + 1) + 1)`.

    Without `loops` exactly one path joins any two rooms; else it is the share of dead ends that
    get a second opening.
    """
    key = int(np.random.default_rng(seed).integers(_MOST_KEY))
    openings = list(_openings(rows, columns, algorithm, loops, key))
    pairs = np.array(openings, dtype=np.int64).reshape(-1, 2)
    first = pairs.min(axis=1)
    is_south = pairs.max(axis=1) - first == columns
    pitch = corridor + 1
    walls = np.ones((rows * pitch + 1, columns * pitch + 1), dtype=np.bool_)
    east = np.ones((rows, columns), dtype=np.bool_)
    south = np.ones((rows, columns), dtype=np.bool_)
    east.reshape(-1)[first[~is_south]] = False
    south.reshape(-1)[first[is_south]] = False
    for at in range(1, pitch):
        walls[at::pitch, pitch::pitch] = east
        walls[pitch::pitch, at::pitch] = south
        for beside in range(1, pitch):
            walls[at::pitch, beside::pitch] = False
    return walls


def _openings(
    rows: int, columns: int, algorithm: MazeAlgorithm, loops: float, key: int
) -> Iterator[tuple[int, int]]:
    """Yield the pairs of rooms with an opening between them."""
    partners: list[list[int]] = [[] for _ in range(rows * columns)]
    newest = {"backtracker": 1.0, "growing": 0.5}[algorithm]
    for cell, there in _tree(rows, columns, newest, key):
        partners[cell].append(there)
        partners[there].append(cell)
        yield cell, there
    if loops == 0:
        return
    for cell in range(len(partners)):
        closed = [each for each in _beside(cell, rows, columns) if each not in partners[cell]]
        if len(partners[cell]) == 1 and closed and _share(key, cell, 1) < loops:
            there = closed[_pick(_random(key, cell, 2), 0, len(closed))]
            partners[cell].append(there)
            partners[there].append(cell)
            yield cell, there


def _tree(rows: int, columns: int, newest: float, key: int) -> Iterator[tuple[int, int]]:
    """Yield the openings of a tree that grows from one of its rooms into a neighbor: from the
    newest room with this probability, else from any.
    """
    active = [_pick(key, 0, rows * columns)]
    is_in = bytearray(rows * columns)
    is_in[active[0]] = True
    turn = 1
    while active:
        place = len(active) - 1
        if newest < 1:
            if _share(key, turn, 0) >= newest:
                place = _pick(key, turn + 1, len(active))
            turn += 2
        cell = active[place]
        free = [there for there in _beside(cell, rows, columns) if not is_in[there]]
        if not free:
            active[place] = active[-1]
            active.pop()
            continue
        there = free[_pick(key, turn, len(free))]
        turn += 1
        is_in[there] = True
        active.append(there)
        yield cell, there


def _beside(cell: int, rows: int, columns: int) -> list[int]:
    """Return the rooms to the east, south, west and north."""
    row, column = divmod(cell, columns)
    found = []
    if column < columns - 1:
        found.append(cell + 1)
    if row < rows - 1:
        found.append(cell + columns)
    if column > 0:
        found.append(cell - 1)
    if row > 0:
        found.append(cell - columns)
    return found


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


def _share(key: int, first: int, second: int) -> float:
    """Return a uniform random number of two counters, in [0, 1)."""
    return (_random(key, first, second) >> 11) * 2.0**-53


def _pick(key: int, turn: int, count: int) -> int:
    """Return a uniform random number below `count`."""
    return ((_random(key, turn, 0) >> 32) * count) >> 32
