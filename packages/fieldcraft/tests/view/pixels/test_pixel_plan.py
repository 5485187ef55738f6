"""Which cells of a picture are drawn, and how large a picture may be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft import view
from fieldcraft.base.errors import InvalidValue
from fieldcraft.view.pixels.themes import DARK, LIGHT
from support.refusals import refused

SPACES = [fc.Grid(6, 3), fc.HexGrid(6, 3)]


def test_what_was_never_seen_is_not_what_was_just_seen() -> None:
    grid = fc.Grid(6, 3)
    stale = fc.LastSeen(grid)
    stale.advance(2.0)
    stale.observe([0])
    picture = view.frame(stale, scale=4)
    assert picture[2, 2].tolist() != picture[2, 10].tolist()
    assert tuple(picture[2, 2, :3].tolist()) == DARK.ground
    assert stale.never.sum() == 17


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize(("ground", "theme"), [("dark", DARK), ("light", LIGHT), (None, DARK)])
def test_what_was_never_seen_has_a_color_of_its_own(space: Any, ground: Any, theme: Any) -> None:
    seen = fc.LastSeen(space)
    seen.observe([0])
    picture = view.frame(seen, size=120, ground=ground, opacity=1)
    x, y = view.Placement(space, size=120).pixel_of(space.position_of(9)).astype(int)
    assert picture[y, x].tolist() == [*theme.never_seen, 255]


@pytest.mark.parametrize("kind", [fc.Grid, fc.HexGrid])
def test_cells_that_cannot_be_reached_are_not_drawn(kind: Any) -> None:
    space = kind(5, 1, walls=np.array([[0, 0, 1, 0, 0]], bool))
    distances = fc.distance_map(space, space.position_of(0))
    picture = view.frame(distances, size=150, threshold=None)
    bare = view.frame(np.zeros(space.shape), space=space, size=150)
    pixels = view.Placement(space, size=150).pixel_of(space.position_of([0, 3])).astype(int)
    goal, unreached = [(picture[y, x] == bare[y, x]).all() for x, y in pixels]
    assert unreached
    assert not goal


def test_pictures_of_too_many_pixels_are_refused() -> None:
    with refused(InvalidValue, "67,108,864 pixels"):
        view.frame(np.zeros((3, 6)), scale=2_000)
