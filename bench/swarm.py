"""Swarms: a million agents in whole numbers, their steps a second, and what Python costs a step on
a device.

Results are compared before anything is timed: one thread and several give the same bits.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import fieldcraft as fc
from bench.race import now, repeats, say
from bench.table import Report, Table, at_least, at_most, milliseconds
from fieldcraft.base.errors import NoDevice
from fieldcraft.steering import Deposit, Swarm, Walk

STEPS_PER_SECOND = 30.0
MICROSECONDS = 20.0
SIDE = 2048
DT = 1 / 30
HOW = Walk(13.5, follow=1.0, wander=5.0, turn=22.5, distance=9.0)


def run(quick: bool) -> Report:
    """The tables of this suite."""
    report = Report()
    fc.warm_up()
    if not _agrees():
        report.wrong.append("swarms with one thread and with several differ")
    count, side = (100_000, 512) if quick else (1_000_000, SIDE)
    report.tables += [_on_the_host(count, side, repeats(quick, 4, 32)), _on_a_device()]
    return report


def _agrees() -> bool:
    """Return whether a swarm comes to the same bits with one thread and with several."""
    grid = fc.Grid(90, 70, walls=np.random.default_rng(0).random((70, 90)) < 0.1)
    found = []
    threads = fc.set_threads(1)
    for count in (1, max(threads, 2)):
        fc.set_threads(count)
        trail = fc.InfluenceMap(grid).add_layer("a", fc.Trail())
        swarm = Swarm.scattered(grid, 30_000, seed=2)
        swarm.run(HOW, DT, steps=8, trail=trail, deposits=Deposit(trail))
        found.append(swarm.agents)
    fc.set_threads(threads)
    return bool(np.array_equal(*found))


def _on_the_host(count: int, side: int, rounds: int) -> Table:
    say(f"bench swarm: {count:,} agents on {side} x {side}")
    grid = fc.Grid(side, side)
    imap = fc.InfluenceMap(grid)
    trail = imap.add_layer("a", fc.Trail(keep=0.95), every=DT)
    swarm = Swarm.scattered(grid, count, seed=1)
    swarm.run(HOW, DT, steps=20, trail=trail, deposits=Deposit(trail))
    cells = swarm.cells
    threads = fc.set_threads(1)
    try:
        update = _least(lambda: trail.step(), rounds, before=lambda: trail.deposit_at(cells, 1.0))
        whole = (
            _least(lambda: swarm.run(HOW, DT, trail=trail, deposits=Deposit(trail)), rounds)
            - update
        )
        walk = _least(lambda: swarm.run(HOW, DT, trail=trail), rounds)
    finally:
        fc.set_threads(threads)
    best = (
        min(
            _seconds(lambda: swarm.run(HOW, DT, steps=8, trail=trail, deposits=Deposit(trail)))
            for _ in range(max(rounds // 4, 2))
        )
        / 8
    )
    table = Table(
        f"Swarm: {count:,} agents, a trail of {side} x {side}",
        ("a step", "ms", "reached", "required", "verdict"),
    )
    for case, seconds in (("decide, turn, walk", walk), ("the same, and leave something", whole)):
        table.add(case, milliseconds(seconds), "", "", "")
    rate = 1 / best
    table.add(
        f"all, with the trail's update, {threads} threads",
        milliseconds(best),
        f"{rate:.0f} /s",
        f"{STEPS_PER_SECOND:g} /s",
        at_least(rate, STEPS_PER_SECOND),
    )
    table.notes.append(
        "CPU time of one core, best of many; without --cpu the last row is wall time. Agents are put"
        " into the order of tiles every 16 steps."
    )
    return table


def _on_a_device() -> Table:
    table = Table("Swarm on a device", ("what", "us", "required", "verdict"))
    try:
        device = fc.gpu.device(exact=False)
    except NoDevice as error:
        table.notes.append(f"Not measured: {error}")
        return table
    cost = 1e6 * _encoding(device)
    table.add(
        "what Python costs a step of two dispatches",
        f"{cost:.1f}",
        f"{MICROSECONDS:g}",
        at_most(cost, MICROSECONDS),
    )
    table.notes.append(f"On {device.name}; `fieldcraft gpu` times the device itself.")
    return table


def _encoding(device: Any) -> float:
    """The seconds of CPU time in Python for a step of two dispatches."""
    grid = fc.Grid(16, 16)
    steps = 256
    trail = fc.InfluenceMap(grid).add_layer("a", fc.Trail(), device=device)
    swarm = Swarm.scattered(grid, 16, device=device)
    least = _least(
        lambda: swarm.run(
            Walk(1.0, follow=1.0), 0.1, steps=steps, trail=trail, deposits=Deposit(trail)
        ),
        6,
        before=device.fence,
    )
    return least / steps * 2 / 3  # such a step has three dispatches


def _least(call: Callable[[], Any], rounds: int, before: Callable[[], Any] = lambda: None) -> float:
    """The least CPU time of this thread, in seconds; what comes `before` each call is not
    counted.
    """
    found = []
    for _ in range(rounds):
        before()
        begun = time.thread_time()
        call()
        found.append(time.thread_time() - begun)
    return min(found)


def _seconds(call: Callable[[], Any]) -> float:
    begun = now()
    call()
    return now() - begun
