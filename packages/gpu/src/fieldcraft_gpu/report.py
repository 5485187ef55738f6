"""The command `fieldcraft gpu`: the graphics cards, a comparison with the CPU, and times."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import fieldcraft_gpu as gpu
from fieldcraft.layers.influence_map import InfluenceMap
from fieldcraft.layers.propagation import Spread, Trail
from fieldcraft.space import Grid
from fieldcraft.steering import Deposit, Swarm, Walk
from fieldcraft_gpu.comparison import differences, swarm_device

_SIDE = 1024
_AGENTS = 100_000
_STEPS = 16
_ROUNDS = 3


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `gpu` to the commands of a parser."""
    parser = commands.add_parser(
        "gpu",
        help="list the graphics cards, compare results with the CPU, and time both",
        description=(
            "Lists the graphics cards, compares every kind of layer and a swarm on one of them"
            " with the CPU bit for bit, and times both."
        ),
        epilog="Example: fieldcraft gpu --name nvidia",
    )
    parser.add_argument(
        "--name", metavar="TEXT", help="part of the name of the card (default: the first)"
    )
    parser.set_defaults(act=_report)


def _report(chosen: argparse.Namespace) -> None:
    for each in gpu.adapters():
        print(f"adapter  {each.name} ({each.kind}, {each.backend}, {each.driver})")
    device = gpu.device(chosen.name, exact=False)
    print(f"device   {device.name}")
    print(f"memory   at most {device.most_bytes >> 20:,} MiB for one array")
    if device.exact:
        exact = "yes"
    else:
        exact = "NO"
    print(f"exact    {exact}: {device.examined}")
    for case, wrong in differences(device):
        if wrong:
            verdict = f"{wrong:,} DIFFER"
        else:
            verdict = "all as on the CPU"
        print(f"bits     {case}: {verdict}")
    for case, make in _CASES.items():
        cpu = _milliseconds(make("cpu"), "cpu")
        card = _milliseconds(make(device), device)
        print(f"time     {case}: {cpu:.2f} ms a step on the CPU, {card:.2f} ms on the device")
    if device.adapter.kind == "CPU":
        print("A software renderer: its times say nothing about graphics cards.")


def _milliseconds(run: Callable[[int], object], place: Any) -> float:
    """Return the wall time of a step, the best of some rounds."""
    times = []
    for _ in range(1 + _ROUNDS):  # the first round compiles
        begun = time.perf_counter()
        run(_STEPS)
        if place != "cpu":
            place.fence()
        times.append(time.perf_counter() - begun)
    return 1e3 * min(times[1:]) / _STEPS


def _layer(propagation: Spread | Trail, place: Any) -> Callable[[int], object]:
    layer: Any = InfluenceMap(Grid(_SIDE, _SIDE)).add_layer("a", propagation, device=place)
    layer.write(np.random.default_rng(0).random((_SIDE, _SIDE)).astype(np.float32))
    return lambda steps: layer.step(steps)


def _swarm(place: Any) -> Callable[[int], object]:
    grid = Grid(_SIDE, _SIDE)
    trail = InfluenceMap(grid).add_layer("a", Trail(keep=0.95), device=place)
    swarm = Swarm.scattered(grid, _AGENTS, seed=1, device=swarm_device(place))
    walk = Walk(13.5, follow=1.0, wander=5.0, turn=22.5, distance=9.0)
    return lambda steps: swarm.run(walk, 1 / 30, steps=steps, trail=trail, deposits=Deposit(trail))


_CASES: dict[str, Callable[[Any], Callable[[int], object]]] = {
    f"Trail, {_SIDE} x {_SIDE} cells": lambda place: _layer(Trail(keep=0.98), place),
    f"Spread, {_SIDE} x {_SIDE} cells": lambda place: _layer(Spread(0.01, 0.5), place),
    f"Swarm and its trail, {_AGENTS:,} agents": _swarm,
}
