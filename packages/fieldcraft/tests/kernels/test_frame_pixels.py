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


FILLINGS = np.array([(150, 156, 168), (255, 96, 56), (48, 140, 255)], dtype=np.uint8)


def scattered(rng: np.random.Generator, count: int) -> tuple[Any, Any, Any, Any]:
    """Return places, strengths and radii of markers inside, across the edges and far outside, and
    an order of them.
    """
    places = rng.uniform((-20, -20), (80, 70), (count, 2))
    places[:2, 0] = (-1e30, 1e30)
    strengths = rng.choice([0.0, 2.0, -2.0], count)
    return places, strengths, rng.uniform(2, 14, count), rng.permutation(count)


def draw(tier: Any, markers: tuple[Any, Any, Any, Any], picture: Pixels) -> None:
    """Draw markers on a picture that is opaque if all its pixels are."""
    is_opaque = bool((picture[..., 3] == 255).all())
    tier.markers(*markers, FILLINGS, is_opaque, picture, picture.view(np.uint32)[..., 0])


def disc(picture: Any, x: float, y: float, radius: float, color: Any, opacity: float) -> None:
    """Blend a disc into a picture of floats, with NumPy."""
    down, across = np.mgrid[: picture.shape[0], : picture.shape[1]] + 0.5
    away = np.sqrt((across - x) ** 2 + (down - y) ** 2)
    share = (np.clip(radius + 0.5 - away, 0, 1) * opacity)[..., np.newaxis]
    under = picture[..., 3:] / 255 * (1 - share)
    alpha = under + share
    mixed = (picture[..., :3] * under + np.array(color) * share) / np.maximum(alpha, 1e-30)
    blended = np.concatenate([mixed, alpha * 255], axis=-1)
    picture[:] = np.where(share > 0, blended, picture)


def discs(picture: Any, markers: tuple[Any, Any, Any, Any], row: int) -> None:
    """Blend the three discs of one marker into a picture of floats."""
    places, strengths, radii, _ = markers
    x, y = places[row]
    radius = radii[row]
    disc(picture, x, y, radius + max(1, 0.22 * radius), (8, 9, 12), 0.75)
    disc(picture, x, y, radius, (255, 255, 255), 1)
    disc(picture, x, y, radius - max(1, 0.2 * radius), FILLINGS[int(np.sign(strengths[row]))], 1)


@pytest.mark.parametrize("opaque", [True, False])
@pytest.mark.parametrize("width", [61, 9, 1])
def test_a_marker_is_a_disc_in_a_white_ring_on_a_dark_disc(opaque: bool, width: int) -> None:
    """All three are rounded once: no part is more than half a level from the exact one, on pictures
    that are narrower than a marker too.
    """
    rng = np.random.default_rng(3)
    drawn = np.ascontiguousarray(canvas(rng, opaque=opaque)[:, :width])
    markers = scattered(rng, 60)
    for row in markers[-1]:
        exact = drawn.astype(np.float64)
        discs(exact, markers, row)
        draw(fast, (*markers[:-1], np.array([row])), drawn)
        away = np.abs(drawn - exact)
        assert away[..., 3].max() < 0.501
        # The color of a pixel that is nearly transparent matters as little as it shows.
        assert (away[..., :3].max(axis=-1) * exact[..., 3] / 255).max() < 0.501


def test_a_transparent_picture_with_opaque_pixels_has_the_colors_of_an_opaque_one() -> None:
    rng = np.random.default_rng(5)
    one = canvas(rng, opaque=True)
    other = one.copy()
    other[::2, 30:, 3] = 77
    markers = scattered(rng, 60)
    draw(fast, markers, one)
    draw(fast, markers, other)
    assert np.abs(one[1::2].astype(int) - other[1::2]).max() <= 1
    assert (one[1::2] == other[1::2]).mean() > 0.99


def test_markers_are_drawn_in_the_order_asked_for() -> None:
    rng = np.random.default_rng(6)
    one = canvas(rng, opaque=True)
    other = one.copy()
    places, strengths, radii, order = scattered(rng, 40)
    draw(fast, (places, strengths, radii, order), one)
    in_order = (places[order], strengths[order], radii[order], np.arange(len(order)))
    draw(fast, in_order, other)
    assert np.array_equal(one, other)


@pytest.mark.parametrize("opaque", [True, False])
@pytest.mark.parametrize("width", [61, 9, 1])
def test_markers_run_plain(opaque: bool, width: int) -> None:
    rng = np.random.default_rng(4)
    one = np.ascontiguousarray(canvas(rng, opaque=opaque)[:, :width])
    other = one.copy()
    markers = scattered(rng, 12)
    draw(fast, markers, one)
    draw(reference, markers, other)
    assert np.array_equal(one, other)


@pytest.mark.parametrize("scale", [1, 2, 7])
@pytest.mark.parametrize("enlarge", [fast.enlarge, reference.enlarge], ids=["fast", "plain"])
def test_cells_become_squares_with_lines_on_them(scale: int, enlarge: Any) -> None:
    rng = np.random.default_rng(scale)
    kinds = rng.integers(0, 3, (5, 9), dtype=np.uint16)
    index = rng.integers(0, 256, (5, 9), dtype=np.uint8)
    colors = rng.integers(0, 2**32, 3 * 256, dtype=np.uint32)
    picture = np.empty((5 * scale, 9 * scale), dtype=np.uint32)
    lines = np.flatnonzero(rng.random(picture.size) < 0.3)
    enlarge(kinds, index, colors, lines, scale, 77, picture)
    expected = colors[256 * kinds.astype(np.int64) + index].repeat(scale, 0).repeat(scale, 1)
    expected.reshape(-1)[lines] = 77
    assert np.array_equal(picture, expected)
