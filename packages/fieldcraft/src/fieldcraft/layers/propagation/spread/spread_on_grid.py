"""Spread on a grid."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels.compiling import pool
from fieldcraft.kernels.shared.arrays import aligned
from fieldcraft.kernels.shared.step_lists import LinkedSteps
from fieldcraft.kernels.spread.spread_records import AnyGround, AnyRule, NearRule
from fieldcraft.layers.propagation.spread.active_set import ActiveTiles
from fieldcraft.layers.propagation.spread.losses import losses
from fieldcraft.layers.propagation.spread.lower_bounds import LowerBounds
from fieldcraft.layers.propagation.spread.spread_field import SpreadingField
from fieldcraft.layers.propagation.spread.spread_settings import SpreadSettings
from fieldcraft.space import Grid
from fieldcraft.space.grid.grid_steps import step_table
from fieldcraft.space.grid.neighborhood import Links

# Scheduling thresholds. They affect speed only, never results.
_RING_BYTES = 1 << 20  # the rows that a wave uses should stay in the second-level cache
_MOST_LEVELS = 16
_BANDS_PER_THREAD = 4  # a thread that starts late leaves more of them to the others
_CELLS_PER_THREAD = 300_000  # cell updates that pay for waking a thread, for the plain kernel
# How much longer an update takes with 8 neighbors, and in the general kernel.
_DIAGONAL_COST = 2
_ANY_COST = 8
# cell updates in a work unit of 0.25 ms, for the plain kernel, with room to spare on a slow machine
_UNIT_CELLS = 80_000
_UNIT_TILES = 100

_NOTHING = np.zeros((1, 0), dtype=np.float32)


class _BandedWave:
    """Some steps of the whole map, in bands of rows that several threads share.

    Parameters
    ----------
    values : ndarray of float32
        The values, which change in place.
    rows : ndarray of int64, shape (B + 1, K)
        The rows beside each bound of a band.
    edges : ndarray of float32, shape (B + 1, K, width)
        Copies of these rows as they were before the steps, for the calls.
    calls : list of pool.Call
        A call for each band, without scratch.
    scratch : list
        The scratch of each thread.
    """

    def __init__(
        self,
        values: NDArray[np.float32],
        rows: NDArray[np.int64],
        edges: NDArray[np.float32],
        calls: list[pool.Call],
        scratch: list[tuple[NDArray[np.float32], ...]],
    ) -> None:
        self._values = values
        self._rows = rows
        self._edges = edges
        self._calls = dict(enumerate(calls))
        self._left: dict[int, pool.Call] = {}
        bands = len(calls)
        threads = len(scratch)
        self._workers: list[pool.Call] = []
        for part in range(threads):
            # Each thread begins with bands of its own, and then takes over those of others.
            start = part * bands // threads
            order = [*range(start, bands), *range(start)]
            self._workers.append((self._work, (order, scratch[part])))

    def __call__(self) -> None:
        """Take the steps."""
        np.take(self._values, self._rows, axis=0, out=self._edges, mode="clip")
        self._left.update(self._calls)
        pool.run(self._workers, are_shared=True)

    def _work(self, order: list[int], scratch: tuple[NDArray[np.float32], ...]) -> None:
        """Compute the bands that no other thread has taken; `pop` gives a band to one thread."""
        for band in order:
            call = self._left.pop(band, None)
            if call is not None:
                kernel, arguments = call
                kernel(*arguments, *scratch)


class GridSpreadField(SpreadingField):
    """Values that spread over a grid, in place.

    "near" kernels serve 4 or 8 neighbors, positive values, momentum in both directions and ground
    without terrain and resistance; "any" kernels serve everything.
    """

    space: Grid
    _active_set: ActiveTiles

    def __init__(self, spread: SpreadSettings, space: Grid, every: float) -> None:
        super().__init__(space)
        self.values: NDArray[np.float32] = aligned(space.shape)
        self._flat = self.values.reshape(-1)
        self._blocked: NDArray[np.uint8] = space.walls.astype(np.uint8)
        self._near_ground: NDArray[np.uint8] | None = None
        self._links: Links | None = None
        self._spare: NDArray[np.float32] | None = None
        self._reach = max(max(abs(dx), abs(dy)) for dx, dy in space.neighborhood.steps)
        self._steps = np.array(space.neighborhood.steps, dtype=np.int64)
        self._active_set = ActiveTiles(space, self._reach)
        self._waves: dict[tuple[int, bool, int], Callable[[], object]] = {}
        self.tune(spread, every)

    def tune(self, spread: SpreadSettings, every: float) -> None:
        """Set parameters and the interval; see `Field.tune`."""
        neighborhood = self.space.neighborhood
        lengths = neighborhood.lengths(self.space.cell_size)
        self._set(spread, every)
        self._losses = losses(lengths, spread.decay, self._exponent)
        beside = neighborhood.is_four or neighborhood.is_eight
        plain_ground = self.space.terrain is None or self.space.terrain.is_plain
        self._may_be_near = (
            beside
            and plain_ground
            and self._exponent <= 2
            and spread.half_life is None
            and self.resistance is None
        )
        steps = neighborhood.steps
        self._near_rule = NearRule(
            self._losses[steps.index((1, 0))] if beside else np.float32(0),
            self._losses[steps.index((1, 1))] if neighborhood.is_eight else None,
            self._exponent or None,
            self._momentum,
            self._floor,
            self.space.wrap_flags,
        )
        self._through = _NOTHING
        if self.resistance is not None:
            if self._exponent == 0:
                self._through = np.exp(-self.resistance)
            else:
                self._through = self.resistance
        self._waves.clear()
        self.touched(None)

    # Places and flags

    @property
    def _by_place(self) -> NDArray[np.float32]:
        return self._flat

    @property
    def _by_cell(self) -> NDArray[np.float32]:
        return self._flat

    @property
    def _flags(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        blocked = self._blocked.reshape(-1)
        ground = self._near_ground
        return blocked, blocked[:0] if ground is None else ground.reshape(-1)

    def _places(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        return cells

    def _activate(self, places: NDArray[np.int64]) -> None:
        tiles = self._active_set
        space = self.space
        if not tiles.is_known or not len(places):
            return
        kernels.spread.spread_tiles.activate(
            places, space.width, space.height, self._reach, space.wrap_flags, *tiles.flags
        )
        tiles.recount()

    def _walls_changed(self, changed: NDArray[np.int64]) -> None:
        self._links = None
        self._waves.clear()
        if len(changed):
            self._update_near_ground(int(changed[0]), int(changed[-1]))

    def _bounds_at(self, cells: NDArray[np.int64], strengths: NDArray[np.float32]) -> LowerBounds:
        space = self.space
        rows, columns = np.divmod(cells[:, np.newaxis], space.width)
        rows = (rows - self._steps[:, 1]) % space.height
        columns = (columns - self._steps[:, 0]) % space.width
        links, masks = self._links_and_masks()
        arrives = links.reshape(-1)[cells][:, np.newaxis] & masks != 0
        if self.resistance is None:
            through = None
        else:
            through = self._through.reshape(-1)[cells]
        origins = rows * space.width + columns
        return LowerBounds(cells, strengths, origins, self._losses, arrives, through)

    # The ground as kernels take it

    @property
    def _near(self) -> bool:
        return self._may_be_near and not self._signed

    @property
    def _law(self) -> tuple[Any, NearRule | AnyRule]:
        """The ground and the rule of the kernels that serve now."""
        if self._near:
            return self._get_near_ground(), self._near_rule
        rule = AnyRule(
            self._exponent,
            self._signed,
            self._momentum,
            self._keep,
            self._floor,
            self.space.wrap_flags,
        )
        return self._any_ground(), rule

    def _any_ground(self) -> AnyGround:
        links, masks = self._links_and_masks()
        return AnyGround(self._blocked, links, masks, self._through, self._steps, self._losses)

    def _links_and_masks(self) -> tuple[Links, Links]:
        """The links of the grid, and the bit of each step in them; those of the last `feed`, though
        walls may have changed since.
        """
        if self._links is None:
            self._links = self.space.links()
        return self._links, self.space.link_masks

    def _get_near_ground(self) -> NDArray[np.uint8]:
        """The flags of each cell for the near kernels, with the diagonal steps that lead there."""
        if self._near_ground is None:
            self._near_ground = np.empty(self.space.shape, dtype=np.uint8)
            self._update_near_ground(0, len(self.space) - 1)
        return self._near_ground

    def _update_near_ground(self, first: int, last: int) -> None:
        """Update the flags for the near kernels between the first and the last cell with a changed
        wall.
        """
        if self._near_ground is None:
            return
        from fieldcraft.kernels.spread.spread_rows import BLOCKED

        height, width = self.space.shape
        top = first // width - 1
        bottom = last // width + 2
        around = self.space.wraps_y and (top < 0 or bottom > height)
        if around:
            rows = slice(None)
        else:
            rows = slice(max(top, 0), bottom)
        ground = (self._blocked[rows] != 0) * np.uint8(BLOCKED)
        if self.space.neighborhood.is_eight:
            ground |= self._diagonals[self._links_and_masks()[0][rows]]
        self._near_ground[rows] = ground

    @functools.cached_property
    def _diagonals(self) -> NDArray[np.uint8]:
        """For each byte of links, the bits of its diagonal steps."""
        from fieldcraft.kernels.spread.spread_rows import OPEN

        links = np.arange(256)
        table = np.zeros(256, dtype=np.uint8)
        for k, step in enumerate(self.space.neighborhood.steps):
            table |= ((links >> k & 1) * OPEN.get(step, 0)).astype(np.uint8)
        return table

    # Steps

    def _run(self, count: int) -> None:
        tiles = self._active_set
        while count > 0 and tiles.active:
            if tiles.by_parts:
                count -= self._step_tiles(count)
                continue
            levels = 1
            if count > 1:  # waves of about the same height
                levels = -(-count // -(-count // min(self._most_levels(), tiles.until_test)))
            key = (levels, self._signed, pool.threads())
            step = self._waves.get(key)
            if step is None:
                step = self._waves[key] = self._wave(levels)
            step()
            tiles.until_test -= levels
            count -= levels

    def _step_tiles(self, count: int) -> int:
        """Take up to `count` steps of the active tiles; returns how many."""
        tiles = self._active_set
        most = tiles.most
        if not tiles.is_known:
            count = 1
        ground, rule = self._law
        written = (self.values, tiles.activity, tiles.scratch)
        if self._near:
            made, active = kernels.spread.spread_tiles.tiles_near(
                ground, rule, count, most, *written
            )
        else:
            made, active = kernels.spread.spread_tiles.tiles_any(
                ground, rule, self._reach, count, most, *written
            )
        tiles.update(active, tiles.most)
        return int(made)

    def _wave(self, levels: int) -> Callable[[], object]:
        """Return a function that takes `levels` steps of the whole map in one pass."""
        height, width = self.space.shape
        halo = levels * self._reach
        work = height * width * levels * self._cost
        most = height // max(2 * halo, 16)
        threads = pool.shares(min(work // _CELLS_PER_THREAD + 1, most))
        wrap = self.space.wraps_y
        near = self._near
        if threads == 1 and not wrap:
            none = self.values[:0]
            kernel, arguments = self._call(levels, 0, height, self.values, none, none)
            return functools.partial(kernel, *arguments, *self._scratch(levels))
        bands = threads
        if near and threads > 1:
            bands = min(_BANDS_PER_THREAD * threads, most)
        bounds = np.arange(bands + 1) * height // bands
        rows = (bounds[:, np.newaxis] + np.arange(-halo, halo)) % height
        edges = aligned((bands + 1, 2 * halo, width))
        calls: list[pool.Call] = []
        for band in range(bands):
            above = edges[band, :halo]
            if not wrap and band == 0:
                above = above[:0]
            below = edges[band + 1, halo:]
            if not wrap and band + 1 == bands:
                below = below[:0]
            first = int(bounds[band])
            last = int(bounds[band + 1])
            calls.append(self._call(levels, first, last, self.values, above, below))
        scratch = [self._scratch(levels) for _ in range(threads)]
        return _BandedWave(self.values, rows, edges, calls, scratch)

    def _call(
        self,
        levels: int,
        first: int,
        last: int,
        values: NDArray[np.float32],
        above: NDArray[np.float32],
        below: NDArray[np.float32],
    ) -> pool.Call:
        """Return the call that takes `levels` steps in some rows of `values`, without scratch."""
        ground, rule = self._law
        if self._near:
            return kernels.spread.spread_steps.wave_near, (
                ground,
                rule,
                first,
                last,
                levels,
                values,
                above,
                below,
            )
        return kernels.spread.spread_steps.wave_any, (
            ground,
            above,
            below,
            rule,
            first,
            last,
            levels,
            values,
        )

    def _scratch(self, levels: int) -> tuple[NDArray[np.float32], ...]:
        """Rows for the steps in between."""
        width = -(-self.space.width // 16) * 16 + 2 * kernels.spread.spread_steps.margin(
            self._reach
        )
        if self._near:
            return (aligned((levels * kernels.spread.spread_steps.ROWS + 1, width)),)
        shape = (levels, 2 * self._reach + 1, width)
        rows = aligned(shape)
        if self._exponent >= 2:
            roots = aligned(shape)
        else:
            roots = aligned((1, 1, 1))
        return rows, roots

    @property
    def _cost(self) -> int:
        """How much longer a cell takes than with 4 neighbors and values of one sign."""
        if not self._near:
            return _ANY_COST
        if self._near_rule.diagonal is not None:
            return _DIAGONAL_COST
        return 1

    def _most_levels(self) -> int:
        """How many steps a wave takes in one pass."""
        row_bytes = 4 * (self.space.width + 32)
        if self._near:
            rows = kernels.spread.spread_steps.ROWS
        else:
            rows = 2 * self._reach + 1
            if self._exponent >= 2:
                rows *= 2
        most = max(1, min(_MOST_LEVELS, _RING_BYTES // (rows * row_bytes)))
        if self.space.wraps_y:
            return max(1, min(most, self.space.height // self._reach))
        return most

    def _units_of_a_step(self) -> Iterator[None]:
        """Take one step, a band of rows a unit, from the values into a spare array."""
        unit = _UNIT_CELLS // self._cost
        tiles = self._active_set
        if tiles.active == 0:
            return
        if len(self.space) <= unit or (tiles.is_known and tiles.active <= _UNIT_TILES):
            self._run(1)
            yield
            return
        if self._spare is None:
            self._spare = aligned(self.space.shape)
        values = self.values
        spare = self._spare
        height = self.space.height
        reach = self._reach
        at_rest = True
        rows = max(unit // self.space.width, 1)
        scratch = self._scratch(1)
        for first in range(0, height, rows):
            last = min(first + rows, height)
            spare[first:last] = values[first:last]
            above = self._rows(first - reach, first)
            below = self._rows(last, last + reach)
            kernel, arguments = self._call(1, first, last, spare, above, below)
            kernel(*arguments, *scratch)
            at_rest = at_rest and np.array_equal(spare[first:last], values[first:last])
            yield
        self.values = spare
        self._spare = values
        self._flat = self.values.reshape(-1)
        self._waves.clear()
        if at_rest:
            tiles.rest()
        else:
            tiles.activate_all()

    def _rows(self, first: int, last: int) -> NDArray[np.float32]:
        """A copy of rows as they are now; those beyond an edge from the other side if it wraps,
        else left out.
        """
        if self.space.wraps_y:
            return self.values[np.arange(first, last) % self.space.height]
        return self.values[max(first, 0) : max(min(last, self.space.height), 0)].copy()

    def _settle(self, flags: NDArray[np.uint8], values: NDArray[np.float32]) -> None:
        space = self.space
        links = self._links_and_masks()[0].reshape(-1)
        size = (space.width, space.height, bool(space.wrap))
        grid = LinkedSteps(links, step_table(space), *size)
        ground = None, grid, flags, self._through.reshape(-1), self._losses
        kernels.spread.spread_settled.settle(*ground, self._exponent, self._floor, values)
