"""Settings of propagations: what each field declares, and what it takes."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.layers.propagation import settings
from support.refusals import refused


@dataclasses.dataclass(frozen=True)
class Mist:
    density: float = dataclasses.field(
        metadata=settings.number("How thick.", high=2.0, unit="share")
    )
    steps: int = dataclasses.field(default=1, metadata=settings.integer("How many.", low=1))
    edge: str = dataclasses.field(
        default="keep", metadata=settings.choice("What.", ("keep", "lose"))
    )
    life: float | None = dataclasses.field(
        default=None, metadata=settings.number("How long.", above=True, optional=True)
    )


def test_a_class_declares_its_settings() -> None:
    found = settings.declared(Mist)
    assert list(found) == ["density", "steps", "edge", "life"]
    assert found["density"].required and not found["steps"].required
    assert (found["density"].kind, found["density"].high, found["density"].unit) == (
        "number",
        2.0,
        "share",
    )
    assert found["edge"].choices == ("keep", "lose")
    assert found["life"].optional and found["life"].default is None
    assert settings.values_of(Mist(0.5)) == {
        "density": 0.5,
        "steps": 1,
        "edge": "keep",
        "life": None,
    }


@pytest.mark.parametrize(
    ("name", "value", "stored"),
    [("density", 1, 1.0), ("steps", 3, 3), ("edge", "lose", "lose"), ("life", None, None)],
)
def test_what_is_taken(name: str, value: Any, stored: Any) -> None:
    field = next(each for each in dataclasses.fields(Mist) if each.name == name)
    assert field.metadata["check"](name, value) == stored


@pytest.mark.parametrize(
    ("name", "value"), [("density", 2.5), ("steps", 0), ("edge", "cut"), ("life", 0.0)]
)
def test_what_is_refused(name: str, value: Any) -> None:
    field = next(each for each in dataclasses.fields(Mist) if each.name == name)
    with refused(InvalidValue, name):
        field.metadata["check"](name, value)


def test_what_is_left_after_an_update() -> None:
    assert settings.retention(None, 2.0, 1.0, usual=0.9) == pytest.approx(0.5**0.5)
    assert settings.retention(0.7, None, 1.0, usual=0.9) == 0.7
    assert settings.retention(None, None, 1.0, usual=0.9) == 0.9
    settings.one_evaporation("A mist thins", 0.5, None)
    with refused(InvalidValue, "keep", "half_life"):
        settings.one_evaporation("A mist thins", 0.5, 2.0)


def test_settings_of_propagations_are_declared() -> None:
    for kind in (fc.Spread, fc.Radial, fc.Flood, fc.Fade, fc.Trail, fc.Diffuse):
        assert all(
            each.about.endswith(".") or each.about for each in settings.declared(kind).values()
        )
