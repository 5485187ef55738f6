"""`fieldcraft gpu`: which cards there are, whether they reckon as the CPU does, and how fast they
are.
"""

from __future__ import annotations

import argparse
import functools
import json
import platform
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import fieldcraft
import fieldcraft_gpu as gpu
from fieldcraft.influence_map import InfluenceMap
from fieldcraft.propagation import Fade, Radial, Spread, Stamp, Trail
from fieldcraft.space import Grid
from fieldcraft.steering import Forage, Leave, Swarm, Walk
from fieldcraft_gpu.carrying import Device
from fieldcraft_gpu.examination import examine

__all__ = ["GOALS", "add", "bits", "encoding", "goals", "report", "times"]

_WALK = Walk(13.5, follow=1.0, wander=5.0, turn=22.5, distance=9.0)
_ROUNDS = 3


def _trail_case(side: int) -> str:
    return f"Trail {side} x {side}, a step"


def _ant_case(count: int, steps: int) -> str:
    return f"{count:,} ants, {steps} step{'s' if steps > 1 else ''} at once"


GOALS = {_trail_case(1024): 0.05, _ant_case(1_000_000, 64): 0.25, _ant_case(8_000_000, 64): 2.0}
"""Milliseconds that a data-center card is asked for."""


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `gpu` to the commands of a parser."""
    parser = commands.add_parser(
        "gpu",
        help=(
            "say which graphics cards there are, whether they give the CPU's bits, and how fast"
            " they are"
        ),
        description=(
            "Examines a graphics card, compares every field and swarm on it with the CPU bit for"
            " bit, and times both."
        ),
        epilog=(
            "Example: fieldcraft gpu --json card.json    Please send what it prints for cards that"
            " the documentation does not list."
        ),
    )
    parser.add_argument(
        "--name", metavar="TEXT", help="part of the name of the card (default: the first)"
    )
    size = parser.add_mutually_exclusive_group()
    size.add_argument(
        "--quick",
        action="store_true",
        help="small maps: what is done without being asked on a software renderer",
    )
    size.add_argument(
        "--full",
        action="store_true",
        help="large maps, also on a software renderer, where that takes long",
    )
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="write all figures to a file, too"
    )
    parser.set_defaults(act=_print)


def _print(chosen: argparse.Namespace) -> None:
    found: dict[str, Any] = {}
    for line in report(
        chosen.name, quick=True if chosen.quick else False if chosen.full else None, found=found
    ):
        print(line, flush=True)
    if chosen.json is not None:
        chosen.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        print(f"\nwrote {chosen.json}")


def report(
    name: str | None = None, *, quick: bool | None = None, found: dict[str, Any] | None = None
) -> Iterator[str]:
    """The lines of the report on a card, as they come up; figures go into `found`. Raises
    `NoDevice`.
    """
    told: dict[str, Any] = {} if found is None else found
    told["fieldcraft"], told["machine"] = (
        fieldcraft.__version__,
        f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
    )
    told["adapters"] = [
        f"{each.name} ({each.kind}, {each.backend}, {each.driver})" for each in gpu.adapters()
    ]
    yield f"fieldcraft {fieldcraft.__version__} on {told['machine']}"
    for each in told["adapters"]:
        yield f"adapter  {each}"
    device = gpu.device(name, exact=False)
    told |= {"device": device.name, "limits": device.limits, "timestamps": device.timestamps}
    yield f"device   {device.name}"
    for limit, size in device.limits.items():
        yield f"limit    {limit} {size:,}"
    told["most_agents"], told["most_cells"] = device.most_bytes // 12, device.most_bytes // 8
    yield f"holds    {told['most_agents']:,} agents, trails of {told['most_cells']:,} cells"
    begun = time.perf_counter()
    exact, said = examine(device)
    took = 1e3 * (time.perf_counter() - begun)
    told |= {"exact": exact, "examination": said, "examination_ms": took}
    yield f"exact    {'yes' if exact else 'NO'}: {said}, in {took:.0f} ms"
    yield ""
    told["bits"] = {}
    for case, wrong in bits(device):
        told["bits"][case] = wrong
        yield f"bits     {case}: {'all as on the CPU' if not wrong else f'{wrong:,} DIFFER'}"
    small = device.adapter.kind == "CPU" if quick is None else quick
    told["quick"], told["times"] = small, []
    yield ""
    speed = _copying(device, 1 << 24 if small else min(1 << 28, device.most_bytes))
    told["copied_gb_per_s"] = speed
    yield f"copying  {speed:.0f} GB/s of bytes read and written"
    clock = (
        "timestamps of the device"
        if device.timestamps
        else "none: the device has no timestamps, and times are those on the wall"
    )
    yield f"clock    {clock}"
    yield f"{'case':<38}{'device ms':>11}{'wall ms':>10}{'CPU ms':>10}{'GB/s':>8}{'share':>7}"
    for row in times(device, quick=small):
        told["times"].append(row)
        moved = row["bytes"] / row["device_ms"] / 1e6 if row["device_ms"] else 0.0
        host = f"{row['cpu_ms']:>10.3f}" if row["cpu_ms"] else f"{'':>10}"
        share = f"{moved:>8.1f}{moved / speed:>7.1%}" if moved else ""
        own = f"{row['device_ms']:>11.3f}" if row["device_ms"] else f"{'':>11}"
        yield f"{row['case']:<38}{own}{row['wall_ms']:>10.3f}{host}{share}"
    told["goals"] = {}
    yield ""
    for line, row in goals(told["times"], software=device.adapter.kind == "CPU"):
        told["goals"] |= row
        yield line
    yield ""
    yield (
        "Please send this, or the file that --json writes, for a card that the documentation does"
        " not list."
    )


def goals(rows: list[dict[str, Any]], *, software: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    """The lines on what a data-center card is asked for, beside what was measured; each with its
    figures.
    """
    measured = {row["case"]: row["device_ms"] or row["wall_ms"] for row in rows}
    for case, asked in GOALS.items():
        found = measured.get(case)
        verdict = (
            "not measured; leave --quick out, or pass --full"
            if found is None
            else f"{found:.3f} ms here"
        )
        if found is not None and not software:
            verdict += ", met" if found <= asked else ", not met"
        yield (
            f"goal     {case}: {asked:g} ms on a data-center card; {verdict}",
            {case: {"asked_ms": asked, "ms": found}},
        )
    if software:
        yield (
            (
                "software  this is a software renderer: it shows that bits are right, and says"
                " nothing about the speed of cards"
            ),
            {},
        )


# Bits


def bits(device: Device) -> Iterator[tuple[str, int]]:
    """Each kind of field and swarm, run on the device and on the CPU: how many of its values
    differ.
    """
    for case, run in _CASES.items():
        one, other = run("cpu"), run(device)
        yield (
            case,
            sum(
                int(np.count_nonzero(ours.view(np.uint32) != theirs.view(np.uint32)))
                for ours, theirs in zip(one, other, strict=True)
            ),
        )


def _ground(seed: int, **options: Any) -> Grid:
    walls = np.random.default_rng(seed).random((97, 120)) < 0.08
    return Grid(120, 97, walls=walls, **options)


def _trail(trail: Trail) -> Callable[[Any], list[Any]]:
    def run(place: Any) -> list[Any]:
        rng, grid = np.random.default_rng(1), _ground(1)
        layer: Any = InfluenceMap(grid).add_layer("a", trail, device=place)
        some = np.flatnonzero(~grid.walls)
        stamp = Stamp.disc(3.3, "parabolic") - 0.4 * Stamp.disc(1.5)
        for _ in range(12):
            shape = (400, 2) if trail.vector else 400
            layer.deposit_at(
                rng.choice(some, 400), rng.normal(size=shape) * 10.0 ** rng.integers(-4, 5)
            )
            layer.stamp(
                stamp,
                rng.uniform((0, 0), (120, 97), (30, 2)),
                rng.normal(size=shape)[:30] * 50,
                how="bilinear",
            )
            layer.stamp(
                stamp,
                rng.uniform((0, 0), (120, 97), (30, 2)),
                rng.normal(size=shape)[:30] * 9,
                blend="max",
            )
            layer.step(int(rng.integers(1, 9)))
        return [np.ascontiguousarray(layer.vectors if trail.vector else layer.values)]

    return run


def _spread(spread: Spread, neighbors: Any) -> Callable[[Any], list[Any]]:
    def run(place: Any) -> list[Any]:
        rng, grid = np.random.default_rng(2), _ground(2, neighbors=neighbors)
        layer: Any = InfluenceMap(grid).add_layer("a", spread, device=place)
        for _ in range(8):
            cell = int(rng.choice(np.flatnonzero(~grid.walls)))
            layer.add_source(grid.position_of(cell), float(rng.normal() * 20))
            layer.step(int(rng.integers(1, 40)))
        return [np.array(layer.values)]

    return run


def _radial(radial: Radial, wrap: bool) -> Callable[[Any], list[Any]]:
    def run(place: Any) -> list[Any]:
        rng, grid = np.random.default_rng(6), _ground(6, wrap=wrap)
        layer: Any = InfluenceMap(grid).add_layer("a", radial, device=place)
        some = np.flatnonzero(~grid.walls)
        sources = []
        for _ in range(8):
            places = grid.position_of(rng.choice(some, 12))
            sources += [
                layer.add_source(at, float(rng.normal() * 10.0 ** rng.integers(-3, 5)))
                for at in places[:10]
            ]
            sources.pop(0).move(places[10])
            sources.pop(0).remove()
            layer.step()
        return [np.array(layer.values)]

    return run


def _fade(fade: Fade) -> Callable[[Any], list[Any]]:
    def run(place: Any) -> list[Any]:
        rng, grid = np.random.default_rng(7), _ground(7)
        layer: Any = InfluenceMap(grid).add_layer("a", fade, device=place)
        some = np.flatnonzero(~grid.walls)
        for _ in range(8):
            places = grid.position_of(rng.choice(some, 30))
            layer.mark(places, rng.uniform(0, fade.maximum, 30), radius=float(rng.uniform(1, 5)))
            layer.step(int(rng.integers(1, 6)))
        values = np.array(layer.values)
        if place == "cpu":
            return [values, values]
        return [
            values,
            place.read(layer._field.now, np.float32, values.shape),
        ]  # worked out here, and there

    return run


def _swarm(how: Walk, wrap: bool) -> Callable[[Any], list[Any]]:
    def run(place: Any) -> list[Any]:
        grid = _ground(3, wrap=wrap)
        imap = InfluenceMap(grid, device=place)
        trails = [imap.add_layer(name, Trail(keep=0.95)) for name in ("home", "food")]
        flow, crowd = (
            imap.add_layer("flow", Trail(vector=True)),
            imap.add_layer("crowd", Trail(accumulate=False, blur=5)),
        )
        rng = np.random.default_rng(4)
        food = Forage(grid, rng.integers(0, 2, grid.shape), rng.random(grid.shape) < 0.05)
        swarm = Swarm.scattered(grid, 5000, seed=5, device=None if place == "cpu" else place)
        leave = [
            Leave(trails[0], [3.0, 2.0, 1.0], role=0),
            Leave(trails[1], 2.0, role=1),
            Leave(flow),
            Leave(crowd),
        ]
        swarm.run(
            how,
            0.1,
            steps=60,
            trail=trails,
            flow=flow,
            crowd_layer=crowd,
            group_layer=trails[0],
            leave=leave,
            forage=food,
        )
        return [
            swarm.agents,
            *(np.array(layer.values) for layer in (*trails, crowd)),
            np.ascontiguousarray(flow.vectors),
            np.array(food.food),
        ]

    return run


def _saved(place: Any) -> list[Any]:
    """A map and a swarm that go to files in mid-run, and go on from them."""
    grid = _ground(8, wrap=True)
    imap = InfluenceMap(grid, device=place)
    how = Walk(9.0, follow=1.0, avoid=1.0, wander=12.0, distance=4.0)
    swarm = Swarm.scattered(grid, 2000, seed=5, device=None if place == "cpu" else place)
    swarm.run(how, 0.1, steps=20, trail=imap.add_layer("a", Trail(keep=0.95)), deposit=1.0)
    with tempfile.TemporaryDirectory() as folder:
        imap.save(Path(folder) / "map")
        swarm.save(Path(folder) / "swarm")
        trail: Any = InfluenceMap.load(Path(folder) / "map")["a"]
        swarm = Swarm.load(Path(folder) / "swarm", grid)
    swarm.run(how, 0.1, steps=20, trail=trail, deposit=1.0)
    return [swarm.agents, np.array(trail.values)]


_CASES: dict[str, Callable[[Any], list[Any]]] = {
    "Trail, 3 x 3, with stamps": _trail(Trail(keep=0.97)),
    "Trail of vectors": _trail(Trail(keep=0.97, vector=True)),
    "Trail, 7 x 7, losing at edges": _trail(Trail(keep=0.97, blur=7, edges="lose")),
    "Trail without accumulation": _trail(Trail(accumulate=False, blur=5)),
    "Spread, exponential, 8 neighbours": _spread(Spread(0.2, 0.6), 8),
    "Spread, linear, with a half-life": _spread(
        Spread(0.3, 0.7, falloff="linear", half_life=0.5), 4
    ),
    "Spread, knight's moves": _spread(
        Spread(0.2, 0.6), [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)]
    ),
    "Radial, among walls": _radial(Radial(7.5), False),
    "Radial, straight, on a torus": _radial(
        Radial(60.0, metric="straight", falloff="parabolic"), True
    ),
    "Fade, marks around cells": _fade(Fade(amount=0.7, maximum=10.0)),
    "Swarm, following and foraging": _swarm(
        Walk(9.0, follow=2.0, avoid=1.0, wander=12.0, turn=40.0, distance=5.0), False
    ),
    "Swarm, all weights, on a torus": _swarm(
        Walk(9.0, follow=1.0, avoid=1.0, align=1.5, separate=0.8, cohere=0.3, distance=4.0), True
    ),
    "Swarm and trail, saved and loaded": _saved,
}


# Times


def _copying(device: Device, size: int) -> float:
    """Gigabytes read and written in a second by copies within the device."""
    buffers, count = [device.buffer(size), device.buffer(size)], 8
    best = float("inf")
    for _ in range(_ROUNDS):
        batch = device.batch()
        for k in range(count):
            batch.copy(buffers[k % 2], buffers[1 - k % 2], size)
        device.fence()
        begun = time.perf_counter()
        device.submit(batch)
        device.fence()
        best = min(best, time.perf_counter() - begun)
    return 2 * size * count / best / 1e9


def times(device: Device, *, quick: bool) -> Iterator[dict[str, Any]]:
    """A row for each case: milliseconds by the device's clock, on the wall and on the CPU, and the
    bytes that must move.
    """
    yield from _trail_times(device, 256 if quick else 1024)
    yield from _stamp_times(device, 256 if quick else 1024, 1000 if quick else 10_000)
    yield from _spread_times(device, 256 if quick else 4096)
    for count, side in (
        ((10_000, 256),) if quick else ((100_000, 1024), (1_000_000, 2048), (8_000_000, 4096))
    ):
        yield from _ant_times(device, count, side, (1, 8) if quick else (1, 8, 64))
    for megabytes in (4,) if quick else (4, 64):
        buffer = device.buffer(np.ones(megabytes << 18, np.uint32))
        yield _row(
            f"read back {megabytes} MB",
            0.0,
            _best(functools.partial(device.read, buffer, np.uint32, (megabytes << 18,))),
            0.0,
            0,
        )
    yield _row("a step of two dispatches, in Python", 0.0, encoding(device), 0.0, 0)


def _row(case: str, device_ms: float, wall_ms: float, cpu_ms: float, moved: int) -> dict[str, Any]:
    return {
        "case": case,
        "device_ms": device_ms,
        "wall_ms": wall_ms,
        "cpu_ms": cpu_ms,
        "bytes": moved,
    }


def _best(call: Callable[[], object], rounds: int = _ROUNDS) -> float:
    """The least milliseconds of several calls, after one that is not counted."""
    call()
    found = []
    for _ in range(rounds):
        begun = time.perf_counter()
        call()
        found.append(time.perf_counter() - begun)
    return 1e3 * min(found)


def _both(device: Device, call: Callable[[], object]) -> tuple[float, float]:
    """The least milliseconds by the device's own clock and on the wall."""

    def whole() -> None:
        call()
        device.fence()

    wall = _best(whole)
    own = []
    for _ in range(_ROUNDS):
        with device.timed() as clock:
            call()
        own.append(clock.milliseconds)
    return min(own), wall


def _trail_times(device: Device, side: int) -> Iterator[dict[str, Any]]:
    rng = np.random.default_rng(0)
    steps = 50
    values = rng.random((side, side)).astype(np.float32)
    found: dict[Any, Any] = {}
    place: Any
    for place in ("cpu", device):
        found[place] = InfluenceMap(Grid(side, side)).add_layer("a", Trail(keep=0.98), device=place)
        found[place].write(values)
    own, wall = _both(device, lambda: found[device].step(steps))
    yield _row(
        _trail_case(side),
        own / steps,
        wall / steps,
        _best(lambda: found["cpu"].step(10)) / 10,
        20 * side * side,
    )


def _stamp_times(device: Device, side: int, count: int) -> Iterator[dict[str, Any]]:
    rng = np.random.default_rng(0)
    stamp, positions = Stamp.disc(7.4, "parabolic"), rng.uniform(0, side, (count, 2))
    found: dict[Any, Any] = {
        place: InfluenceMap(Grid(side, side)).add_layer("a", Trail(), device=place)
        for place in ("cpu", device)
    }
    own, wall = _both(device, lambda: found[device].stamp(stamp, positions, 0.5))
    yield _row(
        f"{count:,} stamps of 15 x 15",
        own,
        wall,
        _best(lambda: found["cpu"].stamp(stamp, positions, 0.5)),
        count * 225 * 16,
    )


def _spread_times(device: Device, side: int) -> Iterator[dict[str, Any]]:
    steps = 64
    found: dict[Any, Any] = {
        place: InfluenceMap(Grid(side, side)).add_layer("a", Spread(0.01, 0.5), device=place)
        for place in ("cpu", device)
    }
    places = np.random.default_rng(0).integers(0, side, (64, 2)) + 0.5
    for layer in found.values():
        layer.add_sources(places, 9.0)
    own, wall = _both(device, lambda: found[device].step(steps))
    yield _row(
        f"Spread {side} x {side}, a step",
        own / steps,
        wall / steps,
        _best(lambda: found["cpu"].step(16), 2) / 16,
        12 * side * side,
    )


def _ant_times(
    device: Device, count: int, side: int, batches: tuple[int, ...]
) -> Iterator[dict[str, Any]]:
    grid = Grid(side, side)
    host = 0.0
    place: Any
    for place in ("cpu", device):
        trail = InfluenceMap(grid).add_layer("a", Trail(keep=0.95), device=place)
        swarm = Swarm.scattered(grid, count, seed=1, device=None if place == "cpu" else place)

        def run(steps: int, swarm: Swarm = swarm, trail: Any = trail) -> None:
            swarm.run(_WALK, 1 / 30, steps=steps, trail=trail, deposit=1.0)

        run(32)
        if place == "cpu":
            host = _best(functools.partial(run, 8), 2) / 8
            continue
        for steps in batches:
            own, wall = _both(device, functools.partial(run, steps))
            yield _row(
                _ant_case(count, steps),
                own / steps,
                wall / steps,
                host,
                count * (24 + 3 * 32 + 32) + 20 * side * side,
            )


def encoding(device: Device) -> float:
    """The milliseconds that Python spends on putting down a step of two dispatches."""
    grid = Grid(16, 16)
    trail = InfluenceMap(grid).add_layer("a", Trail(), device=device)
    swarm = Swarm.scattered(grid, 16, device=device)
    how = Walk(1.0, follow=1.0)
    steps = 256
    swarm.run(how, 0.1, steps=steps, trail=trail, deposit=1.0)
    found = []
    for _ in range(5):
        device.fence()
        begun = time.thread_time()
        swarm.run(how, 0.1, steps=steps, trail=trail, deposit=1.0)
        found.append(time.thread_time() - begun)
    return 1e3 * min(found) / steps * 2 / 3  # a step here is three dispatches
