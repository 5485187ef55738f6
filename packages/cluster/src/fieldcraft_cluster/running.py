"""Runs of worlds, in this process or on a cluster."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from fieldcraft.base import checks
from fieldcraft_cluster.store import Stores
from fieldcraft_cluster.world import World


@contextlib.contextmanager
def run(
    world: World,
    *,
    client: Any = None,
    halo_steps: int | None = None,
    checkpoint: int | None = 50,
    timeout: float = 600.0,
) -> Iterator[World]:
    """Run a world on the workers of a Dask client, or in this process, with checkpoints.

    Parameters
    ----------
    world : World
        The world. All workers must have its folder: one machine, or a shared disk.
    client : object, optional
        A `dask.distributed.Client`; each of its workers computes a band of the map.
    halo_steps : int, optional
        Steps of a superstep, from now on; by default unchanged.
    checkpoint : int, optional
        Supersteps between two checkpoints; None for one at the beginning and one at the end. The
        part of a worker that dies is computed again from the last checkpoint.
    timeout : float, optional
        Time limit of a worker for a superstep, in seconds. A slower worker is logged and abandoned,
        and the others compute its part.

    Raises
    ------
    WorkerLost
        If no worker is left. The world can be opened again from its folder.
    """
    checks.instance(world, World, "A world in blocks is run", "Pass cluster.World(folder, size)")
    if checkpoint is None:
        every = None
    else:
        every = checks.integer("checkpoint", checkpoint, minimum=1)
    if halo_steps is None:
        steps = None
    else:
        steps = checks.integer("halo_steps", halo_steps, minimum=1, maximum=1024)
    stores = Stores()
    if client is not None:
        from fieldcraft_cluster.dask_transport import DaskStores

        stores = DaskStores(client, checks.positive("timeout", timeout))
    world.move_to(stores, steps)
    world.checkpoint_every = every
    try:
        yield world
    finally:
        world.checkpoint_every = None
        if world.coordinator.has_failed:
            world.coordinator.close()
        else:
            world.move_to(Stores())
