"""Belief: how likely somebody is to be in each cell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, clock
from fieldcraft.errors import InvalidValue, OnWall
from fieldcraft.interruption import atomic, in_parts, poll_interrupt
from fieldcraft.layer.operand import Operand
from fieldcraft.layer.stepping import MOST_STEPS
from fieldcraft.pursuit.arguments import (
    checked_velocity,
    interval_of,
    share_below_one,
    target_number,
)
from fieldcraft.pursuit.backend import Flow, backend
from fieldcraft.pursuit.belief_state import restore_from, snapshot_of
from fieldcraft.pursuit.estimates import assigned, estimate, likely_cells
from fieldcraft.pursuit.motion import Lost, Motion, Mover
from fieldcraft.pursuit.motion.mixture import hypotheses_of
from fieldcraft.pursuit.target_belief import GONE, TargetBelief
from fieldcraft.space import Space
from fieldcraft.space.cells import cell_array
from fieldcraft.space.kinds import checked_space

__all__ = ["Belief"]

Floats = NDArray[np.float64]
_MOST_NUMBERS = 2**28


class Belief(Operand):
    """An occupancy map: for one or several targets, how likely each cell is, shared by all who
    search.

    Seen, a target is certainly there. Unseen, the belief wanders along walkable steps at the
    target's speed; cells in view where the target is not are cleared, and the rest is scaled up.
    For each target it is never negative and always sums to 1.

    It is a map like a layer: `values` (summed over targets) go into questions, windows and
    expressions, which stay live: `fc.best(belief - 0.5 * threat, ...)`.

    A step takes as long as there are hypotheses; one with two parts, such as
    `fc.pursuit.motion.DoubleBack`, counts twice, one that stands not at all. Motions that lead
    somewhere
    work out the ways when the target is lost: 20 to 200 ms on 256 x 256 cells.

    Parameters
    ----------
    space : Space
        A grid or a graph. The belief follows its walls.
    speed : float
        Of the targets, world units a second.
    targets : int, optional
        How many there are.
    stay : float, optional
        The share that stays where it is in each step, in [0, 1), where there is no `motion`.
    every : float, optional
        Seconds from step to step; by default what a target takes for a typical step.
    where : array_like, optional
        Which cells are possible at first, bool in the space's shape; by default all that are open.
    motion : Motion, Mover, Mapping[str, Mover or tuple[float, Mover]], optional
        How targets move: an `fc.Motion`, one motion of `fc.pursuit.motion`, or several by name,
        each with its weight: `{"runs": (0.7, fc.pursuit.motion.Run()), "stands": (0.3,
        fc.pursuit.motion.Stand())}`. They are hypotheses side by side, weighed by what is seen and
        what is not. By default targets wander.
    doubt : float, optional
        The share of their first weights that hypotheses have back when the target is seen again, in
        [0, 1]: it may do something else next.

    Raises
    ------
    InvalidValue
        If an argument has a wrong value, shape or type.

    References
    ----------
    Occupancy maps, Damian Isla, "Third Eye Crime: building a stealth game around occupancy maps",
    AIIDE 2013.
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
        self.space = checked_space(space)
        self.speed = checks.positive("speed", speed)
        self.targets = checks.integer("targets", targets, minimum=1)
        self.stay = share_below_one("stay", stay)
        self._hypotheses = hypotheses_of(motion, self.stay)
        self.doubt = checks.fraction("doubt", doubt)
        parts = len(self._hypotheses.stages)
        if self.targets * parts * len(self.space) > _MOST_NUMBERS:
            raise InvalidValue(
                f"A belief has at most {_MOST_NUMBERS:,} numbers, one per target and cell, and part"
                " of a motion",
                got=f"targets={targets} on {len(self.space):,} cells"
                + (f" with {parts} parts of motions" if parts > 1 else ""),
                remedy="Make one for each group of targets, or on a coarser map",
            )
        self.every = interval_of(space.typical_step, self.speed, every)
        self._interval = clock.ticks("every", self.every)
        self._changes = 0
        self._ticks = 0
        possible = (
            ~space.walls if where is None else cell_array(space, "where", where, "b") & ~space.walls
        )
        if not possible.any():
            raise InvalidValue(
                "A target can be somewhere",
                got="no open cell that is possible",
                remedy="Open cells, or let `where` have some",
            )
        self._walls_version = space.walls_version
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
        self._seen: tuple[int, NDArray[np.float32]] | None = None

    def __repr__(self) -> str:
        many = "target" if self.targets == 1 else "targets"
        return f"<Belief about {self.targets} {many} on {self.space!r}>"

    # What happens

    @atomic
    def see(
        self,
        position: ArrayLike,
        *,
        target: int = 0,
        velocity: ArrayLike | None = None,
        outside: str = "refuse",
    ) -> None:
        """A target is seen at a world position: it is certainly there. A wall there is refused
        (`OnWall`).

        `velocity`, world units a second, is what motions go on from: without it they know no
        direction. Of several hypotheses those gain that held the place likely, if the target was
        out of sight for three steps at least. `outside="clamp"` moves positions off the map to its
        border.
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
        """Clear the cells in view, since the target was not seen there: bool in the space's shape,
        or cells. `target` None for all.

        `missed` is the chance in [0, 1) of overlooking the target. Where nothing would be left of a
        belief, because it was wrong, it begins anew out of view, as far as the target can have got
        since it was last seen, or in the nearest cell out of view: the likelier the shorter the
        path from where it was thought to be. Then False comes back.
        """
        cells = self.space.cell_ids(view)
        part, beliefs = share_below_one("missed", missed), self._beliefs
        if target is not None:
            beliefs = [beliefs[target_number(target, self.targets)]]
        self._follow_walls()
        flat, sound = self._flow.index(cells), True
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
        outside: str = "refuse",
    ) -> None:
        """Hear a noise: with this certainty the target is within `radius` world units of a
        position, straight, likelier near it.
        """
        number = target_number(target, self.targets)
        sure = checks.fraction("certainty", certainty)
        reach = checks.positive("radius", radius)
        point = self.space.position_of(self._cell(position, outside))
        away = self.space.offsets_from(point)
        likely = np.maximum(1 - (away**2).sum(axis=1) / (reach * reach), 0.0).reshape(
            self.space.shape
        )
        if not self.space.walls.all():
            self._follow_walls()
        self._beliefs[number].report(likely, sure)
        self._changes += 1

    @atomic
    def step(self, count: int = 1) -> None:
        """Let the belief wander by so many steps of `every` seconds. Raises `InvalidValue` if by
        now all cells are walls.

        Ctrl-C ends a long count between two steps.
        """
        count = checks.integer("count", count, maximum=MOST_STEPS)
        if count:
            self._follow_walls()
        self._wander(count)

    def advance(self, dt: float) -> int:
        """Let `dt` seconds pass: the steps that have fallen due, however the time is sliced; how
        many they were.

        Ctrl-C ends a long time between two steps; the rest of it does not pass.
        """
        due, left = divmod(self._ticks + clock.ticks("dt", dt), self._interval)
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
        """Whoever was where a wall now stands is elsewhere."""
        if self._walls_version == self.space.walls_version:
            return
        if self.space.walls.all():
            raise InvalidValue(
                "A belief has open ground to be on",
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

    # What it says

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_seen": None}

    @property
    def version(self) -> int:
        """Changes whenever what it says may have changed."""
        return self._changes + self.space.walls_version

    def probability(self, target: int = 0, *, hypothesis: str | None = None) -> Floats:
        """How likely a target is in each cell, float64 in the space's shape; sums to 1.

        With the name of a hypothesis: if that one is true; 0 everywhere for one that is ruled out.
        """
        belief = self._beliefs[target_number(target, self.targets)]
        stale = self._walls_version != self.space.walls_version and not self.space.walls.all()
        parts = belief.off_walls() if stale else belief.held()
        if hypothesis is None:
            return parts[0] if len(parts) == 1 else np.asarray(np.sum(parts, axis=0))
        owner = self._hypotheses.names.index(
            checks.choice("hypothesis", hypothesis, self._hypotheses.names)
        )
        own = np.sum(
            [
                part
                for part, whose in zip(parts, self._hypotheses.owners, strict=True)
                if whose == owner
            ],
            axis=0,
        )
        total = own.sum()
        return np.asarray(own / total if total > 0 else own)

    def hypotheses(self, target: int = 0) -> dict[str, float]:
        """How likely each way of moving is by now, by name; they add up to 1.

        At first these are the weights of `motion`. Of each, what searchers see and the target is
        not in is struck out; the more of it, the less likely it becomes beside the others. That is
        Bayes' rule.
        """
        weights = self._beliefs[target_number(target, self.targets)].by_hypothesis()
        return dict(zip(self._hypotheses.names, weights.tolist(), strict=True))

    @property
    def values(self) -> NDArray[np.float32]:
        """How many targets to expect in each cell, float32 in the space's shape; read-only, valid
        until the next change.
        """
        if self._seen is None or self._seen[0] != self.version:
            total: Floats = np.sum(
                [self.probability(number) for number in range(self.targets)], axis=0
            )
            narrow = total.astype(np.float32)
            narrow.flags.writeable = False
            self._seen = (self.version, narrow)
        return self._seen[1]

    def estimate(self, how: str = "peak", *, target: int = 0) -> Floats:
        """One belief, a world position: "peak", the likeliest cell; "mean"; or "medoid", the
        possible cell nearest to the mean.
        """
        return estimate(self.space, *likely_cells(self.probability(target)), how)

    def assign(
        self, agents: ArrayLike, *, spacing: float | None = None, outside: str = "refuse"
    ) -> Floats:
        """A place of its own for each searcher, likely ones first; see `Pursuit.assign`."""
        likely = likely_cells(np.asarray(self.values, dtype=np.float64))
        return assigned(self.space, *likely, agents, spacing, outside)

    # Saves

    def snapshot(self) -> dict[str, Any]:
        """Return the belief as plain data to save: `restore` goes on from there bit for bit."""
        return snapshot_of(self._beliefs, self._ticks)

    @atomic
    def restore(self, memory: Mapping[str, Any]) -> None:
        """Continue from another `Belief` on this space with the same parameters: its `snapshot()`.
        Raises `InvalidValue` for others.
        """
        masses, self._ticks = restore_from(memory, self._beliefs, self.every)
        if np.logical_and(masses, self.space.walls).any():
            self._walls_version = -1  # on these walls they have yet to move
        self._changes += 1

    def _cell(self, position: ArrayLike, outside: str) -> int:
        point = checks.position(
            position, "A target is in one place", dimensions=self.space.dimensions
        )
        return int(self.space.cell_at(point, outside=outside))
