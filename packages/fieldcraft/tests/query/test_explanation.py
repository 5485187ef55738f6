"""A value taken apart: its sources' amounts and the remainder add up to it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft import query
from fieldcraft.base.errors import InvalidValue, OutsideMap, UnknownName
from fieldcraft.layers import Layer
from fieldcraft.layers.propagation import Attribution
from fieldcraft.query import Explanation
from fieldcraft.values.exclusion import FullMap
from support.examples import examples
from support.fields import noise
from support.refusals import refused


def adds_up(found: Explanation) -> None:
    assert math.fsum(
        [*(part.amount for part in found.contributions), found.remainder]
    ) == pytest.approx(found.value, rel=1e-12, abs=1e-30)
    sizes = [abs(part.amount) for part in found.contributions]
    assert sizes == sorted(sizes, reverse=True)


def spread_layer(space: fc.Grid, **settings: object) -> Layer:
    spread = fc.Spread(**({"decay": 0.3, "momentum": 0.5} | settings))  # type: ignore[arg-type]
    return fc.InfluenceMap(space).add_layer("threat", spread)


@given(
    st.integers(0, 10**6),
    st.sampled_from(["exponential", "linear", "quadratic", "cubic"]),
    st.sampled_from([4, 8]),
    st.booleans(),
    st.sampled_from(["max", "sum"]),
)
@examples(10)
def test_a_settled_value_comes_from_the_source_that_reaches_it_most(
    seed: int, falloff: str, neighbors: int, wrap: bool, stack: str
) -> None:
    rng = np.random.default_rng(seed)
    space = fc.Grid(13, 9, walls=rng.random((9, 13)) < 0.2, neighbors=neighbors, wrap=wrap)
    layer = spread_layer(space, decay=0.2, falloff=falloff, floor=1e-4, stack=stack)
    for _ in range(4):
        strength = float(rng.normal() * 5)
        layer.add_source(
            rng.random(2) * space.size,
            strength if seed % 3 == 0 else abs(strength),
            on_wall="nearest",
        )
    layer.settle()
    alone = {}
    for identity, position, strength in zip(
        layer.sources.ids, layer.sources.positions, layer.sources.strengths, strict=True
    ):
        single = spread_layer(space, decay=0.2, falloff=falloff, floor=1e-4)
        single.add_source(position, float(strength), on_wall="nearest")
        single.settle()
        alone[int(identity)] = single.values
    sole = 0
    together = len(set(layer.sources.cells.tolist())) < 4
    for cell in np.flatnonzero(~space.walls):
        found = query.explain(layer, space.position_of(cell))
        adds_up(found)
        assert found.value == float(layer.values.flat[cell])
        if found.value == 0:
            assert found.contributions == ()
        elif not together:
            (part,) = found.contributions
            assert abs(found.remainder) <= 1e-6 * abs(found.value)
            # A source's cell and influence of the other sign bar the way: alone it may reach
            # further, never less far.
            able = [
                name
                for name, values in alone.items()
                if values.flat[cell] / found.value >= 1 - 1e-6
            ]
            assert part.source in able
            sole += len(able) == 1
            assert part.strength == np.float32(layer.sources.strengths_of([part.source])[0])
    assert together or sole > 20


def test_what_is_above_the_sources_is_in_motion() -> None:
    layer = spread_layer(fc.Grid(12, 3), momentum=0.5)
    strong = layer.add_source((2.5, 1.5), 10.0)
    weak = layer.add_source((9.5, 1.5), 2.0)
    layer.settle()
    before = query.explain(layer, (4.5, 1.5))
    assert [part.source for part in before.contributions] == [
        strong.id
    ] and before.remainder == pytest.approx(0, abs=1e-6)
    layer.deposit((4.5, 1.5), 1.0)
    found = query.explain(layer, (4.5, 1.5))
    adds_up(found)
    assert found.contributions[0].source == strong.id
    assert found.remainder == pytest.approx(1.0, abs=1e-5)
    strong.strength = 4.0
    layer.step(1)
    fading = query.explain(layer, (3.5, 1.5))
    adds_up(fading)
    assert fading.contributions[0].amount == pytest.approx(4.0 * np.exp(-0.3), rel=1e-6)
    assert fading.remainder > 0.5
    strong.remove()
    layer.step(1)
    gone = query.explain(layer, (3.5, 1.5))
    adds_up(gone)
    assert [part.source for part in gone.contributions] == [weak.id]
    assert (
        gone.contributions[0].amount == pytest.approx(2.0 * np.exp(-0.3 * 6), rel=1e-6)
        and gone.remainder > 1
    )
    layer.step(300)
    left = query.explain(layer, (3.5, 1.5))
    assert [part.source for part in left.contributions] == [weak.id]


def test_a_rising_value_is_all_the_sources() -> None:
    layer = spread_layer(fc.Grid(12, 3), momentum=0.3)
    source = layer.add_source((2.5, 1.5), -10.0)
    layer.step(6)
    found = query.explain(layer, (5.5, 1.5))
    adds_up(found)
    assert -10 * np.exp(-0.9) < found.value < 0
    assert [(part.source, part.amount) for part in found.contributions] == [
        (source.id, found.value)
    ]


def test_a_source_counts_once_it_shows() -> None:
    layer = spread_layer(fc.Grid(5, 3), momentum=1.0)
    layer.add_source((2.5, 1.5), 3.0)
    assert query.explain(layer, (2.5, 1.5)).contributions == ()
    layer.step(1)
    assert query.explain(layer, (2.5, 1.5)).contributions[0].amount == 3.0


def test_sources_in_one_cell_share_by_strength_or_the_strongest_takes_all() -> None:
    for stack, expected in (("sum", [5.0, -3.0, 2.0]), ("max", [5.0])):
        layer = spread_layer(fc.Grid(7, 3), stack=stack, decay=0.1)
        ids = layer.add_sources([(2.2, 1.5), (2.5, 1.5), (2.7, 1.1)], [5.0, -3.0, 2.0])
        layer.settle()
        found = query.explain(layer, (2.9, 1.9))
        adds_up(found)
        assert [part.amount for part in found.contributions] == expected
        away = query.explain(layer, (4.5, 1.5))
        adds_up(away)
        scale = np.exp(-0.2) * (4 if stack == "sum" else 5) / sum(expected)
        assert [part.amount for part in away.contributions] == pytest.approx(
            [amount * scale for amount in expected], rel=1e-6
        )
        assert away.contributions[0].source == ids[0]


def test_without_decay_the_source_is_found_across_the_plateau() -> None:
    layer = spread_layer(fc.Grid(15, 11, neighbors=8), decay=0.0)
    source = layer.add_source((13.5, 9.5), 2.0)
    layer.settle()
    found = query.explain(layer, (0.5, 0.5))
    assert [(part.source, part.amount) for part in found.contributions] == [(source.id, 2.0)]


def test_a_source_on_a_wall_explains_what_it_sends_through() -> None:
    walls = np.zeros((3, 7), bool)
    walls[:, 3] = True
    layer = spread_layer(fc.Grid(7, 3, walls=walls))
    source = layer.add_source((3.5, 1.5), 4.0, on_wall="through")
    layer.settle()
    for x in (2.5, 3.5, 4.5):
        found = query.explain(layer, (x, 1.5))
        assert [part.source for part in found.contributions] == [
            source.id
        ] and found.remainder == pytest.approx(0, abs=1e-6)
    wall = query.explain(layer, (3.5, 0.5))
    assert (wall.value, wall.contributions, wall.remainder) == (0.0, (), 0.0)


def test_a_layer_without_propagation_is_its_array() -> None:
    imap = fc.InfluenceMap(fc.Grid(4, 3))
    layer = imap.add_layer("height", values=np.full((3, 4), 2.5, np.float32))
    found = query.explain(layer, (1.5, 1.5))
    assert (found.value, found.contributions, found.remainder) == (2.5, (), 2.5)
    assert str(found) == "height at (1.5, 1.5): 2.5\n  +2.5  the array it carries"


class Adding:
    """A layer that accounts for itself: two sources alive, one already gone."""

    name = "control"

    def __init__(self) -> None:
        self.layer = spread_layer(fc.Grid(6, 4))
        self.ids = self.layer.add_sources([(1.5, 1.5), (3.5, 2.5)], [4.0, -7.0])
        self.space, self.sources = self.layer.space, self.layer.sources
        self.values = np.full((4, 6), -2.75, np.float32)

    def attribution(self, cell: int) -> Attribution:
        assert self.space.position_of(cell).tolist() == [2.5, 1.5]
        return Attribution(
            np.array([*self.ids, 9 + (3 << 32)]),
            np.array([1.0, -4.0, 0.125], np.float32),
            "from no source",
        )


def test_a_layer_that_accounts_for_itself() -> None:
    layer = Adding()
    found = query.explain(layer, (2.1, 1.9))
    adds_up(found)
    assert [part.amount for part in found.contributions] == [-4.0, 1.0, 0.125]
    assert [part.position for part in found.contributions[:2]] == [(3.5, 2.5), (1.5, 1.5)]
    assert [part.strength for part in found.contributions[:2]] == [-7.0, 4.0]
    assert math.isnan(found.contributions[2].strength)
    assert found.remainder == 0.125 and found.position == (2.5, 1.5) and found.cell == 8
    assert str(found).splitlines() == [
        "control at (2.5, 1.5): -2.75",
        f"      -4  source {layer.ids[1]} at (3.5, 2.5), strength -7",
        f"      +1  source {layer.ids[0]} at (1.5, 1.5), strength 4",
        f"  +0.125  source {9 + (3 << 32)}, gone",
        "  +0.125  from no source",
    ]


@pytest.mark.parametrize("blend", ["sum", "max"])
def test_radial_amounts_add_up(blend: str) -> None:
    rng = np.random.default_rng(4)
    space = fc.Grid(20, 12, walls=rng.random((12, 20)) < 0.1)
    layer = fc.InfluenceMap(space).add_layer("reach", fc.Radial(5.0, blend=blend))
    layer.add_sources(rng.random((12, 2)) * space.size, rng.normal(size=12) * 3, on_wall="nearest")
    layer.step(1)
    parts = 0
    for cell in np.flatnonzero(~space.walls):
        found = query.explain(layer, space.position_of(cell))
        adds_up(found)
        assert abs(found.remainder) <= 1e-6 * max(1.0, abs(found.value))
        parts += len(found.contributions)
    assert parts > 200


def test_sources_are_called_by_the_keys_of_sync() -> None:
    layer = fc.InfluenceMap(fc.Grid(9, 5)).add_layer("threat", fc.Radial(4.0, "linear"))
    layer.sync(["orc", ("troll", 7)], [(2.5, 2.5), (4.5, 2.5)], [1.0, 4.0])
    layer.add_source((3.5, 3.5), 0.5)
    layer.step()
    found = query.explain(layer, (3.5, 2.5))
    assert [part.key for part in found.contributions] == [("troll", 7), "orc", None]
    assert str(found).splitlines()[1:3] == [
        "      +3  ('troll', 7) at (4.5, 2.5), strength 4",
        "   +0.75  'orc' at (2.5, 2.5), strength 1",
    ]
    assert layer.source(key="orc").position == (2.5, 2.5)
    layer.source(key="orc").remove()
    with refused(UnknownName, "orc", "troll"):
        layer.source(key="orc")
    for bad in ({}, {"identity": 0, "key": "orc"}, {"key": []}):
        with refused(InvalidValue):
            layer.source(**bad)


def test_refusals() -> None:
    layer = spread_layer(fc.Grid(6, 4))
    with refused(InvalidValue, "Call it for each"):
        query.explain(layer, [(1, 1), (2, 2)])
    with refused(OutsideMap):
        query.explain(layer, (6, 1))
    assert query.explain(layer, (60, 1), outside="clamp").cell == 11
    with refused(InvalidValue, "arithmetic on layers"):
        query.explain(noise(fc.Grid(4, 3), 1), (1, 1))
    with refused(InvalidValue, "list"):
        query.explain([1, 2], (1, 1))  # type: ignore[arg-type]


def test_a_radial_layer_that_was_just_tuned_is_explained_by_its_sources() -> None:
    layer = fc.InfluenceMap(fc.Grid(20, 12)).add_layer("cover", fc.Radial(4.0))
    near = layer.add_source((5.5, 5.5), 2.0)
    layer.step()
    layer.tune(radius=6.0)
    told = fc.explain(layer, (5.5, 5.5))
    assert [(part.source, part.amount) for part in told.contributions] == [(near.id, 2.0)]
    layer.step()
    assert fc.explain(layer, (10.5, 5.5)).contributions[0].amount > 0


def mixture() -> tuple[Layer, Layer, Layer, fc.Teams]:
    """Three layers on a map that is not square, with values that overlap."""
    walls = np.zeros((7, 11), dtype=bool)
    walls[1:3, 6] = True
    imap = fc.InfluenceMap(fc.Grid(11, 7, walls=walls))
    teams = imap.add_teams(["red", "blue", "green"], fc.Radial(6.0, "linear"))
    teams["red"].add_source((2.5, 3.5), 4.0)
    teams["blue"].add_source((8.5, 3.5), 3.0)
    teams["green"].add_source((5.5, 0.5), 2.0)
    cover = imap.add_layer("cover", fc.Radial(9.0, "linear"))
    cover.add_source((5.5, 5.5), 2.0)
    imap.step()
    return teams["red"], teams["blue"], cover, teams


def test_an_expression_is_explained_by_its_maps_and_their_sources() -> None:
    """In a sum each part is what its map adds; numbers are the remainder."""
    red, blue, cover, _ = mixture()
    lead = red - blue
    found = fc.explain(3 + 2 * lead - 0.5 * cover, (4.5, 3.5))
    at = {layer.name: layer.sample((4.5, 3.5)) for layer in (red, blue, cover)}
    assert {part.name: part.value for part in found.maps} == at
    expected = {"red": 2 * at["red"], "blue": -2 * at["blue"], "cover": -0.5 * at["cover"]}
    amounts = {part.name: part.amount for part in found.maps}
    assert amounts == pytest.approx(expected, abs=1e-5)
    assert found.remainder == pytest.approx(3, abs=1e-5)
    assert [abs(each) for each in amounts.values()] == sorted(
        (abs(each) for each in amounts.values()), reverse=True
    )
    for part in found.maps:
        assert part.explanation is not None
        assert part.explanation.contributions[0].amount == pytest.approx(part.value)
    assert "red, which is" in str(found) and "source 0 at (2.5, 3.5)" in str(found)


def test_a_part_is_what_changes_without_the_map() -> None:
    """As if the map were 0 everywhere, also where a pass over the map or a range is needed, and for
    the maps of teams.
    """
    red, blue, cover, teams = mixture()
    green = teams["green"]
    place = (5.5, 1.5)
    none = red * 0
    pairs = [
        (red * cover, none * cover, red),
        (red.normalize() + cover, none.normalize() + cover, red),
        ((red - blue).smooth(2), (none - blue).smooth(2), red),
        (fc.maximum(red, cover), fc.maximum(red, none), cover),
        ((red + blue).normalize(), (none + blue).normalize(), red),
        (teams.tension(), blue + green, red),
        (teams.contested(), 2 * fc.minimum(blue, green), red),
        (teams.share("red"), none, red),
        (teams.share("red"), red / (red + green), blue),
        (fc.where(red > 1, cover, 0), none, red),
    ]
    for expression, without, removed in pairs:
        np.testing.assert_allclose(
            expression.values_without(FullMap(removed)), without.values, rtol=1e-6, atol=1e-6
        )
        found = fc.explain(expression, place)
        amounts = {part.name: part.amount for part in found.maps}
        change = expression.sample(place) - without.sample(place)
        assert amounts[removed.name] == pytest.approx(change, abs=1e-5)
        total = math.fsum([*amounts.values(), found.remainder])
        assert total == pytest.approx(found.value, abs=1e-9)
    assert red.values_without(FullMap(red)).max() == 0
    assert red.values_without(FullMap(blue)).max() > 0


def test_maps_without_sources_are_explained_too() -> None:
    red, _, _, _ = mixture()
    away = fc.distance_map(red.space, (1.5, 5.5))
    alone = fc.explain(away, (3.5, 5.5))
    assert (alone.value, alone.maps, alone.remainder) == (2.0, (), 2.0)
    assert "a map without sources" in str(alone)
    both = fc.explain(red - 0.25 * away, (3.5, 5.5))
    distance = next(part for part in both.maps if part.explanation is None)
    assert (distance.value, distance.amount) == (2.0, -0.5)
