"""Worlds in blocks: what they answer, what they refuse, and what sleeping costs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import fieldcraft as fc
import fieldcraft_cluster as cluster
from fieldcraft.base.errors import (
    DeadSource,
    InvalidValue,
    NameTaken,
    OnWall,
    OutsideMap,
    UnknownName,
)
from fieldcraft_cluster.partition import Box
from support.refusals import refused


@pytest.fixture
def world(tmp_path: Path) -> cluster.World:
    return cluster.World(
        tmp_path, (70, 50), block=16, cell_size=2.0, origin=(10.0, -4.0), y_up=True
    )


def test_a_window_is_a_plain_layer_in_its_place(world: cluster.World) -> None:
    layer = world.add_layer("threat", fc.Spread(decay=0.1, momentum=1.0))
    layer.add_sources([(40.5, 20.0), (140.0, 90.0)], [8.0, -3.0])
    world.set_walls([(44.0, 20.0)])
    world.step(30)
    piece = layer.window((30.0, 8.0), (61.0, 33.0))
    points = piece.space.position_of(np.arange(len(piece.space)))
    assert piece.sample(points).tobytes() == np.asarray(layer.sample(points)).tobytes()
    assert piece.sample((40.5, 20.0)) == 8.0 == layer.sample((40.5, 20.0))
    assert piece.space.walls.sum() == 1 and piece.sample((44.0, 20.0)) == 0


def test_an_overview_is_the_strongest_of_each_square(world: cluster.World) -> None:
    layer = world.add_layer("threat", fc.Spread(decay=0.1, momentum=1.0))
    layer.add_sources([(40.5, 20.0), (140.0, 90.0)], [8.0, -9.0])
    world.step(20)
    values = layer.values_in(Box(0, 50, 0, 70))
    for scale in (1, 7, 16, 64):
        padded = np.zeros((-(-50 // scale) * scale, -(-70 // scale) * scale), dtype=np.float32)
        padded[:50, :70] = values
        squares = (
            padded.reshape(padded.shape[0] // scale, scale, -1, scale)
            .swapaxes(1, 2)
            .reshape(padded.shape[0] // scale, -1, scale**2)
        )
        high, low = squares.max(axis=2), squares.min(axis=2)
        assert np.array_equal(layer.overview(scale), np.where(high >= -low, high, low))


def test_what_is_quiet_costs_nothing(tmp_path: Path) -> None:
    world = cluster.World(tmp_path, (2**20, 2**20), block=256)
    layer = world.add_layer("threat", fc.Spread(decay=0.5, momentum=1.0))
    ids = layer.add_sources([(5e5, 7e5), (12.0, 3.0)], 9.0)
    busy = world.step(32)
    assert busy.blocks_run <= 2 * 4
    calm = world.step(320)
    assert calm.blocks_run <= 10 and calm.blocks_idle > 20
    assert world.checkpoint() < 300_000
    assert world.checkpoint() == 0
    layer.remove(ids)
    world.step(600)
    assert world.coordinator.query_blocks("digests", "threat") == {}
    world.checkpoint()
    assert list((tmp_path / "blocks").iterdir()) == []


def test_time_passes_by_intervals(world: cluster.World) -> None:
    fast = world.add_layer("fast", fc.Spread(decay=0.1, momentum=0.5), every=0.1)
    slow = world.add_layer("slow", fc.Trail(), every=0.25)
    report = world.advance(1.1)
    assert report.steps == {"fast": 11, "slow": 4} and (fast.steps, slow.steps) == (11, 4)
    assert world.advance(0.15).steps == {"fast": 1, "slow": 1}
    assert "fast 1" in str(world.advance(0.1))


def test_refusals(world: cluster.World) -> None:
    with refused(InvalidValue, "Flood", "near"):
        world.add_layer("flood", fc.Flood())  # type: ignore[call-overload]
    layer = world.add_layer("threat", fc.Spread(decay=0.1, momentum=0.5))
    memory = world.add_layer("seen", fc.Fade(), reach=6.0)
    trail = world.add_layer("trail", fc.Trail())
    with refused(NameTaken, "threat"):
        world.add_layer("threat", fc.Fade())
    with refused(UnknownName, "threat"):
        world.layer("threta")
    with refused(OutsideMap, "(0.0, 0.0)"):
        layer.add_sources([(0.0, 0.0)])
    world.set_walls([(20.0, 20.0)])
    for kind, word, call in (
        (OnWall, "through", lambda: layer.add_sources([(20.0, 20.0)])),
        (InvalidValue, "nearest", lambda: layer.add_sources([(20.0, 20.0)], on_wall="nearest")),
        (InvalidValue, "reach", lambda: memory.mark([(40.0, 40.0)], radius=7.0)),
        (DeadSource, "id 7", lambda: layer.remove([7])),
        (InvalidValue, "width", lambda: trail.tune(blur=9)),
        (
            InvalidValue,
            "pin",
            lambda: world.add_layer(
                "loose", fc.Spread(decay=0.1, momentum=1.0, pin=False)
            ).settle(),
        ),
        (InvalidValue, "block", lambda: cluster.World(world.folder, (70, 50), block=0)),
    ):
        with refused(kind, word):
            call()
    assert layer.digest() == cluster.digest_of(np.zeros((50, 70), dtype=np.float32), 16)


def test_walls_of_a_wrong_shape_are_told(tmp_path: Path) -> None:
    with refused(InvalidValue, "(50, 70)"):
        cluster.World(tmp_path, (70, 50), walls=np.zeros((70, 50), dtype=bool))
    wrong = cluster.World(
        tmp_path / "a", (70, 50), block=16, walls=lambda rows, columns: np.zeros((3, 3), dtype=bool)
    )
    wrong.add_layer("threat", fc.Spread(decay=0.1, momentum=0.5))
    with refused(InvalidValue, "two slices"):
        wrong.layer("threat").add_sources([(3.0, 3.0)])


@pytest.mark.parametrize("wrap", ["x", "y"])
def test_a_world_wraps_along_one_axis_as_a_grid_does(tmp_path: Path, wrap: str) -> None:
    grid = fc.Grid(70, 50, cell_size=2.0, origin=(10.0, -4.0), y_up=True, wrap=wrap)
    one = fc.InfluenceMap(grid).add_layer("threat", fc.Spread(decay=0.1, momentum=1.0))
    world = cluster.World(
        tmp_path, (70, 50), block=16, cell_size=2.0, origin=(10.0, -4.0), y_up=True, wrap=wrap
    )
    layer = world.add_layer("threat", fc.Spread(decay=0.1, momentum=1.0))
    around = {"x": (155.0, 30.0), "y": (30.0, 101.0)}[wrap]
    beyond = {"x": (30.0, 101.0), "y": (155.0, 30.0)}[wrap]
    for each in (one, layer):
        each.add_sources([around], [8.0])
        with pytest.raises(OutsideMap, match="on the map"):
            each.add_sources([beyond], [8.0])
    one.step(20)
    world.step(20)
    assert layer.values_in(Box(0, 50, 0, 70)).tobytes() == one.values.tobytes()
    assert layer.sample(around) == 8.0
    rows, columns = world.cells([beyond], outside="clamp")
    assert rows * 70 + columns == grid.cell_at([beyond], outside="clamp")


def test_a_radius_may_not_reach_around_the_axis_that_wraps(tmp_path: Path) -> None:
    tall = cluster.World(tmp_path / "tall", (9, 40), block=16, wrap="x")
    with refused(
        InvalidValue, "does not reach around a map that wraps", "9 x 40", "fieldcraft.Grid"
    ):
        tall.add_layer("guns", fc.Radial(radius=6, metric="straight"))
    free = cluster.World(tmp_path / "free", (9, 40), block=16, wrap="y")
    free.add_layer("guns", fc.Radial(radius=6, metric="straight"))


def test_a_world_is_opened_with_the_edges_that_it_was_created_with(tmp_path: Path) -> None:
    world = cluster.World(tmp_path, (20, 30), block=16, wrap="x")
    world.checkpoint()
    world.close()
    for other in (False, True, "y"):
        with refused(InvalidValue, "the settings that it was created with", "wrap of"):
            cluster.World(tmp_path, (20, 30), block=16, wrap=other)
    cluster.World(tmp_path, (20, 30), block=16, wrap="x").close()
    with refused(InvalidValue, "wrap is True, False"):
        cluster.World(tmp_path / "new", (20, 30), wrap="z")


def test_a_torus_that_a_halo_spans_many_times_has_the_bits_of_one_array(tmp_path: Path) -> None:
    spread = fc.Spread(decay=0.1, momentum=0.6)
    places = [(0.5, 0.5), (1.5, 1.5), (1.5, 0.5)]
    one = fc.InfluenceMap(fc.Grid(3, 3, wrap=True)).add_layer("a", spread)
    for place, strength in zip(places, (3.0, -2.0, 1.0), strict=True):
        one.add_source(place, strength)
    world = cluster.World(tmp_path, (3, 3), block=8, wrap=True, halo_steps=64)
    layer = world.add_layer("a", spread)
    layer.add_sources(places, [3.0, -2.0, 1.0])
    one.step(5)
    world.step(5)
    assert layer.digest() == cluster.digest_of(one.values, 8)
