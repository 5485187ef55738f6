"""The field of a memory: for each cell the moment at which it reaches 0."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.base import clock
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.words import Metric
from fieldcraft.kernels.compiling import pool
from fieldcraft.kernels.shared.step_lists import EndSteps, LinkedSteps
from fieldcraft.layers.propagation.propagation import RememberingField
from fieldcraft.layers.propagation.radial.footprints import (
    Footprints,
    Shape,
    footprints_on,
    too_large,
    walks_on,
)
from fieldcraft.layers.propagation.radial.walks import Walks
from fieldcraft.layers.sources import Sources
from fieldcraft.layers.sources.falloff import Falloff
from fieldcraft.space import Grid, Space
from fieldcraft.space.adjacency import Adjacency
from fieldcraft.space.grid.grid_steps import grid_ground
from fieldcraft.space.sight.viewers import SightHeights

if TYPE_CHECKING:
    from fieldcraft.layers.propagation.fade.fade import Fade

_TILES_PER_THREAD = 300
_CELLS_AT_ONCE = 1 << 20  # cells around marks that are in memory at a time
_COLUMNS = 16  # vertices of a graph are laid out in rows of this length
_UNKNOWN = -1  # in place of a `walls_version`
# Moments are counted in quanta from an epoch that moves on. A mark of the maximum lasts _LIFE.
_LIFE = 1 << 29
_MOST_AGE = 1 << 30


@dataclass(frozen=True, eq=False)
class _Diffusion:
    """The diffusion of one update: the part that each cell keeps (N,), and the part of its origin
    that each step brings to its end (A,).
    """

    adjacency: Adjacency
    keeps: NDArray[np.float64]
    shares: NDArray[np.float64]
    scratch: tuple[NDArray[Any], ...]

    @classmethod
    def of(cls, space: Space, diffusion: float, seconds: float) -> _Diffusion:
        """Return the parts for the present walls and for updates of `seconds` seconds."""
        steps = space.adjacency
        part = 1 - (1 - diffusion) ** seconds
        count = len(space)
        weights = 1 / np.maximum(steps.lengths, np.finfo(np.float32).tiny)
        arriving = np.bincount(steps.ends, weights=weights, minlength=count)
        shares = part * weights / arriving[steps.ends]
        kinds = (np.float64, np.uint8, np.int64, np.float64)
        scratch = tuple(np.zeros(count, kind) for kind in kinds)
        return cls(steps, np.where(arriving > 0, 1 - part, 1.0), shares, scratch)

    def step(
        self, values: NDArray[np.float32], cells: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the cells that values of these cells diffuse into, and the value of each after."""
        steps = (self.adjacency.starts, self.adjacency.ends, self.shares, self.keeps)
        count = int(kernels.trail.fade_steps.diffuse(*steps, values, cells, *self.scratch))
        return self.scratch[2][:count], self.scratch[3][:count]


class FadeField(RememberingField):
    """The moments at which cells reach 0, and the values that follow from them."""

    lazy = True
    remainder_is = "marks that fade"

    def __init__(self, fade: Fade, space: Space, every: float) -> None:
        self.space = space
        self.fade = fade
        self._every = clock.ticks("every", every, minimum=1)
        self._now = 0
        self._epoch = 0
        self._footprints: dict[tuple[str, bool], Footprints] = {}
        self._walks: Walks | None = None
        rows = max(1, -(-len(space) // _COLUMNS))
        if isinstance(space, Grid):
            self._shape = space.shape
        else:
            self._shape = (rows, _COLUMNS)
        self._width = self._shape[1]
        down, across = (
            -(-size // tile)
            for size, tile in zip(self._shape, kernels.trail.fade_steps.TILE, strict=True)
        )
        self._ends = np.zeros((down * across, *kernels.trail.fade_steps.TILE), dtype=np.int32)
        self._active = np.zeros(down * across, dtype=np.uint16)
        self._listed = np.zeros(down * across, dtype=np.int64)
        self._count = 0
        self._values: NDArray[np.float32] = np.zeros(self._shape, dtype=np.float32)
        self._is_shown = True
        self._walls_version = space.walls_version
        self._scratch: Any = None
        self._diffusion: _Diffusion | None = None
        self._rates()

    def _rates(self) -> None:
        fade = self.fade
        seconds = fade._life(fade.maximum)
        self._life = max(1, round(seconds * clock.TICKS_PER_SECOND))
        self._rate = fade.maximum / _LIFE
        if fade.half_life is None:
            self._half = 0.0
        else:
            self._half = fade.half_life / seconds * _LIFE
        self.timeless = fade.diffusion == 0
        self._diffusion = None

    @property
    def values(self) -> NDArray[np.float32]:
        """The values now, in the shape of the space; computed for marked tiles when read."""
        if not self._is_shown:
            self._show()
        return self._values.reshape(-1)[: len(self.space)].reshape(self.space.shape)

    @property
    def _age(self) -> int:
        """Quanta from the epoch until now."""
        return self._quanta - self._epoch

    @property
    def _quanta(self) -> int:
        """Quanta since the beginning."""
        return self._now * _LIFE // self._life

    def _show(self) -> None:
        bands = pool.bands(self._count, self._count // _TILES_PER_THREAD)
        counts = [0] * len(bands)
        common = (
            self._ends,
            self._age,
            self._rate,
            self._half,
            self.fade.floor,
            np.float32(self.fade.maximum),
        )
        written = (self._values, self._active, self._listed)

        def call(part: int) -> None:
            counts[part] = kernels.trail.fade_steps.show(*common, *bands[part], *written)

        pool.run([(call, (part,)) for part in range(len(bands))])
        count = counts[0]
        for (first, _), more in zip(bands[1:], counts[1:], strict=True):
            self._listed[count : count + more] = self._listed[first : first + more].copy()
            count += more
        self._count = count
        self._is_shown = True

    # Marks

    def mark(
        self,
        cells: NDArray[np.int64],
        amounts: NDArray[np.float64] | None,
        radius: float | None,
        falloff: Falloff,
        metric: Metric,
        heights: SightHeights | None,
    ) -> None:
        """Mark cells, or all within a radius, with at most these amounts; see `Layer.mark`."""
        self._follow_walls()
        if amounts is None:
            strengths = np.full(len(cells), self.fade.maximum)
        else:
            strengths = np.minimum(amounts, self.fade.maximum)
        if radius is None:
            self._mark_spread(cells, strengths)
            return
        if radius >= too_large(self.space):
            raise InvalidValue(
                f"A radius on a map as large as this is below {too_large(self.space):g}",
                got=f"radius={radius:g}",
                remedy="Give the layer a larger cell_size",
            )
        key = (metric, heights is not None)
        if key not in self._footprints:
            self._footprints[key] = footprints_on(self.space, metric)
        if self._walks is None:
            self._walks = walks_on(self.space)
        walks = self._walks
        if heights is not None:
            walks = walks.over(heights)
        footprints = self._footprints[key]
        number = footprints.number(Shape(falloff, radius), walks)
        open_cells = ~self.space.walls.reshape(-1)
        many = max(1, _CELLS_AT_ONCE // footprints.most_around(walks, radius))
        for first in range(0, len(cells), many):
            part = np.s_[first : first + many]
            found, amounts = footprints.around(walks, cells[part], strengths[part], number)
            self._mark_spread(found[open_cells[found]], amounts[open_cells[found]])

    def _mark_spread(self, cells: NDArray[np.int64], strengths: NDArray[np.float64]) -> None:
        """Mark the cells with a strength above 0, and the cells that their marks spread to."""
        some = strengths > 0
        cells = cells[some]
        strengths = strengths[some]
        if self.fade.mark_spread > 0 and len(cells):
            if self._scratch is None:
                self._scratch = kernels.trail.fade_steps.scratch(len(self.space))
            count = self._spread(cells, strengths)
            arrived = self._scratch[0]
            found = self._scratch[-1]
            cells = np.sort(found[:count])
            strengths = arrived[cells]
            arrived[cells] = 0
        self._mark(cells, strengths)

    def _spread(self, cells: NDArray[np.int64], strengths: NDArray[np.float64]) -> int:
        """Write to scratch the cells that marks spread to; return their number."""
        space = self.space
        share = self.fade.mark_spread
        least = self.fade.maximum / 100
        arcs: EndSteps | None = None
        grid: LinkedSteps | None = None
        if isinstance(space, Grid):
            grid = grid_ground(space)
            losses = share ** space.neighborhood.lengths(1.0)
        else:
            edges = space.adjacency_from_walls
            arcs = EndSteps(edges.starts, edges.ends)
            losses = share**edges.lengths
        marks = cells, strengths, least, *self._scratch
        return int(kernels.trail.fade_steps.spread_marks(arcs, grid, losses, *marks))

    def _mark(self, cells: NDArray[np.int64], strengths: NDArray[np.float64]) -> None:
        moments = (self._age + self._lives(strengths)).astype(np.int32)
        self._count = int(
            kernels.trail.fade_steps.mark(
                cells, moments, self._width, self._count, self._ends, self._active, self._listed
            )
        )
        self._is_shown = False

    def _lives(self, strengths: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the quanta until these values reach 0."""
        if self.fade.half_life is None:
            return np.rint(strengths / self.fade.maximum * _LIFE)
        return np.rint(self._half * np.log2(np.maximum(strengths / self.fade.floor, 1.0)))

    def _move_epoch(self) -> None:
        """Count moments from now on, so that they stay small."""
        passed = self._age
        self._epoch += passed
        listed = self._listed[: self._count]
        self._ends[listed] = np.maximum(self._ends[listed].astype(np.int64) - passed, 0).astype(
            np.int32
        )

    # Fields

    def feed(self, sources: Sources) -> None:
        """Take over walls; there are no sources. See `Field.feed`."""
        self._follow_walls()

    def _follow_walls(self) -> None:
        """Set new walls to 0."""
        version = self.space.walls_version
        if version == self._walls_version:
            return
        blocked = self._walls_since()
        self._walls_version = version
        self._diffusion = None
        self._walks = None
        self._ends.reshape(-1)[kernels.trail.fade_steps.slots(blocked, self._width)[1]] = 0
        self._values.reshape(-1)[blocked] = 0
        self._is_shown = False

    def _walls_since(self) -> NDArray[np.int64]:
        """Return the cells that have become walls since the last update."""
        walls = self.space.walls.reshape(-1)
        if self._walls_version == _UNKNOWN:
            return np.flatnonzero(walls)
        changed = self.space.walls_changed(self._walls_version)
        return np.asarray(changed[walls[changed]])

    def write(self, values: NDArray[np.float32]) -> None:
        """Replace all values, which are between 0 and the maximum; see `Field.write`."""
        wrong = values[(values < 0) | (values > np.float32(self.fade.maximum))]
        if len(wrong):
            raise InvalidValue(
                f"Values of a fading layer are between 0 and its maximum, {self.fade.maximum:g}",
                got=f"{wrong[0]:g}",
                remedy="Limit them to that",
            )
        super().write(values)

    def touched(self, cells: NDArray[np.int64] | None) -> None:
        """Restart the fading of these cells (None: all) from their new values; see
        `Field.touched`.
        """
        width = self._width
        if cells is None:
            self._ends[:] = 0
            self._active[:] = 0
            self._count = 0
            cells = np.flatnonzero(self._values)
        else:
            self._ends.reshape(-1)[kernels.trail.fade_steps.slots(cells, width)[1]] = 0
        flat = self._values.reshape(-1)
        self._mark(cells, np.clip(flat[cells].astype(np.float64), 0, self.fade.maximum))

    def tune(self, fade: Fade, every: float) -> None:
        """Set other parameters, for all that is remembered; see `Field.tune`."""
        self._every = clock.ticks("every", every, minimum=1)
        self._diffusion = None
        if fade != self.fade:
            values = self.values
            self.fade = fade
            self._rates()
            self._epoch = self._quanta
            np.minimum(values, np.float32(fade.maximum), out=values)
            self.touched(None)

    def run(self, count: int) -> None:
        """Advance the time by `count` steps."""
        if self.fade.diffusion > 0:
            for _ in range(count):
                if self._count == 0:
                    break
                self._pass_time(1)
                self._diffuse()
                count -= 1
        self._pass_time(count)

    def _diffuse(self) -> None:
        """Move each cell towards the mean of its neighbors."""
        if self._diffusion is None:
            self._diffusion = _Diffusion.of(
                self.space, self.fade.diffusion, clock.seconds(self._every)
            )
        values = self.values.reshape(-1)
        found, amounts = self._diffusion.step(values, np.flatnonzero(values))
        self._ends.reshape(-1)[kernels.trail.fade_steps.slots(found, self._width)[1]] = 0
        self._mark(found, amounts)

    def _pass_time(self, count: int) -> None:
        self._now += count * self._every
        if self._age > _MOST_AGE:
            self._move_epoch()
        self._is_shown = self._is_shown and (count == 0 or self._count == 0)

    def settle(self) -> None:
        """Set all values to 0, where fading ends."""
        self._values[:] = 0
        self.touched(None)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the time, the marked tiles, and the quanta until each of their cells is 0."""
        tiles = np.sort(self._listed[: self._count])
        remaining = np.maximum(self._ends[tiles].astype(np.int64) - self._age, 0)
        return {"now": np.array([self._now], dtype=np.int64), "tiles": tiles, "left": remaining}

    def restore(self, state: Mapping[str, NDArray[Any]], sources: Sources) -> None:
        """Continue from a state; see `Field.restore`."""
        now, tiles, left = (np.asarray(state[name]) for name in ("now", "tiles", "left"))
        if now.dtype != np.int64 or now.shape != (1,) or not 0 <= now[0] <= clock.LATEST:
            raise ValueError("a time out of range")
        if (
            tiles.dtype != np.int64
            or tiles.ndim != 1
            or (np.diff(tiles, prepend=-1) <= 0).any()
            or (tiles >= len(self._ends)).any()
        ):
            raise ValueError("tiles that are not tiles of the map")
        if (
            left.dtype != np.int64
            or left.shape != (len(tiles), *kernels.trail.fade_steps.TILE)
            or (left < 0).any()
            or (left > _LIFE).any()
        ):
            raise ValueError("moments out of range")
        self._now = int(now[0])
        self._epoch = self._quanta
        self._ends[:] = 0
        self._active[:] = 0
        self._values[:] = 0
        self._ends[tiles] = left
        self._listed[: len(tiles)] = tiles
        self._active[tiles] = (1 << kernels.trail.fade_steps.TILE[0]) - 1
        self._count = len(tiles)
        self._is_shown = False
        walls = np.flatnonzero(self.space.walls)
        if self._ends.reshape(-1)[kernels.trail.fade_steps.slots(walls, self._width)[1]].any():
            self._walls_version = _UNKNOWN  # the next update sets new walls to 0
