from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import fieldcraft as fc
from fieldcraft.base.errors import BadRecipe, FieldcraftError, InvalidValue
from fieldcraft.commands.recipe import outputs, read_recipe
from fieldcraft.commands.recipe.outputs import Report, run
from fieldcraft.commands.recipe.parts import Picture
from fieldcraft.commands.recipe.pictures import Painter, clock
from fieldcraft.commands.recipe.world import World
from support import realdata

RECIPES = Path(__file__).resolve().parents[5] / "recipes"
LAYER = "[layers.threat]\ndecay = 0.2\nmomentum = 0.5\n"
MAP = '[map]\ngenerate = "empty"\nwidth = 12\nheight = 7\n'
SOURCE = '[[sources]]\nlayer = "threat"\nposition = [2.5, 3.5]\nstrength = 5\n'
RUN = "[run]\nseconds = 2\nfps = 10\n"


def world(tmp_path: Path, *parts: str, **files: str) -> World:
    for name, text in files.items():
        (tmp_path / f"{name}.csv").write_text(text)
    path = tmp_path / "recipe.toml"
    path.write_text("\n".join(parts))
    return World(read_recipe(path))


def sources(w: World, layer: str = "threat") -> list[tuple[float, ...]]:
    found = w.imap[layer].sources
    return sorted(
        (*position, strength)
        for position, strength in zip(
            found.positions.tolist(), found.strengths.tolist(), strict=True
        )
    )


def do(tmp_path: Path, *parts: str) -> Report:
    path = tmp_path / "recipe.toml"
    path.write_text("\n".join(parts))
    return run(read_recipe(path), tmp_path / "out")


def problems(tmp_path: Path, *parts: str, **files: str) -> list[str]:
    with pytest.raises(BadRecipe) as caught:
        world(tmp_path, *parts, **files)
    return caught.value.problems


def test_a_recipe_gives_what_the_calls_give(tmp_path):
    w = world(
        tmp_path,
        MAP,
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


def test_sources_walk_their_paths(tmp_path):
    path = "path = [[1, 2, 3], [3, 6, 3], [4, 6, 5]]\n"
    w = world(
        tmp_path, MAP, LAYER, f'[[sources]]\nlayer = "threat"\n{path}', "[run]\nseconds = 9\n"
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


def test_speed_is_seconds_of_the_world_in_a_second_of_film(tmp_path):
    do(
        tmp_path,
        MAP,
        LAYER,
        SOURCE,
        "[run]\nseconds = 8\nspeed = 4\nfps = 5\n",
        '[[outputs]]\nfile = "a.webp"\nsize = 24\n',
    )
    with Image.open(tmp_path / "out" / "a.webp") as film:
        assert film.n_frames == 11


def test_paths_repeat(tmp_path):
    w = world(
        tmp_path,
        MAP,
        LAYER,
        '[[sources]]\nlayer = "threat"\npath = [[0, 2, 3], [2, 6, 3]]\nrepeat = true\n',
        "[run]\nseconds = 9\n",
    )
    w.go_to(5)
    assert sources(w) == [(pytest.approx(4), 3, 1)]


TIMELINE = "seconds,id,group,x,y,strength\n0,a,red,1,1,2\n0,b,blue,8,1,\n1,a,red,2,1,\n1.5,b,,,,\n"
PLAYED = '[[timelines]]\nfile = "moves.csv"\nlayers = { red = "threat", blue = "goal" }\n'


def test_a_timeline_moves_sources_in_the_layers_of_its_groups(tmp_path):
    w = world(tmp_path, MAP, LAYER, LAYER.replace("threat", "goal"), PLAYED, RUN, moves=TIMELINE)
    assert (sources(w), sources(w, "goal")) == ([(1, 1, 2)], [(8, 1, 1)])
    w.go_to(1)
    assert (sources(w), sources(w, "goal")) == ([(2, 1, 2)], [(8, 1, 1)])
    w.go_to(2)
    assert (sources(w), sources(w, "goal")) == ([(2, 1, 2)], [])


def test_a_timeline_starts_later_and_stronger_and_shares_its_layer(tmp_path):
    both = PLAYED.replace('"goal"', '"threat"') + "from = 1.2\nstrength = 3\n"
    w = world(
        tmp_path,
        MAP,
        LAYER,
        both,
        both.replace("from = 1.2", "from = 0"),
        SOURCE,
        RUN,
        moves=TIMELINE,
    )
    assert sources(w) == [(1, 1, 6), (2, 1, 6), (2.5, 3.5, 5), (8, 1, 3), (8, 1, 3)]


def test_the_frame_rate_does_not_change_the_world(tmp_path):
    tables = []
    for fps in (3, 10, 47):
        do(
            tmp_path,
            MAP,
            LAYER,
            SOURCE,
            f"[run]\nseconds = 2\nfps = {fps}\n",
            '[[outputs]]\nfile = "a.gif"\nsize = 24\n[[outputs]]\nfile = "t.csv"\n',
        )
        tables.append((tmp_path / "out" / "t.csv").read_text())
    assert tables[0] == tables[1] == tables[2]


def test_outputs_of_every_kind(tmp_path):
    report = do(
        tmp_path,
        'title = "Here"',
        MAP,
        LAYER,
        LAYER.replace("threat", "goal").replace("momentum", "every = 0.4\nmomentum"),
        SOURCE,
        RUN,
        '[[outputs]]\nfile = "deep/still.png"\nat = 1\nlayers = ["threat"]\ncolors ='
        ' ["#ff8a3c"]\ncaption = "A camp."\n',
        '[[outputs]]\nfile = "film.gif"\nfrom = 0.5\nuntil = 1.5\n',
        '[[outputs]]\nfile = "film.webp"\ntogether = false\n',
        '[[outputs]]\nfile = "film.mp4"\nlimits = [0, 5]\n',
        '[[outputs]]\nfile = "totals.csv"\nthreshold = 1\nlayers = ["threat"]\n',
    )
    out = tmp_path / "out"
    assert [file.relative_to(out).as_posix() for file in report.files] == [
        "deep/still.png",
        "film.gif",
        "film.webp",
        "film.mp4",
        "totals.csv",
    ]
    assert all(file.stat().st_size for file in report.files)
    assert sorted(path.name for path in out.iterdir()) == [
        "deep",
        "film.gif",
        "film.mp4",
        "film.webp",
        "totals.csv",
    ]
    with Image.open(out / "film.gif") as film:
        assert film.n_frames == 11
    with Image.open(out / "film.webp") as film:
        assert film.n_frames == 21
    rows = list(csv.DictReader((out / "totals.csv").read_text().splitlines()))
    assert [row["seconds"] for row in rows] == ["0", "1", "2"]
    assert (rows[2]["threat_peak"], rows[2]["threat_sources"]) == ("5", "1")
    assert int(rows[1]["threat_cells"]) < int(rows[2]["threat_cells"])
    assert [(layer.name, layer.updates, layer.sources, layer.peak) for layer in report.layers] == [
        ("threat", 20, 1, 5),
        ("goal", 5, 0, 0),
    ]
    assert (report.title, report.map, report.cells, report.open_cells, report.seconds) == (
        "Here",
        "generated: empty",
        84,
        84,
        2,
    )


def test_layers_with_negative_values_stand_side_by_side(tmp_path):
    parts = (
        MAP,
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


def test_every_problem_with_map_and_recordings_comes_at_once(tmp_path):
    walls = np.zeros((7, 12), dtype=np.uint8)
    walls[:, 6] = 1
    Image.fromarray(np.where(walls, 0, 255).astype(np.uint8)).save(tmp_path / "map.png")
    found = problems(
        tmp_path,
        '[map]\nfile = "map.png"\n',
        LAYER,
        '[[sources]]\nlayer = "threat"\nposition = [6.5, 3]\n',
        '[[sources]]\nlayer = "threat"\nposition = [12, 3]\n',
        '[[sources]]\nlayer = "threat"\npath = [[0, 3, 3], [1, 9, 3]]\n',
        '[[sources]]\nlayer = "threat"\nposition = [6.5, 3]\non_wall = "nearest"\n',
        '[[deposits]]\nlayer = "threat"\nposition = [3, -1]\n',
        RUN,
    )
    assert [problem.split(":")[0] for problem in found] == [
        "line 10",
        "line 14",
        "line 18",
        "line 27",
    ]
    for says, problem in zip(
        (
            "open cells",
            "on the map, from (0.0, 0.0)",
            "at index 5",
            "on the map, from (0.0, 0.0)",
        ),
        found,
        strict=True,
    ):
        assert says in problem
    assert "the nearest open cell, at (5.5, 3.5)" in found[0]


def test_problems_with_files_come_together(tmp_path):
    found = problems(
        tmp_path,
        '[map]\nfile = "none.map"\n',
        LAYER,
        PLAYED.replace(', blue = "goal"', "").replace("red", "rad"),
        PLAYED.replace(', blue = "goal"', "").replace("moves", "none"),
        PLAYED.replace(', blue = "goal"', "").replace("moves", "bad"),
        RUN,
        moves=TIMELINE,
        bad="seconds,id\n",
    )
    for says, problem in zip(
        (
            "no file",
            "no group 'rad'. Its groups: 'red', 'blue'",
            "no file",
            "no group, x, y, strength",
        ),
        found,
        strict=True,
    ):
        assert says in problem


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        (('[map]\nfile = "map.xyz"\n', LAYER, SOURCE, RUN), "suffix"),
        (('[map]\nfile = "map.png"\nmobility = "submarine"\n', LAYER, SOURCE, RUN), "mobility"),
        (('[map]\nfile = "map.png"\nthreshold = "dark"\n', LAYER, SOURCE, RUN), "threshold"),
        ((MAP.replace("empty", "cave"), LAYER, SOURCE, RUN), "height is at least 8"),
        ((MAP, LAYER + "cell_size = 0.3\n", SOURCE, RUN), "cell_size"),
        (
            (
                MAP,
                LAYER,
                PLAYED.replace(', blue = "goal"', ""),
                PLAYED.replace(', blue = "goal"', "") + 'on_wall = "refuse"\n',
                RUN,
            ),
            "the same on_wall and outside",
        ),
    ],
)
def test_what_only_the_files_show(tmp_path, parts, says):
    Image.fromarray(np.full((7, 12), 255, dtype=np.uint8)).save(tmp_path / "map.png")
    (tmp_path / "map.xyz").write_text("?")
    assert any(says in problem for problem in problems(tmp_path, *parts, moves=TIMELINE))


def test_a_failed_run_leaves_the_folder_as_it_was(tmp_path, monkeypatch):
    parts = (
        MAP,
        LAYER,
        SOURCE,
        RUN,
        (
            '[[outputs]]\nfile = "t.csv"\n[[outputs]]\nfile = "deep/a.gif"\n[[outputs]]\nfile ='
            ' "a.png"\n'
        ),
    )

    def fail(*arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(outputs, "save_png", fail)
        with pytest.raises(KeyboardInterrupt):
            do(tmp_path, *parts)
        assert [path.name for path in tmp_path.iterdir()] == ["recipe.toml"]
    do(tmp_path, *parts)
    before = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert len(before) == 3
    monkeypatch.setattr(outputs, "save_png", fail)
    with pytest.raises(KeyboardInterrupt):
        do(tmp_path, *(part.replace("5", "3") for part in parts))
    assert {
        path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()
    } == before


def test_an_output_folder_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "out").write_text("mine")
    with pytest.raises(InvalidValue, match="output folder"):
        do(tmp_path, MAP, LAYER, SOURCE, RUN)
    assert (tmp_path / "out").read_text() == "mine"


def test_recorded_sources_that_may_not_leave_the_map(tmp_path):
    w = PLAYED.replace(', blue = "goal"', "") + 'outside = "refuse"\n'
    with pytest.raises(FieldcraftError, match="map"):
        world(tmp_path, MAP, LAYER, w, RUN, moves=TIMELINE.replace("1,1,2", "99,1,2"))
    assert sources(
        world(
            tmp_path,
            MAP,
            LAYER,
            w.replace("refuse", "clamp"),
            RUN,
            moves=TIMELINE.replace("1,1,2", "99,1,2"),
        )
    ) == [(99, 1, 2)]


def test_moments_as_people_read_them():
    assert [clock(seconds, 10) for seconds in (0, 7.25, 119)] == ["0.0 s", "7.2 s", "119.0 s"]
    assert [clock(seconds, 700) for seconds in (0, 59.99999999, 61, 687.4)] == [
        "0:00",
        "1:00",
        "1:01",
        "11:27",
    ]


@pytest.mark.parametrize(
    ("name", "data", "seconds", "layers"),
    [
        ("arena", "gridmaps", 3.5, {"threat": 3}),
    ],
)
def test_the_recipes_of_the_project_play_real_data(name, data, seconds, layers):
    w = World(read_recipe(RECIPES / f"{name}.toml", data=realdata.folder(data).parent))
    w.go_to(seconds)
    for layer, least in layers.items():
        assert len(w.imap[layer].sources) >= least
        assert np.count_nonzero(w.imap[layer].values) > 200
    for output in w.recipe.outputs:
        if isinstance(output, Picture):
            assert Painter([w], output, size=300).draw().std() > 20


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
