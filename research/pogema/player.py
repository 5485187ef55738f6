"""Episodes played by fieldcraft: PIBT, plans for the next steps, and a layer of traffic."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fieldcraft as fc
from fieldcraft.steering import PIBT

_HALF_LIFE = 7  # steps
_AGENTS_PER_IMPROVEMENT = 12


@dataclass(frozen=True)
class Variant:
    """What is switched on: how many steps are planned, how often plans are improved in a step, but
    at least once for every twelve agents, what moving against traffic costs, and how many bytes
    distances to goals may take.
    """

    look_ahead: int = 15
    effort: int = 40
    weight: float = 4.0
    memory: int = 2**26


VARIANTS = {
    "full": Variant(),
    "more effort": Variant(effort=120),
    "no traffic layer": Variant(weight=0.0),
    "no look-ahead": Variant(look_ahead=0),
    "neither": Variant(look_ahead=0, weight=0.0),
}


@dataclass(frozen=True)
class Episode:
    """What came of an episode: goals reached a step, seconds of processor time a step, and the
    cells of all agents at all times.
    """

    throughput: float
    seconds: float
    cells: NDArray[np.int64]


def play(
    instance: dict[str, Any],
    variant: Variant,
    seed: int = 0,
    watch: Callable[[fc.Layer, NDArray[np.int64]], None] | None = None,
) -> Episode:
    """Play an instance that the judge has made; a new goal is known once the last is reached.

    `watch` gets the layer of traffic and the cells of the agents after each step.
    """
    grid = fc.Grid(walls=np.array(instance["walls"], dtype=bool), neighbors=4)
    imap = fc.InfluenceMap(grid)
    traffic = imap.add_layer("traffic", fc.Trail(vector=True, blur=1, keep=0.5 ** (1 / _HALF_LIFE)))
    crowd = PIBT(
        grid,
        look_ahead=variant.look_ahead,
        effort=max(variant.effort, len(instance["starts"]) // _AGENTS_PER_IMPROVEMENT),
        traffic=traffic if variant.weight else None,
        weight=variant.weight,
        memory=variant.memory,
        on_unreachable="wait",
        seed=seed,
    )
    width = np.array([grid.width, 1])
    queues = [iter((np.array(each) @ width).tolist()) for each in instance["goals"]]
    cells = np.array(instance["starts"]) @ width
    goals = np.array([next(queue) for queue in queues])
    history = [cells]
    steps = instance["steps"]
    reached = 0
    start = time.process_time()
    for _ in range(steps):
        cells = crowd.step(cells, goals)
        imap.step()
        history.append(cells)
        if watch is not None:
            watch(traffic, cells)
        for agent in np.flatnonzero(cells == goals).tolist():
            reached += 1
            goals[agent] = next(queues[agent], -1)
    return Episode(
        reached / steps, (time.process_time() - start) / steps, np.array(history, dtype=np.int64)
    )
