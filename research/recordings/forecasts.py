"""Forecasts of places: probabilities of cells from layers, fitted to earlier events, and their
scores.

A forecast is the probability of each cell of a map to be the place of the next event (a loss, a
goal, a find), at one moment. It does not predict whether an event happens.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.shared.arrays import Floats, Ints

_ROUNDS = 60
_SETTLED = 1e-9


@dataclass(frozen=True)
class PlaceModel:
    """The model of a forecast: the probability of a cell is proportional to the exponential of a
    weighted sum of its features.

    A conditional logit: `weights` (K,) for the features less their `means` (K,) over their
    `deviations` (K,); a weight above 0 means that events are likelier where the feature is large.
    `even` is the share of probability that is spread evenly, so that no cell has 0. Made by
    `fit_places`.
    """

    weights: Floats
    means: Floats
    deviations: Floats
    even: float

    def chances(self, features: ArrayLike) -> Floats:
        """Return the probability of each of N cells, (N,), from `features` (N, K); they sum to
        1.
        """
        table = np.asarray(features, dtype=np.float64)
        chances = _softmax(((table - self.means) / self.deviations) @ self.weights)
        return (1 - self.even) * chances + self.even / len(chances)


@dataclass(frozen=True)
class PlaceScore:
    """The score of forecasts of `count` events.

    `log_likelihood` is the mean natural logarithm of the probability of their cells; `bits` its
    lead in bits over a uniform forecast (0: no better), and `auc` the share of cells with a smaller
    probability than the cell of the event, ties counting half (0.5: no better).
    """

    log_likelihood: float
    bits: float
    auc: float
    count: int


def fit_places(
    features: Sequence[ArrayLike],
    cells: Sequence[ArrayLike],
    *,
    weights: ArrayLike = 1.0,
    penalty: float = 1.0,
    even: float = 0.02,
) -> PlaceModel:
    """Fit a forecast of places to moments with known events.

    The likelihood is concave, and Newton's method finds its only maximum. Constant features have
    weight 0.

    Parameters
    ----------
    features : Sequence[array_like]
        For each of M moments the features of each cell, (N, K); the number of cells may differ from
        moment to moment.
    cells : Sequence[array_like]
        For each moment the cells of events, whole numbers below N; a cell may come several times.
        Moments without events have no effect.
    weights : array_like, optional
        The weight of the events of each moment, (M,) or one number for all, at least 0.
    penalty : float, optional
        Half of this times the squares of the weights is subtracted from the log-likelihood; above
        0, so that there is one optimum.
    even : float, optional
        The share of probability that is spread evenly, in [0, 1].

    References
    ----------
    D. McFadden, "Conditional logit analysis of qualitative choice behavior" (1974). Raises
    `InvalidValue` without events.
    """
    tables = [np.asarray(table, dtype=np.float64) for table in features]
    came = [np.asarray(each, dtype=np.int64) for each in cells]
    counts = np.broadcast_to(np.asarray(weights, dtype=np.float64), len(tables))
    used = [index for index in range(len(tables)) if len(came[index]) and counts[index] > 0]
    if not used:
        raise InvalidValue(
            "Something came at one moment at least",
            got="no cells, or no weight",
            remedy="Pass moments before something came",
        )
    stacked = np.concatenate([tables[index] for index in used])
    means = stacked.mean(axis=0)
    deviations = stacked.std(axis=0)
    flat = deviations <= 1e-12 * (1 + np.abs(means))
    deviations = np.where(flat, 1.0, deviations)
    scaled = [np.where(flat, 0.0, (tables[index] - means) / deviations) for index in used]
    fitted = _newton(scaled, [came[index] for index in used], counts[used], penalty)
    return PlaceModel(fitted, means, deviations, even)


def score_places(
    chances: Sequence[ArrayLike], cells: Sequence[ArrayLike], *, weights: ArrayLike = 1.0
) -> PlaceScore:
    """Return the score of forecasts: `chances` for each of M moments, (N,) above 0 with the sum 1,
    and the `cells` of events, as in `fit_places`.

    `weights` (M,), or one number, are the weights of the events of each moment. Raises
    `InvalidValue` without events.
    """
    forecasts = [np.asarray(each, dtype=np.float64) for each in chances]
    came = [np.asarray(each, dtype=np.int64) for each in cells]
    shares = np.broadcast_to(np.asarray(weights, dtype=np.float64), len(forecasts))
    logs = 0.0
    bits = 0.0
    wins = 0.0
    counted = 0.0
    count = 0
    for forecast, places, share in zip(forecasts, came, shares.tolist(), strict=True):
        if not len(places) or share == 0:
            continue
        ranked = np.sort(forecast)
        here = forecast[places]
        below = np.searchsorted(ranked, here, "left") + np.searchsorted(ranked, here, "right")
        logs += share * float(np.log(here).sum())
        bits += share * float(np.log2(here * len(forecast)).sum())
        wins += share * float(below.sum()) / (2 * len(forecast))
        counted += share * len(places)
        count += len(places)
    if not counted:
        raise InvalidValue(
            "A score rests on something that came",
            got="nothing",
            remedy="Pass moments before something came",
        )
    return PlaceScore(logs / counted, bits / counted, wins / counted, count)


def _newton(tables: list[Floats], came: list[Ints], counts: Floats, penalty: float) -> Floats:
    """Return the weights of the greatest likelihood; a step that does not raise it is halved."""
    size = tables[0].shape[1]
    pulls = [table[places].sum(axis=0) for table, places in zip(tables, came, strict=True)]
    found = np.zeros(size)
    value, slope, bend = _likelihood(found, tables, pulls, came, counts, penalty)
    for _ in range(_ROUNDS):
        move = np.linalg.solve(bend, slope)
        if float(slope @ move) < _SETTLED:
            break
        share = 1.0
        while share > 1e-6:
            tried = _likelihood(found + share * move, tables, pulls, came, counts, penalty)
            if tried[0] >= value:
                break
            share /= 2
        else:
            break
        found = found + share * move
        value, slope, bend = tried
    return found


def _likelihood(
    weights: Floats,
    tables: list[Floats],
    pulls: list[Floats],
    came: list[Ints],
    counts: Floats,
    penalty: float,
) -> tuple[float, Floats, Floats]:
    """Return the log-likelihood less the penalty, its gradient (K,), and its negative Hessian (K,
    K).
    """
    value = -penalty / 2 * float(weights @ weights)
    slope = -penalty * weights
    bend = penalty * np.eye(len(weights))
    for table, pull, places, count in zip(tables, pulls, came, counts.tolist(), strict=True):
        scores = table @ weights
        highest = float(scores.max())
        rest = np.exp(scores - highest)
        total = float(rest.sum())
        chances = rest / total
        mean = chances @ table
        cases = count * len(places)
        value += count * float(pull @ weights) - cases * (highest + math.log(total))
        slope = slope + count * pull - cases * mean
        bend = bend + cases * ((table * chances[:, None]).T @ table - np.outer(mean, mean))
    return value, slope, bend


def _softmax(scores: Floats) -> Floats:
    rest = np.exp(scores - scores.max())
    return np.asarray(rest / rest.sum())
