"""The live sources of a layer: ids, bulk calls, keys, lifetimes, pins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

import fieldcraft as fc
from fieldcraft.base import clock
from fieldcraft.base.errors import InvalidValue, OnWall, OutsideMap
from support.live_sources import OFF, OPEN, WALL
from support.refusals import refused, state, unchanged
from support.small_layers import WALLS


class TestPolicies:
    def calls(self, layer: fc.Layer) -> list:
        """Every way of putting something somewhere."""
        source = layer.add_source(OPEN)
        ids = layer.add_sources([OPEN, OPEN])
        layer.sync(["a"], [OPEN], 1)
        return [
            lambda p, **how: layer.add_source(p, **how),
            lambda p, **how: layer.add_sources([OPEN, p], **how),
            lambda p, **how: source.move(p, **how),
            lambda p, **how: layer.sources.move(ids, [OPEN, p], **how),
            lambda p, **how: layer.sync(["b", "a"], [OPEN, p], 1, **how),
            lambda p, **how: layer.deposit([OPEN, p], 1, **how),
        ]

    def test_a_wall_is_refused_unless_told(self, layer: fc.Layer) -> None:
        for call in self.calls(layer):
            with unchanged(layer), refused(OnWall, "(3.5, 2.5)", 'on_wall="nearest"', "(3.5, 1.5)"):
                call(WALL)
            call(WALL, on_wall="nearest")

    def test_off_the_map_is_refused_unless_told(self, layer: fc.Layer) -> None:
        for call in self.calls(layer):
            with unchanged(layer), refused(OutsideMap, "(9.5, 1.0)", 'outside="clamp"'):
                call(OFF)
            call(OFF, outside="clamp")

    def test_through(self, layer: fc.Layer) -> None:
        for call in self.calls(layer)[:-1]:
            call(WALL, on_wall="through")
        assert (layer.sources.cells == 2 * 9 + 3).sum() == 5
        with unchanged(layer), refused(InvalidValue, "on_wall", "'refuse', 'nearest'"):
            layer.deposit(WALL, on_wall="through")

    @pytest.mark.parametrize("policy", ["Nearest", "", None, True, "clamp"])
    def test_unknown_policies(self, layer: fc.Layer, policy: object) -> None:
        for call in self.calls(layer):
            with unchanged(layer), refused(InvalidValue, "on_wall"):
                call(OPEN, on_wall=policy)
            if policy != "clamp":
                with unchanged(layer), refused(InvalidValue, "outside"):
                    call(OPEN, outside=policy)

    def test_the_nearest_open_cell(self, layer: fc.Layer) -> None:
        source = layer.add_source(WALL, on_wall="nearest")
        assert layer.sources.cells.tolist() == [1 * 9 + 3]
        assert source.position == WALL  # as it was given

    def test_clamped_onto_a_wall(self) -> None:
        walls = np.zeros((3, 4), bool)
        walls[:, 3] = True
        layer = fc.InfluenceMap(fc.Grid(4, 3, walls=walls)).add_layer("a", fc.Spread(0.2, 0.5))
        with unchanged(layer), refused(OnWall):
            layer.add_source((99, 1.5), outside="clamp")
        layer.add_source((99, 1.5), outside="clamp", on_wall="nearest")
        assert layer.sources.cells.tolist() == [1 * 4 + 2]

    def test_walls_everywhere(self) -> None:
        imap = fc.InfluenceMap(fc.Grid(4, 3, walls=np.ones((3, 4), bool)))
        layer = imap.add_layer("a", fc.Spread(0.2, 0.5))
        with unchanged(layer), refused(OnWall, 'on_wall="through"'):
            layer.add_source(OPEN)
        with unchanged(layer), refused(OnWall, "Open a cell"):
            layer.deposit(OPEN)
        with unchanged(layer), refused(InvalidValue, "walls everywhere"):
            layer.add_source(OPEN, on_wall="nearest")
        layer.add_source(OPEN, 2, on_wall="through")
        imap.step(3)
        assert layer.values.sum() == 2

    def test_a_source_in_a_wall_acts_out_of_it(self) -> None:
        imap = fc.InfluenceMap(fc.Grid(9, 6, walls=WALLS))
        layer = imap.add_layer("a", fc.Spread(0.5, 1.0))
        source = layer.add_source(WALL, 4, on_wall="through")
        imap.step(1)
        assert layer.values[2, 3] == 4
        assert layer.values[1, 3] == layer.values[3, 3] == pytest.approx(4 * np.exp(-0.5))
        assert layer.values[2, 2] == 0
        source.move(OPEN)
        imap.step(1)
        assert layer.values[2, 3] == 0
        assert layer.values[0, 0] == 4

    def test_a_torus_takes_any_position(self) -> None:
        layer = fc.InfluenceMap(fc.Grid(9, 6, wrap=True)).add_layer("a", fc.Spread(0.2, 0.5))
        layer.add_source((-0.5, 6.5))
        assert layer.sources.cells.tolist() == [8]


class TestSync:
    def test_one_strength_for_all(self, layer: fc.Layer) -> None:
        layer.sync("xyz", [OPEN] * 3)
        assert layer.sources.strengths.tolist() == [1, 1, 1]

    def test_keys_may_be_arrays_generators_tuples(self, layer: fc.Layer) -> None:
        layer.sync(np.array([7, 8]), [OPEN] * 2)
        before = layer.sources.ids.tolist()
        layer.sync((k for k in (8, 7)), [OPEN] * 2)
        assert layer.sources.ids.tolist() == before
        layer.sync([("red", 1), ("red", 2), None], [OPEN] * 3)
        assert len(layer.sources) == 3

    def test_a_keyed_source_that_was_removed_by_hand_comes_back(self, layer: fc.Layer) -> None:
        layer.sync(["a", "b"], [OPEN] * 2)
        layer.sources.remove(layer.sources.ids[:1])
        stranger = layer.add_source(OPEN, 5)  # takes the free row
        layer.sync(["a", "b"], [(1.5, 1.5)] * 2, 2)
        assert stranger.position == OPEN
        assert sorted(layer.sources.strengths.tolist()) == [2, 2, 5]

    @pytest.mark.parametrize(
        ("keys", "positions", "strengths", "says"),
        [
            (["a"], [OPEN, OPEN], 1, "1 keys for 2 positions"),
            (["a", "b"], [OPEN], 1, "2 keys for 1 positions"),
            (["a", "a"], [OPEN, OPEN], 1, "'a' twice"),
            ([1, 1.0], [OPEN, OPEN], 1, "twice"),
            ([["a"], "b"], [OPEN, OPEN], 1, "hashable"),
            (np.zeros((2, 1)), [OPEN, OPEN], 1, "hashable"),
            (5, [OPEN], 1, "5"),
            (None, [OPEN], 1, "None"),
            (["a", "new"], [OPEN, OPEN], [1, np.nan], "nan"),
            (["a", "new"], [OPEN, (np.nan, 0)], 1, "nan"),
            (["a", "new"], [OPEN, OFF], 1, "outside"),
            (["a", "new"], [OPEN, WALL], 1, "on_wall"),
            (["a", "new"], [OPEN, OPEN], [1, 2, 3], "2"),
        ],
        ids=lambda value: str(value)[:20],
    )
    def test_refuses_and_changes_nothing(
        self, layer: fc.Layer, keys: object, positions: object, strengths: object, says: str
    ) -> None:
        layer.sync(["a", "old"], [OPEN, (1.5, 0.5)], [1, 2])
        with unchanged(layer), refused(InvalidValue, says):
            layer.sync(keys, positions, strengths)

    @pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
    def test_the_same_keys_again(self, layer: fc.Layer, dtype: Any) -> None:
        twin = fc.InfluenceMap(layer.space).add_layer("a", fc.Spread(0.2, 0.5))
        keys = ["a", "b", "c"]
        rng = np.random.default_rng(3)
        for _ in range(3):
            positions = rng.uniform(0, 2, (3, 2))
            strengths = rng.uniform(-9, 9, 3).astype(dtype)
            before = layer.steps.sources.rows.version
            layer.sync(keys, positions, strengths)
            twin.sync(iter(keys), positions.tolist(), strengths.tolist())
            assert layer.steps.sources.rows.version > before
            for mine, other in zip(state(layer), state(twin), strict=True):
                assert mine == other or mine == layer.propagation

    @pytest.mark.parametrize("number", [np.nan, np.inf, 2e30, -2e30])
    def test_wrong_strengths_of_the_same_keys_are_refused(
        self, layer: fc.Layer, number: float
    ) -> None:
        radial = fc.InfluenceMap(layer.space).add_layer("r", fc.Radial(2.0))
        places = np.array([OPEN, (1.5, 0.5)])
        for each in (layer, radial):
            each.sync(["a", "b"], places, np.array([1.0, 2.0]))
            with unchanged(each), refused(InvalidValue):
                each.sync(["a", "b"], places[::-1].copy(), np.array([3.0, number]))

    def test_too_strong_for_a_radial_layer(self, layer: fc.Layer) -> None:
        radial = fc.InfluenceMap(layer.space).add_layer("r", fc.Radial(2.0))
        places = np.array([OPEN, (1.5, 0.5)])
        radial.sync(["a", "b"], places, np.array([1.0, 2.0]))
        with unchanged(radial), refused(InvalidValue, "at most 1,048,576"):
            radial.sync(["a", "b"], places, np.array([1.0, 2.0**21]))
        rounded = 2.0**20 + 1e-3  # to float32, which is allowed
        radial.sync(["a", "b"], places, np.array([1.0, rounded]))
        assert radial.sources.strengths.tolist() == [1.0, 2.0**20]

    def test_velocities_end_with_the_next_sync(self) -> None:
        imap = fc.InfluenceMap(fc.Grid(9, 6))
        layer = imap.add_layer("a", fc.Radial(2.0), every=0.5)
        places = np.array([OPEN, (1.5, 0.5)])
        strengths = np.array([1.0, 2.0])
        layer.sync(["a", "b"], places, strengths, velocities=(1, 0))
        layer.sync(["a", "b"], places, strengths)
        layer.step(2)
        assert layer.sources.positions.tolist() == places.tolist()

    def test_a_late_repeat_among_many_is_found_at_once(self, layer: fc.Layer) -> None:
        compared = []

        class Key(int):
            __hash__ = int.__hash__

            def __eq__(self, other: object) -> bool:
                compared.append(other)
                return int(self) == other

        keys = [Key(number) for number in [*range(3_000), 2_999]]
        with unchanged(layer), refused(InvalidValue, "2999 twice"):
            layer.sync(keys, np.full((3_001, 2), 0.5))
        assert 0 < len(compared) < 3_000


class Model(RuleBasedStateMachine):
    """Sources against a plain dictionary, through any sequence of calls."""

    def __init__(self) -> None:
        super().__init__()
        self.imap = fc.InfluenceMap(fc.Grid(9, 6))
        self.layer = self.imap.add_layer("a", fc.Spread(0.2, 0.5), every=0.1)
        self.plain: dict[
            int, tuple[tuple[float, float], float, float]
        ] = {}  # id -> position, strength, end
        self.keys: dict[int, int] = {}
        self.last_keys: set[int] = set()
        self.ever: set[int] = set()
        self.rng = np.random.default_rng(0)

    def positions(self, count: int) -> np.ndarray:
        return self.rng.integers(0, 6, (count, 2)) + 0.5

    def chosen(self, count: int) -> list[int]:
        return (
            self.rng.choice(sorted(self.plain), min(count, len(self.plain)), replace=False).tolist()
            if self.plain
            else []
        )

    def born(
        self, ids: np.ndarray, positions: np.ndarray, strengths: np.ndarray, end: float
    ) -> None:
        for identity, position, strength in zip(
            ids.tolist(), positions.tolist(), strengths.tolist(), strict=True
        ):
            assert identity not in self.ever
            self.ever.add(identity)
            self.plain[identity] = (tuple(position), strength, end)

    @rule(count=st.integers(0, 20), lifetime=st.sampled_from([None, 0.1, 0.35]))
    def add(self, count: int, lifetime: float | None) -> None:
        positions, strengths = self.positions(count), self.rng.integers(-5, 6, count)
        ids = self.layer.add_sources(positions, strengths, lifetimes=lifetime)
        self.born(
            ids, positions, strengths, np.inf if lifetime is None else self.layer.time + lifetime
        )

    @rule(count=st.integers(0, 6))
    def remove(self, count: int) -> None:
        ids = self.chosen(count)
        self.layer.sources.remove(ids)
        for identity in ids:
            del self.plain[identity]

    @rule(count=st.integers(0, 6))
    def move(self, count: int) -> None:
        ids = self.chosen(count)
        positions = self.positions(len(ids))
        self.layer.sources.move(ids, positions)
        for identity, position in zip(ids, positions.tolist(), strict=True):
            self.plain[identity] = (tuple(position), *self.plain[identity][1:])

    @rule()
    def sync_again(self) -> None:
        self.sync_keys(self.last_keys)

    @rule(keys=st.sets(st.integers(0, 8)))
    def sync_keys(self, keys: set[int]) -> None:
        self.last_keys = keys
        names = list(keys)
        # A strength of its own tells which of the new sources belongs to which key.
        positions, strengths = (
            self.positions(len(names)),
            len(self.ever) + 10.0 + np.arange(len(names)),
        )
        self.layer.sync(names, positions, strengths)
        for name in [name for name in self.keys if name not in keys]:
            self.plain.pop(self.keys.pop(name), None)
        fresh = sorted(set(self.layer.sources.ids.tolist()) - set(self.plain))
        for name, position, strength in zip(
            names, positions.tolist(), strengths.tolist(), strict=True
        ):
            if self.keys.get(name) not in self.plain:
                at = [
                    i
                    for i in fresh
                    if self.layer.source(i).position == tuple(position)
                    and self.layer.source(i).strength == strength
                ]
                self.keys[name] = at[0]
                fresh.remove(at[0])
                assert at[0] not in self.ever
                self.ever.add(at[0])
            self.plain[self.keys[name]] = (tuple(position), strength, np.inf)

    @rule(count=st.integers(0, 4))
    def step(self, count: int) -> None:
        self.imap.step(count)
        now = clock.ticks("now", self.layer.time)
        self.plain = {
            i: s for i, s in self.plain.items() if s[2] == np.inf or clock.ticks("end", s[2]) > now
        }

    @rule()
    def copy(self) -> None:
        self.imap = self.imap.copy()
        self.layer = self.imap["a"]

    @invariant()
    def agrees(self) -> None:
        sources = self.layer.sources
        assert len(sources) == len(self.plain)
        found = zip(
            sources.ids.tolist(),
            sources.positions.tolist(),
            sources.strengths.tolist(),
            strict=True,
        )
        assert {i: (tuple(p), s) for i, p, s in found} == {
            i: (s[0], s[1]) for i, s in self.plain.items()
        }
        cells, strengths = sources.rows.pins("max")
        assert (np.diff(cells) > 0).all()
        held: dict[int, float] = {}
        for (x, y), strength, _ in self.plain.values():
            cell = int(y) * 9 + int(x)
            held[cell] = max(held.get(cell, strength), strength, key=lambda v: (abs(v), v))
        assert dict(zip(cells.tolist(), strengths.tolist(), strict=True)) == held


TestModel = Model.TestCase
TestModel.settings = settings(max_examples=16, stateful_step_count=30)


def test_wrong_periods_falloffs_radii_and_ids_are_refused_at_once() -> None:
    imap = fc.InfluenceMap(fc.Grid(5, 3))
    layer = imap.add_layer("a", fc.Radial(2.0))
    source = layer.add_source((1.5, 1.5), 2.0)
    twin = imap.copy()
    wrong: Any = object()
    with refused(InvalidValue):
        layer.sources.sync(["one"], [(0.5, 0.5)], 1.0, falloff=wrong)
    with refused(InvalidValue):
        layer.sources.add([(0.5, 0.5)], 1.0, falloff=wrong)
    with refused(InvalidValue, "radii"):
        layer.sources.set_radii([source.id], wrong)
    for none in ([], None):
        wrong = none
        with refused(InvalidValue, "identity"):
            layer.sources.schedule(wrong, [0.0, 1.0], [1.0, 2.0])
        with refused(InvalidValue, "identity"):
            layer.sources.follow(wrong, [(3.5, 1.5)], 1.0)
    with refused(InvalidValue, "radii"):
        layer.sources.set_radii([source.id], wrong)
    imap.step(3)
    twin.step(3)
    np.testing.assert_array_equal(layer.values, twin["a"].values)
    source.schedule([0.0, 0.1], [1.0, 4.0], period=2**70)
    imap.step(2)
    assert layer.sample((1.5, 1.5)) == 4.0
    with refused(InvalidValue, "cell is below"):
        layer.attribution(15)
    with refused(InvalidValue, "cell is a whole number"):
        layer.attribution(0.5)  # type: ignore[arg-type]
