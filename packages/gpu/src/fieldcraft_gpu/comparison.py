"""Comparison of each kind of field and a swarm on a device with the CPU, bit for bit."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.layers.influence_map import InfluenceMap
from fieldcraft.layers.propagation import Fade, Propagation, Radial, Spread, Stamp, Trail
from fieldcraft.space import Grid
from fieldcraft.steering import Deposit, Forage, Swarm, Walk
from fieldcraft_gpu.opening import Device

_STAMP = Stamp.disc(3.3, "parabolic") - 0.4 * Stamp.disc(1.5)
_KNIGHT = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)]

_SWARM_STEPS = 60

Act = Callable[[np.random.Generator, Any, NDArray[np.int64]], None]
Case = Callable[[Any], list[Any]]


def differences(device: Device) -> Iterator[tuple[str, int]]:
    """Run each kind of field and a swarm on the device and on the CPU; yield the number of values
    that differ.
    """
    for case, run in CASES.items():
        pairs = zip(run("cpu"), run(device), strict=True)
        wrong = 0
        for ours, theirs in pairs:
            wrong += int(np.count_nonzero(ours.view(np.uint32) != theirs.view(np.uint32)))
        yield case, wrong


def swarm_device(place: Any) -> Any:
    """Return the device of a swarm at a place; for a swarm the CPU is None."""
    if place == "cpu":
        return None
    return place


def _grid(seed: int, **options: Any) -> Grid:
    walls = np.random.default_rng(seed).random((97, 120)) < 0.08
    return Grid(120, 97, walls=walls, **options)


def _case(propagation: Propagation, act: Act, rounds: int, seed: int, **options: Any) -> Case:
    """Return a function that runs a layer and returns its values, and those on the device."""

    def run(place: Any) -> list[Any]:
        rng = np.random.default_rng(seed)
        grid = _grid(seed, **options)
        layer: Any = InfluenceMap(grid).add_layer("a", propagation, device=place)
        for _ in range(rounds):
            act(rng, layer, np.flatnonzero(~grid.walls))
        vector = getattr(propagation, "vector", False)
        if vector:
            found = np.ascontiguousarray(layer.vectors)
        else:
            found = np.ascontiguousarray(layer.values)
        if place == "cpu" or vector:
            return [found, found]
        return [found, place.read(layer.steps.field.now, np.float32, found.shape)]

    return run


def _gather(rng: np.random.Generator, layer: Any, open_cells: NDArray[np.int64]) -> None:
    shape: tuple[int, ...] = (400,)
    if layer.propagation.vector:
        shape = (400, 2)
    cells = rng.choice(open_cells, 400)
    amounts = rng.normal(size=shape)
    layer.deposit_at(cells, amounts * 10.0 ** rng.integers(-4, 5))
    places = rng.uniform((0, 0), (120, 97), (30, 2))
    layer.stamp(_STAMP, places, rng.normal(size=shape)[:30] * 50, how="bilinear")
    places = rng.uniform((0, 0), (120, 97), (30, 2))
    layer.stamp(_STAMP, places, rng.normal(size=shape)[:30] * 9, blend="max")
    layer.step(int(rng.integers(1, 9)))


def _spread(rng: np.random.Generator, layer: Any, open_cells: NDArray[np.int64]) -> None:
    place = layer.space.position_of(int(rng.choice(open_cells)))
    layer.add_source(place, float(rng.normal() * 20))
    layer.step(int(rng.integers(1, 40)))


def _radiate(rng: np.random.Generator, layer: Any, open_cells: NDArray[np.int64]) -> None:
    places = layer.space.position_of(rng.choice(open_cells, 12))
    for at in places[:10]:
        layer.add_source(at, float(rng.normal() * 10.0 ** rng.integers(-3, 5)))
    first, second = layer.sources.ids[:2].tolist()
    layer.source(first).move(places[10])
    layer.source(second).remove()
    layer.step()


def _mark(rng: np.random.Generator, layer: Any, open_cells: NDArray[np.int64]) -> None:
    places = layer.space.position_of(rng.choice(open_cells, 30))
    amounts = rng.uniform(0, layer.propagation.maximum, 30)
    layer.mark(places, amounts, radius=float(rng.uniform(1, 5)))
    layer.step(int(rng.integers(1, 6)))


def _swarm(how: Walk, wrap: bool) -> Case:
    def run(place: Any) -> list[Any]:
        grid = _grid(3, wrap=wrap)
        imap = InfluenceMap(grid, device=place)
        trails = [imap.add_layer(name, Trail(keep=0.95)) for name in ("home", "food")]
        flow = imap.add_layer("flow", Trail(vector=True))
        crowd = imap.add_layer("crowd", Trail(accumulate=False, blur=5))
        rng = np.random.default_rng(4)
        food = Forage(grid, rng.integers(0, 2, grid.shape), rng.random(grid.shape) < 0.05)
        swarm = Swarm.scattered(grid, 5000, seed=5, device=swarm_device(place))
        swarm.run(
            how,
            0.1,
            steps=_SWARM_STEPS,
            trail=trails,
            flow=flow,
            crowd_layer=crowd,
            group_layer=trails[0],
            deposits=[
                Deposit(trails[0], [3.0, 2.0, 1.0], role=0),
                Deposit(trails[1], 2.0, role=1),
                Deposit(flow),
                Deposit(crowd),
            ],
            forage=food,
        )
        values = [np.array(layer.values) for layer in (*trails, crowd)]
        return [swarm.agents, *values, np.ascontiguousarray(flow.vectors), np.array(food.food)]

    return run


def _saved(place: Any) -> list[Any]:
    """Run a map and a swarm that are saved and loaded halfway."""
    grid = _grid(8, wrap=True)
    imap = InfluenceMap(grid, device=place)
    how = Walk(9.0, follow=1.0, avoid=1.0, wander=12.0, distance=4.0)
    swarm = Swarm.scattered(grid, 2000, seed=5, device=swarm_device(place))
    trail: Any = imap.add_layer("a", Trail(keep=0.95))
    swarm.run(how, 0.1, steps=20, trail=trail, deposits=Deposit(trail))
    with tempfile.TemporaryDirectory() as folder:
        imap.save(Path(folder) / "map")
        trail = InfluenceMap.load(Path(folder) / "map")["a"]
    swarm = Swarm.restored(grid, swarm.state())
    swarm.run(how, 0.1, steps=20, trail=trail, deposits=Deposit(trail))
    return [swarm.agents, np.array(trail.values)]


_HALF = Spread(0.3, 0.7, falloff="linear", half_life=0.5)
_WIDE = Trail(keep=0.97, blur=7, edges="lose")
_STRAIGHT = Radial(60.0, metric="straight", falloff="parabolic")
CASES: dict[str, Case] = {
    "Trail, 3 x 3, with stamps": _case(Trail(keep=0.97), _gather, 12, 1),
    "Trail of vectors": _case(Trail(keep=0.97, vector=True), _gather, 12, 1),
    "Trail, 7 x 7, losing at edges": _case(_WIDE, _gather, 12, 1),
    "Trail without accumulation": _case(Trail(accumulate=False, blur=5), _gather, 12, 1),
    "Spread, exponential, 8 neighbors": _case(Spread(0.2, 0.6), _spread, 8, 2, neighbors=8),
    "Spread, linear, with a half-life": _case(_HALF, _spread, 8, 2, neighbors=4),
    "Spread, knight's moves": _case(Spread(0.2, 0.6), _spread, 8, 2, neighbors=_KNIGHT),
    "Radial, among walls": _case(Radial(7.5), _radiate, 8, 6),
    "Radial, straight, on a torus": _case(_STRAIGHT, _radiate, 8, 6, wrap=True),
    "Fade, marks around cells": _case(Fade(amount=0.7, maximum=10.0), _mark, 8, 7),
    "Swarm, following and foraging": _swarm(
        Walk(9.0, follow=2.0, avoid=1.0, wander=12.0, turn=40.0, distance=5.0), False
    ),
    "Swarm, all weights, on a torus": _swarm(
        Walk(9.0, follow=1.0, avoid=1.0, align=1.5, separate=0.8, cohere=0.3, distance=4.0), True
    ),
    "Swarm and trail, saved and loaded": _saved,
}
