"""Running a recipe: the files that a run makes, collected while the world moves on."""

from __future__ import annotations

import csv
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import numpy as np

from fieldcraft.files import Staging
from fieldcraft.progress import Progress
from fieldcraft.recipe.parts import OutputPart, Recipe, RunPart
from fieldcraft.recipe.pictures import SIZES, Painter
from fieldcraft.recipe.world import World
from fieldcraft.view import Film, plot_over_time, save_png
from fieldcraft.view.legends import need_plots

__all__ = ["Collector", "FilmCollector", "LayerReport", "Report", "StillCollector", "play", "run"]

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


def _evenly(start: float, until: float, step: float) -> set[float]:
    return {start + index * step for index in range(math.floor((until - start) / step + _NEAR) + 1)}


class Collector:
    """Records the state of worlds at its `times`, in seconds, and has a file at the end."""

    times: set[float]

    def collect(self) -> None:
        """Record the present moment."""
        raise NotImplementedError

    def finish(self) -> None:
        """Complete the file."""

    def discard(self) -> None:
        """Close what is open."""


class StillCollector(Collector):
    """A picture of one moment."""

    def __init__(self, painter: Painter, time: float, file: Path) -> None:
        self.painter, self.file = painter, file
        self.times = {time}

    def collect(self) -> None:
        """Draw and write the picture."""
        save_png(self.file, self.painter.draw())


class FilmCollector(Collector):
    """A film, with frames `run.speed / run.fps` seconds apart."""

    def __init__(self, painter: Painter, output: OutputPart, run: RunPart, file: Path) -> None:
        until = run.seconds if output.until is None else min(output.until, run.seconds)
        self.times = _evenly(output.start, until, run.speed / run.fps)
        self.painter = painter
        self.film = Film(file, run.fps)

    def collect(self) -> None:
        """Add a frame."""
        self.film.add(self.painter.draw())

    def finish(self) -> None:
        """Complete the film."""
        self.film.close()

    def discard(self) -> None:
        """Stop the film."""
        self.film.discard()


class _Table(Collector, ABC):
    """A CSV file, one row per moment."""

    def __init__(self, world: World, output: OutputPart, file: Path) -> None:
        self.world, self.output = world, output
        self.times = _evenly(0.0, world.recipe.run.seconds, output.every or 1.0)
        self._file: TextIO = file.open("w", encoding="utf-8", newline="")
        self._rows = csv.writer(self._file, lineterminator="\n")
        self._rows.writerow(["seconds", *self.header()])

    @abstractmethod
    def header(self) -> list[str]:
        """The names of the columns after the first."""

    @abstractmethod
    def row(self) -> list[float | int]:
        """The row of the table as it stands now."""

    def collect(self) -> None:
        """Write a row."""
        row = [str(each) if isinstance(each, int) else f"{each:.7g}" for each in self.row()]
        self._rows.writerow([f"{self.world.seconds:.6g}", *row])

    def finish(self) -> None:
        """Close the file."""
        self._file.close()

    discard = finish


class _Totals(_Table):
    """Sum, strongest value and cells above the threshold of each map, and the sources of layers."""

    def header(self) -> list[str]:
        return [
            f"{name}_{what}"
            for name in self.output.layers
            for what in ("sum", "peak", "cells", "sources")[: 3 + (name in self.world.imap)]
        ]

    def row(self) -> list[float | int]:
        row: list[float | int] = []
        for name in self.output.layers:
            values = self.world.maps[name].values
            above = int(np.count_nonzero(np.abs(values) > self.output.look.threshold))
            row += [float(values.sum(dtype=np.float64)), _peak(self.world, name), above]
            if name in self.world.imap:
                row.append(len(self.world.actors_on(name)[1]))
        return row


class _Values(_Table):
    """The value of each layer at the points of the output."""

    def header(self) -> list[str]:
        several = len(self.output.layers) > 1
        return [
            f"{name}_{point}" if several else point
            for name in self.output.layers
            for point in self.output.points
        ]

    def row(self) -> list[float | int]:
        points = np.array(list(self.output.points.values()))
        return [
            float(value)
            for name in self.output.layers
            for value in np.atleast_1d(self.world.maps[name].sample(points))
        ]


class _Holdings(_Table):
    """How much of the open ground each team holds, and nobody."""

    def header(self) -> list[str]:
        return [*self.output.layers, "nobody"]

    def row(self) -> list[float | int]:
        return [round(part, 6) for part in self.world.holdings(self.output.over_time)]


class _Plot(Collector):
    """The same as a picture: a line per team over the whole run."""

    def __init__(self, world: World, output: OutputPart, file: Path) -> None:
        need_plots()
        seconds = world.recipe.run.seconds
        every = output.every or max(1.0, seconds / _MOST_MOMENTS)
        self.world, self.output, self.file = world, output, file
        self.times = _evenly(0.0, seconds, every)
        self._rows: dict[float, list[float]] = {}

    def collect(self) -> None:
        self._rows.setdefault(self.world.seconds, self.world.holdings(self.output.over_time))

    def finish(self) -> None:
        look, recipe = self.output.look, self.world.recipe
        columns = np.array([*self._rows.values()]).T
        assert recipe.teams is not None
        names, colors = (*recipe.teams.names, "nobody"), (*recipe.teams.colors, _NOBODY)
        curves = list(zip(names, columns, colors, strict=True))
        picture = plot_over_time(
            [*self._rows],
            curves if columns[-1].max() >= _LEAST else curves[:-1],
            title=look.title or f"{recipe.title}: who holds the ground",
            caption=look.caption or _MEANING[self.output.over_time],
            limits=look.limits or (0.0, 1.0),
            percent=True,
            width=look.size or SIZES["still"],
        )
        save_png(self.file, picture)


_TABLES: dict[str, Callable[[World, OutputPart, Path], Collector]] = {
    "totals": _Totals,
    "points": _Values,
    "holdings": _Holdings,
    "plot": _Plot,
}


def _collector(world: World, output: OutputPart, file: Path) -> Collector:
    """The collector that makes an output at `file`, whose folder exists."""
    if output.kind in _TABLES:
        return _TABLES[output.kind](world, output, file)
    painter = Painter([world], output, size=SIZES[output.kind])
    if output.kind == "still":
        return StillCollector(painter, output.start, file)
    return FilmCollector(painter, output, world.recipe.run, file)


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
    """Run a recipe and write its outputs into the folder `out`, which is made if absent.

    The files are put in place together when all are complete; a failed or stopped run leaves the
    folder as it was. `progress` is where a progress bar is drawn if it is a terminal.

    Raises
    ------
    BadRecipe
        For problems that show only with the map and the recordings at hand, all at once.
    FieldcraftError
        If an output can't be made.
    """
    begun = time.perf_counter()
    world = World(recipe)
    with ExitStack() as cleanup:
        staging = cleanup.enter_context(
            Staging(Path(out), [output.file for output in recipe.outputs])
        )
        collectors: list[Collector] = []
        for output in recipe.outputs:
            collectors.append(_collector(world, output, staging.part(output.file)))
            cleanup.callback(collectors[-1].discard)
        play([world], collectors, cleanup.enter_context(Progress(progress, recipe.path.name)))
        files = staging.commit()
    space = world.imap.space
    layers = tuple(
        LayerReport(name, world.updates[name], len(world.actors_on(name)[1]), _peak(world, name))
        for name in world.imap.layers
    )
    file = recipe.map.file
    return Report(
        recipe.title,
        f"generated: {recipe.map.generate}" if file is None else file.name,
        len(space),
        len(space) - int(np.count_nonzero(space.walls)),
        layers,
        world.seconds,
        time.perf_counter() - begun,
        files,
    )


def play(worlds: Sequence[World], collectors: Sequence[Collector], bar: Progress) -> None:
    """Move worlds on to the end of the first one's recipe, and let the collectors record and
    finish.
    """
    seconds = worlds[0].recipe.run.seconds
    for moment in sorted({seconds}.union(*(collector.times for collector in collectors))):
        for world in worlds:
            world.go_to(min(moment, world.recipe.run.seconds))
        for collector in collectors:
            if moment in collector.times:
                collector.collect()
        bar.show(moment / seconds if seconds else 1.0)
    for collector in collectors:
        collector.finish()


def _peak(world: World, name: str) -> float:
    values = world.maps[name].values
    return float(values.flat[np.abs(values).argmax()]) if values.size else 0.0
