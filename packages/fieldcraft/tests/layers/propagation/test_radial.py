"""Settings of `Radial`."""

from __future__ import annotations

from typing import Any

import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from support.refusals import refused


def test_a_falloff_is_what_its_word_means() -> None:
    assert fc.Radial(4, "linear") == fc.Radial(4, fc.Falloff.of("linear"))
    assert fc.Radial(4).falloff != fc.Radial(4, "constant").falloff
    assert "radius=4" in repr(fc.Radial(4))


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"radius": 0}, "radius"),
        ({"radius": float("nan")}, "radius"),
        ({"radius": 4, "metric": "euclid"}, "metric"),
        ({"radius": 4, "blend": "mean"}, "blend"),
        ({"radius": 4, "falloff": "steep"}, "falloff"),
        ({"radius": 4, "exact": True, "metric": "path"}, "exact"),
        ({"radius": 4, "thickness": -1}, "thickness"),
    ],
)
def test_what_is_refused(settings: dict[str, Any], word: str) -> None:
    with refused(InvalidValue, word):
        fc.Radial(**settings)
