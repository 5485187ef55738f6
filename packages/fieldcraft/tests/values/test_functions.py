"""Functions of several maps."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.values import lerp, maximum, minimum, where
from support.expressions import f32


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (lambda a, b, c: a.clamp(0, 1), lambda a, b, c: np.clip(a, f32(0), f32(1))),
        (lambda a, b, c: a.clamp(-1, b), lambda a, b, c: np.minimum(np.maximum(a, f32(-1)), b)),
        (lambda a, b, c: minimum(a, b, c), lambda a, b, c: np.minimum(np.minimum(a, b), c)),
        (lambda a, b, c: maximum(a, 2, b), lambda a, b, c: np.maximum(np.maximum(a, f32(2)), b)),
        (
            lambda a, b, c: (a < b) + 2 * (a >= 1) + (b < 3),
            lambda a, b, c: (a < b) + f32(2) * (a >= 1) + (b < 3),
        ),
        (lambda a, b, c: (a <= b) - (a > c), lambda a, b, c: (a <= b).astype(f32) - (a > c)),
        (lambda a, b, c: a.equals(a) + b.differs(c), lambda a, b, c: np.full_like(a, 2)),
        (lambda a, b, c: where(a < b, c, -1), lambda a, b, c: np.where(a < b, c, f32(-1))),
        (lambda a, b, c: where(0 * a, 1, b), lambda a, b, c: b),
        (lambda a, b, c: lerp(a, b, 0.25), lambda a, b, c: a + (b - a) * f32(0.25)),
        (
            lambda a, b, c: lerp(a, b, c),
            lambda a, b, c: np.where(c == 1, b, a + (b - a) * c),
        ),
        (lambda a, b, c: lerp(a, a, c), lambda a, b, c: a),
        (lambda a, b, c: lerp(a, b, 1), lambda a, b, c: b),
        (lambda a, b, c: lerp(a, b, b.equals(b)), lambda a, b, c: b),
        (lambda a, b, c: a.normalize(), lambda a, b, c: (a - a.min()) / (a.max() - a.min())),
        (lambda a, b, c: a.normalize(signed=True), lambda a, b, c: a / np.abs(a).max()),
        (lambda a, b, c: a.invert(), lambda a, b, c: a.max() - a),
    ],
)
def test_verbs_are_those_of_numpy(imap, ours, theirs):
    layers = imap["ally"], imap["enemy"], imap["cover"]
    expected = theirs(*(layer.values for layer in layers)).astype(np.float32)
    assert np.array_equal(ours(*layers).values, expected)


def test_infinite_numbers_of_where_are_the_largest_ones() -> None:
    imap = fc.InfluenceMap(fc.Grid(3, 1))
    threat = imap.add_layer("threat", values=[[1, 2, 3]])
    largest = np.finfo(np.float32).max
    walls = fc.where(threat > 2, np.inf, 1.0)
    assert walls.values.tolist() == [[1, 1, largest]] and walls.may_be_infinite
    array = fc.where(threat > 2, 1.0, np.array([[-np.inf, np.inf, 5]]))
    assert array.values.tolist() == [[-largest, largest, 1]]
    assert (1 + walls).may_be_infinite and not fc.where(threat > 2, 9.0, 1.0).may_be_infinite
    for wrong in (np.nan, 1e35):
        with pytest.raises(fc.errors.InvalidValue):
            fc.where(threat > 2, wrong, 1.0)
    with pytest.raises(fc.errors.InvalidValue):
        threat + np.inf
