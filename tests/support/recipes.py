"""Recipes in parts, and the worlds that they describe."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import BadRecipe
from fieldcraft.commands.recipe import Recipe, read_recipe
from fieldcraft.commands.recipe.outputs import Report, run
from fieldcraft.commands.recipe.pictures import Painter
from fieldcraft.commands.recipe.world import World
from fieldcraft.layers.teams.teams import add_teams

FIELD = '[map]\ngenerate = "empty"\nwidth = 14\nheight = 9\nneighbors = 8\n'
YARD = '[map]\ngenerate = "empty"\nwidth = 12\nheight = 7\n'
PLAIN = '[map]\ngenerate = "empty"\nwidth = 24\nheight = 11\n'
RUN = "[run]\nseconds = 2\nfps = 10\n"
SECOND = "[run]\nseconds = 1\nfps = 5\n"
LAYER = "[layers.threat]\ndecay = 0.2\nmomentum = 0.5\n"
FADE = '[layers.known]\npropagation = "fade"\namount = 10\ninterval = 1\n'
TRAIL = '[layers.scent]\npropagation = "trail"\nkeep = 0.9\n'
WAY = '[layers.way]\npropagation = "trail"\nvector = true\nkeep = 1\nblur = 1\n'
VIEW = (
    '[layers.view]\npropagation = "stamps"\n'
    'stamp = { shape = "image", weights = [[1, 1, 1]], width = 3 }\n'
)
LINE = '[layers.view]\npropagation = "stamps"\nstamp = { shape = "line", length = 3, width = 1 }\n'
TEAMS = (
    '[teams]\nnames = ["red", "blue"]\ncolors = ["#ff8a3c", "#3fa7f5"]\nradius = 8\nfalloff ='
    ' "linear"\nmetric = "straight"\n'
)
SOURCE = '[[sources]]\nlayer = "threat"\nposition = [2.5, 3.5]\nstrength = 5\n'
ACTORS = (
    '[[sources]]\nlayer = "red"\nposition = [6.5, 5.5]\nstrength = 4\n'
    '[[sources]]\nlayer = "blue"\npath = [[0, 20.5, 5.5], [1, 14.5, 5.5]]\n'
)
WALK = "path = [[0, 2.5, 3.5], [2, 8.5, 3.5]]\n"
TIMELINE = "seconds,id,group,x,y,strength\n0,a,red,1,1,2\n0,b,blue,8,1,\n1,a,red,2,1,\n1.5,b,,,,\n"
PLAYED = '[[timelines]]\nfile = "moves.csv"\nlayers = { red = "threat", blue = "goal" }\n'


def write(tmp_path: Path, *parts: str) -> Path:
    path = tmp_path / "recipe.toml"
    path.write_text("\n".join(parts))
    return path


def world(tmp_path: Path, *parts: str, **files: str) -> World:
    """The world of a recipe of some parts, beside tables of recordings by name."""
    for name, text in files.items():
        (tmp_path / f"{name}.csv").write_text(text)
    return World(read_recipe(write(tmp_path, *parts)))


def problems(tmp_path: Path, *parts: str, **files: str) -> list[str]:
    with pytest.raises(BadRecipe) as caught:
        world(tmp_path, *parts, **files)
    return caught.value.problems


def source(layer: str, text: str = WALK) -> str:
    return f'[[sources]]\nlayer = "{layer}"\n{text}'


def sources(w: World, layer: str = "threat") -> list[tuple[float, ...]]:
    found = w.imap[layer].sources
    return sorted(
        (*position, strength)
        for position, strength in zip(
            found.positions.tolist(), found.strengths.tolist(), strict=True
        )
    )


def write_graph(path, graph):
    content = {"vertices": graph.positions.tolist(), "edges": graph.edges.tolist()}
    path.write_text(json.dumps(content))


def rows(path: Path) -> list[dict[str, float]]:
    return [
        {key: float(value) for key, value in row.items()}
        for row in csv.DictReader(path.read_text().splitlines())
    ]


def same_by_calls(propagation: Any, blue_x: float) -> Any:
    teams = add_teams(fc.InfluenceMap(fc.Grid(24, 11)), ["red", "blue"], propagation, hostile=None)
    teams["red"].add_source((6.5, 5.5), 4)
    teams["blue"].add_source((blue_x, 5.5))
    for layer in teams.layers.values():
        layer.settle()
    return teams


GOOD = """
title = "Two camps"
[map]
generate = "empty"
width = 12
height = 7
[layers.threat]
decay = 0.5
momentum = 0.3
[layers.goal]
decay = 0.1
momentum = 1
every = 0.5
walls = false
[[sources]]
name = "camp"
layer = "threat"
position = [2, 3]
strength = 5
[[sources]]
layer = "goal"
path = [[0, 1, 1], [4, 9, 1]]
repeat = true
from = 1
until = 9
[[deposits]]
layer = "threat"
position = [1, 1]
amount = 2
at = 3
[run]
seconds = 10
speed = 2
fps = 10
[[outputs]]
file = "map.png"
at = 5
[[outputs]]
file = "films/map.gif"
layers = ["threat"]
threshold = 0.1
limits = [0, 5]
colors = ["#ff8a3c"]
[[outputs]]
file = "totals.csv"
every = 0.5
"""


def parts_of(tmp_path: Path, text: str | bytes, *overrides: str, **options: object) -> Recipe:
    path = tmp_path / "recipe.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_recipe(path, overrides, **options)


def refused_in(tmp_path: Path, text: str | bytes, *overrides: str) -> list[str]:
    with pytest.raises(BadRecipe) as caught:
        parts_of(tmp_path, text, *overrides)
    assert str(tmp_path / "recipe.toml") in str(caught.value)
    return caught.value.problems


def drawn(tmp_path: Path, output: str, *parts: str, size: int = 240) -> np.ndarray:
    w = world(
        tmp_path,
        *(parts or (PLAIN, TEAMS, ACTORS)),
        SECOND,
        f'[[outputs]]\nfile = "x.png"\n{output}\n',
    )
    w.go_to(1)
    return Painter([w], w.recipe.outputs[0], size=size).draw()


def count(picture: np.ndarray, color: tuple[int, int, int]) -> int:
    return int((picture[..., :3] == color).all(axis=2).sum())


def do(tmp_path: Path, *parts: str) -> Report:
    path = tmp_path / "recipe.toml"
    path.write_text("\n".join(parts))
    return run(read_recipe(path), tmp_path / "out")
