"""The answers of beliefs: probabilities, estimates and places for searchers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.layer.operand import Operand
from fieldcraft.pursuit.arguments import target_number
from fieldcraft.pursuit.estimates import assigned, estimate, likely_cells
from fieldcraft.pursuit.motion.mixture import Hypotheses
from fieldcraft.pursuit.target_belief import TargetBelief
from fieldcraft.space import Space

__all__ = ["BeliefMap"]

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
