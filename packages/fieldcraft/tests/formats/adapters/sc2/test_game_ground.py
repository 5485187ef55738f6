"""Blocked cells, regions and chokes."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy import ndimage

import fieldcraft as fc
from fieldcraft.formats.adapters.sc2 import Battlefield
from fieldcraft.formats.adapters.sc2.game_ground import dilated, regions_of
from support import realdata
from support.sc2 import DEPOT, LOWERED, ROCKS, WARNINGS, Game, image

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from sc2.pixel_map import PixelMap

pytestmark = WARNINGS


def test_buildings_come_and_go(game: Game) -> None:
    field = Battlefield(game.bot)
    game.place(DEPOT, 30.0, 8.0, alliance=1, radius=1.1)
    game.step()
    field.update()
    cells = [field.ground.cell_at((x, y)) for x in (29.5, 30.5) for y in (7.5, 8.5)]
    assert field.ground.walls.flat[cells].all()
    assert not field.ground.walls.flat[field.ground.cell_at((31.5, 8.5))]
    game.units[0].unit_type = LOWERED
    game.step()
    field.update()
    assert not field.ground.walls.flat[cells].any()


def levels(game: Game, height: np.ndarray) -> None:
    """Tell the game how high its ground is."""
    game.bot.game_info.terrain_height = PixelMap(image(height, 8))


def test_climbers_cross_cliffs_of_one_level() -> None:
    pathing = np.ones((24, 40), dtype=np.uint8)
    pathing[:, 10:12] = 0  # a cliff
    pathing[:, 20:25] = 0  # too wide
    pathing[:, 32:34] = 0  # a wall between equal levels
    pathing[12, 10:12] = 1
    game = Game(pathing)
    height = np.full((24, 40), 191)
    height[:, 12:20], height[:, 25:] = 207, 223
    levels(game, height)
    game.place(DEPOT, 11.0, 5.0, radius=1.0)
    game.step()
    field = Battlefield(game.bot)
    walls = field.space("climber").walls[::-1]
    assert not walls[8:16, 10:12].any()
    assert walls[4:6, 10:12].all()
    assert walls[:, 21:24].all()
    assert walls[:, 32:34].all()
    around, over = (
        field.pathfind((5.5, 20.5), (16.5, 20.5)),
        field.pathfind((5.5, 20.5), (16.5, 20.5), "climber"),
    )
    assert over.length == pytest.approx(11)
    assert around.length > 15


@pytest.mark.parametrize("radius", [0.4, 0.75, 1.0, 1.6])
def test_large_units_keep_clear_of_walls(radius: float) -> None:
    rng = np.random.default_rng(3)
    blocked = rng.random((13, 17)) < 0.1
    found = dilated(blocked, radius)
    for y, x in np.ndindex(blocked.shape):
        gaps = [
            np.hypot(max(abs(y - v) - 0.5, 0), max(abs(x - u) - 0.5, 0))
            for v, u in np.argwhere(blocked)
        ]
        assert found[y, x] == (blocked[y, x] or min(gaps) < radius)


def test_large_units_do_not_fit_through_narrow_doors() -> None:
    pathing = np.ones((24, 40), dtype=np.uint8)
    pathing[12:14] = 0
    pathing[12:14, 8:10] = 1
    pathing[12:14, 30:34] = 1
    field = Battlefield(Game(pathing).bot)
    small, large = (field.pathfind((8.5, 5.5), (8.5, 20.5), kind) for kind in ("ground", "large"))
    assert small.length == pytest.approx(15, abs=1.5)
    assert large.positions[:, 0].max() > 30


def test_rocks_are_walked_through_by_those_who_ask(game: Game) -> None:
    game.pathing[:12, 20:24] = 0
    game.info.start_raw.pathing_grid.CopyFrom(image(game.pathing, 1))
    game.place(ROCKS, 22.0, 6.0, alliance=3, radius=2.0)
    game.bot.game_info.pathing_grid = PixelMap(image(game.pathing, 1), in_bits=True)
    game.step()
    field = Battlefield(game.bot)
    if not len(game.bot.destructables):
        pytest.skip("this game has no rocks by that number")
    assert field.space("rocks").walls.sum() < field.ground.walls.sum()


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
