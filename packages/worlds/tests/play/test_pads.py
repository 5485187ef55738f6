"""What gamepads mean, without any."""

from __future__ import annotations

import pytest

from fieldcraft.errors import InvalidValue
from fieldcraft_worlds.play.pads import Pads, PadSettings
from support.refusals import refused


class Told:
    """Keeps what a player would be told."""

    def __init__(self, dead_zone: float = 0.2) -> None:
        self.inputs: dict[str, float] = {}
        self.let_go: list[str] = []
        self.said: list[str] = []
        self.pads = Pads(self.turn, self.let_go.append, self.said.append, PadSettings(dead_zone))
        self.pads.plug(40, "Pad A")

    def turn(self, name: str, amount: float) -> None:
        if amount:
            self.inputs[name] = amount
        else:
            self.inputs.pop(name, None)


def test_dead_zone() -> None:
    told = Told()
    told.pads.stick(40, "left", "x", 0.19)
    assert told.inputs == {}
    told.pads.stick(40, "left", "x", 0.6)
    assert told.inputs == {"pad 1 left stick right": pytest.approx(0.5)}
    told.pads.stick(40, "left", "x", -1.0)
    assert told.inputs == {"pad 1 left stick left": 1.0}
    told.pads.stick(40, "left", "x", 0.0)
    assert told.inputs == {}


def test_a_stick_is_round() -> None:
    told = Told()
    told.pads.stick(40, "right", "x", 1.0)
    told.pads.stick(40, "right", "y", -1.0)
    root = 0.5**0.5
    assert told.inputs == {
        "pad 1 right stick right": pytest.approx(root),
        "pad 1 right stick up": pytest.approx(root),
    }


def test_nearly_along_an_axis_is_along_it() -> None:
    told = Told()
    told.pads.stick(40, "left", "y", 0.9)
    told.pads.stick(40, "left", "x", 0.05)
    assert list(told.inputs) == ["pad 1 left stick down"]


def test_triggers_and_buttons() -> None:
    told = Told(dead_zone=0.0)
    told.pads.trigger(40, "left", 0.25)
    told.pads.button(40, "left shoulder", True)
    assert told.inputs == {"pad 1 left trigger": 0.25, "pad 1 left shoulder": 1.0}
    told.pads.button(40, "left shoulder", False)
    told.pads.trigger(40, "left", 0.0)
    assert told.inputs == {}


def test_plugged_in_pulled_out_and_in_again() -> None:
    told = Told()
    told.pads.plug(41, "Pad B")
    told.pads.plug(41, "Pad B")
    told.pads.unplug(40)
    told.pads.unplug(40)
    told.pads.button(40, "a", True)
    told.pads.stick(40, "left", "x", 1.0)
    told.pads.trigger(40, "left", 1.0)
    assert told.inputs == {}
    told.pads.plug(42, "Pad C")
    told.pads.button(41, "a", True)
    told.pads.button(42, "a", True)
    assert told.inputs == {"pad 2 a": 1.0, "pad 1 a": 1.0}
    assert told.let_go == ["pad 1 "]
    assert told.said == [
        "gamepad 1: Pad A",
        "gamepad 2: Pad B",
        "gamepad 1 was pulled out",
        "gamepad 1: Pad C",
    ]
    assert told.pads.count == 2


@pytest.mark.parametrize("dead_zone", [-0.1, 0.95, float("nan")])
def test_refusals(dead_zone: float) -> None:
    with refused(InvalidValue, "dead_zone"):
        PadSettings(dead_zone)
