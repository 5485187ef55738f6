from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldcraft import kernels
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y
from oracles import visible as reference

if kernels.compiled():
    from fieldcraft.kernels.sight import visible as sight

compiled_only = pytest.mark.skipif(
    not kernels.compiled(), reason="the reference serves: there is no compiled kernel to compare"
)


def seen(
    walls,
    row,
    column,
    limit,
    *,
    heights=reference.NO_HEIGHTS,
    eye=1.0,
    wrap=0,
    lit=False,
):
    """Cells and squared distances, by the kernel that serves."""
    if not kernels.compiled():
        return reference.sight_cells(walls, heights, eye, row, column, limit, wrap, lit)
    scratch = sight.scratch(walls.shape, limit, heights=heights.size > 0)
    cells = np.full(sight.most_cells(walls.shape, limit), -1)
    squares = np.full(len(cells), -1)
    place = (row * walls.shape[1] + column, limit, wrap, lit)
    count = sight.sight_cells(
        read_only(walls), heights, float(eye), *place, cells, squares, scratch
    )
    return cells[:count], squares[:count]


def in_sight(walls, row, column, limit, **options):
    mask = np.zeros(walls.shape, dtype=bool)
    mask.reshape(-1)[seen(walls, row, column, limit, **options)[0]] = True
    return mask


def drawn(*rows):
    return np.array([[character == "#" for character in row] for row in rows]).astype(np.uint8)


@st.composite
def looks(draw, most=15, heights=False):
    height, width = draw(st.integers(1, most)), draw(st.integers(1, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    walls = (rng.random((height, width)) < draw(st.sampled_from([0.0, 0.05, 0.2, 0.5]))).astype(
        np.uint8
    )
    row, column = draw(st.integers(0, height - 1)), draw(st.integers(0, width - 1))
    limit = draw(st.one_of(st.integers(0, 60), st.integers(0, 500)))
    ground = reference.NO_HEIGHTS
    if heights:
        steps = draw(st.sampled_from([1, 3, 1000]))
        ground = (rng.integers(0, 4 * steps, (height, width)) / steps).astype(np.float32)
    return walls, row, column, limit, draw(st.integers(0, 3)), ground


def cut_by(dy, dx, oy, ox):
    """How the line from (0, 0) to (dy, dx) meets the square around (oy, ox): 2 inside, +-1 a corner
    on a side, 0 not.

    By clipping the line at the sides of the square, with fractions.
    """
    low, high = Fraction(0), Fraction(1)
    for d, o in ((dy, oy), (dx, ox)):
        near, far = Fraction(2 * o - 1, 2), Fraction(2 * o + 1, 2)
        if d == 0:
            if not near < 0 < far:
                return 0
        else:
            low, high = max(low, min(near / d, far / d)), min(high, max(near / d, far / d))
    if low < high:
        return 2
    return 0 if low > high else (1 if oy * dx > ox * dy else -1)


def slow_sight(walls, row, column, limit):
    """Open cells in sight on a map without wrap, straight from the definition."""
    obstacles = [
        (y - row, x - column) for y, x in np.argwhere(walls).tolist() if (y, x) != (row, column)
    ]
    mask = np.zeros(walls.shape, dtype=bool)
    for y, x in np.argwhere(walls == 0).tolist():
        dy, dx = y - row, x - column
        meets = {cut_by(dy, dx, *obstacle) for obstacle in obstacles}
        mask[y, x] = dy * dy + dx * dx <= limit and 2 not in meets and not {-1, 1} <= meets
    return mask


@settings(max_examples=16, deadline=None)
@given(looks(most=8))
def test_it_sees_what_the_definition_says(look):
    walls, row, column, limit, _, _ = look
    assert np.array_equal(
        in_sight(walls, row, column, limit), slow_sight(walls, row, column, limit)
    )


@compiled_only
@pytest.mark.parametrize("hills", [False, True])
@settings(max_examples=60, deadline=None)
@given(looks(heights=True), st.booleans(), st.sampled_from([0.0, 0.1, 1.0]))
def test_kernel_and_reference_agree(hills, look, lit, eye):
    walls, row, column, limit, wrap, heights = look
    heights = heights if hills else reference.NO_HEIGHTS
    fast = seen(walls, row, column, limit, wrap=wrap, lit=lit, heights=heights, eye=eye)
    slow = reference.sight_cells(walls, heights, eye, row, column, limit, wrap, lit)
    assert np.array_equal(fast[0], slow[0])
    assert np.array_equal(fast[1], slow[1])


@compiled_only
@pytest.mark.parametrize(
    ("share", "hills"), [(0.0, False), (0.01, False), (0.1, False), (0.05, True)]
)
@pytest.mark.parametrize("wrap", [0, WRAP_X, WRAP_Y, WRAP_X + WRAP_Y])
def test_kernel_and_reference_agree_far_out(share, hills, wrap):
    rng = np.random.default_rng(3)
    walls = (rng.random((40, 56)) < share).astype(np.uint8)
    heights = (
        rng.random(walls.shape).astype(np.float32) * np.float32(3)
        if hills
        else reference.NO_HEIGHTS
    )
    for row, column in ((20, 20), (0, 55)):
        fast = seen(walls, row, column, 1100, wrap=wrap, heights=heights, eye=1.5)
        slow = reference.sight_cells(walls, heights, 1.5, row, column, 1100, wrap, False)
        assert np.array_equal(fast[0], slow[0])
        assert np.array_equal(fast[1], slow[1])


@compiled_only
def test_one_scratch_serves_shorter_radii_and_other_places():
    rng = np.random.default_rng(5)
    walls = read_only((rng.random((21, 34)) < 0.2).astype(np.uint8))
    heights = rng.random(walls.shape).astype(np.float32) * 2
    scratch = sight.scratch(walls.shape, 200, heights=True)
    cells, squares = np.zeros((2, sight.most_cells(walls.shape, 200)), dtype=np.int64)
    for row, column, limit, ground in (
        (10, 10, 200, heights),
        (0, 3, 17, sight.NO_HEIGHTS),
        (20, 33, 90, heights),
        (5, 5, 0, heights),
    ):
        wrap = WRAP_X + WRAP_Y
        count = sight.sight_cells(
            walls, ground, 1.0, row * 34 + column, limit, wrap, True, cells, squares, scratch
        )
        alone = seen(walls, row, column, limit, wrap=wrap, lit=True, heights=ground)
        assert np.array_equal(cells[:count], alone[0])


@pytest.mark.parametrize("wrap", [0, WRAP_X, WRAP_Y, WRAP_X + WRAP_Y])
@pytest.mark.parametrize("hilly", [False, True])
@pytest.mark.parametrize("shape", [(12, 17), (9, 8)])
def test_sight_is_symmetric(shape, hilly, wrap):
    rng = np.random.default_rng(7)
    for share, limit in ((0.05, 1000), (0.25, 90), (0.5, 1000)):
        walls = (rng.random(shape) < share).astype(np.uint8)
        heights = (rng.random(shape) * 3).astype(np.float32) if hilly else reference.NO_HEIGHTS
        open_cells = np.flatnonzero(walls == 0)
        sees = np.array(
            [
                in_sight(
                    walls, *divmod(int(cell), shape[1]), limit, heights=heights, eye=0.3, wrap=wrap
                ).reshape(-1)
                for cell in open_cells
            ]
        )[:, open_cells]
        assert np.array_equal(sees, sees.T)
        assert sees.diagonal().all()
        assert 0 < sees.sum() < sees.size or share == 0


@settings(max_examples=25, deadline=None)
@given(looks(), st.booleans())
def test_open_ground_is_seen_as_a_disc(look, lit):
    walls, row, column, limit, wrap, _ = look
    cells, squares = seen(np.zeros_like(walls), row, column, limit, wrap=wrap, lit=lit)
    height, width = walls.shape
    dy, dx = (np.abs(np.arange(n) - at) for n, at in ((height, row), (width, column)))
    if wrap & WRAP_Y:
        dy = np.minimum(dy, height - dy)
    if wrap & WRAP_X:
        dx = np.minimum(dx, width - dx)
    away = (dy * dy)[:, None] + dx * dx
    assert np.array_equal(cells, np.flatnonzero(away <= limit))
    assert np.array_equal(squares, away.reshape(-1)[cells])


@settings(max_examples=25, deadline=None)
@given(looks(), st.sampled_from([0.0, 0.1, 2.0]), st.floats(-1e6, 1e6, width=32), st.booleans())
def test_flat_ground_is_no_ground(look, eye, level, lit):
    walls, row, column, limit, wrap, _ = look
    flat = np.full(walls.shape, level, dtype=np.float32)
    with_heights = in_sight(walls, row, column, limit, wrap=wrap, heights=flat, eye=eye, lit=lit)
    assert np.array_equal(with_heights, in_sight(walls, row, column, limit, wrap=wrap, lit=lit))


@settings(max_examples=35, deadline=None)
@given(looks())
def test_towering_ground_blocks_as_walls_do(look):
    """The heights' line and the walls' sectors are two ways of saying one rule."""
    walls, row, column, limit, wrap, _ = look
    walls[row, column] = 0
    towers = walls * np.float32(1000)
    over_ground = in_sight(np.zeros_like(walls), row, column, limit, wrap=wrap, heights=towers)
    among_walls = in_sight(walls, row, column, limit, wrap=wrap)
    assert np.array_equal(over_ground & (walls == 0), among_walls)


@settings(max_examples=40, deadline=None)
@given(looks())
def test_walls_that_are_not_lit_may_go(look):
    walls, row, column, limit, _, _ = look
    fewer = walls * in_sight(walls, row, column, limit, lit=True)
    fewer[row, column] = walls[row, column]
    before = in_sight(walls, row, column, limit)
    assert np.array_equal(in_sight(fewer, row, column, limit) & (walls == 0), before)


def test_a_hill_hides_what_is_low_behind_it():
    walls = np.zeros((1, 7), dtype=np.uint8)
    hill = np.array([[0, 0, 3, 0, 0, 0, 9]], dtype=np.float32)
    assert in_sight(walls, 0, 0, 100, heights=hill, eye=1).tolist() == [
        [True, True, True, False, False, False, True]
    ]
    assert in_sight(walls, 0, 2, 100, heights=hill, eye=1).all()
    # The line from 1 to 10 rises to 3.25 where it enters column 2.
    assert not in_sight(
        walls, 0, 0, 100, heights=np.array([[0, 0, 3.4, 0, 0, 0, 9]], dtype=np.float32), eye=1
    )[0, 6]


def test_the_two_ends_of_a_line_do_not_block_it():
    cliff = np.array([[10, 10, 0, 0]], dtype=np.float32)
    walls = np.zeros((1, 4), dtype=np.uint8)
    assert in_sight(walls, 0, 1, 100, heights=cliff, eye=0.5).all()
    assert in_sight(walls, 0, 0, 100, heights=cliff, eye=0.5).tolist() == [
        [True, True, False, False]
    ]


def test_a_torus_looks_the_shortest_way():
    walls = drawn("..#.....", "........", "........")
    east = in_sight(walls, 0, 0, 16, wrap=WRAP_X + WRAP_Y)
    assert east[0].tolist() == [
        True,
        True,
        False,
        False,
        True,
        True,
        True,
        True,
    ]  # column 4 is as far to the west
    assert not in_sight(drawn("..#..#..", "........", "........"), 0, 0, 16, wrap=WRAP_X + WRAP_Y)[
        0, 4
    ]


def test_the_radius_is_inclusive():
    assert reference.squared_reach(5) == 25
    assert reference.squared_reach(0.3 / 0.1) == 9
    assert reference.squared_reach(np.sqrt(2)) == 2
    assert reference.squared_reach(0.999) == 0
    assert reference.squared_reach(1e300) == reference.squared_reach(2.0**29)


@settings(max_examples=16, deadline=None)
@given(
    looks(heights=True),
    st.booleans(),
    st.booleans(),
    st.sampled_from([-2.0, -0.5, 0.0, 0.7071067811865476 - 1e-9]),
    st.integers(0, 9),
)
def test_a_field_of_view_counts_who_sees(look, lit, hilly, narrow, seed):
    walls, row, column, limit, wrap, heights = look
    ground = heights if hilly else reference.NO_HEIGHTS
    rng = np.random.default_rng(seed)
    sources = np.append(rng.integers(0, walls.size, 3), row * walls.shape[1] + column)
    limits = np.array([limit, 3, 40, limit])
    turns = rng.random(4) * 2 * np.pi
    facings = (
        np.stack([np.cos(turns), np.sin(turns)], axis=1) if narrow > -2 else reference.NO_FACINGS
    )
    counts = np.zeros(walls.shape, dtype=np.int32)
    reference.field_of_view(walls, ground, 1.0, sources, limits, facings, narrow, wrap, lit, counts)
    if kernels.compiled():
        fast = np.zeros(walls.shape, dtype=np.int32)
        room = sight.scratch(walls.shape, max(limit, 40), heights=hilly)
        cones = sight.NO_CONES
        if narrow > -2:
            cones = np.column_stack([facings, np.full(4, narrow)])
        sight.field_of_view(
            read_only(walls), ground, sources, limits, cones, 1.0, wrap, lit, fast, room
        )
        assert np.array_equal(fast, counts)
    if narrow == -2:
        each = [
            in_sight(
                walls, *divmod(int(s), walls.shape[1]), int(n), heights=ground, wrap=wrap, lit=lit
            )
            for s, n in zip(sources, limits, strict=True)
        ]
        assert np.array_equal(counts, np.sum(each, axis=0))
