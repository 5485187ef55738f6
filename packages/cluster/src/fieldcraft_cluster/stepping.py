"""Steps of worlds: superstep by superstep, with checkpoints in between."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fieldcraft import checks, clock
from fieldcraft.errors import InvalidValue
from fieldcraft.interruption import atomic, poll_interrupt
from fieldcraft_cluster.agents import StepPlan
from fieldcraft_cluster.coordinator import Report
from fieldcraft_cluster.layer import WorldLayer

if TYPE_CHECKING:
    from fieldcraft_cluster.swarm import WorldSwarm
    from fieldcraft_cluster.world import World

__all__ = ["fall_due", "take", "walk"]

_MOST_STEPS = 1_000_000


def fall_due(world: World, dt: float) -> dict[str, int]:
    """Let the clock of a world go on by `dt` seconds: the steps of each layer that fall due."""
    ticks = clock.ticks("dt", dt)
    fallen = {
        name: divmod(layer.due + ticks, layer.plan.every) for name, layer in world.layers.items()
    }
    for name, (count, _) in fallen.items():
        if count > _MOST_STEPS:
            raise InvalidValue(
                f"A layer makes at most {_MOST_STEPS:,} steps in one call",
                got=f"{count:,} of {name!r}, every {world.layer(name).every:g} s",
                remedy="Pass a shorter dt, or call it several times",
            )
    world.ticks += ticks
    for name, (_, due) in fallen.items():
        world.layers[name].due = due
    return {name: count for name, (count, _) in fallen.items()}


def take(world: World, steps: dict[str, int], every: int | None = None) -> Report:
    """Let layers take steps, with a checkpoint every so many supersteps."""
    report = world.coordinator.report = Report(steps)
    for name, count in steps.items():
        layer = world.layers[name]
        while count > 0:
            world.flush(layer)
            batch = min(count, layer.plan.halo_steps)
            if layer.next_expiry is not None:
                batch = min(batch, max(layer.next_expiry - layer.steps, 1))
            _superstep(world, layer, batch)
            count -= batch
            _save_every(world, every, report.supersteps, report)
    return report


def walk(
    world: World, swarm: WorldSwarm, plan: StepPlan, steps: int, every: int | None = None
) -> Report:
    """Let a swarm make steps, and each layer that it leaves something on one with each of them."""
    count = checks.integer("steps", steps)
    updated = [world.layer(name) for name in dict.fromkeys(mark.layer for mark in plan.marks)]
    made = {swarm.name: count, **{layer.name: count for layer in updated}}
    report = world.coordinator.report = Report(made)
    for layer in dict.fromkeys([*updated, *(world.layer(name) for name in plan.read)]):
        world.flush(layer)
    swarm.out_of_walls()
    world.coordinator.step_plan(swarm.name, plan)
    for number in range(1, count + 1):
        _walk_once(world, swarm, updated)
        _save_every(world, every, number, report)
        poll_interrupt()
    return report


def _save_every(world: World, every: int | None, made: int, report: Report) -> None:
    if every is not None and made % every == 0:
        world.checkpoint()
        report.checkpoints += 1


@atomic
def _walk_once(world: World, swarm: WorldSwarm, updated: list[WorldLayer]) -> None:
    """Let a swarm make one step; Ctrl-C waits until it and its layers have."""
    world.coordinator.walk(swarm.name, swarm.step)
    swarm.step += 1
    for layer in updated:
        _superstep(world, layer, 1)


@atomic
def _superstep(world: World, layer: WorldLayer, steps: int) -> None:
    """Let a layer take steps; Ctrl-C waits until it has."""
    expiry = layer.next_expiry
    world.coordinator.superstep(layer.name, steps, layer.steps + steps)
    layer.steps += steps
    if expiry is not None and expiry <= layer.steps:
        world.changed.add(layer.name)
