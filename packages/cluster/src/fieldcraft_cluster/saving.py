"""The state of a world in a checkpoint."""

from __future__ import annotations

import dataclasses
import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.files import damaged
from fieldcraft.space.encoding import to_bytes
from fieldcraft_cluster.blocks import BlockCommands, BlockEntry
from fieldcraft_cluster.checkpoint import Checkpoint, LayerState
from fieldcraft_cluster.coordinator import Start
from fieldcraft_cluster.layers import SourceLayer
from fieldcraft_cluster.partition import Box
from fieldcraft_cluster.terrain import WallChanges

if TYPE_CHECKING:
    from fieldcraft_cluster.world import World

_SAMPLE = 64  # cells a side of the parts by which the walls of a world are identified


def state_of(
    world: World,
    number: int,
    entries: dict[str, list[BlockEntry]],
) -> Checkpoint:
    """Return the checkpoint of a world whose blocks were saved in these files."""
    layers = []
    for layer in world.layers.values():
        sources = {}
        if isinstance(layer, SourceLayer):
            sources = layer.sources.state()
        layers.append(
            LayerState(
                layer.name,
                layer.propagation,
                layer.plan.every,
                layer.plan.reach,
                layer.plan.resistance is not None,
                layer.steps,
                layer.due,
                sources,
                entries[layer.name],
            )
        )
    changes = world.wall_changes
    return Checkpoint(number, _shape(world), world.ticks, changes.cells, changes.blocked, layers)


def start(world: World, last: Checkpoint) -> Start:
    """Return the checkpoint as a coordinator starts from it, with the current halo widths."""
    layers = [(world.layer(one.name).plan, one.steps, one.entries) for one in last.layers]
    return Start(layers, last.changed, last.blocked)


def source_commands(world: World) -> dict[str, dict[int, BlockCommands]]:
    """Return the commands that set the sources of all blocks, by layer."""
    found = {}
    for name, layer in world.layers.items():
        if isinstance(layer, SourceLayer) and len(layer.sources):
            layer.sources.mark_all_changed()
            found[name] = layer.take_commands()
    return found


def restore_world(world: World, found: Checkpoint) -> None:
    """Restore a new world from a checkpoint. Raises `InvalidValue` if the world has other
    settings.
    """
    for name, value in _shape(world).items():
        if to_bytes((found.shape.get(name),)) != to_bytes((value,)):
            raise InvalidValue(
                "A world is opened with the settings that it was created with",
                got=f"{name} of {value!r}; {world.folder} has {found.shape.get(name)!r}",
                remedy="Pass the same, or another folder",
            )
    world.ticks = found.ticks
    world.wall_changes = WallChanges(found.changed.copy(), found.blocked.copy())
    for state in found.layers:
        if state.has_resistance and state.name not in world.resistance:
            raise InvalidValue(
                "A world is opened with the settings that it was created with",
                got=f"no resistance of layer {state.name!r}",
                remedy=f"Pass resistance={{{state.name!r}: ...}}",
            )
        layer = world.new_layer(state.name, state.propagation, state.every, state.reach or None)
        layer.steps = state.steps
        layer.due = state.due
        if isinstance(layer, SourceLayer):
            try:
                layer.sources.restore(state.sources)
            except (LookupError, TypeError, ValueError, AttributeError) as error:
                raise damaged(world.folder, f"sources that don't fit ({error})") from error


def _shape(world: World) -> dict[str, Any]:
    """Return the settings of a world's map; its walls are identified by five small parts."""
    plan = world.plan
    digest = hashlib.sha256()
    full = Box(0, plan.height, 0, plan.width)
    for down, right in ((0, 0), (0, 1), (1, 0), (1, 1), (0.5, 0.5)):
        top = int(down * max(plan.height - _SAMPLE, 0))
        left = int(right * max(plan.width - _SAMPLE, 0))
        box = Box(top, top + _SAMPLE, left, left + _SAMPLE).intersection(full)
        digest.update(np.packbits(plan.walls.read(box)).tobytes())
    fields = [each.name for each in dataclasses.fields(plan)]
    return {name: getattr(plan, name) for name in fields} | {"walls": digest.hexdigest()}
