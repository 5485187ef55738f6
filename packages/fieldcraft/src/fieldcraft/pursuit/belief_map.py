"""The answers of beliefs: probabilities, estimates and places for searchers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.layer.operand import Operand
from fieldcraft.pursuit.arguments import target_number
from fieldcraft.pursuit.backend import backend
from fieldcraft.pursuit.motion.mixture import Hypotheses
from fieldcraft.pursuit.target_belief import TargetBelief
from fieldcraft.space import Space

__all__ = ["ESTIMATES", "BeliefMap", "assigned", "estimate", "likely_cells"]

ESTIMATES = ("medoid", "mean", "peak")


def estimate(
    space: Space, cells: NDArray[np.int64], weights: NDArray[np.float64], how: str
) -> NDArray[np.float64]:
    """Return one world position for cells with weights above 0; see `Pursuit.estimate`."""
    checks.choice("how", how, ESTIMATES)
    places = space.position_of(cells)
    mean = (places * weights[:, np.newaxis]).sum(axis=0) / weights.sum()
    if how == "mean":
        return np.asarray(mean)
    if how == "peak":
        top = weights >= weights.max() * (1 - 1e-9)
        cells, places = cells[top], places[top]
    away = np.round(((places - mean) ** 2).sum(axis=1), 9)
    return np.asarray(places[np.lexsort((cells, away))[0]])


def assigned(
    space: Space,
    cells: NDArray[np.int64],
    weights: NDArray[np.float64],
    agents: ArrayLike,
    spacing: float | None,
    outside: str,
) -> NDArray[np.float64]:
    """Return a place for each agent, (N, 2) or (N, 3) world positions; see `Pursuit.assign`."""
    points, _ = checks.positions(agents, dimensions=space.dimensions)
    if not len(points):
        return np.zeros((0, space.dimensions))
    starts = np.atleast_1d(space.nearest_open(space.cell_at(points, outside=outside)))
    usual = 4 * space.typical_step
    apart = usual if spacing is None else checks.not_negative("spacing", spacing)
    places = _spread_out(space, cells, weights, len(points), apart)
    from scipy.optimize import linear_sum_assignment

    walks = backend(space).walking_distances(starts, places)
    # A place without a path to it costs more than all paths of the others.
    walks[np.isinf(walks)] = 1 + 2 * len(points) * float(walks[np.isfinite(walks)].max(initial=1.0))
    _, whose = linear_sum_assignment(walks)
    return space.position_of(places[whose])


def _spread_out(
    space: Space, cells: NDArray[np.int64], weights: NDArray[np.float64], count: int, apart: float
) -> NDArray[np.int64]:
    """Return `count` of the cells, likely ones first, each at least `apart` from those before it if
    there is room. With fewer cells, they repeat.
    """
    positions = space.position_of(cells)
    first = space.cell_at(estimate(space, cells, weights, "peak"))
    at = np.flatnonzero(cells == first)
    taken = [int(at[0]) if len(at) else int(np.argmax(weights))]
    near = np.sqrt(((positions - positions[taken[0]]) ** 2).sum(axis=1))
    for _ in range(count - 1):
        far = near >= apart * (1 - 1e-9)
        worth = np.where(far, weights, 0.0) if far.any() and apart > 0 else weights * near
        best = int(np.lexsort((cells, near, -worth))[0])
        taken.append(best if worth[best] > 0 else taken[len(taken) % len(cells)])
        near = np.minimum(near, np.sqrt(((positions - positions[taken[-1]]) ** 2).sum(axis=1)))
    return cells[taken]


def likely_cells(probability: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the cells with a probability above 0, and their probabilities."""
    flat = probability.reshape(-1)
    cells = np.flatnonzero(flat > 0)
    return cells, flat[cells]


Floats = NDArray[np.float64]


class BeliefMap(Operand):
    """A map of the beliefs about some targets."""

    name = "belief"
    space: Space
    targets: int
    _beliefs: list[TargetBelief]
    _hypotheses: Hypotheses
    _changes: int
    _walls_version: int
    _seen: tuple[int, NDArray[np.float32]] | None

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_seen": None}

    @property
    def version(self) -> int:
        """A number that changes when the values may have changed."""
        return self._changes + self.space.walls_version

    def probability(self, target: int = 0, *, hypothesis: str | None = None) -> Floats:
        """Return the probability of each cell, float64 in the space's shape; it sums to 1.

        Parameters
        ----------
        target : int, optional
            Number of the target.
        hypothesis : str, optional
            Name of a hypothesis, for the probability if it is true; 0 everywhere if it is ruled
            out.
        """
        belief = self._beliefs[target_number(target, self.targets)]
        stale = self._walls_version != self.space.walls_version and not self.space.walls.all()
        parts = belief.off_walls() if stale else belief.held()
        if hypothesis is None:
            return parts[0] if len(parts) == 1 else np.asarray(np.sum(parts, axis=0))
        name = checks.choice("hypothesis", hypothesis, self._hypotheses.names)
        number = self._hypotheses.names.index(name)
        owners = zip(parts, self._hypotheses.owners, strict=True)
        own = np.sum([part for part, owner in owners if owner == number], axis=0)
        total = own.sum()
        return np.asarray(own / total if total > 0 else own)

    def hypotheses(self, target: int = 0) -> dict[str, float]:
        """Return the probability of each hypothesis of `motion` by name; they sum to 1.

        They start as the weights of `motion`, and are updated by Bayes' rule: the more of a
        hypothesis is seen to be false, the less likely it becomes.
        """
        weights = self._beliefs[target_number(target, self.targets)].by_hypothesis()
        return dict(zip(self._hypotheses.names, weights.tolist(), strict=True))

    @property
    def values(self) -> NDArray[np.float32]:
        """The expected number of targets in each cell, float32 in the space's shape; read-only."""
        if self._seen is None or self._seen[0] != self.version:
            total: Floats = np.sum(
                [self.probability(number) for number in range(self.targets)], axis=0
            )
            narrow = total.astype(np.float32)
            narrow.flags.writeable = False
            self._seen = (self.version, narrow)
        return self._seen[1]

    def estimate(self, how: str = "peak", *, target: int = 0) -> Floats:
        """Return one world position for a target.

        Parameters
        ----------
        how : {"peak", "mean", "medoid"}, optional
            The likeliest cell, the mean, or the possible cell nearest to the mean.
        target : int, optional
            Number of the target.
        """
        return estimate(self.space, *likely_cells(self.probability(target)), how)

    def assign(
        self, agents: ArrayLike, *, spacing: float | None = None, outside: str = "refuse"
    ) -> Floats:
        """Return a place for each searcher, the likeliest places first; see `Pursuit.assign`."""
        likely = likely_cells(np.asarray(self.values, dtype=np.float64))
        return assigned(self.space, *likely, agents, spacing, outside)
