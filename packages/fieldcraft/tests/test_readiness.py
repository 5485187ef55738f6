"""Kernels made ready before anybody waits."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft import kernels, steering
from fieldcraft.errors import UnknownName
from support.forks import forked
from support.refusals import refused
from support.worlds import KNIGHT_AND_CORNER

compiled_only = pytest.mark.skipif(
    not kernels.compiled(), reason="nothing is compiled in this process"
)


def _layers(space: fc.Space) -> fc.InfluenceMap:
    """Layers of every kind, with something in each."""
    imap = fc.InfluenceMap(space)
    places = _places(space)
    for number, spread in enumerate(
        (fc.Spread(0.1, 0.5), fc.Spread(0.1, 0.5, "quadratic"), fc.Spread(0.1, 0.5, half_life=2.0))
    ):
        imap.add_layer(f"spread {number}", spread).add_source(places[0], 2.0)
    for metric in ("straight", "connected", "path"):
        imap.add_layer(metric, fc.Radial(3.0, metric=metric)).add_sources(places[:2], [1.0, -1.0])
    imap.add_layer("seen", fc.Fade(half_life=5.0))
    imap.add_layer("gas", fc.Diffuse()).add_source(places[0])
    imap.add_layer("alarm", fc.Flood(cooling=0.05)).add_source(places[0])
    if not isinstance(space, fc.Graph):
        imap.add_layer("scent", fc.Trail(half_life=5.0))
        imap.add_layer("way", fc.Trail(half_life=5.0, vector=True))
    return imap


def _places(space: fc.Space) -> np.ndarray:
    return np.asarray(space.position_of(np.resize(np.flatnonzero(~space.walls.reshape(-1)), 40)))


def _ask(imap: fc.InfluenceMap) -> None:
    """Ask a map everything that is asked of maps."""
    space = imap.space
    rng = np.random.default_rng(0)
    is_grid = isinstance(space, fc.Grid)
    is_walked = not is_grid or (0, 1) in space.neighborhood.steps
    places = _places(space)
    imap.step(2)
    for name in ("spread 0", "spread 1", "spread 2"):
        layer = imap[name]
        layer.write(np.where(space.walls, 0, rng.random(space.shape)).astype(np.float32))
        imap.step(9)
        layer.settle()
    for metric in ("straight", "connected", "path"):
        imap[metric].sync(["ann", "bob"], places[2:4], [2.0, 1.0])
        imap.step()
    seen = imap["seen"]
    seen.mark(places[0], radius=2.0)
    imap.step(3)
    mixed = imap["straight"] * 0.5 + imap["path"]
    (mixed.smooth(1) if is_grid else mixed).read()
    layer = imap["spread 0"]
    fc.peaks(layer)
    fc.regions(layer, 0.2)
    fc.query.uphill(layer, places[0])
    sides = fc.InfluenceMap(space)
    teams = sides.add_teams(["red", "blue"], fc.Radial(3.0))
    teams["red"].add_source(places[0], 1.0)
    sides.step()
    teams.influence("red").read()
    for cost in (None, np.ones(space.shape)):
        field = fc.distance_map(space, places[1], cost=cost)
        field.sample(places)
        if is_walked:
            fc.flow_field(field).sample(places)
        fc.shortest_path(space, places[0], places[1], cost=cost)
        fc.shortest_paths(space, places[:2], places[2:4], cost=cost)
    fc.shortest_path(space, places[0], places[5], smooth=is_grid and is_walked)
    fc.flee_map(fc.distance_map(space, places[1])).sample(places)
    fc.sees(space, places[0], places[1], 5.0)
    fc.visible(space, places[0], 4.0)
    fc.space.watchers(space, places[:2], 4.0)
    fc.along(layer, places[:3])
    fc.explain(imap["straight"], places[0])
    fc.pick(layer, places[0], 5.0, rng=rng)
    hunt = fc.Pursuit(space, places[0], speed=1.0)
    hunt.step(2)
    belief = fc.Belief(space, 1.0)
    belief.step()
    if "scent" in imap:
        imap["scent"].stamp(fc.Stamp.disc(1.5), places[:3])
        imap["way"].deposit(places[:3], np.ones((3, 2)))
        imap.step(2)
    if is_grid:
        shot = fc.incoming(space, places[0], places[5], speed=5.0)
        fc.propagation.shot_danger(space, [shot], horizon=1.0)
        fc.sample(layer, places, how="bilinear")
        fc.gradient(layer, places)
        fc.best(layer, places[0], 5.0)
        fc.best(layer, places[:9], 5.0, walk=4.0)
        fc.window(layer, places[0], 3.0).values.sum()
        fc.query.explore_step(seen, places[0])
        fc.query.sense(imap["scent"], places[0], (1, 0), distance=1.0)
        if is_walked:
            steering.Crowd(space).step(
                places, np.zeros_like(places), fc.flow_field(field), 0.1, max_speed=1.0
            )


@compiled_only
@pytest.mark.parametrize(
    "name", ["small", "large", "eight", "torus", "knight", "hex", "graph", "mesh"]
)
def test_after_warming_up_nothing_is_compiled(name: str) -> None:
    from numba.core import event

    walls = np.arange(90 * 70).reshape(70, 90) % 17 == 5
    space = {
        "small": lambda: fc.Grid(9, 7),
        "large": lambda: fc.Grid(90, 70, walls=walls),
        "eight": lambda: fc.Grid(90, 70, walls=walls, neighbors=8),
        "torus": lambda: fc.Grid(30, 20, neighbors=8, wrap=True),
        "knight": lambda: fc.Grid(30, 20, neighbors=KNIGHT_AND_CORNER),
        "hex": lambda: fc.HexGrid(20, 14),
        "graph": lambda: fc.Grid(12, 10, walls=walls[:10, :12]).to_graph(),
        "mesh": lambda: fc.Graph.from_polygons(
            [(0, 0), (4, 0), (4, 4), (0, 4), (8, 0), (8, 4)], [(0, 1, 2, 3), (1, 4, 5, 2)]
        ),
    }[name]()
    fc.warm_up()
    with event.install_recorder("numba:compile") as heard:
        _ask(_layers(space))
    assert _compiled(heard) == []


@compiled_only
@pytest.mark.parametrize("space", ["fc.Grid(30, 20, neighbors=8)", "fc.Grid(6, 5).to_graph()"])
def test_a_warm_map_asks_for_no_other_kernels(space: str) -> None:
    code = (
        "import fieldcraft as fc; from packages.fieldcraft.tests.test_readiness import _layers, _ask; from"
        f" fieldcraft.kernels import jit\nimap = _layers({space}); fc.warm_up(imap)\nlate, prepare"
        " = [], jit.Kernel.prepare\ndef listen(self):\n    if not self._is_ready and not"
        " isinstance(self, jit.Variants):\n       "
        " late.append(f'{self.py_func.__module__}.{self.py_func.__name__}')\n   "
        " prepare(self)\njit.Kernel.prepare = listen\n_ask(imap); print(late)"
    )
    done = forked(code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"


def _compiled(heard: Any) -> list[str]:
    return [
        each.data["dispatcher"].py_func.__qualname__ for _, each in heard.buffer if each.is_start
    ]


@compiled_only
def test_progress_is_told_and_a_thread_can_be_joined() -> None:
    said: list[tuple[int, int]] = []
    thread = fc.warm_up(
        "best", "paths", background=True, progress=lambda done, total: said.append((done, total))
    )
    assert isinstance(thread, threading.Thread)
    thread.join(120)
    assert not thread.is_alive()
    assert said[-1][0] == said[-1][1] > 10


def test_a_name_that_names_nothing() -> None:
    with refused(UnknownName, "'pathes'", "paths"):
        fc.warm_up("pathes")


def test_a_map_names_what_can_be_asked_of_it() -> None:
    from fieldcraft.readiness import _families

    grid = fc.InfluenceMap(fc.Grid(5, 4))
    grid.add_layer("threat", fc.Radial(3))
    asked = set(_families((grid,)))
    assert {"radial", "placing", "best", "distance", "belief"} <= asked
    assert not asked & {"spread", "trail", "graph_ways", "maze", "paint"}
    roads = fc.InfluenceMap(fc.Grid(5, 4).to_graph())
    roads.add_layer("noise", fc.Spread(0.1, 0.5))
    assert {"graph_spread", "graph_ways", "spread"} <= set(_families((roads,)))


@compiled_only
def test_processes_compile_what_lies_in_no_store(tmp_path: Path) -> None:
    code = (
        "from numba.core import event; from fieldcraft.kernels import warming\n"
        "with event.install_recorder('numba:compile') as heard:\n"
        "    warming._FEW = 1\n"
        "    warming.prepare(['uphill', 'sense'], processes=2)\n"
        "print(len(heard.buffer))"
    )
    environment = {**os.environ, "FIELDCRAFT_KERNELS": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "0"
    assert len(list(tmp_path.iterdir())) == 2
