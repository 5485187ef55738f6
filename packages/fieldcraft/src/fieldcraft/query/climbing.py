"""One step of agents: to the highest value beside them, or to the least known cell in sight."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, OnWall
from fieldcraft.base.words import IfOutside
from fieldcraft.kernels.compiling import pool
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.kernels.values.explore_arrays import ExploreRule, ExploreScratch
from fieldcraft.query.queries_on_space import queries_of
from fieldcraft.space import Space
from fieldcraft.space.cached import cached
from fieldcraft.space.cells import occupied_mask
from fieldcraft.space.chosen_cells import ChosenCells
from fieldcraft.values.readable import Readable, Values

_CELLS_PER_THREAD = 10_000
_MOST_KEY = 2**63 - 1
_AT_ONCE = 1 << 16  # So many cells are searched for unknown ones at a time.


def uphill(
    layer: Readable | ArrayLike,
    positions: ArrayLike,
    *,
    occupied: ArrayLike | None = None,
    outside: IfOutside = "refuse",
    space: Space | None = None,
) -> ChosenCells:
    """Return the step of each agent to the highest value beside it.

    Negate a layer to go downhill: `-danger`.

    Parameters
    ----------
    layer : layer, expression or array_like
        Values on any space; an array in the shape of `space`.
    positions : array_like of shape (2,) or (N, 2)
        World positions of agents.
    occupied : array_like, optional
        Cells that no agent steps to because others hold them: world positions of shape (M, 2), ids
        of cells, or a mask.
    outside : {"refuse", "clamp"}
        With "clamp" a position outside the map counts as the nearest cell.
    space : Space, optional
        The space of an array.

    Returns
    -------
    ChosenCells
        The cells to step to, the lowest of equally high ones. An agent stays where no step is
        better; then it is not `found`.

    Raises
    ------
    OutsideMap
        If a position is outside the map.
    InvalidValue
        If another argument does not fit.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> fc.query.uphill([[0, 1, 5, 2]], [(1.5, 0.5), (2.5, 0.5)], space=fc.Grid(4, 1)).cells
    array([2, 2])
    """
    values = Values(layer, space)
    _, cells, single = values.cells(positions, outside)
    starts = np.atleast_1d(cells)
    best = np.empty(len(starts), dtype=np.int64)
    edges = values.space.adjacency
    if occupied is None:
        kernels.values.uphill.uphill(edges.starts, edges.ends, values.flat, starts, best)
    else:
        mask = occupied_mask(values.space, occupied)
        free = np.where(mask, np.float32(-np.inf), values.flat)
        kernels.values.uphill.uphill(edges.starts, edges.ends, free, starts, best)
        # An agent in a cell that counts as occupied stays there, too, if no step is better.
        best = np.where(values.flat[best] > values.flat[starts], best, starts)
    if single:
        return ChosenCells.steps(best[0], starts[0], values.space, values.flat)
    return ChosenCells.steps(best, starts, values.space, values.flat)


def explore_step(
    layer: Readable | ArrayLike,
    positions: ArrayLike,
    sight: int = 1,
    *,
    unknown: float | None = 0.0,
    rng: np.random.Generator | None = None,
    one_per_cell: bool = False,
    occupied: ArrayLike | None = None,
    outside: IfOutside = "refuse",
    space: Space | None = None,
) -> ChosenCells:
    """Return the step of each explorer towards the least known cell within `sight` steps.

    Of equally known cells the nearest counts, in steps, and of equally near ones a random one. The
    explorer's own cell does not count. Steps are steps of the space. A search for the frontier may
    visit the whole map, for each position.

    Parameters
    ----------
    layer : layer, expression or array_like
        How well each cell is known, such as a layer with `Fade`; lower is less. A `LastSeen` is
        read by its `knowledge`: cells never seen are unknown.
    positions : array_like of shape (2,) or (N, 2)
        World positions on open ground.
    sight : int
        Steps, at least 1.
    unknown : float, optional
        If every cell within sight has a higher value, the step leads to the frontier: the nearest
        cell at any distance that does not. Without one, or with None, it leads to the least known
        cell within sight.
    rng : numpy.random.Generator, optional
        Source of one random number for each call. By default ties are broken alike in every call.
    one_per_cell : bool
        Whether explorers choose in the order of `positions`, and none steps to the cell of one
        before it unless it has no other step. Otherwise explorers that meet may walk as one.
    occupied : array_like, optional
        With `one_per_cell`, cells that no explorer steps to because others hold them: world
        positions of shape (M, 2), ids of cells, or a mask.
    outside : {"refuse", "clamp"}
        With "clamp" a position outside the map counts as the nearest cell.
    space : Space, optional
        The space of an array.

    Returns
    -------
    ChosenCells
        With `targets`, the cells that the steps lead towards. Where nothing can be reached `found`
        is False, and both are the explorer's own cell.

    Raises
    ------
    OutsideMap
        If a position is outside the map.
    OnWall
        If a position is in a wall.
    InvalidValue
        If another argument does not fit.

    References
    ----------
    B. Yamauchi, "A Frontier-Based Approach for Autonomous Exploration" (1997).

    Examples
    --------
    >>> import fieldcraft as fc
    >>> grid = fc.Grid(5, 1)
    >>> step = fc.query.explore_step([[2, 3, 9, 9, 1]], (2.5, 0.5), sight=2, space=grid)
    >>> step.cell.item(), step.targets.item()
    (3, 4)
    """
    values = queries_of(getattr(layer, "knowledge", layer), space)
    space = values.space
    flat = values.flat
    reach = min(checks.integer("sight", sight, minimum=1), len(space))
    limit = None
    if unknown is not None:
        known = checks.finite("unknown", unknown)
        limit = np.float32(np.clip(known, -checks.LARGEST, checks.LARGEST))
    points, own, single = values.cells(positions, outside)
    walls = space.walls.reshape(-1)
    starts = np.atleast_1d(own)
    if walls[starts].any():
        index = int(np.flatnonzero(walls[starts])[0])
        raise OnWall(
            "Explorers are on open ground",
            got=f"{tuple(points[index].tolist())} at index {index}",
            remedy="Use space.nearest_open()",
        )
    taken = _taken(space, checks.flag("one_per_cell", one_per_cell), occupied)
    key = 0
    if rng is not None:
        key = int(checks.generator(rng).integers(_MOST_KEY))
    cells = starts.copy()
    targets = starts.copy()
    inputs = (*values.steps(), read_only(flat), read_only(starts))
    rule = ExploreRule(reach, searches_frontier=False, limit=np.float32(0), key=key)
    _explore(space, inputs, rule, taken, (cells, targets))
    if limit is not None and ((targets != starts) & (flat[targets] > limit)).any():
        parts = [np.s_[first : first + _AT_ONCE] for first in range(0, len(space), _AT_ONCE)]
        if any(((flat[part] <= limit) & ~walls[part]).any() for part in parts):
            rule = ExploreRule(reach, searches_frontier=True, limit=limit, key=key)
            _explore(space, inputs, rule, taken, (cells, targets))
    if occupied is not None:
        waits = taken[cells] & (cells != starts)
        cells[waits] = starts[waits]
        targets[waits] = starts[waits]
    if single:
        return ChosenCells.steps(cells[0], starts[0], space, flat, targets[0])
    return ChosenCells.steps(cells, starts, space, flat, targets)


def _taken(space: Space, one_per_cell: bool, occupied: ArrayLike | None) -> NDArray[np.bool_]:
    """Return the cells that are taken before the first explorer steps, (cells,); (0,) where
    explorers may step to the same cell.
    """
    if occupied is None and not one_per_cell:
        return np.zeros(0, dtype=np.bool_)
    if occupied is None:
        return np.zeros(len(space), dtype=np.bool_)
    if not one_per_cell:
        raise InvalidValue(
            "Explorers that keep off occupied cells keep off each other",
            got="occupied without one_per_cell",
            remedy="Pass one_per_cell=True",
        )
    return occupied_mask(space, occupied)


def _explore(
    space: Space,
    inputs: tuple[Any, ...],
    rule: ExploreRule,
    taken: NDArray[np.bool_],
    outputs: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> None:
    """Find the steps of all explorers, on several threads where that pays. With `taken` of all
    cells they step one after the other.
    """
    count = len(outputs[0])
    visited = len(space)
    if not rule.searches_frontier:
        visited = min(2 * rule.reach * (rule.reach + 1), len(space))
    threads = count * visited // _CELLS_PER_THREAD
    one_per_cell = len(taken) > 0
    if one_per_cell:
        threads = 1
    taken = taken.copy()
    # New scratch as large as the map would cost more than a search nearby.
    free = _free_scratch(space)
    calls = []
    used = []
    for band in pool.bands(count, threads):
        if free:
            scratch = free.pop()
        else:
            scratch = kernels.values.explore.scratch(len(space))
        used.append(scratch)
        arguments = (*inputs, rule, *band, taken, *outputs, scratch)
        calls.append((kernels.values.explore.explore, arguments))
    pool.run(calls)
    free += used


@cached
def _free_scratch(space: Space) -> list[ExploreScratch]:
    """Return the scratch of a space that no search is using."""
    return []
