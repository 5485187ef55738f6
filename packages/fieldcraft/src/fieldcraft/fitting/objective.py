"""The objective of a fit, with its gradient."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fieldcraft.fitting.gradients import Formula
from fieldcraft.fitting.models import LayerModel, Reaching
from fieldcraft.fitting.recorded import Recorded
from fieldcraft.kernels.shared.arrays import Floats


class Objective:
    """The error of the prediction of recordings, in nats per event relative to chance.

    Parameters of layers are searched by their logarithm, because they must be above 0; `names` and
    `start` have them in the order of the vectors.
    """

    def __init__(
        self,
        formula: str,
        layers: Mapping[str, LayerModel],
        recordings: Sequence[Recorded],
        weights: Mapping[str, float],
        given: Mapping[str, float] | None = None,
        fixed: Sequence[str] = (),
        penalty: float = 0.0,
    ) -> None:
        self._parameters = dict(weights)
        for name, model in layers.items():
            self._parameters |= model.start(name)
        self._parameters |= given or {}
        self._weights = dict(weights)
        self._recordings = recordings
        self._penalty = penalty
        self._formula = Formula(formula, [*weights, *layers, *recordings[0].maps])
        self._reaching = [
            {name: Reaching(name, model, recorded) for name, model in layers.items()}
            for recorded in recordings
        ]
        self.names = tuple(name for name in self._parameters if name not in fixed)
        start = []
        for name in self.names:
            if name in weights:
                start.append(self._parameters[name])
            else:
                start.append(math.log(self._parameters[name]))
        self.start = np.array(start)
        # Where parameters have no penalty: weights at 0, the others at their start.
        self._rest = np.where([name in weights for name in self.names], 0.0, self.start)

    def parameters(self, vector: Floats) -> dict[str, float]:
        """Return all parameters for a vector of the search."""
        found = dict(self._parameters)
        for name, value in zip(self.names, vector.tolist(), strict=True):
            if name in self._weights:
                found[name] = value
            else:
                found[name] = math.exp(value)
        return found

    def scores(self) -> Floats:
        """Return the values of the formula for the first recording at the start, (M, N)."""
        known, _ = self._known(self._parameters, 0)
        full = self._formula.values(known)[-1]
        return np.broadcast_to(full, self._recordings[0].happened.shape)

    def _known(
        self, parameters: Mapping[str, float], which: int
    ) -> tuple[dict[str, Floats], dict[str, Any]]:
        """Return the values of all names in the formula for one recording, and for each layer the
        function to the gradients of its parameters.
        """
        known = {name: np.asarray(parameters[name]) for name in self._weights}
        known |= self._recordings[which].maps
        backs = {}
        for name, reaching in self._reaching[which].items():
            known[name], backs[name] = reaching.values(parameters)
        return known, backs

    def value_and_gradient(self, vector: Floats | None = None) -> tuple[float, Floats]:
        """Return the objective and its gradient at a vector, or at the start."""
        if vector is None:
            at = self.start
        else:
            at = vector
        parameters = self.parameters(at)
        slopes = dict.fromkeys(self._parameters, 0.0)
        value = 0.0
        count = sum(float(each.happened.sum()) for each in self._recordings)
        for which, recorded in enumerate(self._recordings):
            known, backs = self._known(parameters, which)
            steps = self._formula.values(known)
            scores = np.broadcast_to(steps[-1], recorded.happened.shape)
            logs = log_chances(scores, recorded)
            events = recorded.happened.sum(axis=1, keepdims=True)
            even = np.log(recorded.options.sum(axis=1, keepdims=True))
            value -= float((recorded.happened * (logs + even)).sum())
            chances = np.exp(logs) * recorded.options
            pulled = events * chances - recorded.happened
            for name, gradient in self._formula.gradients(steps, pulled).items():
                if name in backs:
                    full = np.broadcast_to(gradient, recorded.happened.shape)
                    for parameter, slope in backs[name](full).items():
                        slopes[parameter] += slope
                elif name in self._weights:
                    slopes[name] += float(np.sum(gradient))
        rates = [1.0 if name in self._weights else parameters[name] for name in self.names]
        found = np.array([slopes[name] for name in self.names]) * rates
        away = at - self._rest
        return value / count + self.penalty_at(at), found / count + self._penalty * away

    def penalty_at(self, vector: Floats) -> float:
        """Return the penalty of parameters for the distance from their start."""
        return self._penalty / 2 * float(((vector - self._rest) ** 2).sum())


def log_chances(scores: Floats, recorded: Recorded) -> Floats:
    """Return the logarithm of the chance of one candidate in each cell, (M, N)."""
    highest = scores.max(axis=1, keepdims=True, where=recorded.options > 0, initial=-np.inf)
    above = scores - highest
    total = (recorded.options * np.exp(np.minimum(above, 0.0))).sum(axis=1, keepdims=True)
    return np.asarray(above - np.log(total))
