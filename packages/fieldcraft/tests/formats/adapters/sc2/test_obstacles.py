from __future__ import annotations

import warnings

import numpy as np
import pytest

from fieldcraft.formats.adapters.sc2 import Battlefield
from fieldcraft.formats.adapters.sc2.obstacles import dilated
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
