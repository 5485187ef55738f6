"""The running world of a recipe."""

from __future__ import annotations

import numpy as np
from PIL import Image

import fieldcraft as fc
from support.recipes import LAYER, RUN, SOURCE, YARD, do, world


def test_a_recipe_gives_what_the_calls_give(tmp_path):
    w = world(
        tmp_path,
        YARD,
        LAYER,
        SOURCE,
        '[[sources]]\nlayer = "threat"\nposition = [9, 1]\nstrength = 3\nfrom = 1\nuntil = 1.5\n',
        '[[deposits]]\nlayer = "threat"\nposition = [6, 6]\namount = 4\nat = 0.5\n',
        RUN,
    )
    w.go_to(2)
    layer = (imap := fc.InfluenceMap(fc.Grid(12, 7))).add_layer("threat", fc.Spread(0.2, 0.5))
    layer.add_source((2.5, 3.5), 5)
    imap.step(5)
    layer.deposit((6, 6), 4)
    imap.step(4)
    visitor = layer.add_source((9, 1), 3)  # before the update of its moment
    imap.step(5)
    visitor.remove()
    imap.step(6)
    np.testing.assert_array_equal(w.imap["threat"].values, layer.values)
    assert w.updates == {"threat": 20}


def test_speed_is_seconds_of_the_world_in_a_second_of_film(tmp_path):
    do(
        tmp_path,
        YARD,
        LAYER,
        SOURCE,
        "[run]\nseconds = 8\nspeed = 4\nfps = 5\n",
        '[[outputs]]\nfile = "a.webp"\nsize = 24\n',
    )
    with Image.open(tmp_path / "out" / "a.webp") as film:
        assert film.n_frames == 11


def test_the_frame_rate_does_not_change_the_world(tmp_path):
    tables = []
    for fps in (3, 10, 47):
        do(
            tmp_path,
            YARD,
            LAYER,
            SOURCE,
            f"[run]\nseconds = 2\nfps = {fps}\n",
            '[[outputs]]\nfile = "a.gif"\nsize = 24\n[[outputs]]\nfile = "t.csv"\n',
        )
        tables.append((tmp_path / "out" / "t.csv").read_text())
    assert tables[0] == tables[1] == tables[2]
