"""95 % confidence intervals of rates, means, paired differences and ratios."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue

FEW = 40
"""Fewer values than this get Student's interval: a bootstrap of few values is narrower than it
says.
"""

LEVEL = 0.95
"""The confidence level of all intervals."""

_RESAMPLES = 9999


@dataclass(frozen=True)
class Interval:
    """An estimate, its interval, the number of values, and the method.

    `low` and `high` are NaN for a single value.
    """

    value: float
    low: float
    high: float
    count: int
    method: str


def rate(successes: int, count: int) -> Interval:
    """Return the share of successes among `count` independent tries, with Wilson's score interval.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22
    (1927). Raises `InvalidValue` for no tries, and for more successes than tries.
    """
    from scipy import stats  # loading it takes longer than all of `import fieldcraft`

    tries = checks.integer("count", count, minimum=1)
    won = checks.integer("successes", successes)
    if won > tries:
        raise InvalidValue(
            "There are no more successes than tries", got=f"{won} of {tries}", remedy="Swap them"
        )
    found = stats.binomtest(won, tries).proportion_ci(LEVEL, method="wilson")
    return Interval(won / tries, float(found.low), float(found.high), tries, "Wilson")


def mean(values: ArrayLike) -> Interval:
    """Return the mean of independent values with the BCa bootstrap interval, or Student's for fewer
    than `FEW` values.

    B. Efron, "Better bootstrap confidence intervals", JASA 82 (1987). The bootstrap draws from
    `seed`, so that the same values give the same interval. Equal values have an interval without
    width, and one value has none; see `Interval.method`.

    Raises
    ------
    InvalidValue
        For no values, and values that are not finite.
    """
    sample = _sample("values", values)
    middle = float(sample.mean())
    count = len(sample)
    if count == 1:
        return Interval(middle, math.nan, math.nan, 1, "one value")
    if (sample == sample[0]).all():
        return Interval(float(sample[0]), float(sample[0]), float(sample[0]), count, "all alike")
    from scipy import stats

    if count < FEW:
        reach = _reach(sample)
        return Interval(middle, middle - reach, middle + reach, count, "Student's t")
    found = stats.bootstrap(
        (sample,),
        np.mean,
        n_resamples=_RESAMPLES,
        batch=1000,
        vectorized=True,
        confidence_level=LEVEL,
        method="BCa",
        random_state=np.random.default_rng(0),
    ).confidence_interval
    return Interval(middle, float(found.low), float(found.high), count, "BCa bootstrap")


def mean_share(values: ArrayLike) -> Interval:
    """Return the mean of independent shares, 0 to 1 each: `mean` with its interval clipped to this
    range.
    """
    found = mean(values)
    return replace(found, low=max(found.low, 0.0), high=min(found.high, 1.0))


def paired(first: ArrayLike, second: ArrayLike) -> Interval:
    """Return the mean of `first - second` of pairs, by `mean`: for two sides in the same worlds.

    Raises
    ------
    InvalidValue
        For none, different lengths, and values that are not finite.
    """
    one = _sample("first", first)
    other = _sample("second", second)
    if len(one) != len(other):
        raise InvalidValue(
            "Pairs have two values each",
            got=f"{len(one)} and {len(other)}",
            remedy="Pass both sides of the same worlds",
        )
    return mean(one - other)


def ratio(tops: ArrayLike, bottoms: ArrayLike) -> Interval:
    """Return the ratio of the sum of `tops` to the sum of `bottoms`, such as damage dealt to damage
    taken; each pair is one independent observation.

    The interval of the logarithm is linearized: exp(ln R +- t se), where se is the deviation of
    `top / mean top - bottom / mean bottom` over the square root of their number, and t Student's.

    W. G. Cochran, "Sampling Techniques" (1977), chapter 6, for the linearised ratio. Raises
    `InvalidValue` for none, different lengths, values below 0 or not finite, and sums of 0, which
    have no ratio.
    """
    top = _sample("tops", tops)
    bottom = _sample("bottoms", bottoms)
    count = len(top)
    if count != len(bottom):
        raise InvalidValue(
            "Pairs have two values each",
            got=f"{count} and {len(bottom)}",
            remedy="Pass both of the same worlds",
        )
    if min(top.min(), bottom.min()) < 0 or not top.any() or not bottom.any():
        raise InvalidValue(
            "A ratio is one of sums above 0 of values at least 0",
            got=(
                f"{top.sum():g} to {bottom.sum():g}, with {min(top.min(), bottom.min()):g} among"
                " them"
            ),
            remedy="Say in words what has no ratio",
        )
    value = float(top.sum() / bottom.sum())
    if count == 1:
        return Interval(value, math.nan, math.nan, 1, "one value")
    reach = _reach(top / top.mean() - bottom / bottom.mean())
    return Interval(
        value, value * math.exp(-reach), value * math.exp(reach), count, "linearised log ratio"
    )


def _reach(sample: NDArray[np.float64]) -> float:
    """Return half the width of Student's interval for the mean of a sample."""
    from scipy import stats

    count = len(sample)
    quantile = float(stats.t.ppf((1 + LEVEL) / 2, count - 1))
    return quantile * float(sample.std(ddof=1)) / math.sqrt(count)


def _sample(name: str, values: ArrayLike) -> NDArray[np.float64]:
    sample = np.asarray(values)
    if (
        sample.ndim != 1
        or not len(sample)
        or sample.dtype.kind not in "iufb"
        or not np.isfinite(sample).all()
    ):
        raise InvalidValue(
            f"{name} are finite numbers in a row, at least one",
            got=f"{sample.dtype} of shape {sample.shape}",
            remedy="Drop what is not",
        )
    return sample.astype(np.float64)
