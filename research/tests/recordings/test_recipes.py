"""The recipes of recordings run, on timelines converted as their comments say."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from fieldcraft.commands.recipe import read_recipe
from fieldcraft.commands.recipe.outputs import run
from research.recordings.convert import READERS
from support import realdata

RECIPES = Path(__file__).resolve().parents[2] / "recipes"


@pytest.mark.parametrize(
    ("recipe", "kind", "recording", "timeline", "overrides"),
    [
        (
            "real_ants",
            "tracks",
            "trajectories/ants",
            "ants.csv",
            ["run.seconds=20", "run.speed=30", "outputs.0.size=160", "outputs.1.size=160"],
        ),
        (
            "corridor",
            "pedestrians",
            "trajectories/pedestrians/bi_corr_400_b_03.txt",
            "corridor.csv",
            ["run.seconds=4", "outputs.0.at=2", "outputs.1.until=3"],
        ),
    ],
)
def test_the_recipes_of_recordings_run(tmp_path, recipe, kind, recording, timeline, overrides):
    data = realdata.folder("trajectories").parent
    copy = shutil.copy(RECIPES / f"{recipe}.toml", tmp_path)
    READERS[kind](data / recording).write(tmp_path / timeline)
    assert run(read_recipe(Path(copy), overrides, data=data), tmp_path / "out").files
