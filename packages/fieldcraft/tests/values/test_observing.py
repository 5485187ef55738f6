"""Observations: planes around agents, as windows have them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OutsideMap


@given(
    seed=st.integers(0, 2**32 - 1),
    height=st.integers(0, 4),
    width=st.integers(0, 4),
    wrap=st.booleans(),
)
def test_planes_hold_what_cells_around_the_agent_have(seed, height, width, wrap):
    rng = np.random.default_rng(seed)
    grid = fc.Grid(walls=rng.random((9, 13)) < 0.2, cell_size=0.5, wrap=wrap)
    imap = fc.InfluenceMap(grid)
    layer = imap.add_layer("layer", values=np.where(grid.walls, 0, rng.random(grid.shape)))
    maps = [layer, 2 * layer + 1]
    cells = rng.integers(0, len(grid), 7)
    planes = fc.observe(maps, grid.position_of(cells), (2 * height + 1, 2 * width + 1))
    assert planes.shape == (7, 2, 2 * height + 1, 2 * width + 1)
    assert planes.dtype == np.float32 and planes.flags.c_contiguous and planes.flags.writeable
    for agent, (row, column) in enumerate(zip(*np.divmod(cells, grid.width), strict=True)):
        for (at, across), value in np.ndenumerate(planes[agent, 0]):
            y, x = row + at - height, column + across - width
            inside = 0 <= y < grid.height and 0 <= x < grid.width
            if wrap:
                y, x, inside = y % grid.height, x % grid.width, True
            assert value == (layer.values[y, x] if inside else 0)
            expected = maps[1].values[y, x] if inside else 0
            assert planes[agent, 1, at, across] == expected


@pytest.mark.parametrize("library", ["numpy", "torch", "jax.dlpack"])
def test_planes_go_to_other_libraries_without_a_copy(library):
    module = pytest.importorskip(library)
    imap = fc.InfluenceMap(fc.Grid(6, 5))
    layer = imap.add_layer("a", values=np.ones((5, 6)))
    for agents in range(1, 6):
        planes = fc.observe([layer, 2 * layer], np.full((agents, 2), 0.5), 3)
        shared = module.from_dlpack(planes)
        planes[-1, 0, 1, 1] = 7
        assert shared[-1, 0, 1, 1] == 7


def test_no_agents_give_no_windows():
    layer = fc.InfluenceMap(fc.Grid(6, 5)).add_layer("a", values=np.ones((5, 6)))
    assert fc.observe([layer], [], 3).shape == (0, 1, 3, 3)


@pytest.mark.parametrize(
    ("maps", "window", "text"),
    [
        ([], 3, "none"),
        (["layer", "other"], 3, "one grid"),
        (["layer", "larger"], 3, "one grid"),
        ([np.ones((5, 6))], 3, "made of maps"),
        (["layer"], 4, "odd"),
        (["layer"], 0, "window"),
        (["layer"], (3, 3, 3), "window"),
        (["layer"], 20001, "at most"),
        (["hexagons"], 3, "[Gg]rid"),
    ],
)
def test_bad_input_is_refused(maps, window, text):
    known = {
        name: fc.InfluenceMap(space).add_layer(name, values=np.ones(space.shape))
        for name, space in [
            ("layer", fc.Grid(6, 5)),
            ("other", fc.Grid(5, 6)),
            ("larger", fc.Grid(6, 5, cell_size=2)),
            ("hexagons", fc.HexGrid(6, 5)),
        ]
    }
    chosen = [known[each] if isinstance(each, str) else each for each in maps]
    with pytest.raises(InvalidValue, match=text):
        fc.observe(chosen, [(0.5, 0.5)], window)


def test_positions_off_the_map_are_refused_or_clamped():
    layer = fc.InfluenceMap(fc.Grid(6, 5)).add_layer("a", values=np.ones((5, 6)))
    with pytest.raises(OutsideMap):
        fc.observe([layer], [(7, 2)], 3)
    assert fc.observe([layer], [(7, 2.5)], 3, outside="clamp").sum() == 6


def test_walls_are_0_on_layers_with_an_array_of_your_own() -> None:
    layer = fc.InfluenceMap(fc.Grid(walls=[[0, 1, 0]])).add_layer("a", values=[[5.0, 7.0, 6.0]])
    planes = fc.observe([layer, 1 * layer], [(0.5, 0.5)], window=(1, 5))
    np.testing.assert_array_equal(planes[0, :, 0], [[0, 0, 5, 0, 6], [0, 0, 5, 0, 6]])
