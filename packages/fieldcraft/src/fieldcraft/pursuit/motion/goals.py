"""Flows of belief towards goals: who is on the way to several places is likely on the way to those
that lie ahead.

The chance of each goal, for who is in a cell, is its chance at first times e to the minus of the
detour: how much longer the way over this cell is than the shortest from where it was last seen
    (Ziebart et al., "Planning-based Prediction for Pedestrians", IROS 2009).
The step that is taken is the next one on the shortest way to the goal. So one belief stands for all
goals: of a chain of steps only the chances in each cell count, and these are those of all goals
    together, as far as all who come to a cell come there at the same time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldcraft.paths import distance_map
from fieldcraft.pursuit.landmarks import Landmarks, landmarks_of
from fieldcraft.pursuit.motion.movers import Lost
from fieldcraft.space import Space
from fieldcraft.space.ways import kept_until_walls_change

__all__ = ["Goals", "goals_at", "goals_everywhere", "led"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

DETOUR = 0.5
"""Typical steps of detour that make a goal e times less likely."""

_MOST = 64
_NUMBERS = 2**25
_BLOCK = 2**15
_EQUAL = 1e-5  # of a distance: two that are so near are one, as far as float32 tells


@dataclass(frozen=True, eq=False)
class Goals:
    """Cells `cells` (K,), how far it is to each `away` (K, N), world units, and the step of
    `space.ways` that leads there `next` (K, N).

    -1 stands where there is none.
    """

    cells: Ints
    away: NDArray[np.float32]
    next: NDArray[np.int32]


def goals_at(space: Space, cells: Ints, limit: float | None = None) -> Goals:
    """Goals in cells, from as far as a limit, world units."""
    maps = [
        distance_map(space, space.position_of(int(cell)), limit=limit).values.reshape(-1)
        for cell in cells.tolist()
    ]
    away = np.stack(maps) if maps else np.zeros((0, len(space)), dtype=np.float32)
    return Goals(cells, away, _next(space, away))


def goals_everywhere(space: Space, cell: int) -> Goals:
    """Goals all over the part of the map that a cell lies in, each as far as can be from the
    others.
    """
    marks = landmarks_of(space, cell, max(8, min(_MOST, _NUMBERS // max(len(space), 1))))
    known = _known(space)
    if known.marks is not marks:
        known.goals = Goals(marks.places.astype(np.int64), marks.away, _next(space, marks.away))
        known.marks = marks
    assert known.goals is not None
    return known.goals


@dataclass(eq=False)
class _Known:
    marks: Landmarks | None = None
    goals: Goals | None = None


@kept_until_walls_change
def _known(space: Space) -> _Known:
    return _Known()


def _next(space: Space, away: NDArray[np.float32]) -> NDArray[np.int32]:
    """The step after each cell on the way down each distance map.

    Of equal ones the first or the last, by dice that always fall alike: as often as it takes for
    the way to be straight on the whole.
    """
    ways = space.ways
    found = np.full(away.shape, -1, dtype=np.int32)
    if not len(ways.ends):
        return found
    near: NDArray[np.bool_] = np.asarray(np.isfinite(away).any(axis=0))
    origins = ways.origins
    arcs = np.flatnonzero(near[ways.ends] & near[origins])
    if not len(arcs):
        return found
    origins, ends, lengths = origins[arcs], ways.ends[arcs], ways.lengths[arcs]
    begins = np.flatnonzero(np.diff(origins, prepend=-1))
    counts = np.diff(begins, append=len(arcs))
    moves = (space.positions[ends] - space.positions[origins])[:, :2]
    dice = np.random.default_rng(0)
    for goal, values in enumerate(away):
        total = lengths + values[ends]
        best = np.flatnonzero(
            total <= np.repeat(np.minimum.reduceat(total, begins), counts) * (1 + _EQUAL)
        )
        best = best[np.isfinite(total[best])]
        first, last = (
            np.full(len(values), -1, dtype=np.int64),
            np.full(len(values), -1, dtype=np.int64),
        )
        last[origins[best]] = best
        first[origins[best[::-1]]] = best[::-1]
        found[goal] = np.where(first >= 0, arcs[first], -1)
        either = np.flatnonzero(first != last)
        toward = -space.offsets_from(space.positions[int(np.argmin(values))])[either][:, :2]
        one, other = (np.abs(_cross(toward, moves[each[either]])) for each in (last, first))
        takes = dice.random(len(either)) * (one + other) >= one
        found[goal, either[takes]] = arcs[last[either[takes]]]
        found[goal, values == 0] = -1
    return found


def _cross(one: Floats, other: Floats) -> Floats:
    return one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]


def led(
    lost: Lost,
    goals: Goals,
    prior: Floats,
    *,
    arrives: bool,
    straight: bool,
    stay: float,
    stray: float,
    pace: float,
) -> tuple[Floats, Floats]:
    """The chances of all steps (A,) for somebody who goes to one of some goals, with these chances
    (K,); and of being there, (N,).

    `arrives` says that who comes to its goal is there, else it goes on to the next. `straight`,
    that it has set out from where it was last seen, by the shortest way. A share `stay` of an
    interval it stands, a share `stray` of its steps lead anywhere.
    """
    ways, count = lost.space.ways, len(lost.space)
    if not len(ways.ends):
        return np.zeros(0), np.zeros(count)
    origins, lengths = ways.origins, DETOUR * lost.space.typical_step
    so_far, whole = np.zeros(count, dtype=np.float32), np.zeros(len(goals.cells), dtype=np.float32)
    if straight and lost.cell is not None:
        reached = distance_map(
            lost.space, lost.space.position_of(lost.cell), outward=True
        ).values.reshape(-1)
        so_far = np.where(np.isfinite(reached), reached, np.float32(0))
        whole = goals.away[:, lost.cell]
    toward, there = np.zeros(len(ways.ends)), np.zeros(count)
    possible = np.flatnonzero((prior > 0) & np.isfinite(whole))
    near = (
        np.flatnonzero(np.isfinite(goals.away).any(axis=0))
        if len(possible)
        else np.zeros(0, dtype=np.int64)
    )
    for first in range(0, len(near), _BLOCK):
        cells = near[first : first + _BLOCK]
        part: slice | Ints = (
            slice(cells[0], cells[-1] + 1) if cells[-1] - cells[0] < 2 * len(cells) else cells
        )
        detours = so_far[part] + goals.away[:, part][possible] - whole[possible, np.newaxis]
        following = goals.next[:, part][possible]
        likely = _likely(
            detours,
            prior[possible],
            lengths,
            following >= 0 if not arrives else np.isfinite(detours),
        )
        for chance, arcs in zip(likely, following, strict=True):
            on = arcs >= 0
            toward[arcs[on]] += chance[on]
        there[part] = np.where(following < 0, likely, 0.0).sum(axis=0)
    leads = np.bincount(origins, weights=toward, minlength=count)
    toward = np.divide(toward, leads[origins], out=toward, where=leads[origins] > 0)
    # Where there is no goal to go on to, it wanders.
    loose = np.where(leads > 0, stray, 1.0) / np.maximum(np.diff(ways.starts), 1)
    return np.asarray(
        (1 - stay) * lost.slower(pace) * ((1 - stray) * toward + loose[origins])
    ), there


def _likely(
    detours: NDArray[np.float32], prior: Floats, length: float, possible: NDArray[np.bool_]
) -> Floats:
    """How likely each goal is in each cell, (K, n); 0 for all where none is possible."""
    kept = np.where(possible, detours, np.inf)
    least = kept.min(axis=0)
    least[np.isinf(least)] = 0
    weights = prior[:, np.newaxis] * np.exp((least - kept) / np.float32(length))
    total = weights.sum(axis=0)
    return np.asarray(np.divide(weights, total, out=np.zeros_like(weights), where=total > 0))
