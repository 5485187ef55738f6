"""Cells and walls that the maps of an expression share."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from support.expressions import HEIGHT, WIDTH, a_map, f32, walled


def test_walls_read_zero_and_do_not_count_for_ranges():
    imap, walls = walled()
    a = imap["ally"].values
    low, high = a[~walls].min(), a[~walls].max()
    assert np.array_equal((imap["ally"] + 7).values, np.where(walls, 0, a + f32(7)))
    assert np.array_equal(
        imap["ally"].normalize().values, np.where(walls, 0, (a - low) / (high - low))
    )
    assert np.array_equal(imap["ally"].invert().values, np.where(walls, 0, high - a))


def test_nothing_but_walls_is_zero_everywhere():
    imap = a_map(space=fc.Grid(WIDTH, HEIGHT, walls=np.ones((HEIGHT, WIDTH), bool)))
    a = imap["ally"]
    for each in (a + 1, a.normalize(), a.invert(), a.smooth(), 1 - a.normalize(signed=True)):
        assert not each.values.any()


def test_a_cell_is_a_wall_if_it_is_one_in_all_maps():
    imap, walls = walled()
    air = imap.add_layer("air", walls=False, values=np.full((HEIGHT, WIDTH), 2.0))
    ground = imap["ally"]
    both = ground.invert() + air
    assert both.space.walls.any() == 0
    assert np.array_equal(both.values, ground.invert().values + 2)
    assert np.array_equal((air + ground.invert()).values, both.values)
    other = imap.add_layer("other", walls=~walls, values=np.ones((HEIGHT, WIDTH)))
    assert (other + ground).space.walls.any() == 0
    half = walls.copy()
    half[: HEIGHT // 2] = False
    amphibian = imap.add_layer("amphibian", walls=half, values=np.ones((HEIGHT, WIDTH)))
    assert np.array_equal((ground + amphibian).space.walls, half)
    assert np.array_equal(
        (ground + amphibian).values, np.where(half, 0, np.where(walls, 0, ground.values) + f32(1))
    )


def test_walls_that_change_while_it_runs():
    imap, _ = walled()
    air = imap.add_layer("air", walls=False, values=np.full((HEIGHT, WIDTH), 2.0))
    kept = [
        imap["ally"] + 7,
        imap["ally"].normalize(),
        imap["ally"].smooth(2),
        imap["ally"].invert() + air,
    ]
    for each in kept:
        each.read(), each.values
    versions = [each.version for each in kept]
    imap.space.set_walls(np.arange(40, 300))
    imap.space.set_walls(np.arange(500, 600), False)
    fresh = [
        imap["ally"] + 7,
        imap["ally"].normalize(),
        imap["ally"].smooth(2),
        imap["ally"].invert() + air,
    ]
    for each, version, new in zip(kept, versions, fresh, strict=True):
        assert each.version != version
        assert np.array_equal(each.values, new.values)
        assert np.array_equal(each.space.walls, new.space.walls)
    assert (
        not (kept[0].values * imap.space.walls).any()
        and kept[0].values[imap.space.walls == 0].any()
    )


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"width": WIDTH + 1}, "width x height"),
        ({"origin": (1, 0)}, "origin"),
        ({"y_up": True}, "y_up"),
        ({"wrap": True}, "wrap"),
        ({"cell_size": 3.0, "origin": (2, 2)}, "cell_size"),
    ],
)
def test_maps_of_different_spaces_are_refused(imap, options, what):
    other = a_map(space=fc.Grid(**{"width": WIDTH, "height": HEIGHT, **options}))
    with pytest.raises(InvalidValue, match=f"same space.*{what}"):
        imap["ally"] - other["ally"]


def test_maps_of_equal_spaces_can_be_compared(imap):
    before = imap.copy()
    imap["ally"].write(imap["ally"].values + 1)
    assert np.allclose((imap["ally"] - before["ally"]).values, 1, atol=1e-6)
