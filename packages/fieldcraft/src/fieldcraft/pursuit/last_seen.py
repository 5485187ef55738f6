"""Maps for searchers: beliefs about targets, and the time since each cell was last seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks, clock
from fieldcraft.base.interruption import atomic
from fieldcraft.base.shown import shown_as
from fieldcraft.paths import distance_map
from fieldcraft.pursuit.belief_of_one import TargetBelief
from fieldcraft.pursuit.checks import (
    check_shape,
    not_a_snapshot,
    plain_integer,
    plain_numbers,
    target_number,
)
from fieldcraft.pursuit.motion.motion import Hypotheses
from fieldcraft.space import Space
from fieldcraft.space.kinds import checked_space
from fieldcraft.space.ranges import at_spacing
from fieldcraft.values.operand import Operand

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
        cells = cells[top]
        places = places[top]
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
    if len(space.adjacency.ends):
        usual = 4 * space.typical_step
    else:
        usual = 0.0
    if spacing is None:
        gap = usual
    else:
        gap = checks.not_negative("spacing", spacing)
    places = _spread_out(space, cells, weights, len(points), gap)
    from scipy.optimize import linear_sum_assignment

    goals, which = np.unique(places, return_inverse=True)
    maps = [distance_map(space, space.position_of(int(goal))) for goal in goals]
    walks = np.stack([each.measured(starts) for each in maps], axis=1)[:, which]
    # A place without a path to it costs more than all paths of the others.
    walks[np.isinf(walks)] = 1 + 2 * len(points) * float(walks[np.isfinite(walks)].max(initial=1.0))
    _, whose = linear_sum_assignment(walks)
    return space.position_of(places[whose])


def _spread_out(
    space: Space, cells: NDArray[np.int64], weights: NDArray[np.float64], count: int, gap: float
) -> NDArray[np.int64]:
    """Return `count` of the cells, likely ones first, each at least `gap` from those before it if
    there is room. With fewer cells, they repeat.
    """
    positions = space.position_of(cells)
    first = space.cell_at(estimate(space, cells, weights, "peak"))
    at = np.flatnonzero(cells == first)
    taken = [int(at[0]) if len(at) else int(np.argmax(weights))]
    near = np.sqrt(((positions - positions[taken[0]]) ** 2).sum(axis=1))
    least = at_spacing(space, gap)
    for _ in range(count - 1):
        far = near >= least
        if far.any() and gap > 0:
            worth = np.where(far, weights, 0.0)
        else:
            worth = weights * near
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


@shown_as("Belief")
class BeliefMap(Operand):
    """A map of the beliefs about some targets."""

    name = "belief"

    def __init__(self, space: Space, targets: int, hypotheses: Hypotheses) -> None:
        self.space = checked_space(space)
        self.targets = checks.integer("targets", targets, minimum=1)
        self._hypotheses = hypotheses
        self._beliefs = list[TargetBelief]()
        self._changes = 0
        self._walls_version = space.walls_version
        self._seen: tuple[int, NDArray[np.float32]] | None = None

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
        if stale:
            parts = belief.off_walls()
        else:
            parts = belief.held()
        if hypothesis is None:
            if len(parts) == 1:
                return parts[0]
            return np.asarray(np.sum(parts, axis=0))
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
        """Return a place for each searcher, the likeliest places first.

        Parameters
        ----------
        agents : array_like of shape (N, 2)
            World positions of the searchers; on a 3D graph of shape (N, 3).
        spacing, outside
            As in `Pursuit.assign`.

        Returns
        -------
        ndarray of shape (N, 2)
            World positions in the order of the agents.
        """
        likely = likely_cells(np.asarray(self.values, dtype=np.float64))
        return assigned(self.space, *likely, agents, spacing, outside)


class LastSeen(Operand):
    """Seconds since each cell was last seen, for patrols.

    It is a map like a layer: `fc.best` finds the cell that was not seen for longest, and
    `last_seen - 2 * threat` is a live expression.

    Parameters
    ----------
    space : Grid, HexGrid or Graph
        The map.
    unseen : float, optional
        Seconds that cells count as unseen at the beginning.
    most : float, optional
        Largest value, in seconds.

    Raises
    ------
    InvalidValue
        If an argument has a wrong value, shape or type.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> last_seen = fc.LastSeen(fc.Grid(4, 1), unseen=60)
    >>> last_seen.observe([0, 1])
    >>> last_seen.advance(2.5)
    >>> last_seen.values
    array([[ 2.5,  2.5, 62.5, 62.5]], dtype=float32)
    """

    name = "last_seen"

    def __init__(self, space: Space, *, unseen: float = 0.0, most: float | None = None) -> None:
        self.space = checked_space(space)
        if most is None:
            self.most = None
        else:
            self.most = checks.positive("most", most)
        self._changes = 0
        self._now = clock.ticks("unseen", unseen)
        self._began = self._now
        self._seen = np.zeros(len(space), dtype=np.int64)
        self._met = np.zeros(len(space), dtype=np.bool_)
        self._shown: tuple[int, NDArray[np.float32]] | None = None

    def __repr__(self) -> str:
        return f"<LastSeen after {self.time:g} s on {self.space!r}>"

    @property
    def time(self) -> float:
        """The seconds that were advanced."""
        return clock.seconds(self._now - self._began)

    @atomic
    def advance(self, dt: float) -> None:
        """Advance time by `dt` seconds."""
        self._now += clock.ticks("dt", dt)
        self._changes += 1

    @atomic
    def observe(self, view: ArrayLike) -> None:
        """Record that cells are in view now: bool in the space's shape, or cell ids."""
        cells = self.space.cell_ids(view)
        self._seen[cells] = self._now
        self._met[cells] = True
        self._changes += 1

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_shown": None}

    @property
    def version(self) -> int:
        """A number that changes when the values may have changed."""
        return self._changes + self.space.walls_version

    @property
    def never(self) -> NDArray[np.bool_]:
        """The open cells that were never seen, bool in the space's shape; pictures show fog there.

        After `restore`, cells seen only at time 0 count as never seen.
        """
        return np.asarray(~self._met.reshape(self.space.shape) & ~self.space.walls)

    @property
    def values(self) -> NDArray[np.float32]:
        """The seconds since each cell was seen, float32 in the space's shape, 0 on walls;
        read-only.
        """
        if self._shown is None or self._shown[0] != self.version:
            waited = (self._now - self._seen) / clock.TICKS_PER_SECOND
            if self.most is not None:
                np.minimum(waited, self.most, out=waited)
            found: NDArray[np.float32] = waited.astype(np.float32).reshape(self.space.shape)
            found[self.space.walls] = 0
            found.flags.writeable = False
            self._shown = (self.version, found)
        return self._shown[1]

    @property
    def knowledge(self) -> Operand:
        """A live map for `explore_step`: 0 for cells that were never seen, else
        1 / (1 + seconds since then).
        """
        return _Knowledge(self)

    def assign(
        self, agents: ArrayLike, *, spacing: float | None = None, outside: str = "refuse"
    ) -> NDArray[np.float64]:
        """Return a place for each patrol, cells not seen for longest first.

        Parameters
        ----------
        agents : array_like of shape (N, 2)
            World positions of the patrols; on a 3D graph of shape (N, 3).
        spacing, outside
            As in `Pursuit.assign`.

        Returns
        -------
        ndarray of shape (N, 2)
            World positions in the order of the agents.
        """
        waited = np.asarray(self.values, dtype=np.float64).reshape(-1)
        cells = np.flatnonzero(~self.space.walls.reshape(-1))
        if waited.any():
            weights = waited[cells]
        else:
            weights = np.ones(len(cells))
        return assigned(self.space, cells, weights, agents, spacing, outside)

    def snapshot(self) -> dict[str, Any]:
        """Return the state as plain data to save."""
        return {
            "shape": np.array(self.space.shape, dtype=np.int64),
            "seen": self._seen.copy(),
            "now": self._now,
            "began": self._began,
        }

    @atomic
    def restore(self, memory: Mapping[str, Any]) -> None:
        """Continue bit for bit from the snapshot of another `LastSeen` on this space.

        Raises
        ------
        InvalidValue
            For anything else.
        """
        check_shape(memory, self.space)
        seen = plain_numbers(memory, "seen", (len(self.space),), kinds="i")
        now = plain_integer(memory, "now")
        began = plain_integer(memory, "began", below=now + 1)
        if int(seen.min(initial=0)) < 0 or int(seen.max(initial=0)) > now:
            raise not_a_snapshot(
                "seen of a snapshot are ticks up to now",
                f"{int(seen.min())} to {int(seen.max())} at {now}",
            )
        self._seen = seen.astype(np.int64)
        self._now = now
        self._began = began
        self._met = self._seen > 0
        self._changes += 1


class _Knowledge(Operand):
    """The map `LastSeen.knowledge`."""

    name = "knowledge"

    def __init__(self, seen: LastSeen) -> None:
        self.space = seen.space
        self._of = seen

    def __repr__(self) -> str:
        return f"<knowledge of {self._of!r}>"

    @property
    def version(self) -> int:
        return self._of.version

    @property
    def values(self) -> NDArray[np.float32]:
        waited = self._of.values
        found: NDArray[np.float32] = np.where(
            self._of.never | self.space.walls, np.float32(0), 1 / (1 + waited)
        )
        found.flags.writeable = False
        return found
