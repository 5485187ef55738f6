"""What a world keeps in a checkpoint, and how it goes on from one."""

from __future__ import annotations

import dataclasses
import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

from fieldcraft.errors import InvalidValue
from fieldcraft.files import damaged
from fieldcraft.packing import pack
from fieldcraft_cluster.blocks import BlockCommands, BlockEntry
from fieldcraft_cluster.checkpoint import Checkpoint, LayerState
from fieldcraft_cluster.coordinator import Start
from fieldcraft_cluster.layers import SourceLayer
from fieldcraft_cluster.plan import Box
from fieldcraft_cluster.terrain import Changes

if TYPE_CHECKING:
    from fieldcraft_cluster.world import World

__all__ = ["go_on", "sources_of", "start", "state_of"]

_SAMPLE = 64  # cells a side of the parts by which the walls of a world are known again


def state_of(
    world: World,
    number: int,
    entries: dict[str, list[BlockEntry]],
) -> Checkpoint:
    """Return the checkpoint of a world whose blocks were saved in these files."""
    layers = [
        LayerState(
            layer.name,
            layer.propagation,
            layer.plan.every,
            layer.plan.reach,
            layer.plan.resistance is not None,
            layer.steps,
            layer.due,
            layer.sources.state() if isinstance(layer, SourceLayer) else {},
            entries[layer.name],
        )
        for layer in world.layers.values()
    ]
    changes = world.changes
    return Checkpoint(number, _shape(world), world.ticks, changes.cells, changes.blocked, layers)


def start(world: World, last: Checkpoint) -> Start:
    """The checkpoint as coordinators begin from it, with halos as they are now."""
    layers = [(world.layer(one.name).plan, one.steps, one.entries) for one in last.layers]
    return Start(layers, last.changed, last.blocked)


def sources_of(world: World) -> dict[str, dict[int, BlockCommands]]:
    """The sources of all blocks by layers, which checkpoints keep for the whole map."""
    found = {}
    for name, layer in world.layers.items():
        if isinstance(layer, SourceLayer) and len(layer.sources):
            layer.sources.all_changed()
            found[name] = layer.take_orders()
    return found


def go_on(world: World, found: Checkpoint) -> None:
    """Let a new world be where a checkpoint stands. Raises `InvalidValue` for one that was made
    otherwise.
    """
    for name, value in _shape(world).items():
        if pack((found.shape.get(name),)) != pack((value,)):
            raise InvalidValue(
                "A world is opened as it was made",
                got=f"{name} of {value!r}, where {found.shape.get(name)!r} lies in {world.folder}",
                remedy="Pass the same, or another folder",
            )
    world.ticks = found.ticks
    world.changes = Changes(found.changed.copy(), found.blocked.copy())
    for state in found.layers:
        if state.resists and state.name not in world.resistance:
            raise InvalidValue(
                "A world is opened as it was made",
                got=f"no resistance of layer {state.name!r}",
                remedy=f"Pass resistance={{{state.name!r}: ...}}",
            )
        layer = world.new_layer(state.name, state.propagation, state.every, state.reach or None)
        layer.steps, layer.due = state.steps, state.due
        if isinstance(layer, SourceLayer):
            try:
                layer.sources.restore(state.sources)
            except (LookupError, TypeError, ValueError, AttributeError) as error:
                raise damaged(world.folder, f"sources that don't fit ({error})") from error


def _shape(world: World) -> dict[str, Any]:
    """The map that a world was made with. Its walls stand there by five small parts of them."""
    plan, seen = world.plan, hashlib.sha256()
    for down, right in ((0, 0), (0, 1), (1, 0), (1, 1), (0.5, 0.5)):
        top, left = (
            int(share * max(side - _SAMPLE, 0))
            for share, side in ((down, plan.height), (right, plan.width))
        )
        box = Box(top, top + _SAMPLE, left, left + _SAMPLE).cut(Box(0, plan.height, 0, plan.width))
        seen.update(np.packbits(plan.walls.over(box)).tobytes())
    fields = [each.name for each in dataclasses.fields(plan)]
    return {name: getattr(plan, name) for name in fields} | {"walls": seen.hexdigest()}
