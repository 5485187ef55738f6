"""Small worlds for the lab: a map with layers of three kinds, and a recipe with a patrol."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

import fieldcraft as fc
from fieldcraft.commands.recipe import read_recipe
from fieldcraft_lab.live import LiveMap
from fieldcraft_lab.live_recipe import LiveRecipe

__all__ = ["CHROMIUM", "FLAGS", "RECIPE", "SMOKE", "recipe_world", "small_map"]

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
FLAGS = [
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-dev-shm-usage",
]

RECIPE = """
title = "A patrol"
[map]
generate = "cave"
width = 30
height = 17
seed = 7
[layers.threat]
falloff = "linear"
decay = 0.25     # how it weakens
momentum = 0.4
half_life = 1.2
every = 0.05
[layers.known]
propagation = "fade"
amount = 1.0
interval = 1.0
radius = 3
[[sources]]
name = "camp"
layer = "threat"
position = [9, 9]
strength = 8
on_wall = "nearest"
until = 1.0
[[sources]]
name = "patrol"
layer = "threat"
strength = 6
on_wall = "nearest"
path = [[0.1, 3, 3], [2.0, 25, 12]]
[[sources]]
layer = "known"
strength = 5
on_wall = "nearest"
path = [[0, 3, 3], [2.0, 25, 12]]
[run]
seconds = 2
"""

SMOKE = """
[map]
generate = "empty"
width = 30
height = 17
[layers.smoke]
propagation = "diffuse"
rate = 0.25
drift = [2, 0]     # wind
every = 0.1
[[sources]]
layer = "smoke"
position = [15.5, 8.5]
strength = 8
[run]
seconds = 2
"""


def small_map() -> LiveMap:
    walls = np.zeros((11, 17), dtype=bool)
    walls[3:8, 6] = True
    imap = fc.InfluenceMap(fc.Grid(17, 11, walls=walls, neighbors=8))
    threat = imap.add_layer("threat", fc.Spread(decay=0.2, momentum=0.5), every=0.1)
    threat.add_source((3.5, 5.5), 8.0)
    threat.sync(["unit"], [(12.5, 2.5)], [3.0])
    cover = imap.add_layer("cover", fc.Radial(4.0, metric="path"), every=0.2)
    cover.add_source((9.5, 5.5), 2.0)
    imap.add_layer("scent", fc.Trail(keep=0.9), every=0.1)
    return LiveMap(imap)


def recipe_world(tmp_path: Path) -> LiveRecipe:
    path = tmp_path / "patrol.toml"
    path.write_text(RECIPE)
    return LiveRecipe(read_recipe(path))
