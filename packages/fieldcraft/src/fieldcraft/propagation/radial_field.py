"""The field of radiating sources: what it takes from outside, and what it tells of its values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.propagation.field import Attribution, checked_resistance
from fieldcraft.propagation.footprints import AnyWalks, Footprints, finished
from fieldcraft.propagation.grid_footprints import too_large
from fieldcraft.propagation.radial_work import RadialWork
from fieldcraft.sources import Sources
from fieldcraft.sources.rows import Columns
from fieldcraft.space import Space

if TYPE_CHECKING:
    from fieldcraft.propagation.radial import Radial

__all__ = ["MOST_SOURCES", "MOST_STRENGTH", "RadialField"]

MOST_STRENGTH = 2.0**20
MOST_SOURCES = 2**18


class RadialField(RadialWork[AnyWalks]):
    """Values that the live sources radiate; see `RadialWork`."""

    def __init__(self, radial: Radial, space: Space) -> None:
        super().__init__(radial, space)
        self._swept = 0
        self._mirror: RadialField[AnyWalks] | None = None
        self._mirrored = -1
        self._shapes_seen: Footprints[AnyWalks] | None = None

    def tune(self, radial: Radial, every: float) -> None:
        """Go on with other parameters: everything is radiated anew."""
        radial._check(self.space)
        _resisting(radial, self.resistance)
        if radial.exact != self.radial.exact:
            raise InvalidValue(
                "Whether a layer is exact is chosen when it is made",
                got=f"exact={radial.exact}",
                remedy="Add another layer",
                about="exact",
            )
        self.radial = radial
        self.footprints = self._no_footprints()
        self._work = self._fed = None
        self._anew = True

    def resist(self, resistance: NDArray[np.float32] | None) -> None:
        """Go on with cells that lengthen the walks into them: everything is radiated anew; see
        `Field.resist`.
        """
        _resisting(self.radial, resistance)
        self.resistance = resistance
        self.invalidate()

    def limit(self, sources: Sources) -> None:
        """Refuse strengths, numbers and radii that sums could not hold; see
        `RadiatingField.limit`.
        """
        sources.limit(MOST_STRENGTH, MOST_SOURCES, too_large(self.space))

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
        """Take what was written for what the sources have summed up to, until `validate` finds the
        difference.
        """
        self._written = True
        self.sums.take_shown()

    def state(self) -> dict[str, NDArray[Any]]:
        """The values shown, and what cells resist; what values become, the sources say. See
        `Field.state`.
        """
        state = {"values": self.values}
        return state if self.resistance is None else state | {"resistance": self.resistance}

    def restore(self, state: dict[str, NDArray[Any]], sources: Sources) -> None:
        """Show what was shown, until the next step; see `Field.restore`."""
        if "resistance" in state:
            self.resistance = checked_resistance(state["resistance"], self.space.shape)
        self.sums.shown.reshape(-1)[: len(self.space)] = state["values"].reshape(-1)
        self._anew = True

    def validate(self, cells: int, most: float | None) -> int:
        """Look at the next `cells` cells or so: how many don't show what the sources say. They do
        afterwards, or come nearer by `most`.
        """
        self.catch_up()
        height, width = self.sums.total.shape
        top = self._swept
        bottom = min(
            top + max(cells // width // kernels.radial.TILE_ROWS, 1) * kernels.radial.TILE_ROWS,
            height,
        )
        self._swept = bottom % height
        truth = self._truth(top, bottom)
        rows = np.s_[top:bottom]
        expected = np.where(
            self.walks.walls[rows], np.float32(0), (truth / kernels.radial.SCALE).astype(np.float32)
        )
        wrong = int(np.count_nonzero(expected != self.sums.shown[rows]))
        away = truth - self.sums.total[rows]
        if most is not None:
            limit = round(min(most * kernels.radial.SCALE, 2.0**62))
            away = np.clip(away, -limit, limit)
        if wrong or away.any():
            self.sums.total[rows] += away
            self.sums.dirty[
                top // kernels.radial.TILE_ROWS : -(-bottom // kernels.radial.TILE_ROWS)
            ] = 1
            self._at_once = True
            for _ in self.sums.publish(self.walks.walls, self._at_once):
                pass
        return wrong

    def _truth(self, top: int, bottom: int) -> NDArray[np.int64]:
        """The sums of the rows [top, bottom), whole tiles, cut anew from all sources."""
        width = self.sums.total.shape[1]
        sums = np.zeros((bottom - top, width), dtype=np.int64)
        everywhere = np.ones(
            (-(-len(sums) // kernels.radial.TILE_ROWS), self.sums.dirty.shape[1]), dtype=np.uint8
        )
        live = self._held.live
        live = live.at(self._may_reach(live, top, bottom))
        strongest = self.radial.blend == "max"
        scatter: Callable[..., None] = (
            kernels.radial.scatter_strongest if strongest else kernels.radial.scatter
        )
        for cell, strength, shape in live.rows():
            cells, weights = self._cut(cell, shape)
            inside = (cells >= top * width) & (cells < bottom * width)
            cells, weights = cells[inside] - top * width, weights[inside]
            scatter(
                cells, weights, strength * kernels.radial.SCALE, 0, len(cells), sums, everywhere
            )
        return sums

    def attribution(self, cell: int, sources: Sources) -> Attribution:
        """Every source that reaches a cell has its part; see `Field.account`."""
        field = self._fresh(self.radial, sources) if self._anew else self
        rows, amounts = field.contributions(cell)
        return Attribution(sources.ids_of(rows), amounts, "from no source")

    def strongest(self, sources: Sources, version: int) -> NDArray[np.float32]:
        """Where sums are shown, a mirror follows what this field holds and shows the strongest; see
        `RadiatingField.strongest`.
        """
        if self.radial.blend == "max":
            return self.values
        if self._mirror is None or (version != self._mirrored and self.is_current):
            self._mirror = self._mirrored_by(self._mirror, sources)
            self._mirrored = version
        return self._mirror.values

    def _mirrored_by(
        self, mirror: RadialField[AnyWalks] | None, sources: Sources
    ) -> RadialField[AnyWalks]:
        strongest = replace(self.radial, blend="max")
        if self._anew:
            return self._fresh(strongest, sources)
        if (
            mirror is None
            or mirror.walks is not self.walks
            or self._shapes_seen is not self.footprints
        ):
            mirror = self._other(strongest)
            mirror.resistance = self.resistance
            mirror.walks = self.walks
            self._shapes_seen = self.footprints
        # Walls that change show here when this field takes another ground, and not before.
        mirror._walls_version = self.space.walls_version
        mirror.footprints.number_as(self.footprints, mirror.walks)
        new = self._held.padded(max(len(self._held), len(mirror._held)))
        changed, alive = (np.ones(len(new), dtype=np.bool_) for _ in range(2))
        columns = Columns(changed, alive, new.cells, new.strengths.astype(np.float32), new.shapes)
        mirror._take(columns, np.arange(len(mirror.footprints.shapes)))
        mirror.catch_up()
        return mirror

    def _other(self, radial: Radial) -> RadialField[AnyWalks]:
        """Another field on the same ground."""
        return type(self)(radial, self.space)

    def _fresh(self, radial: Radial, sources: Sources) -> RadialField[AnyWalks]:
        """Another field that radiates what the sources say: of one that was restored or tuned only
        they know what its values will be made of.
        """
        field, told = self._other(radial), sources.copy()
        told.all_changed()
        field.resist(self.resistance)
        field.feed(told)
        field.catch_up()
        return field

    def contributions(self, cell: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Which rows of sources reach a cell, and what each adds there; with "max", only the one
        that is seen.
        """
        near = np.flatnonzero((self._held.strengths != 0) & self._may_hold(self._held, cell))
        amounts = np.zeros(len(near))
        for i, (start, strength, shape) in enumerate(self._held.at(near).rows()):
            cells, weights = self._cut(start, shape)
            amounts[i] = (
                kernels.radial.amount(strength * kernels.radial.SCALE, weights[cells == cell]).sum()
                / kernels.radial.SCALE
            )
        near, amounts = near[amounts != 0], amounts[amounts != 0]
        if self.radial.blend == "max" and len(near):
            best = np.lexsort((amounts, np.abs(amounts)))[-1:]
            near, amounts = near[best], amounts[best]
        return near, amounts

    def _cut(self, cell: int, shape: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The whole footprint of one source."""
        return finished(self.footprints.search(self.walks, cell, shape, aside=True))


def _resisting(radial: Radial, resistance: NDArray[np.float32] | None) -> None:
    """Refuse a resistance where distance is not walked."""
    if resistance is not None and radial.metric != "path":
        raise InvalidValue(
            "Cells resist sources that radiate along walks",
            got=f"a resistance with metric={radial.metric!r}",
            remedy='Pass metric="path"',
        )
