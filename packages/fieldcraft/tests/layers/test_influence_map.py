"""Influence maps: layers, their clocks, copies."""

from __future__ import annotations

import gc
import math
import weakref
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, NameTaken, UnknownName
from fieldcraft.layers.schedule import Advance
from support.refusals import refused, unchanged

pytestmark = pytest.mark.reference

WALLS = np.zeros((6, 9), dtype=bool)
WALLS[2, 1:8] = True
SPREAD = fc.Spread(0.2, 0.5)


@pytest.fixture
def imap() -> fc.InfluenceMap:
    return fc.InfluenceMap(fc.Grid(9, 6, walls=WALLS))


class TestLayers:
    def test_by_name(self, imap: fc.InfluenceMap) -> None:
        threat = imap.add_layer("threat", SPREAD)
        food = imap.add_layer("food", SPREAD)
        assert imap["threat"] is threat
        assert list(imap) == list(imap.layers) == ["threat", "food"]
        assert imap.layers["food"] is food
        assert "food" in imap
        assert "thraet" not in imap
        assert ["food"] not in imap
        assert len(imap) == 2
        assert "threat, food" in repr(imap)
        imap.remove_layer("threat")
        assert list(imap) == ["food"]
        imap.add_layer("threat", SPREAD)
        with pytest.raises(TypeError):
            imap.layers["x"] = food

    def test_unknown_names_suggest_the_near_one(self, imap: fc.InfluenceMap) -> None:
        imap.add_layer("threat", SPREAD)
        for call in (lambda: imap["thraet"], lambda: imap.remove_layer("thraet")):
            with refused(UnknownName, "'thraet'", "Did you mean 'threat'?"):
                call()
        for name in ("zzz", None, 5, ["threat"]):
            with refused(UnknownName, "threat"):
                imap[name]
        with pytest.raises(KeyError):
            imap["thraet"]

    def test_a_name_is_taken_once(self, imap: fc.InfluenceMap) -> None:
        layer = imap.add_layer("threat", SPREAD)
        with unchanged(layer), refused(NameTaken, "'threat'", "remove_layer"):
            imap.add_layer("threat", SPREAD)
        assert imap["threat"] is layer

    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            ({"name": ""}, "name"),
            ({"name": 5}, "5"),
            ({"name": None}, "None"),
            ({"propagation": "spread"}, "Spread"),
            ({"propagation": fc.Spread}, "Spread"),
            ({"propagation": None}, "values"),
            ({"every": 0}, "every=0"),
            ({"every": -0.1}, "every=-0.1"),
            ({"every": math.nan}, "every=nan"),
            ({"every": 1e10}, "milliseconds"),
            ({"every": None}, "every=None"),
            ({"cell_size": 0}, "cell_size=0"),
            ({"cell_size": 0.5}, "cell_size=0.5"),
            ({"cell_size": 1.5}, "multiple"),
            ({"cell_size": math.nan}, "cell_size=nan"),
            ({"walls": True}, "walls=True"),
            ({"walls": np.zeros((9, 6), bool)}, "transpose"),
            ({"walls": np.zeros((6, 9))}, "bool"),
            ({"walls": [[True], [True, False]]}, "walls"),
            ({"values": np.zeros((9, 6))}, "transpose"),
            ({"values": np.full((6, 9), np.nan)}, "nan"),
            ({"values": np.zeros((6, 9)), "cell_size": 3}, "(2, 3)"),
            ({"values": "none"}, "Values"),
        ],
        ids=lambda value: str(value)[:40].replace("\n", " ") if not isinstance(value, str) else "",
    )
    def test_refuses_and_adds_nothing(
        self, imap: fc.InfluenceMap, arguments: dict[str, object], says: str
    ) -> None:
        with refused(InvalidValue, says):
            imap.add_layer(**{"name": "new", "propagation": SPREAD, **arguments})
        assert len(imap) == 0

    @pytest.mark.parametrize("space", [None, (9, 6), np.zeros((6, 9)), fc.Grid])
    def test_lies_on_a_space(self, space: object) -> None:
        with refused(InvalidValue, "fc.Grid"):
            fc.InfluenceMap(space)


class TestOtherGround:
    def test_air_ignores_walls(self, imap: fc.InfluenceMap) -> None:
        ground = imap.add_layer("ground", SPREAD)
        air = imap.add_layer("air", SPREAD, walls=False)
        own = imap.add_layer("boats", SPREAD, walls=~WALLS)
        assert not air.space.walls.any()
        np.testing.assert_array_equal(own.space.walls, ~WALLS)
        assert ground.space is imap.space
        for layer in (ground, air):
            layer.add_source((4.5, 1.5), 5)
        imap.step(40)
        assert air.values[2, 4] == pytest.approx(5 * math.exp(-0.2), rel=1e-4)
        assert ground.values[2, 4] == 0
        assert ground.values[3, 4] < air.values[3, 4]
        air.add_source((4.5, 2.5), 3)

    def test_terrain_does_not_hold_the_air(self) -> None:
        terrain = fc.Terrain(np.where(WALLS, 1, 0), np.array([[True, False], [False, False]]))
        imap = fc.InfluenceMap(fc.Grid(9, 6, terrain=terrain))
        assert imap.add_layer("ground", SPREAD).space.walls.sum() == 7
        assert imap.add_layer("air", SPREAD, walls=False).space.terrain is None

    def test_coarser_layers(self, imap: fc.InfluenceMap) -> None:
        coarse = imap.add_layer("coarse", SPREAD, cell_size=3)
        assert coarse.values.shape == (2, 3)
        assert coarse.space.cell_size == 3
        coarse.add_source((4.0, 1.0), 5)
        imap.step(30)
        assert coarse.values[0, 1] == 5
        assert coarse.values[0, 0] == pytest.approx(5 * math.exp(-0.2 * 3), rel=1e-5)
        assert coarse.sample((8.9, 5.9)) == coarse.values[1, 2]
        assert imap.add_layer("same", SPREAD, cell_size=1.0).space is imap.space
        assert imap.add_layer("coarse air", SPREAD, cell_size=2.0, walls=False).values.shape == (
            3,
            5,
        )

    def test_coarser_with_values(self, imap: fc.InfluenceMap) -> None:
        layer = imap.add_layer("coarse", values=np.ones((2, 3)), cell_size=3)
        assert layer.values.sum() == 6


class TestStep:
    def test_every_layer_makes_the_steps_whatever_its_interval(self, imap: fc.InfluenceMap) -> None:
        for name, every in (("fast", 0.01), ("slow", 2.0)):
            imap.add_layer(name, SPREAD, every=every).add_source((0.5, 0.5), 3)
        imap.step(5)
        assert imap["fast"].time == pytest.approx(0.05)
        assert imap["slow"].time == pytest.approx(10.0)
        np.testing.assert_array_equal(imap["fast"].values, imap["slow"].values)
        assert imap.time == 0

    def test_n_at_once_is_n_times_one(self, imap: fc.InfluenceMap) -> None:
        twin = imap.copy()
        results = []
        for this, batches in ((imap, [20]), (twin, [1] * 20)):
            layer = this.add_layer("a", fc.Spread(0.1, 0.3))
            layer.add_source((0.5, 0.5), 3, lifetime=0.75)
            layer.add_source((8.5, 5.5), -4)
            for count in batches:
                this.step(count)
            results.append(layer.values.tobytes())
        assert results[0] == results[1]


class TestAdvance:
    @pytest.mark.parametrize("every", [0.1, 0.25, 1 / 30, 0.07])
    def test_any_frame_rate_gives_the_same_bits(self, every: float) -> None:
        results = set()
        for rate in (24, 25, 30, 50, 60, 100, 120, 144):
            imap = fc.InfluenceMap(fc.Grid(9, 6, walls=WALLS))
            layer = imap.add_layer("a", fc.Spread(0.1, 0.4, half_life=0.5), every=every)
            layer.add_source((0.5, 0.5), 5, lifetime=1.37)
            layer.add_source((4.5, 4.5), 3)
            for _ in range(3 * rate):
                imap.advance(1 / rate)
            results.add((layer.values.tobytes(), layer.time, imap.time, len(layer.sources)))
        assert len(results) == 1
        assert results.pop()[2] == 3.0

    def test_each_layer_at_its_own_interval(self, imap: fc.InfluenceMap) -> None:
        for name, every in (("fast", 0.05), ("usual", 0.1), ("slow", 1.0)):
            imap.add_layer(name, SPREAD, every=every)
        total = dict.fromkeys(imap, 0)
        for _ in range(60):
            report = imap.advance(1 / 30)
            assert set(report.steps) == set(report.dropped) == set(imap)
            assert not any(report.dropped.values())
            for name, steps in report.steps.items():
                total[name] += steps
        assert total == {"fast": 40, "usual": 20, "slow": 2}
        assert imap.time == 2.0

    def test_an_odd_interval_keeps_its_place(self, imap: fc.InfluenceMap) -> None:
        imap.add_layer("a", SPREAD, every=0.07)
        steps = [imap.advance(0.1).steps["a"] for _ in range(7)]
        assert steps == [1, 1, 2, 1, 2, 1, 2]

    def test_at_most_max_steps_and_the_rest_is_reported(self, imap: fc.InfluenceMap) -> None:
        layer = imap.add_layer("a", SPREAD, every=0.1)
        imap.add_layer("b", SPREAD, every=1.0)
        report = imap.advance(2.05)
        assert report.steps == {"a": 8, "b": 2}
        assert report.dropped == {"a": 12, "b": 0}
        assert layer.time == pytest.approx(0.8)
        assert imap.time == 2.05
        # What was dropped does not come back, what is left of an interval does.
        assert imap.advance(0.05).steps["a"] == 1
        assert imap.advance(0.3, max_steps=2) == Advance({"a": 2, "b": 0}, {"a": 1, "b": 0})

    def test_dropped_time_is_said_in_the_answer_and_once_in_the_log(
        self, imap: fc.InfluenceMap, caplog: pytest.LogCaptureFixture
    ) -> None:
        imap.add_layer("a", SPREAD, every=0.1)
        imap.add_layer("memory", fc.Fade(1.0, 1.0))  # which drops nothing
        assert not imap.advance(0.5).is_late
        assert not caplog.records
        answers = [imap.advance(1.0), imap.advance(1.0, budget_work=100)]
        assert all(answer.is_late for answer in answers)
        assert str(answers[0]) == "steps: a 8, memory 10; dropped beyond max_steps: a 2"
        (record,) = caplog.records
        assert (record.name, record.levelname) == ("fieldcraft", "WARNING")
        assert "2 of layer 'a'" in record.getMessage()
        assert "max_steps" in record.getMessage()

    def test_bounds_steps(self, imap: fc.InfluenceMap) -> None:
        layer = imap.add_layer("a", SPREAD)
        for call in (imap.step, layer.step):
            with unchanged(layer), refused(InvalidValue, "count is at most"):
                call(10**30)

    def test_a_very_long_pause_does_not_hang(self, imap: fc.InfluenceMap) -> None:
        imap.add_layer("a", SPREAD, every=1e-6)
        report = imap.advance(1e9)
        assert report.steps["a"] == 8
        assert report.dropped["a"] == pytest.approx(1e15, rel=1e-3)

    def test_nothing_passes(self, imap: fc.InfluenceMap) -> None:
        imap.add_layer("a", SPREAD)
        assert imap.advance(0).steps == {"a": 0}
        assert imap.time == 0

    @pytest.mark.parametrize("dt", [-1e-9, -1, math.nan, math.inf, None, "0.1", True, [0.1], 2e9])
    def test_refuses_dt(self, imap: fc.InfluenceMap, dt: object) -> None:
        layer = imap.add_layer("a", SPREAD)
        layer.add_source((0.5, 0.5))
        imap.advance(0.15)
        with unchanged(layer), refused(InvalidValue, "dt"):
            imap.advance(dt)
        assert imap.time == 0.15
        assert imap.advance(0.05).steps["a"] == 1

    @pytest.mark.parametrize("max_steps", [0, -1, 1.0, None, "8", True])
    def test_refuses_max_steps(self, imap: fc.InfluenceMap, max_steps: object) -> None:
        layer = imap.add_layer("a", SPREAD)
        with unchanged(layer), refused(InvalidValue, "max_steps"):
            imap.advance(0.1, max_steps=max_steps)
        assert imap.time == 0

    def test_a_lifetime_ends_in_the_middle_of_a_frame(self, imap: fc.InfluenceMap) -> None:
        layer = imap.add_layer("a", SPREAD, every=0.1)
        source = layer.add_source((0.5, 0.5), 3, lifetime=0.25)
        imap.advance(0.8)
        assert not source.alive
        other = fc.InfluenceMap(imap.space).add_layer("a", SPREAD, every=0.1)
        other.add_source((0.5, 0.5), 3, lifetime=0.25)
        for _ in range(8):
            other.step()
        np.testing.assert_array_equal(layer.values, other.values)

    def test_layers_added_later_start_then(self, imap: fc.InfluenceMap) -> None:
        imap.add_layer("a", SPREAD)
        imap.advance(0.09)
        imap.add_layer("b", SPREAD)
        assert imap.advance(0.02).steps == {"a": 1, "b": 0}


class TestCopy:
    def test_is_independent(self, imap: fc.InfluenceMap) -> None:
        layer = imap.add_layer("a", SPREAD)
        source = layer.add_source((0.5, 0.5), 3)
        imap.step(3)
        twin = imap.copy()
        with unchanged(layer):
            twin["a"].source(source.id).move((8.5, 5.5))
            twin["a"].add_sources([(1.5, 1.5)] * 40)
            twin["a"].sync(["k"], [(2.5, 0.5)])
            twin.add_layer("b", SPREAD)
            twin["a"].propagation = fc.Spread(1.0, 1.0)
            twin["a"].every = 0.7
            twin.step(5)
            twin["a"].write(np.zeros((6, 9)))
        with unchanged(twin["a"]):
            source.remove()
            imap.step(5)
        assert list(imap) == ["a"]

    def test_between_a_change_and_its_step(self, imap: fc.InfluenceMap) -> None:
        """What a change will do at the next step, it does in the copy too."""
        layer = imap.add_layer("a", SPREAD)
        source = layer.add_source((0.5, 0.5), 3)
        imap.step(4)
        source.move((8.5, 5.5))
        layer.write(np.full((6, 9), 2.0))
        twin = imap.copy()
        np.testing.assert_array_equal(twin["a"].values, layer.values)
        for this in (imap, twin):
            this.step(3)
        np.testing.assert_array_equal(twin["a"].values, layer.values)


@pytest.mark.parametrize("name", ["Spread", "Radial", "Fade", "Trail", "Diffuse"])
def test_a_map_that_is_dropped_is_freed_at_once(name: str) -> None:
    settings = {"Spread": (0.1,), "Radial": (3,)}.get(name, ())
    gc.disable()  # which frees cycles later
    try:
        imap = fc.InfluenceMap(fc.Grid(9, 7))
        layer = imap.add_layer("a", getattr(fc, name)(*settings))
        imap.step(2)
        gone = [weakref.ref(each) for each in (imap, layer, imap.space)]
        del imap, layer
        assert [each() for each in gone] == [None, None, None]
    finally:
        gc.enable()


@pytest.mark.parametrize("budget", [{}, {"budget_work": 1000}])
def test_layers_of_still_sources_drop_no_time(budget: dict[str, int]) -> None:
    """A layer with `Radial` follows from its sources, so a long pause loses nothing."""
    imap = fc.InfluenceMap(fc.Grid(9, 3))
    guard = imap.add_layer("guard", fc.Radial(3.0), every=0.1)
    guard.add_source((1.5, 1.5), 4.0)
    guard.add_source((6.5, 1.5), 4.0, lifetime=20.0)
    report = imap.advance(30.0, **budget)
    while budget and guard.lag:
        imap.advance(0.0, **budget)
    assert not report.is_late
    assert guard.time == pytest.approx(30.0)
    assert guard.sample((1.5, 1.5)) == 4 and guard.sample((6.5, 1.5)) == 0


def test_moving_sources_of_a_radial_layer_report_what_they_miss() -> None:
    imap = fc.InfluenceMap(fc.Grid(9, 3))
    guard = imap.add_layer("guard", fc.Radial(3.0), every=0.1)
    guard.add_source((1.5, 1.5), 4.0).move((1.5, 1.5), velocity=(0.1, 0.0))
    assert imap.advance(30.0).dropped == {"guard": 292}


@pytest.mark.parametrize("method", ["add", "remove", "step", "advance"])
def test_messages_of_python_name_the_class_of_the_map(method: str) -> None:
    imap: Any = fc.InfluenceMap(fc.Grid(5, 3))
    with pytest.raises(TypeError, match=rf"InfluenceMap\.{method}\(\)"):
        getattr(imap, method)(1, 2, 3)
