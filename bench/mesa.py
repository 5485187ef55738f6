"""Foraging ants on hexagons as in mesa-examples' `hex_ant`, on Mesa's own property layers and on
live layers of fieldcraft.

The same model twice: the same agents, seeds and steps, and trails that differ by rounding alone
(Mesa's are float64, fieldcraft's float32). An ant looks for food and marks its way home, or carries
food home and marks its way to it; it goes to the neighbor with the most of the other mark, by
chance now and then. Both marks lose a twentieth in each step, and less than 0.001 is nothing.
"""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np

import fieldcraft as fc
from bench.race import repeats, say
from bench.table import Report, Table
from fieldcraft.formats.adapters import mesa as beside

SIZES = ((30, 30, 50), (100, 100, 1000))


def model(width: int, height: int, ants: int, seed: int, live: bool) -> Any:
    """The model, with trails that are Mesa's or fieldcraft's."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import mesa
        from mesa.discrete_space import CellAgent, HexGrid

    four = not hasattr(mesa.discrete_space, "PropertyLayer")

    class Ant(CellAgent):  # type: ignore[misc]
        """An ant."""

        def __init__(self, world: Any) -> None:
            super().__init__(world)
            self.carries = False

        def step(self) -> None:
            """Take or leave food, or mark and move."""
            cell = self.cell
            if self.carries and cell.home:
                self.carries = False
            elif not self.carries and cell.food > 0:
                cell.food -= 1
                self.carries = True
            elif self.carries:
                cell.to_food = min(cell.to_food + 2.0, 10.0)
                self.go("to_home", 0.1)
            else:
                cell.to_home = min(cell.to_home + 1.0, 10.0)
                self.go("to_food", 0.3)

        def go(self, mark: str, chance: float) -> None:
            """Go where there is most of a mark, or anywhere."""
            around = self.cell.neighborhood
            if self.random.random() < chance:
                self.cell = around.select_random_cell()
                return
            self.cell = max(around, key=lambda cell: getattr(cell, mark))

    class World(mesa.Model):  # type: ignore[misc]
        """A nest, three heaps of food, and ants."""

        def __init__(self) -> None:
            if four:
                super().__init__(rng=seed)
            else:
                super().__init__(seed=seed)
            self.grid = HexGrid((width, height), torus=True, random=self.random)
            for name, kind in (
                ("food", int),
                ("home", int),
                *(() if live else (("to_food", float), ("to_home", float))),
            ):
                self.grid.create_property_layer(name, default_value=kind(0), dtype=kind)
            if live:
                self.trails = fc.InfluenceMap(beside.space_of(self.grid))
                for name in ("to_food", "to_home"):
                    trail = self.trails.add_layer(name, fc.Trail(keep=0.95, blur=1, floor=0.001))
                    beside.attach(self.grid, trail, writable=True)
            nest = self.grid[(width // 2, height // 2)]
            nest.home = 1
            nest.to_home = 1.0
            for _ in range(3):
                heap = self.grid[(self.random.randrange(width), self.random.randrange(height))]
                for cell in heap.get_neighborhood(radius=3, include_center=True):
                    cell.food = self.random.randint(50, 100)
            for _ in range(ants):
                Ant(self).cell = nest

        def step(self) -> None:
            """Let marks evaporate, and move all ants."""
            if live:
                self.trails.step()
            else:
                for name in ("to_food", "to_home"):
                    if four:
                        mark = self.grid.property_layers[name]
                    else:
                        mark = getattr(self.grid, name).data
                    mark *= 0.95
                    mark[mark < 0.001] = 0
            self.agents.shuffle_do("step")

        def digest(self) -> Any:
            """Where all ants are, and what they carry."""
            return [(*ant.cell.coordinate, ant.carries) for ant in self.agents]

    return World()


def marks(world: Any, name: str) -> Any:
    """A mark in all cells, [x, y]."""
    grid = world.grid
    return np.array(
        [[getattr(grid[(x, y)], name) for y in range(grid.height)] for x in range(grid.width)]
    )


def run(quick: bool) -> Report:
    """Measure."""
    report = Report()
    columns = [
        "map",
        "ants",
        "Mesa's layers, ms",
        "live layers, ms",
        "evaporation: Mesa's, ms",
        "fieldcraft's, ms",
        "the same for",
    ]
    table = Table("Foraging ants on hexagons, a step", columns)
    for width, height, ants in SIZES[:1] if quick else SIZES:
        say(f"bench mesa: {ants} ants")
        worlds = {live: model(width, height, ants, 1, live) for live in (False, True)}
        best = dict.fromkeys(worlds, np.inf)
        steps = repeats(quick, 20, 100)
        same = 0
        for step in range(steps):
            for live, world in worlds.items():
                begun = time.process_time()
                world.step()
                best[live] = min(best[live], time.process_time() - begun)
            if worlds[False].digest() == worlds[True].digest() and same == step:
                same += 1
        alone = (
            evaporating(fading(np.array(marks(worlds[False], "to_food")))),
            evaporating(worlds[True].trails.step),
        )
        table.add(
            f"{width} x {height}",
            f"{ants}",
            f"{best[False] * 1e3:.2f}",
            f"{best[True] * 1e3:.2f}",
            f"{2e3 * alone[0]:.3f}",
            f"{1e3 * alone[1]:.3f}",
            f"{same} of {steps} steps",
        )
    table.notes.append(
        "CPU time, the best step. The agents, which are Python in both, are what takes it."
    )
    report.tables.append(table)
    return report


def fading(mark: Any) -> Any:
    """The evaporation of a mark, by NumPy."""

    def step() -> None:
        mark[:] *= 0.95
        mark[mark < 0.001] = 0

    return step


def evaporating(step: Any) -> float:
    """The best CPU time of a call among many."""
    best = np.inf
    for _ in range(50):
        begun = time.process_time()
        step()
        best = min(best, time.process_time() - begun)
    return float(best)
