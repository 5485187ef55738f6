from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import ndimage

import fieldcraft as fc
from fieldcraft.formats.adapters.sc2 import Battlefield
from fieldcraft.formats.adapters.sc2.regions import regions_of
from support import realdata
from support.sc2 import WARNINGS, Game

pytestmark = WARNINGS


def test_regions_are_parted_by_chokes() -> None:
    walls = np.ones((30, 60), dtype=bool)
    walls[3:27, 3:25] = walls[3:27, 35:57] = False
    walls[13:17, 25:35] = False
    found = regions_of(fc.Grid(walls=walls, neighbors=8))
    assert len(found.regions) == 2
    (choke,) = [each for each in found.chokes if each.regions == (0, 1)][:1]
    assert choke.width == pytest.approx(4)
    assert 24 <= choke.position[0] <= 36
    assert found.at((10.5, 10.5)) != found.at((50.5, 10.5))
    assert found.at(np.array([(10.5, 10.5), (0.5, 0.5)])).tolist() == [found.at((10.5, 10.5)), -1]
    assert regions_of(fc.Grid(30, 20)).chokes == ()


@pytest.mark.parametrize(
    "path", realdata.files("sc2/grids", "*.npz")[:4], ids=lambda path: path.stem
)
def test_chokes_of_real_maps_part_their_regions(path: Any) -> None:
    field = Battlefield(Game(np.load(path, allow_pickle=False)["pathing"]).bot)
    found = field.regions
    assert 8 <= len(found.regions) <= 60
    closed = found.space.walls.copy()
    for choke in found.chokes:
        closed.reshape(-1)[choke.cells] = True
    parts = ndimage.label(~closed)[0].reshape(-1)
    inside = (parts > 0) & (found.of_cell >= 0)
    pairs = np.unique(np.stack([parts[inside], found.of_cell[inside]]), axis=1)
    assert len(np.unique(pairs[0])) == len(pairs[0]) == len(found.regions)
    a, b = (int(found.at(end)) for end in np.load(path, allow_pickle=False)["start_locations"][:2])
    assert a != b
