"""Layers with `Radial`, by their public calls: exact after anything, and what they refuse."""

from __future__ import annotations

import copy
import itertools
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import fieldcraft as fc
from fieldcraft.base.errors import DeadSource, InvalidValue, OnWall, OutsideMap, WrongLayer
from fieldcraft.layers.propagation.radial import radial_field as radial_field
from fieldcraft.layers.propagation.radial import radial_updates as radial_updates
from fieldcraft.layers.propagation.radial.radial import METRICS
from fieldcraft.space.wrapping import Wrap
from support.refusals import refused, unchanged
from support.worlds import WRAPS

MOST = 2.0**20


@pytest.fixture
def imap() -> fc.InfluenceMap:
    walls = np.zeros((20, 30), dtype=bool)
    walls[4:16, 14] = True
    return fc.InfluenceMap(fc.Grid(30, 20, walls=walls))


@pytest.fixture
def layer(imap: fc.InfluenceMap) -> fc.Layer:
    return imap.add_layer("a", fc.Radial(5))


def rebuilt(layer: fc.Layer) -> np.ndarray:
    """The values of a new layer with the same live sources, added in another order."""
    fresh = fc.InfluenceMap(layer.space).add_layer("fresh", layer.propagation)
    held = layer.sources.rows
    for row in np.flatnonzero(held.alive)[::-1].tolist():
        number = int(held.falloffs[row])
        fresh.add_source(
            held.positions[row],
            float(held.strengths[row]),
            radius=float(held.radii[row]) or None,
            falloff=layer.sources.falloffs[number - 1] if number else None,
            on_wall="through",
        )
    fresh.step()
    return fresh.values


def rounded(value: float) -> np.float32:
    """To the resolution of radial layers."""
    return np.float32(round(value * 2**24) / 2**24)


def same_bits(one: np.ndarray, other: np.ndarray) -> None:
    np.testing.assert_array_equal(one, other)
    assert one.tobytes() == other.tobytes()


class TestValues:
    def test_a_change_shows_at_the_next_step(self, imap: fc.InfluenceMap, layer: fc.Layer) -> None:
        source = layer.add_source((5.5, 5.5), 2)
        assert not layer.values.any()
        imap.step()
        assert layer.values[5, 5] == 2
        source.strength = 3
        source.move((6.5, 5.5))
        assert (layer.values[5, 5], layer.values[5, 6]) == (2, rounded(2 - 2 / 25))
        imap.advance(0.1)
        assert layer.values[5, 6] == 3
        source.remove()
        imap.step()
        assert not layer.values.any()

    def test_a_source_through_a_wall_radiates_and_shows_beside_it(
        self, imap: fc.InfluenceMap, layer: fc.Layer
    ) -> None:
        with unchanged(layer), refused(OnWall, "through"):
            layer.add_source((14.5, 8.5))
        layer.add_source((14.5, 8.5), 2, on_wall="through")
        imap.step()
        assert layer.values[8, 14] == 0
        assert layer.values[8, 13] == layer.values[8, 15] == rounded(2 * 24 / 25)

    def test_radius_and_falloff_per_source(self, imap: fc.InfluenceMap, layer: fc.Layer) -> None:
        layer.add_source((5.5, 5.5), radius=2, falloff="constant")
        layer.add_source((22.5, 5.5), falloff=fc.Ring(0.0))
        ids = layer.add_sources([(5.5, 16.5), (22.5, 16.5)], [1, 2], radii=[1, 4], falloff="linear")
        imap.step()
        assert layer.values[5, 3:8].tolist() == [1] * 5
        assert layer.values[5, 8] == 0
        assert layer.values[5, 22] == 0
        assert layer.values[5, 25] == rounded(0.96)
        assert layer.values[16, 5:7].tolist() == [1, 0]
        assert layer.values[16, 22:27].tolist() == [2, 1.5, 1, 0.5, 0]
        layer.sources.set_radii(ids, 2)
        imap.step()
        assert layer.values[16, 5:8].tolist() == [1, 0.5, 0]
        assert layer.values[16, 22:25].tolist() == [2, 1, 0]

    def test_lifetimes_end(self, imap: fc.InfluenceMap, layer: fc.Layer) -> None:
        layer.add_source((5.5, 5.5), lifetime=0.25)
        layer.add_source((22.5, 5.5))
        seen = []
        for _ in range(5):
            imap.step()
            seen.append((layer.values[5, 5], layer.values[5, 22]))
        assert seen[0] == seen[1] == seen[2] == (1, 1)
        assert seen[4] == (0, 1)
        same_bits(layer.values, rebuilt(layer))

    def test_another_propagation_radiates_anew(
        self, imap: fc.InfluenceMap, layer: fc.Layer
    ) -> None:
        layer.add_sources([(5.5, 5.5), (12.5, 10.5)], [1, -2])
        imap.step()
        for other in (
            fc.Radial(7, "linear"),
            fc.Radial(7, metric="path"),
            fc.Radial(3, fc.Ring(0.5), "sight", "max"),
        ):
            layer.propagation = other
            imap.step()
            same_bits(layer.values, rebuilt(layer))
            assert layer.values.any()
        layer.every = 0.5
        imap.step()
        same_bits(layer.values, rebuilt(layer))

    def test_what_was_written_stays_whatever_moves(self, imap: fc.InfluenceMap) -> None:
        space = fc.Grid(30, 20)
        layer = fc.InfluenceMap(space).add_layer("a", fc.Radial(4))
        ids = layer.add_sources(np.full((90, 2), 5.5))
        layer.step()
        values = layer.read()
        values[19, 29] = 7
        layer.write(values)
        layer.sources.move(ids[:1], [(8.5, 5.5)])
        layer.step()
        assert layer.values[19, 29] == 7
        layer.sources.move(ids, np.full((90, 2), 12.5))  # cheaper anew, but then this would be lost
        layer.step()
        assert layer.values[19, 29] == 7
        layer.validate()
        same_bits(layer.values, rebuilt(layer))

    @pytest.mark.parametrize("metric", METRICS)
    def test_coarser_layers(self, imap: fc.InfluenceMap, metric: str) -> None:
        layer = imap.add_layer(
            "coarse", fc.Radial(6, "linear", metric=metric), cell_size=2, walls=False
        )
        layer.add_source((11, 9), 3)
        imap.step()
        assert layer.values.shape == (10, 15)
        assert layer.values[4, 5:9].tolist() == [3, 2, 1, 0]

    def test_the_strongest_sources_all_in_one_place_do_not_overflow(
        self, imap: fc.InfluenceMap
    ) -> None:
        layer = imap.add_layer("b", fc.Radial(1, "constant"))
        count = 2**18
        ids = layer.add_sources(np.full((count, 2), 5.5), MOST)
        imap.step()
        assert layer.values[5, 5] == MOST * count
        layer.sources.set_strengths(ids, -MOST)
        imap.step()
        assert layer.values[5, 5] == -MOST * count
        with refused(InvalidValue, "262,144", "262,145"):
            layer.add_source((5.5, 5.5))
        layer.sources.remove(ids)
        imap.step()
        assert not layer.values.any()


INSIDE = st.sampled_from([0.5, 0.03, 0.8])
POSITIONS = st.tuples(st.integers(0, 23), st.integers(0, 16), INSIDE, INSIDE).map(
    lambda p: (p[0] + p[2], p[1] + p[3])
)
STRENGTHS = st.sampled_from([1.0, -1.0, 0.1, -3.7, 0.0, 1e-7, MOST, -MOST])
RADII = st.sampled_from([0.5, 1.0, 3.0, 4.5, 7.0])
CURVES = st.sampled_from([None, "constant", "gaussian", fc.Ring(0.25), [1, -0.5, 0.25]])
PICK = st.integers(0, 10**6)


class Shape(NamedTuple):
    """What a source has for itself."""

    radius: float | None = None
    falloff: fc.Falloff | None = None


class RadialMachine(RuleBasedStateMachine):
    """Anything that one may do with a layer; after each step it is what a new one would be, to the
    last bit.
    """

    @initialize(
        seed=st.integers(0, 99),
        neighbors=st.sampled_from([4, 8]),
        wrap=st.sampled_from(WRAPS),
        metric=st.sampled_from(METRICS),
        blend=st.sampled_from(["sum", "max"]),
        thickness=st.sampled_from([0.0, 1.5]),
        exact=st.booleans(),
    )
    def begin(
        self,
        seed: int,
        neighbors: int,
        wrap: Wrap,
        metric: str,
        blend: str,
        thickness: float,
        exact: bool,
    ) -> None:
        walls = np.random.default_rng(seed).random((17, 24)) < 0.15
        self.imap = fc.InfluenceMap(fc.Grid(24, 17, walls=walls, neighbors=neighbors, wrap=wrap))
        self.layer = self.imap.add_layer(
            "a",
            fc.Radial(
                4,
                metric=metric,
                blend=blend,
                thickness=thickness,
                exact=exact and metric != "path",
            ),
        )
        self.model: dict[int, tuple[Any, float, Shape]] = {}
        self.keys: dict[int, int] = {}
        self.stepped = True

    def pick(self, number: int) -> int:
        return sorted(self.model)[number % len(self.model)]

    @rule(position=POSITIONS, strength=STRENGTHS, radius=st.none() | RADII, falloff=CURVES)
    def add(self, position: Any, strength: float, radius: float | None, falloff: Any) -> None:
        source = self.layer.add_source(
            position, strength, radius=radius, falloff=falloff, on_wall="through"
        )
        self.model[source.id] = (
            position,
            strength,
            Shape(radius, None if falloff is None else fc.Falloff.of(falloff)),
        )
        self.stepped = False

    @precondition(lambda self: self.model)
    @rule(number=PICK, position=POSITIONS)
    def move(self, number: int, position: Any) -> None:
        chosen = self.pick(number)
        self.layer.source(chosen).move(position, on_wall="through")
        self.model[chosen] = (position, *self.model[chosen][1:])
        self.stepped = False

    @precondition(lambda self: self.model)
    @rule(number=PICK, radius=RADII)
    def resize(self, number: int, radius: float) -> None:
        chosen = self.pick(number)
        self.layer.source(chosen).resize(radius)
        position, strength, shape = self.model[chosen]
        self.model[chosen] = (position, strength, Shape(radius, shape.falloff))
        self.stepped = False

    @precondition(lambda self: self.model)
    @rule(number=PICK, strength=STRENGTHS)
    def set_strength(self, number: int, strength: float) -> None:
        chosen = self.pick(number)
        self.layer.source(chosen).strength = strength
        position, _, shape = self.model[chosen]
        self.model[chosen] = (position, strength, shape)
        self.stepped = False

    @precondition(lambda self: self.model)
    @rule(number=PICK)
    def remove(self, number: int) -> None:
        chosen = self.pick(number)
        source = self.layer.source(chosen)
        source.remove()
        del self.model[chosen]
        with refused(DeadSource, str(chosen)):
            source.move((1, 1))
        self.stepped = False

    @rule(entities=st.dictionaries(st.integers(0, 6), st.tuples(POSITIONS, STRENGTHS), max_size=6))
    def sync(self, entities: dict[int, tuple[Any, float]]) -> None:
        before = set(self.layer.sources.ids.tolist())
        places = [place for place, _ in entities.values()]
        amounts = [amount for _, amount in entities.values()]
        self.layer.sync(list(entities), places, amounts, on_wall="through")
        for key, identity in list(self.keys.items()):
            if key not in entities or identity not in self.model:
                del self.keys[key]
                self.model.pop(identity, None)
        now = self.layer.sources.ids
        kept = dict(self.layer.sources.state()["keys"])
        for key, (position, strength) in entities.items():
            shape = self.model[self.keys[key]][2] if key in self.keys else Shape()
            assert key not in self.keys or kept[key] == self.keys[key]
            assert key in self.keys or kept[key] not in before
            self.keys[key] = kept[key]
            self.model[kept[key]] = (position, strength, shape)
        assert set(now.tolist()) == set(self.model)
        self.stepped = False

    @rule(number=PICK, blocked=st.booleans())
    def set_walls(self, number: int, blocked: bool) -> None:
        cells = np.random.default_rng(number).integers(0, 24 * 17, 3)
        self.imap.space.set_walls(cells, blocked)
        self.stepped = False

    @rule(number=PICK)
    def resist(self, number: int) -> None:
        if self.layer.propagation.metric == "path":
            dice = np.random.default_rng(number)
            smoke = dice.choice([0.0, 0.7, 5.0], (17, 24), p=[0.9, 0.05, 0.05])
            self.layer.resistance = smoke if number % 3 else None
            self.stepped = False

    @rule(count=st.integers(1, 2))
    def step(self, count: int) -> None:
        self.imap.step(count)
        self.stepped = True

    @rule()
    def copy(self) -> None:
        other, self.imap = self.imap, self.imap.copy()
        self.layer = self.imap["a"]
        same_bits(self.layer.values, other["a"].values)
        other["a"].sources.remove(other["a"].sources.ids)

    @rule()
    def save_and_load(self) -> None:
        before = self.layer.read()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "map"
            self.imap.save(path)
            self.imap = fc.InfluenceMap.load(path)
        self.layer = self.imap["a"]
        same_bits(self.layer.values, before)

    @invariant()
    def is_what_a_new_one_would_be(self) -> None:
        if not hasattr(self, "layer"):
            return
        assert set(self.layer.sources.ids.tolist()) == set(self.model)
        if not self.stepped:
            return
        fresh = fc.InfluenceMap(self.imap.space).add_layer("a", self.layer.propagation)
        for _, (position, strength, shape) in sorted(self.model.items(), reverse=True):
            fresh.add_source(
                position, strength, radius=shape.radius, falloff=shape.falloff, on_wall="through"
            )
        fresh.resistance = self.layer.resistance
        fresh.step()
        same_bits(self.layer.values, fresh.values)
        if not self.model:
            assert self.layer.values.tobytes() == bytes(self.layer.values.nbytes)


TestRadialMachine = RadialMachine.TestCase
TestRadialMachine.settings = settings(max_examples=20, stateful_step_count=30)


class TestExact:
    def test_is_chosen_when_the_layer_is_made(self) -> None:
        layer = fc.InfluenceMap(fc.Grid(5, 4)).add_layer("a", fc.Radial(3, metric="straight"))
        with refused(InvalidValue, "exact", "Add another layer"):
            layer.tune(exact=True)
        with refused(InvalidValue, "Walking distances", '"connected"'):
            fc.Radial(3, metric="path", exact=True)
        exact = fc.InfluenceMap(fc.Grid(5, 4)).add_layer("a", fc.Radial(3, exact=True))
        exact.add_source((1.2, 1.7), radius=1.0, falloff="constant")
        exact.tune(radius=2.0)
        exact.step()
        assert np.flatnonzero(exact.values).tolist() == [5, 6, 11] and exact.validate() == 0
        assert exact.strongest.tobytes() == exact.values.tobytes()
        assert "source 0 at (1.2, 1.7)" in str(fc.explain(exact, (1.5, 1.5)))

    def test_what_is_forgotten_was_used_by_nobody(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(radial_updates, "_MOST_WEIGHTS", 20_000)
        dice = np.random.default_rng(3)
        layer = fc.InfluenceMap(fc.Grid(30, 20)).add_layer(
            "a", fc.Radial(4, metric="straight", exact=True)
        )
        ids = layer.add_sources(dice.uniform(0, 20, (8, 2)), dice.uniform(-2, 2, 8), radii=4.0)
        for _ in range(12):
            layer.sources.move(dice.choice(ids, 3, replace=False), dice.uniform(0, 20, (3, 2)))
            layer.step()
        assert len(layer.steps.field.updates.footprints.shapes) <= 24
        same_bits(layer.values, rebuilt(layer))


class TestResistance:
    def test_a_door_at_a_price_in_questions_saves_and_mirrors(self, tmp_path: Path) -> None:
        hall = fc.Grid(13, 3, walls=np.arange(39).reshape(3, 13) % 13 == 6)
        hall.set_walls(hall.cell_at((6.5, 1.5)), False)
        imap = fc.InfluenceMap(hall)
        noise = imap.add_layer("noise", fc.Radial(10, "linear", metric="path"))
        noise.sync(["dog", "cat"], [(2.5, 1.5), (11.5, 1.5)], [5.0, 2.0])
        door = np.zeros(hall.shape)
        door[1, 6] = 3.0
        noise.resistance = fc.formula("door", {"door": imap.add_layer("door", values=door)})
        imap.step()
        assert noise.sample((7.5, 1.5)) == pytest.approx(
            5 * (1 - 8 / 10) + 2 * (1 - 4 / 10), abs=1e-6
        )
        assert noise.without("cat").sample((7.5, 1.5)) == pytest.approx(1.0, abs=1e-6)
        assert noise.strongest[1, 7] == pytest.approx(1.2, abs=1e-6)
        assert noise.sample((5.5, 1.5)) == pytest.approx(5 * 0.7 + 2 * (1 - 9 / 10), abs=1e-6)
        imap.save(tmp_path / "hall.map")
        for twin in (imap.copy(), fc.InfluenceMap.load(tmp_path / "hall.map")):
            twin.step()
            same_bits(twin["noise"].values, noise.values)
            assert twin["noise"].strongest.tobytes() == noise.strongest.tobytes()
            np.testing.assert_array_equal(twin["noise"].resistance, door)
        noise.resistance = None
        imap.step()
        assert noise.without("cat").sample((7.5, 1.5)) == pytest.approx(2.5, abs=1e-6)

    @pytest.mark.parametrize("metric", [metric for metric in METRICS if metric != "path"])
    def test_is_for_walks(self, metric: str) -> None:
        layer = fc.InfluenceMap(fc.Grid(5, 4)).add_layer("a", fc.Radial(3, metric=metric))
        with refused(InvalidValue, "resistance", 'metric="path"'):
            layer.resistance = np.ones((4, 5))
        walked = fc.InfluenceMap(fc.Grid(5, 4)).add_layer("a", fc.Radial(3, metric="path"))
        walked.resistance = np.ones((4, 5))
        with refused(InvalidValue, "resistance", "path"):
            walked.tune(metric=metric)
        assert walked.propagation.metric == "path"


class TestRefusals:
    @pytest.mark.parametrize("radius", [0, -1, np.nan, np.inf, -np.inf, "3", None])
    def test_radii(self, layer: fc.Layer, radius: Any) -> None:
        source = layer.add_source((5.5, 5.5))
        layer.step()
        with refused(InvalidValue, "radius"):
            fc.Radial(radius)
        with unchanged(layer):
            with refused(InvalidValue, "radi"):
                source.resize(radius)
            if radius is not None:
                with refused(InvalidValue, "radi"):
                    layer.add_source((6.5, 5.5), radius=radius)
                with refused(InvalidValue, "radi"):
                    layer.add_sources([(6.5, 5.5), (7.5, 5.5)], radii=[3, radius])
            with refused(InvalidValue, "radi"):
                layer.sources.set_radii([source.id], [radius])

    @pytest.mark.parametrize(
        ("arguments", "fragments"),
        [
            ({"falloff": "flat"}, ["'parabolic'", "'flat'"]),
            ({"falloff": lambda u: u * np.nan}, ["nan"]),
            ({"falloff": lambda u: 3 - u}, ["3.0"]),
            ({"metric": "manhattan"}, ["'path'", "'manhattan'"]),
            ({"blend": "mean"}, ["'max'", "'mean'"]),
        ],
    )
    def test_words_and_curves(
        self, layer: fc.Layer, arguments: dict[str, Any], fragments: list[str]
    ) -> None:
        with refused(InvalidValue, *fragments):
            fc.Radial(3, **arguments)
        if "falloff" in arguments:
            with unchanged(layer), refused(InvalidValue, *fragments):
                layer.add_source((5.5, 5.5), falloff=arguments["falloff"])

    @pytest.mark.parametrize(
        "strength", [np.nextafter(np.float32(MOST), np.float32(np.inf)), -2e6, 1e29]
    )
    def test_strengths_beyond_the_range(self, layer: fc.Layer, strength: float) -> None:
        source = layer.add_source((5.5, 5.5), MOST)
        layer.sync(["k"], [(6.5, 5.5)], -MOST)
        layer.step()
        calls: list[Callable[[], object]] = [
            lambda: layer.add_source((5.5, 5.5), strength),
            lambda: layer.add_sources([(5.5, 5.5), (6.5, 5.5)], [1, strength]),
            lambda: layer.sources.set_strengths([source.id], strength),
            lambda: setattr(source, "strength", strength),
            lambda: layer.sync(["k", "l"], [(7.5, 5.5), (8.5, 5.5)], [1, strength]),
        ]
        for call in calls:
            with unchanged(layer), refused(InvalidValue, "1,048,576"):
                call()

    def test_too_many_sources(self, layer: fc.Layer) -> None:
        layer.add_sources(np.full((2**18 - 1, 2), 5.5))
        with unchanged(layer), refused(InvalidValue, "262,144"):
            layer.add_sources([(5.5, 5.5)] * 2)
        with unchanged(layer), refused(InvalidValue, "262,144"):
            layer.sync(["a", "b"], [(5.5, 5.5)] * 2)
        layer.sync(["a"], [(5.5, 5.5)])

    def test_a_sync_of_as_many_again_is_not_too_many(self, layer: fc.Layer) -> None:
        keys, places = list(range(140_000)), np.full((140_000, 2), 5.5)
        layer.sync(keys, places)
        layer.sync(keys, places + 1)
        layer.sync([key + 70_000 for key in keys], places)
        assert len(layer.sources) == 140_000

    def test_moves_off_the_map_and_into_walls(self, layer: fc.Layer) -> None:
        ids = layer.add_sources([(5.5, 5.5), (6.5, 5.5)])
        with unchanged(layer), refused(OutsideMap, "index 1"):
            layer.sources.move(ids, [(1, 1), (30, 1)])
        with unchanged(layer), refused(OnWall, "index 1"):
            layer.sources.move(ids, [(1, 1), (14.5, 8.5)])
        with unchanged(layer), refused(InvalidValue, "Each id comes once"):
            layer.sources.move([ids[0], ids[0]], [(1, 1), (2, 2)])
        with unchanged(layer), refused(InvalidValue, "3 positions for 2"):
            layer.sources.move(ids, [(1, 1), (2, 2), (3, 3)])

    def test_deposits(self, layer: fc.Layer) -> None:
        layer.add_source((5.5, 5.5))
        layer.step()
        with unchanged(layer), refused(WrongLayer, "Radial"):
            layer.deposit((5.5, 5.5), 1)

    def test_radii_are_for_radial_layers(self, imap: fc.InfluenceMap) -> None:
        layer = imap.add_layer("s", fc.Spread(0.2, 0.5))
        source = layer.add_source((5.5, 5.5))
        layer.step()
        calls: list[Callable[[], object]] = [
            lambda: source.resize(3),
            lambda: layer.sources.set_radii([source.id], 3),
        ]
        for call in calls:
            with unchanged(layer), refused(InvalidValue, "Radial"):
                call()

    def test_a_layer_keeps_its_kind(self, imap: fc.InfluenceMap, layer: fc.Layer) -> None:
        with unchanged(layer), refused(InvalidValue, "Radial"):
            layer.propagation = fc.Spread(0.2, 0.5)

    def test_radii_that_would_take_too_much_memory(self) -> None:
        imap = fc.InfluenceMap(fc.Grid(2002, 2, cell_size=0.5))
        layer = imap.add_layer("a", fc.Radial(3))
        source = layer.add_source((5.5, 0.5))
        calls: list[Callable[[], object]] = [
            lambda: layer.add_source((5.5, 0.5), radius=1000.5),
            lambda: source.resize(1e300),
            lambda: setattr(layer, "propagation", fc.Radial(1000.5)),
        ]
        for call in calls:
            with unchanged(layer), refused(InvalidValue, "below 1000.5"):
                call()
        with refused(InvalidValue, "below 1000.5"):
            imap.add_layer("b", fc.Radial(1000.5))
        assert "b" not in imap
        layer.step()
        assert layer.values.max() == 1


class TestRadiiThatChange:
    @pytest.mark.parametrize("metric", METRICS)
    def test_cells_of_a_tenth_are_counted_as_meant(self, metric: str) -> None:
        imap = fc.InfluenceMap(fc.Grid(9, 8, cell_size=0.1))
        layer = imap.add_layer("a", fc.Radial(0.3, "constant", metric))
        layer.add_source((0.45, 0.45))
        imap.step()
        assert layer.values[4].tolist() == [0, 1, 1, 1, 1, 1, 1, 1, 0]

    def test_sync_gives_radii_and_falloffs_and_keeps_them(
        self, imap: fc.InfluenceMap, layer: fc.Layer
    ) -> None:
        there = [(5.5, 5.5), (22.5, 5.5)]
        layer.sync(["a", "b"], there, 2, radii=[1, 4], falloff="constant")
        imap.step()
        expected = layer.read()
        assert np.count_nonzero(expected) == 5 + 49
        layer.sync(["a", "b"], there, 2)
        imap.step()
        np.testing.assert_array_equal(layer.values, expected)
        layer.sync(["b", "a"], there[::-1], 2, radii=1.5)
        imap.step()
        assert np.count_nonzero(layer.values) == 9 + 9
        same_bits(layer.values, rebuilt(layer))
        with unchanged(layer), refused(InvalidValue, "radii", "0"):
            layer.sync(["a", "new"], there, 2, radii=[1, 0])

    def test_a_falloff_with_the_number_of_another_one_before(
        self, imap: fc.InfluenceMap, layer: fc.Layer
    ) -> None:
        """Numbers of falloffs that no source has are given anew."""
        curves = [[1.0, share, 0.0] for share in np.linspace(0.1, 0.9, 6).tolist()]
        for curve in curves[:2]:
            layer.sync(["a"], [(5.5, 5.5)], 2, radii=4, falloff=curve)
        imap.step()
        for curve in curves[2:]:
            layer.add_source((22.5, 5.5), falloff=curve).remove()
        layer.sync(["a"], [(5.5, 5.5)], 2, radii=4, falloff=curves[-1])
        imap.step()
        same_bits(layer.values, rebuilt(layer))

    def test_sources_with_radii_that_are_gone_at_the_first_step(
        self, imap: fc.InfluenceMap, layer: fc.Layer
    ) -> None:
        layer.add_source((5.5, 5.5), radius=2).remove()
        imap.step()
        assert not layer.values.any()

    def test_radii_that_change_each_tick_are_forgotten(
        self, imap: fc.InfluenceMap, layer: fc.Layer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(radial_updates, "_MOST_WEIGHTS", 5_000)
        rng = np.random.default_rng(2)
        teams = imap.add_teams(["one", "two"], fc.Radial(3))
        ids = layer.add_sources(rng.uniform(3, 13, (5, 2)), 2.0)
        team = teams["one"].add_sources(rng.uniform(3, 13, (5, 2)), 1.0)
        for _ in range(100):
            layer.sources.set_radii(ids[:4], rng.uniform(0.5, 9, 4))
            teams["one"].sources.set_radii(team[:4], rng.uniform(0.5, 9, 4))
            teams["two"].sync(
                range(3), rng.uniform(3, 13, (3, 2)), 1.0, radii=rng.uniform(0.5, 9, 3)
            )
            imap.step()
            teams.owner(by="source")
        field = layer.steps.field
        assert isinstance(field, radial_field.RadialField)
        assert field.updates.footprints.size < 12_000
        for name in imap:
            same_bits(imap[name].values, rebuilt(imap[name]))
        fresh = fc.InfluenceMap(imap.space).add_teams(["one", "two"], fc.Radial(3))
        for name, other in fresh.layers.items():
            sources = teams[name].sources
            radii = np.where(sources.rows.radii, sources.rows.radii, 3.0)[sources.rows.alive]
            other.add_sources(sources.positions, sources.strengths, radii=radii)
            other.step()
        np.testing.assert_array_equal(teams.owner(by="source"), fresh.owner(by="source"))


@pytest.mark.parametrize("metric", ["straight", "connected", "sight"])
@pytest.mark.parametrize("space", [fc.Grid(5, 1), fc.HexGrid(5, 1), fc.Grid(5, 1).to_graph()])
def test_an_exact_source_in_a_wall_acts_from_the_nearest_open_cell(
    space: fc.space.Space, metric: str
) -> None:
    space = copy.deepcopy(space)
    space.set_walls([0])
    layers = []
    for cell in (0, 1):
        layer = fc.InfluenceMap(space).add_layer("a", fc.Radial(3.0, "linear", metric, exact=True))
        layer.add_source(space.position_of(cell), 8.0, on_wall="nearest")
        layer.step()
        layers.append(layer)
    assert layers[1].values.reshape(-1)[1] == 8
    np.testing.assert_array_equal(layers[0].values, layers[1].values)


def test_an_exact_source_off_the_map_acts_from_the_rim() -> None:
    layer = fc.InfluenceMap(fc.Grid(4, 1)).add_layer("a", fc.Radial(2.0, "linear", exact=True))
    layer.add_source((-3.0, 0.5), 8.0, outside="clamp")
    layer.step()
    np.testing.assert_allclose(layer.values, [[6, 2, 0, 0]])


def test_a_copy_with_a_source_that_has_expired_steps() -> None:
    grid = fc.Grid(walls=np.arange(24).reshape(6, 4) == 9)
    imap = fc.InfluenceMap(grid)
    layer = imap.add_layer("a", fc.Radial(0.5, metric="connected"), every=0.1)
    layer.add_source((0.5, 0.5), 2.0, lifetime=0.3)
    imap.step(4)
    twin = copy.deepcopy(imap)
    twin.step()
    assert not twin["a"].values.any()


def filled(metric: str, blend: str, **options: float) -> tuple[fc.InfluenceMap, fc.Layer]:
    rng = np.random.default_rng(0)
    imap = fc.InfluenceMap(fc.generate_map("cave", 50, 35, seed=2, neighbors=8))
    layer = imap.add_layer("a", fc.Radial(6, metric=metric, blend=blend), **options)
    open_cells = np.flatnonzero(~imap.space.walls.reshape(-1))
    layer.add_sources(imap.space.position_of(rng.choice(open_cells, 20)), rng.random(20) * 4 - 1)
    imap.step()
    return imap, layer


def sweep(layer: fc.Layer, cells: int = 500, **options: float) -> int:
    return sum(layer.validate(cells, **options) for _ in range(-(-35 // (cells // 50 // 8 * 8))))


@pytest.mark.parametrize("blend", ["sum", "max"])
@pytest.mark.parametrize("metric", METRICS)
def test_a_right_layer_is_found_right_and_a_wrong_one_mended(metric: str, blend: str) -> None:
    _, layer = filled(metric, blend)
    truth = layer.read()
    assert sweep(layer) == 0
    layer.write(np.random.default_rng(1).random((35, 50)))
    wrong = np.count_nonzero(layer.values != truth)
    assert sweep(layer) == wrong > 500
    np.testing.assert_array_equal(layer.values, truth)
    assert sweep(layer) == 0


def test_one_slice_is_mended_at_a_time() -> None:
    _, layer = filled("connected", "sum")
    truth = layer.read()
    layer.write(truth + 1)
    layer.validate(8 * 50)
    np.testing.assert_array_equal(layer.values[:8], truth[:8])
    assert (layer.values[8:][~layer.space.walls[8:]] != truth[8:][~layer.space.walls[8:]]).all()


def test_at_a_rate_cells_come_nearer_and_arrive() -> None:
    imap, layer = filled("connected", "sum")
    truth = layer.read()
    layer.write(np.where(layer.space.walls, 0, truth + 3))
    away = [3.0]
    while layer.validate(10**6, rate=5):
        away.append(float(np.abs(layer.values - truth).max()))
        imap.step()
    assert len(away) > 5
    assert all(later <= earlier + 1e-5 for earlier, later in itertools.pairwise(away))
    assert max(earlier - later for earlier, later in itertools.pairwise(away)) <= 5 * 0.1 + 1e-5
    np.testing.assert_array_equal(layer.values, truth)


def test_sources_that_change_meanwhile_are_followed() -> None:
    imap, layer = filled("path", "sum")
    layer.write(np.ones((35, 50)))
    layer.sources.remove(layer.sources.ids)
    imap.step()
    sweep(layer)
    assert not layer.values.any()


def test_refuses() -> None:
    imap, layer = filled("connected", "sum")
    with pytest.raises(fc.FieldcraftError, match="rate"):
        layer.validate(rate=-1)
    with pytest.raises(fc.FieldcraftError, match="max_cells"):
        layer.validate(0)
    with pytest.raises(fc.FieldcraftError, match="1,048,576"):
        layer.write(np.full((35, 50), 1e9))
    with pytest.raises(fc.FieldcraftError, match="settle"):
        imap.add_layer("b", fc.Spread(0.1, 0.5)).validate()
