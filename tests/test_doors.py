"""Every argument of every public function is checked at the door: fieldcraft's own error, or a good value; never another exception.

The functions and their parameters are read from the signatures, so that a new one is tested on the day it is born.
"""

from __future__ import annotations

import inspect
import random
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft import maps, packing, pursuit, recipe
from fieldcraft.errors import FieldcraftError
from support.hostile import HOSTILE

SHAPE = (14, 20)
VALUES = 4  # hostile values for each parameter
LONGEST = 5.0  # seconds for one call, however loaded the machine: more is a hang


SEARCHES = {kind.__name__: kind for kind in pursuit.SEARCHES.values()}


class World:
    """A small map with one layer of each kind, and something of every class that a user holds."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        walls = np.zeros(SHAPE, dtype=bool)
        walls[3:9, 7] = True
        self.grid = fc.Grid(20, 14, walls=walls, neighbors=8)
        self.graph = fc.Grid(6, 5).to_graph()
        self.imap = fc.InfluenceMap(self.grid)
        self.spread = self.imap.add_layer("spread", fc.Spread(0.2, 0.5))
        self.radial = self.imap.add_layer("radial", fc.Radial(4.0))
        self.fade = self.imap.add_layer("fade", fc.Fade(0.1))
        self.trail = self.imap.add_layer("trail", fc.Trail())
        self.array = self.imap.add_layer("array", values=np.ones(SHAPE, dtype=np.float32))
        self.teams = self.imap.add_teams(["red", "blue"], fc.Radial(3.0))
        self.source = self.spread.add_source((3.5, 3.5), 5.0)
        self.radial.add_source((3.5, 3.5), 5.0)
        self.spread.sync(["a"], [(12.5, 4.5)], [1.0])
        self.imap.step()
        self.distances = fc.distance_map(self.grid, (2.5, 2.5))
        self.flow = fc.flow_field(self.distances)
        self.belief = fc.Belief(self.grid, speed=1.0)
        self.last_seen = fc.LastSeen(self.grid)
        self.pursuit = fc.Pursuit(self.grid, (3.5, 3.5), velocity=(1.0, 0.0))
        self.sight = fc.Sight(self.grid, 5.0)
        self.stamp = fc.Stamp.disc(1.0)
        self.crowd = fc.steering.Crowd(self.grid)
        self.neighbors = fc.steering.Neighbors(np.array([(2.5, 2.5), (3.5, 2.5)]), 2.0)
        self.walkers = fc.steering.Walkers.at(self.grid, [(2.5, 2.5)])
        self.reservations = fc.Reservations(self.grid)
        self.graph_layer = fc.InfluenceMap(self.graph).add_layer("spread", fc.Spread(0.2, 0.5))
        self.graph_flow = fc.flow_field(fc.distance_map(self.graph, (2.5, 2.5)))
        notes = fc.recordings.TimelineBuilder()
        notes.add(0.0, "ann", "red", (3.5, 4.5))
        self.timeline = notes.build()
        folder.joinpath("file.map").write_text("type octile\nheight 2\nwidth 3\nmap\n..@\n...\n")

    def search(self, kind: type[pursuit.Search]) -> pursuit.Search:
        """A search for a target that has just been lost."""
        found = kind(self.grid, 2.0)
        found.lost((3.5, 3.5), (1.0, 0.0))
        return found


def _worlds() -> dict[str, Callable[[World], Any]]:
    """The object that each class' methods are asked of."""
    return {
        "Belief": lambda w: w.belief,
        "DistanceMap": lambda w: w.distances,
        "FlowField": lambda w: w.flow,
        "FleeMap": lambda w: fc.flee_map(w.distances),
        "LastSeen": lambda w: w.last_seen,
        "Pursuit": lambda w: w.pursuit,
        "Sight": lambda w: w.sight,
        "Grid": lambda w: w.grid,
        "Graph": lambda w: w.graph,
        "InfluenceMap": lambda w: w.imap,
        "Reservations": lambda w: w.reservations,
        "Stamp": lambda w: w.stamp,
        "Source": lambda w: w.source,
        "Sources": lambda w: w.spread.sources,
        "Path": lambda w: w.distances.descend((15.5, 5.5)),
        "Crowd": lambda w: w.crowd,
        "Neighbors": lambda w: w.neighbors,
        "Walkers": lambda w: w.walkers,
        "Expression": lambda w: w.spread + w.radial,
        "Camera": lambda w: fc.view.Camera(),
        "SpreadLayer": lambda w: w.spread,
        "RadialLayer": lambda w: w.radial,
        "MemoryLayer": lambda w: w.fade,
        "TrailLayer": lambda w: w.trail,
        "ArrayLayer": lambda w: w.array,
        "HexGrid": lambda w: fc.HexGrid(6, 5),
        "Film": lambda w: fc.view.Film(w.folder / "film.gif"),
        "Travellers": lambda w: fc.steering.Travellers.at(w.graph, [(2.5, 2.5)]),
        "Swarm": lambda w: fc.steering.Swarm.scattered(w.grid, 3),
        "Placement": lambda w: fc.view.Placement(w.grid),
        "TimelineBuilder": lambda w: fc.recordings.TimelineBuilder(),
        "Fade": lambda w: fc.Fade(0.1),
        "Neighborhood": lambda w: fc.Neighborhood.of(4),
        "Spread": lambda w: fc.Spread(0.2, 0.5),
        "Teams": lambda w: w.teams,
        "FlowFields": lambda w: fc.FlowFields(w.grid),
        "Flood": lambda w: fc.Flood(),
        "Footing": lambda w: fc.steering.Footing(w.grid, 1.0),
        "Ring": lambda w: fc.Ring(0.2),
        "Falloff": lambda w: fc.Falloff.of("linear"),
        "Timeline": lambda w: w.timeline,
        "Losses": lambda w: fc.recordings.Losses(np.array([1.0]), np.zeros((1, 2)), ("red",), ("ball",)),
        "PlaceModel": lambda w: fc.recordings.fit_places([np.eye(3)], [[0]]),
        "Contacts": lambda w: w.sight.nobody(2),
        "Shot": lambda w: fc.incoming(w.grid, (2.5, 2.5), (9.5, 3.5), speed=20.0),
        "Terrain": lambda w: fc.Terrain(np.zeros(SHAPE, dtype=np.int64), np.eye(1, dtype=bool)),
        "ColorScale": lambda w: fc.view.ColorScale(0.0, 1.0),
        **{name: lambda w, kind=kind: w.search(kind) for name, kind in SEARCHES.items()},
    }


# What a required parameter gets while another one is hostile, by its name, or by "function.name" where names mean two things.
GOOD: dict[str, Callable[[World], Any]] = {
    "space": lambda w: w.grid,
    "imap": lambda w: w.imap,
    "speed": lambda w: 1.0,
    "agents": lambda w: [(2.5, 2.5), (9.5, 3.5)],
    "position": lambda w: (2.5, 2.5),
    "positions": lambda w: np.array([(2.5, 2.5), (9.5, 3.5)]),
    "radius": lambda w: 3.0,
    "view": lambda w: np.ones(SHAPE, dtype=bool),
    "goals": lambda w: (2.5, 2.5),
    "goal": lambda w: (2.5, 2.5),
    "start": lambda w: (15.5, 5.5),
    "starts": lambda w: [(15.5, 5.5)],
    "cells": lambda w: np.array([22, 23]),
    "cell": lambda w: 22,
    "dt": lambda w: 0.1,
    "name": lambda w: "another",
    "names": lambda w: ["p", "q"],
    "propagation": lambda w: fc.Radial(3.0),
    "path": lambda w: w.folder / "file",
    "danger": lambda w: w.distances,
    "distance_map": lambda w: w.distances,
    "width": lambda w: 6,
    "height": lambda w: 5,
    "edges": lambda w: np.array([(0, 1)]),
    "layer": lambda w: w.spread,
    "near": lambda w: (9.5, 3.5),
    "strengths": lambda w: np.array([1.0, 2.0]),
    "keys": lambda w: ["a", "b"],
    "stamp": lambda w: w.stamp,
    "values": lambda w: np.ones(SHAPE, dtype=np.float32),
    "identity": lambda w: w.source.id,
    "ids": lambda w: [w.source.id],
    "low": lambda w: 0.0,
    "high": lambda w: 1.0,
    "shape": lambda w: "linear",
    "at": lambda w: (0.0, 1.0),
    "other": lambda w: w.radial,
    "memory": lambda w: w.belief.snapshot(),
    "decay": lambda w: 0.2,
    "momentum": lambda w: 0.5,
    "steps": lambda w: [(1, 0), (-1, 0)],
    "inner": lambda w: 0.2,
    "outer": lambda w: 0.8,
    "length": lambda w: 3.0,
    "angle": lambda w: 60.0,
    "points": lambda w: [(0, 0), (1, 0), (1, 1)],
    "weights": lambda w: np.ones((3, 3)),
    "degrees": lambda w: 30.0,
    "factor": lambda w: 2.0,
    "x": lambda w: 1.0,
    "y": lambda w: 1.0,
    "distances": lambda w: [0.5, 1.0],
    "targets": lambda w: [(3.5, 3.5), (8.5, 1.5)],
    "viewers": lambda w: [(3.5, 3.5)],
    "max_speed": lambda w: 2.0,
    "velocities": lambda w: np.array([(1.0, 0.0), (0.0, 1.0)]),
    "wish": lambda w: np.array([(1.0, 0.0), (0.0, 1.0)]),
    "force": lambda w: np.array([(1.0, 0.0), (0.0, 1.0)]),
    "forces": lambda w: [np.array([(1.0, 0.0), (0.0, 1.0)])],
    "horizon": lambda w: 1.0,
    "target_velocities": lambda w: np.array([(1.0, 0.0), (0.0, 1.0)]),
    "slowing": lambda w: 1.0,
    "ahead": lambda w: 1.0,
    "angles": lambda w: np.zeros(2),
    "rng": lambda w: np.random.default_rng(7),
    "jitter": lambda w: 0.3,
    "displacements": lambda w: np.full((2, 2), 0.3),
    "flow": lambda w: w.flow,
    "interest": lambda w: np.ones((2, 8)),
    "end": lambda w: (9.5, 3.5),
    "text": lambda w: "a + 1",
    "maps": lambda w: {"a": w.spread},
    "kind": lambda w: "rooms",
    "own_range": lambda w: 4.0,
    "enemy_range": lambda w: 2.0,
    "shots": lambda w: [],
    "headings": lambda w: np.zeros(2),
    "distance": lambda w: 1.0,
    "condition": lambda w: w.spread,
    "then": lambda w: 1.0,
    "otherwise": lambda w: 0.0,
    "share": lambda w: 0.5,
    "center": lambda w: (0.0, 0.0),
    "source": lambda w: w.spread,
    "count": lambda w: 1,
    "how": lambda w: fc.steering.Walk(1.0),
    "seconds": lambda w: 0.5,
    "id": lambda w: 1,
    "screen": lambda w: (200, 140),
    "pixels": lambda w: [(4.0, 4.0)],
    "size": lambda w: (200, 140),
    "rule": lambda w: "A rule",
    "last_seen": lambda w: (3.5, 3.5),
    "walls": lambda w: np.zeros(SHAPE, dtype=bool),
    "classes": lambda w: np.zeros(SHAPE, dtype=np.int64),
    "enter": lambda w: np.eye(1, dtype=bool),
    "falloff": lambda w: "linear",
    "cell_size": lambda w: 2.0,
    "now": lambda w: 1,
    "since": lambda w: 0,
    "corners": lambda w: [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)],
    "polygons": lambda w: [[0, 1, 2, 3]],
    "frame": lambda w: fc.view.frame(w.spread),
    "frames": lambda w: [fc.view.frame(w.spread)] * 2,
    "picture": lambda w: fc.view.frame(w.spread, scale=8),
    "place": lambda w: fc.view.Placement(w.grid, scale=8),
    "lines": lambda w: [[(1.5, 1.5), (5.5, 5.5)]],
    "vectors": lambda w: np.zeros((*SHAPE, 2), dtype=np.float32),
    "color": lambda w: (255, 0, 0),
    "owners": lambda w: np.zeros(SHAPE, dtype=np.int64),
    "colors": lambda w: [(255, 0, 0), (0, 0, 255)],
    "shares": lambda w: [np.ones(SHAPE, dtype=np.float32)] * 2,
    "teams": lambda w: [(w.spread, None, "a"), (w.radial, None, "b")],
    "negative": lambda w: (255, 0, 0),
    "positive": lambda w: (0, 0, 255),
    "value": lambda w: 1.0,
    "team": lambda w: "red",
    "key": lambda w: "red",
    "version": lambda w: 0,
    "radii": lambda w: [2.0],
    "array": lambda w: np.zeros(SHAPE, dtype=bool),
    "operands": lambda w: (w.spread, w.radial),
    "seed": lambda w: 7,
    "columns": lambda w: 6,
    "rows": lambda w: 5,
    "Neighborhood.lengths.cell_size": lambda w: 1.0,
    "Stamp.rectangle.width": lambda w: 2.0,
    "Stamp.rectangle.height": lambda w: 2.0,
    "strength": lambda w: -1.2,
    "Source.move.position": lambda w: (4.5, 4.5),
    "Sources.move.positions": lambda w: [(4.5, 4.5)],
    "Sources.set_strengths.strengths": lambda w: [1.0],
    "Graph.set_walls.cells": lambda w: [3],
    "Graph.set_edges.edges": lambda w: [(0, 1)],
    "layers": lambda w: [w.spread],
    "number": lambda w: 99.0,
    "target": lambda w: 0,
    "axial": lambda w: (1, 1),
    "cube": lambda w: (1, 1, -2),
    "offset": lambda w: (1, 1),
    "fc.influence_at.sources": lambda w: [(3.5, 3.5)],
    "fc.influence_at.strengths": lambda w: [2.0],
    "unit": lambda w: 1.0,
    "ends": lambda w: [(3.5, 3.5), (8.5, 1.5)],
    "wishes": lambda w: np.array([(1.0, 0.0), (0.0, 1.0)]),
    "speeds": lambda w: np.ones(2),
    "food": lambda w: np.zeros(SHAPE, dtype=np.int64),
    "home": lambda w: [22],
    "searchers": lambda w: [(2.5, 2.5), (9.5, 3.5)],
    "doors": lambda w: np.zeros((3, 4), dtype=np.uint8),
    "grid": lambda w: w.grid,
    "graph": lambda w: w.graph,
    "data": lambda w: packing.pack((1, "a")),
    "fc.maps.load_movingai.path": lambda w: w.folder / "file.map",
    "fc.maps.load_map.path": lambda w: w.folder / "file.map",
    "fc.load_map.path": lambda w: w.folder / "file.map",
    "Pursuit.restore.memory": lambda w: w.pursuit.snapshot(),
    "LastSeen.restore.memory": lambda w: w.last_seen.snapshot(),
    "Sight.view.viewers": lambda w: [(3.5, 3.5)],
    "contacts": lambda w: [],
    "others": lambda w: [3],
    "neighbors": lambda w: 4,
    "lows": lambda w: np.zeros((6, 1)),
    "highs": lambda w: np.ones((6, 1)),
    "series": lambda w: ["a"],
    "floors": lambda w: 2,
    "fc.view.IntervalPanel.values": lambda w: np.ones((6, 1)),
    "strip": lambda w: fc.view.ScaleStrip(fc.view.ColorScale(0.0, 1.0)),
    "panels": lambda w: [fc.view.IntervalPanel("t", np.ones((1, 1)), np.zeros((1, 1)), np.ones((1, 1)))],
    "places": lambda w: [1.0],
    "fc.view.plot_intervals.rows": lambda w: ["r"],
    "curves": lambda w: [("a", [1.0], None)],
    "fc.view.plot_over_time.seconds": lambda w: [1.0],
    "where": lambda w: np.ones(SHAPE, dtype=bool),
    "propagation ": lambda w: fc.Radial(3.0),
    "vertices": lambda w: [1],
    "way": lambda w: w.graph_flow,
    "Expression.fill.where": lambda w: np.ones(SHAPE, dtype=bool),
    "title": lambda w: "t",
    "features": lambda w: [np.eye(3)],
    "fc.recordings.fit_places.cells": lambda w: [[0]],
    "fc.recordings.score_places.cells": lambda w: [[0]],
    "fc.recordings.calibrate.cells": lambda w: [[0]],
    "chances": lambda w: [[0.5, 0.5]],
    "first": lambda w: 0.0,
    "last": lambda w: 1.0,
    "replay": lambda w: w.folder / "none.SC2Replay",
    "PlaceModel.chances.features": lambda w: np.eye(3),
    "fc.view.ScaleStrip.colors": lambda w: fc.view.ColorScale(0.0, 1.0),
    "fc.view.ScaleLegend.colors": lambda w: fc.view.ColorScale(0.0, 1.0),
    "fc.view.TeamLegend.colors": lambda w: fc.view.ColorScale(0.0, 1.0),
    "fc.view.TeamLegend.teams": lambda w: fc.view.Team.all_of([(w.spread, None, "a")]),
    "fc.view.frame_graph.layer": lambda w: w.graph_layer,
    "fc.view.picture_floors.layer": lambda w: w.graph_layer,
}

# Classes whose objects fieldcraft makes, never a user.
MADE = {
    "Advance",
    "Calibration",
    "Losses",
    "PlaceModel",
    "PlaceScore",
    "ArrayLayer",
    "Contacts",
    "Expression",
    "FlowField",
    "Layer",
    "MemoryLayer",
    "Path",
    "RadialLayer",
    "Shot",
    "Source",
    "SourceLayer",
    "Sources",
    "Space",
    "SpreadLayer",
    "Teams",
    "Timeline",
    "TrailLayer",
    "DistanceMap",
    "FleeMap",
    "Team",
    "Mesh",
    "MapFormat",
    "Raster",
    "Recipe",
    "Travellers",
}

# Methods that rooms of the library ask of each other, with arguments that were checked at the door.
PLUMBING = {
    "close",
    "compose",
    "difference",
    "field",
    "follow",
    "ids_of",
    "life",
    "links",
    "mean",
    "middle",
    "offsets_from",
    "on",
    "parts",
    "pins",
    "reached",
    "restored",
    "scaled",
    "searched",
    "short_way",
    "span",
    "state",
    "step_lengths",
    "steps_into",
    "strongest",
    "walls_changed",
    "wrapped",
    "Sources.add",
    "Sources.expire",
    "Sources.id_of",
    "Sources.key_of",
    "Sources.sync",
    "Stamp.at",
    "fc.Stamp",
    "draw",
    "size",
    "paint",
    "shown_on",
    "changed_since",
    "guarded_by",
}

# What is not asked here, and why.
EXEMPT = {
    "fc.view.draw": "wants a surface of pygame",
    "fc.view.show_picture": "opens a window",
    "fc.view.show_in_notebooks": "changes IPython for all that follow",
    "fc.set_threads": "changes the threads of all that follow",
    "fc.warm_up": "compiles everything",
    "fc.view.DevicePicture": "takes seconds to find a graphics card",
    "Swarm.run": "a huge count of steps is a long run, which Ctrl-C ends",
    "Graph.from_networkx": "wants a graph of networkx",
    "Expression.fill": "writes where it is told, each frame: its array is made by the caller",
    "Swarm.copy": "takes seconds to find a graphics card",
}

# What answers with NaN or infinity on purpose: no way leads there, nobody is near, nothing was found, values that were to be finite.
ENDLESS = {
    "fc.distance_map",
    "fc.flee_map",
    "fc.best",
    "fc.worst",
    "fc.pick",
    "Reservations.best",
    "Reservations.worst",
    "DistanceMap.sample",
    "DistanceMap.sample_cells",
    "Neighbors.nearest",
    "Sight.nobody",
    "Sight.look",
    "ColorScale.share",
}

ROOMS = (fc, fc.recordings, fc.steering, fc.view, pursuit, maps, recipe, packing)

Get = Callable[[World], Callable[..., Any]]


def _targets() -> Iterator[tuple[str, Get]]:
    """Every public function and method once, under the first name that it is found by, and how to get at it."""
    objects = _worlds()
    seen: set[Any] = set()
    for label, get, thing in _found(objects):
        function = inspect.unwrap(getattr(thing, "__func__", thing))
        if function not in seen and not {label, label.split(".")[-1]} & PLUMBING and label not in EXEMPT:
            seen.add(function)
            yield label, get


def _found(objects: dict[str, Callable[[World], Any]]) -> Iterator[tuple[str, Get, Any]]:
    for room in ROOMS:
        for name in room.__all__:
            thing = getattr(room, name)
            if not callable(thing) or (inspect.isclass(thing) and issubclass(thing, BaseException)):
                continue
            if name not in MADE:
                yield f"{room.__name__.replace('fieldcraft', 'fc')}.{name}", lambda w, thing=thing: thing, thing
            if not inspect.isclass(thing):
                continue
            for method, member in inspect.getmembers(thing, callable):
                if method.startswith("_"):
                    continue
                if any(isinstance(vars(base).get(method), (classmethod, staticmethod)) for base in thing.__mro__):
                    yield f"{name}.{method}", lambda w, thing=thing, method=method: getattr(thing, method), member
                elif name in objects:
                    yield f"{name}.{method}", lambda w, name=name, method=method: getattr(objects[name](w), method), member


class Hang(BaseException):
    """A call took longer than any call may."""


@contextmanager
def no_longer_than(seconds: float) -> Iterator[None]:
    """The block raises `Hang` when it takes longer."""

    def stop(*_: object) -> None:
        raise Hang

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        found = inspect.signature(function).parameters.values()
    except (ValueError, TypeError):
        return []
    return [p for p in found if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]


def _good(label: str, parameter: str, world: World) -> Any:
    make = GOOD.get(f"{label}.{parameter}", GOOD.get(f"{label.removeprefix('fc.')}.{parameter}", GOOD.get(parameter)))
    if make is None:
        raise LookupError(f"{label}({parameter}=): say in GOOD what a good value is")
    return make(world)


def fault(label: str, get: Get, parameter: str, value: str, world: World) -> str | None:
    """What goes wrong when a parameter gets a hostile value: another exception than fieldcraft's own, a hang, NaN or infinity.

    "" for nothing, None for a refusal.
    """
    function = get(world)
    given = {p.name: _good(label, p.name, world) for p in _parameters(function) if p.default is p.empty and p.name != parameter}
    try:
        with no_longer_than(LONGEST):
            answer = function(**given, **{parameter: HOSTILE[value]()})
            if inspect.isgenerator(answer):
                next(answer, None)
        if label not in ENDLESS and not _is_finite(answer):
            return f"{label}({parameter}={value}): an answer that is not finite"
    except FieldcraftError:
        return None
    except Hang:
        return f"{label}({parameter}={value}): hangs"
    except Exception as error:
        return f"{label}({parameter}={value}): {type(error).__name__}: {str(error)[:90]}"
    return ""


def _is_finite(answer: Any) -> bool:
    """Whether there is no NaN and no infinity in numbers, in arrays of them, and in the values of maps."""
    if isinstance(answer, tuple):
        return all(_is_finite(part) for part in answer)
    numbers = answer if isinstance(answer, (float, np.floating, np.ndarray)) else getattr(answer, "values", None)
    return (
        not isinstance(numbers, (float, np.floating, np.ndarray))
        or np.asarray(numbers).dtype.kind != "f"
        or bool(np.isfinite(numbers).all())
    )


def _asked(label: str, parameter: str) -> list[str]:
    """Some of the hostile values, always the same for the same parameter."""
    return random.Random(f"{label}({parameter})").sample(list(HOSTILE), VALUES)


TARGETS = dict(_targets())


@pytest.mark.parametrize("label", TARGETS)
@pytest.mark.filterwarnings("ignore")
def test_every_argument_is_checked_at_the_door(label, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    get, found = TARGETS[label], []
    world = World(tmp_path)
    for parameter in _parameters(get(world)):
        if parameter.name == "device":
            continue  # it takes seconds to find a graphics card
        for value in _asked(label, parameter.name):
            said = fault(label, get, parameter.name, value, world)
            found += [said] if said else []
            world = world if said is None else World(tmp_path)
    assert not found
