"""The values that endless steps of diffusion lead to.

A step moves `shares[i] * through[j] * value[i]` from cell i to its neighbor j. In terms of the
potential `shares * value / through` that is a flow of `through[i] * through[j]` times the
difference of two potentials: a network of conductances, in which pinned cells have a given
potential, and losses lead to a potential of 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.errors import InvalidValue

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_WEAK = 1e-9
"""Cells whose links to all others are weaker than their links among each other by this factor have
one potential. A direct solution would lose the weak links in rounding.
"""


@dataclass(frozen=True, eq=False)
class Ground:
    """The steps of diffusion, and what they move.

    Parameters
    ----------
    origins, ends : ndarray of int64, (A,)
        Where steps begin and end. No step begins in a wall, unless it is pinned.
    shares : ndarray of float64, (N,)
        The part of its value that a cell offers each neighbor.
    through : ndarray of float64, (N,)
        The part of each offer that enters a cell.
    lost : ndarray of float64, (N,)
        The number of shares of each cell that are lost at a step.
    keep : float
        The part of all values that is left after a step.
    """

    origins: Ints
    ends: Ints
    shares: Floats
    through: Floats
    lost: Floats
    keep: float


def equilibrium(ground: Ground, values: Floats, pinned: NDArray[np.bool_]) -> Floats:
    """Return the values (N,) that endless steps lead to from some values (N,); those of `pinned`
    cells stay. Where nothing is pinned and nothing is lost the sum stays.
    """
    if ground.keep == 0 or not ground.shares.any():
        return np.where(pinned, values, values * (ground.keep == 1))
    values = _without_closed_cells(ground, values, pinned)
    parts = _parts(ground, pinned)
    count = int(parts.max(initial=-1)) + 1
    if ground.keep == 1:
        loses = ground.lost > 0
    else:
        loses = np.ones(len(values), dtype=np.bool_)
    is_fed = np.bincount(parts[pinned], minlength=count)[parts] > 0
    is_empty = ~is_fed & (np.bincount(parts[loses], minlength=count)[parts] > 0)
    is_still = ~is_fed & ~is_empty
    result = np.where(is_empty, 0.0, values)
    unknown = is_fed & ~pinned & (ground.through > 0)
    if unknown.any():
        result[unknown] = _fed(ground, values, pinned, unknown)
    if is_still.any():
        result = np.where(is_still, _still(ground, values, parts, is_still), result)
    return result


def _without_closed_cells(ground: Ground, values: Floats, pinned: NDArray[np.bool_]) -> Floats:
    """Return the values after what is in cells that nothing enters has left them."""
    leaving = (ground.through[ground.origins] == 0) & ~pinned[ground.origins]
    origins = ground.origins[leaving]
    ends = ground.ends[leaving]
    weights = ground.through[ends]
    totals = np.bincount(origins, weights=weights, minlength=len(values))
    is_left = totals > 0
    weights = weights / np.where(is_left, totals, 1)[origins]
    moved = np.bincount(ends, weights=values[origins] * weights, minlength=len(values))
    return np.where(is_left, 0.0, values) + np.where(pinned, 0.0, moved)


def _parts(ground: Ground, pinned: NDArray[np.bool_]) -> Ints:
    """Return the number of the part of the map that each cell belongs to: nothing passes from one
    part to another.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    count = len(ground.through)
    offers = (ground.through > 0) | pinned
    enters = (ground.through[ground.ends] > 0) & offers[ground.origins]
    origins = ground.origins[enters]
    ends = ground.ends[enters]
    steps = csr_array((np.ones(len(ends)), (origins, ends)), shape=(count, count))
    return np.asarray(connected_components(steps, directed=False)[1], dtype=np.int64)


def _fed(
    ground: Ground, values: Floats, pinned: NDArray[np.bool_], unknown: NDArray[np.bool_]
) -> Floats:
    """Return the values of the `unknown` cells, which pinned ones feed."""
    from scipy.sparse import csr_array

    count = len(values)
    numbers = np.cumsum(unknown) - 1
    offered = np.where(pinned, ground.shares * values, 0.0)
    from_pinned = pinned[ground.origins]
    inflow = np.bincount(
        ground.ends[from_pinned], weights=offered[ground.origins[from_pinned]], minlength=count
    )
    to_pinned = pinned[ground.ends]
    given = np.bincount(
        ground.origins[to_pinned], weights=ground.through[ground.ends[to_pinned]], minlength=count
    )
    evaporation = (1 / ground.keep - 1) / np.where(ground.shares > 0, ground.shares, 1)
    outflow: Floats = given + ground.lost + evaporation
    inside = unknown[ground.origins] & unknown[ground.ends]
    origins = ground.origins[inside]
    ends = ground.ends[inside]
    conductances = ground.through[origins] * ground.through[ends]
    size = int(np.count_nonzero(unknown))
    links = csr_array((conductances, (numbers[ends], numbers[origins])), shape=(size, size))
    through = ground.through[unknown]
    potentials = _potentials(links, through * outflow[unknown], through * inflow[unknown])
    return np.asarray(through * potentials / ground.shares[unknown])


def _potentials(links: Any, grounds: Floats, inflow: Floats) -> Floats:
    """Return the potentials (N,) in a network: `links[i, j]` leads from j to i, `grounds` (N,) to a
    potential of 0, and `inflow` (N,) comes in from outside.
    """
    from scipy.sparse import csr_array, diags_array

    if (abs(links - links.T) > 0).nnz:
        leaving = np.asarray(links.sum(axis=0)).reshape(-1) + grounds
        return solved(diags_array(leaving) - links, inflow)
    clusters = _clusters(links, grounds)
    size = int(clusters.max(initial=-1)) + 1
    members = csr_array(
        (np.ones(len(clusters)), (clusters, np.arange(len(clusters)))), shape=(size, len(clusters))
    )
    between = members @ links @ members.T
    between = between - diags_array(between.diagonal())
    leaving = np.asarray(between.sum(axis=0)).reshape(-1) + members @ grounds
    if not (leaving > 0).all():
        raise no_equilibrium("sources that feed a part of the map which nothing leaves")
    # With a diagonal of 1 rounding is the same for weak and strong links.
    scale = diags_array(1 / np.sqrt(leaving))
    equations = diags_array(np.ones(size)) - scale @ between @ scale
    found = scale @ solved(equations, scale @ (members @ inflow))
    return np.asarray(found[clusters])


def _clusters(links: Any, grounds: Floats) -> Ints:
    """Return the number of the cluster of each node: the nodes of a cluster are linked so much more
    strongly to each other than to all others and to the ground that they have one potential.
    """
    from scipy.sparse.csgraph import connected_components

    clusters = np.arange(links.shape[0])
    links = links.tocoo()
    if not len(links.data) or grounds.min() > _WEAK * links.data.max():
        return clusters
    # Each threshold joins more nodes: a cluster replaces those that it consists of.
    for exponent in np.unique(np.floor(np.log10(links.data)))[::-1].tolist():
        strong = links.copy()
        strong.data = np.where(links.data >= 10.0**exponent, links.data, 0)
        strong.eliminate_zeros()
        number, found = connected_components(strong, directed=False)
        across = found[links.row] != found[links.col]
        outside = np.bincount(found, weights=grounds, minlength=number)
        outside += np.bincount(found[links.row[across]], links.data[across], minlength=number)
        joined = (outside < _WEAK * 10.0**exponent) & (np.bincount(found, minlength=number) > 1)
        clusters = np.where(joined[found], len(clusters) + found, clusters)
        clusters = np.unique(clusters, return_inverse=True)[1]
    return np.asarray(clusters, dtype=np.int64)


def _still(ground: Ground, values: Floats, parts: Ints, is_still: NDArray[np.bool_]) -> Floats:
    """Return the values where nothing is pinned or lost: the sum of each part, divided so that as
    much passes between two neighbors in one direction as in the other.
    """
    inside = is_still[ground.origins] & is_still[ground.ends]
    count = len(values)
    there = ground.origins[inside] * count + ground.ends[inside]
    back = ground.ends[inside] * count + ground.origins[inside]
    if not np.array_equal(np.unique(there), np.unique(back)):
        raise no_equilibrium("steps that lead one way only")
    capacities = np.where(is_still, ground.through, 0)
    capacities = capacities / np.where(ground.shares > 0, ground.shares, 1)
    totals = np.bincount(parts, weights=np.where(is_still, values, 0))
    sizes = np.bincount(parts, weights=capacities)
    some = sizes[parts] > 0
    return np.where(some, totals[parts] * capacities / np.where(some, sizes[parts], 1), values)


def solved(equations: Any, inflow: Floats) -> Floats:
    """Return the solution of equations in which no inflow makes a value negative; raises
    `InvalidValue` if rounding leaves none.
    """
    from scipy.sparse.linalg import splu

    try:
        factors = splu(equations.tocsc())
    except RuntimeError as singular:
        raise no_equilibrium(str(singular)) from singular
    sizes = factors.solve(np.abs(inflow))
    if not np.isfinite(sizes).all() or (sizes < 0).any():
        raise no_equilibrium("no single balance")
    return np.asarray(factors.solve(inflow))


def no_equilibrium(got: str) -> InvalidValue:
    """Return the error for a map on which diffusion has no balance."""
    return InvalidValue(
        "Diffusion settles where each step leads back",
        got=got,
        remedy="Take steps instead: layer.step(1000)",
    )
