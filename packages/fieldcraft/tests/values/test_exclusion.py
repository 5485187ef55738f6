"""A call with `without=` answers as if the sources of each agent had never been there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels import compiled
from fieldcraft.values.operand import Operand
from support.refusals import refused
from support.tiers import plain as uncompiled
from support.worlds import KINDS

NAMES = ("threat", "safety", "noise")
KEYS = ("ann", "bob", ("red", 3), 7)

# Each on the layers by name, and on the maps of two teams.
FORMULAS = [
    "threat",
    "threat - 0.5 * safety",
    "1 - threat",
    "fc.where(threat > 1, noise, fc.minimum(threat, safety))",
    "abs(threat) + noise / 2 - heat",
    "(threat + safety).normalize() - noise.invert()",
    "np.sqrt(abs(threat)) * 2",
    "teams.share('threat') - teams.contested()",
    "teams.influence('safety') + teams.vulnerability()",
    "teams.owner()",
    "teams.owner(margin=0.5)",
]


def propagation(dice: np.random.Generator, space: fc.Space) -> Any:
    """A random propagation that spreads at once."""
    if dice.random() < 0.3:
        return fc.Spread(decay=0.4, momentum=1.0)
    metrics = ["straight", "connected", "path", "sight"]
    metric = str(dice.choice(metrics))
    radial = {
        "radius": float(dice.choice([0.8, 2.0, 3.5])),
        "falloff": str(dice.choice(["linear", "parabolic"])),
        "blend": str(dice.choice(["sum", "sum", "max"])),
        "thickness": float(dice.choice([0.0, 1.0])),
        "exact": bool(dice.random() < 0.2) and metric != "path",
    }
    try:
        return fc.InfluenceMap(space).add_layer("try", fc.Radial(**radial, metric=metric)) and (
            fc.Radial(**radial, metric=metric)
        )
    except fc.FieldcraftError:
        return fc.Radial(**radial, metric="straight")


class World:
    """A map with three layers of sources with keys, one of an array, and two teams."""

    def __init__(self, kind: str, seed: int) -> None:
        self.dice = np.random.default_rng(seed)
        self.space = KINDS[kind](self.dice)
        self.imap = fc.InfluenceMap(self.space)
        self.free = np.flatnonzero(~self.space.walls.reshape(-1))
        for name in NAMES:
            self.imap.add_layer(name, propagation(self.dice, self.space))
        heat = self.dice.random(self.space.shape).astype(np.float32)
        heat[self.space.walls] = 0
        self.imap.add_layer("heat", values=heat)
        for name in NAMES:
            self.imap[name].add_source(self.place(), 1.5)
        for _ in range(3):
            for name in NAMES:
                keys = [key for key in KEYS if self.dice.random() < 0.7] + ["all"]
                places = [self.place() for _ in keys]
                self.imap[name].sync(keys, places, self.dice.normal(size=len(keys)) * 3)
            self.imap.step()
        for name in NAMES:
            if isinstance(self.imap[name].propagation, fc.Spread):
                self.imap[name].settle()

    def place(self) -> Any:
        return self.space.position_of(int(self.dice.choice(self.free)))

    def without(self, key: object) -> fc.InfluenceMap:
        """A map of arrays: those of new layers that never had the sources of a key."""
        twin = fc.InfluenceMap(self.space)
        for name, layer in self.imap.layers.items():
            values = layer.values
            if name != "heat" and key is not None and key in layer.sources.keys:
                never = self.imap.copy()[name]
                never.source(key=key).remove()
                never.step()
                never.settle()
                values = never.values
            twin.add_layer(name, values=values)
        return twin


def read(text: str, imap: fc.InfluenceMap) -> Any:
    names = dict(imap.layers) | {"teams": fc.Teams(imap, ["threat", "safety"]), "fc": fc, "np": np}
    return eval(text, names)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    kind=st.sampled_from(sorted(KINDS)),
    text=st.sampled_from(FORMULAS),
    walk=st.booleans(),
)
def test_answers_are_those_of_maps_that_never_had_the_sources(seed, kind, text, walk):
    world = World(kind, seed)
    dice = world.dice
    keys = [*dice.permutation(np.array([*KEYS, "all", None], dtype=object)), "all"]
    layer = read(text, world.imap)
    keys = [key for key in keys if key is None or key in all_keys(layer)]
    places = np.array([world.place() for _ in keys])
    options: dict[str, Any] = {"count": int(dice.integers(1, 4)), "none": "stay"}
    if walk:
        options["walk"] = 2.5
    if dice.random() < 0.3:
        options["spacing"] = 1.2
    radius = float(dice.choice([0.6, 1.5, 3.0]))

    def lottery() -> dict[str, Any]:
        return {"within": 0.3, "rng": np.random.default_rng(seed)}

    mine = fc.best(layer, places, radius, **options, without=keys)
    drawn = fc.best(layer, places, radius, **options, **lottery(), without=keys)
    draws = np.random.default_rng(seed).random((len(keys), options["count"]))
    sampled = fc.sample(layer, places, without=keys)
    everywhere = world.space.position_of(np.arange(len(world.space)))
    if keys:
        everything = fc.sample(layer, everywhere, without=keys[-1])
        never = read(text, world.without(keys[-1]))
        np.testing.assert_array_equal(everything, fc.sample(never, everywhere))
    for i, key in enumerate(keys):
        never = read(text, world.without(key))
        one = places[i]
        other = fc.best(never, one, radius, **options)
        np.testing.assert_array_equal(mine.cells[i], other.cells)
        np.testing.assert_array_equal(mine.values[i], other.values)
        np.testing.assert_array_equal(mine.found[i], other.found)
        assert sampled[i] == fc.sample(never, one)
        fixed = FixedDraws(draws[i : i + 1])
        other = fc.best(never, one, radius, **options, within=0.3, rng=fixed)
        np.testing.assert_array_equal(drawn.cells[i], other.cells)
        single = fc.best(layer, one, radius, **options, without=key)
        np.testing.assert_array_equal(single.cells, mine.cells[i])
        np.testing.assert_array_equal(single.values, mine.values[i])
        high = fc.peaks(layer, without=key, threshold=-9)
        np.testing.assert_array_equal(high.cells, fc.peaks(never, threshold=-9).cells)
        np.testing.assert_array_equal(high.values, fc.peaks(never, threshold=-9).values)
        if not isinstance(never, Operand):
            continue
        assert fc.explain(layer, one, without=key).value == fc.explain(never, one).value


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    kind=st.sampled_from(sorted(KINDS)),
    text=st.sampled_from(FORMULAS),
    walk=st.booleans(),
    within=st.booleans(),
    none=st.sampled_from(["nan", "stay"]),
)
def test_random_and_reserved_cells_are_those_of_maps_that_never_had_the_sources(
    seed, kind, text, walk, within, none
):
    world = World(kind, seed)
    layer = read(text, world.imap)
    keys = [key for key in (*KEYS, "all", None) if key is None or key in all_keys(layer)]
    if all(key is None for key in keys):
        return
    places = np.array([world.place() for _ in keys])
    options: dict[str, Any] = {"none": none}
    if walk:
        options["walk"] = 2.5
    above = float(world.dice.choice([-1.0, 0.0, 0.5]))
    nevers = [read(text, world.without(key)) for key in keys]
    dice = np.random.default_rng(seed)
    each = np.random.default_rng(seed)
    picked = fc.pick(layer, places, 2.5, rng=dice, above=above, count=2, without=keys, **options)
    sampled = layer.sample(places, without=keys)
    np.testing.assert_array_equal(sampled, fc.sample(layer, places, without=keys))
    reserved = fc.query.Reservations(world.space, spacing=1.2)
    by_one = fc.query.Reservations(world.space, spacing=1.2)
    for worst in (False, True):
        lottery = {"within": 0.3, "rng": dice} if within else {}
        verb = "worst" if worst else "best"
        names = list(range(len(keys)))
        held = getattr(reserved, verb)(
            layer, places, 2.5, agents=names, without=keys, **lottery, **options
        )
        for i, never in enumerate(nevers):
            if not worst:
                one = fc.pick(never, places[i], 2.5, rng=each, above=above, count=2, **options)
                np.testing.assert_array_equal(picked.cells[i], one.cells)
                np.testing.assert_array_equal(picked.values[i], one.values)
                assert layer.sample(places[i], without=keys[i]) == sampled[i]
        by_one.clear()
        for i, never in enumerate(nevers):
            lottery = {"within": 0.3, "rng": each} if within else {}
            one = getattr(by_one, verb)(never, places[i], 2.5, agents=i, **lottery, **options)
            assert held.cells[i] == one.cells
            np.testing.assert_array_equal(held.values[i], one.values)


class FixedDraws(np.random.Generator):
    """A generator that draws given numbers."""

    def __init__(self, draws: Any) -> None:
        super().__init__(np.random.PCG64(0))
        self._draws = draws

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        assert size == self._draws.shape
        return self._draws


def all_keys(layer: Any) -> set[object]:
    """The keys of the layers that a map is made of."""
    leaves = getattr(layer, "leaves", None) or getattr(layer, "maps", (layer,))
    return {key for leaf in leaves if hasattr(leaf, "sources") for key in leaf.sources.keys}


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), kind=st.sampled_from(sorted(KINDS)))
def test_values_between_cells_are_those_without_the_sources(seed, kind):
    world = World(kind, seed)
    shaking = world.dice.random((4, world.space.dimensions)) - 0.5
    places = np.array([world.place() for _ in range(4)]) + 0.5 * shaking
    text = "threat - 0.5 * safety"
    keys = ["all", "all", None, "all"]
    layer = read(text, world.imap)
    mine = fc.sample(layer, places, how="bilinear", outside="clamp", without=keys)
    for place, key, value in zip(places, keys, mine, strict=True):
        never = read(text, world.without(key))
        assert value == fc.sample(never, place, how="bilinear", outside="clamp")


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), kind=st.sampled_from(["grid", "torus", "y up", "one way"]))
def test_windows_are_those_without_the_sources(seed, kind):
    world = World(kind, seed)
    text = "fc.maximum(threat, 0) - 0.5 * safety"
    keys = ["all", None]
    places = np.array([world.place() for _ in keys])
    layer = read(text, world.imap)
    radius = min(world.space.shape) / 2 * world.space.cell_size - 0.5
    if radius <= 0:
        return
    mine = fc.window(layer, places, radius, without=keys)
    for i, key in enumerate(keys):
        never = fc.window(read(text, world.without(key)), places[i], radius)
        np.testing.assert_array_equal(mine.values[i], never.values)
        np.testing.assert_array_equal(mine.inside[i], never.inside)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), kind=st.sampled_from(["grid", "torus", "y up", "one way"]))
def test_observations_are_those_without_the_sources(seed, kind):
    world = World(kind, seed)
    texts = "fc.maximum(threat, 0) - 0.5 * safety", "noise", "1 - threat"
    keys = [None, "all", "all"]
    places = np.array([world.place() for _ in keys])
    maps = [read(text, world.imap) for text in texts]
    maps.append(fc.LastSeen(world.space, unseen=3.0))
    mine = fc.observe(maps, places, (3, 7), without=keys)
    for i, key in enumerate(keys):
        never = [read(text, world.without(key)) for text in texts]
        np.testing.assert_array_equal(mine[[i], :3], fc.observe(never, places[i], (3, 7)))
        np.testing.assert_array_equal(mine[[i], 3:], fc.observe(maps[3:], places[i], (3, 7)))
    assert mine.flags.c_contiguous and mine.dtype == np.float32
    alone = fc.observe(maps, places[1], (3, 7), without="all")
    np.testing.assert_array_equal(alone, mine[1:2])


@pytest.mark.skipif(not compiled(), reason="the compiled kernels are not in use here")
@pytest.mark.parametrize("wrap", [False, True])
def test_compiled_kernels_give_the_bits_of_their_text(wrap):
    dice = np.random.default_rng(5)
    grid = fc.Grid(walls=dice.random((11, 16)) < 0.1, wrap=wrap, neighbors=8)
    imap = fc.InfluenceMap(grid)
    free = grid.position_of(dice.choice(np.flatnonzero(~grid.walls.reshape(-1)), 12))
    for name, metric in (("threat", "straight"), ("safety", "connected")):
        layer = imap.add_layer(name, fc.Radial(3.5, metric=metric))
        layer.sync(range(12), free, dice.normal(size=12))
    imap.step()
    total = imap["threat"] - 0.5 * imap["safety"]
    found = fc.best(total, free, 3, count=2, without=range(12))
    with uncompiled():
        slow = fc.best(total, free, 3, count=2, without=range(12))
    np.testing.assert_array_equal(found.cells, slow.cells)
    np.testing.assert_array_equal(found.values, slow.values)


def guards() -> tuple[fc.InfluenceMap, list[str]]:
    imap = fc.InfluenceMap(fc.Grid(9, 5))
    for name in ("allies", "fear"):
        layer = imap.add_layer(name, fc.Radial(3, "linear"))
        layer.sync(["me", "you"], [(2.5, 2.5), (6.5, 2.5)], [1.0, 2.0])
    imap.step()
    return imap, ["me", "you"]


@pytest.mark.parametrize("wrap", [False, "x", True])
@pytest.mark.parametrize("metric", ["straight", "connected", "path", "sight"])
@pytest.mark.parametrize("far", [1.0, 4.0, 9.0])
def test_rectangles_around_agents_lose_the_parts_of_footprints_in_them(metric, wrap, far):
    """The sources are in other places than the agents, within the rectangles and beyond."""
    dice = np.random.default_rng([31, int(far)])
    walls = dice.random((23, 37)) < 0.06
    grid = fc.Grid(walls=walls, neighbors=8, wrap=wrap)
    imap = fc.InfluenceMap(grid)
    layers = [imap.add_layer(name, fc.Radial(5, "linear", metric=metric)) for name in "ab"]
    keys = [f"u{number}" for number in range(20)]
    places = grid.position_of(dice.choice(np.flatnonzero(~walls), 60)).reshape(3, 20, 2)
    layers[0].sync(keys, places[0], dice.normal(size=20), radii=dice.uniform(0.4, 7, 20))
    layers[1].sync(keys[:12], places[1, :12], dice.normal(size=12))
    imap.step()
    for scores in (layers[0], 2 * layers[0] - layers[1] + 0.25):
        others = [fc.sample(scores, grid.positions, without=key) for key in keys]
        chosen = fc.best(scores, places[2], far, without=keys, count=2, spacing=2)
        for i in range(len(keys)):
            array = others[i].reshape(grid.shape)
            alone = fc.best(array, places[2, i], far, count=2, spacing=2, space=grid)
            np.testing.assert_array_equal(chosen.cells[i], alone.cells)
            np.testing.assert_array_equal(chosen.values[i], alone.values)


def test_keys_are_names_of_sync_handles_and_ids():
    imap, keys = guards()
    allies = imap["allies"]
    places = [(2.5, 2.5), (6.5, 2.5)]
    wanted = fc.sample(allies, places, without=keys)
    assert wanted.tolist() == [0.0, 0.0]
    assert fc.sample(allies, places).tolist() == [1.0, 2.0]
    handles = [allies.source(key=key) for key in keys]
    ids = allies.sources.ids
    for others in (handles, ids, ids.tolist(), np.array(keys), tuple(keys)):
        np.testing.assert_array_equal(fc.sample(allies, places, without=others), wanted)
    assert fc.sample(allies, (2.5, 2.5), without="me") == 0
    assert fc.sample(allies, (2.5, 2.5), without=handles[0]) == 0
    assert fc.sample(allies, places, without="me").tolist() == [0.0, 2.0]
    assert fc.sample(allies, places, without=[None, "you"]).tolist() == [1.0, 0.0]
    assert fc.sample(allies, places, without=[None, None]).tolist() == [1.0, 2.0]
    # A handle leaves out a source of its own layer.
    both = fc.sample(allies + imap["fear"], (2.5, 2.5), without=handles[0])
    assert both == fc.sample(imap["fear"], (2.5, 2.5))


def test_a_key_that_one_layer_lacks_leaves_out_nothing_of_it():
    imap, _ = guards()
    imap["fear"].sync(["you"], [(6.5, 2.5)], [2.0])
    imap.step()
    total = imap["allies"] + imap["fear"]
    assert fc.sample(total, (6.5, 2.5), without="me") == 4.0
    assert fc.sample(total, (2.5, 2.5), without="me") == 0.0


def test_keys_that_no_layer_has_are_refused():
    imap, keys = guards()
    allies = imap["allies"]
    place = (2.5, 2.5)
    for wrong in ("nobody", 99, ("me", 1), True):
        with refused(InvalidValue, "no layer of allies has"):
            fc.best(allies, place, 3, without=wrong)
    with refused(InvalidValue, "Got 'nobody', which no layer of allies, 2 * fear has"):
        fc.observe([allies, 2 * imap["fear"]], place, 3, without="nobody")
    with refused(InvalidValue, "one key for each position"):
        fc.observe([allies], [place, place, place], 3, without=keys)
    with refused(InvalidValue, "one key for each position"):
        fc.best(allies, [place, place, place], 3, without=keys)
    with refused(InvalidValue, "hashable"):
        fc.best(allies, place, 3, without=["me"])
    with refused(
        InvalidValue, "A key in without is hashable", "Got ['me']", "for one position, one key"
    ):
        fc.best(allies, [place], 3, without=[["me"]])
    with refused(InvalidValue, "handle"):
        fc.best(allies + imap["fear"], place, 3, without=0)
    with refused(InvalidValue, "Pass the layer"):
        fc.best(allies.values, place, 3, space=imap.space, without="me")
    gone = allies.source(key="me")
    gone.remove()
    with refused(InvalidValue, "no layer of allies has"):
        fc.sample(allies, place, without=gone)
    other = imap.copy()["allies"].source(key="you")
    with refused(InvalidValue, "no layer of allies has"):
        fc.sample(allies, place, without=other)


def test_a_layer_shows_its_last_step_until_the_next():
    imap, _ = guards()
    allies = imap["allies"]
    allies.sync(["me", "you", "new"], [(7.5, 0.5), (6.5, 2.5), (2.5, 2.5)], [1.0, 2.0, 5.0])
    # Nothing of this shows yet: "me" is where it was, and "new" is not there.
    assert fc.sample(allies, (2.5, 2.5), without="me") == 0
    assert fc.sample(allies, (2.5, 2.5), without="new") == 1
    imap.step()
    assert fc.sample(allies, (2.5, 2.5), without="me") == 5
    assert fc.sample(allies, (2.5, 2.5), without="new") == 0


def test_a_source_in_the_place_of_another_is_not_there_before_the_next_step():
    imap, _ = guards()
    allies = imap["allies"]
    allies.sync(["you", "late"], [(6.5, 2.5), (2.5, 2.5)], [2.0, 4.0])
    assert fc.sample(allies, (2.5, 2.5), without="late") == 1


def test_written_values_stay():
    imap, _ = guards()
    allies = imap["allies"]
    allies.write(allies.values + 3)
    assert fc.sample(allies, (2.5, 2.5), without="me") == 3
    copied = imap.copy()["allies"]
    assert fc.sample(copied, (2.5, 2.5), without="me") == 3


def test_forecasts_are_of_layers_without_the_source():
    imap, _ = guards()
    allies = imap["allies"]
    allies.source(key="me").move((2.5, 2.5), velocity=(1, 0))
    allies.source(key="you").move((6.5, 2.5), velocity=(-1, 0))
    later = allies.at(2.0)
    places = [(4.5, 2.5), (3.5, 2.5)]
    assert fc.sample(later, places).tolist() == pytest.approx([3, 2])
    assert fc.sample(later, places, without="me").tolist() == pytest.approx([2, 4 / 3])
    fog = fc.InfluenceMap(fc.Grid(4, 1)).add_layer("fog", fc.Spread(0.5, 1.0))
    fog.sync(["me", "you"], [(0.5, 0.5), (3.5, 0.5)], [8.0, 2.0])
    never = fc.InfluenceMap(fog.space).add_layer("fog", fc.Spread(0.5, 1.0))
    never.add_source((3.5, 0.5), 2.0)
    never.settle()
    centers = fog.space.position_of(np.arange(4))
    found = fc.sample(fog.at(0.1), centers, without="me")
    np.testing.assert_array_equal(found, never.values[0])


def test_maps_without_sources_lose_another_one():
    imap, _ = guards()
    allies = imap["allies"]
    allies.sync(["me", "you", "they"], [(2.5, 2.5), (3.5, 2.5), (4.5, 2.5)])
    imap.step()
    some = allies.without("they")
    places = [(2.5, 2.5), (3.5, 2.5)]
    found = fc.sample(some, places, without=["me", "you"])
    np.testing.assert_array_equal(found, [allies.without("they", "me").sample(places[0])] * 2)


def test_owners_by_the_strongest_source():
    imap = fc.InfluenceMap(fc.Grid(6, 1))
    teams = imap.add_teams(["red", "blue"], fc.Radial(3, "constant"))
    teams["red"].sync([1, 2, 4], [(1.5, 0.5), (2.5, 0.5), (2.5, 0.5)], [1.5, 1.5, 3.0])
    teams["blue"].sync([3], [(3.5, 0.5)], [2.0])
    imap.step()
    owner = teams.owner("source")
    assert fc.sample(owner, (2.5, 0.5)) == 0
    assert fc.sample(owner, [(2.5, 0.5)] * 3, without=[1, 4, 3]).tolist() == [0, 1, 0]
    assert fc.sample(teams.owner(), (2.5, 0.5), without=4) == 0


def test_an_explanation_leaves_the_source_out():
    imap = fc.InfluenceMap(fc.Grid(5, 1))
    threat = imap.add_layer("threat", fc.Radial(4, "linear", metric="straight"))
    fog = imap.add_layer("fog", fc.Spread(decay=0.5, momentum=1.0))
    for layer in (threat, fog):
        layer.sync(["orc", "rat"], [(0.5, 0.5), (4.5, 0.5)], [8.0, 1.0])
    imap.step(6)
    found = fc.explain(threat, (1.5, 0.5), without="orc")
    assert found.value == 0.25
    assert [part.key for part in found.contributions] == ["rat"]
    assert found.remainder == 0
    found = fc.explain(fog, (1.5, 0.5), without="orc")
    assert [part.key for part in found.contributions] == ["rat"]
    assert found.value == pytest.approx(np.exp(-1.5))
    both = fc.explain(1 + 4 * threat, (1.5, 0.5), without="orc")
    assert both.value == 2.0
    assert both.maps[0].amount == 1.0
    assert both.maps[0].value == 0.25
    assert [part.key for part in both.maps[0].explanation.contributions] == ["rat"]


def test_the_cells_of_positions_in_walls_off_the_map_and_none():
    grid = fc.Grid(walls=[[0, 0, 0, 1, 1], [0, 0, 0, 1, 1]])
    imap = fc.InfluenceMap(grid)
    allies = imap.add_layer("allies", fc.Radial(3, "linear"))
    allies.sync(["me", "you"], [(0.5, 0.5), (2.5, 0.5)])
    imap.step()
    found = fc.best(allies, [(4.5, 1.5), (-9, 0.5)], 2.2, without=["you", "me"], outside="clamp")
    never = allies.without("you"), allies.without("me")
    ones = [
        fc.best(each, place, 2.2, outside="clamp")
        for each, place in zip(never, [(4.5, 1.5), (-9, 0.5)], strict=True)
    ]
    assert found.cells.tolist() == [int(one.cell) for one in ones]
    lost = fc.best(allies, [(4.5, 1.5)] * 2, 0.4, without=["me", None])
    assert not lost.found.any()
    assert np.isnan(lost.values).all()
    stays = fc.best(allies, [(4.5, 1.5)], 0.4, without=["me"], none="stay")
    assert stays.cells.tolist() == [9]
    assert stays.values.tolist() == [0.0]
    assert fc.best(allies, np.zeros((0, 2)), 2, without="me").cells.shape == (0,)
