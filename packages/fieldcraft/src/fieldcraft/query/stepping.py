"""One step of agents: towards the highest value beside them, or the least known cell in sight."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue, OnWall
from fieldcraft.kernels import pool
from fieldcraft.kernels.arrays import read_only
from fieldcraft.query.backend import queries
from fieldcraft.query.ground import Readable
from fieldcraft.space import Space
from fieldcraft.space.answers import Spots
from fieldcraft.space.kinds import checked_space

__all__ = ["explore_step", "uphill"]

_CELLS_PER_THREAD = 10_000
_MOST_KEY = 2**63 - 1
_LOOKED_THROUGH = 1 << 16  # cells at a time, until one is unknown


_rooms: WeakKeyDictionary[Space, list[tuple[NDArray[np.int64], ...]]] = WeakKeyDictionary()


def uphill(
    layer: Readable,
    positions: ArrayLike | None = None,
    *,
    cells: ArrayLike | None = None,
    outside: str = "refuse",
) -> Spots:
    """The one step of each agent after which the value is highest; it stays where no step is
    better.

    Of equally good steps the one to the lowest cell is taken. Returns `Spots`: the cells to step
    to, their positions and values; where an agent stays `found` is False. Raises `OutsideMap` or
    `InvalidValue`.

    Parameters
    ----------
    layer : Readable
        A layer, an expression or anything else with values, on any space. Negate it (`-danger`) to
        go downhill.
    positions : array_like, optional
        Where the agents are: one world position or (N, 2) ((N, 3) on 3D graphs).
    cells : array_like, optional
        Or the cells that they stand in, one or (N,) whole numbers.
    outside : str, optional
        "refuse" a position off the map, or "clamp" it to the nearest cell.
    """
    space = checked_space(getattr(layer, "space", None))
    values = np.asarray(layer.values)
    if values.shape != space.shape:
        raise InvalidValue(
            "Values have the space's shape",
            got=f"shape {values.shape} on {space!r}",
            remedy=f"Pass shape {space.shape}",
        )
    starts = _starts(space, positions, cells, outside)
    here = np.atleast_1d(starts)
    ways = space.adjacency
    best = np.empty(len(here), dtype=np.int64)
    flat = read_only(np.ascontiguousarray(values, dtype=np.float32).reshape(-1))
    kernels.uphill.uphill(ways.starts, ways.ends, flat, here, best)
    return Spots.steps(best if starts.ndim else best[0], starts, space, flat)


def _starts(
    space: Space, positions: ArrayLike | None, cells: ArrayLike | None, outside: str
) -> NDArray[np.int64]:
    if (positions is None) == (cells is None):
        raise InvalidValue(
            "Agents are where `positions` say, or in `cells`",
            got="neither" if cells is None else "both",
            remedy="Pass uphill(layer, positions) or uphill(layer, cells=...)",
        )
    if cells is None:
        points, single = checks.positions(positions, dimensions=space.dimensions)  # type: ignore[arg-type]
        found = np.asarray(space.cell_at(points, outside=outside), dtype=np.int64)
        return found[0] if single else found
    space.position_of(cells)  # says which is no cell
    found = np.asarray(cells, dtype=np.int64)
    if found.ndim > 1:
        raise InvalidValue(
            "Cells are one, or (N,) of them",
            got=f"shape {found.shape}",
            remedy="Pass cells.ravel()",
        )
    return found


def explore_step(
    layer: Readable,
    positions: ArrayLike,
    sight: int = 1,
    *,
    unknown: float | None = 0.0,
    rng: np.random.Generator | None = None,
    apart: bool = False,
    outside: str = "refuse",
) -> Spots:
    """The step towards the least known cell that can be reached within `sight` steps: for
    explorers.

    Of equally known cells the nearest counts, in steps, and of equally near ones dice decide. The
    cell stood in does not count. Walls and terrain are respected, as are the steps of the grid or
    graph.

    Returns `Spots` with `targets`, the cells that the steps lead towards. Where nothing can be
    reached `found` is False, and both are the cell stood in. A search for the frontier may look at
    the whole map, for each position.

    Parameters
    ----------
    layer : Readable
        What is known of each cell: a layer with `Fade`, or any layer or expression; lower is less.
        A `LastSeen`, whose seconds say the contrary, is read by its `knowledge`: never seen is
        unknown, and what was seen long ago is known least.
    positions : array_like
        One (x, y) pair or an (N, 2) array of world positions on open ground.
    sight : int, optional
        Steps, at least 1.
    unknown : float, optional
        Where everything within sight reads more than this, the step leads towards the nearest cell,
        by steps at any distance, that does not: the frontier. If there is none, or with None, it
        leads to the least known within sight.
    rng : Generator, optional
        Where the dice come from: one number is drawn a call, whatever the number of positions.
        Without it the dice are the same at every call.
    apart : bool, optional
        Let explorers choose one after the other, in the order of `positions`: none steps to a cell
        that one before it steps to, unless it has no other step. Explorers that have come together
        part again; without it they may walk as one from then on.
    outside : str, optional
        "refuse" a position off the map, or "clamp" it to the rim.

    Raises
    ------
    OutsideMap
        If a position is outside the map.
    OnWall
        If a position is in a wall.
    InvalidValue
        If an argument has a wrong value, shape or type.

    References
    ----------
    The exploring monster of a maze game, which looks one cell ahead; the frontier is that of
    Yamauchi's "A Frontier-Based Approach for Autonomous Exploration" (1997).
    """
    ground = queries(getattr(layer, "knowledge", layer))
    space = ground.space
    reach = min(checks.integer("sight", sight, minimum=1), len(space))
    limit = (
        None
        if unknown is None
        else np.float32(np.clip(checks.finite("unknown", unknown), -checks.LARGEST, checks.LARGEST))
    )
    points, single = checks.positions(positions, dimensions=space.dimensions)
    starts = np.atleast_1d(space.cell_at(points, outside=outside)).astype(np.int64)
    blocked = space.walls.reshape(-1)[starts]
    if blocked.any():
        index = int(np.flatnonzero(blocked)[0])
        raise OnWall(
            "Explorers stand on open ground",
            got=f"{tuple(points[index].tolist())} at index {index}",
            remedy="Use space.nearest_open()",
        )
    checks.flag("apart", apart)
    key = 0 if rng is None else int(checks.generator(rng).integers(_MOST_KEY))
    cells, targets = starts.copy(), starts.copy()
    flat = read_only(ground.flat)

    def look(searches: bool) -> None:
        bar = np.float32(0) if limit is None else limit
        taken = np.zeros(len(space) if apart else 0, dtype=np.bool_)
        _explore(
            (flat, ground.steps(), read_only(starts), (reach, searches, bar, key)),
            taken,
            space,
            cells,
            targets,
        )

    look(False)
    if limit is not None:
        known = (targets != starts) & (flat[targets] > limit)
        walls = space.walls.reshape(-1)
        parts = [
            np.s_[first : first + _LOOKED_THROUGH]
            for first in range(0, len(space), _LOOKED_THROUGH)
        ]
        if known.any() and any(((flat[part] <= limit) & ~walls[part]).any() for part in parts):
            look(True)
    if single:
        return Spots.steps(cells[0], starts[0], space, ground.flat, targets[0])
    return Spots.steps(cells, starts, space, ground.flat, targets)


def _explore(
    arguments: tuple[Any, ...],
    taken: NDArray[np.bool_],
    space: Space,
    cells: NDArray[np.int64],
    targets: NDArray[np.int64],
) -> None:
    """Let every explorer look, on several threads where that pays."""
    starts, (reach, searches, _, _) = arguments[2:4]
    ops = kernels.explore
    looked_at = len(space) if searches else min(2 * reach * (reach + 1), len(space))
    most = (
        1 if len(taken) else len(starts) * looked_at // _CELLS_PER_THREAD
    )  # one after the other, if they keep apart
    bands = pool.bands(len(starts), most)
    # Fresh scratch as large as the map would cost more than a look around; a second thread that
    # comes meanwhile makes its own.
    rooms = _rooms.pop(space, [])
    rooms += [ops.room(len(space)) for _ in range(len(bands) - len(rooms))]
    pool.run(
        [
            (ops.explore, (*arguments, first, last, taken, cells, targets, room))
            for (first, last), room in zip(bands, rooms, strict=False)
        ]
    )
    _rooms[space] = rooms
