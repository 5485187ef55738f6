"""Spread on a grid."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels import pool
from fieldcraft.kernels.arrays import aligned
from fieldcraft.propagation.activity import Tiles
from fieldcraft.propagation.spread_sources import LowerBounds
from fieldcraft.propagation.spreading_field import SpreadingField
from fieldcraft.space import Grid
from fieldcraft.space.arrangement import losses

if TYPE_CHECKING:
    from fieldcraft.propagation.spread import Spread

__all__ = ["GridSpreadField"]

# Scheduling thresholds. They affect speed only, never results.
_RING_BYTES = 1 << 20  # the rows that a wave keeps should stay in the second-level cache
_MOST_LEVELS = 16
_BANDS_PER_THREAD = 4  # a thread that comes late leaves more of them to the others
_CELLS_PER_THREAD = 300_000  # cell updates that pay for waking a thread, for the plain kernel
_DIAGONAL_COST, _ANY_COST = (
    2,
    8,
)  # how much longer an update takes with 8 neighbours, and in the general kernel
# cell updates in a work unit of 0.25 ms, for the plain kernel, with room to spare on a slow machine
_UNIT_CELLS = 80_000
_UNIT_TILES = 100


_NOTHING = np.zeros((1, 0), dtype=np.float32)


class GridSpreadField(SpreadingField):
    """Values that spread over a grid, in place."""

    space: Grid

    def __init__(self, spread: Spread, space: Grid, every: float) -> None:
        self.space = space
        self.values: NDArray[np.float32] = aligned(space.shape)
        self._flat = self.values.reshape(-1)
        self._frozen: NDArray[np.uint8] = space.walls.astype(np.uint8)
        self.pinned = np.zeros(0, dtype=np.int64)
        self._fed = -1
        self._walls_version = space.walls_version
        self._links: NDArray[np.unsignedinteger] | None = None
        self._ground: NDArray[np.uint8] | None = (
            self._frozen if space.neighborhood.is_four else None
        )
        self._whole: Callable[[], object] | None = None
        self._threads = 0
        self._spare: NDArray[np.float32] | None = None
        self._signed = False
        self._reach = max(max(abs(dx), abs(dy)) for dx, dy in space.neighborhood.steps)
        self._steps = np.array(space.neighborhood.steps, dtype=np.int64)
        self._bounds: LowerBounds | None = None
        self.resistance = None
        self._through: NDArray[np.float32] | None = None
        self._waves: ModuleType | None = None
        self._tiles: Tiles | None = None
        self._rings: dict[tuple[int, int, bool], list[NDArray[np.float32]]] = {}
        self.tune(spread, every)

    def tune(self, spread: Spread, every: float) -> None:
        """Go on with other parameters, or updated `every` other number of seconds."""
        lengths = self.space.neighborhood.lengths(self.space.cell_size)
        self._take(spread, every)
        self._losses = losses(lengths, spread.decay, self._exponent)
        steps = self.space.neighborhood.steps
        beside = self.space.neighborhood.is_four or self.space.neighborhood.is_eight
        plain_ground = self.space.terrain is None or self.space.terrain.is_plain
        self._may_be_near = (
            beside and plain_ground and self._exponent <= 2 and spread.half_life is None
        )
        self._tuned = (
            self._losses[steps.index((1, 0))] if beside else None,
            self._losses[steps.index((1, 1))] if self.space.neighborhood.is_eight else None,
            self._exponent or None,
            self._momentum,
            self._floor,
            self.space.wrap,
        )
        self._through = self.resistance
        if self.resistance is not None and self._exponent == 0:
            self._through = np.exp(-self.resistance)
        self._crossing = _NOTHING if self._through is None else self._through
        self._whole = None
        self._bounds = None
        self.touched(None)

    @property
    def _level(self) -> NDArray[np.float32]:
        return self._flat

    @property
    def _by_cell(self) -> NDArray[np.float32]:
        return self._flat

    @property
    def _planes(self) -> list[NDArray[np.uint8]]:
        return [plane.reshape(-1) for plane in (self._frozen, self._ground) if plane is not None]

    def _wake(self, places: NDArray[np.int64]) -> None:
        if self._tiles is not None:
            self._tiles.wake(places)

    def _wake_all(self) -> None:
        if self._tiles is not None:
            self._tiles.wake_all()

    def _places(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        return cells

    def _walls_changed(self, changed: NDArray[np.int64]) -> None:
        self._links = None
        if len(changed):
            self._level_out(int(changed[0]), int(changed[-1]))

    def _bounds_at(self, cells: NDArray[np.int64], strengths: NDArray[np.float32]) -> LowerBounds:
        """The cells of sources that don't pin, and from where steps arrive there."""
        space = self.space
        rows, columns = np.divmod(cells[:, np.newaxis], space.width)
        rows, columns = (
            (rows - self._steps[:, 1]) % space.height,
            (columns - self._steps[:, 0]) % space.width,
        )
        links, masks = self._ways()
        arrives = links.reshape(-1)[cells][:, np.newaxis] & masks != 0
        through = None if self._through is None else self._through.reshape(-1)[cells]
        return LowerBounds(
            cells, strengths, rows * space.width + columns, self._losses, arrives, through
        )

    def _run(self, count: int) -> None:
        if self._tiles is not None and self._tiles.awake == 0:
            return
        if (
            count == 1
            and self._whole is not None
            and not self._signed
            and self._threads == pool.threads()
        ):
            assert self._tiles is not None
            if self._tiles.skips_probe():
                self._whole()
                return
        tiles = self._ready()
        while count > 0 and tiles.awake != 0:
            if tiles.is_worth_it:
                count -= self._step_tiles(count)
            else:
                most = min(self._levels(), tiles.until_probe)
                levels = -(-count // -(-count // most))  # waves of about the same height
                self._step_waves(levels)
                tiles.until_probe -= levels
                count -= levels

    def _units_of_a_step(self) -> Iterator[None]:
        """Take one step, a band of rows a unit, from the values into a spare array."""
        tiles = self._ready()
        unit = _UNIT_CELLS // self._cost
        if tiles.awake == 0:
            return
        if len(self.space) <= unit or (not tiles.probing and tiles.awake <= _UNIT_TILES):
            self._run(1)
            yield
            return
        if self._spare is None:
            self._spare = aligned(self.space.shape)
        rows = max(unit // self.space.width, 1)
        at_rest = True
        for first in range(0, self.space.height, rows):
            last = min(first + rows, self.space.height)
            self._spare[first:last] = self.values[first:last]
            kernel, arguments = self._wave(0, 1, first, last, self._spare)
            kernel(*arguments)
            at_rest = at_rest and np.array_equal(self._spare[first:last], self.values[first:last])
            yield
        self.values, self._spare = self._spare, self.values
        self._whole = None
        self._flat = self.values.reshape(-1)
        if at_rest:
            tiles.rest()
        else:
            tiles.wake_all()

    def _settle(self) -> None:
        kernels.spread_settled.settle(
            self._soil(), self._exponent, self._floor, self.space.wrap, self.values
        )

    def _ready(self) -> Tiles:
        if self._tiles is None:
            self._waves = kernels.spread
            self._tiles = Tiles(kernels.spread_tiles, self.space, self._reach)
        return self._tiles

    @property
    def _near(self) -> bool:
        return self._may_be_near and not self._signed and self.resistance is None

    @property
    def _cost(self) -> int:
        """How much longer a cell takes than with 4 neighbours and values of one sign."""
        return (1 if self._tuned[1] is None else _DIAGONAL_COST) if self._near else _ANY_COST

    def _levels(self) -> int:
        """How many steps a wave makes in one pass."""
        row_bytes = 4 * (self.space.width + 32)
        rows = 4 if self._near else (2 * self._reach + 1) * (2 if self._exponent >= 2 else 1)
        most = max(1, min(_MOST_LEVELS, _RING_BYTES // (rows * row_bytes)))
        return max(1, min(most, self.space.height // self._reach)) if self.space.wrap else most

    def _step_tiles(self, count: int) -> int:
        tiles = self._tiles
        assert tiles is not None
        steps = 1 if tiles.probing else count
        if self._near:
            made, awake = tiles.kernels.tiles_near(
                self._level_ground(),
                self._tuned,
                steps,
                tiles.most,
                self.values,
                tiles.wakefulness,
                tiles.scratch,
            )
        else:
            made, awake = tiles.kernels.tiles_any(
                self._soil(),
                self._rule,
                self._reach,
                steps,
                tiles.most,
                self.values,
                tiles.wakefulness,
                tiles.scratch,
            )
        tiles.report(awake)
        return int(made)

    def _step_waves(self, levels: int) -> None:
        height, width = self.space.shape
        halo = levels * self._reach
        work = height * width * levels * self._cost
        parts = pool.bands(height, min(work // _CELLS_PER_THREAD + 1, height // max(2 * halo, 16)))
        calls: list[pool.Call] = []
        step: Callable[[], object]
        if self._near and len(parts) > 1:
            step = self._step_of_bands(levels, len(parts))
        else:
            for band, (first, last) in enumerate(parts):
                calls.append(self._wave(band, levels, first, last, self.values))
            step = functools.partial(pool.run, calls)
        step()
        if levels == 1 and self._near and (len(parts) > 1 or not self.space.wrap):
            # Finding out again what it takes would last as long as the step of a small map.
            self._whole = step if len(parts) > 1 else functools.partial(calls[0][0], *calls[0][1])
            self._threads = pool.threads()

    def _rows(self, first: int, last: int) -> NDArray[np.float32]:
        """A copy of rows as they are now, those beyond the rim from the other side on a torus, else
        left out.
        """
        if self.space.wrap:
            return self.values[np.arange(first, last) % self.space.height]
        return self.values[max(first, 0) : max(min(last, self.space.height), 0)].copy()

    def _wave(
        self, band: int, levels: int, first: int, last: int, values: NDArray[np.float32]
    ) -> pool.Call:
        """The call that takes so many steps in rows of `values`."""
        halo = levels * self._reach
        above, below = self._rows(first - halo, first), self._rows(last, last + halo)
        assert self._waves is not None
        if self._near:
            here = (self._level_ground(), self._tuned, first, last, levels)
            return self._waves.wave_near, (*here, values, above, below, *self._ring(band, levels))
        where = (self._soil(), above, below, self._rule, first, last, levels)
        return self._waves.wave_any, (*where, values, *self._ring(band, levels))

    @property
    def _rule(self) -> tuple[int, bool, np.float32, np.float32, np.float32, bool]:
        """How values move, as the general kernels take it."""
        tuned = (self._momentum, self._keep, self._floor, self.space.wrap)
        return self._exponent, self._signed, *tuned

    def _soil(self) -> tuple[NDArray[Any], ...]:
        """The ground as the general kernels take it."""
        return self._frozen, *self._ways(), self._crossing, self._steps, self._losses

    def _step_of_bands(self, levels: int, threads: int) -> Callable[[], object]:
        """Steps of several threads, each of which takes the next band of rows that nobody has
        taken.
        """
        assert self._waves is not None
        height, width = self.space.shape
        count = min(_BANDS_PER_THREAD * threads, height // max(2 * levels, 16))
        bounds = np.arange(count + 1) * height // count
        rows = (bounds[:, np.newaxis] + np.arange(-levels, levels)) % height
        edges, claims = aligned((count + 1, 2 * levels, width)), np.zeros(count, dtype=np.int64)
        values, kernel = self.values, self._waves.wave_bands
        calls: list[pool.Call] = []
        for thread in range(threads):
            where = (self._level_ground(), bounds, self._tuned, thread * count // threads, levels)
            written = (values, edges, claims, *self._ring(thread, levels))
            calls.append((kernel, (*where, *written)))

        def step() -> None:
            np.take(values, rows, axis=0, out=edges, mode="clip")
            claims[:] = 0
            pool.share(calls)

        return step

    def _ways(self) -> tuple[NDArray[np.unsignedinteger], NDArray[np.unsignedinteger]]:
        """The links of the grid, and the bit of each step in them; those of the last `feed`, though
        walls may have changed since.
        """
        if self._links is None:
            self._links = self.space.links()
        return self._links, self.space.link_masks

    def _level_ground(self) -> NDArray[np.uint8]:
        """The bits of each cell that the kernels for near neighbours go by: whether it is held,
        which diagonals lead there.
        """
        if self._ground is None:
            self._ground = np.empty(self.space.shape, dtype=np.uint8)
            self._level_out(0, len(self.space) - 1)
        return self._ground

    def _level_out(self, first: int, last: int) -> None:
        """Bring the ground up to date between two cells whose walls have changed."""
        self._whole = None
        if self._ground is None or self._ground is self._frozen:
            return
        near, far = first // self.space.width - 1, last // self.space.width + 2
        rows = (
            slice(max(near, 0), far)
            if not self.space.wrap or (near >= 0 and far <= self.space.height)
            else slice(None)
        )
        self._ground[rows] = self._diagonals[self._ways()[0][rows]] | self._frozen[rows]

    @functools.cached_property
    def _diagonals(self) -> NDArray[np.uint8]:
        """For each byte of links, the bits of its diagonal steps."""
        from fieldcraft.kernels.spread_rows import OPEN

        links, table = np.arange(256), np.zeros(256, dtype=np.uint8)
        for k, step in enumerate(self.space.neighborhood.steps):
            table |= ((links >> k & 1) * OPEN.get(step, 0)).astype(np.uint8)
        return table

    def _ring(self, band: int, levels: int) -> list[NDArray[np.float32]]:
        """Scratch rows of a band; the kernels put their margins in different places, so each has
        its own.
        """
        rooted = self._exponent >= 2
        deep = self._levels() if levels > 1 else 1
        key = (band, deep + 1 if self._near else 0, rooted)
        if key not in self._rings:
            assert self._waves is not None
            width = -(-self.space.width // 16) * 16 + 2 * self._waves.margin(self._reach)
            if self._near:
                self._rings[key] = [aligned((deep + 1, width))]
            else:
                shape = (self._levels(), 2 * self._reach + 1, width)
                self._rings[key] = [aligned(shape), aligned(shape if rooted else (1, 1, 1))]
        return self._rings[key]
