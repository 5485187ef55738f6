"""Levels of LDtk."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fieldcraft import load_map
from fieldcraft.base.errors import UnknownName
from support.map_files import LDTK, written


def test_walls_and_entities_of_a_level(tmp_path: Path) -> None:
    grid = load_map(written(tmp_path, "a.ldtk", LDTK), neighbors=8)
    assert grid.walls.tolist() == [[False, True, False], [True, False, False]]
    assert grid.cell_size == 16 and list(grid.objects) == ["Guard"]
    guards = grid.objects["Guard"]
    np.testing.assert_array_equal(guards.positions, [(24, 24)])
    assert guards.properties == ({"sees": 5},)
    some = load_map(tmp_path / "a.ldtk", wall_values=[2], tiles=True)
    assert some.walls.sum() == 1
    np.testing.assert_array_equal(some.objects["Guard"].positions, [(1, 1)])
    assert load_map(tmp_path / "a.ldtk", level="Two").walls.sum() == 5
    with pytest.raises(UnknownName, match="Two"):
        load_map(tmp_path / "a.ldtk", level="Tow")
