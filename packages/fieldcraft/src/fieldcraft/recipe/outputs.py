"""Running a recipe: the files that a run makes, collected while the world moves on."""

from __future__ import annotations

import csv
import math
import time
from abc import ABC, abstractmethod
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TextIO

import numpy as np

from fieldcraft.files import Staging
from fieldcraft.progress import Progress
from fieldcraft.recipe.parts import OutputPart, Recipe, RunPart
from fieldcraft.recipe.pictures import SIZES, Painter
from fieldcraft.recipe.world import World
from fieldcraft.view import Film, plot_over_time, save_png
from fieldcraft.view.legends import need_plots

__all__ = ["Collector", "LayerReport", "Report", "collector_for", "film_times", "run"]

_NEAR = 1e-9
_MOST_MOMENTS = 400
_NOBODY = "#8b92a1"
# Where nobody holds less than this all the time, the plot has no line for nobody.
_LEAST = 0.002
_MEANING = {
    "share": (
        "The mean share of each team over the open cells. Where no team reaches, nobody holds the"
        " ground."
    ),
    "owned": "The part of the open cells that each team owns. The rest is nobody's.",
}


class Collector(Protocol):
    """Something that takes a look at the world at its `times`, in seconds, and has a file at the
    end.
    """

    times: list[float]

    def look(self, world: World) -> None:
        """Takes in the present moment."""

    def finish(self) -> None:
        """Completes the file."""

    def drop(self) -> None:
        """Gives up; frees what is open."""


def collector_for(output: OutputPart, run: RunPart, file: Path) -> Collector:
    """The collector that makes an output at `file`, whose folder exists."""
    if output.kind == "still":
        return _Still(output, file)
    if output.kind == "film":
        return _Film(output, run, file)
    if output.kind == "plot":
        return _Plot(output, run, file)
    if output.kind == "holdings":
        return _Holdings(output, run, file)
    return _Values(output, run, file) if output.kind == "points" else _Totals(output, run, file)


def film_times(output: OutputPart, run: RunPart) -> list[float]:
    """The moments of a film's frames: `run.speed / run.fps` seconds apart."""
    until = run.seconds if output.until is None else min(output.until, run.seconds)
    return _evenly(output.start, until, run.speed / run.fps)


def _evenly(start: float, until: float, step: float) -> list[float]:
    return [start + index * step for index in range(math.floor((until - start) / step + _NEAR) + 1)]


class _Still:
    def __init__(self, output: OutputPart, file: Path) -> None:
        self.output, self.file = output, file
        self.times = [output.start]

    def look(self, world: World) -> None:
        save_png(self.file, Painter([world], self.output, size=SIZES["still"]).draw())

    def finish(self) -> None:
        pass

    def drop(self) -> None:
        pass


class _Film:
    def __init__(self, output: OutputPart, run: RunPart, file: Path) -> None:
        self.output = output
        self.times = film_times(output, run)
        self.film = Film(file, run.fps)
        self.painter: Painter | None = None

    def look(self, world: World) -> None:
        if self.painter is None:
            self.painter = Painter([world], self.output, size=SIZES["film"])
        self.film.add(self.painter.draw())

    def finish(self) -> None:
        self.film.close()

    def drop(self) -> None:
        self.film.discard()


class _Table(ABC):
    """A CSV file, one row per moment."""

    def __init__(self, output: OutputPart, run: RunPart, file: Path) -> None:
        self.output = output
        self.times = _evenly(0.0, run.seconds, output.every or 1.0)
        self._file: TextIO = file.open("w", encoding="utf-8", newline="")
        self._rows = csv.writer(self._file, lineterminator="\n")
        self._begun = False

    def look(self, world: World) -> None:
        if not self._begun:
            self._begun = True
            self._rows.writerow(["seconds", *self.header(world)])
        self._rows.writerow(
            [
                f"{world.seconds:.6g}",
                *(
                    str(value) if isinstance(value, int) else f"{value:.7g}"
                    for value in self.row(world)
                ),
            ]
        )

    @abstractmethod
    def header(self, world: World) -> list[str]:
        """The names of the columns after the first."""

    @abstractmethod
    def row(self, world: World) -> list[float | int]:
        """The row of the table as it stands now."""

    def finish(self) -> None:
        self._file.close()

    def drop(self) -> None:
        self._file.close()


class _Totals(_Table):
    """Sum, strongest value and cells above the threshold of each map, and the sources of layers."""

    def header(self, world: World) -> list[str]:
        return [
            f"{name}_{what}"
            for name in self.output.layers
            for what in ("sum", "peak", "cells", "sources")[: 3 + (name in world.imap)]
        ]

    def row(self, world: World) -> list[float | int]:
        row: list[float | int] = []
        for name in self.output.layers:
            values = world.maps[name].values
            above = int(np.count_nonzero(np.abs(values) > self.output.look.threshold))
            row += [
                float(values.sum(dtype=np.float64)),
                float(values.flat[np.abs(values).argmax()]),
                above,
            ]
            if name in world.imap:
                row.append(len(world.actors_on(name)[1]))
        return row


class _Values(_Table):
    """The value of each layer at the points of the output."""

    def header(self, world: World) -> list[str]:
        several = len(self.output.layers) > 1
        return [
            f"{name}_{point}" if several else point
            for name in self.output.layers
            for point in self.output.points
        ]

    def row(self, world: World) -> list[float | int]:
        points = np.array(list(self.output.points.values()))
        return [
            float(value)
            for name in self.output.layers
            for value in np.atleast_1d(world.maps[name].sample(points))
        ]


class _Holdings(_Table):
    """How much of the open ground each team holds, and nobody."""

    def header(self, world: World) -> list[str]:
        return [*self.output.layers, "nobody"]

    def row(self, world: World) -> list[float | int]:
        return [round(part, 6) for part in world.holdings(self.output.over_time)]


class _Plot:
    """The same as a picture: a line per team over the whole run."""

    def __init__(self, output: OutputPart, run: RunPart, file: Path) -> None:
        need_plots()
        self.output, self.file = output, file
        self.times = _evenly(
            0.0, run.seconds, output.every or max(1.0, run.seconds / _MOST_MOMENTS)
        )
        self._seconds: list[float] = []
        self._rows: list[list[float]] = []
        self._title = ""
        self._curves: list[tuple[str, str]] = []

    def look(self, world: World) -> None:
        teams = world.recipe.teams
        assert teams is not None
        if not self._seconds or world.seconds > self._seconds[-1]:
            self._seconds.append(world.seconds)
            self._rows.append(world.holdings(self.output.over_time))
        self._title = world.recipe.title
        self._curves = [*zip(teams.names, teams.colors, strict=True), ("nobody", _NOBODY)]

    def finish(self) -> None:
        look = self.output.look
        columns = np.array(self._rows).T
        curves = [
            (name, column, color)
            for (name, color), column in zip(self._curves, columns, strict=True)
        ]
        picture = plot_over_time(
            self._seconds,
            curves if columns[-1].max() >= _LEAST else curves[:-1],
            title=look.title or f"{self._title}: who holds the ground",
            caption=look.caption or _MEANING[self.output.over_time],
            limits=look.limits or (0.0, 1.0),
            percent=True,
            width=look.size or SIZES["still"],
        )
        save_png(self.file, picture)

    def drop(self) -> None:
        pass


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

    Raises
    ------
    BadRecipe
        For problems that show only with the map and the recordings at hand, all at once, and other.
    FieldcraftError
        S if an output can't be made.
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
