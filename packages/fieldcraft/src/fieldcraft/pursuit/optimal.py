"""The best way of a searcher over few places, for certain: by branch and bound."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue

__all__ = ["optimal_search", "promised"]

Floats = NDArray[np.float64]

_MOST = 4096
_ROUNDED = 1e-9


def optimal_search(
    likely: ArrayLike,
    moves: ArrayLike,
    beside: Sequence[Sequence[int]],
    start: int,
    horizon: int,
    *,
    discount: float = 1.0,
) -> tuple[list[int], float]:
    """The way over places on which a moving target is seen with the highest chance, and that
    chance.

    The searcher sees who is in its place. In each interval the target moves, and then the searcher
    looks where it has got to. Ways are tried one after the other, but those are left out that could
    not be better than the best so far even if all that the rest of the way meets had not been
    looked for before. This takes time that grows with the horizon as a power: for few places, and
    to judge other ways of searching by.

    Parameters
    ----------
    likely: (K,) how likely the target is in each place at first; they add up to at most 1.
    moves: (K, K) how likely it gets from each place (rows) to each other in an interval.
    beside: for each place those that a searcher gets to in an interval, perhaps itself.
    start: the searcher's place. It has looked there.
    horizon: how many intervals it searches, at most 100.
    discount: what being seen an interval later is worth beside now, in (0, 1]; then the chance is a
        sum of discounted chances.

    Raises `InvalidValue`.

    Source: K. E. Trummel and J. R. Weisinger, "The Complexity of the Optimal Searcher Path
        Problem", Operations Research 34, 1986; the
    bound as A. R. Washburn, "Branch and bound methods for a search problem", Naval Research
    Logistics 45, 1998.
    """
    first, chances, ways, count = _checked(likely, moves, beside)
    place = checks.cell("start", start, count)
    steps = checks.whole("horizon", horizon, maximum=100)
    if checks.fraction("discount", discount) == 0:
        raise InvalidValue(
            "discount is above 0", got="discount=0", remedy="Pass 1 for a chance, or 0.95, say"
        )
    best_way, best = [place], -1.0

    def go_on(way: list[int], mass: Floats, worth: float, value: float) -> None:
        nonlocal best_way, best
        left = steps - (len(way) - 1)
        if left == 0:
            if value > best:
                best_way, best = way, value
            return
        ahead = promised(mass, chances, ways, left, discount) * worth
        after = mass @ chances
        # The most promising first, so that much is left out soon.
        for to in sorted(
            ways[way[-1]], key=lambda to: (-(after[to] + (ahead[1][to] if left > 1 else 0.0)), to)
        ):
            if value + ahead[0][to] <= best + 1e-15:
                continue
            rest = after.copy()
            rest[to] = 0.0
            go_on([*way, to], rest, worth * discount, value + worth * float(after[to]))

    go_on([place], first, 1.0, 0.0)
    return best_way, max(best, 0.0)


def promised(
    mass: Floats, moves: Floats, beside: Sequence[Sequence[int]], left: int, discount: float = 1.0
) -> Floats:
    """More than any way can meet from each place on, by how many intervals are left, the most
    first: (left, K).

    What a way meets is added up as if nothing of it had been found before.
    """
    over_time = []
    worth = 1.0
    for _ in range(left):
        mass = mass @ moves
        over_time.append(mass * worth)
        worth *= discount
    found = np.empty((left, len(mass)))
    ahead = np.zeros(len(mass))
    for back, met in enumerate(over_time[::-1]):
        here = met + ahead
        found[left - 1 - back] = here
        ahead = np.array([max((here[to] for to in ways), default=0.0) for ways in beside])
    return found


def _checked(
    likely: ArrayLike, moves: ArrayLike, beside: Sequence[Sequence[int]]
) -> tuple[Floats, Floats, list[list[int]], int]:
    first = checks.array("likely", likely)
    count = len(first) if first.ndim == 1 else 0
    chances = checks.array("moves", moves)
    numbers = first.dtype.kind in "fiu" and chances.dtype.kind in "fiu"
    if not numbers or not 1 <= count <= _MOST or chances.shape != (count, count):
        raise InvalidValue(
            f"likely is a number for each of up to {_MOST:,} places, and moves one for each pair",
            got=f"shapes {first.shape} and {chances.shape} of {first.dtype} and {chances.dtype}",
            remedy="Pass (K,) and (K, K)",
        )
    first, chances = first.astype(np.float64), chances.astype(np.float64)
    sound = (
        np.isfinite(first).all()
        and np.isfinite(chances).all()
        and (first >= 0).all()
        and (chances >= 0).all()
    )
    if not sound or first.sum() > 1 + _ROUNDED or (chances.sum(axis=1) > 1 + _ROUNDED).any():
        raise InvalidValue(
            "Chances are at least 0, and add up to at most 1 in all and in each row of moves",
            got=f"sums of {first.sum():g} and up to {chances.sum(axis=1).max():g}",
            remedy="Divide by the sums",
        )
    ways = [
        [
            checks.cell("a place beside", to, count)
            for to in checks.sequence("the places beside one", each)
        ]
        for each in checks.sequence("beside", beside)
    ]
    if len(ways) != count or not all(ways):
        raise InvalidValue(
            "beside has the places that one gets to from each place, at least one",
            got=f"{len(ways)} for {count} places",
            remedy="Let each have itself, for a searcher that waits",
        )
    return first, chances, ways, count
