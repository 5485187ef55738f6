"""Maps made from a seed, for demonstrations and tests without a map."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.words import MapKind, MazeAlgorithm
from fieldcraft.formats.maps.mazes import MAZE_ALGORITHMS, maze_walls
from fieldcraft.space import Grid
from fieldcraft.space.regions import regions_above

__all__ = ["HALLS", "KINDS", "generate_map"]

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
    columns = checks.integer("width", width, minimum=least)
    rows = checks.integer("height", height, minimum=least)
    if columns * rows > _MAX_CELLS:
        raise InvalidValue(
            f"A generated map has at most {_MAX_CELLS:,} cells",
            got=f"{columns} x {rows}",
            remedy="Ask for a smaller one",
        )
    checks.integer("seed", seed)
    if kind == "maze":
        if algorithm is None:
            chosen: MazeAlgorithm = "backtracker"
        else:
            chosen = checks.choice("algorithm", algorithm, MAZE_ALGORITHMS)
        if loops is None:
            opened = 0.0
        else:
            opened = checks.fraction("loops", loops)
        carved = maze_walls(
            (columns - 1) // (wide + 1),
            (rows - 1) // (wide + 1),
            wide,
            chosen,
            opened,
            seed,
        )
        walls = np.ones((rows, columns), dtype=np.bool_)
        walls[: carved.shape[0], : carved.shape[1]] = carved
    else:
        for name, value in (("algorithm", algorithm), ("loops", loops), ("corridor", corridor)):
            if value is not None:
                raise InvalidValue(
                    f"Only mazes have {name}",
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
    """Return an open map inside a frame of walls."""
    walls = np.ones((height, width), dtype=np.bool_)
    walls[1:-1, 1:-1] = False
    return walls


def _building(width: int, height: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return rooms: walls with openings cut rectangles in two until these are small."""
    walls = _framed(width, height)
    pending = [(1, 1, width - 2, height - 2)]
    while pending:
        left, top, wide, high = pending.pop()
        # The cut is across the longer side. `block`, the rectangle and the walls around it, is
        # turned until that side is along its rows.
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
    """Return winding halls: a cellular automaton makes rock of noise."""
    noise = rng.random((height, width))
    # On a small map rock may fill too much. Then less noise is rock, in the end none, which leaves
    # at least half of any map open.
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
    """Return a field with boulders: the highest 7 % of blurred noise."""
    from scipy import ndimage  # loading it takes longer than all of `import fieldcraft`

    rough = ndimage.gaussian_filter(rng.standard_normal((height, width)), _BLUR, mode="wrap")
    return np.asarray((rough > np.quantile(rough, 0.93)) | _framed(width, height))


def _pillars(width: int, height: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return a hall with four in five of the pillars of a pattern, each moved a little."""
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
