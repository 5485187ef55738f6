"""Two processes and TCP on the loopback: the bits of one array, though workers are killed and
hang.
"""

from __future__ import annotations

import logging
import os
import signal
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
import fieldcraft_cluster as cluster
from fieldcraft.base.errors import InvalidValue
from fieldcraft_cluster.partition import Box
from support.refusals import refused

distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

SIZE = (190, 150)
SPREAD = fc.Spread(decay=0.02, momentum=0.6)
POINTS = np.random.default_rng(5).random((9, 2)) * SIZE
LIMIT = (
    60.0  # seconds for a superstep, much more than one takes on a machine where much else is done
)
WALLS = np.random.default_rng(3).random(SIZE[::-1]) < 0.1


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with (
            distributed.LocalCluster(
                n_workers=2,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
            ) as workers,
            distributed.Client(workers) as made,
        ):
            yield made


def one_array(steps: int) -> Any:
    layer = fc.InfluenceMap(fc.Grid(*SIZE, walls=WALLS)).add_layer("threat", SPREAD)
    layer.add_sources(POINTS, 7.0, on_wall="through")
    layer.step(steps)
    return layer


def pids(world: cluster.World) -> list[int]:
    """The processes that hold the stores of a world."""
    stores: Any = world.coordinator._stores
    return stores.call("pid", [()] * stores.count)


def strike(
    world: cluster.World,
    monkeypatch: pytest.MonkeyPatch,
    moment: str,
    blow: signal.Signals,
    limit: float = LIMIT,
) -> None:
    """Send a signal to the first worker when all have been told to do something, before any has
    answered; `limit` holds for that call.
    """
    stores: Any = world.coordinator._stores
    victim, usual, opening = pids(world)[0], stores._submit, stores.open

    def tell(verb: str, arguments: list[Any]) -> list[Any]:
        told = usual(verb, arguments)
        if moment in (verb, *arguments[0][:2]):
            os.kill(victim, blow)
            monkeypatch.setattr(stores, "_submit", usual)
            monkeypatch.setattr(stores, "_timeout", limit)
        return told

    def reopen(*arguments: Any) -> None:
        monkeypatch.setattr(stores, "_timeout", LIMIT)
        opening(*arguments)

    monkeypatch.setattr(stores, "_submit", tell)
    monkeypatch.setattr(stores, "open", reopen)


def test_a_worker_that_hangs_from_the_start_is_done_without(client: Any, tmp_path: Path) -> None:
    world = cluster.World(tmp_path, SIZE, block=64, walls=WALLS)
    layer = world.add_layer("threat", SPREAD)
    layer.add_sources(POINTS, 7.0, on_wall="through")
    victim = next(iter(client.run(os.getpid).values()))
    os.kill(victim, signal.SIGSTOP)
    try:
        with cluster.run(world, client=client, timeout=15.0) as running:
            running.coordinator._stores._timeout = LIMIT  # type: ignore[attr-defined]
            running.step(9)
    finally:
        os.kill(victim, signal.SIGCONT)
    assert layer.digest() == cluster.digest_of(one_array(9).values, 64)


def test_workers_that_die_and_hang_change_no_bit(
    client: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = cluster.World(tmp_path, SIZE, block=40, walls=WALLS, halo_steps=8)
    layer = world.add_layer("threat", SPREAD)
    layer.add_sources(POINTS, 7.0, on_wall="through")
    with cluster.run(world, client=client, checkpoint=3, timeout=LIMIT) as running:
        first = running.step(20)
        assert (
            not first.workers_lost and 0 < first.bytes_between_workers < first.bytes_between_blocks
        )
        strike(world, monkeypatch, "superstep", signal.SIGKILL)
        assert running.step(20).workers_lost
        strike(world, monkeypatch, "save", signal.SIGKILL)
        assert running.step(30).workers_lost
        strike(world, monkeypatch, "superstep", signal.SIGSTOP, limit=15.0)
        lost = running.step(10).workers_lost
        assert lost and all(name.startswith("tcp://127.0.0.1:") for name in lost)
    assert f"{lost[0]} did not answer in 15 s and is abandoned" in caplog.text
    assert layer.digest() == cluster.digest_of(one_array(80).values, 40)


def test_a_layer_is_a_dask_array(tmp_path: Path) -> None:
    world = cluster.World(tmp_path / "world", SIZE, block=64)
    layer = world.add_layer("threat", SPREAD)
    layer.add_sources([(3.0, 3.0)], 7.0)
    world.step(9)
    with refused(InvalidValue, "Client"), cluster.run(world, client="tcp://nowhere"):
        pass
    values = layer.values_in(Box(0, SIZE[1], 0, SIZE[0]))
    array = layer.to_dask()
    assert array.chunks == ((64, 64, 22), (64, 64, 62))
    assert np.array_equal(array.compute(scheduler="synchronous"), values)
