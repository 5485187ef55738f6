"""Models of layers: their parameters and gradients."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.fitting.recorded import Recorded, cells_of, check_size
from fieldcraft.kernels.shared.arrays import Floats
from fieldcraft.layers.propagation import Radial, Spread
from fieldcraft.layers.sources.falloff import CURVES, Falloff
from fieldcraft.paths import distance_map
from fieldcraft.space import Grid

Reached = tuple[Floats, Callable[[Floats], tuple[float, Floats]]]
"""Influence, and a function from its gradient to those of the extent and of each source."""
Answer = tuple[Floats, Callable[[Floats], dict[str, float]]]
"""Influence, and a function from its gradient to those of the parameters by name."""

_E5 = math.exp(-5.0)
_E45 = math.exp(-4.5)
_SLOPES: dict[str, Callable[[Floats], Floats]] = {
    "linear": lambda u: -np.ones_like(u),
    "parabolic": lambda u: -2 * u,
    "cubic": lambda u: -3 * (1 - u) ** 2,
    "exponential": lambda u: -5 * np.exp(-5 * u) / (1 - _E5),
    "gaussian": lambda u: -9 * u * np.exp(-4.5 * u * u) / (1 - _E45),
    "smoothstep": lambda u: -6 * u * (1 - u),
}
"""The derivatives of the curves of `falloff.CURVES` that have one."""

_SHORTEST = 1e-9
_LONGEST = 1e9
"""The half-lives in seconds whose squares and quotients are finite."""


@dataclass(frozen=True)
class LayerModel:
    """A layer with parameters that `fit` finds; the arguments are the start of the search.

    Parameters
    ----------
    kind : Spread or Radial
        How influence falls with distance. A `Spread` with an exponential falloff and `pin=False`,
        after it has settled, with a floor of 0; its `decay` is fitted. A `Radial` with the metric
        "straight" or "path" that sums; its `radius` is fitted.
    groups : mapping of str to str, or sequence of str
        The groups of the recording with sources. A mapping gives each a label; the strengths of the
        recording are multiplied by a fitted number for each label except the first. A sequence
        gives all groups one label.
    half_life : float, optional
        Seconds in which a source that was not seen again halves, to be fitted; half lives in the
        recording also apply.
    past : bool, optional
        Whether all earlier rows of the recording are sources, as in a trail, and not only the last
        row of each entity.
    shared : str, optional
        The prefix of the parameters' names, by default the name of the layer. Layers with the same
        prefix share parameters.

    Raises
    ------
    InvalidValue
        If the kind is another, or if a number is out of range.

    Examples
    --------
    Two groups share a range; the second has a strength of its own:

    >>> import fieldcraft as fc
    >>> model = fc.fitting.LayerModel(
    ...     fc.Radial(6, metric="path"), {"guards": "guard", "dogs": "dog"}, half_life=30)
    >>> model.start("threat")
    {'threat.radius': 6.0, 'threat.half_life': 30.0, 'threat.dog': 1.0}
    """

    kind: Spread | Radial
    groups: Mapping[str, str] | Sequence[str]
    half_life: float | None = None
    past: bool = False
    shared: str | None = None

    def __post_init__(self) -> None:
        kind = checks.instance(
            self.kind, (Spread, Radial), "Spread and Radial are fitted", "Pass one of them"
        )
        if isinstance(kind, Spread):
            fits = (
                kind.falloff == "exponential"
                and not kind.pin
                and kind.stack == "max"
                and kind.decay > 0
            )
            remedy = "Pass Spread(decay=0.2, pin=False)"
        else:
            fits = (
                kind.metric in ("straight", "path")
                and kind.blend == "sum"
                and not kind.exact
                and Falloff.of(kind.falloff).name in _SLOPES
            )
            remedy = f'Pass metric="path" and one of {", ".join(_SLOPES)}'
        if not fits:
            raise InvalidValue(
                "A layer is fitted where influence has a gradient", got=f"{kind}", remedy=remedy
            )
        named = not isinstance(self.groups, str) and len(self.groups) > 0
        if not named or not all(isinstance(each, str) for each in self.groups):
            raise InvalidValue(
                "groups are names of groups", got=repr(self.groups), remedy='Pass ["enemies"]'
            )
        if self.half_life is not None:
            half_life = checks.positive("half_life", self.half_life)
            if not _SHORTEST <= half_life <= _LONGEST:
                raise InvalidValue(
                    f"half_life is {_SHORTEST:g} to {_LONGEST:g} seconds",
                    got=f"half_life={half_life:g}",
                    remedy="Pass None for sources that do not fade",
                )

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the groups; the first has the strengths of the recording."""
        if isinstance(self.groups, Mapping):
            return tuple(dict.fromkeys(self.groups.values()))
        return ("",)

    @property
    def extent(self) -> str:
        """The name of the parameter of the range of influence."""
        if isinstance(self.kind, Spread):
            return "decay"
        return "radius"

    def start(self, name: str) -> dict[str, float]:
        """Return all parameters by name, with their start values."""
        begin = self.shared or name
        found = {f"{begin}.{self.extent}": float(getattr(self.kind, self.extent))}
        if self.half_life is not None:
            found[f"{begin}.half_life"] = float(self.half_life)
        return found | {f"{begin}.{label}": 1.0 for label in self.labels[1:]}

    def fitted(self, name: str, parameters: Mapping[str, float]) -> LayerModel:
        """Return this model with the fitted parameters."""
        begin = self.shared or name
        found: Any = {self.extent: parameters[f"{begin}.{self.extent}"]}
        kind = dataclasses.replace(self.kind, **found)
        half_life = parameters.get(f"{begin}.half_life")
        return dataclasses.replace(self, kind=kind, half_life=half_life)


class Reaching:
    """The influence of one layer in one recording, with gradients."""

    def __init__(self, name: str, model: LayerModel, recorded: Recorded) -> None:
        self._model = model
        self._begin = model.shared or name
        self._collect(recorded)
        self._shape = (len(recorded.seconds), len(recorded.cells))
        self._measure(recorded)

    def _collect(self, recorded: Recorded) -> None:
        """Find the sources of all moments: their moment, cell, label, strength and age."""
        model = self._model
        timeline = recorded.timeline
        if isinstance(model.groups, Mapping):
            labels = model.groups
        else:
            labels = dict.fromkeys(model.groups, "")
        play = timeline.play()
        parts: list[tuple[Floats, ...]] = [(np.zeros(0),) * 6]
        for moment, now in enumerate(recorded.seconds.tolist()):
            for group, label in labels.items():
                if group not in timeline.groups:
                    continue
                if model.past:
                    rows = np.flatnonzero(
                        (timeline.group_of == timeline.groups.index(group))
                        & (timeline.seconds <= now)
                        & ~np.isnan(timeline.positions[:, 0])
                    )
                    ages = now - timeline.seconds[rows] + timeline.ages[rows]
                    strengths = timeline.strengths[rows] * np.exp2(
                        -ages / timeline.half_lives[rows]
                    )
                    places = timeline.positions[rows]
                else:
                    living = play.advance_to(now).living(group)
                    places = living.positions
                    strengths = living.strengths
                    ages = living.ages
                which = np.full((2, len(ages)), [[moment], [model.labels.index(label)]], float)
                parts.append((*which, *places.T, strengths, ages))
        moments, which, x, y, self._strengths, self._ages = np.concatenate(parts, axis=1)
        self._moments = moments.astype(np.int64)
        self._labels = which.astype(np.int64)
        if len(x):
            cells = cells_of(recorded.space, np.stack([x, y], axis=1))
        else:
            cells = np.zeros(0, int)
        self._sources, self._cells = np.unique(cells, return_inverse=True)

    def _measure(self, recorded: Recorded) -> None:
        """Find the distances from each cell with a source, (sources, cells)."""
        space = recorded.space
        cells = recorded.cells
        check_size("Cells with sources", len(self._sources), len(cells))
        places = space.position_of(self._sources)
        if isinstance(self._model.kind, Radial) and self._model.kind.metric == "straight":
            if isinstance(space, Grid) and space.wrap:
                raise InvalidValue(
                    "Straight distances cross no edges", got=repr(space), remedy='Use "path"'
                )
            gaps = places[:, None] - space.position_of(cells)
            self._distances = np.sqrt((gaps**2).sum(axis=2))
            return
        self._distances = np.empty((len(places), len(cells)))
        for row, place in enumerate(places):
            distances = distance_map(space, place, outward=True).values
            self._distances[row] = distances.reshape(-1)[cells]

    def values(self, parameters: Mapping[str, float]) -> Answer:
        """Return the influence (M, N) at these parameters, and a function from the gradient of the
        influence to the gradients of the parameters.
        """
        fitted = [parameters[f"{self._begin}.{label}"] for label in self._model.labels[1:]]
        factors = np.array([1.0, *fitted])
        amounts = self._strengths * factors[self._labels]
        half_life = parameters.get(f"{self._begin}.half_life")
        if half_life is not None:
            amounts = amounts * np.exp2(-self._ages / half_life)
        extent = parameters[f"{self._begin}.{self._model.extent}"]
        if isinstance(self._model.kind, Spread):
            found, back = self._spread(amounts, extent)
        else:
            found, back = self._radial(amounts, extent)

        def gradients(pulled: Floats) -> dict[str, float]:
            slope, by_source = back(pulled)
            answer = {f"{self._begin}.{self._model.extent}": slope}
            by_source = by_source * amounts
            if half_life is not None:
                rate = math.log(2) * self._ages / half_life**2
                answer[f"{self._begin}.half_life"] = float(by_source @ rate)
            for which, label in enumerate(self._model.labels[1:], start=1):
                share = float(by_source[self._labels == which].sum())
                answer[f"{self._begin}.{label}"] = share / factors[which]
            return answer

        return found, gradients

    def _radial(self, amounts: Floats, radius: float) -> Reached:
        """Return the sum of the influence of all sources: a falloff of the share of the radius."""
        assert isinstance(self._model.kind, Radial)
        curve = Falloff.of(self._model.kind.falloff).name
        shares = self._distances / radius
        inside = shares <= 1
        shares = np.minimum(shares, 1.0)
        weights = CURVES[curve](shares) * inside
        index = self._moments * len(self._sources) + self._cells
        size = self._shape[0] * len(self._sources)
        summed = np.bincount(index, amounts, size).reshape(self._shape[0], -1)

        def back(pulled: Floats) -> tuple[float, Floats]:
            slopes = _SLOPES[curve](shares) * inside * -shares / radius
            by_cell = pulled @ weights.T
            slope = float(np.vdot(summed, pulled @ slopes.T))
            return slope, by_cell[self._moments, self._cells]

        return summed @ weights, back

    def _spread(self, amounts: Floats, decay: float) -> Reached:
        """Return the influence of the strongest source: exponential, by its logarithm."""
        found = np.zeros(self._shape)
        owners = np.zeros(self._shape, dtype=np.int64)
        begins = np.searchsorted(self._moments, np.arange(self._shape[0] + 1))
        everywhere = np.arange(self._shape[1])
        with np.errstate(divide="ignore"):
            sizes = np.log(np.abs(amounts))
        for moment, (first, last) in enumerate(pairwise(begins.tolist())):
            if last > first:
                reached = sizes[first:last, None] - decay * self._distances[self._cells[first:last]]
                owner = first + np.argmax(reached, axis=0)
                owners[moment] = owner
                strongest = np.exp(reached[owner - first, everywhere])
                found[moment] = np.copysign(strongest, amounts[owner])

        def back(pulled: Floats) -> tuple[float, Floats]:
            if not len(amounts):
                return 0.0, amounts
            far = self._distances[self._cells[owners], everywhere]
            felt = found * pulled
            slope = -float((felt * np.where(np.isfinite(far), far, 0.0)).sum())
            mine = np.bincount(owners.reshape(-1), felt.reshape(-1), len(amounts))
            return slope, np.divide(mine, amounts, out=np.zeros_like(mine), where=amounts != 0)

        return found, back
