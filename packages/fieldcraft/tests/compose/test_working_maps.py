"""Working maps: cut, weigh, take the best."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.compose import engine
from fieldcraft.compose.window import window
from fieldcraft.errors import InvalidValue, OutsideMap
from fieldcraft.falloff import Falloff, Ring
from support.worlds import KINDS

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


@settings(max_examples=14, deadline=None)
@given(seed=st.integers(0, 100), radius=st.floats(1, 8))
def test_the_best_is_the_best_and_the_nearest_of_equals(seed, radius):
    imap = a_map(seed)
    source = (imap["cover"] * 0.25).clamp(-1, 1)
    spots = imap.space.position_of(np.flatnonzero(~imap.space.walls)[::31])
    for find, better in (("best", max), ("worst", min)):
        choice = getattr(window(source, spots, radius), find)()
        for agent, spot in enumerate(spots):
            reach, cells = by_hand(source, spot, radius)
            wanted = better(value for _, value in cells.values())
            key = min(
                (np.hypot(y - reach, x - reach), y, x)
                for (y, x), (_, value) in cells.items()
                if value == wanted
            )
            assert choice.values[agent] == wanted
            assert choice.cells[agent] == cells[key[1:]][0]
            assert np.array_equal(
                choice.positions[agent], imap.space.position_of(choice.cells[agent])
            )
        alone = getattr(window(source, spots[0], radius), find)()
        assert (
            alone.found
            and alone.positions.shape == (2,)
            and np.ndim(alone.values) == np.ndim(alone.cells) == 0
        )
        assert (
            alone.values == choice.values[0]
            and alone.cells == choice.cells[0]
            and alone.positions.shape == (2,)
        )


def test_nothing_beyond_the_radius_off_the_map_or_on_a_wall_is_chosen():
    imap = a_map()
    all_bad = imap["cover"] * 0 - 5
    at = imap.space.position_of(np.flatnonzero(~imap.space.walls)[[0, -1]])
    choice = window(all_bad, at, 3).weigh("linear").best()
    assert (choice.values <= 0).all()
    assert not imap.space.walls.reshape(-1)[choice.cells].any()


def test_windows_reckon():
    imap = a_map()
    at = [(4.5, 4.5), (0.5, 0.5)]
    cover, threat = window(imap["cover"], at, 4), window(imap["threat"], at, 4)
    a, b, inside = cover.values, threat.values, cover.inside

    def same(ours, expected):
        assert np.array_equal(ours.values, np.where(inside, expected, 0)), expected

    same(cover + threat, a + b)
    same(2 * cover - threat / 4, np.float32(2) * a - b / np.float32(4))
    same(1 - cover, 1 - a)
    same(1 + abs(-cover), 1 + abs(a))
    same(cover / 0, 0 * a)
    same(1 / (cover * 0), 0 * a)
    same(cover.clamp(0, 2), np.clip(a, 0, 2))
    same(cover * np.arange(9), a * np.arange(9, dtype=np.float32))
    assert np.isfinite((cover * 1e30 * 1e30).values).all()
    for agent in (0, 1):
        low, high = a[agent][inside[agent]].min(), a[agent][inside[agent]].max()
        open_cells = inside[agent]
        assert np.array_equal(
            cover.normalize().values[agent][open_cells],
            ((a[agent] - low) / (high - low))[open_cells],
        )
        assert np.array_equal(
            cover.invert().values[agent][open_cells], (high - a[agent])[open_cells]
        )
    assert not (cover * 0 + 1).normalize().values.any()
    assert np.array_equal(cover.values, a)  # as it was


@pytest.mark.parametrize(
    "falloff", ["linear", "parabolic", "constant", Ring(0.25), [1.0, 0.5, 0.0], lambda u: 1 - u]
)
def test_interest_falls_with_distance(falloff):
    imap = a_map(cell_size=2.0)
    cut = window(imap["cover"] * 0 + 1, (14, 12), 7)
    expected = Falloff.of(falloff)(cut.distances / 7).astype(np.float32)
    assert np.allclose(cut.weigh(falloff).values, np.where(cut.inside, expected, 0), atol=1e-6)


def test_a_window_of_an_expression_computes_no_more_than_it_holds(monkeypatch):
    imap = a_map()
    cells = []
    made = engine.Engine.__init__
    monkeypatch.setattr(
        engine.Engine,
        "__init__",
        lambda *given: cells.append(int(given[5][:, 2].sum())) or made(*given),
    )
    window(imap["cover"] - imap["threat"], (4.5, 4.5), 2)
    assert cells == [25]


def test_a_thousand_windows_do_not_depend_on_threads(monkeypatch):
    imap = a_map()
    at = np.random.default_rng(0).uniform(0, (WIDTH, HEIGHT), (300, 2))
    source = imap["cover"] - imap["threat"]
    before = fc.kernels.pool.threads()
    found = set()
    try:
        for threads, work in ((1, 10**9), (2, 100), (3, 1)):
            monkeypatch.setattr(engine, "_WORK_PER_THREAD", work)
            fc.set_threads(threads)
            found.add(window(source, at, 4).values.tobytes())
    finally:
        fc.set_threads(before)
    assert len(found) == 1


def test_no_agents_are_no_windows():
    choice = window(a_map()["cover"] + 1, np.empty((0, 2)), 3).weigh().best()
    assert choice.positions.shape == (0, 2) and choice.values.shape == (0,)


def test_an_agent_that_is_walled_in():
    walls = np.zeros((HEIGHT, WIDTH), bool)
    walls[3:8, 3:8] = True
    imap = a_map(walls=walls)
    cut = window(imap["cover"], [(1.5, 1.5), (5.5, 5.5)], 2)
    with pytest.raises(InvalidValue, match=r"open cell to choose.*\(5.5, 5.5\), agent 1"):
        cut.best()
    choice = cut.best(none="stay")
    assert choice.positions[1].tolist() == [5.5, 5.5] and choice.values[1] == 0
    with pytest.raises(InvalidValue, match="none is one of"):
        cut.best(none="maybe")


def test_bad_windows_are_refused_with_the_rule():
    imap = a_map()
    cover = imap["cover"]
    cut = window(cover, (4, 4), 3)
    for bad, rule in (
        (lambda: window(cover, (4, 4), 0), "above 0"),
        (lambda: window(cover, (4, 4), float("nan")), "finite"),
        (lambda: window(cover.values, (4, 4), 3), "cut from a map"),
        (lambda: window(cover, (4, 4, 4), 3), "pairs"),
        (lambda: cut + cover, "Cut one from it"),
        (lambda: cut + window(cover, (5, 4), 3), "same cells"),
        (lambda: cut + window(cover, (4, 4), 4), "same cells"),
        (lambda: cut + np.ones((3, 4)), "spreads over"),
        (lambda: cut + np.ones((2, 7, 7)), "spreads over"),
        (lambda: cut + "x", "finite float32"),
        (lambda: cut * float("inf"), "finite float32"),
        (lambda: cut.weigh("none"), "falloff is one of"),
        (lambda: window(a_map(wrap=True)["cover"], (4, 4), 7), "torus"),
        (lambda: window(cover, np.full((300_000, 2), 4.0), 500), "cells together"),
    ):
        with pytest.raises(InvalidValue, match=rule):
            bad()
    with pytest.raises(OutsideMap):
        window(cover, (-1, 4), 3)
    assert window(cover, (-1, 4), 3, outside="clamp").cells[3, 3] == imap.space.cell_at((0, 4))
    assert window(cover, (4, 4), 1e9).inside.sum() == (~imap.space.walls).sum()
    assert cut + window(cover, (4.2, 4.9), 3) is not None


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 2**20))
def test_where_and_walk_narrow_a_window_as_they_narrow_best(kind, seed):
    dice = np.random.default_rng(seed)
    space = KINDS[kind](dice)
    imap = fc.InfluenceMap(space)
    source, mask = (
        imap.add_layer(name, values=dice.normal(size=space.shape)) for name in ("cover", "mask")
    )
    at = space.position_of(dice.choice(len(space), 3))
    step = space.adjacency.typical or 1.0
    radius, walk = 1.5 * step, float(dice.uniform(0.5, 4)) * step
    if space.period is not None:
        radius = min(radius, 0.4 * float(space.period.min()))
    plain = window(source, at, radius)
    for where in (mask > 0, mask.values > 0):
        for length in (None, walk):
            cut = window(source, at, radius, where=where, walk=length)
            for agent in range(3):
                allowed = fc.best(
                    source, at[agent], 1e6, count=len(space), where=mask.values > 0, walk=length
                )
                expected = plain.inside[agent] & np.isin(
                    plain.cells[agent], allowed.cells[allowed.found]
                )
                assert np.array_equal(cut.inside[agent], expected)
                assert np.array_equal(cut.values[agent], np.where(expected, plain.values[agent], 0))
            for ours, theirs in ((plain.best, cut.best), (plain.worst, cut.worst)):
                chosen = ours(where=where, walk=length, none="stay")
                assert chosen.cells.tolist() == theirs(none="stay").cells.tolist()
                assert np.array_equal(chosen.found, cut.inside.reshape(3, -1).any(axis=1))


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=5, deadline=None)
@given(
    seed=st.integers(0, 2**20),
    count=st.one_of(st.none(), st.integers(1, 5)),
    steps=st.floats(0, 2.5),
)
def test_a_window_answers_what_best_answers(kind, seed, count, steps):
    dice = np.random.default_rng(seed)
    space = KINDS[kind](dice)
    source = fc.InfluenceMap(space).add_layer("cover", values=dice.normal(size=space.shape))
    at = space.position_of(dice.choice(len(space), 3))
    step = space.adjacency.typical or 1.0
    radius = (
        1.9 * step if space.period is None else min(1.9 * step, 0.4 * float(space.period.min()))
    )
    count = None if count is None else min(count, len(space))
    asked = {"count": count, "spacing": steps * step, "none": "nan", "walk": 2.2 * step}
    cut = window(source, at, radius)
    for ours, theirs in ((cut.best, fc.best), (cut.worst, fc.query.worst)):
        mine, other = ours(**asked), theirs(source, at, radius, **asked)
        for name in ("cells", "values", "positions", "found", "targets"):
            np.testing.assert_array_equal(getattr(mine, name), getattr(other, name))
        assert mine.ranked == other.ranked == (count is not None)
    stays = cut.best(count=count, none="stay")
    np.testing.assert_array_equal(
        stays.cells, fc.best(source, at, radius, count=count, none="stay").cells
    )


def test_what_narrows_no_window_is_refused():
    imap = a_map()
    cover = imap["cover"]
    cut = window(cover, (4.5, 4.5), 3)
    coarse = imap.add_layer("coarse", fc.Radial(4), cell_size=2)
    for wrong, words in (
        (np.ones((WIDTH, HEIGHT), bool), "transpose"),
        (cover.values, "float32"),
        (coarse, "one cell size"),
        (7, "array of bool"),
    ):
        with pytest.raises(InvalidValue, match=words):
            window(cover, (4.5, 4.5), 3, where=wrong)
        with pytest.raises(InvalidValue, match=words):
            cut.best(where=wrong)
    for walk in (0, np.nan, "far"):
        with pytest.raises(InvalidValue, match="walk"):
            cut.best(walk=walk)
    with pytest.raises(InvalidValue, match="where and walk"):
        cut + window(cover, (4.5, 4.5), 3, where=cover > 0)
    with pytest.raises(InvalidValue, match="open cell to choose"):
        cut.best(where=cover > 1e6)
    with pytest.raises(InvalidValue, match="30 open cells to choose"):
        cut.best(count=30)
