"""Running a recipe: the world moves from moment to moment, the outputs look at it, and the files
are put in place.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import numpy as np

from fieldcraft.files import Staging
from fieldcraft.progress import Progress
from fieldcraft.recipe.outputs import Collector, collector_for
from fieldcraft.recipe.parts import Recipe
from fieldcraft.recipe.world import World

__all__ = ["LayerReport", "Report", "run"]


@dataclass(frozen=True)
class LayerReport:
    """The report on a layer: its updates, its sources at the end, and the strongest value then."""

    name: str
    updates: int
    sources: int
    peak: float


@dataclass(frozen=True)
class Report:
    """The report on a run. `seconds` are those of the world, `took` those of the clock on the wall;
    `files` are all written.
    """

    title: str
    map: str
    cells: int
    open_cells: int
    layers: tuple[LayerReport, ...]
    seconds: float
    took: float
    files: tuple[Path, ...]


def run(recipe: Recipe, out: str | Path = "out", *, progress: TextIO | None = None) -> Report:
    """Runs a recipe and writes its outputs into the folder `out`, which is made if absent.

    The files are put in place together when all are complete; a failed or stopped run leaves the
    folder as it was. `progress` is where a progress bar is drawn if it is a terminal.

    Raises `BadRecipe` for problems that show only with the map and the recordings at hand, all at
    once, and other `FieldcraftError`s if an output can't be made.
    """
    begun = time.perf_counter()
    world = World(recipe)
    with ExitStack() as cleanup:
        staging = cleanup.enter_context(
            Staging(Path(out), [output.file for output in recipe.outputs])
        )
        collectors: list[Collector] = []
        for output in recipe.outputs:
            collectors.append(collector_for(output, recipe.run, staging.part(output.file)))
            cleanup.callback(collectors[-1].drop)
        bar = cleanup.enter_context(Progress(progress, recipe.path.name))
        _play(world, collectors, bar)
        for collector in collectors:
            collector.finish()
        files = staging.commit()
    space = world.imap.space
    layers = tuple(
        LayerReport(name, world.updates[name], len(world.actors_on(name)[1]), _peak(world, name))
        for name in world.imap.layers
    )
    source = (
        recipe.map.file.name if recipe.map.file is not None else f"generated: {recipe.map.generate}"
    )
    open_cells = len(space) - int(np.count_nonzero(space.walls))
    return Report(
        recipe.title,
        source,
        len(space),
        open_cells,
        layers,
        world.seconds,
        time.perf_counter() - begun,
        files,
    )


def _play(world: World, collectors: list[Collector], bar: Progress) -> None:
    whole = world.recipe.run.seconds
    due = sorted({moment for collector in collectors for moment in collector.times} | {whole})
    nexts = [iter(collector.times) for collector in collectors]
    waiting = [next(moments, None) for moments in nexts]
    for moment in due:
        world.go_to(moment)
        for index, collector in enumerate(collectors):
            if waiting[index] == moment:
                collector.look(world)
                waiting[index] = next(nexts[index], None)
        bar.show(moment / whole if whole else 1.0)


def _peak(world: World, name: str) -> float:
    values = world.imap[name].values
    return float(values.flat[np.abs(values).argmax()]) if values.size else 0.0
