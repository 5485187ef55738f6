"""Belief: how likely somebody is to be in each cell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, clock
from fieldcraft.errors import InvalidValue, OnWall
from fieldcraft.interruption import breathe, in_parts, whole
from fieldcraft.layer.layer import MOST_STEPS
from fieldcraft.layer.operand import Operand
from fieldcraft.paths import distance_map
from fieldcraft.pursuit import door
from fieldcraft.pursuit.estimates import assigned, estimate
from fieldcraft.pursuit.guess import GONE, Guess
from fieldcraft.pursuit.hypotheses import hypotheses_of
from fieldcraft.pursuit.memories import not_of_a_memory, plain_numbers, plain_whole
from fieldcraft.pursuit.motion import Lost, Motion, Mover
from fieldcraft.pursuit.pace import interval_of
from fieldcraft.pursuit.search import checked_velocity
from fieldcraft.pursuit.views import checked_mask
from fieldcraft.space import Space
from fieldcraft.space.kinds import checked_space

__all__ = ["Belief"]

Floats = NDArray[np.float64]
_ROUNDED = 1e-6  # what a sum of 1 may be off by
_MOST_NUMBERS = 2**28
_SLIPPED = 4.0  # typical steps: where a belief was wrong, e times less likely for so much more way


class Belief(Operand):
    """An occupancy map: for one or several targets, how likely each cell is, shared by all who
    search.

    Seen, a target is certainly there. Unseen, the belief wanders along walkable steps at the
    target's speed; cells in view where the target is not are cleared, and the rest is scaled up.
    For each target it is never negative and always sums to 1.

    It is a map like a layer: `values` (summed over targets) go into questions, windows and
    expressions, which stay live: `fc.best(belief - 0.5 * threat, ...)`.

    Parameters
    ----------
    space: a grid or a graph. The belief follows its walls.
    speed: of the targets, world units a second.
    targets: how many there are.
    stay: the share that stays where it is in each step, in [0, 1), where there is no `motion`.
    every: seconds from step to step; by default what a target takes for a typical step.
    where: which cells are possible at first, bool in the space's shape; by default all that are
        open.
    motion: how targets move: an `fc.Motion`, one motion of `fc.pursuit.motion`, or several by name,
        each
        with its weight: `{"runs": (0.7, fc.pursuit.motion.Run()), "stands": (0.3,
        fc.pursuit.motion.Stand())}`. They are hypotheses side by side, weighed by what is seen and
        what is not. By default targets wander.
    doubt: the share of their first weights that hypotheses have back when the target is seen again,
        in [0, 1]: it may do something else next.

    A step takes as long as there are hypotheses; one with two parts, such as
    `fc.pursuit.motion.DoubleBack`, counts twice, one that stands not at all. Motions that lead
    somewhere
    work out the ways when the target is lost: 20 to 200 ms on 256 x 256 cells.

    Raises `InvalidValue`.

    Source: occupancy maps, Damian Isla, "Third Eye Crime: building a stealth game around occupancy
        maps", AIIDE 2013.
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
        self.targets = checks.whole("targets", targets, minimum=1)
        self.stay = checks.fraction("stay", stay)
        if self.stay == 1:
            raise InvalidValue(
                "stay is below 1",
                got="stay=1",
                remedy="Pass 0.5, say: half of it moves on in each step",
            )
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
        self._changes = 0
        self._ticks = 0
        possible = (
            ~space.walls if where is None else checked_mask(space, where, "where") & ~space.walls
        )
        if not possible.any():
            raise InvalidValue(
                "A target can be somewhere",
                got="no open cell that is possible",
                remedy="Open cells, or let `where` have some",
            )
        self._walls_version = space.walls_version
        self._flow = door.flow(self.space, self.stay, self.speed * self.every)
        nowhere, nobody = np.zeros(space.dimensions), np.zeros((0, space.dimensions))
        lost = Lost(self.space, None, nowhere, nobody, self.speed * self.every, self.every)
        shared: dict[Mover, door.Flow | None] = {}
        self._guesses = [
            Guess(self._hypotheses, lost, self._flow, shared) for _ in range(self.targets)
        ]
        for guess in self._guesses:
            guess.put(possible)
        self._spare = np.zeros_like(self._guesses[0].masses[0])
        self._seen: tuple[int, NDArray[np.float32]] | None = None

    def __repr__(self) -> str:
        return (
            f"<Belief about {self.targets} {'target' if self.targets == 1 else 'targets'} on"
            f" {self.space!r}>"
        )

    # What happens

    @whole
    def see(
        self, position: ArrayLike, *, target: int = 0, velocity: ArrayLike | None = None
    ) -> None:
        """A target is seen at a world position: it is certainly there. A wall there is refused
        (`OnWall`).

        `velocity`, world units a second, is what motions go on from: without it they know no
        direction. Of several hypotheses those gain that held the place likely, if the target was
        out of sight for three steps at least.
        """
        number = self._target(target)
        moves = checked_velocity(velocity, self.space.dimensions)
        cell = self._cell(position)
        if self.space.walls.reshape(-1)[cell]:
            raise OnWall(
                "A target is seen on open ground",
                got=f"{position!r}",
                remedy=(
                    "Pass the nearest open cell,"
                    f" {tuple(self.space.position_of(self.space.nearest_open(cell)).tolist())}"
                ),
            )
        self._guesses[number].see(cell, moves, self.doubt)
        self._changes += 1

    @whole
    def look(
        self,
        view: ArrayLike,
        *,
        target: int | None = None,
        missed: float = 0.0,
        searchers: ArrayLike | None = None,
    ) -> bool:
        """Clear the cells in view, since the target was not seen there: bool in the space's shape,
        or cells. `target` None for all.

        `missed` is the chance in [0, 1) of overlooking the target. Where nothing would be left of a
        belief, because it was wrong, it begins anew out of view (everywhere, if there is nothing
        out of view): the likelier the shorter the way from where it was thought to be. Then False
        comes back. `searchers` are world positions of those who look, for motions that fear them
        (`fc.pursuit.motion.Afraid`).
        """
        cells = self.space.cell_ids(view)
        part = checks.fraction("missed", missed)
        if part == 1:
            raise InvalidValue("missed is below 1", got="missed=1", remedy="Don't look, then")
        feared = (
            None
            if searchers is None
            else checks.positions(searchers, dimensions=self.space.dimensions)[0]
        )
        guesses = self._guesses if target is None else [self._guesses[self._target(target)]]
        self._follow_walls()
        flat = self._flow.index(cells)
        sound = True
        for guess in guesses:
            if feared is not None:
                guess.beware(feared)
            before = guess.clear(flat, part)
            left = guess.total()
            if left * guess.scale > GONE:
                guess.scale = 1.0 / left
                continue
            sound = False
            guess.put(self._out_of(cells, cells[before > 0]))
        self._changes += 1
        return sound

    def _out_of(self, cells: NDArray[np.int64], thought: NDArray[np.int64]) -> NDArray[Any]:
        """How likely the target is in each cell if not in view, where it was thought to be in some
        others.
        """
        hidden = ~self.space.walls
        hidden.reshape(-1)[cells] = False
        if not hidden.any():
            return ~self.space.walls
        if not len(thought):
            return hidden
        away = distance_map(self.space, self.space.position_of(np.unique(thought))).exact.reshape(
            self.space.shape
        )
        near = np.where(hidden, away, np.inf)
        nearest = float(near.min())
        return (
            np.exp((nearest - near) / (_SLIPPED * self.space.typical_step))
            if nearest < np.inf
            else hidden
        )

    @whole
    def hear(
        self, position: ArrayLike, radius: float, *, certainty: float = 0.8, target: int = 0
    ) -> None:
        """A noise: with this certainty the target is within `radius` world units of a position,
        straight, likelier near it.
        """
        number = self._target(target)
        sure = checks.fraction("certainty", certainty)
        reach = checks.positive("radius", radius)
        point = self.space.position_of(self._cell(position))
        away = self.space.offsets_from(point)
        likely = np.maximum(1 - (away**2).sum(axis=1) / (reach * reach), 0.0).reshape(
            self.space.shape
        )
        if not self.space.walls.all():
            self._follow_walls()
        guess = self._guesses[number]
        before = guess.held()
        heard = [part * likely for part in before]
        if _summed(heard) <= GONE:  # nobody was thought to be there
            anywhere = np.where(self.space.walls, 0.0, likely)
            heard = [anywhere if share == 1 else anywhere * share for share in guess.shares()]
        total = _summed(heard)
        if total <= GONE:
            return
        after = [
            (1 - sure) * part + sure * loud / total
            for part, loud in zip(before, heard, strict=True)
        ]
        whole_ = _summed(after)
        guess.place([part / whole_ for part in after])
        self._changes += 1

    @whole
    def step(self, count: int = 1) -> None:
        """Let the belief wander by so many steps of `every` seconds. Raises `InvalidValue` if by
        now all cells are walls.

        Ctrl-C ends a long count between two steps.
        """
        count = checks.whole("count", count, maximum=MOST_STEPS)
        if count:
            self._follow_walls()
        self._wander(count)

    @whole
    def advance(self, dt: float) -> int:
        """Let `dt` seconds pass: the steps that have fallen due, however the time is sliced; how
        many they were.

        Ctrl-C ends a long time between two steps; the rest of it does not pass.
        """
        due, left = divmod(self._ticks + clock.ticks("dt", dt), clock.ticks("every", self.every))
        if due:
            self._follow_walls()
        self._ticks = left
        self._wander(due)
        return due

    def _wander(self, count: int) -> None:
        for part in in_parts(count):
            for _ in range(part):
                self._step()
            breathe()

    def _step(self) -> None:
        for guess in self._guesses:
            self._spare = guess.step(self._spare)
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
        before = [self._off_walls(guess) for guess in self._guesses]
        self._walls_version = self.space.walls_version
        self._flow = door.flow(self.space, self.stay, self.speed * self.every)
        shared: dict[Mover, door.Flow | None] = {}
        for guess, parts in zip(self._guesses, before, strict=True):
            guess.follow(self._flow, shared)
            guess.place(parts)
        self._changes += 1

    def _off_walls(self, guess: Guess) -> list[Floats]:
        """The masses of a guess that has moved off the walls as they are now."""
        left = [np.where(self.space.walls, 0.0, part) for part in guess.held()]
        if _summed(left) <= GONE:
            anywhere = (~self.space.walls).astype(np.float64)
            left = [anywhere if share == 1 else anywhere * share for share in guess.shares()]
        total = _summed(left)
        return [np.asarray(part / total) for part in left]

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
        guess = self._guesses[self._target(target)]
        stale = self._walls_version != self.space.walls_version and not self.space.walls.all()
        parts = self._off_walls(guess) if stale else guess.held()
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
        weights = self._guesses[self._target(target)].by_hypothesis()
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
        """One guess, a world position: "peak", the likeliest cell; "mean"; or "medoid", the
        possible cell nearest to the mean.
        """
        return estimate(self.space, *self._possible(self.probability(target)), how)

    def assign(self, agents: ArrayLike, *, spacing: float | None = None) -> Floats:
        """A place of its own for each searcher, likely ones first; see `Pursuit.assign`."""
        return assigned(
            self.space, *self._possible(np.asarray(self.values, dtype=np.float64)), agents, spacing
        )

    @staticmethod
    def _possible(probability: Floats) -> tuple[NDArray[np.int64], Floats]:
        flat = probability.reshape(-1)
        cells = np.flatnonzero(flat > 0)
        return cells, flat[cells]

    # Saves

    def snapshot(self) -> dict[str, Any]:
        """The belief as plain data to save: `restore` goes on from there bit for bit."""
        parts = [
            [self._flow.taken(mass).reshape(self.space.shape) for mass in guess.masses]
            for guess in self._guesses
        ]
        scales = np.array([guess.scale for guess in self._guesses])
        if self._hypotheses.plain:
            return {
                "masses": np.stack([masses[0] for masses in parts]),
                "scales": scales,
                "ticks": self._ticks,
            }
        return {
            "masses": np.stack([np.stack(masses) for masses in parts]),
            "scales": scales,
            "ticks": self._ticks,
            "weights": np.array([guess.weights for guess in self._guesses]),
            "cells": np.array(
                [-1 if guess.lost.cell is None else guess.lost.cell for guess in self._guesses]
            ),
            "ages": np.array([guess.age for guess in self._guesses]),
            "velocities": np.stack([guess.lost.velocity for guess in self._guesses]),
            "searchers": tuple(guess.lost.searchers.copy() for guess in self._guesses),
        }

    @whole
    def restore(self, memory: Mapping[str, Any]) -> None:
        """Know what another `Belief` on this space, with the same parameters, knew: its
        `snapshot()`. Raises `InvalidValue` for others.
        """
        count, own = len(self._hypotheses.stages), self._hypotheses
        shape = self.space.shape if own.plain else (count, *self.space.shape)
        masses, scales = (
            plain_numbers(memory, "masses", (self.targets, *shape)),
            plain_numbers(memory, "scales", (self.targets,)),
        )
        ticks = plain_whole(memory, "ticks", below=clock.ticks("every", self.every))
        in_range = float(masses.min()) >= 0 and float(masses.max()) <= 1 + _ROUNDED
        if (
            not in_range
            or (np.abs(masses.reshape(self.targets, -1).sum(axis=1) * scales - 1) > _ROUNDED).any()
        ):
            raise not_of_a_memory(
                "masses of a memory are at least 0, and sum to 1 by their scales", "others"
            )
        begun = [] if own.plain else self._begun(memory)
        for number, guess in enumerate(self._guesses):
            parts = masses[number].reshape(count, *self.space.shape)
            guess.place(list(parts))
            guess.scale = float(scales[number])
            if begun:
                guess.restore(*begun[number])
        self._ticks = ticks
        if np.logical_and(masses, self.space.walls).any():
            self._walls_version = -1  # on these walls they have yet to move
        self._changes += 1

    def _begun(self, memory: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """The weights, cell, velocity, searchers and age of each target out of a memory."""
        names, dimensions = len(self._hypotheses.names), self.space.dimensions
        weights = plain_numbers(memory, "weights", (self.targets, names))
        velocities = plain_numbers(memory, "velocities", (self.targets, dimensions))
        cells, ages = (
            plain_numbers(memory, name, (self.targets,), "i") for name in ("cells", "ages")
        )
        searchers = memory.get("searchers")
        if not isinstance(searchers, tuple) or len(searchers) != self.targets:
            raise not_of_a_memory(
                "searchers of a memory are a tuple of positions, for each target",
                repr(searchers)[:60],
            )
        sound = (weights >= 0).all() and (np.abs(weights.sum(axis=1) - 1) <= _ROUNDED).all()
        if not sound or cells.min() < -1 or cells.max() >= len(self.space) or ages.min() < 0:
            raise not_of_a_memory(
                "weights, cells and ages of a memory are those of a belief on this map", "others"
            )
        feared = [checks.positions(each, dimensions=dimensions)[0] for each in searchers]
        return [
            (
                tuple(weights[k].tolist()),
                None if cells[k] < 0 else int(cells[k]),
                velocities[k],
                feared[k],
                int(ages[k]),
            )
            for k in range(self.targets)
        ]

    # Arguments

    def _target(self, target: int) -> int:
        number = checks.whole("target", target)
        if number >= self.targets:
            raise InvalidValue(
                f"Targets are numbered 0 to {self.targets - 1}",
                got=f"target={number}",
                remedy="Make a Belief with more targets",
            )
        return number

    def _cell(self, position: ArrayLike) -> int:
        point, single = checks.positions(position, dimensions=self.space.dimensions)
        if not single:
            raise InvalidValue(
                "A target is in one place",
                got=f"shape {np.shape(position)}",
                remedy="Call it once for each target",
            )
        return int(self.space.cell_at(point[0]))


def _summed(parts: list[Floats]) -> float:
    """The sum of all of them."""
    return float(sum(float(part.sum()) for part in parts))
