"""Whatever dies, and whenever: the same bits, or the last checkpoint; never a wrong one."""

from __future__ import annotations

import resource
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
import fieldcraft_cluster as cluster
from fieldcraft.base.errors import BadSaveFile, FieldcraftError, InvalidValue
from fieldcraft_cluster.store import Stores, WorkerLost
from support.forks import forked
from support.refusals import refused

SIZE = (61, 44)
SPREAD = fc.Spread(decay=0.05, momentum=0.6)
POINTS = np.random.default_rng(5).random((9, 2)) * SIZE


def walls(rows: slice, columns: slice) -> np.ndarray:
    """Scattered walls, the same whoever asks."""
    return np.random.default_rng(3).random(SIZE[::-1])[rows, columns] < 0.1


class DyingStores(Stores):
    """Stores that are lost at some calls, before they have done anything or after."""

    can_be_lost = True

    def __init__(self, count: int, losses: dict[int, bool]) -> None:
        super().__init__(count)
        self.calls = 0
        self.losses = losses

    def call(self, verb: str, arguments: list[Any]) -> list[Any]:
        self.calls += 1
        if self.calls not in self.losses:
            return super().call(verb, arguments)
        if self.losses[self.calls]:
            super().call(verb, arguments)
        self.count = 1 + self.calls % 3  # as many as are left
        raise WorkerLost(f"worker {self.calls}", "no answer")


def one_array(steps: int, moved: int = 0) -> Any:
    grid = fc.Grid(*SIZE, walls=walls(slice(0, SIZE[1]), slice(0, SIZE[0])))
    layer = fc.InfluenceMap(grid).add_layer("threat", SPREAD)
    ids = layer.add_sources(POINTS, 7.0, on_wall="through")
    layer.step(moved)
    if moved:
        layer.sources.move(ids[:3], POINTS[3:6], on_wall="through")
        grid.set_walls([5, 6, 700], True)
    layer.step(steps - moved)
    return layer


def world_in(folder: Path, **extra: Any) -> cluster.World:
    return cluster.World(folder, SIZE, block=13, walls=walls, halo_steps=5, **extra)


@settings(max_examples=12)
@given(
    losses=st.dictionaries(st.integers(3, 40), st.booleans(), min_size=1, max_size=5),
    every=st.sampled_from([None, 1, 3]),
)
def test_a_lost_worker_changes_no_bit(
    tmp_path_factory: pytest.TempPathFactory, losses: dict[int, bool], every: int | None
) -> None:
    world = world_in(tmp_path_factory.mktemp("world"))
    layer = world.add_layer("threat", SPREAD)
    ids = layer.add_sources(POINTS, 7.0, on_wall="through")
    world.move_to(DyingStores(2, losses))
    world.checkpoint_every = every
    world.step(20)
    layer.move(ids[:3], POINTS[3:6], on_wall="through")
    world.set_walls(one_array(1).space.position_of([5, 6, 700]))
    report = world.step(23)
    assert layer.digest() == cluster.digest_of(one_array(43, 20).values, 13)
    assert report.steps == {"threat": 23}


def test_workers_that_all_die_are_an_error_and_the_checkpoint_stays(tmp_path: Path) -> None:
    world = world_in(tmp_path)
    world.add_layer("threat", SPREAD).add_sources(POINTS, 7.0, on_wall="through")
    world.step(10)
    world.move_to(DyingStores(2, dict.fromkeys(range(8, 60), False)))
    with pytest.raises(WorkerLost, match="worker"):
        world.step(50)
    with refused(FieldcraftError, "failed halfway", "Open it again"):
        world.step()
    assert world_in(tmp_path).layer("threat").digest() == cluster.digest_of(
        one_array(10).values, 13
    )


KILLED = """
import os, signal
from packages.cluster.tests.test_losses import POINTS, SPREAD, world_in
from fieldcraft_cluster import block, checkpoint
from pathlib import Path
world = world_in(Path({folder!r}))
layer = world.add_layer("threat", SPREAD)
layer.add_sources(POINTS, 7.0, on_wall="through")
world.step(15)
world.checkpoint()
world.step(15)
place, verb = {where}
usual, calls = getattr(place, verb), []
def dying(*arguments):
    calls.append(1)
    if len(calls) == {call}:
        os.kill(os.getpid(), signal.SIGKILL)
    return usual(*arguments)
setattr(place, verb, dying)
world.step(5)
world.checkpoint()
"""


@pytest.mark.parametrize(
    ("where", "call"),
    [("block.Block, 'run'", 7), ("block.Block, 'save'", 5), ("checkpoint, 'remove_unlisted'", 1)],
    ids=["in a superstep", "in a checkpoint", "after it"],
)
def test_a_killed_coordinator_goes_on_from_the_last_checkpoint(
    tmp_path: Path, where: str, call: int
) -> None:
    script = KILLED.format(folder=str(tmp_path), where=where, call=call)
    ended = forked(script)
    assert ended.returncode == -signal.SIGKILL, ended.stderr[-500:]
    world = world_in(tmp_path)
    made = 35 if "remove" in where else 15
    assert world.layer("threat").steps == made
    world.step(43 - made)
    assert world.layer("threat").digest() == cluster.digest_of(one_array(43).values, 13)


def test_a_full_disk_leaves_the_last_checkpoint_and_the_world(tmp_path: Path) -> None:
    world = world_in(tmp_path)
    layer = world.add_layer("threat", SPREAD)
    layer.add_sources(POINTS, 7.0, on_wall="through")
    world.step(12)
    world.checkpoint()
    world.step(12)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (300, before[1]))
        with refused(BadSaveFile, "too large"):
            world.checkpoint()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert world_in(tmp_path).layer("threat").digest() == cluster.digest_of(
        one_array(12).values, 13
    )
    world.step(6)
    world.checkpoint()
    assert (
        world_in(tmp_path).layer("threat").digest()
        == layer.digest()
        == cluster.digest_of(one_array(30).values, 13)
    )


def test_a_world_is_opened_as_it_was_made(tmp_path: Path) -> None:
    world = world_in(tmp_path)
    world.add_layer("threat", SPREAD)
    world.checkpoint()
    with refused(InvalidValue, "walls"):
        cluster.World(tmp_path, SIZE, block=13, halo_steps=5)
    with refused(InvalidValue, "block"):
        cluster.World(tmp_path, SIZE, block=14, walls=walls, halo_steps=5)
    assert world_in(tmp_path).layers.keys() == {"threat"}


def test_a_checkpoint_outlives_what_was_done_after_it_in_little_memory(tmp_path: Path) -> None:
    world = world_in(tmp_path, memory=4e4)
    world.add_layer("threat", SPREAD).add_sources(POINTS, 7.0, on_wall="through")
    world.step(10)
    world.checkpoint()
    for _ in range(2):
        again = world_in(tmp_path, memory=4e4)
        assert again.layer("threat").digest() == cluster.digest_of(one_array(10).values, 13)
        again.step(20)  # blocks of the checkpoint leave the memory, changed
