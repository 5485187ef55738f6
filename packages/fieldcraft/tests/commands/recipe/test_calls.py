"""Reading a recipe takes few calls."""

from __future__ import annotations

from fieldcraft.commands.recipe import read_recipe
from support.library_calls import library_calls

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
    assert len(library_calls(lambda: read_recipe("camp.toml", text=TEXT))) <= 200
