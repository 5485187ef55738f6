"""Radial sources that see over ground of different heights, as `visible` does."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from support.examples import examples
from support.refusals import refused
from support.worlds import WRAPS


def a_world(seed: int, wrap: Any = False, y_up: bool = False) -> tuple[fc.Grid, Any, Any]:
    dice = np.random.default_rng(seed)
    shape = (9, 12)
    grid = fc.Grid(walls=dice.random(shape) < 0.1, cell_size=0.5, wrap=wrap, y_up=y_up)
    return grid, (dice.integers(0, 4, shape) / 2).astype(np.float32), dice


def looking(space: fc.Space, heights: Any, eye: float = 0.5) -> tuple[fc.InfluenceMap, Any]:
    imap = fc.InfluenceMap(space)
    layer = imap.add_layer("seen", fc.Radial(2.4, "constant", metric="sight"))
    layer.set_heights(heights, eye=eye)
    return imap, layer


def seen_from(space: fc.Space, places: Any, heights: Any, eye: float) -> Any:
    """How many of the places see each cell, one by one."""
    return sum(
        fc.visible(space, place, 2.4, heights=heights, eye=eye).astype(np.float32)
        for place in places
    )


@examples(25)
@given(
    seed=st.integers(0, 10**6),
    wrap=st.sampled_from(WRAPS),
    y_up=st.booleans(),
    eye=st.sampled_from([0.0, 0.4, 1.0]),
    as_graph=st.booleans(),
    opaque=st.booleans(),
)
def test_it_acts_on_what_visible_shows(
    seed: int, wrap: Any, y_up: bool, eye: float, as_graph: bool, opaque: bool
) -> None:
    grid, heights, dice = a_world(seed, wrap, y_up)
    if opaque:
        grid.set_opaque(dice.random(grid.shape) < 0.1)
        grid.set_opaque(np.flatnonzero(grid.walls)[:3], False)
    space: fc.Space = grid.to_graph() if as_graph and not opaque else grid
    heights = heights.reshape(space.shape)
    open_cells = np.flatnonzero(~space.walls.reshape(-1))
    places = space.position_of(dice.choice(open_cells, 4))
    imap, layer = looking(space, heights, eye)
    handles = [layer.add_source(place, 1.0) for place in places]
    imap.step()
    np.testing.assert_array_equal(layer.values, seen_from(space, places, heights, eye))
    places[0] = space.position_of(int(dice.choice(open_cells)))
    handles[0].move(places[0])
    space.set_walls(int(dice.choice(open_cells)))
    imap.step()
    places = [place for place in places if not space.walls.reshape(-1)[space.cell_at(place)]]
    if len(places) == 4:
        np.testing.assert_array_equal(layer.values, seen_from(space, places, heights, eye))


def test_a_tower_shoots_over_a_low_wall() -> None:
    grid = fc.Grid(9, 5)
    heights = np.zeros(grid.shape)
    heights[:, 4] = 2  # a wall that one sees over from above
    imap, layer = looking(grid, heights, eye=1.0)
    layer.propagation = fc.Radial(9, "constant", metric="sight")
    man = layer.add_source((0.5, 2.5), 1.0)
    imap.step()
    assert not layer.values[:, 5:].any() and layer.values[:, :5].all()
    man.remove()
    heights[2, 0] = 6
    layer.set_heights(heights)
    layer.add_source((0.5, 2.5), 1.0)
    imap.step()
    seen = fc.visible(grid, (0.5, 2.5), 9, heights=heights)
    assert seen[2, 8] and not seen[2, 5]  # beyond the wall, not right behind it
    np.testing.assert_array_equal(layer.values > 0, seen)


def test_it_is_copied_saved_and_left_out_with_the_layer(tmp_path: Path) -> None:
    grid, heights, dice = a_world(5)
    imap, layer = looking(grid, heights)
    places = grid.position_of(dice.choice(np.flatnonzero(~grid.walls), 3))
    handles = [layer.add_source(place, 1.0) for place in places]
    imap.step()
    imap.save(tmp_path / "a.fieldcraft")
    twins = [copy.deepcopy(imap), fc.InfluenceMap.load(tmp_path / "a.fieldcraft")]
    state = imap.state()
    for other in twins:
        twin = other["seen"]
        np.testing.assert_array_equal(twin.heights, heights)
        twin.add_source(places[0], 2.0)
        other.step()
    layer.add_source(places[0], 2.0)
    imap.step()
    for other in twins:
        assert other["seen"].values.tobytes() == layer.values.tobytes()
    without = layer.without(handles[1])
    expected = seen_from(grid, places[[0, 0, 0, 2]], heights, 0.5)
    np.testing.assert_array_equal(without.values, expected)
    layer.set_heights(heights * 3, eye=0.5)
    expected = seen_from(grid, places[[0, 0, 0, 2]], heights * 3, 0.5)
    np.testing.assert_array_equal(without.values, expected)
    layer.set_heights(heights, eye=0.5)
    layer.set_heights(None)
    imap.step()
    assert layer.heights is None
    imap.restore(state)
    imap.step()
    np.testing.assert_array_equal(layer.values, seen_from(grid, places, heights, 0.5))


def test_what_is_refused() -> None:
    grid = fc.Grid(4, 3)
    imap = fc.InfluenceMap(grid)
    connected = imap.add_layer("c", fc.Radial(3))
    with refused(InvalidValue, "lines of sight", 'metric="sight"'):
        connected.set_heights(np.zeros((3, 4)))
    layer = imap.add_layer("s", fc.Radial(3, metric="sight"))
    for wrong in (np.zeros((4, 3)), np.full((3, 4), np.nan), np.full((3, 4), np.inf)):
        with pytest.raises(InvalidValue):
            layer.set_heights(wrong)
    with refused(InvalidValue, "eye"):
        layer.set_heights(np.zeros((3, 4)), eye=-1.0)
    layer.set_heights(np.zeros((3, 4)))
    with refused(InvalidValue, "lines of sight"):
        layer.tune(metric="straight")
    hexes = fc.InfluenceMap(fc.HexGrid(4, 3)).add_layer("s", fc.Radial(3, metric="sight"))
    with refused(InvalidValue, "squares", "Grid"):
        hexes.set_heights(np.zeros((3, 4)))
