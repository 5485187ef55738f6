"""How far sight reaches."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base import errors
from fieldcraft.kernels.compiling import pool
from fieldcraft.space import visible, watchers
from support.shots import SPACE, a_map


@pytest.mark.reference
def test_an_infinite_radius_sees_as_far_as_the_map_goes() -> None:
    walls = np.zeros((7, 30), dtype=bool)
    walls[2:5, 12] = True
    grid = fc.Grid(walls=walls, cell_size=3.0)
    np.testing.assert_array_equal(fc.visible(grid, (1, 10), np.inf), fc.visible(grid, (1, 10), 1e4))
    assert fc.visible(grid, (1, 1), np.inf)[0, 29]
    assert fc.sees(grid, (1, 1), (89, 1), np.inf).tolist() == [[True]]
    with pytest.raises(fc.errors.InvalidValue):
        fc.visible(grid, (1, 10), -np.inf)


@pytest.mark.reference
@pytest.mark.parametrize("kind", ["grid", "torus", "cone", "heights", "graph", "hex"])
def test_pairs_are_the_diagonal_of_all(kind: str) -> None:
    rng = np.random.default_rng(5)
    walls = rng.random((14, 23)) < 0.2
    space: fc.Space = fc.Grid(walls=walls, wrap=kind == "torus")
    options: dict[str, object] = {}
    if kind == "cone":
        options = {"facing": rng.normal(size=(40, 2)), "angle": 120.0}
    elif kind == "heights":
        options = {"heights": rng.random((14, 23)) * 2}
    elif kind == "graph":
        space = fc.Grid(walls=walls).to_graph()
    elif kind == "hex":
        space = fc.HexGrid(23, 14, walls=walls)
    open_ = np.flatnonzero(~space.walls.ravel())
    viewers, targets = (space.position_of(rng.choice(open_, 40)) for _ in range(2))
    radius = rng.uniform(2, 12, 40)
    pairs = fc.sees(space, viewers, targets, radius, pairs=True, **options)
    np.testing.assert_array_equal(
        pairs, fc.sees(space, viewers, targets, radius, **options).diagonal()
    )
    assert 0 < pairs.sum() < 40
    with pytest.raises(fc.errors.InvalidValue, match="as many targets"):
        fc.sees(space, viewers, targets[1:], radius, pairs=True)


def test_what_is_seen_and_what_is_not():
    walls = np.zeros((5, 9), dtype=bool)
    walls[1:4, 4] = True
    space = fc.Grid(9, 5, walls=walls)
    seen = visible(space, (0.5, 2.5), 20)
    assert seen.dtype == np.bool_
    assert seen.shape == (5, 9)
    assert not seen[2, 4:].any()
    assert seen[:, :4].all()
    assert not seen[walls].any()
    with_walls = visible(space, (0.5, 2.5), 20, walls=True)
    assert with_walls[walls].all()
    assert np.array_equal(with_walls & ~walls, seen)


@settings(max_examples=14, deadline=None)
@given(
    st.integers(0, 99),
    st.booleans(),
    st.booleans(),
    st.floats(0.6, 30),
    st.sampled_from([0.25, 1.0, 32.0]),
)
def test_each_sees_the_other_or_neither(seed, wrap, hilly, radius, cell_size):
    space = a_map(seed, wrap=wrap, cell_size=cell_size, origin=(-3.0, 8.0), y_up=bool(seed % 2))
    rng = np.random.default_rng(seed)
    heights = rng.random(space.shape) * 4 if hilly else None
    cells = rng.choice(np.flatnonzero(~space.walls), 8, replace=False)
    positions = space.position_of(cells)
    sees = np.array(
        [
            visible(space, p, radius * cell_size, heights=heights).reshape(-1)[cells]
            for p in positions
        ]
    )
    assert np.array_equal(sees, sees.T)
    assert sees.diagonal().all()


def test_open_ground_is_a_disc_in_world_units():
    space = fc.Grid(21, 15, cell_size=0.1, origin=(5, 5), y_up=True)
    seen = visible(space, space.position_of(7 * 21 + 10), 0.3)
    centers = space.position_of(np.arange(len(space)))
    away = np.hypot(*(centers - centers[7 * 21 + 10]).T)
    assert np.array_equal(seen.reshape(-1), away < 0.3 + 1e-9)
    assert seen.sum() == 29


def test_y_up_turns_the_rows_and_nothing_else():
    walls = np.random.default_rng(3).random((7, 10)) < 0.2
    heights = np.random.default_rng(4).random((7, 10)) * 3
    down, up = fc.Grid(10, 7, walls=walls), fc.Grid(10, 7, walls=walls[::-1], y_up=True)
    for options in ({}, {"facing": (1, 0.5), "angle": 100}, {"walls": True}):
        a = visible(down, (4.5, 2.5), 6, heights=heights, **options)
        b = visible(up, (4.5, 2.5), 6, heights=heights[::-1], **options)
        assert np.array_equal(a, b[::-1])


def test_many_positions_see_together_and_are_counted():
    space = a_map(5, shape=(20, 31))
    rng = np.random.default_rng(5)
    positions = rng.random((40, 2)) * space.size
    radii = rng.random(40) * 9 + 0.5
    each = np.array([visible(space, p, float(r)) for p, r in zip(positions, radii, strict=True)])
    counts = watchers(space, positions, radii)
    assert counts.dtype == np.int32
    assert np.array_equal(counts, each.sum(axis=0))
    assert np.array_equal(visible(space, positions, radii), each.any(axis=0))
    assert not watchers(space, np.empty((0, 2)), 5).any()
    assert np.array_equal(watchers(space, positions[0], radii[0]), each[0].astype(np.int32))


def test_threads_make_no_difference():
    space = a_map(6, share=0.05, shape=(60, 83), wrap=True)
    rng = np.random.default_rng(6)
    positions = rng.random((150, 2)) * space.size
    facing = rng.normal(size=(150, 2))
    threads = pool.threads()
    try:
        answers = []
        for count in (1, 2, 3):
            pool.set_threads(count)
            answers.append(
                watchers(
                    space, positions, 25, facing=facing, angle=200, heights=rng.random((60, 83)) * 0
                )
            )
    finally:
        pool.set_threads(threads)
    assert np.array_equal(answers[0], answers[1])
    assert np.array_equal(answers[0], answers[2])


def test_a_cone():
    space = fc.Grid(11, 9)
    east = visible(space, (5.5, 4.5), 20, facing=(2, 0), angle=90)
    rows, columns = np.nonzero(east)
    assert (columns - 5 >= np.abs(rows - 4)).all()
    assert east.sum() == sum(2 * min(d, 4) + 1 for d in range(6))  # both edges and the own cell
    south = visible(space, (5.5, 4.5), 20, facing=(0, 1), angle=90)
    assert south[8, 5]
    assert not south[0, 5]
    assert visible(space, (5.5, 4.5), 20, facing=(1e-300, 0), angle=360).all()
    assert visible(space, (5.5, 4.5), 20, facing=(1e300, 1e300), angle=0.001).sum() == 5
    both = watchers(space, [(5.5, 4.5), (5.5, 4.5)], 20, facing=[(1, 0), (-1, 0)], angle=180)
    assert both[4, 5] == 2
    assert (both[:, 5] == 2).all()
    assert (both[:, 6:] == 1).all()


def test_ground_hides():
    space = fc.Grid(9, 3)
    heights = np.zeros((3, 9))
    heights[:, 4] = 5
    assert not visible(space, (0.5, 1.5), 20, heights=heights)[:, 5:].any()
    assert visible(space, (0.5, 1.5), 20, heights=heights, eye=5).all()
    assert visible(space, (4.5, 1.5), 20, heights=heights, eye=2).all()


@pytest.mark.parametrize(
    ("arguments", "options", "says"),
    [
        (("map", (1, 1), 3), {}, "takes place on a space"),
        ((SPACE, (1, 1), 0), {}, "above 0"),
        ((SPACE, (1, 1), -2), {}, "above 0"),
        ((SPACE, (1, 1), np.nan), {}, "finite"),
        ((SPACE, (1, 1), -np.inf), {}, "above 0|finite"),
        ((SPACE, (1, 1), "far"), {}, "number"),
        ((SPACE, [(1, 1), (2, 2)], [3, 0]), {}, "index 1"),
        ((SPACE, [(1, 1), (2, 2)], [3, 4, 5]), {}, "one for each"),
        ((SPACE, (7, 1), 3), {}, "on the map"),
        ((SPACE, (np.nan, 1), 3), {}, "finite"),
        ((SPACE, (1, 1), 3), {"heights": np.zeros((6, 4))}, "transpose"),
        ((SPACE, (1, 1), 3), {"heights": np.full((4, 6), np.nan)}, "nan at row 0, column 0"),
        ((SPACE, (1, 1), 3), {"heights": np.full((4, 6), 1e300)}, "finite float32"),
        ((SPACE, (1, 1), 3), {"heights": np.full((4, 6), "a")}, "array of numbers"),
        ((SPACE, (1, 1), 3), {"eye": -1}, "at least 0"),
        ((SPACE, (1, 1), 3), {"facing": (0, 0)}, r"not \(0, 0\)"),
        ((SPACE, (1, 1), 3), {"facing": (np.inf, 0)}, "finite"),
        ((SPACE, (1, 1), 3), {"facing": 90}, "one per position"),
        ((SPACE, (1, 1), 3), {"facing": (1, 0), "angle": 0}, "above 0"),
        ((SPACE, (1, 1), 3), {"facing": (1, 0), "angle": 361}, "at most 360"),
    ],
)
def test_bad_looks_are_refused(arguments, options, says):
    for look in (visible, watchers):
        with pytest.raises(errors.InvalidValue, match=says) as caught:
            look(*arguments, **options)
        assert caught.value.rule
        assert caught.value.got


def test_an_endless_radius_sees_as_far_as_the_map_goes():
    assert visible(SPACE, (1, 1), np.inf).tolist() == visible(SPACE, (1, 1), 99.0).tolist()
