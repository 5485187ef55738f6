"""Swarms on a device, beside those of the CPU: bit for bit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.steering import Deposit, Emitter, Forage, Swarm, Walk
from fieldcraft_gpu import Device
from support.refusals import refused


def _run(place: Any, seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    height, width = rng.integers(9, 90, 2).tolist()
    walls = rng.random((height, width)) < (0.15 if seed % 2 else 0.0)
    grid = fc.Grid(
        width,
        height,
        walls=walls,
        wrap=(True, False, False, "x", "y", False)[seed % 6],
        y_up=seed % 4 == 1,
    )
    imap = fc.InfluenceMap(grid, device=place)
    one, two = imap.add_layer("one", fc.Trail(keep=0.9)), imap.add_layer("two", fc.Trail(keep=0.8))
    flow = imap.add_layer("flow", fc.Trail(keep=0.9, vector=True))
    crowd = imap.add_layer("crowd", fc.Trail(accumulate=False, blur=5))
    own = imap.add_layer("own", values=rng.random(grid.shape).astype(np.float32))
    food = Forage(grid, rng.integers(0, 3, grid.shape), rng.random(grid.shape) < 0.1)

    def weight() -> float:
        return float(rng.uniform(0, 4)) * int(rng.integers(4) > 0)

    how = Walk(
        float(rng.uniform(0, 30)),
        follow=weight(),
        align=weight(),
        separate=weight(),
        cohere=weight(),
        avoid=weight(),
        wander=float(rng.uniform(0, 60)),
        turn=float(rng.uniform(1, 180)) if seed % 5 else None,
        distance=float(rng.uniform(1, min(height, width))),
        angle=float(rng.uniform(10, 100)),
    )
    swarm = Swarm.scattered(grid, 700, seed=seed, device=None if place == "cpu" else place)
    deposits = [
        Deposit(one, [3.0, 2.0, 0.5], role=0),
        Deposit(two, 2.0, role=1),
        Deposit(flow, 1.5),
        Deposit(crowd),
    ]
    ground = rng.choice(np.flatnonzero(~walls), 20)
    emitters = [
        Emitter(one, food, 0.7),
        Emitter(two, ground, rng.normal(size=20)),
        Emitter(flow, ground[:3], rng.normal(size=(3, 2))),
    ]
    for steps in (1, 9):
        swarm.run(
            how,
            0.1,
            steps=steps,
            trail=(one, two),
            flow=flow,
            crowd_layer=crowd,
            group_layer=one,
            deposits=deposits,
            emitters=emitters,
            forage=food,
        )
    swarm.run(
        how,
        0.1,
        steps=260 if seed == 0 else 5,
        trail=one,
        flow=flow,
        crowd_layer=crowd,
        group_layer=crowd,
        deposits=[Deposit(one), *deposits[2:]],
    )
    grid.set_walls(np.unique(swarm.cells)[:4])
    swarm.run(
        how,
        0.1,
        steps=4,
        trail=one + two,
        flow=flow,
        crowd_layer=flow,
        group_layer=own,
        deposits=deposits,
    )
    return [
        swarm.agents,
        one.values,
        two.values,
        flow.vectors,
        crowd.values,
        food.food,
        food.brought,
        [one.time, flow.updates],
    ]


@pytest.mark.parametrize("seed", range(8))
def test_a_swarm_on_a_device_has_the_bits_of_the_cpu(device: Device, seed: int) -> None:
    for ours, theirs in zip(_run("cpu", seed), _run(device, seed), strict=True):
        np.testing.assert_array_equal(np.asarray(ours), np.asarray(theirs))


def test_many_steps_are_one_submission_and_nothing_comes_back(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    grid = fc.Grid(40, 30)
    trail = fc.InfluenceMap(grid, device=device).add_layer("trail", fc.Trail())
    swarm = Swarm.scattered(grid, 100, device=device)
    calls: list[str] = []
    for name in ("submit", "read"):
        whole = getattr(type(device), name)
        monkeypatch.setattr(
            type(device),
            name,
            lambda self, *given, name=name, whole=whole: calls.append(name) or whole(self, *given),
        )
    swarm.run(Walk(5.0, follow=1.0), 0.1, steps=64, trail=trail, deposits=Deposit(trail))
    assert calls == ["submit"]
    assert trail.updates == 64
    assert swarm.positions.shape == (100, 2)
    assert swarm.cells.shape == (100,)
    assert calls == ["submit", "read"]


def test_swarms_and_layers_of_both_places_go_together(device: Device) -> None:
    found = []
    for swarm_place, layer_place in ((None, "cpu"), (None, device), (device, device)):
        grid = fc.Grid(40, 30, walls=np.random.default_rng(0).random((30, 40)) < 0.1)
        imap = fc.InfluenceMap(grid)
        trail = imap.add_layer("trail", fc.Trail(), device=layer_place)
        plan = imap.add_layer("plan", fc.Spread(0.3, 0.5))
        plan.add_source(grid.position_of(int(np.flatnonzero(~grid.walls)[7])), 5.0)
        plan.step(9)
        swarm = Swarm.scattered(grid, 200, seed=3, device=swarm_place)
        swarm.run(Walk(5.0, follow=1.0), 0.1, steps=9, trail=plan, deposits=Deposit(trail))
        twin = swarm.copy(device=None if swarm_place else device)
        twin.run(Walk(5.0, follow=1.0), 0.1, steps=3, trail=trail)
        found.append((trail.values.tobytes(), swarm.agents.tobytes(), twin.agents.tobytes()))
    assert found[0] == found[1] == found[2]


def test_the_crowd_of_a_corner_adds_up_to_more_than_a_word(device: Device) -> None:
    grid = fc.Grid(3, 2)
    trail = fc.InfluenceMap(grid, device=device).add_layer("trail", fc.Trail(keep=1.0, blur=1))
    swarm = Swarm.at(grid, np.full((5000, 2), (1.5, 0.5)), device=device)
    swarm.run(Walk(0.0), 0.1, trail=trail, deposits=Deposit(trail, -300.0))
    assert trail.values[0, 1] == -1_500_000.0
    assert trail.values.sum() == -1_500_000.0


def test_refuses_layers_of_the_cpu_and_more_than_fits(device: Device) -> None:
    grid = fc.Grid(9, 7)
    trail = fc.InfluenceMap(grid).add_layer("trail", fc.Trail())
    swarm = Swarm.scattered(grid, 10, device=device)
    with refused(InvalidValue, 'device="gpu"'):
        swarm.run(Walk(1.0), 0.1, deposits=Deposit(trail))
    assert swarm.step == 0
    with refused(InvalidValue, "MiB"):
        device.buffer(1 << 40)
    assert device.most_bytes // 12 >= 8_000_000
    assert math.isfinite(swarm.positions.sum())


def test_a_swarm_forgets_the_parameters_of_former_runs(device: Device) -> None:
    grid = fc.Grid(12, 9)
    trail = fc.InfluenceMap(grid, device=device).add_layer("trail", fc.Trail())
    food = Forage(grid, np.ones(grid.shape, np.int64), np.zeros(grid.shape, np.bool_))
    swarm = Swarm.scattered(grid, 5, seed=1, device=device)
    for number in range(300):
        smell = Emitter(trail, food, 1 + number / 300)
        swarm.run(Walk(1.0), 0.1, trail=trail, forage=food, emitters=[smell])
    assert len(swarm._agents._cache) <= 258
