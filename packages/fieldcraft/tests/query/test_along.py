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
from support.fields import Field, inside, noise, ramp
from support.refusals import refused


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
