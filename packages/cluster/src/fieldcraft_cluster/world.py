"""Worlds larger than an array: a map in blocks, of which only those where something happens
exist.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, clock
from fieldcraft.errors import InvalidValue, NameTaken, UnknownName
from fieldcraft.propagation import Fade, Propagation, Radial, Spread, Trail
from fieldcraft.space import Grid
from fieldcraft_cluster import saving, stepping
from fieldcraft_cluster.checkpoint import Checkpoint, commit, read
from fieldcraft_cluster.coordinator import Coordinator, Report
from fieldcraft_cluster.folder import claim, lock, unlock
from fieldcraft_cluster.layer import WorldLayer
from fieldcraft_cluster.layers import (
    LAYERS,
    WorldMemoryLayer,
    WorldRadialLayer,
    WorldSpreadLayer,
    WorldTrailLayer,
    plan_of,
)
from fieldcraft_cluster.store import Stores
from fieldcraft_cluster.terrain import Changes, Cover, Surface
from fieldcraft_cluster.transfer import WorldPlan

__all__ = ["World"]

_MOST_SIDE = 2**24
_MOST_BLOCK = 2**14


class World(Surface):
    """A map in square blocks, kept in a folder; what never happened anywhere takes no time, no
    memory and no disk.

    Layers on it give the same bits as on one `fieldcraft.Grid` of this size, whatever the size of
    blocks, how many steps a superstep makes and who computes them.

    Parameters
    ----------
    folder : str or path
        Where it lives: an absent or empty folder, or that of a world, which goes on from its last
        checkpoint: pass the same size, settings and walls. No other folder is touched, since a
        world deletes its outdated files. One process at a time uses it, until `close`.
    size : tuple[int, int]
        (width, height) in cells, at most 2**24 each.
    block : int, optional
        Cells along a side of a block: 512 suit a quiet world, 2048 a busy one.
    walls : array_like or Callable[[slice, slice], array_like], optional
        Where influence cannot go: an array of bool, (height, width), that can be cut by slices
        (NumPy, a memory map, zarr), or a function of two slices, of rows and of columns, that
        answers it for the cells there, the same each time.
    resistance : Mapping[str, Any], optional
        For layers with `Spread`, by name, how much cells resist, as `SpreadLayer.resistance`; given
        as walls are.
    cell_size, origin, y_up, neighbors, wrap
        As those of `fieldcraft.Grid`.
    memory : float, optional
        Bytes of blocks, about 12 a cell of `Spread`, that each process keeps in memory; more are
        moved to the folder and back.
    halo_steps : int, optional
        Steps of a superstep: more mean fewer messages, and wider halos that are computed twice.

    Raises
    ------
    InvalidValue
        Also for a folder that holds anything else, or that another process uses.
    BadSaveFile
        For a damaged one.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        size: tuple[int, int],
        *,
        block: int = 1024,
        walls: ArrayLike | Callable[[slice, slice], ArrayLike] | None = None,
        resistance: Mapping[str, Any] | None = None,
        cell_size: float = 1.0,
        origin: tuple[float, float] = (0.0, 0.0),
        y_up: bool = False,
        neighbors: int | ArrayLike = 4,
        wrap: bool = False,
        memory: float = 2e9,
        halo_steps: int = 16,
    ) -> None:
        self.folder = checks.path("folder", folder)
        sides = checks.sequence("size", size)
        if len(sides) != 2:
            raise InvalidValue(
                "size is (width, height)", got=repr(size), remedy="Pass two whole numbers"
            )
        width, height = (checks.integer("size", n, minimum=1, maximum=_MOST_SIDE) for n in sides)
        cover = Cover(walls, (height, width), np.bool_, "walls")
        model = Grid(
            1, 1, cell_size=cell_size, origin=origin, y_up=y_up, neighbors=neighbors, wrap=wrap
        )
        side = checks.integer("block", block, minimum=1, maximum=_MOST_BLOCK)
        self.plan = WorldPlan(
            *(width, height, side, model.cell_size, model.origin, model.y_up),
            *(tuple(model.world_steps), model.wrap, cover),
        )
        self._memory = checks.positive("memory", memory)
        self._halo_steps = checks.integer("halo_steps", halo_steps, minimum=1, maximum=1024)
        if resistance is not None and not isinstance(resistance, Mapping):
            raise InvalidValue(
                "resistance is by the names of layers",
                got=type(resistance).__name__,
                remedy='Pass {"noise": array}',
            )
        self.resistance = {
            name: Cover(given, (height, width), np.float32, "resistances")
            for name, given in (resistance or {}).items()
        }
        self._layers: dict[str, WorldLayer] = {}
        self.changed: set[str] = set()
        """The layers for which something has come in."""
        self.changes = Changes()
        self.ticks = 0
        self._label = claim(self.folder)
        token = object()
        lock(self.folder, token)
        self._unlock = weakref.finalize(self, unlock, self.folder, token)
        self._last = read(self.folder, self._label) or Checkpoint.none()
        if self._last.shape:
            saving.go_on(self, self._last)
        self.coordinator = self._open(Stores())

    def __repr__(self) -> str:
        names = ", ".join(self._layers) or "no layers"
        return (
            f"<World {self.plan.width} x {self.plan.height} in blocks of {self.plan.block},"
            f" {names}>"
        )

    # Layers

    @overload
    def add_layer(
        self, name: str, propagation: Spread, *, every: float = ...
    ) -> WorldSpreadLayer: ...
    @overload
    def add_layer(
        self, name: str, propagation: Radial, *, every: float = ..., reach: float | None = ...
    ) -> WorldRadialLayer: ...
    @overload
    def add_layer(
        self, name: str, propagation: Fade, *, every: float = ..., reach: float | None = ...
    ) -> WorldMemoryLayer: ...
    @overload
    def add_layer(
        self, name: str, propagation: Trail, *, every: float = ...
    ) -> WorldTrailLayer: ...
    def add_layer(
        self, name: str, propagation: Propagation, *, every: float = 0.1, reach: float | None = None
    ) -> WorldLayer:
        """Add a layer and return it.

        Parameters
        ----------
        name : str
            A new one, not empty.
        propagation : Propagation
            `Spread`, `Trail`, `Fade` or `Radial`.
        every : float, optional
            Seconds between two steps.
        reach : float, optional
            With `Fade` and `Radial`, the largest radius of a mark or a source in world units. By
            default the radius of the propagation, and a single cell for marks.

        Raises `NameTaken`, and `InvalidValue` for kinds that can't be cut into blocks.
        """
        _check_name("layer", name, self._layers)
        layer = self.new_layer(name, propagation, clock.ticks("every", every, minimum=1), reach)
        self.coordinator.add_layer(layer.plan)
        return layer

    def new_layer(
        self, name: str, propagation: Propagation, every: int, reach: float | None
    ) -> WorldLayer:
        """A layer that blocks don't have yet; `every` in ticks."""
        plan = plan_of(self, name, propagation, every, reach, self._halo_steps)
        layer = self._layers[name] = LAYERS[propagation._layer_kind](self, plan)
        return layer

    def layer(self, name: str) -> Any:
        """The layer of that name; raises `UnknownName`."""
        try:
            return self._layers[name]
        except Exception:
            raise UnknownName("layer", name, self._layers) from None

    @property
    def layers(self) -> Mapping[str, WorldLayer]:
        """The layers by name; read-only."""
        return MappingProxyType(self._layers)

    @property
    def time(self) -> float:
        """Seconds that `advance` has been told of."""
        return clock.seconds(self.ticks)

    # The ground

    def set_walls(self, positions: ArrayLike, blocked: bool = True) -> None:
        """Block or open the cells at world positions, (N, 2), on all layers. New walls read 0 at
        once; influence notices them at the next step.
        """
        rows, columns = self.cells(positions)
        state = checks.flag("blocked", blocked)
        cells = np.unique(rows * self.plan.width + columns)
        rows, columns = np.divmod(cells, self.plan.width)
        new = self.walls_at(rows, columns) != state
        if not new.any():
            return
        for layer in self._layers.values():
            layer.set_walls(rows[new], columns[new], state)
            self.flush(layer)  # blocks that come from files still have the walls of before
        self.changes.add(cells[new], state)
        self.coordinator.set_walls(cells[new], np.full(int(new.sum()), state))

    # Time

    def step(self, count: int = 1) -> Report:
        """Let every layer make `count` steps, whatever its interval."""
        return stepping.take(self, dict.fromkeys(self._layers, checks.integer("count", count)))

    def advance(self, dt: float) -> Report:
        """Let `dt` seconds pass: each layer makes the steps that fall due; none is dropped. Raises
        `InvalidValue` for more than a million steps of one layer.
        """
        return stepping.take(self, stepping.fall_due(self, dt))

    def flush(self, layer: WorldLayer) -> None:
        """Tell the blocks of a layer what has come in."""
        if layer.name in self.changed:
            self.changed.discard(layer.name)
            orders = layer.take_orders()
            if orders:
                self.coordinator.order(layer.name, orders)

    # Checkpoints

    def checkpoint(self) -> int:
        """Write down where the world stands, as the place from which it goes on when it is opened
        again; the bytes written.

        Only blocks that have changed since the last are written. The new checkpoint takes the place
        of the old at once: whatever fails on the way, one of the two is whole. Raises `BadSaveFile`
        where the folder can't be written.
        """
        for layer in self._layers.values():
            self.flush(layer)
        entries, written = self.coordinator.save(f"{self._last.number + 1}")
        state = saving.state_of(self, self._last.number + 1, entries)
        commit(self.folder, self._label, state)
        self._last = state
        orders = saving.sources_of(self) if self.coordinator.begins_again else {}
        self.coordinator.committed(saving.start(self, state), orders)
        return written

    def _open(self, stores: Stores) -> Coordinator:
        """A coordinator that goes on from the last checkpoint."""
        start = saving.start(self, self._last)
        coordinator = Coordinator(stores, self.folder, self._label, self._memory, start)
        for name, orders in saving.sources_of(self).items():
            coordinator.order(name, orders)
        return coordinator

    def use(self, stores: Stores, halo_steps: int | None = None) -> None:
        """Go on, from a checkpoint that is made now, on other stores and with other halos."""
        self.checkpoint()
        self.coordinator.close()
        self._halo_steps = halo_steps or self._halo_steps
        for layer in self._layers.values():
            layer.set_halo(self._halo_steps)
        self.coordinator = self._open(stores)

    def close(self) -> None:
        """Let go of memory and files; what was not put into a checkpoint is lost. The folder can be
        opened again.
        """
        self.coordinator.close()
        self._unlock()

    # Looks

    def overview(self, scale: int = 64, layer: str | None = None) -> NDArray[np.float32]:
        """The overview of a layer, by default of the first: see `WorldLayer.overview`."""
        if not self._layers:
            raise InvalidValue(
                "An overview is of a layer", got="a world without any", remedy="Add a layer first"
            )
        chosen: WorldLayer = self.layer(next(iter(self._layers)) if layer is None else layer)
        return chosen.overview(scale)


def _check_name(what: str, name: Any, known: Mapping[str, object]) -> None:
    if not isinstance(name, str) or not name:
        raise InvalidValue(
            f"The name of a {what} is a word or more", got=repr(name), remedy="Pass a string"
        )
    if name in known:
        raise NameTaken(
            f"Names of {what}s differ",
            got=f"{name!r}, which exists",
            remedy=f"Ask for world.{what}(name), or choose another",
        )
