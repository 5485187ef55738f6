"""Operations of maps: curves, ranges."""

from __future__ import annotations

import numpy as np

from support.expressions import HEIGHT, WIDTH, a_map, f32


def test_flat_maps_normalize_to_zero(imap):
    flat = imap["ally"] * 0 + 3
    assert not flat.normalize().values.any()
    assert not (imap["ally"] * 0).normalize(signed=True).values.any()
    assert not flat.invert().values.any()


def test_curves(imap):
    a = imap["ally"]
    x = a.values.astype(np.float64)
    share = np.clip((x + 2) / 5, 0, 1)
    for shape, expected in {
        "linear": share,
        "quadratic": share**2,
        "smoothstep": share * share * (3 - 2 * share),
        "logistic": 1 / (1 + np.exp(10 * (0.5 - share))),
    }.items():
        assert np.abs(a.curve(shape, -2, 3).values - expected).max() < 1e-6, shape
        assert (
            np.abs(
                a.curve(shape, 3, -2).values
                - {"quadratic": (1 - share) ** 2}.get(shape, 1 - expected)
            ).max()
            < 1e-6
        ), shape
    assert np.array_equal(a.curve("linear").values, np.clip(a.values, 0, 1))
    assert np.array_equal(a.curve("step", 1.5).values, a.values >= 1.5)
    points = [(-3, 1), (-1, 0.5), (0, 4), (2.5, -1)]
    assert np.abs(a.curve(points).values - np.interp(x, *zip(*points, strict=True))).max() < 1e-5
    ends = a_map().add_layer(
        "ends", values=np.tile(f32([-9, -3, 0, 2.5, 9]), (HEIGHT, 8))[:, :WIDTH]
    )
    assert np.unique(ends.curve(points).values).tolist() == [-1, 1, 4]
