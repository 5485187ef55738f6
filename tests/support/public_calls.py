"""Objects for the methods of public classes, and good values for the parameters of public functions:
for `tests/test_public_calls.py`.
"""

from __future__ import annotations

import contextlib
import importlib
import random
import tempfile
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import fieldcraft as fc
import fieldcraft_cluster as cluster
import fieldcraft_gpu as gpu
import fieldcraft_lab as lab
from fieldcraft import pursuit
from fieldcraft.commands import recipe
from fieldcraft_lab import function_map, orders

__all__ = [
    "CONTEXTS",
    "GOOD_VALUES",
    "INTERNAL",
    "NOT_FINITE",
    "OBJECTS",
    "PUBLIC_MODULES",
    "RETURNED",
    "SHAPE",
    "SKIPPED",
    "World",
]

SHAPE = (14, 20)


def _adapters() -> Iterator[ModuleType]:
    """The adapters whose libraries are installed."""
    for name, library in (
        ("tcod", "tcod"),
        ("mesa", "mesa"),
        ("sc2", "fieldcraft"),
        ("frames", "fieldcraft"),
        ("kloppy", "fieldcraft"),
        ("xarray", "xarray"),
    ):
        with contextlib.suppress(ImportError):
            importlib.import_module(library)
            yield importlib.import_module(f"fieldcraft.formats.adapters.{name}")


class World:
    """A small map with one layer of each kind, and something of every class that a user holds, each
    created on first use.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def grid(self) -> fc.Grid:
        walls = np.zeros(SHAPE, dtype=bool)
        walls[3:9, 7] = True
        return fc.Grid(20, 14, walls=walls, neighbors=8)

    @cached_property
    def imap(self) -> fc.InfluenceMap:
        imap = fc.InfluenceMap(self.grid)
        spread = imap.add_layer("spread", fc.Spread(0.2, 0.5))
        self.source = spread.add_source((3.5, 3.5), 5.0)
        spread.sync(["a"], [(12.5, 4.5)], [1.0])
        imap.add_layer("radial", fc.Radial(4.0)).add_source((3.5, 3.5), 5.0)
        imap.add_layer("fade", fc.Fade(0.1))
        imap.add_layer("trail", fc.Trail())
        imap.add_layer("array", values=np.ones(SHAPE, dtype=np.float32))
        self.teams = imap.add_teams(["red", "blue"], fc.Radial(3.0))
        imap.step()
        return imap

    def __getattr__(self, name: str) -> Any:
        if name in ("spread", "radial", "fade", "trail", "array"):
            return self.imap[name]
        if name in ("source", "teams"):
            self.imap.step(0)
            return self.__dict__[name]
        make = CREATORS.get(name)
        if make is None:
            raise AttributeError(name)
        self.__dict__[name] = make(self)
        return self.__dict__[name]

    def search_party(self) -> fc.SearchParty:
        """A search for a target that has just been lost."""
        party = fc.SearchParty(self.grid, 2.0)
        party.lost((3.5, 3.5), (1.0, 0.0))
        return party


def _layer_model(world: World) -> Any:
    return fc.fitting.LayerModel(fc.Radial(4.0, metric="path"), list(world.timeline.groups))


def _recorded(world: World) -> Any:
    return fc.fitting.Recorded.events(world.grid, world.timeline, [1.0], [(2.5, 2.5)])


def _timeline(_: World) -> Any:
    notes = fc.recordings.TimelineBuilder()
    notes.add(0.0, "ann", "red", (3.5, 4.5))
    return notes.build()


def _map_file(w: World) -> Path:
    path = w.folder / "file.map"
    path.write_text("type octile\nheight 2\nwidth 3\nmap\n..@\n...\n")
    return path


def _blocks(w: World) -> cluster.World:
    """A world in blocks, in a folder of its own."""
    blocks = cluster.World(tempfile.mkdtemp(dir=w.folder), (20, 14), block=8)
    blocks.add_layer("spread", fc.Spread(0.2, 0.5)).add_sources([(3.5, 3.5)], [5.0])
    blocks.add_layer("radial", fc.Radial(4.0)).add_sources([(3.5, 3.5)], [5.0])
    blocks.add_layer("fade", fc.Fade(0.1))
    blocks.add_layer("trail", fc.Trail())
    return blocks


def _recipe(w: World) -> recipe.Recipe:
    path = w.folder / "small.toml"
    lines = [
        "[map]",
        'generate = "cave"',
        "width = 9",
        "height = 7",
        "[layers.threat]",
        "decay = 0.2",
    ]
    lines += [
        "[[sources]]",
        'layer = "threat"',
        "position = [4, 3]",
        'on_wall = "nearest"',
        "[run]",
        "seconds = 1",
    ]
    path.write_text("\n".join(lines))
    return recipe.read_recipe(path)


CREATORS: dict[str, Callable[[World], Any]] = {
    "graph": lambda w: fc.Grid(6, 5).to_graph(),
    "distances": lambda w: fc.distance_map(w.grid, (2.5, 2.5)),
    "flow": lambda w: fc.flow_field(w.distances),
    "belief": lambda w: fc.Belief(w.grid, speed=1.0),
    "last_seen": lambda w: fc.LastSeen(w.grid),
    "pursuit": lambda w: fc.Pursuit(w.grid, (3.5, 3.5), velocity=(1.0, 0.0)),
    "sight": lambda w: fc.Sight(w.grid, 5.0),
    "stamp": lambda w: fc.Stamp.disc(1.0),
    "crowd": lambda w: fc.steering.Crowd(w.grid),
    "neighbors": lambda w: fc.steering.Neighbors(np.array([(2.5, 2.5), (3.5, 2.5)]), 2.0),
    "question": lambda w: fc.Question({"points": "me"}, budget={"candidates": 1}),
    "answer": lambda w: w.question.start(w.grid, me=(3.5, 3.5)),
    "questions": lambda w: fc.Question.read("a.toml", text="[a]\ngenerate = {reach = 1}"),
    "reservations": lambda w: fc.query.Reservations(w.grid),
    "graph_layer": lambda w: fc.InfluenceMap(w.graph).add_layer("spread", fc.Spread(0.2, 0.5)),
    "graph_flow": lambda w: fc.flow_field(fc.distance_map(w.graph, (2.5, 2.5))),
    "timeline": _timeline,
    "session": lambda w: lab.Session(w.imap),
    "blocks": _blocks,
    "mesa": lambda w: importlib.import_module("mesa").discrete_space.OrthogonalMooreGrid(
        (20, 14), random=random.Random(1)
    ),
    "map_file": _map_file,
}
"""What a world has beside its influence map, and how it is made."""


OBJECTS: dict[str, Callable[[World], Any]] = {
    "Session": lambda w: w.session,
    "World": lambda w: w.blocks,
    "WorldSpreadLayer": lambda w: w.blocks.layer("spread"),
    "WorldRadialLayer": lambda w: w.blocks.layer("radial"),
    "WorldMemoryLayer": lambda w: w.blocks.layer("fade"),
    "WorldTrailLayer": lambda w: w.blocks.layer("trail"),
    "FunctionMap": lambda w: function_map.FunctionMap(
        "a", w.grid, lambda: np.ones(SHAPE), lambda: 1
    ),
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
    "Question": lambda w: w.question,
    "Questions": lambda w: w.questions,
    "Answer": lambda w: w.answer,
    "Stamp": lambda w: w.stamp,
    "Source": lambda w: w.source,
    "Sources": lambda w: w.spread.sources,
    "Path": lambda w: w.distances.descend((15.5, 5.5)),
    "Crowd": lambda w: w.crowd,
    "Neighbors": lambda w: w.neighbors,
    "Expression": lambda w: w.spread + w.radial,
    "SpreadLayer": lambda w: w.spread,
    "RadialLayer": lambda w: w.radial,
    "MemoryLayer": lambda w: w.fade,
    "TrailLayer": lambda w: w.trail,
    "ArrayLayer": lambda w: w.array,
    "HexGrid": lambda w: fc.HexGrid(6, 5),
    "Film": lambda w: fc.view.Film(w.folder / "film.gif"),
    "Swarm": lambda w: fc.steering.Swarm.scattered(w.grid, 3),
    "Placement": lambda w: fc.view.Placement(w.grid),
    "TimelineBuilder": lambda w: fc.recordings.TimelineBuilder(),
    "Fade": lambda w: fc.Fade(0.1),
    "Neighborhood": lambda w: fc.Neighborhood.of(4),
    "Spread": lambda w: fc.Spread(0.2, 0.5),
    "Teams": lambda w: w.teams,
    "Flood": lambda w: fc.Flood(),
    "Ring": lambda w: fc.Ring(0.2),
    "Falloff": lambda w: fc.Falloff.of("linear"),
    "Timeline": lambda w: w.timeline,
    "Losses": lambda w: fc.recordings.Losses(
        np.array([1.0]), np.zeros((1, 2)), ("red",), ("ball",)
    ),
    "Contacts": lambda w: w.sight.nobody(2),
    "Shot": lambda w: fc.incoming(w.grid, (2.5, 2.5), (9.5, 3.5), speed=20.0),
    "Terrain": lambda w: fc.Terrain(np.zeros(SHAPE, dtype=np.int64), np.eye(1, dtype=bool)),
    "ColorScale": lambda w: fc.view.ColorScale(0.0, 1.0),
    "SearchParty": lambda w: w.search_party(),
    "Recorded": _recorded,
    "LayerModel": _layer_model,
    "Fitted": lambda w: fc.fit(
        "care * threat", {"threat": _layer_model(w)}, _recorded(w), {"care": 1.0}, rounds=1
    ),
}
"""An object of each class."""

# What a required parameter gets while another one is hostile, by its name, or by "function.name"
# where names mean two things.
GOOD_VALUES: dict[str, Callable[[World], Any]] = {
    "pixels": lambda w: np.array([(4.0, 4.0), (9.0, 9.0)]),
    "opacity": lambda w: 0.5,
    "order": lambda w: np.array([0]),
    "left": lambda w: 1,
    "top": lambda w: 1,
    "folder": lambda w: w.folder / "folder",
    "parts": lambda w: [b"data"],
    "world": lambda w: w.imap,
    "fc.cluster.run.world": lambda w: w.blocks,
    "amount": lambda w: 1.0,
    "stroke": lambda w: [(1.5, 1.5)],
    "blocked": lambda w: True,
    "moment": lambda w: lambda: 1,
    "fc.lab.function_map.FunctionMap.values": lambda w: lambda: np.ones(SHAPE),
    "words": lambda w: ["paths"],
    "what": lambda w: "Things",
    "block": lambda w: 4,
    "subject": lambda w: w.spread,
    "dataset": lambda w: None,
    "fc.formats.adapters.frames.timeline.frame": lambda w: {
        "seconds": [0.0],
        "id": ["a"],
        "x": [1.5],
        "y": [2.5],
    },
    "transparent": lambda w: np.ones((20, 14), dtype=bool),
    "walkable": lambda w: np.ones((20, 14), dtype=bool),
    "extra": lambda w: w.spread,
    "actions": lambda w: np.zeros((2, 1), dtype=np.int64),
    "fc.formats.adapters.tcod.field_of_view.position": lambda w: (3, 3),
    "fc.formats.adapters.mesa.attach.place": lambda w: w.mesa,
    "fc.formats.adapters.mesa.space_of.place": lambda w: w.mesa,
    "fc.formats.adapters.mesa.repair.place": lambda w: w.mesa,
    "fc.formats.adapters.mesa.positions.agents": lambda w: [],
    "fc.formats.adapters.mesa.attach.layer": lambda w: fc.InfluenceMap(
        importlib.import_module("fieldcraft.formats.adapters.mesa").space_of(w.mesa)
    ).add_layer("a", fc.Fade(0.1)),
    "first": lambda w: 0.0,
    "last": lambda w: 1.0,
    "replay": lambda w: w.folder / "none.SC2Replay",
    "allowed": lambda w: ("a", "b"),
    "space": lambda w: w.grid,
    "imap": lambda w: w.imap,
    "speed": lambda w: 1.0,
    "agents": lambda w: [(2.5, 2.5), (9.5, 3.5)],
    "position": lambda w: (2.5, 2.5),
    "positions": lambda w: np.array([(2.5, 2.5), (9.5, 3.5)]),
    "radius": lambda w: 3.0,
    "fc.reach.limit": lambda w: 3.0,
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
    "near": lambda w: w.neighbors,
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
    "state": lambda w: w.belief.state(),
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
    "desired": lambda w: np.array([(1.0, 0.0), (0.0, 1.0)]),
    "force": lambda w: np.array([(1.0, 0.0), (0.0, 1.0)]),
    "horizon": lambda w: 1.0,
    "target_velocities": lambda w: np.array([(1.0, 0.0), (0.0, 1.0)]),
    "slowing": lambda w: 1.0,
    "ahead": lambda w: 1.0,
    "angles": lambda w: np.zeros(2),
    "rng": lambda w: np.random.default_rng(7),
    "jitter": lambda w: 0.3,
    "displacements": lambda w: np.full((2, 2), 0.3),
    "flow": lambda w: w.flow,
    "end": lambda w: (9.5, 3.5),
    "text": lambda w: "a + 1",
    "maps": lambda w: {"a": w.spread},
    "fc.fitting.LayerModel.kind": lambda w: fc.Radial(4.0, metric="path"),
    "groups": lambda w: list(w.timeline.groups),
    "timeline": lambda w: w.timeline,
    "Recorded.choices.candidates": lambda w: [[(2.5, 2.5), (9.5, 3.5)]],
    "chosen": lambda w: [1],
    "recorded": _recorded,
    "fc.observe.maps": lambda w: [w.spread],
    "window": lambda w: 3,
    "fc.fit.formula": lambda w: "care * threat",
    "fc.fit.layers": lambda w: {"threat": _layer_model(w)},
    "recordings": _recorded,
    "fc.fit.weights": lambda w: {"care": 1.0},
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
    "Source.schedule.times": lambda w: [0.0, 3.0],
    "InfluenceMap.add.timed": lambda w: fc.LastSeen(w.grid),
    "InfluenceMap.remove.timed": lambda w: fc.LastSeen(w.grid),
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
    "fc.propagation.influence_at.sources": lambda w: [(3.5, 3.5)],
    "fc.propagation.influence_at.strengths": lambda w: [2.0],
    "unit": lambda w: 1.0,
    "ends": lambda w: [(3.5, 3.5), (8.5, 1.5)],
    "wishes": lambda w: np.array([(1.0, 0.0), (0.0, 1.0)]),
    "speeds": lambda w: np.ones(2),
    "food": lambda w: np.zeros(SHAPE, dtype=np.int64),
    "home": lambda w: [22],
    "searchers": lambda w: [(2.5, 2.5), (9.5, 3.5)],
    "grid": lambda w: w.grid,
    "graph": lambda w: w.graph,
    "recipe": _recipe,
    "fc.maps.load_map.path": lambda w: w.map_file,
    "fc.load_map.path": lambda w: w.map_file,
    "Pursuit.restore.state": lambda w: w.pursuit.state(),
    "tracks": lambda w: [[(0.0, 2.5, 3.5), (1.0, 4.5, 3.5), (2.0, 6.5, 3.5), (3.0, 8.5, 4.5)]],
    "likely": lambda w: [1.0, 0.0],
    "moves": lambda w: [[0.5, 0.5], [0.5, 0.5]],
    "beside": lambda w: [[0, 1], [0, 1]],
    "LastSeen.restore.state": lambda w: w.last_seen.state(),
    "Sight.view.viewers": lambda w: [(3.5, 3.5)],
    "contacts": lambda w: [],
    "others": lambda w: [3],
    "neighbors": lambda w: 4,
    "floors": lambda w: 2,
    "places": lambda w: [1.0],
    "curves": lambda w: [("a", [1.0], None)],
    "fc.view.plot_over_time.seconds": lambda w: [1.0],
    "where": lambda w: np.ones(SHAPE, dtype=bool),
    "propagation ": lambda w: fc.Radial(3.0),
    "vertices": lambda w: [1],
    "Expression.values_at.cells": lambda w: np.array([22, 23]),
    "title": lambda w: "t",
    "candidates": lambda w: fc.Question({"reach": 2}).ask(w.grid, me=(3.5, 3.5)).explain(),
    "generate": lambda w: {"points": [(3.5, 3.5)]},
    "fc.view.ScaleLegend.colors": lambda w: fc.view.ColorScale(0.0, 1.0),
    "fc.view.TeamLegend.names": lambda w: ["a"],
    "fc.view.TeamLegend.colors": lambda w: ["red"],
}

# Classes whose objects fieldcraft makes, never a user.
RETURNED = {
    "Answer",
    "Candidates",
    "Fitted",
    "Recorded",
    "Advance",
    "Choke",
    "Journey",
    "Region",
    "Regions",
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
    "Adapter",
    "Device",
    "Report",
    "WorldLayer",
    "WorldMemoryLayer",
    "WorldRadialLayer",
    "WorldSpreadLayer",
    "WorldTrailLayer",
    "Threat",
    "Effect",
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
}

# Methods that packages of the library call on each other, with checked arguments.
INTERNAL = {
    "LayerModel.fitted",
    "LayerModel.start",
    "close",
    "compose",
    "difference",
    "field",
    "follow",
    "hide_new_walls",
    "ids_of",
    "life",
    "links",
    "mean",
    "middle",
    "measured",
    "offsets_from",
    "over_cells",
    "on",
    "parts",
    "pins",
    "reached",
    "restored",
    "scaled",
    "searched",
    "shortest_vectors",
    "sides",
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
    "changed_since",
    "steps_changed_since",
    "set_lock",
    "Device.groups",
    "World.check_around",
    "World.flush",
    "World.grid",
    "World.new_layer",
    "World.move_to",
    "World.walls_at",
    "take_commands",
    "attribution_without",
    "ids_of_any",
    "source_ids",
    "strongest_near",
    "values_in",
    "values_near",
    "values_without",
    "WorldMemoryLayer.set_walls",
    "WorldRadialLayer.set_walls",
    "WorldSpreadLayer.set_walls",
    "WorldTrailLayer.set_walls",
    "WorldLayer.set_walls",
}

SKIPPED = {
    "Questions.get": "returns the default that it is given",
    "fc.set_threads": "changes the threads of all that follow",
    "fc.lab.serve": "serves until Ctrl-C; it inputs on to Lab what it is given",
    "fc.lab.widget": "wants a notebook",
    "Session.step": "a huge count of steps is a long run, which Ctrl-C ends",
    "Session.seek": "a huge moment is a long run, which Ctrl-C ends",
    "World.step": "a huge count of steps is a long run, which Ctrl-C ends",
    "World.advance": "a huge time is a long run, which Ctrl-C ends",
    "fc.formats.adapters.sc2.Battlefield": "wants a bot of python-sc2",
    "fc.gpu.device": "takes seconds to find a graphics card",
    "fc.warm_up": "compiles everything",
    "Swarm.run": "a huge count of steps is a long run, which Ctrl-C ends",
    "Graph.from_networkx": "wants a graph of networkx",
    "Expression.values_at": "is called by windows, with cells that exist",
    "Swarm.copy": "takes seconds to find a graphics card",
}

# What answers with NaN or infinity on purpose: no way leads there, nobody is near, nothing was
# found, values that were to be finite.
NOT_FINITE = {
    "fc.formats.adapters.tcod.tiles_of",
    "fc.distance_map",
    "fc.flee_map",
    "fc.best",
    "fc.query.worst",
    "fc.pick",
    "Reservations.best",
    "Reservations.worst",
    "DistanceMap.sample",
    "Neighbors.nearest",
    "Sight.nobody",
    "Sight.observe",
    "ColorScale.share",
}

CONTEXTS = {"fc.cluster.run"}
"""What begins only when it is entered."""

PUBLIC_MODULES: tuple[ModuleType, ...] = (
    fc,
    fc.recordings,
    fc.fitting,
    fc.steering,
    fc.view,
    pursuit,
    fc.question,
    fc.maps,
    recipe,
    gpu,
    lab,
    orders,
    function_map,
    cluster,
    *_adapters(),
)
