from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft_worlds.games.walking import Obstacles, disc, largest_part


def test_walls_are_those_of_a_state_and_banks_follow() -> None:
    grid = fc.Grid(6, 5, wrap=True)
    obstacles = Obstacles(grid)
    assert obstacles.banks.tolist() == []
    walls = np.zeros((5, 6), dtype=np.bool_)
    walls[2, 3] = True
    obstacles.follow(walls)
    assert (grid.walls == walls).all()
    assert obstacles.banks.tolist() == [8, 9, 10, 14, 16, 20, 21, 22]
    obstacles.follow(np.zeros((5, 6), dtype=np.bool_))
    assert not grid.walls.any()
    assert obstacles.banks.tolist() == []


def test_the_rim_of_a_map_is_a_wall() -> None:
    assert len(Obstacles(fc.Grid(6, 5)).banks) == 18


@pytest.mark.parametrize("wrap", [False, True])
def test_a_disc_holds_what_is_near(wrap: bool) -> None:
    grid = fc.Grid(9, 5, wrap=wrap)
    inside = disc(grid, 0, 1.5)
    gaps = np.abs(grid.position_of(np.arange(45)) - grid.position_of(0))
    if wrap:
        gaps = np.minimum(gaps, np.array([9, 5]) - gaps)
    assert (inside == ((gaps**2).sum(axis=1) <= 1.5**2)).all()
    assert inside.sum() == (9 if wrap else 4)


def test_the_largest_part_has_ways_from_each_to_each() -> None:
    grid = fc.Grid(7, 3, walls=np.array([[0, 0, 1, 0, 0, 0, 0]] * 3, dtype=np.bool_))
    assert largest_part(grid).tolist() == [3, 4, 5, 6, 10, 11, 12, 13, 17, 18, 19, 20]
    assert largest_part(fc.Grid(2, 1, walls=np.ones((1, 2), dtype=np.bool_))).tolist() == []
    street = fc.Graph([(0, 0), (1, 0), (2, 0)], [(0, 1), (1, 0), (1, 2)], directed=True)
    assert largest_part(street).tolist() == [0, 1]
