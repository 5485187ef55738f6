"""Cells chosen by their values: the best around a position, peaks, regions."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from fieldcraft.base import checks
from fieldcraft.base.words import IfOutside, NoneFound
from fieldcraft.query.personal import PersonalValues
from fieldcraft.query.queries import Lottery, Queries, lottery
from fieldcraft.query.queries_on_grid import values_around
from fieldcraft.query.queries_on_space import queries_of
from fieldcraft.space import Space
from fieldcraft.space.cells import points_and_cells
from fieldcraft.space.chosen_cells import ChosenCells, checked_none, chosen
from fieldcraft.space.regions import Regions, regions_above
from fieldcraft.values.exclusion import Excludable, Near, excludable, keys_left_out
from fieldcraft.values.expression import Expression
from fieldcraft.values.readable import Readable, Values


def best(
    layer: Readable | ArrayLike,
    positions: ArrayLike,
    radius: float,
    *,
    count: int | None = None,
    spacing: float = 0.0,
    where: Readable | ArrayLike | None = None,
    occupied: ArrayLike | None = None,
    walk: float | None = None,
    within: float | None = None,
    rng: np.random.Generator | None = None,
    without: object = None,
    outside: IfOutside = "refuse",
    none: NoneFound = "nan",
    space: Space | None = None,
) -> ChosenCells:
    """Return the open cells with the highest values around each position.

    Of equal values the nearest cell comes first, of equally near ones the lowest.

    Parameters
    ----------
    layer : layer, expression or array_like
        Values on any space; an array in the shape of `space`.
    positions : array_like of shape (2,) or (N, 2)
        World positions; walls are allowed.
    radius : float
        Only cells with a center within this straight distance count, in world units.
    count : int, optional
        Number of cells for each position, in an axis of their own. By default the best one, without
        that axis.
    spacing : float
        Least distance between the choices of one position, from center to center.
    where : ndarray of bool, layer or expression, optional
        Cells that may be chosen: where it is not 0.
    occupied : array_like, optional
        Cells that are not chosen because others hold them: world positions of shape (M, 2), ids of
        cells, or a mask.
    walk : float, optional
        Only cells that can be walked to within this distance; from a wall, from the open cells
        beside it.
    within : float, optional
        Choose at random among the cells whose values are within this part of the best one: with
        0.05 those with at least 95 % of it. With `count` the next choice is made in the same way
        among those that are left. Each is equally likely.
    rng : numpy.random.Generator, optional
        Source of random numbers, needed with `within`: one for each position and choice. A
        generator in the same state chooses the same cells.
    without : hashable or sequence of hashable, optional
        Whose influence is left out for each position, in all layers of an expression, those of
        teams included: keys of `sync`, handles of sources, or ids where the map has one layer of
        sources. For one position one of these; for N positions N of them, or one for all. None
        leaves out nothing, and so does a key for the layers that lack it.

        Layers with `Radial(blend="sum")` have the exact bits that they would have without the
        source, in about the time of the call alone for a handful of layers. Other layers take the
        time of `layer.without` for each different key that they have, and `normalize`, `invert`,
        `smooth` and `on` a pass over the map for each. `where` and maps with a memory of their own
        (`Eased`, beliefs) are read as they are.
    outside : {"refuse", "clamp"}
        With "clamp" a position outside the map counts as the nearest cell.
    none : {"nan", "stay", "refuse"}
        Where there is no such cell: NaN, the agent's own cell, or `InvalidValue`. In the first two
        cases it is not `found`: `if spot:` for one, `spots.found` for many.
    space : Space, optional
        The space of an array.

    Returns
    -------
    ChosenCells
        Positions, values and cells.

    Raises
    ------
    OutsideMap
        If a position is outside the map.
    InvalidValue
        If another argument does not fit, or no layer has a key of `without`.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> grid = fc.Grid(5, 1)
    >>> fc.best(fc.distance_map(grid, (0.5, 0.5)), (1.5, 0.5), 2).position
    array([3.5, 0.5])
    >>> fc.best([[0, 0, 0, 7, 9]], (1.5, 0.5), 2, space=grid).position
    array([3.5, 0.5])
    >>> import numpy as np
    >>> scores = [[98, 0, 100, 7, 97]]
    >>> rng = np.random.default_rng(3)
    >>> posts = fc.best(scores, [(2.5, 0.5)] * 6, 4, within=0.05, rng=rng, space=grid)
    >>> posts.cells
    array([0, 0, 4, 2, 0, 2])

    Two guards who both look for company: each would find itself.

    >>> allies = fc.InfluenceMap(grid).add_layer("allies", fc.Radial(2, "linear"))
    >>> allies.sync(["ann", "bob"], [(0.5, 0.5), (3.5, 0.5)])
    >>> allies.step()
    >>> fc.best(allies, [(0.5, 0.5), (3.5, 0.5)], 3).cells
    array([0, 3])
    >>> fc.best(allies, [(0.5, 0.5), (3.5, 0.5)], 3, without=["ann", "bob"]).cells
    array([3, 0])
    """
    return _choose(
        layer,
        space,
        positions,
        radius,
        count,
        spacing,
        where,
        occupied,
        walk,
        within,
        rng,
        without,
        outside,
        none,
        sign=np.float32(1),
    )


def worst(
    layer: Readable | ArrayLike,
    positions: ArrayLike,
    radius: float,
    *,
    count: int | None = None,
    spacing: float = 0.0,
    where: Readable | ArrayLike | None = None,
    occupied: ArrayLike | None = None,
    walk: float | None = None,
    within: float | None = None,
    rng: np.random.Generator | None = None,
    without: object = None,
    outside: IfOutside = "refuse",
    none: NoneFound = "nan",
    space: Space | None = None,
) -> ChosenCells:
    """Return the open cells with the lowest values around each position; see `best`.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> fc.query.worst([[5, 0, 0, 7, 9]], (1.5, 0.5), 2, space=fc.Grid(5, 1)).position
    array([1.5, 0.5])
    """
    return _choose(
        layer,
        space,
        positions,
        radius,
        count,
        spacing,
        where,
        occupied,
        walk,
        within,
        rng,
        without,
        outside,
        none,
        sign=np.float32(-1),
    )


def _choose(
    layer: Readable | ArrayLike,
    space: Space | None,
    positions: ArrayLike,
    radius: float,
    count: int | None,
    spacing: float,
    where: Readable | ArrayLike | None,
    occupied: ArrayLike | None,
    walk: float | None,
    within: float | None,
    rng: np.random.Generator | None,
    without: object,
    outside: IfOutside,
    none: NoneFound,
    sign: np.float32,
) -> ChosenCells:
    if without is not None:
        personal = _choose_each(
            excludable(layer, without),
            positions,
            radius,
            without,
            count=count,
            spacing=spacing,
            where=where,
            occupied=occupied,
            walk=walk,
            within=within,
            rng=rng,
            outside=outside,
            none=none,
            sign=sign,
        )
        if personal is not None:
            return personal
    values: Queries | None = None
    if space is None and walk is None and isinstance(layer, Expression):
        # Perhaps only the values around the positions are computed.
        ground = layer.space
    else:
        values = queries_of(layer, space)
        ground = values.space
    otherwise = checked_none(none)
    far = checks.positive("radius", radius)
    gap = checks.not_negative("spacing", spacing)
    wanted = _wanted(count, ground)
    points, own, single = points_and_cells(ground, positions, outside)
    around = None
    if isinstance(layer, Expression) and values is None:
        around = values_around(layer, own, far)
    try:
        if values is None:
            values = around if around is not None else queries_of(layer)
        closed = values.closed(where, occupied)
        drawn = lottery(within, rng, len(points), wanted)
        cells = values.best(points, far, wanted, gap, closed, walk, sign, drawn)
        return chosen(cells, own, single, count, otherwise, ground, values.flat)
    finally:
        if around is not None:
            around.free()


def _choose_each(
    layer: Excludable,
    positions: ArrayLike,
    radius: float,
    without: object,
    *,
    count: int | None,
    spacing: float,
    where: Readable | ArrayLike | None,
    occupied: ArrayLike | None,
    walk: float | None,
    within: float | None,
    rng: np.random.Generator | None,
    outside: IfOutside,
    none: NoneFound,
    sign: np.float32,
) -> ChosenCells | None:
    """Return the choice for agents without their own sources; None if nothing is left out."""
    space: Space = layer.space
    otherwise = checked_none(none)
    far = checks.positive("radius", radius)
    gap = checks.not_negative("spacing", spacing)
    wanted = _wanted(count, space)
    points, own, single = points_and_cells(space, positions, outside)
    keys = keys_left_out(layer, without, len(points), single)
    if keys is None:
        return None
    starts = np.atleast_1d(own)
    each = PersonalValues(layer, keys, points, starts, far)
    closed = each.queries.closed(where, occupied)
    drawn = lottery(within, rng, len(points), wanted)
    cells = np.empty((len(points), wanted), dtype=np.int64)
    values = np.empty((len(points), wanted), dtype=np.float32)
    for some, personal in each.parts():
        if drawn is None:
            draws = None
        else:
            draws = Lottery(drawn.share, drawn.draws[some])
        cells[some], values[some] = each.queries.best_each(
            personal, points[some], far, wanted, gap, closed, walk, sign, draws
        )
        if otherwise == "stay" and (cells[some] < 0).any():
            stays = np.where(cells[some] < 0, starts[some, np.newaxis], cells[some])
            values[some] = personal.values_at(stays)
    made = chosen(cells, own, single, count, otherwise, space, each.array)
    return replace(made, values=values.reshape(np.shape(made.values))[()])


def _wanted(count: int | None, space: Space) -> int:
    """Return how many cells are chosen, at most as many as there are."""
    if count is None:
        return 1
    return checks.integer("count", count, minimum=1, maximum=len(space))


def pick(
    layer: Readable | ArrayLike,
    positions: ArrayLike,
    radius: float,
    *,
    rng: np.random.Generator,
    above: float | None = None,
    count: int | None = None,
    spacing: float = 0.0,
    where: Readable | ArrayLike | None = None,
    occupied: ArrayLike | None = None,
    walk: float | None = None,
    without: object = None,
    outside: IfOutside = "refuse",
    none: NoneFound = "nan",
    space: Space | None = None,
) -> ChosenCells:
    """Return a random open cell around each position, of those with values above a number.

    For patrols, spawns and monsters that should not all go to the one best cell. Each cell is
    equally likely, and two positions may get the same one. A generator in the same state picks the
    same cells.

    Parameters
    ----------
    layer, positions, radius, count, spacing, where, occupied, walk, without, outside, none, space
        As in `best`; with `count` no cell comes twice for one position. What is left out does not
        count for `above`, nor for the values of the chosen cells.
    rng : numpy.random.Generator
        Source of random numbers: one for each cell of the map and each position.
    above : float, optional
        Least value of a cell, exclusive; by default all open cells count.

    Raises
    ------
    OutsideMap
        If a position is outside the map.
    InvalidValue
        If another argument does not fit.

    Examples
    --------
    >>> import numpy as np
    >>> import fieldcraft as fc
    >>> scores = [[0, 2, 0, 7, 9]]
    >>> rng = np.random.default_rng(3)
    >>> fc.pick(scores, (2.5, 0.5), 3, rng=rng, above=1, space=fc.Grid(5, 1)).value in (2, 7, 9)
    True
    """
    readable = None
    if without is not None:
        readable = excludable(layer, without)
        space = readable.space
    values = Values(layer, space)
    ground = values.space
    otherwise = checked_none(none)
    checks.generator(rng)
    far = checks.positive("radius", radius)
    gap = checks.not_negative("spacing", spacing)
    wanted = _wanted(count, ground)
    closed = values.closed(where, occupied)
    if above is not None:
        above = checks.threshold("above", above)
    points, own, single = values.cells(positions, outside)
    cells = np.full((len(points), wanted), -1, dtype=np.int64)
    one = np.float32(1)
    keys = None
    if readable is not None:
        keys = keys_left_out(readable, without, len(points), single)
    if readable is None or keys is None:
        if above is not None:
            closed |= values.values <= above
        for k in range(len(points)):
            draws = queries_of(rng.random(ground.shape, dtype=np.float32), ground)
            cells[k] = draws.best(points[k : k + 1], far, wanted, gap, closed, walk, one)
        return chosen(cells, own, single, count, otherwise, ground, values.flat)
    starts = np.atleast_1d(own)
    each = PersonalValues(readable, keys, points, starts, far)
    found = np.empty((len(points), wanted), dtype=np.float32)
    for some, personal in each.parts():
        for k in range(len(personal.cells)):
            personal.write(k)
            refused = closed.copy()
            if above is not None:
                refused |= each.queries.values <= above
            draws = queries_of(rng.random(ground.shape, dtype=np.float32), ground)
            agent = some.start + k
            here = points[agent : agent + 1]
            cells[agent] = draws.best(here, far, wanted, gap, refused, walk, one)
        shown = cells[some]
        if otherwise == "stay":
            shown = np.where(shown < 0, starts[some, np.newaxis], shown)
        found[some] = personal.values_at(shown)
    made = chosen(cells, own, single, count, otherwise, ground, each.array)
    return replace(made, values=found.reshape(np.shape(made.values))[()])


def peaks(
    layer: Readable | ArrayLike,
    count: int | None = None,
    *,
    spacing: float = 0.0,
    threshold: float = 0.0,
    without: Hashable = None,
    space: Space | None = None,
) -> ChosenCells:
    """Return the local maxima, strongest first: open cells with no higher one a step away.

    A plateau of equal values counts once, by its cell nearest to its middle. Of equal peaks the
    lowest cell comes first.

    Parameters
    ----------
    layer, space
        As in `best`.
    count : int, optional
        Most peaks; by default all.
    spacing : float
        Least distance to the stronger peaks before it, world units from center to center.
    threshold : float
        Only values above this count.
    without : hashable, optional
        Whose influence is left out, as in `best`: one key for the whole map.

    Returns
    -------
    ChosenCells
        As many as were found: positions (K, 2), values (K,), cells (K,).

    Raises
    ------
    InvalidValue
        If an argument does not fit.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> fc.peaks([[0, 2, 0, 7, 9]], space=fc.Grid(5, 1)).positions
    array([[4.5, 0.5],
           [1.5, 0.5]])
    """
    values = queries_of(*_without_one(layer, without, space))
    most = len(values.space)
    if count is not None:
        most = min(checks.integer("count", count, minimum=1), most)
    gap = checks.not_negative("spacing", spacing)
    above = checks.threshold("threshold", threshold)
    return ChosenCells.at(values.peaks(most, gap, above), values.space, values.flat, ranked=True)


def _without_one(
    layer: Readable | ArrayLike, without: Hashable, space: Space | None
) -> tuple[Readable | ArrayLike, Space | None]:
    """Return the values of a map without the sources with a key, and their space; or what was
    given, if nothing is left out.
    """
    if without is None:
        return layer, space
    readable = excludable(layer, without)
    keys = keys_left_out(readable, without, 1, single=True)
    if keys is None:
        return layer, space
    values = readable.values_near(Near.everywhere(readable.space, keys[0]))
    return values.reshape(readable.space.shape), readable.space


def regions(
    layer: Readable | ArrayLike, threshold: float = 0.0, *, space: Space | None = None
) -> Regions:
    """Return the connected regions with values above a threshold, largest total first.

    Open cells belong together if a step of the space leads from one to the other, in either
    direction. Of equal totals the region with the lowest cell comes first, of equal peaks the
    lowest cell counts.

    Parameters
    ----------
    layer, space
        As in `best`.
    threshold : float
        Only values above this count.

    Raises
    ------
    InvalidValue
        If an argument does not fit.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> found = fc.regions([[0, 2, 0, 7, 9]], space=fc.Grid(5, 1))
    >>> found.labels
    array([[0, 2, 0, 1, 1]], dtype=int32)
    >>> found[0].total
    16.0
    """
    values = Values(layer, space)
    return regions_above(values.space, values.values, checks.threshold("threshold", threshold))
