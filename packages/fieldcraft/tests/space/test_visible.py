from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base import errors
from fieldcraft.kernels.compiling import pool
from fieldcraft.space import incoming, visible, watchers


def a_map(seed=1, share=0.2, shape=(12, 17), **options):
    rng = np.random.default_rng(seed)
    return fc.Grid(shape[1], shape[0], walls=rng.random(shape) < share, **options)


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


def test_a_shot_in_world_units():
    walls = np.zeros((4, 10), dtype=bool)
    walls[1, 8] = True
    space = fc.Grid(10, 4, cell_size=2, origin=(100, 50), walls=walls)
    shot = incoming(space, (101, 53), (119, 53), speed=4)
    assert shot.cells.tolist() == [10, 11, 12, 13, 14, 15, 16, 17]
    assert shot.seconds == pytest.approx(np.append(np.arange(0, 4, 0.5), [])[:8])
    assert shot.end == pytest.approx((116, 53))
    assert shot.blocked
    missed = incoming(space, (101, 51), (119, 51), speed=4, width=2)
    assert not missed.blocked
    assert missed.end == (119, 51)
    assert missed.cells[:2].tolist() == [0, 1]
    wide = incoming(space, (101, 51), (119, 51), speed=4, width=4)
    assert set(wide.cells.tolist()) == {*range(20)} - {18}
    assert (np.diff(wide.seconds) >= 0).all()
    assert wide.cells[:4].tolist() == [0, 10, 1, 11]


def test_a_shot_with_y_up_and_on_a_torus():
    up = fc.Grid(6, 4, y_up=True)
    assert incoming(up, (0.5, 0.5), (0.5, 3.5), speed=1).cells.tolist() == [18, 12, 6, 0]
    torus = fc.Grid(6, 4, wrap=True)
    assert incoming(torus, (4.5, 1.5), (7.5, 1.5), speed=1).cells.tolist() == [10, 11, 6, 7]
    assert incoming(
        torus, (4.5 + 600, 1.5 - 40), (7.5 + 600, 1.5 - 40), speed=1
    ).cells.tolist() == [10, 11, 6, 7]


@settings(max_examples=16, deadline=None)
@given(st.integers(0, 99), st.booleans())
def test_a_shot_starts_in_its_own_cell_at_once(seed, y_up):
    space = a_map(seed, cell_size=0.3, origin=(0.1, -7.7), y_up=y_up)
    rng = np.random.default_rng(seed)
    start, end = rng.random((2, 2)) * np.array(space.size) + space.origin
    shot = incoming(space, start, end, speed=3.0)
    here = space.cell_at(start)
    assert space.walls.reshape(-1)[here] or here in shot.cells
    assert not space.walls.reshape(-1)[shot.cells].any()
    assert (shot.seconds <= np.hypot(*(end - start)) / 3.0).all()


SPACE = fc.Grid(6, 4)


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


@pytest.mark.parametrize(
    ("start", "end", "options", "says"),
    [
        ((1, 1), (2, 2), {"speed": 0}, "speed is above 0"),
        ((1, 1), (2, 2), {"speed": 1e-320}, "finite time"),
        ((1, 1), (2, 2), {"speed": 1, "width": -1}, "at least 0"),
        ((1, 1), (2, 2), {"speed": 1, "width": 1e300}, "2,048 cells wide"),
        ((1, 1), (1e9, 2), {"speed": 1}, "at most 262,144 cells"),
        ((-1, 1), (2, 2), {"speed": 1}, "on the map"),
        ((1, 1), (np.nan, 2), {"speed": 1}, "finite"),
        ([(1, 1), (2, 2)], (2, 2), {"speed": 1}, "start is one"),
    ],
)
def test_bad_shots_are_refused(start, end, options, says):
    with pytest.raises(errors.InvalidValue, match=says):
        incoming(SPACE, start, end, **options)


def test_an_endless_radius_sees_as_far_as_the_map_goes():
    assert visible(SPACE, (1, 1), np.inf).tolist() == visible(SPACE, (1, 1), 99.0).tolist()
