"""Small maps of every kind to play the chase on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

import fieldcraft as fc
from fieldcraft_worlds.games.chase.derived import ChaseDerived
from fieldcraft_worlds.games.chase.ground import ChaseGround, ground_of
from fieldcraft_worlds.games.chase.layout import start
from fieldcraft_worlds.games.chase.rules import step
from fieldcraft_worlds.games.chase.settings import Settings
from fieldcraft_worlds.games.chase.state import State

SMALL = Settings(hunters=4, civilians=14, items=2, limit=60)
KINDS_OF_MAPS = ("grid", "mesh", "waypoints", "floors")


@cache
def rooms() -> fc.Grid:
    return fc.generate_map("rooms", 34, 22, seed=3, neighbors=8)


@cache
def a_map(kind: str) -> Any:
    """A grid; a mesh of its open cells, two by two where that goes; waypoints in these; and two of
    their floors with stairs and a drop.
    """
    if kind == "grid":
        return rooms()
    open_ground = ~rooms().walls
    if kind == "mesh":
        return _mesh(open_ground)
    grid = fc.generate_map("cave", 30, 20, seed=4, neighbors=8)
    flat = grid.to_graph()
    kept = np.flatnonzero(~flat.walls)
    number = np.full(len(flat), -1)
    number[kept] = np.arange(len(kept))
    edges = flat.edges
    edges = number[edges[~flat.walls[edges].any(axis=1)]]
    places = flat.positions[kept] + np.random.default_rng(2).uniform(-0.2, 0.2, (len(kept), 2))
    if kind == "waypoints":
        return fc.Graph(places, edges)
    low = np.column_stack([places, np.zeros(len(places))])
    high = np.column_stack([places, np.full(len(places), 6.0)])
    count = len(places)
    both = np.concatenate([edges, edges[:, ::-1]])
    stairs = np.array([[5, count + 5], [count + 5, 5], [count + 60, 60]])
    return fc.Graph(
        np.concatenate([low, high]),
        np.concatenate([both, both + count, stairs]),
        directed=True,
        max_height=2.0,
    )


def _mesh(open_ground: np.ndarray[Any, Any]) -> fc.Graph:
    height, width = open_ground.shape
    corners = [(x, y) for y in range(height + 1) for x in range(width + 1)]
    polygons = []
    for y, x in np.argwhere(open_ground).tolist():
        first = y * (width + 1) + x
        square = (first, first + 1, first + width + 2, first + width + 1)
        polygons += [square] if (x + y) % 3 else [square[:3], (square[0], square[2], square[3])]
    return fc.Graph.from_polygons(corners, polygons)


@dataclass
class Chase:
    """A chase that is played on, with what it is played with."""

    ground: ChaseGround
    settings: Settings
    derived: ChaseDerived
    state: State
    rng: np.random.Generator

    def play(self, steps: int = 1, orders: Sequence[Any] = ()) -> State:
        """Step by step; the orders are for the first one."""
        for _ in range(steps):
            self.state = step(self.derived, self.state, orders, self.rng)
            orders = ()
        return self.state

    def put(self, row: int, position: Any, **columns: Any) -> None:
        """Somebody stands somewhere, and is so."""
        people = self.state.people
        changed = {
            name: getattr(people, name).copy()
            for name in ("positions", "velocities", "cells", "ahead", *columns)
        }
        changed["positions"][row] = position
        changed["velocities"][row] = 0
        changed["cells"][row] = self.ground.cells_of(
            np.atleast_2d(np.asarray(position, dtype=float))
        )[0]
        changed["ahead"][row] = -1
        for name, value in columns.items():
            changed[name][row] = value
        self.state = self.state.with_people(**changed)


def begun(space: Any, settings: Settings = SMALL, seed: int = 0, **changes: Any) -> Chase:
    """A chase before its first step."""
    rules = replace(settings, **changes)
    ground = ground_of(space, rules.scale)
    derived = ChaseDerived(ground, rules)
    rng = np.random.default_rng(seed)
    return Chase(ground, rules, derived, start(derived, rng), rng)
