"""Steps of worlds: superstep by superstep, with checkpoints in between."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fieldcraft.base import clock
from fieldcraft.base.interruption import atomic
from fieldcraft_cluster.coordinator import Report
from fieldcraft_cluster.layer import WorldLayer

if TYPE_CHECKING:
    from fieldcraft_cluster.world import World


def due_steps(world: World, dt: float) -> dict[str, int]:
    """Advance the clock of a world by `dt` seconds; return the due steps of each layer."""
    ticks = clock.ticks("dt", dt)
    counts = {
        name: divmod(layer.due + ticks, layer.plan.every) for name, layer in world.layers.items()
    }
    clock.check_time(world.ticks, ticks)
    for name, (count, _) in counts.items():
        layer = world.layers[name]
        layer.check_time(ticks)
        clock.check_steps(count, layer.plan.every, f"layer {name!r}")
    world.ticks += ticks
    for name, (_, due) in counts.items():
        world.layers[name].due = due
    return {name: count for name, (count, _) in counts.items()}


def take_steps(world: World, steps: dict[str, int]) -> Report:
    """Take steps of layers, with checkpoints inside of `run`."""
    every = world.checkpoint_every
    report = Report(steps)
    world.coordinator.report = report
    for name, count in steps.items():
        layer = world.layers[name]
        while count > 0:
            world.flush(layer)
            batch = min(count, layer.plan.halo_steps)
            if layer.next_expiry is not None:
                batch = min(batch, max(layer.next_expiry - layer.steps, 1))
            _superstep(world, layer, batch)
            count -= batch
            if every is not None and report.supersteps % every == 0:
                world.checkpoint()
                report.checkpoints += 1
    return report


@atomic
def _superstep(world: World, layer: WorldLayer, steps: int) -> None:
    """Take steps of one layer; Ctrl-C is deferred to their end."""
    expiry = layer.next_expiry
    world.coordinator.superstep(layer.name, steps, layer.steps + steps)
    layer.steps += steps
    if expiry is not None and expiry <= layer.steps:
        world.changed_layers.add(layer.name)
