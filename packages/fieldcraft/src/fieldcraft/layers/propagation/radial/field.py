"""Values that sources radiate, their validation and attribution."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.base.errors import InvalidValue
from fieldcraft.layers.propagation.propagation import Attribution, checked_resistance
from fieldcraft.layers.propagation.radial.footprints import GridFootprints, footprints_on, too_large
from fieldcraft.layers.propagation.radial.reach_on_grid import GridWalks
from fieldcraft.layers.propagation.radial.updates import Emitters, RadialUpdates
from fieldcraft.layers.propagation.trail.accumulator import (
    ADD,
    MAX,
    SCALE,
    Accumulator,
    in_units,
)
from fieldcraft.layers.sources import Sources
from fieldcraft.space import Grid, Space

if TYPE_CHECKING:
    from fieldcraft.layers.propagation.radial.radial import Radial

_OTHER = -1  # in place of the version of sources: they differ from those of the layer
MOST_STRENGTH = 2.0**20
MOST_SOURCES = 2**18


class RadialField(RadialUpdates):
    """The field of a radial layer: settings, written values, validation, attribution."""

    def __init__(self, radial: Radial, space: Space) -> None:
        super().__init__(radial, space)
        self._validated = 0
        self._strongest: RadialField | None = None
        self._strongest_version = -1

    def limit(self, sources: Sources) -> None:
        """Refuse strengths, numbers and radii that sums could not hold; see
        `RadiatingField.limit`.
        """
        sources.limit(MOST_STRENGTH, MOST_SOURCES, too_large(self.space))

    def tune(self, radial: Radial, every: float) -> None:
        """Set other parameters; all footprints are computed again. See `Field.tune`."""
        radial._check(self.space)
        _check_resistance(radial, self.resistance)
        if radial.exact != self.radial.exact:
            raise InvalidValue(
                "Whether a layer is exact is chosen when it is made",
                got=f"exact={radial.exact}",
                remedy="Add another layer",
                about="exact",
            )
        footprints = footprints_on(self.space, radial.metric, radial.thickness, exact=radial.exact)
        self.radial = radial
        self.footprints = footprints
        self._strongest = None
        self.invalidate()

    def set_resistance(self, resistance: NDArray[np.float32] | None) -> None:
        """Lengthen the walks into cells; all footprints are computed again. See
        `Field.set_resistance`.
        """
        _check_resistance(self.radial, resistance)
        self.resistance = resistance
        self._strongest = None
        self.invalidate()

    def write(self, values: NDArray[np.float32]) -> None:
        """Replace all values, until `validate` corrects them; see `Field.write`."""
        if (np.abs(values) > MOST_STRENGTH).any():
            raise InvalidValue(
                f"Values of a radial layer are at most {MOST_STRENGTH:,.0f} in size",
                got=f"{float(np.abs(values).max()):g}",
                remedy="Count in larger units",
            )
        if self._must_be_fresh:  # the residue is what values differ from the sums
            self._pending = self._sources_taken()
            self._last_fed = None
            self.catch_up()
            self._compares_all = True
        super().write(values)

    def touched(self, cells: NDArray[np.int64] | None) -> None:
        """Take over the values as sums, to the nearest unit, until `validate` corrects them."""
        written = in_units(self.shown)
        if self.radial.blend == "sum":
            before = 0 if self._residue is None else self._residue
            self._residue = written - self.sums.sums + before
        self.sums.sums[:] = written
        self.shown[:] = written / SCALE

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the values, the resistance, and what does not follow from the sources as they are
        now: sources that have changed since the last step, written values, and the next cell to
        validate. See `Field.state`.
        """
        state: dict[str, NDArray[Any]] = {"values": self.values}
        if self.resistance is not None:
            state["resistance"] = self.resistance
        if self._residue is not None:
            state["residue"] = self._residue
        if self._validated:
            state["validated"] = np.array([self._validated], dtype=np.int64)
        return state

    def taken(self, sources: Sources) -> Sources | None:
        """See `Field.taken`."""
        if self._stale is not None:
            if self._stale.rows.version == sources.rows.version:
                return None
            return self._stale
        if self._taken.version == sources.rows.version:
            return None
        return self._sources_taken()

    def _sources_taken(self) -> Sources:
        """Return the sources as they were at the last step."""
        if self._stale is not None:
            return self._stale
        return self._taken.with_applied(self.space, self._applied)

    def take(self, sources: Sources) -> None:
        """See `Field.take`."""
        self._stale = sources.copy()
        self._stale.rows.version = _OTHER

    def restore(self, state: dict[str, NDArray[Any]], sources: Sources) -> None:
        """Set the values of a state, until the next step; see `Field.restore`."""
        if "resistance" in state:
            self.resistance = checked_resistance(state["resistance"], self.space.shape)
        if "residue" in state:
            residue = state["residue"]
            if residue.dtype != np.int64 or residue.shape != self.sums.shape:
                raise ValueError(f"written values of {residue.dtype} and shape {residue.shape}")
            if not (np.abs(residue) < 2**61).all():
                raise ValueError("written values that overflow")
            self._residue = residue.copy()
        if "validated" in state:
            validated = state["validated"]
            if validated.shape != (1,) or not 0 <= int(validated[0]) < max(self.sums.sums.size, 1):
                raise ValueError("a cell to validate that is none")
            self._validated = int(validated[0])
        self.values[...] = state["values"]
        self._is_invalid = True
        self._stale = sources.copy()

    # Questions

    def validate(self, cells: int, most: float | None) -> int:
        """See `RadiatingField.validate`."""
        self.catch_up()
        size = self.sums.sums.size
        first, last = self._validated, min(self._validated + cells, size)
        self._validated = last % size if size else 0
        truth = self._truth(first, last)
        shown = self.shown.reshape(-1)[first:last]
        sums, walls = (each.reshape(-1)[first:last] for each in (self.sums.sums, self.walks.walls))
        expected = np.where(walls, np.float32(0), (truth / SCALE).astype(np.float32))
        wrong = int(np.count_nonzero(expected != shown))
        away = truth - sums
        if most is not None:
            limit = round(min(most * SCALE, 2.0**62))
            away = np.clip(away, -limit, limit)
        if wrong or away.any():
            sums += away
            if self._residue is not None:
                self._residue.reshape(-1)[first:last] += away
            self.sums.touch(np.arange(first, last))
            self.sums.publish(self.shown, self.walks.some_walls)
        return wrong

    def _truth(self, first: int, last: int) -> NDArray[np.int64]:
        """Return the sums of the cells [first, last), computed from all sources."""
        found = Accumulator((last - first,))
        tiles = self.sums.tiles(np.arange(first, last))
        blend = MAX if self.radial.blend == "max" else ADD
        for cell, strength, number in self._applied.at(self._near(tiles)).rows():
            cells, weights = self._footprint(cell, number)
            inside = (cells >= first) & (cells < last)
            found.scatter(cells[inside] - first, weights[inside] * strength, blend)
        return found.sums.reshape(-1)

    def _footprint(self, cell: int, number: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        return self.footprints.around(self.walks, np.array([cell]), np.ones(1), number)

    def attribution(self, cell: int, sources: Sources) -> Attribution:
        """Return the sources that reach a cell, and what each adds; see `Field.attribution`."""
        field = self
        if self._must_be_fresh:
            field = self._fresh(self.radial)
        rows, amounts = field.contributions(cell)
        ids = rows | field._taken.generations[rows] << 32
        return Attribution(ids, amounts, "from no source")

    @property
    def _must_be_fresh(self) -> bool:
        """Whether the sums are not those of the sources at the last step in the present walls."""
        return self._is_invalid or (
            self.is_current and self.space.walls_version != self._walls_version
        )

    def contributions(self, cell: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the rows of the sources that reach a cell, and what each adds there; with "max",
        only the strongest one.
        """
        rows = self._near(self.sums.tiles(np.array([cell])))
        amounts = np.zeros(len(rows))
        for i, (start, strength, number) in enumerate(self._applied.at(rows).rows()):
            cells, weights = self._footprint(start, number)
            amounts[i] = np.rint(strength * SCALE * weights[cells == cell]).sum() / SCALE
        rows = rows[amounts != 0]
        amounts = amounts[amounts != 0]
        if self.radial.blend == "max" and len(rows):
            best = np.lexsort((amounts, np.abs(amounts)))[-1:]
            rows = rows[best]
            amounts = amounts[best]
        return rows, amounts

    def strongest(self, sources: Sources, version: int) -> NDArray[np.float32]:
        """See `RadiatingField.strongest`; with sums, a second field follows this one."""
        if self.radial.blend == "max":
            return self.values
        if self._strongest is None or (version != self._strongest_version and self.is_current):
            self._strongest = self._updated_strongest()
            self._strongest_version = version
        return self._strongest.values

    def _updated_strongest(self) -> RadialField:
        strongest = replace(self.radial, blend="max")
        if self._must_be_fresh:
            return self._fresh(strongest)
        field = self._strongest
        applied = self._applied
        if (
            field is None
            or field.walks is not self.walks
            or field.footprints is not self.footprints
        ):
            field = self._other(strongest)
            field.walks = self.walks
            field.footprints = self.footprints
        field._walls_version = self.space.walls_version  # they show here once this field has them
        alive, changed = (np.ones(len(applied), dtype=np.bool_) for _ in range(2))
        strengths = applied.strengths.astype(np.float32)
        field._follow(applied.numbers, alive, applied.cells, strengths, changed)
        field.catch_up()
        return field

    def _other(self, radial: Radial) -> RadialField:
        """Return another field on the same space, without sources."""
        return type(self)(radial, self.space)

    def _fresh(self, radial: Radial) -> RadialField:
        """Return another field of the sources as they were at the last step, in the present walls
        and with the present resistance.
        """
        field = self._other(radial)
        sources = self._sources_taken().copy()
        sources.rows.all_changed()
        field.set_resistance(self.resistance)
        field.feed(sources)
        field.catch_up()
        return field


def _check_resistance(radial: Radial, resistance: NDArray[np.float32] | None) -> None:
    """Refuse a resistance unless distances are along walks."""
    if resistance is not None and radial.metric != "path":
        raise InvalidValue(
            "Cells resist sources that radiate along walks",
            got=f"a resistance with metric={radial.metric!r}",
            remedy='Pass metric="path"',
        )


_UNIT_CELLS = 100_000  # cells drawn in a unit of work
_AT_ONCE_CELLS = 50_000  # cells taken off, or drawn, that several threads would not do faster
_TILE = np.array([[kernels.trail.stamps.TILE_ROWS], [kernels.trail.stamps.TILE_COLUMNS]])


class GridRadialField(RadialField):
    """See `RadialField`."""

    space: Grid
    footprints: GridFootprints
    walks: GridWalks

    def _can_draw_at_once(
        self,
        numbers: NDArray[np.int64],
        cells: NDArray[np.int64],
        changed: NDArray[np.bool_],
        most: int,
    ) -> bool:
        if not self._at_once or self.lazy or self.radial.exact or self.radial.blend != "sum":
            return False
        if most * self.footprints.tables.largest > _AT_ONCE_CELLS:
            return False
        if self.radial.metric == "straight" or self.walks.are_open:
            return True
        rows = np.flatnonzero(changed)
        before = self._applied.at(rows[self._applied.strengths[rows] != 0])
        now = Emitters(cells[rows], np.zeros(0), numbers[rows])
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
        kernels.radial.changes.follow(
            self.walks.some_walls,
            numbers,
            alive,
            cells,
            strengths,
            (tables.weights, tables.boxes),
            self.space.wrap,
            changed,
            self._applied.columns,
            self.sums.sums,
            self.sums.dirty,
            self.shown,
        )

    def _rebuild_is_cheaper(self, jobs: Emitters) -> bool:
        more = len(jobs) - len(self._live)
        if not self._at_once or self._residue is not None or more <= 0:
            return False
        return more * float(self._sizes(jobs).mean()) > self.sums.sums.size

    def _sizes(self, jobs: Emitters) -> NDArray[np.int64]:
        """Return how many cells footprints cover at most."""
        reaches = self.footprints.reaches[jobs.numbers]
        return np.asarray((2 * reaches + 1) ** 2)

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
            scratch.mark = kernels.radial.radial.connected_many(
                self.walks.ground,
                (part.cells, part.strengths * SCALE, part.numbers),
                footprints.by_square,
                scratch.mark,
                self.sums.sums,
                self.sums.dirty,
                scratch.cells,
                scratch.squares,
                scratch.seen,
            )
        return jobs.at(~mine)

    def _tiles(self, sources: Emitters) -> NDArray[np.int64]:
        """Return the first and the end of the rows and columns of tiles that sources may reach,
        (2, 2, N).

        On a torus, sources that reach across the rim may reach all tiles.
        """
        height, width = self.sums.shape
        reaches = self.footprints.reaches[sources.numbers]
        middles = np.stack(np.divmod(sources.cells, width))
        sizes = np.array([[height], [width]])
        first, last = middles - reaches, middles + reaches
        if self.space.wrap:
            across = ((first < 0) | (last >= sizes)).any(axis=0)
            first, last = np.where(across, 0, first), np.where(across, sizes, last)
        return np.stack([np.maximum(first, 0) // _TILE, np.minimum(last, sizes - 1) // _TILE + 1])

    def _near(self, tiles: NDArray[np.uint8]) -> NDArray[np.int64]:
        live = self._live
        counts = np.zeros((tiles.shape[0] + 1, tiles.shape[1] + 1), dtype=np.int64)
        counts[1:, 1:] = (tiles != 0).cumsum(axis=0).cumsum(axis=1)
        (top, left), (bottom, right) = self._tiles(self._applied.at(live))
        inside = (
            counts[bottom, right] - counts[top, right] - counts[bottom, left] + counts[top, left]
        )
        return np.asarray(live[inside > 0])

    def _touch(self, sources: Emitters) -> None:
        (top, left), (bottom, right) = self._tiles(sources)
        tiles = self.sums.dirty
        changes = np.zeros((tiles.shape[0] + 1, tiles.shape[1] + 1), dtype=np.int64)
        for rows, columns, change in (
            (top, left, 1),
            (bottom, right, 1),
            (top, right, -1),
            (bottom, left, -1),
        ):
            np.add.at(changes, (rows, columns), change)
        tiles[changes.cumsum(axis=0).cumsum(axis=1)[:-1, :-1] > 0] = kernels.trail.stamps.ALL_ROWS
