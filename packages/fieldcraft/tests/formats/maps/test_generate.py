"""Generated maps: one connected part in a frame of walls, the same for the same seed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.formats.maps import KINDS
from fieldcraft.formats.maps.generate import generate_map

MAPS = Path(__file__).resolve().parents[5] / "docs/maps.md"


def test_an_empty_map_has_no_walls() -> None:
    space = fc.generate_map("empty", 5, 3, cell_size=2, neighbors=8, tiles=True)
    assert space.shape == (3, 5)
    assert not space.walls.any()
    assert space.cell_size == 2
    assert len(space.neighborhood) == 8
    assert space.cell_at((2, 4)) == 11
    with pytest.raises(InvalidValue, match="loops"):
        fc.generate_map("empty", 5, 3, loops=0.5)


def test_the_guide_names_the_kinds_that_exist() -> None:
    text = MAPS.read_text(encoding="utf-8")
    sentence = re.search(r"reaches every other:(.*?)\.\n", text, re.DOTALL)
    assert sentence is not None
    assert set(re.findall(r'"(\w+)"', sentence[1])) == set(KINDS)
    for kind in KINDS:
        assert len(fc.generate_map(kind, 9, 11)) == 99


def test_the_first_step_of_a_map_does_not_load_ndimage() -> None:
    until = (
        "import fieldcraft as fc\n"
        "imap = fc.InfluenceMap(fc.generate_map('rooms', 60, 40, seed=7))\n"
        "threat = imap.add_layer('threat', fc.Spread(decay=0.15, momentum=0.4))\n"
        "threat.add_source((10.5, 12.5), strength=8.0, on_wall='nearest')"
    )
    named = "('scipy.ndimage', 'scipy.spatial', 'scipy.sparse')"
    code = (
        f"{until}\nimap.step()\nimport sys\nprint([name for name in {named} if name in"
        " sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


RANDOM_KINDS = [kind for kind in KINDS if kind != "empty"]


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(RANDOM_KINDS), st.integers(8, 70), st.integers(8, 50), st.integers(0, 2**32))
def test_every_map_is_one_piece_inside_a_frame_of_walls(kind, width, height, seed):
    grid = generate_map(kind, width, height, seed=seed)
    assert grid.shape == (height, width)
    assert ndimage.label(~grid.walls)[1] == 1
    assert grid.walls[[0, -1]].all()
    assert grid.walls[:, [0, -1]].all()


@pytest.mark.parametrize("kind", RANDOM_KINDS)
def test_the_seed_decides_the_map(kind):
    first, again, other = (generate_map(kind, 60, 40, seed=seed) for seed in (5, 5, 6))
    np.testing.assert_array_equal(first.walls, again.walls)
    assert (first.walls != other.walls).any()


@pytest.mark.parametrize(
    ("kind", "low", "high"), [("rooms", 0.65, 0.9), ("cave", 0.3, 0.75), ("open", 0.8, 0.95)]
)
def test_the_share_of_open_ground_suits_the_kind(kind, low, high):
    shares = [1 - generate_map(kind, 96, 60, seed=seed).walls.mean() for seed in range(10)]
    assert low < min(shares) <= max(shares) < high


def test_options_reach_the_grid():
    grid = generate_map("open", 12, 9, cell_size=2.5, neighbors=8, y_up=True)
    assert (grid.size, grid.neighborhood.is_eight, grid.y_up) == ((30, 22.5), True, True)


@pytest.mark.parametrize(
    "arguments",
    [("swamp", 9, 9), ("cave", 7, 9), ("cave", 9, 7), ("cave", 2**13, 2**13), ("cave", 9.5, 9)],
)
def test_bad_arguments(arguments):
    with pytest.raises(InvalidValue):
        generate_map(*arguments)


def test_a_negative_seed_is_refused():
    with pytest.raises(InvalidValue):
        generate_map("cave", 9, 9, seed=-1)
