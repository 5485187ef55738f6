"""Formulas with gradients: values of the library's formulas, gradients of differences."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.fitting.gradients import Formula


@pytest.mark.parametrize(
    "text",
    [
        "a * b + 2",
        "a / b - b",
        "max(a, b) * min(a, 1)",
        "log(a + 1) * b",
        "clamp(a, 0.5, 2) + abs(b)",
        "where(a > b, a, 3 * b)",
    ],
)
def test_values_and_gradients(text: str) -> None:
    rng = np.random.default_rng(3)
    known = {"a": rng.uniform(0.2, 3, (2, 5)), "b": rng.uniform(0.3, 2, (2, 5))}
    formula = Formula(text, ["a", "b"])
    steps = formula.values(known)
    imap = fc.InfluenceMap(fc.Grid(5, 2))
    for name, values in known.items():
        imap.add_layer(name, values=values)
    np.testing.assert_allclose(steps[-1], fc.formula(text, imap).values, rtol=1e-5)
    weights = rng.normal(size=(2, 5))
    gradients = formula.gradients(steps, weights)
    small = 1e-6
    for name in known:
        more = formula.values(known | {name: known[name] + small})[-1]
        less = formula.values(known | {name: known[name] - small})[-1]
        np.testing.assert_allclose(
            gradients[name], weights * (more - less) / (2 * small), rtol=1e-4, atol=1e-6
        )
