"""Frames: compiled kernels draw the pixels that they draw run plain, and markers are three discs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from fieldcraft import kernels
from support.tiers import uncompiled

reference: Any = uncompiled("frame_pixels")
fast: Any = kernels.pictures.frame_pixels

Pixels = NDArray[np.uint8]


def canvas(rng: np.random.Generator, *, opaque: bool) -> Pixels:
    made = rng.integers(0, 256, (47, 61, 4), dtype=np.uint8)
    if opaque:
        made[..., 3] = 255
    return made


def scattered(rng: np.random.Generator, count: int) -> tuple[Any, Any, Any, Pixels]:
    """Return markers inside, across the edges, and far outside."""
    xs = rng.uniform(-20, 80, count)
    ys = rng.uniform(-20, 70, count)
    xs[:2] = (-1e30, 1e30)
    return xs, ys, rng.uniform(2, 14, count), rng.integers(0, 256, (count, 3), dtype=np.uint8)


def disc(picture: Pixels, x: float, y: float, radius: float, color: Any, opacity: float) -> None:
    """Blend a disc into a picture, with NumPy."""
    down, across = np.mgrid[: picture.shape[0], : picture.shape[1]] + 0.5
    away = np.sqrt((across - x) ** 2 + (down - y) ** 2)
    share = (np.clip(radius + 0.5 - away, 0, 1) * opacity)[..., np.newaxis]
    under = picture[..., 3:] / 255 * (1 - share)
    alpha = under + share
    mixed = (picture[..., :3] * under + np.array(color) * share) / np.maximum(alpha, 1e-30)
    drawn = np.rint(np.concatenate([mixed, alpha * 255], axis=-1)).astype(np.uint8)
    picture[:] = np.where(share > 0, drawn, picture)


@pytest.mark.parametrize("opaque", [True, False])
def test_a_marker_is_a_disc_in_a_white_ring_on_a_dark_disc(opaque: bool) -> None:
    rng = np.random.default_rng(3)
    drawn = canvas(rng, opaque=opaque)
    expected = drawn.copy()
    xs, ys, radii, fillings = scattered(rng, 60)
    fast.markers(xs, ys, radii, fillings, drawn, drawn.view(np.uint32)[..., 0])
    for x, y, radius, filling in zip(xs, ys, radii, fillings, strict=True):
        disc(expected, x, y, radius + max(1, 0.22 * radius), (8, 9, 12), 0.75)
        disc(expected, x, y, radius, (255, 255, 255), 1)
        disc(expected, x, y, radius - max(1, 0.2 * radius), filling, 1)
    assert np.array_equal(drawn, expected)


@pytest.mark.parametrize("opaque", [True, False])
def test_markers_run_plain(opaque: bool) -> None:
    rng = np.random.default_rng(4)
    one = canvas(rng, opaque=opaque)
    other = one.copy()
    markers = scattered(rng, 12)
    fast.markers(*markers, one, one.view(np.uint32)[..., 0])
    reference.markers(*markers, other, other.view(np.uint32)[..., 0])
    assert np.array_equal(one, other)


@pytest.mark.parametrize("scale", [1, 2, 7])
@pytest.mark.parametrize("draw", [fast.enlarge, reference.enlarge], ids=["fast", "plain"])
def test_cells_become_squares_with_lines_on_them(scale: int, draw: Any) -> None:
    rng = np.random.default_rng(scale)
    kinds = rng.integers(0, 3, (5, 9), dtype=np.uint16)
    index = rng.integers(0, 256, (5, 9), dtype=np.uint8)
    colors = rng.integers(0, 2**32, 3 * 256, dtype=np.uint32)
    picture = np.empty((5 * scale, 9 * scale), dtype=np.uint32)
    lines = np.flatnonzero(rng.random(picture.size) < 0.3)
    draw(kinds, index, colors, lines, scale, 77, picture)
    expected = colors[256 * kinds.astype(np.int64) + index].repeat(scale, 0).repeat(scale, 1)
    expected.reshape(-1)[lines] = 77
    assert np.array_equal(picture, expected)
