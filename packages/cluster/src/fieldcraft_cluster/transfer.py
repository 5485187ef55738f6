"""The planes of blocks, for each kind of propagation: those that halos consist of, and those that
are saved.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y
from fieldcraft.layers.propagation import Fade, Propagation, Radial, Spread, Trail
from fieldcraft.layers.sources import Sources
from fieldcraft.space import Neighborhood
from fieldcraft.space.wrapping import Wrap, flags_of
from fieldcraft_cluster.partition import Partition
from fieldcraft_cluster.terrain import LazyArray

Planes = dict[str, NDArray[Any]]


class Transfer(ABC):
    """One kind of propagation in blocks."""

    bytes_per_cell: ClassVar[int]
    is_lazy: ClassVar[bool] = False
    """Whether any number of steps costs as much as one, so that they are taken on demand."""

    @abstractmethod
    def halo(
        self,
        propagation: Any,
        neighborhood: Neighborhood,
        cell_size: float,
        steps: int,
        reach: float,
    ) -> int:
        """Return the width of a halo that keeps the interior valid for `steps` steps."""

    def inset(self, propagation: Any, neighborhood: Neighborhood) -> int:
        """Return the width of the border of an extended block that is invalid after one step."""
        return 0

    def halo_planes(self, field: Any) -> tuple[NDArray[np.float32], ...]:
        """Return views of the planes that halos consist of."""
        return ()

    def put(self, field: Any, cells: NDArray[np.int64], values: list[NDArray[np.float32]]) -> None:  # noqa: B027 - without halos nothing is set
        """Set values of the halo planes at cells of the extended block."""

    def clear(self, field: Any) -> None:
        """Set all values to 0."""
        raise NotImplementedError

    def settle(self, layer: Any, halo: NDArray[np.float32]) -> None:
        """Settle a layer whose values are 0, with a constant halo."""
        raise NotImplementedError

    @abstractmethod
    def state(self, field: Any) -> Planes:
        """Return the planes to save, each in the shape of the extended block."""

    @abstractmethod
    def restore(self, field: Any, planes: Planes, sources: Sources) -> None:
        """Continue from the planes of a `state`, with a new field."""


class _Spread(Transfer):
    bytes_per_cell = 12

    def halo(
        self,
        propagation: Spread,
        neighborhood: Neighborhood,
        cell_size: float,
        steps: int,
        reach: float,
    ) -> int:
        return steps * self.inset(propagation, neighborhood)

    def inset(self, propagation: Spread, neighborhood: Neighborhood) -> int:
        return max(max(abs(dx), abs(dy)) for dx, dy in neighborhood.steps)

    def halo_planes(self, field: Any) -> tuple[NDArray[np.float32], ...]:
        return (field.values,)

    def put(self, field: Any, cells: NDArray[np.int64], values: list[NDArray[np.float32]]) -> None:
        field.put(cells, values[0])

    def state(self, field: Any) -> Planes:
        return {"values": field.values}

    def restore(self, field: Any, planes: Planes, sources: Sources) -> None:
        field.restore({"values": planes["values"], "pinned": np.zeros(0, dtype=np.int64)}, sources)

    def clear(self, field: Any) -> None:
        field.write(np.zeros_like(field.values))

    def settle(self, layer: Any, halo: NDArray[np.float32]) -> None:
        layer.steps.feed()
        field = layer.steps.field
        flat = halo.reshape(-1)
        held, strengths = layer.steps.sources.rows.pins(field.spread.stack)
        beside = np.setdiff1d(np.flatnonzero(flat), held, assume_unique=True)
        cells = np.concatenate([held, beside])
        order = np.argsort(cells)
        field.pin(cells[order], np.concatenate([strengths, flat[beside]])[order])
        field.settle()


class _Trail(Transfer):
    bytes_per_cell = 24

    def halo(
        self,
        propagation: Trail,
        neighborhood: Neighborhood,
        cell_size: float,
        steps: int,
        reach: float,
    ) -> int:
        return steps * self.inset(propagation, neighborhood)

    def inset(self, propagation: Trail, neighborhood: Neighborhood) -> int:
        return len(propagation.weights()[0]) // 2

    def halo_planes(self, field: Any) -> tuple[NDArray[np.float32], ...]:
        return tuple(field.planes)

    def put(self, field: Any, cells: NDArray[np.int64], values: list[NDArray[np.float32]]) -> None:
        field.put(cells, np.stack(values))

    def state(self, field: Any) -> Planes:
        state = field.state()
        planes = {f"plane {i}": plane for i, plane in enumerate(field.planes)}
        return planes | {f"inflow {i}": sums for i, sums in enumerate(state.get("inflow", ()))}

    def restore(self, field: Any, planes: Planes, sources: Sources) -> None:
        count = len(field.planes)
        values = np.stack([planes[f"plane {i}"] for i in range(count)])
        state = {"values": values[0], "planes": values}
        if "inflow 0" in planes:
            state["inflow"] = np.stack([planes[f"inflow {i}"] for i in range(count)])
        field.restore(state, sources)


class _Fade(Transfer):
    bytes_per_cell = 16
    is_lazy = True

    def halo(
        self,
        propagation: Fade,
        neighborhood: Neighborhood,
        cell_size: float,
        steps: int,
        reach: float,
    ) -> int:
        if propagation.mark_spread > 0:
            spreads = math.floor(math.log(0.01) / math.log(propagation.mark_spread)) + 1
        else:
            spreads = 0
        longest = max(max(abs(dx), abs(dy)) for dx, dy in neighborhood.steps)
        if reach or spreads:
            return 2 * (math.ceil(reach / cell_size) + 1 + spreads * longest)
        return 0

    def state(self, field: Any) -> Planes:
        state = field.state()
        tiles, places = _tiles(field)
        tiles[state["tiles"]] = state["left"].reshape(-1, tiles.shape[1])
        return {"left": tiles.reshape(-1)[places].astype(np.int32).reshape(field.space.shape)}

    def restore(self, field: Any, planes: Planes, sources: Sources) -> None:
        tiles, places = _tiles(field)
        tiles.reshape(-1)[places] = planes["left"].reshape(-1)
        some = np.flatnonzero(tiles.any(axis=1))
        left = tiles[some].reshape(-1, *kernels.trail.fade_steps.TILE)
        field.restore({"now": field.state()["now"], "tiles": some, "left": left}, sources)


def _tiles(field: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return empty tiles of a fade field, and the index of each cell in them."""
    height, width = field.space.shape
    rows, columns = kernels.trail.fade_steps.TILE
    tiles = np.zeros((-(-height // rows) * -(-width // columns), rows * columns), dtype=np.int64)
    return tiles, kernels.trail.fade_steps.slots(np.arange(height * width), width)[1]


class _Radial(Transfer):
    bytes_per_cell = 24

    def halo(
        self,
        propagation: Radial,
        neighborhood: Neighborhood,
        cell_size: float,
        steps: int,
        reach: float,
    ) -> int:
        cells = math.ceil(reach / cell_size) + 1
        if propagation.metric == "straight":
            return cells
        return 2 * cells

    def state(self, field: Any) -> Planes:
        return {"values": field.values}

    def restore(self, field: Any, planes: Planes, sources: Sources) -> None:
        field.restore({"values": planes["values"]}, sources)


_KINDS: dict[type[Propagation], Transfer] = {
    Spread: _Spread(),
    Trail: _Trail(),
    Fade: _Fade(),
    Radial: _Radial(),
}


def transfer_of(propagation: Propagation) -> Transfer:
    """Return the transfer of a propagation; raises `InvalidValue` for one without."""
    kind = _KINDS.get(type(propagation))
    if kind is None:
        raise InvalidValue(
            "Layers in blocks have fc.Spread, Trail, Fade or Radial: values must follow from cells"
            " near by",
            got=repr(propagation),
            remedy=(
                "Flood needs totals of the whole map: use it on window(...), or on a coarser map"
            ),
        )
    return kind


@dataclass(frozen=True)
class WorldPlan:
    """The settings that all layers of a world share; `walls` are the initial ones."""

    width: int
    height: int
    block: int
    cell_size: float
    origin: tuple[float, float]
    y_up: bool
    neighbors: tuple[tuple[int, int], ...]
    wrap: Wrap
    walls: LazyArray

    @property
    def wraps_x(self) -> bool:
        """Whether the left and the right edge are joined."""
        return flags_of(self.wrap) & WRAP_X != 0

    @property
    def wraps_y(self) -> bool:
        """Whether the upper and the lower edge are joined."""
        return flags_of(self.wrap) & WRAP_Y != 0

    @property
    def neighborhood(self) -> Neighborhood:
        """The neighborhood of a cell."""
        return Neighborhood.of(np.array(self.neighbors), y_up=self.y_up)


@dataclass(frozen=True)
class LayerPlan:
    """The settings of a layer: `every` in ticks, `reach` in world units, `halo_steps` the steps of
    a superstep.
    """

    name: str
    propagation: Propagation
    every: int
    reach: float
    halo_steps: int
    world: WorldPlan
    resistance: LazyArray | None = None

    @property
    def kind(self) -> Transfer:
        """The transfer of its propagation."""
        return transfer_of(self.propagation)

    def partition(self, halo_steps: int | None = None) -> Partition:
        """Return its partition into blocks, with halos for `halo_steps` steps."""
        if halo_steps is None:
            halo_steps = self.halo_steps
        world = self.world
        halo = self.kind.halo(
            self.propagation, world.neighborhood, world.cell_size, halo_steps, self.reach
        )
        return Partition(world.width, world.height, world.block, halo, world.wraps_x, world.wraps_y)
