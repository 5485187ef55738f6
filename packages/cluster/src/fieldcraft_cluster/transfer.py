"""The freight of blocks: for each kind of propagation, the planes that travel between blocks and
those that are kept.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.propagation import Fade, Propagation, Radial, Spread, Trail
from fieldcraft.sources import Sources
from fieldcraft.space import Neighborhood
from fieldcraft_cluster.plan import Plan
from fieldcraft_cluster.terrain import Cover

__all__ = ["LayerPlan", "Transfer", "WorldPlan", "transfer_of"]

Planes = dict[str, NDArray[Any]]


class Transfer(ABC):
    """One kind of propagation in blocks."""

    bytes_per_cell: ClassVar[int]
    timeless: ClassVar[bool] = False
    """Whether steps are made up for when somebody asks, and cost as much as one."""

    @abstractmethod
    def halo(
        self,
        propagation: Any,
        neighborhood: Neighborhood,
        cell_size: float,
        steps: int,
        reach: float,
    ) -> int:
        """How many cells of a halo make the interior right for so many steps."""

    def inset(self, propagation: Any, neighborhood: Neighborhood) -> int:
        """How many cells from the edge of its extended block inwards a block is wrong after one
        step.
        """
        return 0

    def travels(self, field: Any) -> tuple[NDArray[np.float32], ...]:
        """The planes of which halos are sent: views."""
        return ()

    def put(self, field: Any, cells: NDArray[np.int64], values: list[NDArray[np.float32]]) -> None:  # noqa: B027 - of those that send none
        """Give cells of the extended block the values of the planes that travel."""

    def empty(self, field: Any) -> None:
        """Begin to settle, from a map that holds nothing."""
        raise NotImplementedError

    def relax(self, layer: Any, halo: NDArray[np.float32]) -> None:
        """Go where endless steps would lead, if the halo, the only part of this block that
        is not 0, stayed as it is.
        """
        raise NotImplementedError

    @abstractmethod
    def kept(self, field: Any) -> Planes:
        """The planes that a block goes on from, each in the shape of its extended block."""

    @abstractmethod
    def restore(self, field: Any, planes: Planes, sources: Sources) -> None:
        """Go on from these."""


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

    def travels(self, field: Any) -> tuple[NDArray[np.float32], ...]:
        return (field.values,)

    def put(self, field: Any, cells: NDArray[np.int64], values: list[NDArray[np.float32]]) -> None:
        field.put(cells, values[0])

    def kept(self, field: Any) -> Planes:
        return {"values": field.values}

    def restore(self, field: Any, planes: Planes, sources: Sources) -> None:
        field.restore({"values": planes["values"], "pinned": np.zeros(0, dtype=np.int64)}, sources)

    def empty(self, field: Any) -> None:
        field.write(np.zeros_like(field.values))

    def relax(self, layer: Any, halo: NDArray[np.float32]) -> None:
        layer._feed()
        field, flat = layer._field, halo.reshape(-1)
        held, strengths = layer._sources.pins(field.spread.stack)
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
        return len(propagation._weights()[0]) // 2

    def travels(self, field: Any) -> tuple[NDArray[np.float32], ...]:
        return tuple(field.planes)

    def put(self, field: Any, cells: NDArray[np.int64], values: list[NDArray[np.float32]]) -> None:
        field.put(cells, np.stack(values))

    def kept(self, field: Any) -> Planes:
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
    timeless = True

    def halo(
        self,
        propagation: Fade,
        neighborhood: Neighborhood,
        cell_size: float,
        steps: int,
        reach: float,
    ) -> int:
        spreads = (
            math.floor(math.log(0.01) / math.log(propagation.mark_spread)) + 1
            if propagation.mark_spread > 0
            else 0
        )
        longest = max(max(abs(dx), abs(dy)) for dx, dy in neighborhood.steps)
        return 2 * (math.ceil(reach / cell_size) + 1 + spreads * longest) if reach or spreads else 0

    def kept(self, field: Any) -> Planes:
        moments = field.moments()
        tiles, places = _tiles(field)
        tiles[moments["tiles"]] = moments["left"].reshape(-1, tiles.shape[1])
        return {"left": tiles.reshape(-1)[places].astype(np.int32).reshape(field.space.shape)}

    def restore(self, field: Any, planes: Planes, sources: Sources) -> None:
        tiles, places = _tiles(field)
        tiles.reshape(-1)[places] = planes["left"].reshape(-1)
        some = np.flatnonzero(tiles.any(axis=1))
        left = tiles[some].reshape(-1, *kernels.fade.TILE)
        field.remember({"now": field.moments()["now"], "tiles": some, "left": left})


def _tiles(field: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Empty tiles of a field that remembers, and the place of each cell in them."""
    height, width = field.space.shape
    rows, columns = kernels.fade.TILE
    tiles = np.zeros((-(-height // rows) * -(-width // columns), rows * columns), dtype=np.int64)
    return tiles, kernels.fade.slots(np.arange(height * width), width)[1]


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
        return (1 if propagation.metric == "straight" else 2) * (math.ceil(reach / cell_size) + 1)

    def kept(self, field: Any) -> Planes:
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
    """How a propagation is carried in blocks; `InvalidValue` for one that can't be."""
    kind = _KINDS.get(type(propagation))
    if kind is None:
        raise InvalidValue(
            "Worlds in blocks carry fc.Spread, Trail, Fade and Radial: what a cell becomes must"
            " follow from ground near to it",
            got=repr(propagation),
            remedy=(
                "Flood stops by counts over the whole map: put it on window(...), or on a"
                " coarser map"
            ),
        )
    return kind


@dataclass(frozen=True)
class WorldPlan:
    """The plan of a world, which all of its layers share; `walls` are those it was made with."""

    width: int
    height: int
    block: int
    cell_size: float
    origin: tuple[float, float]
    y_up: bool
    neighbors: tuple[tuple[int, int], ...]
    wrap: bool
    walls: Cover

    @property
    def neighborhood(self) -> Neighborhood:
        """Its steps."""
        return Neighborhood.of(np.array(self.neighbors), y_up=self.y_up)


@dataclass(frozen=True)
class LayerPlan:
    """A layer of a world: `every` in ticks, `reach` in world units, `halo_steps` of one
    superstep.
    """

    name: str
    propagation: Propagation
    every: int
    reach: float
    halo_steps: int
    world: WorldPlan
    resistance: Cover | None = None

    @property
    def kind(self) -> Transfer:
        """How it is carried."""
        return transfer_of(self.propagation)

    def plan(self, halo_steps: int | None = None) -> Plan:
        """Its blocks, with halos for so many steps."""
        steps = self.halo_steps if halo_steps is None else halo_steps
        world = self.world
        halo = self.kind.halo(
            self.propagation, world.neighborhood, world.cell_size, steps, self.reach
        )
        return Plan(world.width, world.height, world.block, halo, world.wrap)
