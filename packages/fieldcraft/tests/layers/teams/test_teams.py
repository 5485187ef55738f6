"""Teams: the laws of their maps, who owns what, where the front runs, what is refused."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft import kernels
from fieldcraft.base.errors import InvalidValue, NameTaken, UnknownName
from fieldcraft.kernels.compiling import pool
from fieldcraft.layers.teams import survey as survey_module
from fieldcraft.layers.teams.teams import Teams
from fieldcraft.values.formula import formula
from support.refusals import refused
from support.teams import NAMES, a_battle, a_space

f32 = np.float32


def stack(teams):
    return np.stack([layer.values for layer in teams.layers.values()]).astype(np.float64)


# Their layers


def test_teams_are_layers_of_the_map():
    imap = fc.InfluenceMap(fc.Grid(9, 5))
    teams = imap.add_teams(
        ["red", "blue"], fc.Radial(3), every=0.5, cell_size=1.0, hostile={"red": ["blue"]}
    )
    assert teams.names == ("red", "blue")
    assert (
        list(teams) == ["red", "blue"]
        and len(teams) == 2
        and "red" in teams
        and "grey" not in teams
    )
    assert teams["red"] is imap["red"] and teams["red"].every == 0.5
    assert dict(teams.hostile) == {"red": ("blue",), "blue": ()}
    assert repr(teams) == "<Teams red, blue>"
    teams["red"].add_source((1.5, 1.5), 2.0)
    teams["blue"].sync(["a", "b"], [(7.5, 1.5), (7.5, 3.5)])
    assert not teams.tension().values.any()
    imap.advance(0.5)
    assert teams.tension().sample((1.5, 1.5)) == 2.0
    assert teams.owner()[1].tolist() == [0, 0, 0, 0, -1, 1, 1, 1, 1]


def test_teams_are_rebuilt_on_a_loaded_map(tmp_path):
    teams = a_battle(3)
    imap = fc.InfluenceMap(teams["red"].space)
    for name, layer in teams.layers.items():
        imap.add_layer(name, fc.Radial(6)).add_sources(
            layer.space.position_of(layer.sources.cells), layer.sources.strengths
        )
    imap.step()
    imap.save(tmp_path / "save")
    again = Teams(fc.InfluenceMap.load(tmp_path / "save"), NAMES[:3])
    for by in ("total", "source"):
        np.testing.assert_array_equal(again.owner(by), teams.owner(by))
    assert again.tension().values.tobytes() == teams.tension().values.tobytes()
    again["red"].sources.move(again["red"].sources.ids[:2], again["red"].sources.positions[2:4])
    again["red"].step()
    np.testing.assert_array_equal(again.owner("source"), by_brute_force(again))


def saved(imap, folder):
    imap.save(folder / "map")
    return fc.InfluenceMap.load(folder / "map")


COPIERS = {
    "copy": lambda imap, folder: imap.copy(),
    "deepcopy": lambda imap, folder: copy.deepcopy(imap),
    "pickle": lambda imap, folder: pickle.loads(pickle.dumps(imap)),
    "save": saved,
}


@pytest.mark.parametrize("copier", list(COPIERS.values()), ids=list(COPIERS))
def test_copies_have_the_teams_of_a_map(copier, tmp_path):
    imap = fc.InfluenceMap(fc.Grid(9, 5))
    hostile = {"red": ["blue"], "blue": ["red", "green"]}
    ground = imap.add_teams(["red", "green", "blue"], fc.Radial(6), hostile=hostile)
    air = imap.add_teams(["north", "south"], fc.Spread(0.4))
    assert imap.teams == (ground, air)
    ground["red"].add_source((1.5, 1.5), 2.0)
    ground["blue"].add_source((7.5, 3.5), 3.0)
    imap.step()
    other = copier(imap, tmp_path)
    assert [teams.names for teams in other.teams] == [ground.names, air.names]
    assert [dict(teams.hostile) for teams in other.teams] == [
        dict(ground.hostile),
        dict(air.hostile),
    ]
    assert other.teams[0] is other.teams[0]
    assert other.teams[0]["red"] is other["red"]
    np.testing.assert_array_equal(other.teams[0].owner(), ground.owner())
    np.testing.assert_array_equal(
        other.teams[0].influence("red").values, ground.influence("red").values
    )
    assert imap.teams == (ground, air)


def test_a_layer_that_is_removed_leaves_its_teams():
    imap = fc.InfluenceMap(fc.Grid(9, 5))
    assert imap.teams == ()
    imap.add_teams(["red", "blue"], fc.Radial(6))
    imap.add_teams(["alone"], fc.Radial(6))
    imap.remove_layer("alone")
    imap.remove_layer("blue")
    (teams,) = imap.teams
    assert teams.names == ("red",) and dict(teams.hostile) == {"red": ()}
    with refused(NameTaken, "exists"):
        imap.add_teams(["red"], fc.Radial(6))
    assert imap.teams == (teams,)


# The laws of their maps


@settings(max_examples=10)
@given(
    seed=st.integers(0, 10_000),
    count=st.integers(1, 5),
    signs=st.sampled_from([(1.0,), (1.0, -1.0), (-1.0,)]),
)
def test_tension_contested_and_shares(seed, count, signs):
    teams = a_battle(count, seed, signs=signs)
    presence = np.abs(stack(teams))
    tension, contested = teams.tension().values, teams.contested().values
    np.testing.assert_allclose(tension, presence.sum(axis=0), rtol=1e-6)
    np.testing.assert_allclose(
        contested, 2 * (presence.sum(axis=0) - presence.max(axis=0)), rtol=1e-6, atol=1e-6
    )
    assert (contested >= 0).all()
    assert count > 1 or not contested.any()
    shares = [teams.share(name).values for name in teams]
    assert all(((share >= 0) & (share <= 1)).all() for share in shares)
    total = np.sum(shares, axis=0, dtype=np.float64)
    anyone = tension > 0
    np.testing.assert_allclose(total[anyone], 1, atol=1e-6)
    assert not total[~anyone].any()


@settings(max_examples=10)
@given(seed=st.integers(0, 10_000), sign=st.sampled_from([1.0, -1.0]))
def test_two_teams_are_vulnerable_where_they_meet(seed, sign):
    teams = a_battle(2, seed, signs=(sign,))
    red, blue = stack(teams)
    vulnerable = teams.vulnerability().values
    assert vulnerable.tobytes() == teams.contested().values.tobytes()
    np.testing.assert_array_equal(
        vulnerable, (2 * np.minimum(np.abs(red), np.abs(blue))).astype(f32)
    )
    influence = teams.influence("red").values
    np.testing.assert_array_equal(influence, red.astype(f32) - blue.astype(f32))
    np.testing.assert_allclose(vulnerable, teams.tension().values - np.abs(influence), atol=2e-6)
    assert (vulnerable >= 0).all()
    for team in teams:
        assert teams.vulnerability(team).values.tobytes() == vulnerable.tobytes()


@pytest.mark.parametrize("stake", [0.0, 0.7])
def test_a_team_is_vulnerable_where_it_has_a_stake(stake):
    teams = a_battle(4, 3, hostile={"red": ["gold", "blue"], "blue": ["red"]})
    red, blue, _, gold = stack(teams)
    expected = np.where(red >= stake, 2 * np.minimum(red, blue + gold), 0)
    np.testing.assert_allclose(teams.vulnerability("red", stake=stake).values, expected, rtol=1e-6)
    assert not teams.vulnerability("green", stake=stake).values.any()


def test_influence_is_that_minus_the_enemies():
    teams = a_battle(3, 5)
    red, blue, green = (layer.values for layer in teams.layers.values())
    np.testing.assert_array_equal(teams.influence("red").values, red - (blue + green))
    assert dict(teams.hostile)["green"] == ("red", "blue")
    teams = a_battle(3, 5, hostile={"red": ["green"]})
    np.testing.assert_array_equal(teams.influence("red").values, red - green)
    np.testing.assert_array_equal(teams.influence("blue").values, blue)


def test_maps_are_kept_until_a_layer_changes_and_go_wherever_a_layer_goes():
    teams = a_battle(3, 1)
    tension = teams.tension()
    assert teams.tension() is tension and tension.name == "tension"
    assert teams.share("red") is teams.share("red")
    assert teams.vulnerability("red", stake=1) is teams.vulnerability("red", stake=1.0)
    assert teams.vulnerability("red", stake=1) is not teams.vulnerability("red")
    version, first = tension.version, tension.read()
    assert tension.version == version
    net = formula("normalize(red - 0.5 * tension)", {"red": teams["red"], "tension": tension})
    expected = teams["red"].values - f32(0.5) * tension.values
    open_ground = ~tension.space.walls
    span = expected[open_ground].max() - expected[open_ground].min()
    np.testing.assert_allclose(
        net.values[open_ground],
        ((expected - expected[open_ground].min()) / span)[open_ground],
        atol=1e-6,
    )
    at = teams["red"].sources.positions[0]
    teams["red"].add_source(at, 5.0, on_wall="nearest")
    assert tension.values.tobytes() == first.tobytes()
    teams["red"].step()
    assert tension.version != version
    assert tension.sample(at) > first.max() / 2 and tension.values.tobytes() != first.tobytes()
    assert (2 * tension - teams.contested()).values.shape == tension.space.shape


# Owners


@settings(max_examples=10)
@given(
    seed=st.integers(0, 10_000),
    count=st.integers(1, 5),
    margin=st.sampled_from([0.0, 0.3]),
)
def test_the_owner_is_the_strongest(seed, count, margin):
    teams = a_battle(count, seed)
    values = stack(teams).astype(f32)
    ranked = np.sort(np.concatenate([values, np.zeros_like(values[:1])]), axis=0)
    clear = (ranked[-1] > 0) & (ranked[-1] - ranked[-2] >= f32(margin))
    owner = teams.owner(margin=margin)
    assert owner.dtype == np.int32 and not owner.flags.writeable
    np.testing.assert_array_equal(owner, np.where(clear, values.argmax(axis=0), -1))


def by_brute_force(teams):
    """By the strongest single source: every source on a layer of its own."""
    best = []
    for layer in teams.layers.values():
        alone = []
        for position, strength in zip(
            layer.space.position_of(layer.sources.cells), layer.sources.strengths, strict=True
        ):
            single = fc.InfluenceMap(layer.space).add_layer("one", layer.propagation)
            single.add_source(position, float(strength), on_wall="through")
            single.step()
            alone.append(np.abs(single.values))
        best.append(np.max(alone, axis=0))
    best = np.stack(best)
    return np.where(best.max(axis=0) > 0, best.argmax(axis=0), -1)


@pytest.mark.parametrize("metric", ["straight", "connected", "path", "sight"])
@pytest.mark.parametrize("signs", [(1.0,), (1.0, -1.0)])
def test_by_source_is_brute_force_and_follows_the_layers(metric, signs):
    teams = a_battle(3, 4, signs=signs, units=6, radial=fc.Radial(7, metric=metric))
    np.testing.assert_array_equal(teams.owner("source"), by_brute_force(teams))
    assert not np.array_equal(teams.owner("source"), teams.owner())
    rng = np.random.default_rng(9)
    for turn in range(4):
        shown = teams.owner("source").copy()
        for layer in teams.layers.values():
            layer.sources.move(layer.sources.ids[:3], rng.uniform(0, 27, (3, 2)), on_wall="nearest")
            layer.sources.remove(layer.sources.ids[-1:])
            layer.add_sources(rng.uniform(0, 27, (2, 2)), 1.5 + turn, on_wall="nearest")
        np.testing.assert_array_equal(teams.owner("source"), shown)  # nothing shows before the step
        for layer in teams.layers.values():
            layer.step()
        np.testing.assert_array_equal(teams.owner("source"), by_brute_force(teams))


def test_by_source_knows_each_source_s_radius_and_falloff():
    imap = fc.InfluenceMap(a_space(2))
    teams = imap.add_teams(["red", "blue"], fc.Radial(5))
    strongest = [imap.add_layer(f"max of {name}", fc.Radial(5, blend="max")) for name in teams]
    rng = np.random.default_rng(0)
    for turn in range(3):
        for layer, twin in zip(teams.layers.values(), strongest, strict=True):
            settings_ = {
                "radii": rng.uniform(1, 9, 5),
                "falloff": "linear" if turn else "gaussian",
                "on_wall": "nearest",
            }
            at, strengths = rng.uniform(0, 27, (5, 2)), rng.uniform(0.1, 2, 5)
            layer.add_sources(at, strengths, **settings_)
            twin.add_sources(at, strengths, **settings_)
        imap.step()
        for number, twin in enumerate(strongest):
            teams.owner("source")
            assert teams._surveys["source"].presence(number).tobytes() == twin.values.tobytes()
    imap["red"].propagation = fc.Radial(3)
    strongest[0].propagation = fc.Radial(3, blend="max")
    imap.step()
    teams.owner("source")
    assert teams._surveys["source"].presence(0).tobytes() == strongest[0].values.tobytes()


@pytest.mark.parametrize("asked", [True, False])
def test_walls_change_while_it_runs(asked):
    space = a_space(6)
    teams = a_battle(3, 6, space)
    if asked:
        teams.owner("source")
    rng = np.random.default_rng(1)
    for _ in range(3):
        at = space.cell_at(teams["red"].sources.positions[0])
        space.set_walls(
            [cell for cell in (at + 2, at + 3, at - 41, at + 41, at + 42) if 0 < cell < len(space)],
            True,
        )
        # Until the next step totals are of the walls before, the strongest sources of the present
        # ones: a copy, which does not know the walls before, shows the same.
        teams.owner("source")
        for layer in teams.layers.values():
            layer.sources.move(
                layer.sources.ids[:2],
                space.position_of(rng.choice(np.flatnonzero(~space.walls), 2)),
            )
            layer.step()
        expected = by_brute_force(teams)
        wall = space.cell_at((20.5, 13.5))
        np.testing.assert_array_equal(teams.owner("source"), expected)
        np.testing.assert_array_equal(teams.owner("source", margin=1e-9), expected)
        space.set_walls([wall], not space.walls.reshape(-1)[wall])
        for layer in teams.layers.values():
            layer.step()
        expected = by_brute_force(teams)
        np.testing.assert_array_equal(teams.owner("source"), expected)
        assert (teams.owner()[space.walls] == -1).all() and (
            teams.owner("source")[space.walls] == -1
        ).all()
        assert not teams.tension().values[space.walls].any()
        for layer in teams.layers.values():
            layer.sources.set_strengths(layer.sources.ids[:3], rng.uniform(1, 3, 3))
            layer.step()
        np.testing.assert_array_equal(teams.owner("source"), by_brute_force(teams))
        space.set_walls(np.flatnonzero(~space.walls)[::9], True)
        space.set_walls(np.flatnonzero(space.walls)[::3], False)


def test_by_source_under_a_budget_is_that_of_the_last_complete_values():
    space = fc.Grid(60, 40)
    teams = a_battle(2, 2, space, units=30, radial=fc.Radial(12))
    imap = fc.InfluenceMap(space)
    twins = imap.add_teams(teams.names, fc.Radial(12))
    for name, layer in twins.layers.items():
        layer.add_sources(teams[name].sources.positions, teams[name].sources.strengths)
    imap.advance(0.1)
    before = twins.owner("source").copy()
    np.testing.assert_array_equal(before, teams.owner("source"))
    for name, layer in twins.layers.items():
        for each in (layer, teams[name]):
            each.sources.move(each.sources.ids, each.sources.positions[::-1] * 0.9)
        teams[name].step()
    imap.advance(0.1, budget_work=1)
    assert any(layer.lag > 0 for layer in twins.layers.values())
    np.testing.assert_array_equal(twins.owner("source"), before)
    np.testing.assert_array_equal(twins.owner("source", margin=1e-9), before)
    while any(layer.lag > 0 for layer in twins.layers.values()):
        imap.advance(0.0, budget_work=3)
    np.testing.assert_array_equal(twins.owner("source"), teams.owner("source"))
    np.testing.assert_array_equal(twins.owner(), teams.owner())


@pytest.mark.skipif(not kernels.compiled(), reason="the reference takes one thread")
def test_results_do_not_depend_on_threads_nor_on_the_kernel(monkeypatch):
    teams = a_battle(5, 8, signs=(1.0, -1.0))

    def answers():
        fresh = Teams(imap, NAMES)
        maps = [
            fresh.tension().values,
            fresh.contested().values,
            fresh.owner(),
            fresh.owner(margin=0.3),
            fresh.owner("source"),
        ]
        return [np.array(each).tobytes() for each in maps]

    imap = fc.InfluenceMap(teams["red"].space)
    for name, layer in teams.layers.items():
        imap.add_layer(name, fc.Radial(6)).add_sources(
            layer.space.position_of(layer.sources.cells), layer.sources.strengths
        )
    imap.step()
    monkeypatch.setattr(survey_module, "_WORK_PER_THREAD", 100)
    found = []
    for threads in (1, 2, 5):
        monkeypatch.setattr(pool, "_count", threads)
        found.append(answers())
    monkeypatch.setattr(survey_module.kernels, "compiled", lambda: False)
    found.append(answers())
    assert all(each == found[0] for each in found)


# Fronts


# Regions


# Refusals


@pytest.mark.parametrize(
    ("names", "fragment"),
    [
        ([], "no names"),
        ("red", "'red'"),
        (5, "5"),
        (["red", "red"], "'red' twice"),
        (["red", ""], "''"),
        (["red", 3], "3"),
    ],
)
def test_names_are_different_words(names, fragment):
    imap = fc.InfluenceMap(fc.Grid(5, 5))
    for call in (lambda: imap.add_teams(names, fc.Radial(2)), lambda: Teams(imap, names)):
        with refused(InvalidValue, fragment):
            call()
    assert len(imap) == 0


def test_nothing_is_added_when_something_is_refused():
    imap = fc.InfluenceMap(fc.Grid(5, 5))
    imap.add_layer("blue", fc.Radial(2))
    with refused(NameTaken, "'blue'"):
        imap.add_teams(["red", "blue"], fc.Radial(2))
    with refused(UnknownName, "'gren'", "'green'"):
        imap.add_teams(["red", "green"], fc.Radial(2), hostile={"red": ["gren"]})
    with refused(InvalidValue, "every"):
        imap.add_teams(["red", "green"], fc.Radial(2), every=-1)
    with refused(InvalidValue, "None"):
        imap.add_teams(["red", "green"], None)
    with pytest.raises(TypeError):
        imap.add_teams(["red", "green"], fc.Radial(2), evry=1)
    assert list(imap) == ["blue"]


@pytest.mark.parametrize(
    ("table", "kind", "fragment"),
    [
        ([("red", "blue")], InvalidValue, "('red', 'blue')"),
        ({"red": "blue"}, InvalidValue, "'blue' for 'red'"),
        ({"red": 3}, InvalidValue, "3"),
        ({"red": ["red"]}, InvalidValue, "'red' among"),
        ({"rad": ["blue"]}, UnknownName, "Did you mean 'red'?"),
    ],
)
def test_the_table_names_teams(table, kind, fragment):
    with refused(kind, fragment):
        a_battle(2, hostile=table)


def test_bad_questions_are_refused():
    teams = a_battle(3)
    for call in (teams.__getitem__, teams.influence, teams.share, teams.vulnerability):
        with refused(UnknownName, "'gren'", "Did you mean 'green'?"):
            call("gren")
    with refused(InvalidValue, "3 teams", "contested()"):
        teams.vulnerability()
    with refused(InvalidValue, "stake=-1"):
        teams.vulnerability("red", stake=-1)
    with refused(InvalidValue, "stake=0.5"):
        teams.vulnerability(stake=0.5)
    for margin in (-0.1, float("nan")):
        with refused(InvalidValue, "margin"):
            teams.owner(margin=margin)
        with refused(InvalidValue, "margin"):
            teams.regions(margin=margin)
    for call in (teams.owner, teams.front_lines, teams.regions):
        with refused(InvalidValue, "by='units'"):
            call("units")
    assert "gren" not in teams


def test_teams_need_an_influence_map_and_layers_of_the_same_cells():
    with refused(InvalidValue, "Grid"):
        Teams(fc.Grid(3, 3), ["red"])
    imap = fc.InfluenceMap(fc.Grid(8, 8))
    imap.add_layer("fine", fc.Radial(2))
    imap.add_layer("coarse", fc.Radial(2), cell_size=2.0)
    imap.add_layer("fog", fc.Spread(0.5, 0.5))
    with refused(InvalidValue, "cell_size"):
        Teams(imap, ["fine", "coarse"])
    with refused(UnknownName, "'fine'"):
        Teams(imap, ["fin"])
    with refused(InvalidValue, "'fog' with Spread"):
        Teams(imap, ["fine", "fog"]).owner("source")
