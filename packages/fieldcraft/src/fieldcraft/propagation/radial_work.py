"""The work of a radial field: following sources, adding and taking off footprints, showing sums."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import TYPE_CHECKING, Generic

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.falloff import Falloff
from fieldcraft.propagation.field import RadiatingField
from fieldcraft.propagation.footprints import AnyWalks, Emission, Footprints, Sums
from fieldcraft.sources import Sources
from fieldcraft.sources.rows import Columns
from fieldcraft.space import Space

if TYPE_CHECKING:
    from fieldcraft.propagation.radial import Radial

__all__ = ["UNIT_JOBS", "RadialWork"]

UNIT_JOBS = 400
_MOST_KEPT = 4_000_000  # weights of footprints: 32 MB


class RadialWork(RadiatingField, Generic[AnyWalks]):
    """Values that the live sources radiate, kept as exact sums and shown as float32.

    Changes are worked off in units, by a generator that stops after each: `catch_up` runs it as far
    as it may. While one is half way, `values` stay those of the last complete state.
    """

    def __init__(self, radial: Radial, space: Space) -> None:
        self.space = space
        self.radial = radial
        self.resistance = None
        self.footprints: Footprints[AnyWalks] = self._no_footprints()
        self.walks: AnyWalks = self._walks_now()
        self.sums = Sums(self.walks.walls.shape)
        self._held = Emission.room(0)
        self._fed: Sources | None = None
        self._seen: tuple[Sources, int, int] | None = None
        self._work: Iterator[int] | None = None
        self._at_once = True
        self._anew = False
        self._written = False
        self._walls_version = space.walls_version
        self._numbers = np.zeros(0, dtype=np.int64)
        self._shapes_version = -1
        self._ops, self._changes = kernels.radial, kernels.changes

    @property
    def values(self) -> NDArray[np.float32]:
        """The values as they are shown, in the space's shape."""
        return self.sums.shown.reshape(-1)[: len(self.space)].reshape(self.space.shape)

    @property
    def is_current(self) -> bool:
        """Whether no work is under way."""
        return self._work is None and self._fed is None

    def feed(self, sources: Sources) -> None:
        """Work off what has changed from the next step on, after the work under way; see
        `Field.feed`.
        """
        now = (sources, sources.version, self.space.walls_version)
        if self._work is None and (self._anew or now != self._seen):
            self._fed, self._seen = sources, now

    def _begin(self, sources: Sources) -> None:
        if self._at_once and self._patched(sources):
            return
        if self._anew:
            self._anew = False
            self._written = False
            self._walls_moved()
            self.walks = self._walks_now()
            self.sums.begin_anew()
            self._held = Emission.room(0)
            self._numbers = np.zeros(0, dtype=np.int64)
            sources.all_changed()
        self._number(sources)
        self._take(self._columns(sources), self._numbers)

    def _walls_moved(self) -> NDArray[np.int64]:
        """The cells whose walls have changed since the last look."""
        version, self._walls_version = self._walls_version, self.space.walls_version
        if version == self._walls_version:
            return np.zeros(0, dtype=np.int64)
        return np.asarray(self.space.walls_changed(version))

    def invalidate(self) -> None:
        """Radiate everything anew at the next step; see `Field.invalidate`."""
        self._work = self._fed = None
        self._anew = True

    def run(self, count: int) -> None:
        """Work off all changes, if there are steps at all."""
        if count:
            self.catch_up()

    def step_in_units(self) -> Iterator[None]:
        """Work off all changes in units; see `Field.step_in_units`."""
        while self.catch_up(1):
            yield

    def settle(self) -> None:
        """Work off all changes."""
        self.catch_up()

    def _number(self, sources: Sources) -> None:
        """Find the footprints of shapes that have none yet, and forget those that nobody has once
        they fill the memory.
        """
        if sources.shapes_version != self._shapes_version:
            self._shapes_version = sources.shapes_version
            self._numbers = self._numbers[:0]
        self._forget_shapes()
        new = []
        for shape in sources.shapes[len(self._numbers) :]:
            falloff = Falloff.of(self.radial.falloff if shape.falloff is None else shape.falloff)
            radius = self.radial.radius if shape.radius is None else shape.radius
            new.append(self.footprints.number(falloff, radius / self._unit, self.walks))
        if new:
            self._numbers = np.append(self._numbers, new)

    def _forget_shapes(self) -> None:
        """Forget the footprints that nobody has, if they fill the memory."""
        if self.footprints.size > _MOST_KEPT:
            self.footprints, self._held.shapes = self.footprints.without_others(
                self._held.shapes, self._held.strengths != 0
            )
            self._numbers = self._numbers[:0]

    def _take(self, columns: Columns, numbers: NDArray[np.int64]) -> None:
        """Begin to work off the changed rows; `numbers` are the footprints of their shapes."""
        if len(columns.changed) > len(self._held):
            self._held = self._held.padded(len(columns.changed))
        held, count = self._held, int(np.count_nonzero(columns.changed))
        slots = np.empty(count, np.int64)
        old, new = Emission.room(count), Emission.room(count)
        differ, off, on = self._changes.take(
            numbers, tuple(columns), held.arrays, slots, old.arrays, new.arrays
        )
        walls = self._walls_moved()
        if differ or len(walls) or self.sums.dirty.any():
            renewal = self.walks.renewal(walls) if len(walls) else None
            self._work = self._apply(
                old.at(np.s_[:off]), new.at(np.s_[:on]), slots[:differ], walls, renewal
            )

    def catch_up(self, units: int | None = None) -> int:
        """Make at most so many units of the work under way (None: all of it); returns how many it
        was.
        """
        self._at_once = units is None
        if self._fed is not None:
            sources, self._fed = self._fed, None
            self._begin(sources)
        taken = 0
        while self._work is not None and (units is None or taken < units):
            if next(self._work, None) is None:
                self._work = None
            else:
                taken += 1
        return taken

    def _apply(
        self,
        old: Emission,
        new: Emission,
        slots: NDArray[np.int64],
        walls: NDArray[np.int64],
        renewal: Generator[int, None, AnyWalks] | None,
    ) -> Iterator[int]:
        """Take off what was held on the old ground, put on what is there on the new one, and show
        it.

        `slots` are the rows that `old` and `new` are about; others that may reach one of the
        `walls` follow them.
        """
        yield 1  # finding what differs was work too
        walks = self.walks
        if renewal is not None:
            walks = yield from renewal
            self.sums.touch(walls)
            if self.radial.metric != "straight":
                near = yield from self._near(slots)
                old, new = Emission.joined([old, *near]), Emission.joined([new, *near])
        if self.radial.blend == "sum":
            off = Emission(old.cells, -old.strengths, old.shapes)
            if walks is self.walks:
                if self._at_once and not self._written and self._is_less_anew(old, new):
                    self.sums.dirty[:] = 1
                    live = self._held.live
                    yield from self._add(live, anew=True)
                    if not len(live):
                        self.sums.total[:] = 0
                else:
                    jobs = Emission.joined([off, new])
                    yield 1
                    yield from self._add(jobs)
            else:
                yield from self._add(off)
                self.walks = walks
                yield from self._add(new)
        else:
            yield from self._touch_each(old)  # on the ground that they were put on
            self.walks = walks
            yield from self._touch_each(new)
            yield from self._renew()
        yield from self.sums.publish(self.walks.walls, self._at_once)

    def _near(self, slots: NDArray[np.int64]) -> Generator[int, None, list[Emission]]:
        """The held sources, other than in these rows, that may reach a dirty tile, in parts."""
        parts = []
        others = self._held.strengths != 0
        others[slots] = False
        for first in range(0, len(others), UNIT_JOBS):
            part = self._held.at(np.s_[first : first + UNIT_JOBS]).at(
                others[first : first + UNIT_JOBS]
            )
            parts.append(part.at(self._reaches_dirty(part)))
            yield 1
        return parts

    # The strongest

    def _touch_each(self, changed: Emission) -> Iterator[int]:
        for first in range(0, len(changed), UNIT_JOBS):
            yield from self._touch_reached(changed.at(np.s_[first : first + UNIT_JOBS]))

    def _renew(self) -> Iterator[int]:
        """Clear every tile that a changed source reaches or reached, and stamp all that reach into
        those anew.
        """
        yield from self.sums.clear_dirty()
        near = yield from self._near(np.zeros(0, np.int64))
        for part in near:
            yield from self._add_strongest(part)

    # What a kind of space does in its own way

    _unit = 1.0
    """The length in world units that footprints count by."""

    def _columns(self, sources: Sources) -> Columns:
        """The rows of the sources; their shapes are places in the numbers that `_number` finds."""
        return sources.columns

    def _no_footprints(self) -> Footprints[AnyWalks]:
        raise NotImplementedError

    def _walks_now(self) -> AnyWalks:
        raise NotImplementedError

    def _patched(self, sources: Sources) -> bool:
        """Work off a few changes on open ground in one go, if that is all there is."""
        return False

    def _is_less_anew(self, old: Emission, new: Emission) -> bool:
        """Whether clearing the map and adding all that are live touches fewer cells than taking off
        the old and adding the new.
        """
        return False

    def _may_reach(self, sources: Emission, top: int, bottom: int) -> NDArray[np.bool_]:
        """Whether sources may reach any of the rows [top, bottom)."""
        return np.ones(len(sources), dtype=np.bool_)

    def _may_hold(self, sources: Emission, cell: int) -> NDArray[np.bool_]:
        """Whether sources may reach a cell."""
        return np.ones(len(sources), dtype=np.bool_)

    def _reaches_dirty(self, sources: Emission) -> NDArray[np.bool_]:
        """Whether any tile that a source may reach is dirty."""
        return np.ones(len(sources), dtype=np.bool_)

    def _touch_reached(self, sources: Emission) -> Iterator[int]:
        """Mark the tiles that sources may reach."""
        for cell, _, shape in sources.rows():
            cells, _ = yield from self.footprints.search(self.walks, cell, shape)
            self.sums.touch(cells)

    def _add(self, jobs: Emission, *, anew: bool = False) -> Iterator[int]:
        """Add footprints to the sums, or to nothing if they are summed up `anew`, which is for work
        done at once.
        """
        yield from self._search_each(self._ops.scatter, jobs)

    def _add_strongest(self, jobs: Emission) -> Iterator[int]:
        """Let footprints take part where the strongest is shown."""
        yield from self._search_each(self._ops.scatter_strongest, jobs)

    def _search_each(self, kernel: Callable[..., None], jobs: Emission) -> Iterator[int]:
        for cell, strength, shape in jobs.rows():
            cells, weights = yield from self.footprints.search(self.walks, cell, shape)
            yield from self.sums.scatter(kernel, cells, weights, strength)
