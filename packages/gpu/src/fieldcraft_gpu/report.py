"""`fieldcraft gpu`: which cards there are, whether they reckon as the CPU does, and how fast they
are.
"""

from __future__ import annotations

import argparse
import functools
import json
import platform
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import fieldcraft
import fieldcraft_gpu as gpu
from fieldcraft.influence_map import InfluenceMap
from fieldcraft.propagation import Spread, Stamp, Trail
from fieldcraft.space import Grid
from fieldcraft.steering import Swarm, Walk
from fieldcraft_gpu.bits import bits
from fieldcraft_gpu.carrying import Device
from fieldcraft_gpu.examination import examine

__all__ = ["add", "encoding", "report", "times"]

_WALK = Walk(13.5, follow=1.0, wander=5.0, turn=22.5, distance=9.0)
_ROUNDS = 3
_SMALL = 256  # cells along a side of the small maps

Run = Callable[[int], object]


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
    told["fieldcraft"] = fieldcraft.__version__
    machine = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    told["machine"] = machine
    told["adapters"] = [
        f"{each.name} ({each.kind}, {each.backend}, {each.driver})" for each in gpu.adapters()
    ]
    yield f"fieldcraft {fieldcraft.__version__} on {machine}"
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
    yield ""
    if device.adapter.kind == "CPU":
        yield "software  this is a software renderer: it says nothing about the speed of cards"
    yield (
        "Please send this, or the file that --json writes, for a card that the documentation does"
        " not list."
    )


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
    side = _SMALL if quick else 1024
    yield _layer_times(device, f"Trail {side} x {side}, a step", side, 50, 20, _trail)
    count = 1000 if quick else 10_000
    places = np.random.default_rng(0).uniform(0, side, (count, 2))
    stamp = Stamp.disc(7.4, "parabolic")

    def stamping(place: Any, side: int) -> Run:
        layer = InfluenceMap(Grid(side, side)).add_layer("a", Trail(), device=place)
        return lambda steps: layer.stamp(stamp, places, 0.5)

    moved = count * 225 * 16 / side**2
    yield _layer_times(device, f"{count:,} stamps of 15 x 15", side, 1, moved, stamping)
    side = _SMALL if quick else 4096
    yield _layer_times(device, f"Spread {side} x {side}, a step", side, 64, 12, _spread)
    sizes = [(10_000, _SMALL)] if quick else [(100_000, 1024), (1_000_000, 2048), (8_000_000, 4096)]
    for ants, side in sizes:
        run, host = (_ants(place, ants, side) for place in (device, "cpu"))
        cpu = _best(functools.partial(host, 8), 2) / 8
        for steps in (1, 8) if quick else (1, 8, 64):
            case = f"{ants:,} ants, {steps} step{'s' if steps > 1 else ''} at once"
            own, wall = _both(device, functools.partial(run, steps))
            moved = ants * (24 + 3 * 32 + 32) + 20 * side * side
            yield _row(case, own / steps, wall / steps, cpu, moved)
    for megabytes in (4,) if quick else (4, 64):
        buffer = device.buffer(np.ones(megabytes << 18, np.uint32))
        back = functools.partial(device.read, buffer, np.uint32, (megabytes << 18,))
        yield _row(f"read back {megabytes} MB", 0.0, _best(back), 0.0, 0)
    yield _row("a step of two dispatches, in Python", 0.0, encoding(device), 0.0, 0)


def _row(case: str, device_ms: float, wall_ms: float, cpu_ms: float, moved: int) -> dict[str, Any]:
    times = {"device_ms": device_ms, "wall_ms": wall_ms, "cpu_ms": cpu_ms}
    return {"case": case, **times, "bytes": moved}


def _layer_times(
    device: Device, case: str, side: int, steps: int, moved: float, make: Callable[[Any, int], Run]
) -> dict[str, Any]:
    """The row of a layer: `moved` are bytes a cell, `make` gives what makes steps at a place."""
    own, wall = _both(device, functools.partial(make(device, side), steps))
    few = max(steps // 4, 1)
    cpu = _best(functools.partial(make("cpu", side), few), 2) / few
    return _row(case, own / steps, wall / steps, cpu, round(moved * side * side))


def _trail(place: Any, side: int) -> Run:
    layer: Any = InfluenceMap(Grid(side, side)).add_layer("a", Trail(keep=0.98), device=place)
    layer.write(np.random.default_rng(0).random((side, side)).astype(np.float32))
    return lambda steps: layer.step(steps)


def _spread(place: Any, side: int) -> Run:
    layer: Any = InfluenceMap(Grid(side, side)).add_layer("a", Spread(0.01, 0.5), device=place)
    layer.add_sources(np.random.default_rng(0).integers(0, side, (64, 2)) + 0.5, 9.0)
    return lambda steps: layer.step(steps)


def _ants(place: Any, count: int, side: int) -> Run:
    grid = Grid(side, side)
    trail = InfluenceMap(grid).add_layer("a", Trail(keep=0.95), device=place)
    swarm = Swarm.scattered(grid, count, seed=1, device=None if place == "cpu" else place)

    def run(steps: int) -> None:
        swarm.run(_WALK, 1 / 30, steps=steps, trail=trail, deposit=1.0)

    run(32)
    return run


def _best(call: Callable[[], object], rounds: int = 0) -> float:
    """The least milliseconds of several calls, after one that is not counted."""
    call()
    found = []
    for _ in range(min(rounds or _ROUNDS, _ROUNDS)):
        begun = time.perf_counter()
        call()
        found.append(time.perf_counter() - begun)
    return 1e3 * min(found)


def _both(device: Device, call: Callable[[], object]) -> tuple[float, float]:
    """The least milliseconds by the device's own clock and on the wall."""

    def whole() -> None:
        call()
        device.fence()

    wall, own = _best(whole), []
    for _ in range(_ROUNDS):
        with device.timed() as clock:
            call()
        own.append(clock.milliseconds)
    return min(own), wall


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
