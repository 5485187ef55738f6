"""The base class of layers of a world in blocks."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks, clock
from fieldcraft.base.errors import InvalidValue, OnWall
from fieldcraft.base.words import IfOutside, IfSourceOnWall
from fieldcraft.layers import ArrayLayer
from fieldcraft.layers.influence_map import InfluenceMap
from fieldcraft.layers.propagation import Propagation
from fieldcraft.layers.propagation.settings import values_of
from fieldcraft_cluster.block import LayerCall
from fieldcraft_cluster.blocks import BlockCommands
from fieldcraft_cluster.partition import Box, Partition
from fieldcraft_cluster.transfer import LayerPlan

if TYPE_CHECKING:
    from fieldcraft_cluster.world import World

MOST_REACH = 2000
"""The largest reach of a mark, a source or a stamp, in cells."""
_MOST_WINDOW = 2**28


class WorldLayer:
    """A layer of a world in blocks; made by `World.add_layer`.

    Its values are never one array: `window` returns a part as a plain layer, `sample` values at
    positions, `overview` the whole map in larger cells, and `to_dask` a Dask array.
    """

    def __init__(self, world: World, plan: LayerPlan) -> None:
        self.name = plan.name
        self._world = world
        self.plan = plan
        self.partition: Partition = plan.partition()
        self._calls: dict[int, list[LayerCall]] = {}
        self.steps = 0
        self.due = 0

    def __repr__(self) -> str:
        world = self._world.plan
        return (
            f"<{type(self).__name__} {self.name!r} on {world.width} x {world.height},"
            f" {self.propagation}, {self.steps} steps>"
        )

    @property
    def propagation(self) -> Propagation:
        """The propagation."""
        return self.plan.propagation

    @property
    def every(self) -> float:
        """Seconds between two steps."""
        return clock.seconds(self.plan.every)

    @property
    def time(self) -> float:
        """The time of its steps, in seconds."""
        return clock.seconds(self.steps * self.plan.every)

    def check_time(self, ticks: int) -> None:
        """Raise `InvalidValue` if the layer does not count as far as `ticks` ticks from now."""
        clock.check_time(self.steps * self.plan.every + self.due, ticks)

    def tune(self, **parameters: Any) -> None:
        """Set parameters of the propagation, such as `decay`, from the next step on.

        Raises
        ------
        InvalidValue
            For parameters that need halos of another width, such as another blur.
        """
        kind = type(self.propagation)
        new = kind(**(values_of(self.propagation) | parameters))
        plan = dataclasses.replace(self.plan, propagation=new)
        if plan.partition() != self.partition:
            raise InvalidValue(
                "Halos keep their width while a world runs",
                got=repr(new),
                remedy="Add another layer",
            )
        self._world.flush(self)
        self.plan = plan
        self._world.coordinator.tune(plan)

    def set_halo(self, halo_steps: int) -> None:
        """Set the number of steps that halos are wide enough for."""
        self.plan = dataclasses.replace(self.plan, halo_steps=halo_steps)
        self.partition = self.plan.partition()

    # Values

    def window(self, low: ArrayLike, high: ArrayLike) -> ArrayLayer:
        """Return a copy of the part of the map between two world positions as a plain layer with
        its walls, at its place in the world.

        At most 2**28 cells. Raises `OutsideMap` for positions off the map.
        """
        box = self._world.box(low, high)
        if math.prod(box.shape) > _MOST_WINDOW:
            raise InvalidValue(
                f"A window has at most {_MOST_WINDOW:,} cells",
                got=f"{box.shape[1]} x {box.shape[0]}",
                remedy="Use overview()",
            )
        space = self._world.grid(box)
        layer = InfluenceMap(space).add_layer(
            self.name, values=np.zeros(space.shape, dtype=np.float32)
        )
        assert isinstance(layer, ArrayLayer)
        layer.write(self.values_in(box))
        return layer

    def values_in(self, box: Box) -> NDArray[np.float32]:
        """Return the values of a box of the map, (height, width)."""
        self._world.flush(self)
        found = np.zeros(box.shape, dtype=np.float32)
        for number in self.partition.blocks_over(box):
            interior = self.partition.interior(number)
            part = interior.intersection(box)
            values = self._world.coordinator.read(self.name, number, *part.within(interior))
            if values is not None:
                found[part.within(box)] = values
        return found

    def sample(
        self, positions: ArrayLike, *, outside: IfOutside = "refuse"
    ) -> float | NDArray[np.float32]:
        """Return the values of the cells at world positions: a float for one (x, y) pair, (N,)
        float32 for an (N, 2) array.
        """
        points, single = checks.positions(positions)
        rows, columns = self._world.cells(points, outside=outside)
        self._world.flush(self)
        found = np.zeros(len(points), dtype=np.float32)
        homes = self.partition.home(rows, columns)
        for number in np.unique(homes).tolist():
            here = homes == number
            interior = self.partition.interior(number)
            down = rows[here] - interior.top
            right = columns[here] - interior.left
            first = int(down.min())
            left = int(right.min())
            some_rows = slice(first, int(down.max()) + 1)
            some_columns = slice(left, int(right.max()) + 1)
            values = self._world.coordinator.read(self.name, number, some_rows, some_columns)
            if values is not None:
                found[here] = values[down - first, right - left]
        if single:
            return float(found[0])
        return found

    def overview(self, scale: int = 64) -> NDArray[np.float32]:
        """Return the strongest value in each square of `scale` x `scale` cells: float32, indexed
        [row, column], from the first row and column on.
        """
        size = checks.integer("scale", scale, minimum=1)
        world = self._world.plan
        shape = (-(-world.height // size), -(-world.width // size))
        if math.prod(shape) > _MOST_WINDOW:
            raise InvalidValue(
                f"An overview has at most {_MOST_WINDOW:,} cells",
                got=f"{shape[1]} x {shape[0]}",
                remedy="Pass a larger scale",
            )
        self._world.flush(self)
        found = np.zeros(shape, dtype=np.float32)
        parts = self._world.coordinator.query_blocks("strongest", self.name, size)
        for number, part in parts.items():
            interior = self.partition.interior(number)
            top = interior.top // size
            left = interior.left // size
            here = found[top : top + part.shape[0], left : left + part.shape[1]]
            strength = np.abs(part)
            known = np.abs(here)
            stronger = (strength > known) | ((strength == known) & (part > here))
            here[stronger] = part[stronger]
        return found

    def digest(self) -> str:
        """Return the SHA-256 of the digests of all blocks in order, in hexadecimal."""
        self._world.flush(self)
        known = self._world.coordinator.query_blocks("digests", self.name)
        return _digest(self.partition, known.get)

    def to_dask(self) -> Any:
        """Return the values as a Dask array of float32, (height, width), one chunk per block, which
        are read when it is computed.
        """
        from fieldcraft_cluster.dask_transport import array_of

        return array_of(self.partition, self.values_in)

    # Calls

    def _place(
        self,
        positions: ArrayLike,
        on_wall: IfSourceOnWall,
        outside: IfOutside,
        allowed: tuple[str, ...],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        if isinstance(on_wall, str) and on_wall == "nearest":
            raise InvalidValue(
                "Worlds in blocks do not search for the nearest open cell",
                got='on_wall="nearest"',
                remedy="Search with layer.window(...).space.nearest_open",
            )
        checks.choice("on_wall", on_wall, allowed)
        points, _ = checks.positions(positions)
        rows, columns = self._world.cells(points, outside=outside)
        if on_wall == "refuse":
            blocked = self._world.walls_at(rows, columns)
        else:
            blocked = np.zeros(0, bool)
        if blocked.any():
            index = int(np.flatnonzero(blocked)[0])
            raise OnWall(
                "Sources, deposits and marks need open cells",
                got=f"{tuple(points[index].tolist())} at index {index}",
                remedy='Move it, or pass on_wall="through" for a source',
            )
        return rows, columns

    def _call(
        self,
        method: str,
        rows: NDArray[np.int64],
        columns: NDArray[np.int64],
        beyond: int,
        each: dict[str, Any],
        **common: Any,
    ) -> None:
        """Queue a call for all blocks that have these cells, before the next step; `each` are
        arguments with a row for each cell.
        """
        which, blocks, down, right = self.partition.holders(rows, columns, beyond)
        order = np.lexsort((which, blocks))
        which = which[order]
        blocks = blocks[order]
        down = down[order]
        right = right[order]
        for number in np.unique(blocks).tolist():
            here = slice(*np.searchsorted(blocks, (number, number + 1)))
            own = {name: values[which[here]] for name, values in each.items()}
            self._calls.setdefault(number, []).append(
                LayerCall(method, down[here], right[here], {**own, **common})
            )
        self._world.changed_layers.add(self.name)

    def take_commands(self) -> dict[int, BlockCommands]:
        """Return the commands for each block since the last call."""
        calls = self._calls
        self._calls = {}
        return {number: BlockCommands(tuple(some)) for number, some in calls.items()}

    def set_walls(self, rows: NDArray[np.int64], columns: NDArray[np.int64], blocked: bool) -> None:
        """Queue changed walls for existing blocks."""
        self._call("set_walls", rows, columns, 0, {}, blocked=blocked)

    @property
    def next_expiry(self) -> int | None:
        """The step before which the next lifetime ends."""
        return None


def _digest(plan: Partition, of: Callable[[int], bytes | None]) -> str:
    hasher = hashlib.sha256()
    for number in range(len(plan)):
        hasher.update(of(number) or _empty(plan.interior(number).shape))
    return hasher.hexdigest()


@functools.cache
def _empty(shape: tuple[int, int]) -> bytes:
    return hashlib.sha256(np.zeros(shape, dtype=np.float32).data).digest()


def digest_of(values: NDArray[np.float32], block: int) -> str:
    """Return the digest of values (height, width) as `WorldLayer.digest` computes it, for blocks of
    `block` cells a side.
    """
    given = checks.array("values", values)
    if given.ndim != 2 or given.dtype != np.float32:
        raise InvalidValue(
            "values are float32 of shape (height, width)",
            got=f"{given.dtype} of shape {given.shape}",
            remedy="Pass those",
        )
    height, width = given.shape
    plan = Partition(width, height, checks.integer("block", block, minimum=1), 0, False, False)

    def of(number: int) -> bytes:
        top, bottom, left, right = plan.interior(number)
        return hashlib.sha256(np.ascontiguousarray(given[top:bottom, left:right]).data).digest()

    return _digest(plan, of)
