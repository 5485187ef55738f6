"""Checks of arrays for layers."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.values.checked_arrays import checked_out, checked_resistance, checked_values
from support.refusals import refused

GRID = fc.Grid(3, 2)


def test_values_are_float32_without_a_negative_zero() -> None:
    values = checked_values([[1, 2, -0.0], [4, 5, 6]], GRID, (2, 3))
    assert values.dtype == np.float32
    assert not np.signbit(values).any()
    for wrong in ([[1, 2, np.nan], [4, 5, 6]], np.full((2, 3), 1e31), np.full((2, 3), 1e300)):
        with refused(InvalidValue, "Values are finite", "row 0"):
            checked_values(wrong, GRID, (2, 3))
    with refused(InvalidValue, "transpose"):
        checked_values(np.zeros((3, 2)), GRID, (2, 3))


def test_resistances_are_at_least_0() -> None:
    assert checked_resistance(np.ones((2, 3)), GRID).dtype == np.float32
    for wrong in (-1.0, np.inf, np.nan, 1e31):
        with refused(InvalidValue, "Resistances"):
            checked_resistance(np.full((2, 3), wrong), GRID)


@pytest.mark.parametrize(
    "out", [np.zeros((2, 3)), np.zeros((3, 2), np.float32), [[0.0] * 3] * 2, None], ids=repr
)
def test_other_arrays_to_write_to_are_refused(out: object) -> None:
    with refused(InvalidValue, "writable float32 array of shape (2, 3)"):
        checked_out(out, (2, 3))


def test_an_array_to_write_to_is_writable() -> None:
    out = np.zeros((2, 3), np.float32)
    assert checked_out(out, (2, 3)) is out
    out.flags.writeable = False
    with refused(InvalidValue, "read-only"):
        checked_out(out, (2, 3))
