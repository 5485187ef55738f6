"""Along a path: exact lengths in every cell."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft import query
from fieldcraft.base.errors import InvalidValue, OutsideMap
from support.fields import Field, inside, noise, ramp, random_walls
from support.refusals import refused
from support.samples import SPACES


def cut(field: Field, start: np.ndarray, end: np.ndarray) -> tuple[float, float]:
    """(sum, maximum) of one line, from sorting all the places where it crosses an edge."""
    space = field.space
    size = space.cell_size
    marks = [0.0, 1.0]
    for axis in range(2):
        first, last = (
            (start[axis] - space.origin[axis]) / size,
            (end[axis] - space.origin[axis]) / size,
        )
        edges = np.arange(np.ceil(min(first, last)), np.floor(max(first, last)) + 1)
        marks += ((edges - first) / (last - first)).tolist() if first != last else []
    marks = sorted(mark for mark in marks if 0 <= mark <= 1)
    total, highest = 0.0, -np.inf
    for t0, t1 in pairwise(marks):
        if t1 - t0 > 1e-9:
            middle = start + (end - start) * ((t0 + t1) / 2)
            value = float(field.values.flat[space.cell_at(middle)])
            total += value * (t1 - t0) * float(np.hypot(*(end - start)))
            highest = max(highest, value)
    return total, highest


@given(st.integers(0, 10**6), st.booleans(), st.booleans())
@settings(max_examples=25)
def test_a_line_counts_each_cell_with_its_length_in_it(seed: int, y_up: bool, wrap: bool) -> None:
    space = fc.Grid(13, 8, cell_size=0.5, origin=(-2.0, 1.0), y_up=y_up, wrap=wrap)
    field = noise(space, seed)
    points = inside(space, 8, seed)
    points[::2] = np.round(points[::2] * 4) / 4 - 0.01 * np.array([1, 1]) * (
        seed % 2
    )  # many on edges and centers
    points = np.clip(
        points, np.array(space.origin), np.array(space.origin) + space.size - np.array(0.01)
    )
    unrolled = [points[0]]
    for point in points[1:]:
        step = point - unrolled[-1]
        unrolled.append(
            unrolled[-1] + (step - np.round(step / space.size) * space.size if wrap else step)
        )
    pieces = [cut(field, one, other) for one, other in pairwise(unrolled)]
    found = query.along(field, points)
    lengths = np.hypot(*np.diff(np.array(unrolled), axis=0).T)
    assert found.sum == pytest.approx(sum(total for total, _ in pieces), abs=1e-6)
    assert found.length == pytest.approx(lengths.sum())
    assert found.mean == pytest.approx(found.sum / found.length)
    assert found.maximum == max(highest for _, highest in pieces)
    assert query.sample(field, found.where) == np.float32(found.maximum)


def test_a_straight_line_over_a_ramp_has_its_middle_as_mean() -> None:
    space = fc.Grid(40, 30, cell_size=0.25)
    field = ramp(space, (2.0, -1.0))
    start, end = np.array([1.0, 2.0]), np.array([9.0, 6.0])
    found = query.along(field, [start, end])
    assert found.mean == pytest.approx((start + end) / 2 @ [2.0, -1.0], abs=1e-4)
    assert found.length == pytest.approx(np.hypot(8, 4))
    backwards = query.along(field, [end, start])
    assert backwards.sum == pytest.approx(found.sum) and backwards.maximum == found.maximum


def test_by_hand() -> None:
    field = Field(fc.Grid(3, 2, cell_size=2.0), np.array([[1, 5, 2], [7, 3, 4]], np.float32))
    found = query.along(field, [(1.0, 1.0), (5.0, 1.0), (5.0, 3.0)])
    assert found.sum == 1 * 1 + 5 * 2 + 2 * 1 + 2 * 1 + 4 * 1
    assert (found.length, found.maximum, found.where.tolist()) == (6.0, 5.0, [3.0, 1.0])
    assert found.mean == pytest.approx(19 / 6)
    edge = query.along(
        field, [(0.0, 2.0), (6.0, 2.0)], outside="clamp"
    )  # the line belongs to the cells that own it
    assert edge.sum == (7 + 3 + 4) * 2.0
    corner = query.along(field, [(0.0, 0.0), (4.0, 4.0)], outside="clamp")
    assert corner.sum == pytest.approx((1 + 3) * 2 * np.sqrt(2))


def test_of_equally_high_cells_the_first_on_the_way_counts() -> None:
    field = Field(fc.Grid(5, 1), np.array([[0, 3, 1, 3, 0]], np.float32))
    assert query.along(field, [(0.5, 0.5), (4.5, 0.5)]).where.tolist() == [1.5, 0.5]
    assert query.along(field, [(4.5, 0.5), (0.5, 0.5)]).where.tolist() == [3.5, 0.5]


def test_on_a_torus_it_goes_the_short_way() -> None:
    field = Field(fc.Grid(10, 1, wrap=True), np.arange(10, dtype=np.float32)[None])
    found = query.along(field, [(8.5, 0.5), (0.5, 0.5)])
    assert found.length == 2.0 and found.sum == 0.5 * 8 + 9 + 0.5 * 0
    assert found.maximum == 9 and found.where.tolist() == [9.5, 0.5]
    assert query.along(field, [(8.5, 0.5), (10.5, 0.5)]).sum == found.sum


def test_a_path_that_stands_still() -> None:
    field = noise(fc.Grid(4, 3, y_up=True), 1)
    for path in ([(1.2, 2.2)], [(1.2, 2.2), (1.2, 2.2)]):
        found = query.along(field, path)
        here = query.sample(field, (1.2, 2.2))
        assert (found.sum, found.length, found.mean, found.maximum) == (0.0, 0.0, here, here)
        assert found.where.tolist() == [1.2, 2.2]


def test_many_paths_at_once() -> None:
    space = fc.Grid(30, 20)
    field = noise(space, 2)
    paths = [inside(space, count, count) for count in (1, 2, 9, 4)]
    found = query.along(field, paths)
    for i, path in enumerate(paths):
        one = query.along(field, path)
        assert (one.sum, one.length, one.mean, one.maximum) == (
            found.sum[i],
            found.length[i],
            found.mean[i],
            found.maximum[i],
        )
        assert one.where.tolist() == found.where[i].tolist()
    assert isinstance(one.sum, float) and isinstance(one.maximum, float)
    block = inside(space, 40, 3).reshape(10, 4, 2)
    assert query.along(field, block).sum.shape == (10,)
    assert query.along(field, block.tolist()).sum.tolist() == query.along(field, block).sum.tolist()
    nothing = query.along(field, [])
    assert nothing.sum.shape == (0,) and nothing.where.shape == (0, 2)
    assert query.along(field, np.empty((0, 5, 2))).mean.shape == (0,)


def test_results_do_not_depend_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    space = fc.Grid(50, 30)
    field, paths = noise(space, 4), inside(space, 30_000, 5).reshape(-1, 3, 2)
    answers = []
    for threads in (1, 3):
        monkeypatch.setattr("fieldcraft.kernels.compiling.pool._count", threads)
        answers.append(query.along(field, paths))
    assert (
        answers[0].sum.tobytes() == answers[1].sum.tobytes()
        and answers[0].where.tobytes() == answers[1].where.tobytes()
    )


def test_off_the_map_and_other_refusals() -> None:
    field = noise(fc.Grid(4, 3), 6)
    with refused(OutsideMap, "at index 1"):
        query.along(field, [(1, 1), (4, 1)])
    found = query.along(field, [(3.5, 0.5), (9.0, 0.5), (9.0, 9.0)], outside="clamp")
    assert found.length == 3.0
    assert found.sum == pytest.approx(
        field.values[0, 3] * 1.0 + field.values[1, 3] + field.values[2, 3], abs=1e-6
    )
    assert found.where[0] <= 4 and query.sample(field, found.where, outside="clamp") == np.float32(
        found.maximum
    )
    for wrong in ((1.0, 2.0), np.empty((0, 2)), "path", 5, None):
        with refused(InvalidValue):
            query.along(field, wrong)  # type: ignore[arg-type]
    for wrong in ([[(1, 1)], []], [np.empty((0, 2))]):
        with refused(InvalidValue, "as path"):
            query.along(field, wrong)
    with refused(InvalidValue, "nan"):
        query.along(field, [(1, 1), (np.nan, 1)])
    with refused(InvalidValue, "outside"):
        query.along(field, [(1, 1)], outside="wrap")


@pytest.mark.reference
@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("how", ["nearest", "bilinear"])
def test_the_gradient_of_a_ramp_is_its_slope(space: fc.Grid, how: str) -> None:
    slope = (0.5, -2.0)
    walls = random_walls(space.shape, 0.15, 7)
    walled = fc.Grid(
        space.width,
        space.height,
        cell_size=space.cell_size,
        origin=space.origin,
        y_up=space.y_up,
        walls=walls,
    )
    for ground in (space, walled):
        field = ramp(ground, slope)
        points = inside(ground, 300, 8)
        found = query.gradient(field, points, how=how)
        cells = np.asarray(ground.cell_at(points))
        rows, columns = np.divmod(cells, ground.width)
        padded = np.pad(ground.walls, 1, constant_values=True)
        alone = np.stack(
            [
                padded[rows + 1, columns] & padded[rows + 1, columns + 2],
                padded[rows, columns + 1] & padded[rows + 2, columns + 1],
            ],
            axis=1,
        )
        mixed = (how == "bilinear") & (
            ground is walled
        )  # mixes in cells without neighbors, whose slope is 0
        checked = ~alone & ~ground.walls.reshape(-1)[cells][:, None] & (not mixed)
        np.testing.assert_allclose(
            found[checked], np.broadcast_to(slope, found.shape)[checked], rtol=2e-5, atol=2e-5
        )
        if not mixed:
            assert (found[alone] == 0).all()


@pytest.mark.reference
def test_the_gradient_goes_round_a_torus_and_shows_up_as_up() -> None:
    values = np.array([[0, 1, 3], [0, 1, 3]], np.float32)
    field = Field(fc.Grid(3, 2, wrap=True), values)
    assert query.gradient(field, (0.5, 0.5)).tolist() == [(1 - 3) / 2, 0.0]
    hill = np.array([[5.0], [1.0], [0.0]], np.float32)  # the top row is the highest
    assert query.gradient(Field(fc.Grid(1, 3), hill), (0.5, 1.5)).tolist() == [0.0, -2.5]
    assert query.gradient(Field(fc.Grid(1, 3, y_up=True), hill), (0.5, 1.5)).tolist() == [0.0, 2.5]
    assert query.gradient(Field(fc.Grid(1, 3, cell_size=0.5), hill), (0.25, 0.75)).tolist() == [
        0.0,
        -5.0,
    ]


@pytest.mark.reference
def test_a_smooth_gradient_mixes_those_of_the_cells() -> None:
    space = fc.Grid(11, 6, cell_size=0.4)
    field, points = noise(space, 9), inside(space, 200, 10)
    slopes = query.gradient(field, space.position_of(np.arange(len(space))))
    smooth = query.gradient(field, points, how="bilinear")
    for axis in range(2):
        part = Field(space, slopes[:, axis].reshape(space.shape).astype(np.float32))
        np.testing.assert_allclose(
            smooth[:, axis], query.sample(part, points, how="bilinear"), rtol=1e-5, atol=1e-6
        )
