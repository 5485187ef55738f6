"""Maps made from a seed, for demonstrations and tests without a map."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.words import MapKind, MazeAlgorithm
from fieldcraft.space import Grid
from fieldcraft.space.regions import regions_above

__all__ = ["HALLS", "KINDS", "MAZE_ALGORITHMS", "generate_map", "maze_walls"]

HALLS = ("rooms", "cave", "open")
KINDS = (*HALLS, "pillars", "empty", "maze")
MIN_SIDE = 8
_MAX_CELLS = 2**24
_SMALLEST_ROOM = 6
_CAVE_PASSES = 5
_BLUR = 1.4  # standard deviation of the noise of open ground, in cells
_PILLAR_STEP = 6


def generate_map(
    kind: MapKind,
    width: int,
    height: int,
    *,
    seed: int = 0,
    cell_size: float = 1.0,
    neighbors: int | ArrayLike = 4,
    y_up: bool = False,
    tiles: bool = False,
    algorithm: MazeAlgorithm | None = None,
    loops: float | None = None,
    corridor: int | None = None,
) -> Grid:
    """Return a grid with walls made from a seed. Straight steps connect all open cells, and the
    outermost cells are walls, but for an empty map, which has no walls at all.

    Parameters
    ----------
    kind : str
        "rooms" (a building of rooms with doors), "cave" (winding halls), "open" (a field with
        boulders), "pillars" (a hall of blocks of 2 or 3 cells), "empty" (no walls) or "maze".
    width, height : int
        Cells, at least 8 each (on an empty map 1) and at most 2**24 together. A maze has the
        largest number of rooms that fit: with corridors of 1, 41 x 31 cells hold 20 x 15 rooms; the
        rest is wall.
    seed : int
        At least 0. The same arguments give the same map.
    cell_size, neighbors, y_up, tiles
        As of `Grid`.
    algorithm : str, optional
        For a maze: "backtracker" (the default: long winding corridors, few dead ends) or "growing"
        (more and shorter dead ends).
    loops : float, optional
        For a maze: the share of dead ends that are opened, 0 to 1; by default 0.
    corridor : int, optional
        For a maze: the width of corridors in cells; by default 1.

    Returns
    -------
    Grid

    Raises
    ------
    InvalidValue
        For anything else, and for `algorithm`, `loops` and `corridor` with another kind.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> maze = fc.generate_map("maze", 7, 5, seed=2)
    >>> for row in maze.walls:
    ...     print("".join("#" if wall else "." for wall in row))
    #######
    #.....#
    #.#####
    #.....#
    #######
    """
    checks.choice("kind", kind, KINDS)
    if corridor is None:
        wide = 1
    else:
        wide = checks.integer("corridor", corridor, minimum=1)
    least = {"maze": wide + 2, "empty": 1}.get(kind, MIN_SIDE)
    columns, rows = (
        checks.integer("width", width, minimum=least),
        checks.integer("height", height, minimum=least),
    )
    if columns * rows > _MAX_CELLS:
        raise InvalidValue(
            f"A generated map has at most {_MAX_CELLS:,} cells",
            got=f"{columns} x {rows}",
            remedy="Ask for a smaller one",
        )
    checks.integer("seed", seed)
    if kind == "maze":
        chosen = "backtracker" if algorithm is None else algorithm
        carved = maze_walls(
            (columns - 1) // (wide + 1),
            (rows - 1) // (wide + 1),
            wide,
            checks.choice("algorithm", chosen, MAZE_ALGORITHMS),
            0.0 if loops is None else checks.fraction("loops", loops),
            seed,
        )
        walls = np.ones((rows, columns), dtype=np.bool_)
        walls[: carved.shape[0], : carved.shape[1]] = carved
    else:
        for name, value in (("algorithm", algorithm), ("loops", loops), ("corridor", corridor)):
            if value is not None:
                raise InvalidValue(
                    f"{name} is of mazes",
                    got=f"{name}={value!r} for {kind!r}",
                    remedy=f"Leave {name} out",
                )
        if kind == "empty":
            walls = np.zeros((rows, columns), dtype=np.bool_)
        else:
            rng = np.random.default_rng(seed)
            makers = {"rooms": _building, "cave": _cave, "open": _open, "pillars": _pillars}
            walls = _one_piece(makers[kind](columns, rows, rng))
    return Grid(
        columns,
        rows,
        cell_size=cell_size,
        walls=walls,
        neighbors=neighbors,
        y_up=y_up,
        tiles=tiles,
    )


def _framed(width: int, height: int) -> NDArray[np.bool_]:
    walls = np.ones((height, width), dtype=np.bool_)
    walls[1:-1, 1:-1] = False
    return walls


def _building(width: int, height: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    walls = _framed(width, height)
    pending = [(1, 1, width - 2, height - 2)]
    while pending:
        left, top, wide, high = pending.pop()
        if wide != high:
            upright = wide > high
        else:
            upright = bool(rng.random() < 0.5)
        block = walls[top - 1 : top + high + 1, left - 1 : left + wide + 1]
        if not upright:
            block = block.T
        along = block.shape[1] - 2
        # A wall may not end at an opening of an older wall.
        places = [
            at
            for at in range(1 + _SMALLEST_ROOM, along + 1 - _SMALLEST_ROOM)
            if block[0, at] and block[-1, at]
        ]
        if not places or (along < 3 * _SMALLEST_ROOM and rng.random() < 0.35):
            continue
        at = int(places[int(rng.integers(len(places)))])
        length = block.shape[0] - 2
        block[1:-1, at] = True
        for _ in range(1 + length // 24):
            opening = min(2 + int(rng.integers(2)), length)
            start = 1 + int(rng.integers(length - opening + 1))
            block[start : start + opening, at] = False
        if upright:
            pending += [(left, top, at - 1, high), (left + at, top, wide - at, high)]
        else:
            pending += [(left, top, wide, at - 1), (left, top + at, wide, high - at)]
    return walls


def _cave(width: int, height: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    noise = rng.random((height, width))
    # Small maps may silt up: then with less rock, in the end with none, which leaves at least half
    # of any map open.
    for share in np.linspace(0.46, 0, 24):
        walls: NDArray[np.bool_] = (noise < share) | _framed(width, height)
        for _ in range(_CAVE_PASSES):
            rock = np.pad(walls, 1, constant_values=True).astype(np.int8)
            rows = rock[:-2] + rock[1:-1] + rock[2:]
            around = rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]
            walls = (around >= 5) | _framed(width, height)
        if np.count_nonzero(~_one_piece(walls)) >= 0.35 * walls.size:
            break
    return walls


def _open(width: int, height: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    from scipy import ndimage  # loading it takes longer than all of `import fieldcraft`

    rough = ndimage.gaussian_filter(rng.standard_normal((height, width)), _BLUR, mode="wrap")
    return np.asarray((rough > np.quantile(rough, 0.93)) | _framed(width, height))


def _pillars(width: int, height: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    walls = _framed(width, height)
    for top in range(3, height - 5, _PILLAR_STEP):
        for left in range(3, width - 5, _PILLAR_STEP):
            right, down = rng.integers(0, 3, size=2).tolist()
            wide, high = rng.integers(2, 4, size=2).tolist()
            if rng.random() < 0.8:
                walls[
                    top + down : min(top + down + high, height - 2),
                    left + right : min(left + right + wide, width - 2),
                ] = True
    return walls


def _one_piece(walls: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return `walls` with every open part but the largest filled in."""
    values = (~walls).astype(np.float32)
    return np.asarray(regions_above(Grid(walls=walls), values, 0.5).labels != 1)


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
    pairs = np.array([*_openings(rows, columns, algorithm, loops, key)], dtype=np.int64).reshape(
        -1, 2
    )
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
    for cell, there in _tree(rows, columns, 1.0 if algorithm == "backtracker" else 0.5, key):
        partners[cell].append(there)
        partners[there].append(cell)
        yield cell, there
    for cell in range(len(partners) if loops > 0 else 0):
        closed = [each for each in _beside(cell, rows, columns) if each not in partners[cell]]
        if len(partners[cell]) == 1 and closed and (_random(key, cell, 1) >> 11) * 2.0**-53 < loops:
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
            if (_random(key, turn, 0) >> 11) * 2.0**-53 >= newest:
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
    steps = {1: column < columns - 1, columns: row < rows - 1, -1: column > 0, -columns: row > 0}
    return [cell + step for step, is_inside in steps.items() if is_inside]


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
