from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from fieldcraft.base.errors import BadRecipe, InvalidValue
from fieldcraft.commands.recipe.compare import compare
from fieldcraft.view.palettes import sequential

RECIPE = """
title = "Decay"
[map]
generate = "empty"
width = 24
height = 18
[layers.threat]
decay = 0.3
momentum = 0.5
[layers.goal]
decay = 0.1
momentum = 1
[[sources]]
layer = "threat"
position = [12, 9]
strength = 5
[run]
seconds = 3
fps = 10
[[outputs]]
file = "a.png"
layers = ["threat"]
threshold = 0.5
at = 2.5
sources = false
"""


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    path = tmp_path / "recipe.toml"
    path.write_text(RECIPE)
    return path


def bright(path: Path) -> list[int]:
    """How many pixels of each half of a picture have a color of the scale's upper half, legend and
    letters apart.
    """
    with Image.open(path) as picture:
        pixels = np.asarray(picture.convert("RGB")).astype(np.int64)
    table = sequential()[60:].astype(np.int64)
    lit = np.isin(pixels @ (65536, 256, 1), table @ (65536, 256, 1))[40:]
    middle = lit.shape[1] * 9 // 20
    return [int(np.count_nonzero(half)) for half in (lit[:, :middle], lit[:, middle : 2 * middle])]


def test_a_lower_decay_reaches_further_beside_a_higher_one(recipe, tmp_path):
    result = compare(recipe, "layers.threat.decay", ["0.8", "0.26"], [tmp_path / "compared.png"])
    assert (result.titles, result.seconds, result.files) == (
        ("decay 0.8", "decay 0.26"),
        3,
        (tmp_path / "compared.png",),
    )
    high, low = bright(tmp_path / "compared.png")
    assert 100 < high < low / 3


def test_the_film_shows_the_whole_run_and_ends_like_the_picture(recipe, tmp_path):
    files = [tmp_path / "compared.png", tmp_path / "compared.webp", tmp_path / "compared.gif"]
    compare(recipe, "layers.threat.momentum", ["0.2", "0.8"], files, seconds=1.5)
    with Image.open(files[0]) as still, Image.open(files[1]) as film, Image.open(files[2]) as gif:
        assert film.n_frames == gif.n_frames == 16
        assert still.size == film.size == gif.size
        film.seek(15)
        np.testing.assert_array_equal(
            np.asarray(film.convert("RGB")), np.asarray(still.convert("RGB"))
        )


def test_a_parameter_of_a_layer_that_no_picture_shows(recipe, tmp_path):
    compare(recipe, "layers.goal.decay", ["0.1"], [tmp_path / "compared.png"])
    assert (tmp_path / "compared.png").stat().st_size


@pytest.mark.parametrize(
    ("parameter", "values", "file", "error", "says"),
    [
        ("layers.threat.decai", ["1"], "a.png", BadRecipe, "Perhaps 'decay' is meant"),
        ("layers.threat.decay", ["-1"], "a.png", BadRecipe, "decay is at least 0"),
        ("layers.threat.decay", [], "a.png", InvalidValue, "1 to 16 values"),
        ("layers.threat.decay", ["1"] * 17, "a.png", InvalidValue, "1 to 16 values"),
        ("layers.threat.decay", ["1"], "a.bmp", InvalidValue, "ends in .png"),
    ],
)
def test_bad_comparisons(recipe, tmp_path, parameter, values, file, error, says):
    with pytest.raises(error, match=says):
        compare(recipe, parameter, values, [tmp_path / "out" / file])
    assert not (tmp_path / "out").exists()


def test_a_comparison_makes_files(recipe, tmp_path):
    with pytest.raises(InvalidValue, match="seconds"):
        compare(recipe, "layers.threat.decay", ["1"], [tmp_path / "a.png"], seconds=-1)
    with pytest.raises(InvalidValue, match="at least one file"):
        compare(recipe, "layers.threat.decay", ["1"], [])


def test_a_stopped_comparison_leaves_nothing(recipe, tmp_path, monkeypatch):
    def stop(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("fieldcraft.commands.recipe.outputs.save_png", stop)
    with pytest.raises(KeyboardInterrupt):
        compare(
            recipe,
            "layers.threat.decay",
            ["1"],
            [tmp_path / "new" / "a.png", tmp_path / "b.gif"],
        )
    assert [path.name for path in tmp_path.iterdir()] == ["recipe.toml"]
