"""Fits of layers and formulas to recordings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, UnknownName
from fieldcraft.fitting.models import LayerModel
from fieldcraft.fitting.objective import Objective, log_chances
from fieldcraft.fitting.recorded import Recorded
from fieldcraft.kernels.shared.arrays import Floats

_WIDEST = 6.0  # natural logarithm: what is above 0 stays within a factor of 400 of its start


@dataclass(frozen=True)
class Fitted:
    """The result of `fit`.

    Attributes
    ----------
    formula : str
        The formula, for `fc.formula(fitted.formula, {**imap.layers, **fitted.weights})`.
    parameters : mapping of str to float
        All parameters by name, such as "threat.decay", "threat.half_life" and the weights.
    layers : mapping of str to LayerModel
        The layers with their parameters: `imap.add_layer(name, fitted.layers[name].kind)`.
    weights : mapping of str to float
        The numbers of the formula.
    bits : float
        Bits per event by which the prediction is better than chance, in the fitted recordings.
    converged : bool
        Whether the search found an optimum within its limit of rounds.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> corridor = fc.Grid(5, 1)
    >>> seen = fc.recordings.TimelineBuilder()
    >>> seen.add(0, "guard", "guards", (0.5, 0.5))
    >>> came = fc.fitting.Recorded.events(corridor, seen.build(), [1, 1], [(3.5, 0.5), (4.5, 0.5)])
    >>> threat = fc.fitting.LayerModel(fc.Radial(6, metric="path"), ["guards"])
    >>> fitted = fc.fit("-fear * threat", {"threat": threat}, came, {"fear": 1.0}, penalty=0.1)
    >>> [*fitted.parameters], round(fitted.layers["threat"].kind.radius, 2)
    (['fear', 'threat.radius'], 3.0)
    >>> fitted.chances(came).round(2)
    array([[0.06, 0.07, 0.13, 0.37, 0.37]])
    """

    formula: str
    parameters: Mapping[str, float]
    layers: Mapping[str, LayerModel]
    weights: Mapping[str, float]
    bits: float
    converged: bool

    def chances(self, recorded: Recorded) -> Floats:
        """Return the chance of each of N cells at each of M moments, (M, N); rows sum to 1."""
        scores = self._objective(_several([recorded])).scores()
        return np.exp(log_chances(scores, recorded))

    def bits_of(self, recordings: Recorded | Sequence[Recorded]) -> float:
        """Return the bits per event by which recordings are predicted better than by chance: 1
        means that the place of the event had twice the probability.
        """
        value, _ = self._objective(_several(recordings)).value_and_gradient()
        return -value / math.log(2)

    def _objective(self, recordings: Sequence[Recorded]) -> Objective:
        return Objective(self.formula, self.layers, recordings, self.weights, self.parameters)


def _several(recordings: Recorded | Sequence[Recorded]) -> list[Recorded]:
    """Return recordings as a list, all with maps of the same names."""
    if isinstance(recordings, Recorded):
        several = [recordings]
    else:
        several = checks.sequence("recordings", recordings)
    for each in several:
        checks.instance(each, Recorded, "Recordings say what happened", "Use Recorded.events")
    if not several or any(each.maps.keys() != several[0].maps.keys() for each in several):
        raise InvalidValue(
            "There is a recording, and all have the same maps",
            got=f"{len(several)} recordings",
            remedy="Pass Recorded.events(...), with maps of the same names",
        )
    return several


def fit(
    formula: str,
    layers: Mapping[str, LayerModel],
    recordings: Recorded | Sequence[Recorded],
    weights: Mapping[str, float],
    *,
    fixed: Iterable[str] = (),
    penalty: float = 0.0,
    rounds: int = 200,
) -> Fitted:
    """Return the numbers of layers and of a formula that predict recordings best.

    The chance of a cell, or of a candidate, is proportional to the exponential of the formula's
    value there: a conditional logit. Gradients are exact, and SciPy's L-BFGS-B searches. The search
    ends at the nearest optimum; start it at plausible numbers.

    Parameters
    ----------
    formula : str
        A formula over the names of `layers`, `weights` and the maps of recordings, see
        `fc.formula`. It may not read other cells: no smooth, normalize or invert.
    layers : mapping of str to LayerModel
        The layers by name, with their sources.
    recordings : Recorded or sequence of Recorded
        The events or choices to predict, with the data known before; see `fc.fitting.Recorded`.
        Several must have maps of the same names.
    weights : mapping of str to float
        The numbers of the formula by name, with their start values.
    fixed : iterable of str, optional
        Names of parameters that are not fitted, such as "threat.decay".
    penalty : float, optional
        Half of this times the squares of weights, and of the logarithms of the other parameters'
        ratios to their start, is added to the nats per event. Above 0 it prevents overfitting.
    rounds : int, optional
        The most rounds of the search.

    Returns
    -------
    Fitted
        The parameters, and layers that can be added to an influence map.

    Raises
    ------
    InvalidValue
        If the formula reads other cells or has an unknown name, if a parameter of a layer does not
        start above 0, if all parameters are fixed, or if recordings have different maps.
    UnknownName
        If no recording has a group, or if `fixed` names no parameter.

    References
    ----------
    D. McFadden, "Conditional logit analysis of qualitative choice behavior" (1974).

    Examples
    --------
    A guard was seen at three places, and a thief came to the far end of the corridor each time:

    >>> import fieldcraft as fc
    >>> corridor = fc.Grid(9, 1)
    >>> seen = fc.recordings.TimelineBuilder()
    >>> for second, x in enumerate([1.5, 7.5, 2.5]):
    ...     seen.add(second, "guard", "guards", (x, 0.5))
    >>> came = fc.fitting.Recorded.events(
    ...     corridor, seen.build(), [0, 1, 2, 2], [(7.5, 0.5), (1.5, 0.5), (8.5, 0.5), (6.5, 0.5)])
    >>> threat = fc.fitting.LayerModel(fc.Spread(decay=0.3, pin=False), ["guards"])
    >>> learned = fc.fit("fear * log(threat)", {"threat": threat}, came, {"fear": -1.0},
    ...                  fixed=["threat.decay"])
    >>> learned.weights["fear"] < 0 < learned.bits
    True
    """
    several = _several(recordings)
    checks.instance(weights, Mapping, "weights are numbers by name", "Pass a dict")
    checks.instance(layers, Mapping, "layers are LayerModels by name", "Pass a dict")
    for name, value in weights.items():
        checks.finite(name, value)
    groups = {group for each in several for group in each.timeline.groups}
    for name, model in layers.items():
        checks.instance(model, LayerModel, "A layer is fitted as a LayerModel", "Pass one")
        for group in model.groups:
            if group not in groups:
                raise UnknownName(f"group of {name!r} in a recording", group, groups)
    taken = [*weights, *layers, *several[0].maps]
    if len({*taken}) < len(taken):
        raise InvalidValue("Names differ", got=", ".join(taken), remedy="Rename one")
    checks.not_negative("penalty", penalty)
    not_fitted = checks.sequence("fixed", fixed)
    known = set(weights)
    for name, model in layers.items():
        known.update(model.start(name))
    for name in not_fitted:
        if not isinstance(name, str) or name not in known:
            raise UnknownName("parameter", str(name)[:80], known)
    objective = Objective(formula, layers, several, weights, None, not_fitted, penalty)
    if not objective.names:
        raise InvalidValue(
            "A parameter is fitted", got="all of them fixed", remedy="Leave one out of fixed"
        )
    from scipy.optimize import minimize

    bounds: list[tuple[float | None, float | None]] = []
    for name, start in zip(objective.names, objective.start.tolist(), strict=True):
        if name in weights:
            bounds.append((None, None))
        else:
            bounds.append((start - _WIDEST, start + _WIDEST))
    most = checks.integer("rounds", rounds, minimum=1)
    found = minimize(
        objective.value_and_gradient,
        objective.start,
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": most, "maxfun": 4 * most, "ftol": 1e-12, "gtol": 1e-8},
    )
    parameters = objective.parameters(found.x)
    models = {name: model.fitted(name, parameters) for name, model in layers.items()}
    best = {name: parameters[name] for name in weights}
    bits = (objective.penalty_at(found.x) - float(found.fun)) / math.log(2)
    return Fitted(formula, parameters, models, best, bits, bool(found.success))
