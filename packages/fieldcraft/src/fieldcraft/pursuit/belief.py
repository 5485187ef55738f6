"""Beliefs: the probability that a target is in each cell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks, clock
from fieldcraft.base.errors import InvalidValue, OnWall
from fieldcraft.base.interruption import atomic, in_parts, poll_interrupt
from fieldcraft.base.missing_names import SuggestingArguments
from fieldcraft.base.words import Estimate, IfOutside
from fieldcraft.layers.steps import MOST_STEPS
from fieldcraft.pursuit.belief_of_one import GONE, TargetBelief, restore_from, state_of
from fieldcraft.pursuit.likely_places import assigned, estimate, likely_cells
from fieldcraft.pursuit.motion import Lost, Motion, Mover
from fieldcraft.pursuit.motion.motion import hypotheses_of
from fieldcraft.pursuit.pursuit_checks import (
    checked_velocity,
    interval_of,
    share_below_one,
    target_number,
)
from fieldcraft.pursuit.transitions import Flow, backend
from fieldcraft.space import Space
from fieldcraft.space.cells import cell_array
from fieldcraft.space.kinds import checked_space
from fieldcraft.values.operand import Operand

Floats = NDArray[np.float64]
_MOST_NUMBERS = 2**28


class Belief(Operand, SuggestingArguments):
    """Occupancy map of one or several targets: the probability of each cell, shared by all
    searchers.

    A target that is seen is certainly there. Out of sight, the belief spreads along walkable steps
    at the target's speed. Cells in view without the target are cleared, and the rest is scaled up.
    The probabilities of each target sum to 1.

    A belief is a map like a layer: its `values`, summed over targets, can be sampled, drawn and
    used in queries and live expressions: `fc.best(belief - 0.5 * threat, ...)`.

    Targets are as fast as `speed` on average. A step longer than the stride of an interval, such as
    a diagonal one, is completed in it by chance, so a share of the belief is ahead of what a target
    can reach: up to a third at 1.5 to 4 cells shortly after a sighting beside a corner. With
    an `every` as long as the longest step takes, each step fits into an interval.

    The time of a step grows with the number of hypotheses; one with two stages, such as
    `fc.pursuit.motion.DoubleBack`, counts twice, and `Stand` costs nothing. Motions with goals
    compute paths when the target is lost: 20 to 200 ms on 256 x 256 cells.

    Parameters
    ----------
    space : Grid, HexGrid or Graph
        Where targets walk. The belief follows its walls.
    speed : float
        Speed of the targets, world units per second.
    targets : int, optional
        Number of targets.
    stay : float, optional
        Share that stays in its cell in each step, in [0, 1), without a `motion`.
    every : float, optional
        Seconds from step to step; the time of a typical step if absent.
    where : array_like, optional
        Cells that are possible at first, bool in the space's shape; all open cells if absent.
    motion : Motion, Mover or mapping of str to Mover or (float, Mover), optional
        How targets move: an `fc.Motion`, a motion of `fc.pursuit.motion`, or several by name, each
        with its weight: `{"runs": (0.7, fc.pursuit.motion.Run()), "stands": (0.3,
        fc.pursuit.motion.Stand())}`. They are hypotheses, weighted by the observations. Targets
        wander if absent.
    doubt : float, optional
        Share of their first weights that hypotheses regain when the target is seen again, in
        [0, 1], because it may change its mind.

    Raises
    ------
    InvalidValue
        If an argument has a wrong value, shape or type.

    References
    ----------
    D. Isla, "Third Eye Crime: Building a Stealth Game Around Occupancy Maps", AIIDE 2013.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> belief = fc.Belief(fc.Grid(5, 1), speed=1.0)
    >>> belief.see((0.5, 0.5))
    >>> belief.advance(2.0)
    2
    >>> belief.observe([0])
    True
    >>> belief.values.round(2)
    array([[0.  , 0.31, 0.69, 0.  , 0.  ]], dtype=float32)
    """

    name = "belief"

    def __init__(
        self,
        space: Space,
        speed: float,
        *,
        targets: int = 1,
        stay: float = 0.1,
        every: float | None = None,
        where: ArrayLike | None = None,
        motion: Motion | Mover | Mapping[str, Mover | tuple[float, Mover]] | None = None,
        doubt: float = 0.2,
    ) -> None:
        self.stay = share_below_one("stay", stay)
        self._hypotheses = hypotheses_of(motion, self.stay)
        self.space = checked_space(space)
        self.targets = checks.integer("targets", targets, minimum=1)
        self._changes = 0
        self._walls_version = space.walls_version
        self._shown: tuple[int, NDArray[np.float32]] | None = None
        self.speed = checks.positive("speed", speed)
        self.doubt = checks.fraction("doubt", doubt)
        parts = len(self._hypotheses.stages)
        if self.targets * parts * len(self.space) > _MOST_NUMBERS:
            got = f"targets={targets} on {len(self.space):,} cells"
            if parts > 1:
                got += f" with {parts} stages of motions"
            raise InvalidValue(
                f"A belief has at most {_MOST_NUMBERS:,} numbers: targets times cells times stages"
                " of motions",
                got=got,
                remedy="Use a belief for each group of targets, or a coarser map",
            )
        self.every = interval_of(space.typical_step, self.speed, every)
        self._interval = clock.ticks("every", self.every)
        self._ticks = 0
        if where is None:
            possible = ~space.walls
        else:
            possible = cell_array(space, "where", where, "b") & ~space.walls
        if not possible.any():
            raise InvalidValue(
                "A target can be somewhere",
                got="no open cell that is possible",
                remedy="Open cells, or pass `where` with some",
            )
        self._flow = backend(self.space).wander(self.stay, self.speed * self.every)
        nowhere = np.zeros(space.dimensions)
        lost = Lost(self.space, None, nowhere, self.speed * self.every, self.every)
        shared: dict[Mover, Flow | None] = {}
        self._beliefs = [
            TargetBelief(self._hypotheses, lost, self._flow, shared) for _ in range(self.targets)
        ]
        for belief in self._beliefs:
            belief.put(possible)
        self._spare = np.zeros_like(self._beliefs[0].masses[0])

    def __repr__(self) -> str:
        many = "target" if self.targets == 1 else "targets"
        return f"<Belief about {self.targets} {many} on {self.space!r}>"

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_shown": None}

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
        if self._walls_version != self.space.walls_version and not self.space.walls.all():
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
        if total > 0:
            own = own / total
        return np.asarray(own)

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
        if self._shown is None or self._shown[0] != self.version:
            total: Floats = np.sum(
                [self.probability(number) for number in range(self.targets)], axis=0
            )
            narrow = total.astype(np.float32)
            narrow.flags.writeable = False
            self._shown = (self.version, narrow)
        return self._shown[1]

    def estimate(self, how: Estimate = "peak", *, target: int = 0) -> Floats:
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
        self, agents: ArrayLike, *, spacing: float | None = None, outside: IfOutside = "refuse"
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

    # Events

    @atomic
    def see(
        self,
        position: ArrayLike,
        *,
        target: int = 0,
        velocity: ArrayLike | None = None,
        outside: IfOutside = "refuse",
    ) -> None:
        """Record that a target is seen at a world position: it is certainly there.

        If the target was out of sight for at least three steps, hypotheses are weighted by how
        likely they held the position.

        Parameters
        ----------
        position : array_like of shape (2,)
            World position; on a 3D graph of shape (3,).
        target : int, optional
            Number of the target.
        velocity : array_like of shape (2,), optional
            World units per second; motions start in this direction.
        outside : {"refuse", "clamp"}, optional
            With "clamp" a position off the map is moved to its border.

        Raises
        ------
        OnWall
            If the position is in a wall. The message names the nearest open cell.
        OutsideMap
            If the position is outside the map.
        """
        number = target_number(target, self.targets)
        moves = checked_velocity(velocity, self.space.dimensions)
        cell = self._cell(position, outside)
        if self.space.walls.reshape(-1)[cell]:
            raise OnWall(
                "A target is seen on open ground",
                got=f"{position!r}",
                remedy=(
                    "Pass the nearest open cell,"
                    f" {tuple(self.space.position_of(self.space.nearest_open(cell)).tolist())}"
                ),
            )
        self._beliefs[number].see(cell, moves, self.doubt)
        self._changes += 1

    @atomic
    def observe(
        self,
        view: ArrayLike,
        *,
        target: int | None = None,
        missed: float = 0.0,
    ) -> bool:
        """Record that targets are not in the cells in view, and return whether that was possible.

        A belief that was only in view was wrong. It begins anew in the cells out of view that the
        target can have reached since it was last seen, at least the nearest: the likelier, the
        shorter the path from its cells in view.

        Parameters
        ----------
        view : array_like
            Cells in view: bool in the space's shape, or cell ids.
        target : int, optional
            Number of the target; all targets if absent.
        missed : float, optional
            Probability in [0, 1) that a target in view is not noticed.

        Returns
        -------
        bool
            False if a belief began anew.
        """
        cells = self.space.cell_ids(view)
        part = share_below_one("missed", missed)
        beliefs = self._beliefs
        if target is not None:
            beliefs = [beliefs[target_number(target, self.targets)]]
        self._follow_walls()
        flat = self._flow.index(cells)
        sound = True
        for belief in beliefs:
            before = belief.clear(flat, part)
            left = belief.total()
            if left * belief.scale > GONE:
                belief.scale = 1.0 / left
                continue
            sound = False
            belief.put(belief.elsewhere(cells, cells[before > 0]))
        self._changes += 1
        return sound

    @atomic
    def report(
        self,
        position: ArrayLike,
        radius: float,
        *,
        certainty: float = 0.8,
        target: int = 0,
        outside: IfOutside = "refuse",
    ) -> None:
        """Record an uncertain report, such as a noise: the target is near a position.

        Parameters
        ----------
        position : array_like of shape (2,)
            World position; on a 3D graph of shape (3,).
        radius : float
            World units within which the target is; positions in the middle are likelier.
        certainty : float, optional
            Probability that the report is true.
        target : int, optional
            Number of the target.
        outside : {"refuse", "clamp"}, optional
            With "clamp" a position off the map is moved to its border.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> belief = fc.Belief(fc.Grid(5, 1), speed=1.0)
        >>> belief.report((3.5, 0.5), radius=1.5, certainty=0.9)
        >>> belief.values.round(2)
        array([[0.02, 0.02, 0.26, 0.45, 0.26]], dtype=float32)
        """
        number = target_number(target, self.targets)
        sure = checks.fraction("certainty", certainty)
        reach = checks.positive("radius", radius)
        point = self.space.position_of(self._cell(position, outside))
        away = self.space.offsets_from(point)
        likely = np.maximum(1 - (away**2).sum(axis=1) / (reach * reach), 0.0)
        likely = likely.reshape(self.space.shape)
        if not self.space.walls.all():
            self._follow_walls()
        self._beliefs[number].report(likely, sure)
        self._changes += 1

    @atomic
    def step(self, count: int = 1) -> None:
        """Make some steps of `every` seconds. Ctrl-C stops between two of them.

        Raises
        ------
        InvalidValue
            If all cells are walls.
        """
        count = checks.integer("count", count, maximum=MOST_STEPS)
        if count:
            self._follow_walls()
        self._wander(count)

    def advance(self, dt: float) -> int:
        """Advance time by `dt` seconds, and return how many steps were due; see `step`.

        Raises
        ------
        InvalidValue
            If more than a million steps are due, or all cells are walls.
        """
        due, left = divmod(self._ticks + clock.ticks("dt", dt), self._interval)
        clock.check_steps(due, self._interval, "a belief")
        if due:
            self._advance(due, left)
        else:
            self._ticks = left
        return due

    @atomic
    def _advance(self, due: int, left: int) -> None:
        if self._walls_version != self.space.walls_version:
            self._follow_walls()
        self._ticks = left
        self._wander(due)

    def _wander(self, count: int) -> None:
        if count == 1:
            self._step()
            return
        for part in in_parts(count):
            for _ in range(part):
                self._step()
            poll_interrupt()

    def _step(self) -> None:
        for belief in self._beliefs:
            self._spare = belief.step(self._spare)
        self._changes += 1

    def _follow_walls(self) -> None:
        """Move the belief off new walls."""
        if self._walls_version == self.space.walls_version:
            return
        if self.space.walls.all():
            raise InvalidValue(
                "A belief needs open cells",
                got="walls in every cell",
                remedy="Open cells, or make no step",
            )
        before = [belief.off_walls() for belief in self._beliefs]
        self._walls_version = self.space.walls_version
        self._flow = backend(self.space).wander(self.stay, self.speed * self.every)
        shared: dict[Mover, Flow | None] = {}
        for belief, parts in zip(self._beliefs, before, strict=True):
            belief.follow(self._flow, shared)
            belief.place(parts)
        self._changes += 1

    # Saves

    def state(self) -> dict[str, Any]:
        """Return the state as plain data to save."""
        return state_of(self._beliefs, self._ticks)

    @atomic
    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue bit for bit from the `state` of a belief on this space with the same arguments.

        Raises
        ------
        InvalidValue
            For anything else.
        """
        masses, self._ticks = restore_from(state, self._beliefs, self.every)
        if np.logical_and(masses, self.space.walls).any():
            self._walls_version = -1  # The masses move off these walls before the next step.
        self._changes += 1

    def _cell(self, position: ArrayLike, outside: IfOutside) -> int:
        point = checks.position(
            position, "A target is in one place", dimensions=self.space.dimensions
        )
        return int(self.space.cell_at(point, outside=outside))
