"""What acts on the layers of a recipe: sources on paths, recordings, deposits."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

import fieldcraft as fc
from fieldcraft.base.errors import FieldcraftError
from fieldcraft.commands.recipe import read_recipe
from fieldcraft.commands.recipe.world import World
from fieldcraft.layers.propagation import Flood
from support.recipes import (
    FADE,
    FIELD,
    LAYER,
    PLAYED,
    RUN,
    SOURCE,
    TIMELINE,
    TRAIL,
    VIEW,
    WALK,
    WAY,
    YARD,
    problems,
    source,
    sources,
    world,
)


def test_a_walker_marks_his_whole_way_and_it_fades(tmp_path):
    w = world(tmp_path, FIELD, FADE, source("known"), RUN + "step = 1\n")
    w.go_to(2)
    row = w.imap["known"].values[3]
    np.testing.assert_allclose(row, [0, 0, 80, 90, 90, 90, 100, 100, 100, 0, 0, 0, 0, 0], atol=1e-3)
    assert (w.imap["known"].values[[0, 1, 2, 4, 5]] == 0).all()


def test_marks_reach_as_far_as_the_layer_says(tmp_path):
    w = world(
        tmp_path,
        FIELD,
        FADE + 'radius = 2\nfalloff = "linear"\n',
        source("known", "position = [6.5, 4.5]\nstrength = 40\n"),
        source("known", "position = [1.5, 1.5]\n"),
        RUN,
    )
    layer = (imap := fc.InfluenceMap(w.imap.space)).add_layer(
        "known", fc.Fade(amount=10, interval=1)
    )
    layer.mark((6.5, 4.5), 40, radius=2, falloff="linear")
    layer.mark((1.5, 1.5), 100, radius=2, falloff="linear")
    np.testing.assert_array_equal(w.imap["known"].values, layer.values)
    assert len(imap) == 1


def test_a_trail_gets_the_strength_of_each_second_along_the_way(tmp_path):
    kept = TRAIL.replace("keep = 0.9", "keep = 1\nblur = 1")
    w = world(tmp_path, FIELD, kept, source("scent", WALK + "strength = 4\n"), RUN)
    w.go_to(2)
    w.imap.advance(0.1)  # what has come shows at the next update
    values = w.imap["scent"].values
    assert values.sum() == pytest.approx(8, rel=1e-6)
    assert (values[3, 3:8] > 1).all()
    assert (np.delete(values, 3, axis=0) == 0).all()


@pytest.mark.parametrize("step", [0.1, 1])
def test_a_trail_does_not_depend_on_how_often_one_looks(tmp_path, step):
    kept = TRAIL.replace("keep = 0.9", "keep = 1\nblur = 1")
    w = world(
        tmp_path, FIELD, kept, source("scent", WALK + "strength = 4\n"), RUN + f"step = {step}\n"
    )
    w.go_to(2)
    w.imap.advance(0.1)
    assert w.imap["scent"].values[3, 2:9] == pytest.approx(
        [4 / 6, 8 / 6, 8 / 6, 8 / 6, 8 / 6, 8 / 6, 4 / 6], abs=0.7
    )
    assert w.imap["scent"].values.sum() == pytest.approx(8, rel=1e-6)


def test_a_trail_of_vectors_holds_the_way(tmp_path):
    deposit = '[[deposits]]\nlayer = "way"\nposition = [11.5, 1.5]\namount = [5, -1]\n'
    w = world(tmp_path, FIELD, WAY, source("way"), deposit, RUN)
    w.go_to(2)
    w.imap.advance(0.1)
    vectors = w.imap["way"].vectors
    np.testing.assert_allclose(vectors[3].sum(axis=0), (6, 0), atol=1e-5)
    np.testing.assert_allclose(vectors[1, 11], (5, -1), atol=1e-5)


def test_a_trail_that_repeats_does_not_leave_the_way_back(tmp_path):
    path = "path = [[0, 2.5, 3.5], [1, 8.5, 3.5]]\nrepeat = true\n"
    w = world(tmp_path, FIELD, WAY, source("way", path), RUN)
    w.go_to(2)
    w.imap.advance(0.1)
    assert (w.imap["way"].vectors[3, :, 0] >= 0).all()
    assert w.imap["way"].vectors[3, :, 0].sum() == pytest.approx(12, abs=1.5)


def test_stamps_are_where_their_sources_are(tmp_path):
    w = world(
        tmp_path,
        FIELD,
        VIEW,
        source("view", WALK + "strength = 2\n"),
        source("view", "position = [3.5, 6.5]\nrotation = 90\n"),
        RUN,
    )
    for moment, columns in ((0, [1, 2, 3]), (2, [7, 8, 9])):
        w.go_to(moment)
        expected = np.zeros((9, 14))
        expected[3, columns] = 2
        expected[5:8, 3] = 1
        np.testing.assert_array_equal(w.imap["view"].values, expected)


def test_stamps_turn_where_their_sources_go(tmp_path):
    path = 'path = [[0, 6.5, 2.5], [2, 6.5, 6.5]]\nrotation = "heading"\n'
    w = world(tmp_path, FIELD, VIEW, source("view", path), RUN)
    w.go_to(2)
    values = w.imap["view"].values
    assert values[5:8, 6].tolist() == [1, 1, 1]
    assert values.sum() == 3


def test_recordings_act_on_every_kind(tmp_path):
    (tmp_path / "moves.csv").write_text(
        "seconds,id,group,x,y,strength\n0,a,g,2.5,3.5,2\n1,a,g,6.5,3.5,\n1,b,g,9.5,6.5,1\n1.5,a,,,,\n"
    )
    played = '[[timelines]]\nfile = "moves.csv"\nlayers = {{ g = "{}" }}\n'
    names = ("known", "scent", "way", "view")
    kept = TRAIL.replace("keep = 0.9", "keep = 1\nblur = 1")
    w = world(
        tmp_path,
        FIELD,
        FADE,
        kept,
        WAY,
        VIEW,
        *(played.format(name) for name in names),
        RUN + "step = 0.5\n",
    )
    w.go_to(1)
    assert [len(w.actors_on(name)[0]) for name in names] == [2, 2, 2, 2]
    assert (w.imap["known"].values[3, 3:7] > 0).all()
    assert w.imap["view"].values.sum() == 9
    w.go_to(2)
    w.imap.advance(0.1)
    # a left 2 a second for a second until it went, b 1 for a second after it had come
    assert w.imap["scent"].values.sum() == pytest.approx(3)
    np.testing.assert_allclose(w.imap["way"].vectors.sum(axis=(0, 1)), (8, 0), atol=1e-5)
    assert w.imap["view"].values.sum() == 3


def test_floods_run_from_sources_and_deposits(tmp_path):
    flood = '[layers.heat]\npropagation = "flood"\ncooling = 0.25\nsteps = 3\n'
    deposit = '[[deposits]]\nlayer = "heat"\nposition = [11.5, 7.5]\nat = 0.5\namount = 2\n'
    w = world(
        tmp_path,
        FIELD,
        flood,
        source("heat", "position = [3.5, 3.5]\nstrength = 5\n"),
        deposit,
        RUN,
    )
    w.go_to(2)
    layer = (imap := fc.InfluenceMap(w.imap.space)).add_layer("heat", Flood(cooling=0.25, steps=3))
    layer.add_source((3.5, 3.5), 5)
    imap.step(5)
    layer.deposit((11.5, 7.5), 2)
    imap.step(15)
    np.testing.assert_array_equal(w.imap["heat"].values, layer.values)
    assert layer.values.max() == 5
    assert (
        "cooling is in"
        in problems(tmp_path, FIELD, flood.replace("0.25", "2"), source("heat"), RUN)[0]
    )


def test_sources_walk_their_paths(tmp_path):
    path = "path = [[1, 2, 3], [3, 6, 3], [4, 6, 5]]\n"
    w = world(
        tmp_path, YARD, LAYER, f'[[sources]]\nlayer = "threat"\n{path}', "[run]\nseconds = 9\n"
    )
    places = []
    for moment in (0, 2, 3.5, 9):
        w.go_to(moment)
        places += sources(w)
    assert places == [(2, 3, 1), (4, 3, 1), (6, 4, 1), (6, 5, 1)]


def test_a_path_over_walls_and_the_rim_by_policy(tmp_path):
    Image.fromarray(
        np.where(np.arange(12) == 6, 0, 255).astype(np.uint8)[np.newaxis].repeat(7, axis=0)
    ).save(tmp_path / "map.png")
    walk = 'path = [[0, 5.5, 3], [1, 6.5, 3], [2, 13, 3]]\non_wall = "nearest"\noutside = "clamp"\n'
    w = world(
        tmp_path, '[map]\nfile = "map.png"\n', LAYER, f'[[sources]]\nlayer = "threat"\n{walk}', RUN
    )
    columns = []
    for moment in (0, 1, 2):
        w.go_to(moment)
        columns += [int(cell) % 12 for cell in w.imap["threat"].sources.cells]
    assert columns == [5, 5, 11]


def test_paths_repeat(tmp_path):
    w = world(
        tmp_path,
        YARD,
        LAYER,
        '[[sources]]\nlayer = "threat"\npath = [[0, 2, 3], [2, 6, 3]]\nrepeat = true\n',
        "[run]\nseconds = 9\n",
    )
    w.go_to(5)
    assert sources(w) == [(pytest.approx(4), 3, 1)]


def test_a_timeline_moves_sources_in_the_layers_of_its_groups(tmp_path):
    w = world(tmp_path, YARD, LAYER, LAYER.replace("threat", "goal"), PLAYED, RUN, moves=TIMELINE)
    assert (sources(w), sources(w, "goal")) == ([(1, 1, 2)], [(8, 1, 1)])
    w.go_to(1)
    assert (sources(w), sources(w, "goal")) == ([(2, 1, 2)], [(8, 1, 1)])
    w.go_to(2)
    assert (sources(w), sources(w, "goal")) == ([(2, 1, 2)], [])


def test_a_timeline_starts_later_and_stronger_and_shares_its_layer(tmp_path):
    both = PLAYED.replace('"goal"', '"threat"') + "from = 1.2\nstrength = 3\n"
    w = world(
        tmp_path,
        YARD,
        LAYER,
        both,
        both.replace("from = 1.2", "from = 0"),
        SOURCE,
        RUN,
        moves=TIMELINE,
    )
    assert sources(w) == [(1, 1, 6), (2, 1, 6), (2.5, 3.5, 5), (8, 1, 3), (8, 1, 3)]


def test_recorded_sources_that_may_not_leave_the_map(tmp_path):
    w = PLAYED.replace(', blue = "goal"', "") + 'outside = "refuse"\n'
    with pytest.raises(FieldcraftError, match="map"):
        world(tmp_path, YARD, LAYER, w, RUN, moves=TIMELINE.replace("1,1,2", "99,1,2"))
    assert sources(
        world(
            tmp_path,
            YARD,
            LAYER,
            w.replace("refuse", "clamp"),
            RUN,
            moves=TIMELINE.replace("1,1,2", "99,1,2"),
        )
    ) == [(99, 1, 2)]


def test_a_moving_source_is_where_its_layer_shows_it(tmp_path):
    path = tmp_path / "recipe.toml"
    path.write_text(
        '[map]\ngenerate = "empty"\nwidth = 30\nheight = 3\n[layers.threat]\ndecay = 0.5\n'
        '[[sources]]\nlayer = "threat"\npath = [[0, 0.5, 1.5], [5, 29.5, 1.5]]\nstrength = 5\n'
        "[run]\nseconds = 5\n"
    )
    world = World(read_recipe(path))
    for tick in range(50):
        world.tick()
        places, _ = world.actors_on("threat")
        assert world.imap["threat"].sample(places[0]) == 5, tick
