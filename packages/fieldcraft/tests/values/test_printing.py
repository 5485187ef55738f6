"""Layers as text."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.values.printing import text

NO_WALLS = np.zeros((2, 5), dtype=bool)


def test_small_maps_take_two_characters_a_cell() -> None:
    values = np.array([[0, 1, 2, 4, 8], [8, 4, 0.001, 0, 0]], dtype=np.float32)
    assert text(values, NO_WALLS).splitlines() == ["  ::--++@@", "@@++..", "strongest 8"]


def test_negative_values_are_letters() -> None:
    values = np.array([[-8, -4, -0.01, 0, 8], [0, 0, 0, 0, 0]], dtype=np.float32)
    assert text(values, NO_WALLS).splitlines() == ["hheeaa  @@", "", "strongest 8"]


def test_walls() -> None:
    walls = NO_WALLS.copy()
    walls[0, 1:3] = True
    assert text(np.zeros((2, 5), np.float32), walls).splitlines()[0] == "  ####"


def test_an_empty_map_says_so() -> None:
    assert text(np.zeros((2, 5), np.float32), NO_WALLS).splitlines() == ["", "", "strongest 0"]


@pytest.mark.parametrize(
    ("height", "width"), [(1, 1), (32, 39), (33, 40), (500, 3), (3, 500), (1000, 1001)]
)
def test_any_size_fits_a_terminal(height: int, width: int) -> None:
    lines = text(np.ones((height, width), np.float32), np.zeros((height, width), bool)).splitlines()
    assert max(len(line) for line in lines[:-1]) <= 78
    assert len(lines) <= 33


def test_a_block_shows_its_strongest_value_and_is_a_wall_only_if_all_of_it_is() -> None:
    values = np.zeros((64, 100), np.float32)
    walls = np.zeros((64, 100), bool)
    values[1, 1], values[1, 2], values[0, 2] = -5, 4, 2
    walls[0:2, 4:6] = True
    walls[0:2, 6:7] = True
    lines = text(values, walls).splitlines()
    assert lines[0] == "h%#"
    assert lines[-1] == "strongest 5, 2 x 2 cells a character"


def test_print() -> None:
    imap = fc.InfluenceMap(fc.Grid(5, 2))
    layer = imap.add_layer("threat", fc.Spread(0.5, 1.0))
    layer.add_source((0.5, 0.5), 8)
    imap.step(6)
    assert str(layer).splitlines()[0] == "threat: 1 sources, at 0.6 s"
    assert str(layer).splitlines()[1].startswith("@@")
    assert repr(layer).startswith("<SpreadLayer 'threat' on 5 x 2")
