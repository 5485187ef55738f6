"""The steps of a layer: what it counts, what is due, and what it passes to its field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import checks, clock
from fieldcraft.base.interruption import A_FEW, in_parts
from fieldcraft.base.single_thread import SingleThreadLock
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.layers.propagation import Field
from fieldcraft.layers.propagation.propagation import RadiatingField
from fieldcraft.layers.sources import Sources
from fieldcraft.space import Space
from fieldcraft.space.cached import cached_until_walls_change
from fieldcraft.space.changes import UNKNOWN

MOST_STEPS = 2**31 - 1

AnyField = TypeVar("AnyField", bound=Field, covariant=True)


class Stepped(Protocol):
    """A layer: what has steps."""

    @property
    def steps(self) -> Steps[Field]:
        """The steps of the layer."""


class Steps(Generic[AnyField]):
    """The field of a layer, its sources, and the time that it counts in steps.

    Layers, and packages that extend the library, change a field only within `lock`, after
    `catch_up()`; `feed()` passes the sources to the field before it steps, and `count()` counts
    the steps that it took. Times are ticks of `fieldcraft.base.clock`.

    Parameters
    ----------
    space : Space
        The space of the layer.
    field : Field
        Its values.
    sources : Sources
        Its sources.
    every : int
        Ticks from one step to the next.
    lock : SingleThreadLock
        The lock of its map.
    """

    def __init__(
        self, space: Space, field: AnyField, sources: Sources, every: int, lock: SingleThreadLock
    ) -> None:
        self.space = space
        self.field = field
        self.sources = sources
        self.every = every
        self.lock = lock
        self.ticks = 0
        """The time that has passed in steps."""
        self.due = 0
        """The time since the last step."""
        self.backlog = 0
        """The number of steps that wait for a budget."""
        self.updates = 0
        """The number of steps that were taken."""
        self.changes = 0
        """A number that grows with each change of the values."""
        self.later_changes = 0
        """A number that grows with changes that show from a later step on; forecasts follow it."""
        self.others: Mapping[str, Stepped] = {}
        """The layers of the map, for a field that reads one of them."""
        self.work: Iterator[bool] | None = None
        """The rest of a step that has begun within a budget."""
        self.walls_seen = space.walls_version
        """The version of the walls at the last step, or UNKNOWN."""
        self._sources_seen = 0
        self.last_walls = _packed_walls(space)
        """The walls at the last step, in bits."""
        field.limit(sources)

    @property
    def version(self) -> int:
        """A number that changes whenever the values may have changed."""
        walls = self.space.walls_version
        if walls != self.walls_seen and self.sources.rows.version != self._sources_seen:
            # New walls read 0 but for their sources, which show before the next step there.
            self._sources_seen = self.sources.rows.version
            self.changes += 1
        return self.changes + walls

    @property
    def values(self) -> NDArray[np.float32]:
        """The values now; walls that are newer than the last step read 0, but for sources."""
        values = self.field.values
        if self.space.walls_version == self.walls_seen or self.field.has_wall_values:
            return values
        values = values.copy()
        values.reshape(-1)[self._walls_without_sources()] = 0
        return values

    def hide_new_walls(self, cells: NDArray[np.int64], values: NDArray[np.float32]) -> None:
        """Set the values of those of some cells to 0 that read 0 in `values` since they are new
        walls.
        """
        if self.space.walls_version != self.walls_seen and not self.field.has_wall_values:
            values[self._walls_without_sources()[cells]] = 0

    def _walls_without_sources(self) -> NDArray[np.bool_]:
        """Return which cells are walls in which no source acts, flat.

        These are more than the walls that are newer than the last step. The others are 0 already,
        or have lost their source since; which they are would depend on how far the history of
        changed walls reaches back.
        """
        walls = self.space.walls.reshape(-1).copy()
        walls[self.sources.cells] = False
        return walls

    def state(self) -> dict[str, Any]:
        """Return what has changed since the steps began; see `Layer.state`."""
        sources = None
        if len(self.sources.rows.alive):
            sources = self.sources.state()
        return {**self.values_state(), "sources": sources}

    def values_state(self) -> dict[str, Any]:
        """Return the state without the sources as they are now."""
        self.catch_up()
        taken = self.field.taken(self.sources)
        state_taken = None
        if taken is not None:
            state_taken = taken.state()
        return {
            "shape": np.array(self.space.shape, dtype=np.int64),
            "ticks": self.ticks,
            "due": self.due,
            "walls": self.last_walls.copy(),
            "walls_changed": self.space.walls_version != self.walls_seen,
            "field": self.field.state(),
            "taken": state_taken,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a state with a new field; raises `LookupError`, `TypeError` or `ValueError`
        for others.
        """
        if state["sources"] is not None:
            self.sources._restore(state["sources"])
        self.restore_values(state)

    def restore_values(self, state: Mapping[str, Any]) -> None:
        """Continue from a `values_state` with a new field and the sources of that state."""
        if not np.array_equal(state["shape"], self.space.shape):
            raise ValueError(f"a map of shape {state['shape']}")
        self.ticks = checks.integer("ticks", state["ticks"], maximum=clock.LATEST)
        self.due = checks.integer("due", state["due"], maximum=clock.MOST_TICKS)
        self.field.limit(self.sources)
        self.field.restore(state["field"], self.sources)
        if state["taken"] is not None:
            taken = Sources(self.space)
            taken._restore(state["taken"])
            self.field.take(taken)
        changed = checks.flag("walls_changed", state["walls_changed"])
        if len(changed_walls(state["walls"], self.space)):
            changed = True
        if changed and not self.field.has_wall_values:
            self.walls_seen = UNKNOWN
            self.last_walls = state["walls"].copy()

    def copy_from(self, other: Steps[AnyField]) -> None:
        """Continue, with a new field, like other steps on the same space."""
        other.catch_up()
        self.ticks = other.ticks
        self.due = other.due
        self.sources = other.sources.copy(self.lock)
        self.field.limit(self.sources)
        self.field.restore(other.field.state(), self.sources)
        taken = other.field.taken(other.sources)
        if taken is not None:
            self.field.take(taken)
        if other.walls_seen != self.space.walls_version and not self.field.has_wall_values:
            self.walls_seen = UNKNOWN
            self.last_walls = other.last_walls

    def become(self, other: Steps[AnyField]) -> None:
        """Take over the field, sources and time of other steps, which are no longer used."""
        self.field = other.field
        self.sources._become(other.sources)
        self.every = other.every
        self.ticks = other.ticks
        self.due = other.due
        self.backlog = 0
        self.work = None
        self.walls_seen = other.walls_seen
        self.last_walls = other.last_walls
        self.changes += 1

    def take_all(self, count: int) -> None:
        """Take `count` steps, and poll for Ctrl-C if they are many."""
        if count <= A_FEW:
            self.take(count)
            return
        for part in in_parts(count):
            self.take(part)

    def take(self, count: int) -> None:
        """Take `count` steps, after those that are due."""
        if self.backlog:
            self.catch_up()
        while count > 0:
            batch = self.feed(count)
            try:
                self.field.run(batch)
            except BaseException:
                self.field.invalidate()
                raise
            self.count(batch)
            count -= batch
        self._expire()

    def _expire(self) -> None:
        """Remove the sources whose lifetime has passed."""
        if self.ticks >= self.sources.rows.next_expiry:
            self.sources.expire(self.ticks)

    def count(self, count: int) -> None:
        """Count steps that were made."""
        self.changes += count
        self.ticks += count * self.every
        self.updates += count

    def feed(self, steps: int = 0) -> int:
        """Pass the sources to the field, as they are after the steps that it takes next.

        Returns how many of these `steps` it can take before the sources change.
        """
        sources = self.sources
        self._expire()
        # A source may live through some of the steps only, or change with each.
        left = sources.rows.next_expiry - self.ticks
        if left >= steps * self.every:
            batch = steps
        else:
            batch = -(-left // self.every)
        if sources.tracks.change_sources:
            batch = min(batch, 1)
            sources.advance(self.ticks, self.ticks + batch * self.every)
        if self.field.barrier is not None:
            barrier = self.others.get(self.field.barrier)
            values = None
            if barrier is not None:
                values = barrier.steps.values
            self.field.bar(values)
        self.field.feed(sources)
        version = self.space.walls_version
        if version != self.walls_seen:
            self.walls_seen = version
            self.last_walls = _packed_walls(self.space)
        return batch

    def check_time(self, ticks: int) -> None:
        """Raise `InvalidValue` if the layer does not count as far as `ticks` ticks from now."""
        clock.check_time(self.ticks + self.due + self.backlog * self.every, ticks)

    def check_forecast(self, ticks: int) -> None:
        """Raise `InvalidValue` if a forecast for `ticks` ticks from now takes too many steps."""
        self.check_time(ticks)
        if not self.field.timeless and not isinstance(self.field, RadiatingField):
            clock.check_steps(ticks // self.every, self.every, "a layer")

    def pass_time(self, ticks: int, max_steps: int) -> tuple[int, int]:
        """Take the steps that become due in `ticks` ticks: (made, dropped)."""
        due, self.due = divmod(self.due + ticks, self.every)
        self.later_changes += 1
        if self.field.timeless:
            made = due
        else:
            made = min(due, max_steps)
        skipped = self._skip(due - made)
        self.take_all(made)
        return made + skipped, due - made - skipped

    def _skip(self, steps: int) -> int:
        """Let the time of steps pass that would change no value, if these are such steps; return
        their number.
        """
        if not self.field.memoryless or self.sources.tracks.change_sources:
            return 0
        self.count(steps)
        return steps

    # Within a budget

    def owe_time(self, ticks: int, max_steps: int) -> int:
        """Add the steps that become due in `ticks` ticks to the backlog; return the number of
        dropped ones.
        """
        if self.field.timeless:
            return self.pass_time(ticks, max_steps)[1]
        due, self.due = divmod(self.due + ticks, self.every)
        self.later_changes += 1
        beyond = max(self.backlog + due - max_steps, 0)
        self.backlog += due - beyond
        return beyond - self._skip(beyond)

    def work_on(self) -> bool:
        """Do one unit of the work that is due; return whether there was any."""
        with self.lock:
            if self.work is None and self.backlog:
                self.work = self._units()
            if self.work is None:
                return False
            try:
                if next(self.work, False):
                    return True
            except BaseException:
                self.field.invalidate()
                self.work = None
                raise
            self.work = None
            return False

    def _units(self) -> Iterator[bool]:
        while self.backlog:
            self.feed(1)
            for _ in self.field.step_in_units():
                yield True
            self.backlog -= 1
            self.count(1)
        self._expire()

    def catch_up(self) -> None:
        """Take the steps that are due, whatever they cost."""
        while (self.work is not None or self.backlog) and self.work_on():
            pass


@cached_until_walls_change
def _packed_walls(space: Space) -> NDArray[np.uint8]:
    """Return the walls of a space in bits, read-only."""
    return read_only(np.packbits(space.walls))


def changed_walls(packed: NDArray[np.uint8], space: Space) -> NDArray[np.int64]:
    """Return the cells that differ from the walls of a state, ascending."""
    if packed.dtype != np.uint8 or packed.shape != (-(-len(space) // 8),):
        raise ValueError(f"walls of {packed.dtype} and shape {packed.shape}")
    walls = np.unpackbits(packed, count=len(space)).astype(np.bool_)
    return np.flatnonzero(walls != space.walls.reshape(-1))
