"""Reading a recipe takes few calls."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType

import fieldcraft
from fieldcraft.commands.recipe import read_recipe

TEXT = """
title = "Camp"
[map]
generate = "cave"
width = 60
height = 36
[layers.threat]
decay = 0.12
[[sources]]
layer = "threat"
position = [7, 6]
[run]
seconds = 6
[[outputs]]
file = "camps.png"
"""


def test_reading_a_recipe_of_14_lines_makes_at_most_200_calls() -> None:
    read_recipe("camp.toml", text=TEXT)  # type hints are read once
    home = str(Path(fieldcraft.__file__).parent)
    calls = []

    def count(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(home):
            calls.append(frame.f_code.co_name)

    sys.setprofile(count)
    try:
        read_recipe("camp.toml", text=TEXT)
    finally:
        sys.setprofile(None)
    assert len(calls) <= 200
