"""Worlds larger than an array: a map in blocks, which exist only where something happens."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from fieldcraft.base import checks, clock
from fieldcraft.base.errors import InvalidValue, NameTaken, UnknownName
from fieldcraft.layers.propagation import Fade, Propagation, Radial, Spread, Trail
from fieldcraft.layers.steps import MOST_STEPS
from fieldcraft.space import Grid
from fieldcraft.space.wrapping import Wrap
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
from fieldcraft_cluster.terrain import LazyArray, WallChanges, WorldGeometry
from fieldcraft_cluster.transfer import WorldPlan

_MOST_SIDE = 2**24
_MOST_BLOCK = 2**14


class World(WorldGeometry):
    """A map in square blocks, stored in a folder. Empty blocks take no time, memory or disk.

    Layers have the same bits as on one `fieldcraft.Grid` of this size, for any block size, any
    number of steps in a superstep and any number of workers.

    Parameters
    ----------
    folder : str or path
        An absent or empty folder for a new world, or the folder of a world, which continues from
        its last checkpoint: pass the same size, settings and walls. Other folders are refused,
        because a world deletes its outdated files. One process at a time uses a folder, until
        `close`.
    size : tuple[int, int]
        (width, height) in cells, at most 2**24 each.
    block : int, optional
        Cells along a side of a block: 512 suit a quiet world, 2048 a busy one.
    walls : array_like or Callable[[slice, slice], array_like], optional
        Blocked cells: an array of bool, (height, width), that can be sliced (NumPy, a memory map,
        zarr), or a function of a slice of rows and a slice of columns that returns the array there,
        the same each time.
    resistance : Mapping[str, Any], optional
        Resistances of layers with `Spread`, by name, see `SpreadLayer.resistance`; each as an array
        or a function, like walls.
    cell_size, origin, y_up, neighbors, wrap
        As in `fieldcraft.Grid`.
    memory : float, optional
        Bytes of blocks that each process has in memory, about 12 per cell of `Spread`; more are
        moved to the folder.
    halo_steps : int, optional
        Steps of a superstep. More steps mean fewer messages, and wider halos that are computed
        twice.

    Raises
    ------
    InvalidValue
        Also for a folder with other files, or that another process uses.
    BadSaveFile
        For a damaged folder.
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
        wrap: Wrap = False,
        memory: float = 2e9,
        halo_steps: int = 16,
    ) -> None:
        self.folder = checks.path("folder", folder).absolute()
        sides = checks.sequence("size", size)
        if len(sides) != 2:
            raise InvalidValue(
                "size is (width, height)", got=repr(size), remedy="Pass two whole numbers"
            )
        width = checks.integer("size", sides[0], minimum=1, maximum=_MOST_SIDE)
        height = checks.integer("size", sides[1], minimum=1, maximum=_MOST_SIDE)
        initial_walls = LazyArray(walls, (height, width), np.bool_, "walls")
        grid = Grid(
            1,
            1,
            cell_size=cell_size,
            origin=origin,
            y_up=y_up,
            neighbors=neighbors,
            wrap=wrap,
        )
        side = checks.integer("block", block, minimum=1, maximum=_MOST_BLOCK)
        self.plan = WorldPlan(
            width=width,
            height=height,
            block=side,
            cell_size=grid.cell_size,
            origin=grid.origin,
            y_up=grid.y_up,
            neighbors=tuple(grid.world_steps),
            wrap=grid.wrap,
            walls=initial_walls,
        )
        self._memory = checks.positive("memory", memory)
        self._halo_steps = checks.integer("halo_steps", halo_steps, minimum=1, maximum=1024)
        if resistance is not None and not isinstance(resistance, Mapping):
            raise InvalidValue(
                "resistance is a mapping from names of layers",
                got=type(resistance).__name__,
                remedy='Pass {"noise": array}',
            )
        self.resistance = {
            name: LazyArray(given, (height, width), np.float32, "resistances")
            for name, given in (resistance or {}).items()
        }
        self._layers: dict[str, WorldLayer] = {}
        self.changed_layers: set[str] = set()
        """The layers with commands for their blocks."""
        self.wall_changes = WallChanges()
        self.ticks = 0
        self.checkpoint_every: int | None = None
        """Supersteps between two checkpoints, inside of `run`."""
        self._label = claim(self.folder)
        token = object()
        place = lock(self.folder, token)
        self._unlock = weakref.finalize(self, unlock, place, token)
        self._last = read(self.folder, self._label) or Checkpoint.empty()
        if self._last.shape:
            saving.restore_world(self, self._last)
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
            A new name.
        propagation : Propagation
            `Spread`, `Trail`, `Fade` or `Radial`.
        every : float, optional
            Seconds between two steps.
        reach : float, optional
            With `Fade` and `Radial`, the largest radius of a mark or a source in world units. By
            default the radius of the propagation, and a single cell for marks.

        Raises `NameTaken`, and `InvalidValue` for kinds without blocks.
        """
        _check_name("layer", name, self._layers)
        layer = self.new_layer(name, propagation, clock.ticks("every", every, minimum=1), reach)
        self.coordinator.add_layer(layer.plan)
        return layer

    def new_layer(
        self, name: str, propagation: Propagation, every: int, reach: float | None
    ) -> WorldLayer:
        """Return a new layer without blocks; `every` is in ticks."""
        plan = plan_of(self, name, propagation, every, reach, self._halo_steps)
        layer = LAYERS[propagation.layer_kind](self, plan)
        self._layers[name] = layer
        return layer

    def layer(self, name: str) -> Any:
        """Return the layer of that name; raises `UnknownName`."""
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
        """The sum of all `advance` calls, in seconds."""
        return clock.seconds(self.ticks)

    # Walls

    def set_walls(self, positions: ArrayLike, blocked: bool = True) -> None:
        """Block or open the cells at world positions, (N, 2), on all layers. New walls read 0 at
        once; influence follows at the next step.
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
            self.flush(layer)  # blocks that are loaded from files still have the previous walls
        self.wall_changes.add(cells[new], state)
        self.coordinator.set_walls(cells[new], np.full(int(new.sum()), state))

    # Time

    def step(self, count: int = 1) -> Report:
        """Take `count` steps of every layer, whatever its interval."""
        count = checks.integer("count", count, maximum=MOST_STEPS)
        for layer in self._layers.values():
            layer.check_time(count * layer.plan.every)
        return stepping.take_steps(self, dict.fromkeys(self._layers, count))

    def advance(self, dt: float) -> Report:
        """Advance by `dt` seconds: each layer takes all due steps. Raises `InvalidValue` for more
        than a million steps of one layer, and for times beyond 51 years.
        """
        return stepping.take_steps(self, stepping.due_steps(self, dt))

    def flush(self, layer: WorldLayer) -> None:
        """Send the queued commands of a layer to its blocks."""
        if layer.name in self.changed_layers:
            self.changed_layers.discard(layer.name)
            commands = layer.take_commands()
            if commands:
                self.coordinator.apply(layer.name, commands)

    # Checkpoints

    def checkpoint(self) -> int:
        """Save the world, so that it continues from here when it is opened again; return the bytes
        written.

        Only changed blocks are written. The new checkpoint replaces the old one atomically: after
        any failure one of the two is valid. Raises `BadSaveFile` if the folder cannot be written.
        """
        for layer in self._layers.values():
            self.flush(layer)
        entries, written = self.coordinator.save(f"{self._last.number + 1}")
        state = saving.state_of(self, self._last.number + 1, entries)
        commit(self.folder, self._label, state)
        self._last = state
        self.coordinator.set_checkpoint(saving.start(self, state), saving.source_commands(self))
        return written

    def _open(self, stores: Stores) -> Coordinator:
        """Return a coordinator that continues from the last checkpoint."""
        start = saving.start(self, self._last)
        coordinator = Coordinator(stores, self.folder, self._label, self._memory, start)
        for name, commands in saving.source_commands(self).items():
            coordinator.apply(name, commands)
        return coordinator

    def move_to(self, stores: Stores, halo_steps: int | None = None) -> None:
        """Continue from a new checkpoint on other stores, and with other halos."""
        self.checkpoint()
        self.coordinator.close()
        self._halo_steps = halo_steps or self._halo_steps
        for layer in self._layers.values():
            layer.set_halo(self._halo_steps)
        self.coordinator = self._open(stores)

    def close(self) -> None:
        """Free memory and unlock the folder; changes since the last checkpoint are lost."""
        self.coordinator.close()
        self._unlock()


def _check_name(what: str, name: Any, known: Mapping[str, object]) -> None:
    if not isinstance(name, str) or not name:
        raise InvalidValue(
            f"The name of a {what} is a word or more", got=repr(name), remedy="Pass a string"
        )
    if name in known:
        raise NameTaken(
            f"Names of {what}s differ",
            got=f"{name!r}, which exists",
            remedy=f"Use world.{what}(name), or choose another name",
        )
