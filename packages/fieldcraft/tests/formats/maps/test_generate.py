"""Generated maps: blurring with the bits of SciPy's, and a first step that loads no SciPy."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.formats.maps import KINDS

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
