"""A device that is lost halfway: every use raises DeviceLost, and maps and swarms continue from the
last values that were read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import DeviceLost, InvalidValue
from fieldcraft.steering import Deposit, Forage, Swarm, Walk
from fieldcraft_gpu import Device
from support.refusals import refused

HOW = Walk(6.0, follow=1.0, avoid=1.0, wander=20.0, distance=3.0)


@pytest.fixture
def own(device: Device) -> Iterator[Device]:
    """A device of its own, which may be destroyed."""
    yield Device(device.adapter)


class World:
    """A map and a swarm on a device or on the CPU."""

    def __init__(self, place: Any) -> None:
        rng = np.random.default_rng(3)
        self.grid = fc.Grid(40, 30, walls=rng.random((30, 40)) < 0.1, neighbors=8)
        self.imap = fc.InfluenceMap(self.grid, device=place)
        self.trail = self.imap.add_layer("trail", fc.Trail(keep=0.9))
        self.flow = self.imap.add_layer("flow", fc.Trail(vector=True))
        self.noise = self.imap.add_layer("noise", fc.Spread(0.2, 0.7))
        self.noise.add_source(self.grid.position_of(int(np.flatnonzero(~self.grid.walls)[40])), 9.0)
        self.food = Forage(
            self.grid, rng.integers(0, 2, self.grid.shape), rng.random(self.grid.shape) < 0.1
        )
        self.swarm = Swarm.scattered(
            self.grid, 500, seed=5, device=None if place == "cpu" else place
        )

    def run(self, steps: int) -> None:
        self.swarm.run(
            HOW,
            0.1,
            steps=steps,
            trail=self.trail,
            deposits=[Deposit(self.trail), Deposit(self.flow)],
            forage=self.food,
        )
        self.noise.step(steps)

    def seen(self) -> list[Any]:
        layers = (self.trail.values.copy(), self.flow.vectors.copy(), self.noise.values.copy())
        return [self.swarm.agents, *layers, self.food.food.copy(), self.food.brought]


FIRST: dict[str, Callable[[World, Device], object]] = {
    "a step": lambda world, device: world.imap.step(),
    "steps of a swarm": lambda world, device: world.run(1),
    "values": lambda world, device: world.noise.values,
    "agents": lambda world, device: world.swarm.agents,
    "a save": lambda world, device: world.imap.copy(),
    "a layer": lambda world, device: world.imap.add_layer("more", fc.Trail()),
}


@pytest.mark.parametrize("first", FIRST)
def test_every_use_of_a_lost_device_raises(own: Device, first: str) -> None:
    world = World(own)
    world.run(3)
    own.handle.destroy()
    with refused(DeviceLost, "recover()"):
        FIRST[first](world, own)
    assert own.lost
    assert "lost" in repr(own)
    assert "lost" in repr(world.trail)
    assert "lost" in repr(world.swarm)
    for use in FIRST.values():
        with refused(DeviceLost, "lost before"):
            use(world, own)


@pytest.mark.parametrize("to", ["cpu", "device"])
def test_all_go_on_bit_for_bit_from_what_was_last_read(
    own: Device, device: Device, to: str
) -> None:
    world, other = World(own), World("cpu")
    for each in (world, other):
        each.run(7)
    before = world.seen()
    world.run(4)
    own.handle.destroy()
    with pytest.raises(DeviceLost):
        world.run(2)
    place = None if to == "cpu" else device
    assert world.imap.recover(device=place) == {"trail": 4, "flow": 4, "noise": 4}
    assert world.swarm.recover(device=place) == 4
    world.food.recover()
    assert world.swarm.step == world.trail.updates == 7
    assert world.imap.device is place
    assert world.swarm.device is place
    for ours, theirs in zip(world.seen(), before, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    for each in (world, other):
        each.run(9)
    for ours, theirs in zip(world.seen(), other.seen(), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert fc.gpu.device() is device


def test_nothing_recovers_that_is_not_lost(device: Device) -> None:
    for world in (World(device), World("cpu")):
        for part in (world.imap, world.swarm, world.food):
            with refused(InvalidValue, "nothing is lost"):
                part.recover()
