"""Windows hold the values of the cells around agents."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OutsideMap
from fieldcraft.values import plan as plans
from fieldcraft.values.window import window

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
            if space.wrap:
                y, x = y % space.height, x % space.width
            near = np.hypot(dx, dy) * space.cell_size <= radius + 1e-9
            if near and 0 <= y < space.height and 0 <= x < space.width and not space.walls[y, x]:
                found[dy + reach, dx + reach] = (y * space.width + x, source.values[y, x])
    return reach, found


@settings(max_examples=16, deadline=None)
@given(
    seed=st.integers(0, 100),
    radius=st.floats(0.4, 12),
    wrap=st.booleans(),
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
    made = plans.Calculation.__init__
    monkeypatch.setattr(
        plans.Calculation, "__init__", lambda *given: cells.append(given[3]) or made(*given)
    )
    window(imap["cover"] - imap["threat"], (4.5, 4.5), 1)
    assert cells == [5]


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
        (lambda: window(a_map(wrap=True)["cover"], (4, 4), 7), "torus"),
        (lambda: window(cover, np.full((300_000, 2), 4.0), 500), "cells together"),
    ):
        with pytest.raises(InvalidValue, match=rule):
            bad()
    with pytest.raises(OutsideMap):
        window(cover, (-1, 4), 3)
    assert window(cover, (-1, 4), 3, outside="clamp").cells[3, 3] == imap.space.cell_at((0, 4))
    assert window(cover, (4, 4), 1e9).inside.sum() == (~imap.space.walls).sum()
