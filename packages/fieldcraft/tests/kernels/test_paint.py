"""Drawing: compiled kernels paint the pixels that they paint run plain, and these are shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fieldcraft import kernels
from fieldcraft.view.drawing import brush
from support.tiers import uncompiled

reference: Any = uncompiled("paint")
fast: Any = kernels.pictures.paint

SHAPES = [
    reference.DISC,
    reference.SQUARE,
    reference.TRIANGLE,
    reference.DIAMOND,
    reference.RING,
    reference.CROSS,
]


def test_shapes_have_the_numbers_of_the_brush() -> None:
    assert [getattr(fast, shape.upper()) for shape in brush.SHAPES] == list(
        range(len(brush.SHAPES))
    )


def canvas(rng: np.random.Generator) -> np.ndarray:
    made = rng.integers(0, 256, (47, 61, 4), dtype=np.uint8)
    made[..., 3] = 255
    return made


def headings(rng: np.random.Generator, count: int) -> np.ndarray:
    angle = rng.uniform(0, 2 * np.pi, count)
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("rim", [0.0, 1.2])
def test_marks(shape: int, rim: float) -> None:
    rng = np.random.default_rng(shape)
    one = canvas(rng)
    other = one.copy()
    count = 40
    arguments = (
        rng.uniform(-20, 80, count),
        rng.uniform(-20, 70, count),
        rng.uniform(0.2, 14, count),
        headings(rng, count),
        rng.integers(0, 256, (count, 3), dtype=np.uint8),
        shape,
        rim,
        200,
    )
    reference.marks(*arguments, one)
    fast.marks(*arguments, other)
    assert (one == other).all()
    assert (one[..., 3] == 255).all()


@pytest.mark.parametrize("side", [1, 2, 5])
def test_dots(side: int) -> None:
    rng = np.random.default_rng(side)
    one = canvas(rng)
    other = one.copy()
    arguments = (
        rng.uniform(-9, 70, 60),
        rng.uniform(-9, 60, 60),
        rng.integers(0, 256, (60, 3), dtype=np.uint8),
        side,
        180,
    )
    reference.dots(*arguments, one)
    fast.dots(*arguments, other)
    assert (one == other).all()


@pytest.mark.parametrize("half", [0.3, 0.8, 3.0])
def test_segments(half: float) -> None:
    rng = np.random.default_rng(7)
    starts, ends = rng.uniform(-40, 100, (60, 2)), rng.uniform(-40, 100, (60, 2))
    ends[0] = starts[0]
    ends[1, 0], ends[2, 1] = starts[1, 0], starts[2, 1]
    for i in range(len(starts)):
        one = np.zeros((47, 64), np.uint8)
        other = one.copy()
        reference.segments(starts[i : i + 1], ends[i : i + 1], half, one)
        fast.segments(starts[i : i + 1], ends[i : i + 1], half, other)
        assert (one == other).all()


def test_sectors() -> None:
    rng = np.random.default_rng(5)
    count = 30
    angle = rng.uniform(0.1, 3.1, count)
    cosines, sines = np.cos(angle), np.sin(angle)
    cosines[:3] = -1
    one = np.zeros((47, 64), np.uint8)
    other = one.copy()
    arguments = (
        rng.uniform(-20, 80, count),
        rng.uniform(-20, 70, count),
        headings(rng, count),
        rng.uniform(0, 25, count),
        cosines,
        sines,
    )
    for i in range(count):
        part = [column[i : i + 1] for column in arguments]
        reference.sectors(*part, one)
        fast.sectors(*part, other)
        assert (one == other).all()


def test_wash_and_stamp() -> None:
    rng = np.random.default_rng(6)
    one = canvas(rng)
    other = one.copy()
    mask = rng.integers(0, 256, (47, 64), dtype=np.uint8)
    mask[rng.random(mask.shape) < 0.8] = 0
    masks = [mask.copy(), mask.copy()]
    reference.wash(10, 200, 90, 150, (3, 5, 50, 40), one, masks[0])
    fast.wash(10, 200, 90, 150, (3, 5, 50, 40), other, masks[1])
    assert masks[0][:, :3].any()
    assert (one == other).all()
    assert (masks[0] == masks[1]).all()
    assert not masks[0][5:40, 3:50].any()
    for left, top in [(-5, -4), (50, 40), (10, 3), (-100, 0), (0, 200)]:
        reference.stamp(np.ascontiguousarray(mask[:20, :30]), left, top, 240, 1, 2, one)
        fast.stamp(np.ascontiguousarray(mask[:20, :30]), left, top, 240, 1, 2, other)
        assert (one == other).all()


def test_polygons_and_discs() -> None:
    rng = np.random.default_rng(8)
    corners, rings, starts = [], [], [0]
    for _ in range(40):
        angle = np.sort(rng.uniform(0, 2 * np.pi, rng.integers(3, 8)))
        center, size = rng.uniform(-10, 70, 2), rng.uniform(1, 20)
        rings += list(range(len(corners), len(corners) + len(angle)))
        corners += (center + size * np.stack([np.cos(angle), np.sin(angle)], axis=1)).tolist()
        starts.append(len(rings))
    places = np.array(corners)
    places[::7] = np.rint(places[::7])
    arguments = (*places.T.copy(), np.array(starts), np.array(rings), rng.permutation(40))
    one = np.full((47, 61), -1, np.int32)
    other = one.copy()
    reference.polygons(*arguments, one)
    fast.polygons(*arguments, other)
    assert (one == other).all()
    assert len(np.unique(one)) > 10
    one[:] = other[:] = -1
    near = [np.full(one.shape, 36.0), np.full(one.shape, 36.0)]
    reference.discs(*places.T.copy(), 6.0, one, near[0])
    fast.discs(*places.T.copy(), 6.0, other, near[1])
    assert (one == other).all()
    assert (near[0] == near[1]).all()


def test_polygons_side_by_side_leave_no_gap_and_do_not_overlap() -> None:
    xs, ys = (
        np.array([0.0, 10.3, 20.0, 0.0, 9.1, 20.0]),
        np.array([0.0, 0.0, 0.0, 10.0, 10.0, 10.0]),
    )
    starts, rings = np.array([0, 4, 8]), np.array([0, 1, 4, 3, 1, 2, 5, 4])
    forth, back = np.full((10, 20), -1, np.int32), np.full((10, 20), -1, np.int32)
    reference.polygons(xs, ys, starts, rings, np.array([0, 1]), forth)
    reference.polygons(xs, ys, starts, rings, np.array([1, 0]), back)
    assert (forth == back).all()
    assert (forth >= 0).all()


@pytest.mark.parametrize(
    ("shape", "area"),
    [(reference.DISC, np.pi * 100), (reference.SQUARE, 400), (reference.DIAMOND, 200)],
)
def test_shapes_cover_their_area(shape: int, area: float) -> None:
    made = np.zeros((40, 50, 4), np.uint8)
    white = np.full((1, 3), 255, np.uint8)
    reference.marks(
        np.array([25.3]),
        np.array([19.6]),
        np.array([10.0]),
        np.array([[1.0, 0]]),
        white,
        shape,
        0.0,
        256,
        made,
    )
    assert made[..., 0].sum() / 255 == pytest.approx(area, rel=0.02)


def test_a_triangle_points_ahead() -> None:
    for ahead in ([1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.6, -0.8]):
        made = np.zeros((40, 50, 4), np.uint8)
        white = np.full((1, 3), 255, np.uint8)
        reference.marks(
            np.array([25.0]),
            np.array([20.0]),
            np.array([12.0]),
            np.array([ahead]),
            white,
            reference.TRIANGLE,
            0.0,
            256,
            made,
        )
        rows, columns = np.nonzero(made[..., 0] > 127)
        along = (columns + 0.5 - 25) * ahead[0] + (rows + 0.5 - 20) * ahead[1]
        assert along.max() == pytest.approx(12, abs=1.5)
        assert along.min() == pytest.approx(-9.6, abs=1)
