"""Every `advance(dt)` ends soon, whatever `dt` is: a mistake of units is reported, or steps are
dropped and counted.

Each class with such a method has a row in `CLOCKS`, or is one of `NO_CLOCKS`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from support.propagations import others
from support.refusals import refused

LONGEST = 1e9  # Seconds that every clock takes as a dt: 31 years.


class Clock(NamedTuple):
    """Something with `advance`, and what it shows of its state."""

    it: Any
    state: Callable[[], Any]
    ends: bool = True
    """Whether it counts time, which ends after 51 years."""


def ground() -> fc.Grid:
    walls = np.zeros((7, 11), dtype=np.bool_)
    walls[3, 2:9] = True
    return fc.Grid(walls=walls)


def layer_with(propagation: Any) -> fc.Layer:
    layer = fc.InfluenceMap(ground()).add_layer("a", propagation)
    if isinstance(layer, fc.layer.MemoryLayer):
        layer.mark((1.5, 1.5), 5.0)
    elif layer.propagation._takes_sources:
        layer.add_source((1.5, 1.5), 5.0)
    else:
        layer.deposit((1.5, 1.5), 5.0)
    return layer


def of_layer(propagation: Any) -> Clock:
    layer = layer_with(propagation)
    return Clock(layer, layer.state)


def of_map() -> Clock:
    imap = fc.InfluenceMap(ground())
    imap.add_layer("a", fc.Spread(0.1)).add_source((1.5, 1.5), 5.0)
    imap.add_layer("b", fc.Trail(), every=0.3).deposit((1.5, 1.5), 5.0)
    return Clock(imap, lambda: [imap["a"].state(), imap["b"].state(), imap.schedule.state()])


def of_belief() -> Clock:
    belief = fc.Belief(ground(), 2.0)
    return Clock(belief, belief.state)


def of_last_seen() -> Clock:
    seen = fc.LastSeen(ground())
    return Clock(seen, seen.state)


def of_pursuit() -> Clock:
    pursuit = fc.Pursuit(ground(), (1.5, 1.5), (1.0, 0.0))
    return Clock(pursuit, pursuit.state, ends=False)


def of_party() -> Clock:
    party = fc.SearchParty(ground(), 2.0)
    return Clock(party, party.state)


def of_eased() -> Clock:
    eased = fc.compose.Eased(layer_with(fc.Spread(0.1)), half_life=2.0)
    return Clock(eased, eased.state, ends=False)


PROPAGATIONS = [*others(), fc.Fade(half_life=3.0, diffusion=0.2)]
CLOCKS: dict[str, Callable[[], Clock]] = {
    "InfluenceMap": of_map,
    "Belief": of_belief,
    "LastSeen": of_last_seen,
    "Pursuit": of_pursuit,
    "SearchParty": of_party,
    "Eased": of_eased,
} | {f"Layer, {each}": lambda each=each: of_layer(each) for each in PROPAGATIONS}
NO_CLOCKS = {"Schedule", "Timed"}


def test_every_class_with_a_clock_has_a_row() -> None:
    found = set()
    for file in sorted(Path(fc.__file__).parent.rglob("*.py")):
        for part in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(part, ast.ClassDef) and any(map(_takes_seconds, part.body)):
                found.add(part.name)
    rows = {name.partition(",")[0] for name in CLOCKS}
    assert found - NO_CLOCKS == rows


def _takes_seconds(part: ast.stmt) -> bool:
    """Whether a part of a class is its `advance(dt)`."""
    if not isinstance(part, ast.FunctionDef) or part.name != "advance":
        return False
    return any(each.arg == "dt" for each in [*part.args.posonlyargs, *part.args.args])


@pytest.mark.parametrize("name", CLOCKS)
def test_a_long_time_ends_soon(name: str) -> None:
    """It passes, or is refused, and then nothing has changed."""
    clock = CLOCKS[name]()
    passed = 0
    for _ in range(3):
        before = repr(clock.state())
        try:
            clock.it.advance(LONGEST)
        except InvalidValue as error:
            assert "One call takes at most" in str(error) or "A clock counts at most" in str(error)
            assert "Pass seconds, not milliseconds or ticks" in str(error)
            assert repr(clock.state()) == before
        else:
            passed += 1
    if name == "Belief":
        assert passed == 0
    elif clock.ends and not name.startswith("Layer"):
        assert passed == 1
    clock.it.advance(0.5)


@pytest.mark.parametrize("propagation", PROPAGATIONS, ids=str)
def test_a_layer_ends_where_its_state_could_not_hold_its_time(propagation: Any) -> None:
    layer = fc.InfluenceMap(ground()).add_layer("a", propagation, every=1e8)
    layer.advance(LONGEST, max_steps=10)
    for call in (
        lambda: layer.advance(LONGEST, max_steps=10),
        lambda: layer.step(10),
        lambda: layer.at(LONGEST),
    ):
        with refused(InvalidValue, "A clock counts at most", "51 years"):
            call()
    assert layer.updates == 10
    again = fc.InfluenceMap(ground()).add_layer("a", propagation, every=1e8)
    again.restore(layer.state())
    assert again.values.tobytes() == layer.values.tobytes()


def test_a_map_ends_before_any_of_its_layers_has_moved() -> None:
    imap = fc.InfluenceMap(ground())
    slow = imap.add_layer("slow", fc.Spread(0.1), every=1e8)
    quick = imap.add_layer("quick", fc.Spread(0.1))
    slow.step(16)
    for call in (
        lambda: imap.advance(LONGEST),
        lambda: imap.advance(LONGEST, budget_work=3),
        lambda: imap.step(10),
    ):
        with refused(InvalidValue, "A clock counts at most", "51 years"):
            call()
    assert (slow.updates, quick.updates, imap.schedule.ticks) == (16, 0, 0)
    imap.advance(1.0)
    assert quick.updates == 8


@pytest.mark.parametrize("propagation", PROPAGATIONS, ids=str)
def test_a_forecast_of_too_many_steps_is_refused(propagation: Any) -> None:
    """Where steps cost time: others are seen at any time."""
    layer = layer_with(propagation)
    if isinstance(propagation, fc.Radial) or layer.steps.field.timeless:
        assert layer.at(1e6).values.shape == layer.values.shape
    else:
        with refused(InvalidValue, "One call takes at most 1,000,000 steps of a layer"):
            layer.at(1e6)
