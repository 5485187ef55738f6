"""Values that sources radiate: exact sums of their footprints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.falloff import Falloff
from fieldcraft.interruption import poll_interrupt
from fieldcraft.propagation.accumulator import ADD, MAX, SCALE, Accumulator
from fieldcraft.propagation.emitters import Emitters
from fieldcraft.propagation.field import Attribution, RadiatingField, checked_resistance
from fieldcraft.propagation.footprints import (
    Footprints,
    Shape,
    footprints_on,
    too_large,
    walks_on,
)
from fieldcraft.propagation.walks import Walks
from fieldcraft.sources import Sources
from fieldcraft.space import Space

if TYPE_CHECKING:
    from fieldcraft.propagation.radial import Radial

__all__ = ["MOST_SOURCES", "MOST_STRENGTH", "RadialField"]

MOST_STRENGTH = 2.0**20
MOST_SOURCES = 2**18
_MOST_WEIGHTS = 4_000_000  # weights of footprints: 32 MB
_BATCH = 64  # footprints that are searched before they are added
_ALL_ROWS = kernels.stamps.ALL_ROWS


class RadialField(RadiatingField):
    """Values that the live sources radiate, kept as exact sums and shown as float32.

    Changes are applied by a generator that stops after each unit of work: `catch_up` runs it as far
    as it may. Until the last unit, `values` are those of the last complete state.
    """

    def __init__(self, radial: Radial, space: Space) -> None:
        self.space = space
        self.radial = radial
        self.resistance = None
        self.footprints = self._no_footprints()
        self.walks: Walks = walks_on(space)
        self.sums = self._no_sums()
        self._applied = Emitters.zeros(0)
        self._pending: Sources | None = None
        self._last_fed: tuple[Sources, int, int] | None = None
        self._work: Iterator[int] | None = None
        self._at_once = True
        self._is_invalid = False
        self._is_written = False
        self._walls_version = space.walls_version
        self._used_weights = 0
        self._validated = 0
        self._strongest: RadialField | None = None
        self._strongest_version = -1

    def _no_footprints(self) -> Footprints:
        radial = self.radial
        return footprints_on(self.space, radial.metric, radial.thickness, exact=radial.exact)

    def _no_sums(self) -> Accumulator:
        sums = Accumulator(self.walks.walls.shape)
        self.shown: NDArray[np.float32] = np.zeros(sums.shape, dtype=np.float32)
        return sums

    @property
    def values(self) -> NDArray[np.float32]:
        """The values of the last complete state, in the shape of the space."""
        return self.shown.reshape(self.space.shape)

    @property
    def is_current(self) -> bool:
        """Whether no work is under way."""
        return self._work is None and self._pending is None

    # What a layer asks of its field

    def limit(self, sources: Sources) -> None:
        """Refuse strengths, numbers and radii that sums could not hold; see
        `RadiatingField.limit`.
        """
        sources.limit(MOST_STRENGTH, MOST_SOURCES, too_large(self.space))

    def feed(self, sources: Sources) -> None:
        """Apply what has changed from the next step on, after the work under way; see
        `Field.feed`.
        """
        now = (sources, sources.version, self.space.walls_version)
        if self._work is None and (self._is_invalid or now != self._last_fed):
            self._pending, self._last_fed = sources, now

    def run(self, count: int) -> None:
        """Apply all changes, if there are steps at all."""
        if count:
            self.catch_up()

    def step_in_units(self) -> Iterator[None]:
        """Apply all changes in units of work; see `Field.step_in_units`."""
        while self.catch_up(1):
            yield

    def settle(self) -> None:
        """Apply all changes."""
        while self.catch_up(1):
            poll_interrupt()

    def tune(self, radial: Radial, every: float) -> None:
        """Go on with other parameters: everything is radiated anew."""
        radial._check(self.space)
        _check_resistance(radial, self.resistance)
        if radial.exact != self.radial.exact:
            raise InvalidValue(
                "Whether a layer is exact is chosen when it is made",
                got=f"exact={radial.exact}",
                remedy="Add another layer",
                about="exact",
            )
        self.radial = radial
        self.footprints = self._no_footprints()
        self.invalidate()

    def resist(self, resistance: NDArray[np.float32] | None) -> None:
        """Lengthen the walks into cells: everything is radiated anew; see `Field.resist`."""
        _check_resistance(self.radial, resistance)
        self.resistance = resistance
        self.invalidate()

    def invalidate(self) -> None:
        """Radiate everything anew at the next step; see `Field.invalidate`."""
        self._work = self._pending = None
        self._is_invalid = True

    def write(self, values: NDArray[np.float32]) -> None:
        """Show other values, until `validate` finds the difference; see `Field.write`."""
        if (np.abs(values) > MOST_STRENGTH).any():
            raise InvalidValue(
                f"Values of a radial layer are at most {MOST_STRENGTH:,.0f} in size",
                got=f"{float(np.abs(values).max()):g}",
                remedy="Count in larger units",
            )
        super().write(values)

    def touched(self, cells: NDArray[np.int64] | None) -> None:
        """Take the values shown for the sums, until `validate` finds the difference."""
        self._is_written = True
        self.sums.sums[:] = np.rint(self.shown.astype(np.float64) * SCALE)

    def state(self) -> dict[str, NDArray[Any]]:
        """The values shown, and the resistance of cells; the rest follows from the sources. See
        `Field.state`.
        """
        state = {"values": self.values}
        return state if self.resistance is None else state | {"resistance": self.resistance}

    def restore(self, state: dict[str, NDArray[Any]], sources: Sources) -> None:
        """Show the values of a state until the next step; see `Field.restore`."""
        if "resistance" in state:
            self.resistance = checked_resistance(state["resistance"], self.space.shape)
        self.values[...] = state["values"]
        self._is_invalid = True

    # Following the sources

    def catch_up(self, units: int | None = None) -> int:
        """Make at most so many units of the work under way (None: all of it); return how many were
        made.
        """
        self._at_once = units is None
        if self._pending is not None:
            sources, self._pending = self._pending, None
            self._begin(sources)
        made = 0
        while self._work is not None and (units is None or made < units):
            if next(self._work, None) is None:
                self._work = None
            else:
                made += 1
        return made

    def _begin(self, sources: Sources) -> None:
        if self._is_invalid:
            self._is_invalid = self._is_written = False
            self._walls_version = self.space.walls_version
            self.walks = walks_on(self.space, self.resistance)
            self.sums.reset()
            self._applied = Emitters.zeros(0)
            sources.all_changed()
        columns = sources.columns
        self._follow(
            self._numbers(sources),
            columns.alive,
            columns.cells,
            columns.strengths,
            columns.changed,
        )

    def _numbers(self, sources: Sources) -> NDArray[np.int64]:
        """Return the footprints of the rows of sources that have changed; 0 for others."""
        self._drop_footprints()
        columns = sources.columns
        numbers = np.zeros(len(columns.alive), dtype=np.int64)
        falloffs = [Falloff.of(self.radial.falloff), *sources.falloffs]
        own, add, walks = self.radial.radius, self.footprints.number, self.walks
        if not self.radial.exact and not sources.have_shapes:
            numbers[:] = add(Shape(falloffs[0], own), walks)
            return numbers
        rows = np.flatnonzero(columns.changed & columns.alive)
        radii, which = columns.radii[rows], columns.falloffs[rows]
        if self.radial.exact:
            kinds = zip(which.tolist(), radii.tolist(), rows.tolist(), strict=True)
            for falloff, radius, row in kinds:
                shape = Shape(falloffs[falloff], radius or own)
                place, cell = columns.positions[row], int(columns.cells[row])
                numbers[row] = add(self.footprints.measured(shape, place, cell), walks)
            return numbers
        different, indices = np.unique(radii + 1j * which, return_inverse=True)
        shapes = [Shape(falloffs[int(each.imag)], each.real or own) for each in different.tolist()]
        numbers[rows] = np.array([add(shape, walks) for shape in shapes], dtype=np.int64)[indices]
        return numbers

    def _drop_footprints(self) -> None:
        """Forget the footprints that no source has, if they fill the memory."""
        old, applied = self.footprints, self._applied
        if old.size <= max(_MOST_WEIGHTS, 2 * self._used_weights):
            return
        self.footprints = self._no_footprints()
        used = applied.strengths != 0
        wanted, indices = np.unique(applied.numbers[used], return_inverse=True)
        again = [self.footprints.number(old.shapes[each], self.walks) for each in wanted.tolist()]
        applied.numbers = np.zeros_like(applied.numbers)
        applied.numbers[used] = np.array(again, dtype=np.int64)[indices]
        self._used_weights = self.footprints.size

    def _follow(
        self,
        numbers: NDArray[np.int64],
        alive: NDArray[np.bool_],
        cells: NDArray[np.int64],
        strengths: NDArray[np.float32],
        changed: NDArray[np.bool_],
    ) -> None:
        """Begin to apply the changed rows of sources, whose footprints are `numbers`."""
        if len(changed) > len(self._applied):
            more = Emitters.zeros(len(changed) - len(self._applied))
            self._applied = Emitters.joined([self._applied, more])
        most = int(np.count_nonzero(changed))
        rows, jobs = np.empty(most, np.int64), Emitters.zeros(2 * most)
        differing, removed, count = kernels.changes.take(
            numbers, alive, cells, strengths, changed, self._applied.columns, rows, jobs.columns
        )
        walls = self._changed_walls()
        if differing or len(walls) or self.sums.dirty.any():
            walks = self.walks.renewed() if len(walls) else self.walks
            rows, jobs = rows[:differing], jobs.at(np.s_[:count])
            self._work = self._apply(jobs, removed, rows, walls, walks)

    def _changed_walls(self) -> NDArray[np.int64]:
        """Return the cells whose walls have changed since the last call."""
        version, self._walls_version = self._walls_version, self.space.walls_version
        if version == self._walls_version:
            return np.zeros(0, dtype=np.int64)
        return np.asarray(self.space.walls_changed(version))

    def _apply(
        self,
        jobs: Emitters,
        removed: int,
        rows: NDArray[np.int64],
        walls: NDArray[np.int64],
        walks: Walks,
    ) -> Iterator[int]:
        """Take off the first `removed` jobs on the present walks, add the others on the new ones,
        and show it.

        `rows` are those that changed; the other sources that may reach one of the changed `walls`
        follow them.
        """
        if walks is self.walks and self.radial.blend == "sum":
            if self._rebuild_is_cheaper(jobs):
                self.sums.reset()
                jobs = self._applied.at(self._live)
            yield from self._add(jobs, ADD)
        else:
            old, new = jobs.at(np.s_[:removed]), jobs.at(np.s_[removed:])
            self.sums.touch(walls)
            if self.radial.metric != "straight" and len(walls):
                near = self._applied.at(np.setdiff1d(self._near(self.sums.dirty), rows))
                off = Emitters(near.cells, -near.strengths, near.numbers)
                old, new = Emitters.joined([old, off]), Emitters.joined([new, near])
            yield 1
            if self.radial.blend == "sum":
                yield from self._add(old, ADD)
                self.walks = walks
                yield from self._add(new, ADD)
            else:
                self._touch(Emitters.joined([old, new]))
                self._clear_dirty()
                self.walks = walks
                yield 1
                yield from self._add(self._applied.at(self._near(self.sums.dirty)), MAX)
        self.sums.publish(self.shown, self.walks.some_walls)

    @property
    def _live(self) -> NDArray[np.int64]:
        """The rows that hold a source."""
        return np.flatnonzero(self._applied.strengths)

    def _add(self, jobs: Emitters, blend: int) -> Iterator[int]:
        """Blend footprints that are searched into the sums, one a unit of work."""
        size = _BATCH if self._at_once else 1
        for first in range(0, len(jobs), size):
            part = jobs.at(np.s_[first : first + size])
            found = [
                self.footprints.search(self.walks, cell, number)
                for cell, number in zip(part.cells.tolist(), part.numbers.tolist(), strict=True)
            ]
            amounts = [
                weights * strength
                for (_, weights), strength in zip(found, part.strengths.tolist(), strict=True)
            ]
            cells = np.concatenate([cells for cells, _ in found])
            self.sums.scatter(cells, np.concatenate(amounts), blend)
            yield 1

    def _clear_dirty(self) -> None:
        """Set the sums of changed tiles to 0."""
        height, width = self.sums.shape
        tiles = np.repeat(self.sums.dirty != 0, kernels.stamps.TILE_COLUMNS, axis=1)[:, :width]
        self.sums.sums[np.repeat(tiles, kernels.stamps.TILE_ROWS, axis=0)[:height]] = 0

    # What is known of footprints beforehand: nothing on graphs, whose edges may be short cuts

    def _near(self, tiles: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Return the rows of the held sources that may reach one of some tiles, those not 0."""
        return self._live

    def _touch(self, sources: Emitters) -> None:
        """Mark the tiles that sources may reach."""
        if len(sources):
            self.sums.dirty[:] = _ALL_ROWS

    def _rebuild_is_cheaper(self, jobs: Emitters) -> bool:
        """Return whether adding all sources to nothing takes less than applying the changes."""
        return False

    # Questions

    def validate(self, cells: int, most: float | None) -> int:
        """See `RadiatingField.validate`."""
        self.catch_up()
        size = self.sums.sums.size
        first, last = self._validated, min(self._validated + cells, size)
        self._validated = last % size if size else 0
        truth, shown = self._truth(first, last), self.shown.reshape(-1)[first:last]
        sums, walls = (each.reshape(-1)[first:last] for each in (self.sums.sums, self.walks.walls))
        expected = np.where(walls, np.float32(0), (truth / SCALE).astype(np.float32))
        wrong, away = int(np.count_nonzero(expected != shown)), truth - sums
        if most is not None:
            limit = round(min(most * SCALE, 2.0**62))
            away = np.clip(away, -limit, limit)
        if wrong or away.any():
            sums += away
            self.sums.touch(np.arange(first, last))
            self.sums.publish(self.shown, self.walks.some_walls)
        return wrong

    def _truth(self, first: int, last: int) -> NDArray[np.int64]:
        """Return the sums of the cells [first, last), computed from all sources."""
        found, tiles = Accumulator((last - first,)), self.sums.tiles(np.arange(first, last))
        blend = MAX if self.radial.blend == "max" else ADD
        for cell, strength, number in self._applied.at(self._near(tiles)).rows():
            cells, weights = self._footprint(cell, number)
            inside = (cells >= first) & (cells < last)
            found.scatter(cells[inside] - first, weights[inside] * strength, blend)
        return found.sums.reshape(-1)

    def _footprint(self, cell: int, number: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        return self.footprints.around(self.walks, np.array([cell]), np.ones(1), number)

    def attribution(self, cell: int, sources: Sources) -> Attribution:
        """Return what every source that reaches a cell adds; see `Field.attribution`."""
        field = self._fresh(self.radial, sources) if self._is_invalid else self
        rows, amounts = field.contributions(cell)
        return Attribution(sources.ids_of(rows), amounts, "from no source")

    def contributions(self, cell: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the rows of the sources that reach a cell, and what each adds there; with "max",
        only the one that is seen.
        """
        rows = self._near(self.sums.tiles(np.array([cell])))
        amounts = np.zeros(len(rows))
        for i, (start, strength, number) in enumerate(self._applied.at(rows).rows()):
            cells, weights = self._footprint(start, number)
            amounts[i] = np.rint(strength * SCALE * weights[cells == cell]).sum() / SCALE
        rows, amounts = rows[amounts != 0], amounts[amounts != 0]
        if self.radial.blend == "max" and len(rows):
            best = np.lexsort((amounts, np.abs(amounts)))[-1:]
            rows, amounts = rows[best], amounts[best]
        return rows, amounts

    def strongest(self, sources: Sources, version: int) -> NDArray[np.float32]:
        """See `RadiatingField.strongest`. Where sums are shown, a second field follows this one."""
        if self.radial.blend == "max":
            return self.values
        if self._strongest is None or (version != self._strongest_version and self.is_current):
            self._strongest, self._strongest_version = self._updated_strongest(sources), version
        return self._strongest.values

    def _updated_strongest(self, sources: Sources) -> RadialField:
        strongest = replace(self.radial, blend="max")
        if self._is_invalid:
            return self._fresh(strongest, sources)
        field, applied = self._strongest, self._applied
        if (
            field is None
            or field.walks is not self.walks
            or field.footprints is not self.footprints
        ):
            field = self._other(strongest)
            field.walks, field.footprints = self.walks, self.footprints
        field._walls_version = self.space.walls_version  # they show here once this field has them
        alive, changed = (np.ones(len(applied), dtype=np.bool_) for _ in range(2))
        strengths = applied.strengths.astype(np.float32)
        field._follow(applied.numbers, alive, applied.cells, strengths, changed)
        field.catch_up()
        return field

    def _other(self, radial: Radial) -> RadialField:
        """Return another field on the same space, which holds nothing."""
        return type(self)(radial, self.space)

    def _fresh(self, radial: Radial, sources: Sources) -> RadialField:
        """Return another field of the same sources.

        After a restore or a change of parameters this field does not know yet what its values will
        be made of.
        """
        field, copied = self._other(radial), sources.copy()
        copied.all_changed()
        field.resist(self.resistance)
        field.feed(copied)
        field.catch_up()
        return field


def _check_resistance(radial: Radial, resistance: NDArray[np.float32] | None) -> None:
    """Refuse a resistance where distance is not walked."""
    if resistance is not None and radial.metric != "path":
        raise InvalidValue(
            "Cells resist sources that radiate along walks",
            got=f"a resistance with metric={radial.metric!r}",
            remedy='Pass metric="path"',
        )
