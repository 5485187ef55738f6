from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fieldcraft import kernels
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y
from oracles import shots as reference
from oracles import visible as sight_reference

if kernels.compiled():
    from fieldcraft.kernels.sight import shot_cells as stamp

compiled_only = pytest.mark.skipif(
    not kernels.compiled(), reason="the reference serves: there is no compiled kernel to compare"
)
UNITS = reference.UNITS


def fired(walls, start, end, half_width=0.0, wrap=0, heights=reference.NO_HEIGHTS, eye=0.0):
    """Cells ascending, shares and the stop, by the kernel that serves; points (row, column) in
    units.
    """
    if not kernels.compiled():
        return reference.shot(walls, *start, *end, half_width, wrap, heights, eye)
    first = last = 0.0
    if heights.size:
        first, last = (
            float(heights[y // UNITS % len(heights), x // UNITS % heights.shape[1]]) + eye
            for y, x in (start, end)
        )
    crossings = sum(abs(b // UNITS - a // UNITS) for a, b in zip(start, end, strict=True))
    cells, shares, path, slot = stamp.scratch(
        walls.shape, crossings, half_width, np.zeros(walls.size, dtype=np.int32)
    )
    count, stop = stamp.shot(
        read_only(walls),
        heights,
        first,
        last,
        eye,
        *start,
        *end,
        half_width,
        wrap,
        cells,
        shares,
        path,
        slot,
    )
    assert not slot.any()
    order = np.argsort(cells[:count])
    return cells[:count][order], shares[:count][order], stop


def center(row, column):
    return (row * UNITS + UNITS // 2, column * UNITS + UNITS // 2)


def drawn(*rows):
    return np.array([[character == "#" for character in row] for row in rows]).astype(np.uint8)


@st.composite
def shots(draw, most=12):
    height, width = draw(st.integers(1, most)), draw(st.integers(1, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    walls = (rng.random((height, width)) < draw(st.sampled_from([0.0, 0.05, 0.2]))).astype(np.uint8)
    row, column = draw(st.integers(0, height - 1)), draw(st.integers(0, width - 1))
    to = (draw(st.integers(-5, height + 5)), draw(st.integers(-5, width + 5)))
    if draw(st.booleans()):
        return walls, center(row, column), center(*to), draw(st.integers(0, 3))
    offsets = 2 * rng.integers(0, UNITS // 2, 4) + 1
    start = (row * UNITS + int(offsets[0]), column * UNITS + int(offsets[1]))
    return (
        walls,
        start,
        (to[0] * UNITS + int(offsets[2]), to[1] * UNITS + int(offsets[3])),
        draw(st.integers(0, 3)),
    )


half_widths = st.sampled_from([0.0, 0.0, 0.4 * UNITS, 0.5 * UNITS, 1.0 * UNITS, 2.3 * UNITS])


@compiled_only
@settings(max_examples=80, deadline=None)
@given(shots(), half_widths)
def test_kernel_and_reference_agree(shot, half_width):
    walls, start, end, wrap = shot
    fast = fired(walls, start, end, half_width, wrap)
    slow = reference.shot(walls, *start, *end, half_width, wrap)
    assert np.array_equal(fast[0], slow[0])
    assert np.array_equal(fast[1], slow[1])
    assert fast[2] == slow[2]


def hills(walls, seed):
    return (np.random.default_rng(seed).integers(0, 7, walls.shape) / 4).astype(np.float32)


@compiled_only
@settings(max_examples=120, deadline=None)
@given(shots(), half_widths, st.integers(0, 99), st.sampled_from([0.0, 0.3, 1.0]))
def test_kernel_and_reference_agree_over_heights(shot, half_width, seed, eye):
    walls, start, end, wrap = shot
    heights = hills(walls, seed)
    inside = all(0 <= each // UNITS < side for each, side in zip(end, walls.shape, strict=True))
    assume(inside or wrap == WRAP_X + WRAP_Y)
    fast = fired(walls, start, end, half_width, wrap, heights, eye)
    slow = reference.shot(walls, *start, *end, half_width, wrap, heights, eye)
    assert np.array_equal(fast[0], slow[0])
    assert np.array_equal(fast[1], slow[1])
    assert fast[2] == slow[2]


@settings(max_examples=40, deadline=None)
@given(shots(), st.booleans(), st.integers(0, 99), st.sampled_from([0.0, 0.3, 1.0]))
def test_a_shot_between_centres_arrives_where_sight_does(shot, hilly, seed, eye):
    walls, start, _, _ = shot
    heights = hills(walls, seed) if hilly else reference.NO_HEIGHTS
    width = walls.shape[1]
    row, column = start[0] // UNITS, start[1] // UNITS
    seen, _ = sight_reference.sight_cells(walls, heights, eye, row, column, 10**6, False, False)
    for cell in np.flatnonzero(walls == 0).tolist():
        ends = center(row, column), center(*divmod(cell, width))
        _, _, stop = fired(walls, *ends, heights=heights, eye=eye)
        assert (stop == 1) == (cell in seen)


@settings(max_examples=60, deadline=None)
@given(shots(), st.integers(0, 99), st.sampled_from([0.0, 0.3, 1.0]))
def test_points_close_together_show_where_the_ground_stops_a_shot(shot, seed, eye):
    walls, start, _, _ = shot
    walls[:] = 0
    heights = hills(walls, seed)
    to = np.random.default_rng(seed).integers(0, walls.shape)
    end = center(*to.tolist())
    _, _, stop = fired(walls, start, end, heights=heights, eye=eye)
    ends = [(start[0] // UNITS, start[1] // UNITS), tuple(to.tolist())]
    line = [float(heights[each]) + eye for each in ends]
    shares = np.linspace(0, 1, 2001)
    y = (start[0] + shares * (end[0] - start[0])) / UNITS
    x = (start[1] + shares * (end[1] - start[1])) / UNITS
    inner = (np.abs(y - np.rint(y)) > 1e-6) & (np.abs(x - np.rint(x)) > 1e-6)
    rows, columns = np.floor(y).astype(int), np.floor(x).astype(int)
    for row, column in ends:
        inner &= (rows != row) | (columns != column)
    rows, columns = (
        each.clip(0, side - 1) for each, side in zip((rows, columns), walls.shape, strict=True)
    )
    top = heights[rows, columns].astype(np.float64)
    buried = inner & (top > line[0] + shares * (line[1] - line[0]) + 1e-9)
    first = shares[buried].min(initial=1.0)
    assert stop <= first + 1e-9
    if stop < first - 2e-3:  # a corner, or a cell between two points
        row, column = (int(a + stop * (b - a)) // UNITS for a, b in zip(start, end, strict=True))
        near = heights[max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2]
        assert near.max() >= line[0] + stop * (line[1] - line[0]) - 1e-6


@settings(max_examples=40, deadline=None)
@given(shots())
def test_points_close_together_along_the_line_lie_in_its_cells(shot):
    """What sampling the way densely hits, the shot hits too; and its cells all come near the
    line.
    """
    walls, start, end, wrap = shot
    cells, _, stop = fired(walls, start, end, 0.0, wrap)
    height, width = walls.shape
    shares = np.linspace(0, stop, 400)[1:-1]
    y = (start[0] + shares * (end[0] - start[0])) / UNITS
    x = (start[1] + shares * (end[1] - start[1])) / UNITS
    clear = (np.abs(y - np.rint(y)) > 1e-6) & (np.abs(x - np.rint(x)) > 1e-6)
    sampled = np.unique(
        (np.floor(y[clear]).astype(int) % height) * width + np.floor(x[clear]).astype(int) % width
    )
    start_cell = start[0] // UNITS * width + start[1] // UNITS
    assert set(sampled.tolist()) - {start_cell} <= set(cells.tolist()) | (
        {start_cell} if wrap else set()
    )
    assert (walls.reshape(-1)[cells] == 0).all()


@settings(max_examples=25, deadline=None)
@given(shots(), st.sampled_from([0.5 * UNITS, 1.7 * UNITS]))
def test_a_wider_shot_sweeps_more(shot, half_width):
    walls, start, end, wrap = shot
    thin = fired(walls, start, end, 0.0, wrap)
    middle = fired(walls, start, end, half_width, wrap)
    wide = fired(walls, start, end, half_width + UNITS, wrap)
    assert set(thin[0].tolist()) <= set(middle[0].tolist()) <= set(wide[0].tolist())
    assert thin[2] == middle[2] == wide[2]


def test_cells_are_passed_in_the_order_of_the_way():
    cells, shares, stop = fired(np.zeros((3, 8), dtype=np.uint8), center(1, 0), center(1, 6))
    assert cells.tolist() == [8, 9, 10, 11, 12, 13, 14]
    assert shares == pytest.approx(np.arange(7) / 6)
    assert stop == 1


def test_it_stops_at_the_first_wall():
    walls = drawn("........", "....#...", "........")
    cells, _, stop = fired(walls, center(1, 0), center(1, 7))
    assert cells.tolist() == [8, 9, 10, 11]
    assert stop == pytest.approx(3.5 / 7)


def test_it_stops_at_the_rim():
    cells, _, stop = fired(np.zeros((3, 5), dtype=np.uint8), center(1, 3), center(1, 13))
    assert cells.tolist() == [8, 9]
    assert stop == pytest.approx(0.15)


def test_it_does_not_slip_between_two_walls_that_meet_at_a_corner():
    cells, _, stop = fired(drawn(".#.", "#..", "..."), center(0, 0), center(2, 2))
    assert cells.tolist() == [0]
    assert stop == pytest.approx(0.25)
    assert fired(drawn("...", "#..", "..."), center(0, 0), center(2, 2))[0].tolist() == [0, 4, 8]


def test_it_leaves_the_wall_that_it_starts_in():
    assert fired(drawn("#...#"), center(0, 0), center(0, 4))[0].tolist() == [1, 2, 3]


def test_a_wide_shot_sweeps_the_cells_beside_it_but_not_those_behind_walls():
    walls = drawn("......", "..##..", "......", "......", "......")
    cells, shares, _ = fired(walls, center(3, 0), center(3, 5), half_width=2.0 * UNITS)
    swept = np.zeros(walls.shape, dtype=bool)
    swept.reshape(-1)[cells] = True
    assert swept.tolist() == [
        [False] * 6,
        [True, True, False, False, True, True],
        [True] * 6,
        [True] * 6,
        [True] * 6,
    ]
    assert shares.reshape(-1)[np.searchsorted(cells, [12, 18, 24])] == pytest.approx(0)
    # Nothing lies in the line's way, but a wall stands between it and row 0.
    cells, _, _ = fired(walls, center(2, 0), center(2, 5), half_width=2.0 * UNITS)
    assert cells[cells < 6].tolist() == [0, 1, 4, 5]


def test_it_goes_round_a_torus_and_counts_the_first_pass():
    walls = np.zeros((3, 4), dtype=np.uint8)
    cells, shares, stop = fired(walls, center(1, 2), center(1, 12), wrap=WRAP_X + WRAP_Y)
    assert cells.tolist() == [4, 5, 6, 7]
    assert shares == pytest.approx([0.2, 0.3, 0.0, 0.1])
    assert stop == 1


def test_a_shot_of_no_length_hits_where_it_is():
    assert fired(np.zeros((3, 5), dtype=np.uint8), center(1, 1), center(1, 1))[0].tolist() == [6]
    assert fired(
        np.zeros((3, 5), dtype=np.uint8), center(1, 1), center(1, 1), half_width=1.0 * UNITS
    )[0].tolist() == [1, 5, 6, 7, 11]


def test_the_longest_shots_do_not_overflow():
    walls = np.zeros((9, 7), dtype=np.uint8)
    far = reference.LONGEST - 1
    for end in (center(far, far), center(-far, far + 3), (far * UNITS + 1, -far * UNITS + 4093)):
        cells, shares, stop = fired(walls, center(4, 3), end)
        assert 0 < stop < 1e-4
        assert len(cells) >= 4
        assert (np.diff(np.sort(shares)) >= 0).all()
    whole_map, _, stop = fired(walls, center(4, 3), center(304, 303), wrap=WRAP_X + WRAP_Y)
    assert len(whole_map) == walls.size
    assert stop == 1


def test_units_stay_in_their_cell():
    half = UNITS // 2
    for x in (
        0.0,
        0.5,
        0.999999999999,
        np.nextafter(3.0, 0),
        3.0,
        -0.5,
        np.nextafter(-1.0, -2),
        1e5 + 0.1,
    ):
        point = reference.units(float(x))
        assert point % 2 == 1
        assert point // UNITS == np.floor(x)
        assert abs(point / UNITS - x) <= 1 / half
    assert reference.units(7.5) == 7 * UNITS + half
