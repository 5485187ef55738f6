"""Velocities, paths and schedules of sources."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OnWall, OutsideMap
from support.patrols import patrol


def test_a_save_goes_on_with_paths_and_schedules(tmp_path: Path) -> None:
    imap = patrol(fc.Radial(3.0))
    imap.step(3)
    imap.save(tmp_path / "patrol.fieldcraft")
    other = fc.InfluenceMap.load(tmp_path / "patrol.fieldcraft")
    other.step(4)
    imap.step(4)
    assert np.array_equal(imap["threat"].values, other["threat"].values)


def test_what_is_moved_by_hand_stays() -> None:
    layer = fc.InfluenceMap(fc.Grid(9, 4)).add_layer("threat", fc.Radial(1.0), every=1.0)
    ids = layer.add_sources([(1.5, 1.5), (5.5, 1.5)])
    layer.sources.move(ids, layer.sources.positions, velocities=[(1, 0), (0, 1)])
    layer.step(2)
    assert layer.sources.positions.tolist() == [[3.5, 1.5], [5.5, 3.5]]
    layer.sources.move(ids, layer.sources.positions)
    layer.step(2)
    assert layer.sources.positions.tolist() == [[3.5, 1.5], [5.5, 3.5]]
    layer.sync(["me"], [(1.5, 0.5)], velocities=(2, 0))
    layer.sync(["me"], np.array([(1.5, 0.5)]), velocities=(2, 0))
    assert layer.at(1.5).sample((4.5, 0.5)) == 1
    layer.sync(["me"], np.array([(1.5, 0.5)]))
    assert layer.at(1.5).sample((1.5, 0.5)) == 1
    gun = layer.add_source((8.5, 0.5), 1.0)
    gun.schedule([0, 1], [0, 7])
    gun.strength = 3.0
    assert layer.at(5).sample((8.5, 0.5)) == 3


def test_paths_lead_round_a_torus() -> None:
    grid = fc.Grid(8, 3, wrap=True)
    layer = fc.InfluenceMap(grid).add_layer("threat", fc.Radial(1.0))
    layer.add_source((7.5, 1.5)).follow([(1.5, 1.5)], speed=1)
    assert [int(layer.at(t).values[1].argmax()) for t in range(4)] == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("velocity", "policy", "error"),
    [((-1, 0), {}, OutsideMap), ((1, 0), {}, OnWall), ((1, 0), {"on_wall": "through"}, None)],
)
def test_sources_that_leave_the_ground_are_refused(
    velocity: tuple[float, float], policy: dict[str, str], error: type[Exception] | None
) -> None:
    grid = fc.Grid(walls=[[0, 0, 0, 1, 0], [0, 0, 0, 0, 0]])
    layer = fc.InfluenceMap(grid).add_layer("threat", fc.Radial(1.0), every=1.0)
    source = layer.add_source((1.5, 0.5))
    source.move((1.5, 0.5), velocity=velocity, **policy)
    if error is None:
        layer.step(2)
        assert source.position == (3.5, 0.5)
        return
    with pytest.raises(error, match="source 0 at"):
        layer.at(2.0).values
    assert source.position == (1.5, 0.5)
    with pytest.raises(error):
        layer.step(3)


def test_bad_times_paths_and_schedules_are_refused() -> None:
    layer = fc.InfluenceMap(fc.Grid(9, 4)).add_layer("threat", fc.Radial(1.0))
    source = layer.add_source((1.5, 1.5))
    with pytest.raises(InvalidValue, match="t is"):
        layer.at(-1.0)
    with pytest.raises(InvalidValue, match="Velocities"):
        source.move((1.5, 1.5), velocity=(1, 2, 3))
    with pytest.raises(InvalidValue, match="one velocity each"):
        layer.sources.move([source.id], [(1.5, 1.5)], velocities=[(1, 0), (0, 1)])
    with pytest.raises(InvalidValue, match="speed"):
        source.follow([(2.5, 1.5)], 0.0)
    with pytest.raises(InvalidValue, match="one position or more"):
        source.follow([], 1.0)
    with pytest.raises(OutsideMap):
        source.follow([(12.5, 1.5)], 1.0)
    for times, period in (([1, 2], None), ([0, 0], None), ([0, 2], 2.0)):
        with pytest.raises(InvalidValue, match="schedule"):
            source.schedule(times, [1, 2], period)


def test_a_source_at_rest_acts_from_beside_a_wall_that_is_built_on_it() -> None:
    grid = fc.Grid(4, 1)
    layer = fc.InfluenceMap(grid).add_layer("a", fc.Radial(1.0, "constant"))
    source = layer.add_source((0.5, 0.5), 2.0)
    source.follow([(2.5, 0.5)], 50.0, on_wall="nearest")
    layer.step(3)
    assert layer.values.tolist() == [[0, 2, 2, 2]]
    grid.set_walls([2])
    layer.step()
    assert layer.sources.cells.tolist() == [1]
    assert layer.values.tolist() == [[2, 2, 0, 0]]


@pytest.mark.parametrize("what", ["rests", "moves", "changes", "moves and changes"])
def test_steps_at_once_are_steps_one_by_one(what: str) -> None:
    values = []
    for counts in ((6,), (1,) * 6, (2, 4)):
        layer = fc.InfluenceMap(fc.Grid(12, 4)).add_layer("a", fc.Spread(0.2, 0.5), every=0.5)
        source = layer.add_source((1.5, 1.5), 4.0)
        if "moves" in what:
            source.follow([(9.5, 1.5)], speed=1)
        if "changes" in what:
            source.schedule([0, 1, 3], [4, 0.5, 9])
        for count in counts:
            layer.step(count)
        values.append(layer.values.copy())
        assert source.strength == (9 if "changes" in what else 4)
        assert source.position == ((4.5, 1.5) if "moves" in what else (1.5, 1.5))
    np.testing.assert_array_equal(values[1], values[0])
    np.testing.assert_array_equal(values[2], values[0])
