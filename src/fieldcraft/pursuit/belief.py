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
from fieldcraft.pursuit.memories import not_of_a_memory, plain_numbers, plain_whole
from fieldcraft.pursuit.pace import interval_of
from fieldcraft.pursuit.views import checked_mask
from fieldcraft.space import Space
from fieldcraft.space.kinds import checked_space

__all__ = ["Belief"]

Floats = NDArray[np.float64]
_ROUNDED = 1e-6  # what a sum of 1 may be off by
_MOST_NUMBERS = 2**28
_GONE = 1e-12  # less belief than this in all is none
_SLIPPED = 4.0  # typical steps: where a belief was wrong, e times less likely for so much more way


class Belief(Operand):
    """An occupancy map: for one or several targets, how likely each cell is, shared by all who search.

    Seen, a target is certainly there. Unseen, the belief wanders along walkable steps at the target's speed; cells in view
    where the target is not are cleared, and the rest is scaled up. For each target it is never negative and always sums to 1.

    It is a map like a layer: `values` (summed over targets) go into questions, windows and expressions, which stay live:
    `fc.best(belief - 0.5 * threat, ...)`.

    Parameters
    ----------
    space: a grid or a graph. The belief follows its walls.
    speed: of the targets, world units a second.
    targets: how many there are.
    stay: the share that stays where it is in each step, in [0, 1).
    every: seconds from step to step; by default what a target takes for a typical step.
    where: which cells are possible at first, bool in the space's shape; by default all that are open.

    Raises `InvalidValue`.

    Source: occupancy maps, Damian Isla, "Third Eye Crime: building a stealth game around occupancy maps", AIIDE 2013.
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
    ) -> None:
        self.space = checked_space(space)
        self.speed = checks.positive("speed", speed)
        self.targets = checks.whole("targets", targets, minimum=1)
        if self.targets * len(self.space) > _MOST_NUMBERS:
            raise InvalidValue(
                f"A belief has at most {_MOST_NUMBERS:,} numbers, one per target and cell",
                got=f"targets={targets} on {len(self.space):,} cells",
                remedy="Make one for each group of targets, or on a coarser map",
            )
        self.stay = checks.fraction("stay", stay)
        if self.stay == 1:
            raise InvalidValue("stay is below 1", got="stay=1", remedy="Pass 0.5, say: half of it moves on in each step")
        self.every = interval_of(space.typical_step, self.speed, every)
        self._changes = 0
        self._ticks = 0
        possible = ~space.walls if where is None else checked_mask(space, where, "where") & ~space.walls
        if not possible.any():
            raise InvalidValue(
                "A target can be somewhere", got="no open cell that is possible", remedy="Open cells, or let `where` have some"
            )
        self._walls_version = space.walls_version
        self._flow = door.flow(self.space, self.stay, self.speed * self.every)
        self._masses = [self._flow.placed(possible / np.count_nonzero(possible)) for _ in range(self.targets)]
        self._scales = [1.0] * self.targets
        self._spare = np.zeros_like(self._masses[0])
        self._seen: tuple[int, NDArray[np.float32]] | None = None

    def __repr__(self) -> str:
        return f"<Belief about {self.targets} {'target' if self.targets == 1 else 'targets'} on {self.space!r}>"

    # What happens

    @whole
    def see(self, position: ArrayLike, *, target: int = 0) -> None:
        """A target is seen at a world position: it is certainly there. A wall there is refused (`OnWall`)."""
        number = self._target(target)
        cell = self._cell(position)
        if self.space.walls.reshape(-1)[cell]:
            raise OnWall(
                "A target is seen on open ground",
                got=f"{position!r}",
                remedy=f"Pass the nearest open cell, {tuple(self.space.position_of(self.space.nearest_open(cell)).tolist())}",
            )
        found = np.zeros(self.space.shape)
        found.reshape(-1)[cell] = 1.0
        self._put(number, found)

    @whole
    def look(self, view: ArrayLike, *, target: int | None = None, missed: float = 0.0) -> bool:
        """Clear the cells in view, since the target was not seen there: bool in the space's shape, or cells. `target` None for all.

        `missed` is the chance in [0, 1) of overlooking the target. Where nothing would be left of a belief, because it was wrong, it begins
        anew out of view (everywhere, if there is nothing out of view): the likelier the shorter the way from where it was thought to
        be. Then False comes back.
        """
        cells = self.space.cell_ids(view)
        part = checks.fraction("missed", missed)
        if part == 1:
            raise InvalidValue("missed is below 1", got="missed=1", remedy="Don't look, then")
        self._follow_walls()
        sound = True
        for number in range(self.targets) if target is None else [self._target(target)]:
            mass = self._masses[number].reshape(-1)
            flat = self._flow.index(cells)
            before = mass[flat]
            mass[flat] = before * part
            left = float(mass.sum())
            if left * self._scales[number] > _GONE:
                self._scales[number] = 1.0 / left
                continue
            sound = False
            self._put(number, self._out_of(cells, cells[before > 0]))
        self._changes += 1
        return sound

    def _out_of(self, cells: NDArray[np.int64], thought: NDArray[np.int64]) -> NDArray[Any]:
        """How likely the target is in each cell if not in view, where it was thought to be in some others."""
        hidden = ~self.space.walls
        hidden.reshape(-1)[cells] = False
        if not hidden.any():
            return ~self.space.walls
        if not len(thought):
            return hidden
        away = distance_map(self.space, self.space.position_of(np.unique(thought))).exact.reshape(self.space.shape)
        near = np.where(hidden, away, np.inf)
        nearest = float(near.min())
        return np.exp((nearest - near) / (_SLIPPED * self.space.typical_step)) if nearest < np.inf else hidden

    @whole
    def hear(self, position: ArrayLike, radius: float, *, certainty: float = 0.8, target: int = 0) -> None:
        """A noise: with this certainty the target is within `radius` world units of a position, straight, likelier near it."""
        number = self._target(target)
        sure = checks.fraction("certainty", certainty)
        reach = checks.positive("radius", radius)
        point = self.space.position_of(self._cell(position))
        away = self.space.offsets_from(point)
        likely = np.maximum(1 - (away**2).sum(axis=1) / (reach * reach), 0.0).reshape(self.space.shape)
        if not self.space.walls.all():
            self._follow_walls()
        before = self._held(number)
        heard = before * likely
        if heard.sum() <= _GONE:  # nobody was thought to be there
            heard = np.where(self.space.walls, 0.0, likely)
        if heard.sum() <= _GONE:
            return
        self._put(number, (1 - sure) * before + sure * heard / heard.sum())

    @whole
    def step(self, count: int = 1) -> None:
        """Let the belief wander by so many steps of `every` seconds. Raises `InvalidValue` if by now all cells are walls.

        Ctrl-C ends a long count between two steps.
        """
        count = checks.whole("count", count, maximum=MOST_STEPS)
        if count:
            self._follow_walls()
        self._wander(count)

    @whole
    def advance(self, dt: float) -> int:
        """Let `dt` seconds pass: the steps that have fallen due, however the time is sliced; how many they were.

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
        for number in range(self.targets):
            self._flow.run(self._masses[number], self._scales[number], self._spare)
            self._masses[number], self._spare = self._spare, self._masses[number]
            self._scales[number] = 1.0
        self._changes += 1

    def _follow_walls(self) -> None:
        """Whoever was where a wall now stands is elsewhere."""
        if self._walls_version == self.space.walls_version:
            return
        if self.space.walls.all():
            raise InvalidValue("A belief has open ground to be on", got="walls in every cell", remedy="Open cells, or make no step")
        before = [self._off_walls(self._held(number)) for number in range(self.targets)]
        self._walls_version = self.space.walls_version
        self._flow = door.flow(self.space, self.stay, self.speed * self.every)
        self._masses = [self._flow.placed(mass) for mass in before]
        self._scales = [1.0] * self.targets
        self._changes += 1

    def _off_walls(self, weights: Floats) -> Floats:
        """A belief that has moved off the walls as they are now."""
        left = np.where(self.space.walls, 0.0, weights)
        left = left if left.sum() > _GONE else (~self.space.walls).astype(np.float64)
        return np.asarray(left / left.sum())

    def _put(self, number: int, weights: NDArray[Any]) -> None:
        self._masses[number] = self._flow.placed(weights / weights.sum())
        self._scales[number] = 1.0
        self._changes += 1

    # What it says

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_seen": None}

    @property
    def version(self) -> int:
        """Changes whenever what it says may have changed."""
        return self._changes + self.space.walls_version

    def probability(self, target: int = 0) -> Floats:
        """How likely a target is in each cell, float64 in the space's shape; sums to 1."""
        held = self._held(self._target(target))
        return held if self._walls_version == self.space.walls_version or self.space.walls.all() else self._off_walls(held)

    def _held(self, number: int) -> Floats:
        return self._flow.taken(self._masses[number]) * self._scales[number]

    @property
    def values(self) -> NDArray[np.float32]:
        """How many targets to expect in each cell, float32 in the space's shape; read-only, valid until the next change."""
        if self._seen is None or self._seen[0] != self.version:
            total: Floats = np.sum([self.probability(number) for number in range(self.targets)], axis=0)
            narrow = total.astype(np.float32)
            narrow.flags.writeable = False
            self._seen = (self.version, narrow)
        return self._seen[1]

    def estimate(self, how: str = "peak", *, target: int = 0) -> Floats:
        """One guess, a world position: "peak", the likeliest cell; "mean"; or "medoid", the possible cell nearest to the mean."""
        return estimate(self.space, *self._possible(self.probability(target)), how)

    def assign(self, agents: ArrayLike, *, spacing: float | None = None) -> Floats:
        """A place of its own for each searcher, likely ones first; see `Pursuit.assign`."""
        return assigned(self.space, *self._possible(np.asarray(self.values, dtype=np.float64)), agents, spacing)

    @staticmethod
    def _possible(probability: Floats) -> tuple[NDArray[np.int64], Floats]:
        flat = probability.reshape(-1)
        cells = np.flatnonzero(flat > 0)
        return cells, flat[cells]

    # Saves

    def snapshot(self) -> dict[str, Any]:
        """The belief as plain data to save: `restore` goes on from there bit for bit."""
        masses = np.stack([self._flow.taken(mass).reshape(self.space.shape) for mass in self._masses])
        return {"masses": masses, "scales": np.array(self._scales), "ticks": self._ticks}

    @whole
    def restore(self, memory: Mapping[str, Any]) -> None:
        """Know what another `Belief` on this space, with the same parameters, knew: its `snapshot()`. Raises `InvalidValue` for others."""
        masses, scales = (
            plain_numbers(memory, "masses", (self.targets, *self.space.shape)),
            plain_numbers(memory, "scales", (self.targets,)),
        )
        ticks = plain_whole(memory, "ticks", below=clock.ticks("every", self.every))
        in_range = float(masses.min()) >= 0 and float(masses.max()) <= 1 + _ROUNDED
        if not in_range or (np.abs(masses.reshape(self.targets, -1).sum(axis=1) * scales - 1) > _ROUNDED).any():
            raise not_of_a_memory("masses of a memory are at least 0, and sum to 1 by their scales", "others")
        self._masses = [self._flow.placed(mass) for mass in masses]
        self._scales = scales.tolist()
        self._ticks = ticks
        if np.logical_and(masses, self.space.walls).any():
            self._walls_version = -1  # on these walls they have yet to move
        self._changes += 1

    # Arguments

    def _target(self, target: int) -> int:
        number = checks.whole("target", target)
        if number >= self.targets:
            raise InvalidValue(
                f"Targets are numbered 0 to {self.targets - 1}", got=f"target={number}", remedy="Make a Belief with more targets"
            )
        return number

    def _cell(self, position: ArrayLike) -> int:
        point, single = checks.positions(position, dimensions=self.space.dimensions)
        if not single:
            raise InvalidValue("A target is in one place", got=f"shape {np.shape(position)}", remedy="Call it once for each target")
        return int(self.space.cell_at(point[0]))
