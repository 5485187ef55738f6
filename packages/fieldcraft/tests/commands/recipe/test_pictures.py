"""Pictures of recipes."""

from __future__ import annotations

import csv

import numpy as np
from PIL import Image

import fieldcraft as fc
from fieldcraft.commands.recipe import read_recipe
from fieldcraft.commands.recipe.outputs import run
from fieldcraft.commands.recipe.pictures import Painter, clock
from support.recipes import (
    ACTORS,
    FADE,
    FIELD,
    LAYER,
    PLAIN,
    RUN,
    SECOND,
    SOURCE,
    TEAMS,
    TRAIL,
    VIEW,
    WAY,
    YARD,
    drawn,
    problems,
    source,
    world,
    write_graph,
)


def test_pictures_of_trails_have_limits(tmp_path):
    picture = '[[outputs]]\nfile = "a.png"\n'
    found = problems(tmp_path, FIELD, TRAIL, source("scent"), RUN, picture)
    assert "A picture of a trail, of stamps or of a formula has limits" in found[0]
    assert 'Write limits = { "scent" = [0, 1] }' in found[0]


def test_pictures_of_every_kind(tmp_path):
    outputs = (
        (
            '[[outputs]]\nfile = "a.png"\ntogether = false\nlimits = { scent = [0, 1], way = [0,'
            " 1], view = [0, 1] }\n"
        ),
        '[[outputs]]\nfile = "b.png"\nlayers = ["way"]\nlimits = [0, 1]\n',
        '[[outputs]]\nfile = "d.webp"\nlayers = ["known"]\nsize = 60\n',
        '[[outputs]]\nfile = "e.csv"\n',
    )
    path = tmp_path / "recipe.toml"
    path.write_text(
        "\n".join(
            [
                FIELD,
                FADE,
                TRAIL,
                WAY,
                VIEW,
                *(source(name) for name in ("known", "scent", "way", "view")),
                RUN,
                *outputs,
            ]
        )
    )
    report = run(read_recipe(path), tmp_path / "out")
    assert [layer.sources for layer in report.layers] == [1, 1, 1, 1]
    drawn = np.asarray(Image.open(tmp_path / "out" / "b.png"))
    assert (drawn[..., :3] == (244, 245, 247)).all(axis=2).any()  # arrows
    rows = list(csv.DictReader((tmp_path / "out" / "e.csv").read_text().splitlines()))
    assert rows[-1]["view_peak"] == "1"
    assert rows[-1]["known_sources"] == "1"


def test_pictures_of_graphs_and_their_floors(tmp_path):
    graph = fc.Graph(
        [(x, y, 3.0 * y) for x in range(5) for y in range(2)],
        [(i, i + 2) for i in range(8)] + [(0, 1)],
    )
    write_graph(tmp_path / "line.json", graph)
    parts = (
        '[map]\nfile = "line.json"\n',
        LAYER,
        FADE,
        source("threat", "position = [2, 0, 0]\nstrength = 5\n"),
        source("known", "position = [2, 1, 3]\n"),
        RUN,
    )
    outputs = (
        '[[outputs]]\nfile = "a.png"\nsize = 200\n[[outputs]]\nfile = "b.gif"\nlayers ='
        ' ["threat"]\nfloors = 2\nsize = 200\n'
    )
    path = tmp_path / "recipe.toml"
    path.write_text("\n".join([*parts, outputs]))
    assert [file.name for file in run(read_recipe(path), tmp_path / "out").files] == [
        "a.png",
        "b.gif",
    ]
    found = problems(
        tmp_path,
        *parts,
        '[[outputs]]\nfile = "a.png"\ncrop = true\ntogether = true\n',
        source("threat", "position = [2, 0]\n"),
    )
    for says in (
        "Positions are (x, y, z) triples",
        "crop is for pictures of square cells",
        "together is for pictures of square cells",
    ):
        assert any(says in problem for problem in found), found
    assert "neighbors='8'" in str(
        problems(tmp_path, parts[0] + "neighbors = 8\n", *parts[1:])
    ).replace("=8", "='8'")


def test_front_lines_are_drawn_where_they_lie(tmp_path):
    show = 'layers = ["tension"]\nsources = false\nlimits = [0, 50]\n'
    plain, lined = drawn(tmp_path, show), drawn(tmp_path, show + "front_lines = true\n")
    changed = np.argwhere((plain != lined).any(axis=2))
    w = world(tmp_path, PLAIN, TEAMS, ACTORS, SECOND)
    w.go_to(1)
    (line,) = w.front_lines()
    left, top = np.argwhere((plain[..., :3] == plain[len(plain) // 2, 30, :3]).all(axis=2))[0][::-1]
    assert len(changed) > 50
    across = np.ptp(changed[:, 1]) / 10 - np.ptp(line[:, 0])
    assert 0 <= across < 1
    assert left < changed[:, 1].min()
    assert top < changed[:, 0].max()


def test_owners_are_drawn_in_the_colors_of_the_teams(tmp_path):
    owner = drawn(tmp_path, 'layers = ["owner"]\nsources = false\n')
    flat = {
        tuple(color): n
        for color, n in zip(
            *np.unique(owner.reshape(-1, 4)[:, :3], axis=0, return_counts=True), strict=True
        )
    }
    large = sorted(n for n in flat.values() if n > 3000)
    assert len(large) >= 3


def test_maps_side_by_side_have_their_own_limits_and_stay_equal_in_size(tmp_path):
    w = world(
        tmp_path,
        PLAIN,
        TEAMS,
        ACTORS,
        SECOND,
        '[[outputs]]\nfile = "x.gif"\nlayers = ["influence red", "tension", "vulnerability"]\n',
        "limits = { tension = [0, 9] }\nfront_lines = true\n",
    )
    painter = Painter([w], w.recipe.outputs[0], size=120)
    assert painter.limits == {"influence red": (-4, 4), "tension": (0, 9), "vulnerability": (0, 4)}
    shapes = set()
    for moment in (0, 0.4, 1):
        w.go_to(moment)
        shapes.add(painter.draw().shape)
    assert len(shapes) == 1
    assert shapes.pop()[1] > 3 * 120


def test_layers_of_teams_are_drawn_together_in_their_colors(tmp_path):
    together = drawn(tmp_path, "sources = false\nlimits = [0, 4]")
    swapped = drawn(
        tmp_path,
        "sources = false\nlimits = [0, 4]",
        PLAIN,
        TEAMS.replace('"#ff8a3c", "#3fa7f5"', '"#3fa7f5", "#ff8a3c"'),
        ACTORS,
    )
    left = (slice(60, 120), slice(30, 110))
    warmth = [
        float(np.diff(picture[left][..., [2, 0]].astype(int), axis=2).mean())
        for picture in (together, swapped)
    ]
    assert warmth[0] > 20
    assert warmth[1] < -20
    apart = drawn(tmp_path, "sources = false\ntogether = false")
    assert apart.shape[1] > together.shape[1] + 100


def test_layers_with_negative_values_stand_side_by_side(tmp_path):
    parts = (
        YARD,
        LAYER,
        LAYER.replace("threat", "goal"),
        SOURCE.replace("5\n", "-5\n"),
        RUN,
        '[[outputs]]\nfile = "x.png"\nsize = 96\n',
    )
    apart = world(tmp_path, *parts)
    apart.go_to(2)
    together = world(tmp_path, *(part.replace("-5", "5") for part in parts))
    together.go_to(2)
    widths = [Painter([w], w.recipe.outputs[0], size=96).draw().shape[1] for w in (apart, together)]
    assert widths[0] > widths[1] + 30


def test_moments_as_people_read_them():
    assert [clock(seconds, 10) for seconds in (0, 7.25, 119)] == ["0.0 s", "7.2 s", "119.0 s"]
    assert [clock(seconds, 700) for seconds in (0, 59.99999999, 61, 687.4)] == [
        "0:00",
        "1:00",
        "1:01",
        "11:27",
    ]


def test_layers_have_titles_of_their_own(tmp_path, monkeypatch):
    written = []
    monkeypatch.setattr(
        "fieldcraft.commands.recipe.pictures.page",
        lambda frames, titles, **more: written.append(titles) or frames[0],
    )
    apart = PLAIN + LAYER + LAYER.replace("threat", "cover") + RUN
    output = '[[outputs]]\nfile = "a.png"\ntogether = false\n'
    for titles in ("", 'titles = ["decay 0.8", "decay 0.26"]\n'):
        w = world(tmp_path, apart, output + titles)
        Painter([w], w.recipe.outputs[0], size=64).draw()
    assert written[0] == ["threat", "cover"] and written[-1] == ["decay 0.8", "decay 0.26"]
    found = problems(tmp_path, apart, output + 'titles = ["one"]\n')
    assert "one title for each layer shown: threat, cover" in found[0]
