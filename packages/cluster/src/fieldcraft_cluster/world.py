"""Worlds larger than an array: a map in blocks, of which only those where something happens
exist.
"""

from __future__ import annotations

import dataclasses
import hashlib
import logging
import os
import weakref
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, clock
from fieldcraft.errors import InvalidValue, NameTaken, UnknownName
from fieldcraft.files import damaged
from fieldcraft.interruption import breathe, whole
from fieldcraft.packing import pack
from fieldcraft.propagation import Fade, Propagation, Radial, Spread, Trail
from fieldcraft.space import Grid
from fieldcraft.steering.walk import MOST_AGENTS, checked_key
from fieldcraft_cluster import checkpoint as checkpoints
from fieldcraft_cluster.agent_shard import Group, StepPlan
from fieldcraft_cluster.block import LayerPlan, WorldPlan
from fieldcraft_cluster.blocks import BlockCommands, BlockEntry
from fieldcraft_cluster.checkpoint import Checkpoint, LayerState, SwarmState
from fieldcraft_cluster.coordinator import Coordinator, Counters, Start
from fieldcraft_cluster.distances import WorldDistances
from fieldcraft_cluster.folder import claim, lock, unlock
from fieldcraft_cluster.layer import MOST_REACH, WorldLayer
from fieldcraft_cluster.layers import (
    LAYERS,
    SourceLayer,
    WorldMemoryLayer,
    WorldRadialLayer,
    WorldSpreadLayer,
    WorldTrailLayer,
)
from fieldcraft_cluster.plan import Box
from fieldcraft_cluster.report import Report
from fieldcraft_cluster.stores import LocalStores, Stores
from fieldcraft_cluster.surface import Surface
from fieldcraft_cluster.swarm import WorldSwarm, born, scattered
from fieldcraft_cluster.terrain import Changes, Cover
from fieldcraft_cluster.transfer import transfer_of

__all__ = ["World"]

_MOST_SIDE = 2**24
_MOST_BLOCK = 2**14
_MOST_STEPS = 1_000_000
_SAMPLE = 64  # cells a side of the parts by which the walls of a world are known again
_log = logging.getLogger("fieldcraft")


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
        Cells along a side of a block. Smaller ones (512) suit a quiet world, larger ones (2048) a
        busy one.
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
        Bytes of blocks that each process keeps in memory; more are moved to the folder and back.
        About 12 a cell of `Spread`.
    halo_steps : int, optional
        How many steps a superstep makes. More mean fewer, larger messages, and wider halos that are
        computed twice.

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
        width, height = _size(size)
        side = checks.whole("block", block, minimum=1, maximum=_MOST_BLOCK)
        model = Grid(
            1, 1, cell_size=cell_size, origin=origin, y_up=y_up, neighbors=neighbors, wrap=wrap
        )
        cover = Cover(walls, (height, width), np.bool_, "walls")
        self.plan = WorldPlan(
            width,
            height,
            side,
            model.cell_size,
            model.origin,
            model.y_up,
            tuple(model.world_steps),
            model.wrap,
            cover,
        )
        self._memory = checks.positive("memory", memory)
        self._halo_steps = checks.whole("halo_steps", halo_steps, minimum=1, maximum=1024)
        self._resistance = {
            name: Cover(given, (height, width), np.float32, "resistances")
            for name, given in _named(resistance).items()
        }
        self._layers: dict[str, WorldLayer] = {}
        self._changed: set[str] = set()
        self.changes = Changes()
        self._ticks = 0
        self._number = 0
        self._swarms: dict[str, WorldSwarm] = {}
        self._checkpoint_of: list[tuple[LayerPlan, int, list[BlockEntry]]] = []
        self._agents_of: dict[str, list[tuple[int, str]]] = {}
        self._label = claim(self.folder)
        token = object()
        lock(self.folder, token)
        self._unlock = weakref.finalize(self, unlock, self.folder, token)
        found = checkpoints.read(self.folder, self._label)
        if found is not None:
            self._go_on(found)
        self.coordinator = self._open(LocalStores())

    def __repr__(self) -> str:
        names = ", ".join(self._layers) or "no layers"
        return (
            f"<World {self.plan.width} x {self.plan.height} in blocks of {self.plan.block},"
            f" {names}>"
        )

    # Layers

    @overload
    def add_layer(
        self, name: str, propagation: Spread, *, every: float = ..., reach: float | None = ...
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
        self, name: str, propagation: Trail, *, every: float = ..., reach: float | None = ...
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
            World units that a mark (`Fade`) or a source (`Radial`) reaches at most. By default the
            radius of the propagation, and the cell alone for marks. With `Spread` and `Trail` as
            far as agents look that read it, and step; by default as far as halos reach.

        Raises
        ------
        NameTaken
            If the name is in use.
        InvalidValue
            For what doesn't fit and for kinds that can't be cut into blocks, with the reason.
        """
        if not isinstance(name, str) or not name:
            raise InvalidValue(
                "A layer's name is a word or more", got=repr(name), remedy="Pass a string"
            )
        if name in self._layers:
            raise NameTaken(
                "Layer names differ",
                got=f"{name!r}, which exists",
                remedy="Ask for world.layer(name), or choose another",
            )
        plan = self._layer_plan(name, propagation, clock.ticks("every", every, minimum=1), reach)
        layer = self._layers[name] = LAYERS[propagation.layer](self, plan)
        self.coordinator.add_layer(plan)
        return layer

    def _layer_plan(
        self, name: str, propagation: Propagation, every: int, reach: float | None
    ) -> LayerPlan:
        transfer_of(propagation)
        far = 0.0 if reach is None else checks.positive("reach", reach)
        if isinstance(propagation, Radial):
            far = max(far, propagation.radius)
        resistance = self._resistance.get(name)
        if resistance is not None and not isinstance(propagation, Spread):
            raise InvalidValue(
                "Cells resist on layers with fc.Spread",
                got=repr(propagation),
                remedy="Leave its resistance out",
            )
        plan = LayerPlan(name, propagation, every, far, self._halo_steps, self.plan, resistance)
        if far:
            if far / self.plan.cell_size > MOST_REACH:
                raise InvalidValue(
                    f"A reach is at most {MOST_REACH:,} cells",
                    got=f"{far:g}",
                    remedy="Use larger cells",
                )
            if not isinstance(propagation, (Spread, Trail)):
                self.check_torus(plan.plan().halo, f"a reach of {far:g}")
        return plan

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

    # Swarms

    def add_swarm(
        self,
        name: str,
        positions: ArrayLike,
        headings: ArrayLike | None = None,
        *,
        roles: ArrayLike | None = None,
        seed: int = 0,
    ) -> WorldSwarm:
        """Add agents at (N, 2) world positions on open ground, and return them; they have the
        numbers 0 to N - 1 for good.

        Parameters as those of `steering.Swarm.at`. Raises `NameTaken`, `OutsideMap`, `OnWall` or
        `InvalidValue`.
        """
        points, _ = checks.positions(positions)
        key = checked_key(seed)
        self._check_swarm(name)
        return self._with_swarm(name, born(self, points, headings, roles, key), len(points), key)

    def scatter_swarm(self, name: str, count: int, *, seed: int = 0) -> WorldSwarm:
        """Add so many agents anywhere on open ground, heading anywhere, by the dice of the seed.

        Raises
        ------
        NameTaken
            If the name is in use.
        InvalidValue
            If there is hardly any open ground.
        """
        number = checks.whole("count", count, maximum=MOST_AGENTS)
        key = checked_key(seed)
        self._check_swarm(name)
        return self._with_swarm(name, scattered(self, number, key), number, key)

    def _check_swarm(self, name: Any) -> None:
        if not isinstance(name, str) or not name:
            raise InvalidValue(
                "A swarm's name is a word or more", got=repr(name), remedy="Pass a string"
            )
        if name in self._swarms:
            raise NameTaken(
                "Names of swarms differ",
                got=f"{name!r}, which exists",
                remedy="Ask for world.swarm(name), or choose another",
            )

    def _with_swarm(self, name: str, groups: dict[int, Group], count: int, key: int) -> WorldSwarm:
        swarm = self._swarms[name] = WorldSwarm(self, name, key, count)
        self.coordinator.add_shard(name, self.plan, groups)
        return swarm

    def swarm(self, name: str) -> WorldSwarm:
        """The swarm of that name; raises `UnknownName`."""
        try:
            return self._swarms[name]
        except Exception:
            raise UnknownName("swarm", name, self._swarms) from None

    @property
    def swarms(self) -> Mapping[str, WorldSwarm]:
        """The swarms by name; read-only."""
        return MappingProxyType(self._swarms)

    @property
    def time(self) -> float:
        """Seconds that `advance` has been told of."""
        return clock.seconds(self._ticks)

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

    def distance_map(
        self,
        goals: ArrayLike,
        *,
        cost: float | ArrayLike | Callable[[slice, slice], ArrayLike] | None = None,
        start_costs: ArrayLike | None = None,
        limit: float | None = None,
    ) -> WorldDistances:
        """How far it is from everywhere to the nearest goal, walking: `fieldcraft.distance_map`
        over all blocks, with the same bits.

        Nothing is searched before it is asked, and then no further than the question needs, in this
        process.

        Parameters
        ----------
        goals : array_like
            One world position or (N, 2) of them, on open ground.
        cost : float, array_like or Callable[[slice, slice], array_like], optional
            What the ground costs per world unit of way: a number, or costs for each cell, given as
            walls are. By default 1. At least 1e-6; infinite is a wall. A step costs its length
            times the mean of its two cells.
        start_costs : array_like, optional
            What each goal begins with, at least 0: one number or one per goal.
        limit : float, optional
            The search ends at this distance, which is included.

        Raises
        ------
        OutsideMap
            If a position is outside the map.
        OnWall
            If a position is in a wall.
        InvalidValue
            If an argument has a wrong value, shape or type.
        """
        return WorldDistances(self, goals, cost, start_costs, limit, self._memory)

    # Time

    def step(self, count: int = 1) -> Report:
        """Let every layer make `count` steps, whatever its interval."""
        wanted = checks.whole("count", count)
        return self._take(dict.fromkeys(self._layers, wanted), None)

    def advance(self, dt: float) -> Report:
        """Let `dt` seconds pass: each layer makes the steps that fall due; none is dropped.

        Raises
        ------
        InvalidValue
            For more than a million steps of one layer in a call.
        """
        return self._take(self._fall_due(dt), None)

    def _fall_due(self, dt: float) -> dict[str, int]:
        ticks = clock.ticks("dt", dt)
        fallen = {
            name: divmod(layer._due + ticks, layer._layer_plan.every)
            for name, layer in self._layers.items()
        }
        for name, (count, _) in fallen.items():
            if count > _MOST_STEPS:
                raise InvalidValue(
                    f"A layer makes at most {_MOST_STEPS:,} steps in one call",
                    got=f"{count:,} of {name!r}, every {self._layers[name].every:g} s",
                    remedy="Pass a shorter dt, or call it several times",
                )
        self._ticks += ticks
        steps = {}
        for name, (steps[name], due) in fallen.items():
            self._layers[name]._due = due
        return steps

    def _take(self, steps: dict[str, int], every: int | None) -> Report:
        before = self.coordinator.counters
        self.coordinator.counters = counters = type(before)()
        saved = 0
        for name, count in steps.items():
            layer = self._layers[name]
            while count > 0:
                self.flush(layer)
                expiry = layer.next_expiry
                batch = min(
                    count,
                    layer._layer_plan.halo_steps,
                    count if expiry is None else max(expiry - layer.steps, 1),
                )
                self._superstep(layer, batch)
                count -= batch
                if every is not None and counters.supersteps % every == 0:
                    self.checkpoint()
                    saved += 1
        return _report(steps, counters, saved)

    def _walk(
        self, swarm: WorldSwarm, step_plan: StepPlan, steps: int, every: int | None
    ) -> Report:
        """Let a swarm make steps, and each layer that it leaves something on one with each of
        them.
        """
        count = checks.whole("steps", steps)
        updated = list(dict.fromkeys(mark.layer for mark in step_plan.marks))
        before = self.coordinator.counters
        self.coordinator.counters = counters = type(before)()
        saved = 0
        for layer in {*updated, *step_plan.read}:
            self.flush(self._layers[layer])
        swarm.out_of_walls()
        self.coordinator.step_plan(swarm.name, step_plan)
        for made in range(1, count + 1):
            self._walk_once(swarm, updated)
            if every is not None and made % every == 0:
                self.checkpoint()
                saved += 1
            breathe()
        return _report({swarm.name: count, **dict.fromkeys(updated, count)}, counters, saved)

    @whole
    def _walk_once(self, swarm: WorldSwarm, updated: list[str]) -> None:
        """Let a swarm make one step; Ctrl-C waits until it and its layers have."""
        self.coordinator.walk(swarm.name, swarm.step)
        swarm.step += 1
        for name in updated:
            self._superstep(self._layers[name], 1)

    @whole
    def _superstep(self, layer: WorldLayer, steps: int) -> None:
        """Let a layer take steps; Ctrl-C waits until it has."""
        expiry = layer.next_expiry
        self.coordinator.superstep(layer.name, steps, layer.steps + steps)
        layer.steps += steps
        if expiry is not None and expiry <= layer.steps:
            self._changed.add(layer.name)

    def flush(self, layer: WorldLayer) -> None:
        """Tell the blocks of a layer what has come in."""
        if layer.name in self._changed:
            self._changed.discard(layer.name)
            self.coordinator.order(layer.name, layer.take_orders())

    def changed(self, layer: WorldLayer) -> None:
        """Take notice that something has come in for a layer."""
        self._changed.add(layer.name)

    def tuned(self, plan: LayerPlan) -> None:
        """Go on with other parameters of a layer."""
        self.coordinator.tune(plan)

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
        entries, self._agents_of, written = self.coordinator.save(f"{self._number + 1}")
        self._number += 1
        states = [
            LayerState(
                layer.name,
                layer.propagation,
                layer._layer_plan.every,
                layer._layer_plan.reach,
                layer._layer_plan.resistance is not None,
                layer.steps,
                layer._due,
                layer.sources.state() if isinstance(layer, SourceLayer) else {},
                entries[layer.name],
            )
            for layer in self._layers.values()
        ]
        swarms = [
            SwarmState(one.name, one._key, len(one), one.step, self._agents_of[one.name])
            for one in self._swarms.values()
        ]
        state = Checkpoint(
            self._number,
            self._shape(),
            self._ticks,
            self.changes.cells,
            self.changes.blocked,
            states,
            swarms,
        )
        checkpoints.commit(self.folder, self._label, state)
        self._checkpoint_of = [
            (layer._layer_plan, layer.steps, entries[layer.name]) for layer in self._layers.values()
        ]
        orders = self._all_sources() if self.coordinator.begins_again else {}
        self.coordinator.committed(self._start(), orders)
        return written

    def _shape(self) -> dict[str, Any]:
        plan = self.plan
        return {
            "width": plan.width,
            "height": plan.height,
            "block": plan.block,
            "cell_size": plan.cell_size,
            "origin": plan.origin,
            "y_up": plan.y_up,
            "neighbors": plan.neighbors,
            "wrap": plan.wrap,
            "walls": self._fingerprint(),
        }

    def _fingerprint(self) -> str:
        """A fingerprint of the walls that a world was made with: those of five small parts."""
        seen = hashlib.sha256()
        height, width = self.plan.height, self.plan.width
        for down, right in ((0, 0), (0, 1), (1, 0), (1, 1), (0.5, 0.5)):
            top, left = int(down * max(height - _SAMPLE, 0)), int(right * max(width - _SAMPLE, 0))
            box = Box(top, min(top + _SAMPLE, height), left, min(left + _SAMPLE, width))
            seen.update(np.packbits(self.plan.walls.over(box)).tobytes())
        return seen.hexdigest()

    def _go_on(self, found: Checkpoint) -> None:
        for name, value in self._shape().items():
            if pack((found.shape.get(name),)) != pack((value,)):
                raise InvalidValue(
                    "A world is opened as it was made",
                    got=(
                        f"{name} of {value!r}, where {found.shape.get(name)!r} lies in"
                        f" {self.folder}"
                    ),
                    remedy="Pass the same, or another folder",
                )
        self._number, self._ticks = found.number, found.ticks
        self.changes = Changes(found.changed.copy(), found.blocked.copy())
        for state in found.layers:
            if state.resists and state.name not in self._resistance:
                raise InvalidValue(
                    "A world is opened as it was made",
                    got=f"no resistance of layer {state.name!r}",
                    remedy=f"Pass resistance={{{state.name!r}: ...}}",
                )
            plan = self._layer_plan(state.name, state.propagation, state.every, state.reach or None)
            layer = self._layers[state.name] = LAYERS[state.propagation.layer](self, plan)
            layer.steps, layer._due = state.steps, state.due
            if isinstance(layer, SourceLayer):
                try:
                    layer.sources.restore(state.sources)
                except (LookupError, TypeError, ValueError, AttributeError) as error:
                    raise damaged(self.folder, f"sources that don't fit ({error})") from error
            self._checkpoint_of.append((plan, state.steps, state.entries))
        for swarm in found.swarms:
            self._swarms[swarm.name] = WorldSwarm(
                self, swarm.name, swarm.key, swarm.count, swarm.step
            )
            self._agents_of[swarm.name] = swarm.entries

    def _start(self) -> Start:
        return Start(
            self.plan,
            self._checkpoint_of,
            self._agents_of,
            self.changes.cells,
            self.changes.blocked,
        )

    def _open(self, stores: Stores) -> Coordinator:
        """A coordinator that goes on from the last checkpoint."""
        coordinator = Coordinator(stores, self.folder, self._label, self._memory)
        coordinator.open(self._start())
        for name, orders in self._all_sources().items():
            coordinator.order(name, orders)
        return coordinator

    def _all_sources(self) -> dict[str, dict[int, BlockCommands]]:
        """The sources of all blocks, which checkpoints keep for the whole map."""
        found = {}
        for name, layer in self._layers.items():
            if isinstance(layer, SourceLayer):
                layer.sources.all_changed()
                found[name] = layer.take_orders()
        return found

    def use(self, stores: Stores, halo_steps: int | None = None) -> None:
        """Go on, from a checkpoint that is made now, on other stores and with other halos."""
        self.checkpoint()
        self.coordinator.close()
        if halo_steps is not None:
            self._halo_steps = halo_steps
        for layer in self._layers.values():
            layer._set_halo(dataclasses.replace(layer._layer_plan, halo_steps=self._halo_steps))
        self._checkpoint_of = [
            (self._layers[plan.name]._layer_plan, steps, entries)
            for plan, steps, entries in self._checkpoint_of
        ]
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


def _report(steps: dict[str, int], counters: Counters, saved: int) -> Report:
    return Report(
        steps,
        counters.supersteps,
        counters.ran,
        counters.asleep,
        counters.bytes_between_blocks,
        counters.bytes_between_workers,
        tuple(counters.lost),
        saved,
    )


def _named(resistance: Mapping[str, Any] | None) -> Mapping[str, Any]:
    if resistance is not None and not isinstance(resistance, Mapping):
        raise InvalidValue(
            "resistance is by the names of layers",
            got=type(resistance).__name__,
            remedy='Pass {"noise": array}',
        )
    return resistance or {}


def _size(size: Any) -> tuple[int, int]:
    parts = checks.sequence("size", size)
    if len(parts) != 2:
        raise InvalidValue(
            "size is (width, height)", got=repr(size), remedy="Pass two whole numbers"
        )
    width, height = (
        checks.whole(name, part, minimum=1, maximum=_MOST_SIDE)
        for name, part in zip(("width", "height"), parts, strict=True)
    )
    return width, height
