"""Forecasts of places: chances for each cell from layers, fitted to what came before, and how good
they were.

A forecast says for one moment how likely each cell of a map is to be where the next thing happens:
a loss, a goal, a find. It is asked again at other moments; whether the thing happens at all is
another question.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fieldcraft.errors import InvalidValue
from fieldcraft.kernels.arrays import Floats, Ints

_ROUNDS = 60
_SETTLED = 1e-9


@dataclass(frozen=True)
class PlaceModel:
    """The model of a forecast: cells are as likely as the exponential of a weighted sum of their
    features.

    A conditional logit: `weights` (K,) for the features less their `means` (K,) over their
    `deviations` (K,); a weight above 0 says that the thing happens rather where the feature is
    large. `even` is the share of all chance that is spread evenly, so that no cell has none. Made
    by `fit_places`.
    """

    weights: Floats
    means: Floats
    deviations: Floats
    even: float

    def chances(self, features: ArrayLike) -> Floats:
        """Return the chance of each of N cells, (N,), which sum to 1, from `features` (N, K)."""
        table = np.asarray(features, dtype=np.float64)
        chances = _softmax(((table - self.means) / self.deviations) @ self.weights)
        return (1 - self.even) * chances + self.even / len(chances)


@dataclass(frozen=True)
class PlaceScore:
    """The score of forecasts: `count` things came.

    `log_likelihood` is the mean natural logarithm of the chance that their cells had; `bits` how
    many bits that is ahead of uniform ground (0: no better), and `auc` the share of cells that had
    a smaller chance than the one where it came, ties counting half (0.5: no better).
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
    """Fits a forecast of places to moments at which it is known what came.

    Found by Newton's method, which on this concave likelihood ends at its only maximum. Features
    that are the same everywhere get weight 0.

    Parameters
    ----------
    features : Sequence[array_like]
        For each of M moments what is known of each cell then, (N, K); the number of cells may
        differ from moment to moment.
    cells : Sequence[array_like]
        For each moment the cells in which things came then, whole numbers below N; a cell counts as
        often as it stands there. Moments without any teach nothing.
    weights : array_like, optional
        How much the things of each moment count, (M,) or one number for all, at least 0.
    penalty : float, optional
        Holds weights small, as much as `penalty` over half their squares in units of
        log-likelihood; above 0, so that there is one best answer.
    even : float, optional
        The share of chance that is spread evenly, in [0, 1].

    References
    ----------
    D. McFadden, "Conditional logit analysis of qualitative choice behavior" (1974). Raises
    `InvalidValue` where nothing came.
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
    means, deviations = stacked.mean(axis=0), stacked.std(axis=0)
    flat = deviations <= 1e-12 * (1 + np.abs(means))
    deviations = np.where(flat, 1.0, deviations)
    scaled = [np.where(flat, 0.0, (tables[index] - means) / deviations) for index in used]
    fitted = _newton(scaled, [came[index] for index in used], counts[used], penalty)
    return PlaceModel(fitted, means, deviations, even)


def score_places(
    chances: Sequence[ArrayLike], cells: Sequence[ArrayLike], *, weights: ArrayLike = 1.0
) -> PlaceScore:
    """Scores forecasts: `chances` for each of M moments, (N,) above 0 with the sum 1, and `cells`
    in which things came then, as in `fit_places`.

    `weights` (M,), or one number, say how much the things of each moment count. Raises
    `InvalidValue` where nothing came.
    """
    forecasts = [np.asarray(each, dtype=np.float64) for each in chances]
    came = [np.asarray(each, dtype=np.int64) for each in cells]
    shares = np.broadcast_to(np.asarray(weights, dtype=np.float64), len(forecasts))
    logs, bits, wins, counted, count = 0.0, 0.0, 0.0, 0.0, 0
    for forecast, places, share in zip(forecasts, came, shares.tolist(), strict=True):
        if not len(places) or share == 0:
            continue
        ranked, here = np.sort(forecast), forecast[places]
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
    """The weights of the greatest likelihood; a step that does not rise is halved."""
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
    """The log-likelihood less the penalty, its slope (K,), and how it bends (K, K), above 0."""
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
