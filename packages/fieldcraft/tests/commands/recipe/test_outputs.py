from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from fieldcraft.base.errors import InvalidValue
from fieldcraft.commands.recipe import outputs, read_recipe
from fieldcraft.commands.recipe.pictures import Painter
from fieldcraft.commands.recipe.recipe_parts import Picture
from fieldcraft.commands.recipe.world import World
from support import realdata
from support.recipes import LAYER, RUN, SOURCE, YARD, do

RECIPES = Path(__file__).resolve().parents[5] / "recipes"


def test_outputs_of_every_kind(tmp_path):
    report = do(
        tmp_path,
        'title = "Here"',
        YARD,
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


def test_a_failed_run_leaves_the_folder_as_it_was(tmp_path, monkeypatch):
    parts = (
        YARD,
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
        do(tmp_path, YARD, LAYER, SOURCE, RUN)
    assert (tmp_path / "out").read_text() == "mine"


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
