"""Values that sources radiate, their validation and attribution."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.interruption import poll_interrupt
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.kernels.trail.stamp_units import ADD, MAX, SCALE
from fieldcraft.layers.propagation.accumulator import Accumulator
from fieldcraft.layers.propagation.propagation import (
    Attribution,
    RadiatingField,
    checked_pins,
    checked_resistance,
)
from fieldcraft.layers.propagation.radial.footprints import too_large
from fieldcraft.layers.propagation.radial.radial import MOST_STRENGTH
from fieldcraft.layers.propagation.radial.radial_updates import RadialUpdates, updates_on
from fieldcraft.layers.sources import Sources, source_ids
from fieldcraft.space import Space
from fieldcraft.space.kinds import sight_grid_of
from fieldcraft.space.sight.viewers import SightHeights

if TYPE_CHECKING:
    from fieldcraft.layers.propagation.radial.radial import Radial

_OTHER = -1  # in place of the version of sources: they differ from those of the layer
MOST_SOURCES = 2**18


class RadialField(RadiatingField):
    """The field of a radial layer: settings, written values, validation, attribution; `updates`
    apply changes of sources and walls to its values.
    """

    def __init__(self, updates: RadialUpdates) -> None:
        self.space = updates.space
        self.updates = updates
        self._validated = 0
        self._strongest: RadialField | None = None
        self._strongest_version = -1

    @property
    def radial(self) -> Radial:
        """The settings."""
        return self.updates.radial

    @property
    def values(self) -> NDArray[np.float32]:
        """The values of the last complete state, in the shape of the space."""
        return self.updates.values

    @property
    def resistance(self) -> NDArray[np.float32] | None:  # type: ignore[override]
        """The resistance of each cell, or None."""
        return self.updates.resistance

    @property
    def heights(self) -> SightHeights | None:  # type: ignore[override]
        """How high the ground and eyes above it are, or None."""
        return self.updates.heights

    def limit(self, sources: Sources) -> None:
        """Refuse strengths, numbers and radii that sums could not hold; see
        `RadiatingField.limit`.
        """
        sources.limit(MOST_STRENGTH, MOST_SOURCES, too_large(self.space))

    def tune(self, radial: Radial, every: float) -> None:
        """Set other parameters; all footprints are computed again. See `Field.tune`."""
        radial._check(self.space)
        _check_resistance(radial, self.resistance)
        if self.heights is not None:
            check_heights(radial)
        if radial.exact != self.radial.exact:
            raise InvalidValue(
                "Whether a layer is exact is chosen when it is made",
                got=f"exact={radial.exact}",
                remedy="Add another layer",
                about="exact",
            )
        self.updates.set_radial(radial)
        self._strongest = None

    def set_resistance(self, resistance: NDArray[np.float32] | None) -> None:
        """Lengthen the walks into cells; all footprints are computed again. See
        `Field.set_resistance`.
        """
        _check_resistance(self.radial, resistance)
        self.updates.set_resistance(resistance)
        self._strongest = None

    def set_heights(self, heights: SightHeights | None) -> None:
        """Let the ground hide cells from sources; all footprints are computed again."""
        if heights is not None:
            check_heights(self.radial)
        self.updates.set_heights(heights)
        self._strongest = None

    def write(self, values: NDArray[np.float32]) -> None:
        """Replace all values, until `validate` corrects them; see `Field.write`."""
        if (np.abs(values) > MOST_STRENGTH).any():
            raise InvalidValue(
                f"Values of a radial layer are at most {MOST_STRENGTH:,.0f} in size",
                got=f"{float(np.abs(values).max()):g}",
                remedy="Count in larger units",
            )
        self.updates.refresh()
        super().write(values)

    def touched(self, cells: NDArray[np.int64] | None) -> None:
        """Take over the values as sums, to the nearest unit, until `validate` corrects them."""
        self.updates.take_over_values()

    # Steps

    def feed(self, sources: Sources) -> None:
        """Apply changes from the next step on, after the work under way; see `Field.feed`."""
        self.updates.feed(sources)

    def run(self, count: int) -> None:
        """Apply all changes, if there are steps at all."""
        if count:
            self.updates.catch_up()

    def step_in_units(self) -> Iterator[None]:
        """Apply all changes in units of work; see `Field.step_in_units`."""
        while self.updates.catch_up(1):
            yield

    def settle(self) -> None:
        """Apply all changes."""
        while self.updates.catch_up(1):
            poll_interrupt()

    def invalidate(self) -> None:
        """Add all sources again at the next step, without what was written; see
        `Field.invalidate`.
        """
        self.updates.invalidate()

    # Saves

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the values, the resistance, and what does not follow from the sources as they are
        now: sources that have changed since the last step, written values, and the next cell to
        validate. See `Field.state`.
        """
        state: dict[str, NDArray[Any]] = {"values": self.values}
        if self.resistance is not None:
            state["resistance"] = self.resistance
        if self.heights is not None:
            state["heights"] = self.heights.ground
            state["eye"] = np.array([self.heights.eye])
        if self.updates.residue is not None:
            state["residue"] = self.updates.residue
        written = self.updates.written()
        if written is not None:
            state["written"], state["written_sums"] = written
        if self._validated:
            state["validated"] = np.array([self._validated], dtype=np.int64)
        return state

    def taken(self, sources: Sources) -> Sources | None:
        """See `Field.taken`."""
        updates = self.updates
        if updates.stale is not None:
            version = updates.stale.rows.version
        else:
            version = updates.taken.version
        if version == sources.rows.version:
            return None
        return updates.sources_taken()

    def take(self, sources: Sources) -> None:
        """See `Field.take`."""
        stale = sources.copy()
        stale.rows.version = _OTHER
        self.updates.stale = stale

    def restore(self, state: Mapping[str, NDArray[Any]], sources: Sources) -> None:
        """Set the values of a state, until the next step; see `Field.restore`."""
        resistance = self.updates.resistance
        if "resistance" in state:
            resistance = checked_resistance(state["resistance"], self.space.shape)
        heights = self.updates.heights
        if "heights" in state:
            heights = self._checked_heights(state)
        residue = self.updates.residue
        size = self.updates.sums.sums.size
        if "residue" in state:
            residue = state["residue"].copy()
            if residue.dtype != np.int64 or residue.shape != self.updates.sums.shape:
                raise ValueError(f"written values of {residue.dtype} and shape {residue.shape}")
            if not (np.abs(residue) < 2**61).all():
                raise ValueError("written values that overflow")
        written = None
        if "written" in state:
            written = self._checked_written(state)
        if "validated" in state:
            validated = state["validated"]
            if validated.shape != (1,) or not 0 <= int(validated[0]) < max(size, 1):
                raise ValueError("a cell to validate that is none")
            self._validated = int(validated[0])
        self.updates.restore(state["values"], resistance, heights, residue, written, sources)

    def _checked_heights(self, state: Mapping[str, NDArray[Any]]) -> SightHeights:
        """Return the heights of a state; raises ValueError for ones that do not fit."""
        ground = state["heights"]
        eye = state["eye"]
        shape = shape_of_sight(self.space)
        if ground.dtype != np.float32 or ground.shape != shape or not np.isfinite(ground).all():
            raise ValueError("heights that do not fit the map")
        if eye.dtype != np.float64 or eye.shape != (1,) or not 0 <= float(eye[0]) < np.inf:
            raise ValueError("an eye that is no height")
        return SightHeights(read_only(ground.copy()), float(eye[0]))

    def _checked_written(
        self, state: Mapping[str, NDArray[Any]]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the cells of a state that were written to, and their sums."""
        cells = checked_pins(state["written"], self.updates.sums.sums.size)
        sums = state.get("written_sums")
        if self.radial.blend != "max":
            raise ValueError("written values of another blend")
        if sums is None or sums.dtype != np.int64 or sums.shape != cells.shape:
            raise ValueError("written values that are not one for each cell")
        if not (np.abs(sums) < 2**61).all():
            raise ValueError("written values that overflow")
        return cells.copy(), sums.copy()

    # Questions

    def validate(self, cells: int, most: float | None) -> int:
        """See `RadiatingField.validate`."""
        updates = self.updates
        updates.catch_up()
        size = updates.sums.sums.size
        first = self._validated
        last = min(first + cells, size)
        self._validated = last % size if size else 0
        truth = self._truth(first, last)
        shown = updates.shown.reshape(-1)[first:last]
        sums = updates.sums.sums.reshape(-1)[first:last]
        walls = updates.walks.walls.reshape(-1)[first:last]
        expected = np.where(walls, np.float32(0), (truth / SCALE).astype(np.float32))
        wrong = int(np.count_nonzero(expected != shown))
        away = truth - sums
        if most is not None:
            limit = round(min(most * SCALE, 2.0**62))
            away = np.clip(away, -limit, limit)
        if wrong or away.any():
            sums += away
            if updates.residue is not None:
                updates.residue.reshape(-1)[first:last] += away
            updates.sums.touch(np.arange(first, last))
            updates.sums.publish(updates.shown, updates.walks.some_walls)
        if most is None:
            updates.forget_written(first, last)
        return wrong

    def _truth(self, first: int, last: int) -> NDArray[np.int64]:
        """Return the sums of the cells [first, last), computed from all sources."""
        updates = self.updates
        found = Accumulator((last - first,))
        tiles = updates.sums.tiles(np.arange(first, last))
        blend = MAX if self.radial.blend == "max" else ADD
        for cell, strength, number in updates.applied.at(updates.near(tiles)).rows():
            cells, weights = self._footprint(cell, number)
            inside = (cells >= first) & (cells < last)
            found.scatter(cells[inside] - first, weights[inside] * strength, blend)
        return found.sums.reshape(-1)

    def _footprint(self, cell: int, number: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        updates = self.updates
        return updates.footprints.around(updates.walks, np.array([cell]), np.ones(1), number)

    def attribution(self, cell: int, sources: Sources) -> Attribution:
        """Return the sources that reach a cell, and what each adds; see `Field.attribution`."""
        field = self
        if self.updates.must_be_fresh:
            field = self._fresh(self.radial)
        rows, amounts = field.contributions(cell)
        ids = source_ids.ids_of(rows, field.updates.taken.generations[rows])
        return Attribution(ids, amounts, "from no source")

    def contributions(self, cell: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the rows of the sources that reach a cell, and what each adds there; with "max",
        only the strongest one.
        """
        updates = self.updates
        rows = updates.near(updates.sums.tiles(np.array([cell])))
        amounts = np.zeros(len(rows))
        for i, (start, strength, number) in enumerate(updates.applied.at(rows).rows()):
            cells, weights = self._footprint(start, number)
            amounts[i] = np.rint(strength * SCALE * weights[cells == cell]).sum() / SCALE
        rows = rows[amounts != 0]
        amounts = amounts[amounts != 0]
        if self.radial.blend == "max" and len(rows):
            best = np.lexsort((amounts, np.abs(amounts)))[-1:]
            rows = rows[best]
            amounts = amounts[best]
        return rows, amounts

    @property
    def adds(self) -> bool:
        """See `RadiatingField.adds`."""
        return self.radial.blend == "sum"

    def values_near(
        self, cells: NDArray[np.int64], columns: int, ids: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """See `RadiatingField.values_near`. These are the bits that the field would have without
        the source, since sums are exact.
        """
        updates = self.updates
        if updates.is_complete:
            return updates.values_near(cells, columns, ids)
        fresh = self._fresh(self.radial).updates
        if updates.residue is not None:
            fresh.sums.sums += updates.residue
        return fresh.values_near(cells, columns, ids)

    def strongest(self, sources: Sources, version: int) -> NDArray[np.float32]:
        """See `RadiatingField.strongest`; with sums, a second field follows this one."""
        if self.radial.blend == "max":
            return self.values
        if self._strongest is None or (
            version != self._strongest_version and self.updates.is_current
        ):
            self._strongest = self._updated_strongest()
            self._strongest_version = version
        return self._strongest.values

    def _updated_strongest(self) -> RadialField:
        strongest = replace(self.radial, blend="max")
        updates = self.updates
        if updates.must_be_fresh:
            return self._fresh(strongest)
        field = self._strongest
        if (
            field is None
            or field.updates.walks is not updates.walks
            or field.updates.footprints is not updates.footprints
        ):
            field = RadialField(updates_on(strongest, self.space))
            field.updates.walks = updates.walks
            field.updates.footprints = updates.footprints
        # They show here once the field has them.
        field.updates.walls_version = self.space.walls_version
        applied = updates.applied
        alive = np.ones(len(applied), dtype=np.bool_)
        changed = np.ones(len(applied), dtype=np.bool_)
        strengths = applied.strengths.astype(np.float32)
        field.updates.follow(applied.numbers, alive, applied.cells, strengths, changed)
        field.updates.catch_up()
        return field

    def _fresh(self, radial: Radial) -> RadialField:
        """Return another field of the sources as they were at the last step, in the present walls
        and with the present resistance.
        """
        field = RadialField(updates_on(radial, self.space))
        sources = self.updates.sources_taken().copy()
        sources.rows.all_changed()
        field.set_resistance(self.resistance)
        field.set_heights(self.heights)
        field.updates.feed(sources)
        field.updates.catch_up()
        return field


def shape_of_sight(space: Space) -> tuple[int, ...] | None:
    """Return the rows and columns of squares over which sight runs, None without squares."""
    grid = sight_grid_of(space)
    if grid is None:
        return None
    return grid.shape


def check_heights(radial: Radial) -> None:
    """Refuse heights unless sources radiate along lines of sight."""
    if radial.metric != "sight":
        raise InvalidValue(
            "The ground hides cells from sources that radiate along lines of sight",
            got=f"heights with metric={radial.metric!r}",
            remedy='Pass metric="sight"',
        )


def _check_resistance(radial: Radial, resistance: NDArray[np.float32] | None) -> None:
    """Refuse a resistance unless distances are along walks."""
    if resistance is not None and radial.metric != "path":
        raise InvalidValue(
            "Cells resist sources that radiate along walks",
            got=f"a resistance with metric={radial.metric!r}",
            remedy='Pass metric="path"',
        )
