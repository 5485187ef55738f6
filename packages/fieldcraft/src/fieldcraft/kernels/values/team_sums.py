"""The strength of teams in a cell.

One pass over the maps of all teams, in blocks with results that stay in the first-level cache for
all teams; four teams at a time, so that these results move between cache and registers a quarter as
often.

The rows of a block are in one array at fixed distances: a compiler that had to prove several arrays
distinct would not vectorize the loops. Numbers of teams are floats there for the same reason.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.compiling.low_level import floats_at

__all__ = ["lead", "survey"]

_BLOCK = 1024
_SECOND, _NUMBER = _BLOCK, 2 * _BLOCK
_ZERO = np.float32(0)
_NONE = np.float32(-1)


@kernel
def _block(bases, team, at, count):
    """Return some cells of a team's map."""
    return floats_at(bases[team] + 4 * at, count)


@kernel("i8[::1], i8, i8, out f4[::1], out f4[::1], out i4[::1]")
def survey(bases, first, last, total, contested, leader):
    """Write the total, the contested strength and the leader of the cells [first, last) of the maps
    at the addresses `bases`, float32 by cell.
    """
    rows = np.empty(3 * _BLOCK, np.float32)
    teams = bases.shape[0]
    for at in range(first, last, _BLOCK):
        count = min(_BLOCK, last - at)
        rows[:_NUMBER], rows[_NUMBER:] = _ZERO, _NONE
        team = 0
        while team + 4 <= teams:
            a = _block(bases, team, at, count)
            b = _block(bases, team + 1, at, count)
            c = _block(bases, team + 2, at, count)
            d = _block(bases, team + 3, at, count)
            i, j, k, m = (
                np.float32(team),
                np.float32(team + 1),
                np.float32(team + 2),
                np.float32(team + 3),
            )
            for x in range(count):
                best, rest, number = rows[x], rows[_SECOND + x], rows[_NUMBER + x]
                here = abs(a[x])
                rest += best if here > best else here
                number = i if here > best else number
                best = here if here > best else best
                here = abs(b[x])
                rest += best if here > best else here
                number = j if here > best else number
                best = here if here > best else best
                here = abs(c[x])
                rest += best if here > best else here
                number = k if here > best else number
                best = here if here > best else best
                here = abs(d[x])
                rest += best if here > best else here
                number = m if here > best else number
                best = here if here > best else best
                rows[x], rows[_SECOND + x], rows[_NUMBER + x] = best, rest, number
            team += 4
        while team < teams:
            a = _block(bases, team, at, count)
            i = np.float32(team)
            for x in range(count):
                best, rest, number = rows[x], rows[_SECOND + x], rows[_NUMBER + x]
                here = abs(a[x])
                rest += best if here > best else here
                number = i if here > best else number
                best = here if here > best else best
                rows[x], rows[_SECOND + x], rows[_NUMBER + x] = best, rest, number
            team += 1
        totals = total[at : at + count]
        for x in range(count):
            totals[x] = rows[x] + rows[_SECOND + x]
        rests = contested[at : at + count]
        for x in range(count):
            rests[x] = rows[_SECOND + x] + rows[_SECOND + x]
        leaders = leader[at : at + count]
        for x in range(count):
            leaders[x] = np.int32(rows[_NUMBER + x])


@kernel("i8[::1], i8, i8, f4, out i4[::1]")
def lead(bases, first, last, margin, owner):
    """Write into the cells [first, last) of `owner` the strongest team where it is ahead by
    `margin`, else -1.
    """
    rows = np.empty(3 * _BLOCK, np.float32)
    for at in range(first, last, _BLOCK):
        count = min(_BLOCK, last - at)
        rows[:_NUMBER], rows[_NUMBER:] = _ZERO, _NONE
        for team in range(bases.shape[0]):
            a = _block(bases, team, at, count)
            i = np.float32(team)
            for x in range(count):
                best, second, number = rows[x], rows[_SECOND + x], rows[_NUMBER + x]
                here = abs(a[x])
                lower = best if here > best else here
                number = i if here > best else number
                best = here if here > best else best
                rows[x], rows[_SECOND + x], rows[_NUMBER + x] = (
                    best,
                    lower if lower > second else second,
                    number,
                )
        owners = owner[at : at + count]
        for x in range(count):
            number = np.int32(rows[_NUMBER + x])
            owners[x] = number if rows[x] - rows[_SECOND + x] >= margin else np.int32(-1)
