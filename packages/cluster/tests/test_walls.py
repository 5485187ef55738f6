"""New walls read 0 at once, before and after blocks went to files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import fieldcraft as fc
import fieldcraft_cluster as cluster
from fieldcraft_cluster.partition import Box
from fieldcraft_cluster.store import Stores
from packages.cluster.tests.test_laws import KINDS


@pytest.mark.parametrize(("kind", "memory"), [("spread", 2e9), *((kind, 3e3) for kind in KINDS)])
def test_new_walls_read_0_at_once_wherever_blocks_lie(
    tmp_path: Path, kind: str, memory: float
) -> None:
    grid = fc.Grid(30, 20)
    one = fc.InfluenceMap(grid).add_layer("layer", KINDS[kind])
    world = cluster.World(tmp_path, (30, 20), block=8, halo_steps=2, memory=memory)
    two = world.add_layer("layer", KINDS[kind], reach=3.0 if "fade" in kind else None)
    places, wall = [(7.5, 7.5), (15.5, 8.5)], [(7.5, 8.5), (8.5, 7.5), (16.5, 8.5)]
    for _ in range(2):
        for layer in (one, two):
            if isinstance(layer, (fc.layer.MemoryLayer, cluster.layers.WorldMemoryLayer)):
                layer.mark(places, [9.0, 9.0], radius=3.0)
            elif "vectors" in kind:
                layer.deposit(places, [(9.0, 1.0), (3.0, 9.0)])
            else:
                getattr(layer, "add_sources", getattr(layer, "deposit", None))(places, 9.0)
        one.step()
        world.step()
    everywhere = Box(0, 20, 0, 30)

    def agree() -> None:
        assert two.values_in(everywhere).tobytes() == one.values.tobytes()

    assert np.count_nonzero(one.sample(wall))
    grid.set_walls(grid.cell_at(wall))
    world.set_walls(wall)
    assert not np.any(two.sample(wall))
    agree()
    world.move_to(Stores(2))  # by way of files
    agree()
    world.move_to(Stores(1), halo_steps=3)  # and into blocks with other halos
    agree()
    one.step(3)
    world.step(3)
    agree()
