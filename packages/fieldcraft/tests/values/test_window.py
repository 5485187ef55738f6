"""Windows hold the values of the cells around agents."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OutsideMap
from fieldcraft.values import calculation
from fieldcraft.values.window import window
from support.worlds import WRAPS

WIDTH, HEIGHT = 19, 13


def a_map(seed=1, **options):
    rng = np.random.default_rng(seed)
    walls = rng.random((HEIGHT, WIDTH)) < 0.2
    imap = fc.InfluenceMap(fc.Grid(WIDTH, HEIGHT, **{"walls": walls, **options}))
    for name in ("cover", "threat"):
        imap.add_layer(name, values=rng.normal(0, 4, (HEIGHT, WIDTH)).astype(np.float32).round(1))
    return imap


def by_hand(source, center, radius):
    """The cells that a window holds, with their values, one by one: {(row, column) in the window:
    (cell, value)}.
    """
    space = source.space
    reach = int(radius / space.cell_size + 1e-9)
    row, column = divmod(space.cell_at(center), space.width)
    found = {}
    for dy in range(-reach, reach + 1):
        for dx in range(-reach, reach + 1):
            y, x = row + dy, column + dx
            if space.wraps_x:
                x %= space.width
            if space.wraps_y:
                y %= space.height
            near = np.hypot(dx, dy) * space.cell_size <= radius + 1e-9
            if near and 0 <= y < space.height and 0 <= x < space.width and not space.walls[y, x]:
                found[dy + reach, dx + reach] = (y * space.width + x, source.values[y, x])
    return reach, found


@settings(max_examples=16, deadline=None)
@given(
    seed=st.integers(0, 100),
    radius=st.floats(0.4, 12),
    wrap=st.sampled_from(WRAPS),
    y_up=st.booleans(),
    fresh=st.booleans(),
    kind=st.sampled_from(["layer", "expression", "normalized", "smoothed"]),
)
def test_windows_hold_the_cells_around(seed, radius, wrap, y_up, fresh, kind):
    imap = a_map(seed, wrap=wrap, y_up=y_up, cell_size=0.5 if wrap else 2.0, origin=(3.0, -8.0))
    radius = min(radius, 2.9) if wrap else radius
    net = imap["cover"] - 0.5 * imap["threat"]
    source = {
        "layer": imap["cover"],
        "expression": net,
        "normalized": net.normalize(),
        "smoothed": net.smooth(),
    }[kind]
    twin = {
        "layer": imap["cover"],
        "expression": net * 1,
        "normalized": (net * 1).normalize(),
        "smoothed": (net * 1).smooth(),
    }[kind]
    if fresh:
        source.values
    spots = imap.space.position_of(np.random.default_rng(seed).integers(0, WIDTH * HEIGHT, 4))
    together = window(source, spots, radius)
    for agent, spot in enumerate(spots):
        reach, cells = by_hand(twin, spot, radius)
        alone = window(source, spot, radius)
        assert (
            alone.values.shape
            == alone.inside.shape
            == alone.cells.shape
            == alone.distances.shape
            == (2 * reach + 1,) * 2
        )
        assert {tuple(each) for each in np.argwhere(alone.inside).tolist()} == set(cells)
        for place, (cell, value) in cells.items():
            assert alone.cells[place] == cell and alone.values[place] == value
        assert not alone.values[~alone.inside].any()
        assert np.array_equal(together.values[agent], alone.values) and np.array_equal(
            together.inside[agent], alone.inside
        )
        corner = together.origin[agent]
        assert np.allclose(corner, alone.origin) and np.allclose(
            corner + (reach + 0.5) * imap.space.cell_size, spot
        )


def test_a_window_of_an_expression_computes_no_more_than_it_holds(monkeypatch):
    imap = a_map(walls=None)
    cells = []
    made = calculation.Calculation.__init__
    monkeypatch.setattr(
        calculation.Calculation, "__init__", lambda *given: cells.append(given[3]) or made(*given)
    )
    score = imap["cover"] - imap["threat"]
    window(score, (4.5, 4.5), 1)
    assert set(cells) <= {calculation._LEAST_SAMPLE}  # none, if an expression like it had a sample
    assert not score.is_computed
    assert len(imap.space) > calculation._LEAST_SAMPLE


def test_no_agents_are_no_windows():
    cut = window(a_map()["cover"] + 1, np.empty((0, 2)), 3)
    assert cut.values.shape == cut.cells.shape == (0, 7, 7) and cut.origin.shape == (0, 2)


def test_bad_windows_are_refused_with_the_rule():
    imap = a_map()
    cover = imap["cover"]
    hexagons = fc.InfluenceMap(fc.HexGrid(5, 4)).add_layer("cover", values=np.zeros((4, 5)))
    for bad, rule in (
        (lambda: window(cover, (4, 4), 0), "above 0"),
        (lambda: window(cover, (4, 4), float("nan")), "finite"),
        (lambda: window(cover.values, (4, 4), 3), "cut from a map"),
        (lambda: window(cover, (4, 4, 4), 3), "pairs"),
        (lambda: window(hexagons, (4, 4), 3), "needs a grid"),
        (lambda: window(a_map(wrap=True)["cover"], (4, 4), 7), "wraps"),
        (lambda: window(a_map(wrap="y")["cover"], (4, 4), 7), "wraps"),
        (lambda: window(cover, np.full((300_000, 2), 4.0), 500), "cells together"),
    ):
        with pytest.raises(InvalidValue, match=rule):
            bad()
    with pytest.raises(OutsideMap):
        window(cover, (-1, 4), 3)
    assert window(cover, (-1, 4), 3, outside="clamp").cells[3, 3] == imap.space.cell_at((0, 4))
    assert window(cover, (4, 4), 1e9).inside.sum() == (~imap.space.walls).sum()


@given(
    seed=st.integers(0, 2**32 - 1),
    height=st.integers(0, 4),
    width=st.integers(0, 4),
    wrap=st.sampled_from(WRAPS),
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
            if grid.wraps_y:
                y %= grid.height
            if grid.wraps_x:
                x %= grid.width
            inside = 0 <= y < grid.height and 0 <= x < grid.width
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


def test_one_position_leaves_the_first_axis_out_but_for_learners() -> None:
    layer = fc.InfluenceMap(fc.Grid(7, 5)).add_layer("threat", fc.Radial(2.0))
    assert fc.window(layer, (2.5, 2.5), 1).values.shape == (3, 3)
    assert fc.best(layer, (2.5, 2.5), 1.0).position.shape == (2,)
    assert fc.observe([layer], (2.5, 2.5), 3).shape == (1, 1, 3, 3)  # a batch of one
    assert "N = 1" in str(fc.observe.__doc__)
