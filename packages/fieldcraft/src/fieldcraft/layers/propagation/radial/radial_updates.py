"""Exact sums of the footprints of sources, which follow changes of sources and walls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels.radial.radial_arrays import Emissions
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.kernels.trail.stamp_units import ADD, ALL_ROWS, MAX, SCALE, TILE_COLUMNS, TILE_ROWS
from fieldcraft.layers.propagation.accumulator import Accumulator, in_units
from fieldcraft.layers.propagation.radial.footprints import (
    Footprints,
    GridFootprints,
    Shape,
    footprints_on,
    walks_on,
)
from fieldcraft.layers.propagation.radial.radial_sources import Emitters, KnownShapes, Taken
from fieldcraft.layers.propagation.radial.walks import Walks
from fieldcraft.layers.propagation.radial.walks_on_grid import GridWalks
from fieldcraft.layers.sources import Sources, source_ids
from fieldcraft.layers.sources.falloff import Falloff
from fieldcraft.space import Grid, HexGrid, Space
from fieldcraft.space.sight.viewers import SightHeights
from fieldcraft.space.wrapping import wraps_everywhere

if TYPE_CHECKING:
    from fieldcraft.layers.propagation.radial.radial import Radial


_MOST_WEIGHTS = 4_000_000  # weights of footprints: 32 MB
_BATCH = 64  # footprints that are searched before they are added


class RadialUpdates:
    """Exact sums of what live sources radiate, and their float32 values.

    Changes are applied by a generator that stops after each unit of work: `catch_up` runs it as far
    as it may. Until the last unit, `values` are those of the last complete state.
    """

    def __init__(self, radial: Radial, space: Space) -> None:
        self.space = space
        self.radial = radial
        self.resistance: NDArray[np.float32] | None = None
        self.heights: SightHeights | None = None
        self.footprints = self._no_footprints()
        self._own_footprint: tuple[Footprints | None, int] = (None, 0)
        self._known_shapes: KnownShapes | None = None
        self.walks: Walks = walks_on(space)
        self.sums = self._no_sums()
        self.applied = Emitters.zeros(0)
        """The sources in the sums, by row."""
        self._pending: Sources | None = None
        self._last_fed: tuple[Sources, int, int] | None = None
        self._work: Iterator[int] | None = None
        self._at_once = True
        self.is_invalid = False
        """Whether the next step adds all sources again."""
        self.residue: NDArray[np.int64] | None = None
        """What written values add to the sums of all sources."""
        self._written: NDArray[np.bool_] | None = None
        """With blend="max": the cells, flat, whose sums are what was written there."""
        self._restored: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None
        """After a copy: the cells that were written to, and their sums."""
        self.taken = Taken.of(Sources(space), exact=radial.exact)
        """What else is known of the sources at the last step."""
        self._compares_all = False
        self.stale: Sources | None = None
        """After a copy: the sources as they were at the last step, which the sums lack."""
        self.walls_version = space.walls_version
        self._used_weights = 0

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

    @property
    def is_complete(self) -> bool:
        """Whether the sums are those of the applied sources in the present walls."""
        return self._work is None and not self.must_be_fresh

    @property
    def must_be_fresh(self) -> bool:
        """Whether the sums are not those of the sources at the last step in the present walls."""
        return self.is_invalid or (
            self.is_current and self.space.walls_version != self.walls_version
        )

    # Settings, written values and saves

    def set_radial(self, radial: Radial) -> None:
        """Set other parameters; all footprints are computed again."""
        footprints = footprints_on(self.space, radial.metric, radial.thickness, exact=radial.exact)
        self.radial = radial
        self.footprints = footprints
        self.invalidate()

    def set_resistance(self, resistance: NDArray[np.float32] | None) -> None:
        """Lengthen the walks into cells; all footprints are computed again."""
        self.resistance = resistance
        self.invalidate()

    def set_heights(self, heights: SightHeights | None) -> None:
        """Let the ground hide; all footprints are computed again."""
        self.heights = heights
        self.invalidate()

    def refresh(self) -> None:
        """Before values are written: apply the present walls to the sources of the last step, since
        the residue is what values differ from the sums.
        """
        if self.must_be_fresh:
            self._pending = self.sources_taken()
            self._last_fed = None
            self.catch_up()
            self._compares_all = True

    def take_over_values(self) -> None:
        """Take the values as sums, to the nearest unit, until they are corrected."""
        written = in_units(self.shown)
        if self.radial.blend == "sum":
            before = 0 if self.residue is None else self.residue
            self.residue = written - self.sums.sums + before
        else:
            self._written = np.ones(written.size, dtype=np.bool_)
        self.sums.sums[:] = written
        self.shown[:] = written / SCALE

    def written(self) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """Return the cells that still have what was written there after the next step unless
        sources change, and their sums; None with blend="sum", and without such cells.
        """
        self._continue_from_restored()
        if self._written is None:
            return None
        cells = np.flatnonzero(self._written & ~self._touched_by_walls())
        if not len(cells):
            return None
        return cells, self.sums.sums.reshape(-1)[cells]

    def _touched_by_walls(self) -> NDArray[np.bool_]:
        """Return the cells that the next step computes again since walls have changed, flat."""
        walls = np.asarray(self.space.walls_changed(self.walls_version))
        before = self.sums.dirty.copy()
        try:
            if len(walls):
                self.sums.touch(walls)
                if self.radial.metric != "straight":
                    self._touch(self.applied.at(self.near(self.sums.dirty)))
            return self.sums.in_changed_tiles().reshape(-1)
        finally:
            self.sums.dirty[:] = before

    def forget_written(self, first: int, last: int) -> None:
        """The cells [first, last) have the sums of their sources again."""
        if self._written is not None:
            self._written[first:last] = False

    def _continue_from_restored(self) -> None:
        """Compute the sums of a copy with values that were written with blend="max"."""
        if self._restored is None:
            return
        cells, sums = self._restored
        self._restored = None
        shown = self.shown.copy()
        walls_version = self.walls_version
        self._begin(self.sources_taken().copy())
        while self._work is not None and next(self._work, None) is not None:
            pass
        self._work = None
        self._compares_all = True
        self.sums.sums.reshape(-1)[cells] = sums
        self._written = np.zeros(self.shown.size, dtype=np.bool_)
        self._written[cells] = True
        # Where walls have changed since the last step, the next one shows what follows from them.
        self.walls_version = walls_version
        differing = (self.shown != shown).reshape(-1) & ~self._written
        self.shown[:] = shown
        self.sums.touch(np.flatnonzero(differing))

    def sources_taken(self) -> Sources:
        """Return the sources as they were at the last step."""
        if self.stale is not None:
            return self.stale
        return self.taken.with_applied(self.space, self.applied)

    def restore(
        self,
        values: NDArray[np.float32],
        resistance: NDArray[np.float32] | None,
        heights: SightHeights | None,
        residue: NDArray[np.int64] | None,
        written: tuple[NDArray[np.int64], NDArray[np.int64]] | None,
        sources: Sources,
    ) -> None:
        """Show values until the next step, which adds the sources again."""
        self.resistance = resistance
        self.heights = heights
        self.residue = residue
        self._restored = written
        self.values[...] = values
        self.is_invalid = True
        self.stale = sources.copy()

    # Sums without one source

    def values_near(
        self, cells: NDArray[np.int64], columns: int, ids: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Return the values of `cells` (N, k), row i without the source `ids[i]`, as it was
        applied; see `RadiatingField.values_near`.
        """
        rows = source_ids.rows_of(ids)
        is_known = rows < len(self.taken.generations)
        generations = self.taken.generations[rows[is_known]]
        is_known[is_known] = generations == source_ids.generations_of(ids[is_known])
        sources = Emitters.zeros(len(ids))
        applied = self.applied.at(rows[is_known])
        sources.cells[is_known] = applied.cells
        sources.strengths[is_known] = applied.strengths
        sources.numbers[is_known] = applied.numbers
        if not len(self.footprints.shapes):  # no source was ever applied
            sources.numbers[:] = self._own_number()
        found = np.empty(cells.shape, dtype=np.float32)
        self._write_values_near(cells, columns, sources, found)
        return found

    def _write_values_near(
        self,
        cells: NDArray[np.int64],
        columns: int,
        sources: Emitters,
        found: NDArray[np.float32],
    ) -> None:
        """Write the sums of `cells` (N, k) without source i in row i, as float32."""
        parts = [
            self.footprints.search(self.walks, cell, number)
            for cell, number in zip(sources.cells.tolist(), sources.numbers.tolist(), strict=True)
        ]
        starts = np.zeros(len(parts) + 1, dtype=np.int64)
        np.cumsum([len(part[0]) for part in parts], out=starts[1:])
        covered = np.concatenate([np.zeros(0, dtype=np.int64), *(part[0] for part in parts)])
        weights = np.concatenate([np.zeros(0), *(part[1] for part in parts)])
        footprints = (starts, covered, weights)
        if not isinstance(self.space, Grid) or self.space.wrap:
            columns = 1  # an edge may cut a rectangle
        sums = self.sums.sums
        walls = self._rows_of_walls()
        scratch = self.sums.scratch[0]
        kernels.radial.exclusion.listed(
            sums, walls, cells, sources.strengths, footprints, columns, found, scratch
        )

    def _rows_of_walls(self) -> NDArray[np.bool_] | None:
        """Return the walls in the shape of the sums, if there are any."""
        walls = self.walks.some_walls
        if walls is None:
            return None
        return read_only(walls.reshape(self.sums.shape))

    # Following the sources

    def feed(self, sources: Sources) -> None:
        """Apply changes from the next step on, after the work under way; see `Field.feed`."""
        now = (sources, sources.rows.version, self.space.walls_version)
        if self._work is None and (self.is_invalid or now != self._last_fed):
            self._pending = sources
            self._last_fed = now

    def invalidate(self) -> None:
        """Add all sources again at the next step, without what was written; see
        `Field.invalidate`.
        """
        self._work = self._pending = None
        self.is_invalid = True
        self.residue = None
        self._written = None
        self._restored = None

    def catch_up(self, units: int | None = None) -> int:
        """Do at most `units` units of the work under way (None: all of it); return their number."""
        self._at_once = units is None
        if self._pending is not None:
            sources = self._pending
            self._pending = None
            self._begin(sources)
        made = 0
        while self._work is not None and (units is None or made < units):
            if next(self._work, None) is None:
                self._work = None
            else:
                made += 1
        return made

    def _begin(self, sources: Sources) -> None:
        self._continue_from_restored()
        if self.is_invalid:
            self.stale = None
            self.is_invalid = False
            self.walls_version = self.space.walls_version
            self.walks = walks_on(self.space, self.resistance, self.heights)
            self.sums.reset()
            if self.residue is not None:
                self.sums.sums += self.residue
            self.applied = Emitters.zeros(0)
            self._compares_all = True
        if self._compares_all:
            self._compares_all = False
            sources.rows.all_changed()
        self.taken = Taken.of(sources, exact=self.radial.exact)
        held = sources.rows
        self.follow(
            self._numbers(sources),
            held.alive,
            held.cells,
            held.strengths,
            held.changed,
        )

    def _numbers(self, sources: Sources) -> NDArray[np.int64]:
        """Return the footprints of the rows of sources that have changed; 0 for others."""
        self._drop_footprints()
        held = sources.rows
        if not self.radial.exact and not sources.have_shapes:
            return np.full(len(held.alive), self._own_number(), dtype=np.int64)
        if self.radial.exact:
            return self._measured_numbers(sources)
        return self._shaped_numbers(sources)

    def _measured_numbers(self, sources: Sources) -> NDArray[np.int64]:
        """Return the footprints of changed rows, each measured from its source's position."""
        held = sources.rows
        numbers = np.zeros(len(held.alive), dtype=np.int64)
        falloffs = [Falloff.of(self.radial.falloff), *sources.falloffs]
        rows = np.flatnonzero(held.changed & held.alive)
        which = held.falloffs[rows].tolist()
        radii = held.radii[rows].tolist()
        places = self._places(held.positions[rows], held.cells[rows])
        for place, falloff, radius, row in zip(places, which, radii, rows.tolist(), strict=True):
            shape = Shape(falloffs[falloff], radius or self.radial.radius)
            measured = self.footprints.measured(shape, place, int(held.cells[row]))
            numbers[row] = self.footprints.number(measured, self.walks)
        return numbers

    def _shaped_numbers(self, sources: Sources) -> NDArray[np.int64]:
        """Return the footprints of rows by their radii and falloffs; those of the last call, where
        these are the same.
        """
        held = sources.rows
        known = self._known_shapes
        if known is None or not known.fits(self.footprints, sources):
            known = self._known_shapes = KnownShapes.none(self.footprints, sources)
        rows = np.flatnonzero(held.changed & held.alive)
        rows = rows[
            (known.radii[rows] != held.radii[rows]) | (known.falloffs[rows] != held.falloffs[rows])
        ]
        if len(rows):
            radii = held.radii[rows]
            which = held.falloffs[rows]
            # Ctrl-C between two lines leaves rows that count as unknown.
            known.numbers[rows] = self._numbers_of_shapes(sources, radii, which)
            known.falloffs[rows] = which
            known.radii[rows] = radii
        return known.numbers

    def _numbers_of_shapes(
        self, sources: Sources, radii: NDArray[np.float64], which: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the footprints of radii and falloffs, (N,); see `Rows`."""
        falloffs = [Falloff.of(self.radial.falloff), *sources.falloffs]
        different, indices = np.unique(radii + 1j * which, return_inverse=True)
        numbers = [
            self.footprints.number(
                Shape(falloffs[int(each.imag)], each.real or self.radial.radius), self.walks
            )
            for each in different.tolist()
        ]
        return np.array(numbers, dtype=np.int64)[indices]

    def _own_number(self) -> int:
        """Return the footprint of sources with the radius and the falloff of the layer."""
        footprints, number = self._own_footprint
        if footprints is not self.footprints:
            shape = Shape(Falloff.of(self.radial.falloff), self.radial.radius)
            number = self.footprints.number(shape, self.walks)
            self._own_footprint = (self.footprints, number)
        return number

    def _places(
        self, positions: NDArray[np.float64], cells: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the positions that distances are measured from: for sources that act from the
        open cell nearest to a wall its center, for those off the map a place on the rim.
        """
        space = self.space
        places = positions
        if isinstance(space, Grid | HexGrid) and not wraps_everywhere(space.period):
            low, high = space.extent
            if space.period is not None:
                low = np.where(np.isfinite(space.period), -np.inf, low)
                high = np.where(np.isfinite(space.period), np.inf, high)
            places = np.clip(positions, low, high)
        moved = np.asarray(space.cell_at(positions, outside="clamp")) != cells
        return np.where(moved[:, np.newaxis], space.position_of(cells), places)

    def _drop_footprints(self) -> None:
        """Drop the footprints without a source, if they fill the memory."""
        old = self.footprints
        applied = self.applied
        if old.size <= max(_MOST_WEIGHTS, 2 * self._used_weights):
            return
        self.footprints = self._no_footprints()
        used = applied.strengths != 0
        wanted, indices = np.unique(applied.numbers[used], return_inverse=True)
        again = [self.footprints.number(old.shapes[each], self.walks) for each in wanted.tolist()]
        applied.numbers = np.zeros_like(applied.numbers)
        applied.numbers[used] = np.array(again, dtype=np.int64)[indices]
        self._used_weights = self.footprints.size

    def follow(
        self,
        numbers: NDArray[np.int64],
        alive: NDArray[np.bool_],
        cells: NDArray[np.int64],
        strengths: NDArray[np.float32],
        changed: NDArray[np.bool_],
    ) -> None:
        """Begin to apply the changed rows of sources with these footprint numbers."""
        if len(changed) > len(self.applied):
            more = Emitters.zeros(len(changed) - len(self.applied))
            self.applied = Emitters.joined([self.applied, more])
        most = int(np.count_nonzero(changed))
        walls = self._changed_walls()
        if not len(walls) and self._can_draw_at_once(numbers, alive, cells, changed, most):
            self._draw_at_once(numbers, alive, cells, strengths, changed)
            return
        rows = np.empty(most, np.int64)
        jobs = Emitters.zeros(2 * most)
        differing, removed, count = kernels.radial.source_changes.take(
            numbers, alive, cells, strengths, changed, self.applied.columns, rows, jobs.columns
        )
        if differing or len(walls) or self.sums.dirty.any():
            if len(walls):
                walks = self.walks.renewed()
            else:
                walks = self.walks
            rows = rows[:differing]
            jobs = jobs.at(np.s_[:count])
            self._work = self._apply(jobs, removed, rows, walls, walks)

    def _changed_walls(self) -> NDArray[np.int64]:
        """Return the cells that became or stopped being walls since the last call."""
        version = self.walls_version
        self.walls_version = self.space.walls_version
        if version == self.walls_version:
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
        """Subtract the first `removed` jobs on the present walks, add the others on the new ones,
        and publish the sums.

        `rows` have changed; other sources that may reach one of the changed `walls` are subtracted
        and added, too.
        """
        if walks is self.walks and self.radial.blend == "sum":
            if self._rebuild_is_cheaper(jobs):
                self.sums.reset()
                jobs = self.applied.at(self._live)
            yield from self._add(jobs, ADD)
        else:
            old = jobs.at(np.s_[:removed])
            new = jobs.at(np.s_[removed:])
            self.sums.touch(walls)
            if self.radial.metric != "straight" and len(walls):
                has_changed = np.zeros(len(self.applied), dtype=np.bool_)
                has_changed[rows] = True
                unchanged = self.near(self.sums.dirty)
                near = self.applied.at(unchanged[~has_changed[unchanged]])
                off = Emitters(near.cells, -near.strengths, near.numbers)
                old = Emitters.joined([old, off])
                new = Emitters.joined([new, near])
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
                yield from self._add(self.applied.at(self.near(self.sums.dirty)), MAX)
        self.sums.publish(self.shown, self.walks.some_walls)

    @property
    def _live(self) -> NDArray[np.int64]:
        """The rows that hold a source."""
        return np.flatnonzero(self.applied.strengths)

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
        """Set the sums of changed tiles to 0; all of their rows count as changed."""
        self.sums.dirty[self.sums.dirty != 0] = ALL_ROWS
        cells = self.sums.in_changed_tiles()
        self.sums.sums[cells] = 0
        if self._written is not None:
            self._written[cells.reshape(-1)] = False

    # Few sources with footprints that need no search

    def _can_draw_at_once(
        self,
        numbers: NDArray[np.int64],
        alive: NDArray[np.bool_],
        cells: NDArray[np.int64],
        changed: NDArray[np.bool_],
        most: int,
    ) -> bool:
        """Return whether one call may apply the changed rows of sources, `most` of them: they are
        few, and no footprint needs a search.
        """
        return False

    def _draw_at_once(
        self,
        numbers: NDArray[np.int64],
        alive: NDArray[np.bool_],
        cells: NDArray[np.int64],
        strengths: NDArray[np.float32],
        changed: NDArray[np.bool_],
    ) -> None:
        """Apply the changed rows of sources and publish the sums, in one call."""
        raise NotImplementedError

    # Bounds of footprints: none on graphs, since edges may be short cuts

    def near(self, tiles: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Return the rows of the held sources that may reach one of some tiles, those not 0."""
        return self._live

    def _touch(self, sources: Emitters) -> None:
        """Mark the tiles that sources may reach."""
        if len(sources):
            self.sums.dirty[:] = ALL_ROWS

    def _rebuild_is_cheaper(self, jobs: Emitters) -> bool:
        """Return whether adding all sources to nothing takes less than applying the changes."""
        return False


_UNIT_CELLS = 100_000  # cells drawn in a unit of work
_AT_ONCE_CELLS = 100_000  # cells taken off, or drawn, that several threads would not do faster


class GridRadialUpdates(RadialUpdates):
    """Sums on a grid: footprints are drawn in one call, and have bounds."""

    space: Grid
    footprints: GridFootprints
    walks: GridWalks

    def _can_draw_at_once(
        self,
        numbers: NDArray[np.int64],
        alive: NDArray[np.bool_],
        cells: NDArray[np.int64],
        changed: NDArray[np.bool_],
        most: int,
    ) -> bool:
        if not self._at_once or self.radial.exact or self.radial.blend != "sum":
            return False
        if most * self.footprints.tables.largest > _AT_ONCE_CELLS:
            return False
        if self.radial.metric == "straight" or self.walks.are_open:
            return True
        rows = np.flatnonzero(changed)
        before = self.applied.at(rows[self.applied.strengths[rows] != 0])
        new = rows[alive[rows]]  # others may have no footprint
        now = Emitters(cells[new], np.zeros(0), numbers[new])
        return all(
            bool(self.footprints.are_drawn(self.walks, part.cells, part.numbers).all())
            for part in (before, now)
        )

    def _draw_at_once(
        self,
        numbers: NDArray[np.int64],
        alive: NDArray[np.bool_],
        cells: NDArray[np.int64],
        strengths: NDArray[np.float32],
        changed: NDArray[np.bool_],
    ) -> None:
        tables = self.footprints.tables
        kernels.radial.source_changes.follow(
            self.walks.some_walls,
            numbers,
            alive,
            cells,
            strengths,
            tables.arrays,
            self.space.wrap_flags,
            changed,
            self.applied.columns,
            self.sums.sums,
            self.sums.dirty,
            self.shown,
        )

    def _write_values_near(
        self,
        cells: NDArray[np.int64],
        columns: int,
        sources: Emitters,
        found: NDArray[np.float32],
    ) -> None:
        drawn = self.footprints.are_drawn(self.walks, sources.cells, sources.numbers)
        if not drawn.all():
            others = np.empty((len(cells) - np.count_nonzero(drawn), cells.shape[1]), np.float32)
            super()._write_values_near(cells[~drawn], columns, sources.at(~drawn), others)
            found[~drawn] = others
        if drawn.all():
            self._write_drawn(cells, columns, sources, found)
        elif drawn.any():
            some = np.empty((int(np.count_nonzero(drawn)), cells.shape[1]), np.float32)
            self._write_drawn(cells[drawn], columns, sources.at(drawn), some)
            found[drawn] = some

    def _write_drawn(
        self,
        cells: NDArray[np.int64],
        columns: int,
        sources: Emitters,
        found: NDArray[np.float32],
    ) -> None:
        """See `_write_values_near`, for sources whose footprints are drawn from tables."""
        tables = self.footprints.tables
        scratch, dirty = self.sums.scratch
        kernels.radial.exclusion.drawn(
            self.sums.sums,
            self._rows_of_walls(),
            cells,
            sources.columns,
            (tables.weights, tables.boxes),
            columns,
            self.space.wrap_flags,
            found,
            scratch,
            dirty,
            np.empty(cells.shape[1], dtype=np.int64),
        )

    def _rebuild_is_cheaper(self, jobs: Emitters) -> bool:
        more = len(jobs) - len(self._live)
        if not self._at_once or self.residue is not None or more <= 0:
            return False
        return more * float(self._sizes(jobs).mean()) > self.sums.sums.size

    def _sizes(self, jobs: Emitters) -> NDArray[np.int64]:
        """Return how many cells footprints cover at most."""
        sizes = (2 * self.footprints.reaches + 1) ** 2
        return sizes.take(jobs.numbers)

    def _add(self, jobs: Emitters, blend: int) -> Iterator[int]:
        if self._at_once:
            yield from self._add_part(jobs, blend)
            return
        ends = np.cumsum(self._sizes(jobs))
        first = 0
        while first < len(jobs):
            done = ends[first - 1] if first else 0
            last = max(first + 1, int(np.searchsorted(ends, done + _UNIT_CELLS, side="right")))
            yield from self._add_part(jobs.at(np.s_[first:last]), blend)
            first = last

    def _add_part(self, jobs: Emitters, blend: int) -> Iterator[int]:
        drawn = self.footprints.are_drawn(self.walks, jobs.cells, jobs.numbers)
        is_any = drawn.any()
        are_all = drawn.all()
        if is_any:
            if are_all:
                part = jobs
            else:
                part = jobs.at(drawn)
            self.sums.draw(self.footprints.drawing(part.cells, part.numbers), part.strengths, blend)
            yield 1
        if not are_all:
            yield from super()._add(self._add_connected(jobs.at(~drawn), blend), blend)

    def _add_connected(self, jobs: Emitters, blend: int) -> Emitters:
        """Search and add connected footprints in one call; return the jobs that are left."""
        radial = self.radial
        footprints = self.footprints
        if not self._at_once or radial.metric != "connected" or blend != ADD or radial.exact:
            return jobs
        mine = np.ones(len(jobs), dtype=np.bool_)
        if radial.thickness > 0:
            mine = ~self.walks.walls.reshape(-1)[jobs.cells]
        part = jobs.at(mine)
        if len(part):
            scratch = self.walks.scratch(float(footprints.reaches[part.numbers].max()))
            scratch.mark = kernels.radial.radial_search.connected_many(
                self.walks.ground,
                Emissions(part.cells, part.strengths * SCALE, part.numbers),
                footprints.by_square,
                scratch.mark,
                self.sums.sums,
                self.sums.dirty,
                scratch.cells,
                scratch.squares,
                scratch.seen,
            )
        return jobs.at(~mine)

    def _tiles(self, sources: Emitters) -> tuple[NDArray[np.int64], ...]:
        """Return the first row and column of tiles that sources may reach, and the ones after the
        last: top, left, bottom and right, (N,) each.

        Sources that reach across an edge that wraps may reach all tiles.
        """
        height, width = self.sums.shape
        reaches = self.footprints.reaches.take(sources.numbers)
        rows = sources.cells // width
        columns = sources.cells - rows * width
        top = rows - reaches
        left = columns - reaches
        bottom = rows + reaches
        right = columns + reaches
        if self.space.wrap:
            across = np.zeros(len(top), dtype=np.bool_)
            if self.space.wraps_y:
                across |= (top < 0) | (bottom >= height)
            if self.space.wraps_x:
                across |= (left < 0) | (right >= width)
            for first, last, size in ((top, bottom, height), (left, right, width)):
                first[across] = 0
                last[across] = size
        for first, last, size, tile in (
            (top, bottom, height, TILE_ROWS),
            (left, right, width, TILE_COLUMNS),
        ):
            np.maximum(first, 0, out=first)
            np.minimum(last, size - 1, out=last)
            np.floor_divide(first, tile, out=first)
            np.floor_divide(last, tile, out=last)
            last += 1
        return top, left, bottom, right

    def near(self, tiles: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Return the rows of the held sources that may reach one of some tiles, those not 0."""
        live = self._live
        counts = np.zeros((tiles.shape[0] + 1, tiles.shape[1] + 1), dtype=np.int64)
        counts[1:, 1:] = (tiles != 0).cumsum(axis=0).cumsum(axis=1)
        top, left, bottom, right = self._tiles(self.applied.at(live))
        inside = (
            counts[bottom, right] - counts[top, right] - counts[bottom, left] + counts[top, left]
        )
        return np.asarray(live[inside > 0])

    def _touch(self, sources: Emitters) -> None:
        top, left, bottom, right = self._tiles(sources)
        tiles = self.sums.dirty
        across = tiles.shape[1] + 1
        size = (tiles.shape[0] + 1) * across
        changes = np.zeros(size, dtype=np.int64)
        for rows, columns in ((top, left), (bottom, right)):
            changes += np.bincount(rows * across + columns, minlength=size)
        for rows, columns in ((top, right), (bottom, left)):
            changes -= np.bincount(rows * across + columns, minlength=size)
        changes = changes.reshape(-1, across)
        tiles[changes.cumsum(axis=0).cumsum(axis=1)[:-1, :-1] > 0] = ALL_ROWS


def updates_on(radial: Radial, space: Space) -> RadialUpdates:
    """Return the sums of a space, all 0."""
    if isinstance(space, Grid):
        return GridRadialUpdates(radial, space)
    return RadialUpdates(radial, space)
