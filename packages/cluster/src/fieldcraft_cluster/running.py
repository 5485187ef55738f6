"""Worlds at work, in this process or on a cluster."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from fieldcraft import checks
from fieldcraft_cluster import stepping
from fieldcraft_cluster.coordinator import Report
from fieldcraft_cluster.store import Stores
from fieldcraft_cluster.world import World

__all__ = ["Running", "run"]


class Running:
    """A world at work, inside of `run`."""

    def __init__(self, world: World, every: int | None) -> None:
        self.world = world
        self._every = every

    def step(self, count: int = 1) -> Report:
        """Let every layer make `count` steps."""
        steps = dict.fromkeys(self.world.layers, checks.integer("count", count))
        return stepping.take(self.world, steps, self._every)

    def advance(self, dt: float) -> Report:
        """Let `dt` seconds pass."""
        return stepping.take(self.world, stepping.fall_due(self.world, dt), self._every)


@contextlib.contextmanager
def run(
    world: World,
    *,
    client: Any = None,
    halo_steps: int | None = None,
    checkpoint: int | None = 50,
    timeout: float = 600.0,
) -> Iterator[Running]:
    """Run a world on the workers of a Dask client, or without one on the interiors of this process.

    Parameters
    ----------
    world : World
        The world; until the end it is computed there. Its folder must be the same for all workers:
        one machine, or a shared disk.
    client : object, optional
        A `dask.distributed.Client`; each of its workers holds a band of the map.
    halo_steps : int, optional
        Steps in a superstep, from now on; by default as the world was made.
    checkpoint : int, optional
        Supersteps between two checkpoints; None for one at the beginning and one at the end. From
        the last of them the part of a worker that dies is done again.
    timeout : float, optional
        Seconds that a worker has for a superstep. One that takes longer is named in the log and
        given up; the others do its part.

    Raises
    ------
    WorkerLost
        If no worker is left; the world is opened again from its folder then.
    """
    checks.instance(world, World, "A world in blocks is run", "Pass cluster.World(folder, size)")
    every = None if checkpoint is None else checks.integer("checkpoint", checkpoint, minimum=1)
    steps = (
        None
        if halo_steps is None
        else checks.integer("halo_steps", halo_steps, minimum=1, maximum=1024)
    )
    stores = Stores()
    if client is not None:
        from fieldcraft_cluster.dask_transport import DaskStores

        stores = DaskStores(client, checks.positive("timeout", timeout))
    world.use(stores, steps)
    try:
        yield Running(world, every)
    finally:
        if world.coordinator.is_torn:
            world.coordinator.close()
        else:
            world.use(Stores())
