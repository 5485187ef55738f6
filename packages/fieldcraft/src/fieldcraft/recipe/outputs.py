"""Running a recipe: the files of a run, collected while the world goes on."""

from __future__ import annotations

import csv
import math
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import numpy as np

from fieldcraft.files import Staging
from fieldcraft.progress import Progress
from fieldcraft.recipe.parts import (
    FilmPart,
    HoldingsPlot,
    HoldingsTable,
    Output,
    PointsTable,
    Recipe,
    RunPart,
    Still,
    TotalsTable,
)
from fieldcraft.recipe.pictures import FILM_SIZE, STILL_SIZE, Painter
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
    """Records the state of worlds at its `times`, in seconds, and makes a file of it."""

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

    def __init__(self, painter: Painter, output: FilmPart, run: RunPart, file: Path) -> None:
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


class _Table(Collector):
    """A CSV file, one row per moment, of what `row` returns."""

    def __init__(
        self,
        world: World,
        every: float,
        file: Path,
        header: list[str],
        row: Callable[[], list[float | int]],
    ) -> None:
        self.world, self.row = world, row
        self.times = _evenly(0.0, world.recipe.run.seconds, every)
        self._file: TextIO = file.open("w", encoding="utf-8", newline="")
        self._rows = csv.writer(self._file, lineterminator="\n")
        self._rows.writerow(["seconds", *header])

    def collect(self) -> None:
        """Write a row."""
        row = [str(each) if isinstance(each, int) else f"{each:.7g}" for each in self.row()]
        self._rows.writerow([f"{self.world.seconds:.6g}", *row])

    def finish(self) -> None:
        """Close the file."""
        self._file.close()

    discard = finish


def _totals(world: World, output: TotalsTable, file: Path) -> _Table:
    """Sum, strongest value and cells above the threshold of each map, and the sources of layers."""

    def row() -> list[float | int]:
        found: list[float | int] = []
        for name in output.layers:
            values = world.maps[name].values
            above = int(np.count_nonzero(np.abs(values) > output.threshold))
            found += [float(values.sum(dtype=np.float64)), _peak(world, name), above]
            if name in world.imap:
                found.append(len(world.actors_on(name)[1]))
        return found

    header = [
        f"{name}_{what}"
        for name in output.layers
        for what in ("sum", "peak", "cells", "sources")[: 3 + (name in world.imap)]
    ]
    return _Table(world, output.every, file, header, row)


def _values(world: World, output: PointsTable, file: Path) -> _Table:
    """The value of each map at the points of the output."""
    points = np.array(list(output.points.values()))

    def row() -> list[float | int]:
        values = (np.atleast_1d(world.maps[name].sample(points)) for name in output.layers)
        return [float(value) for each in values for value in each]

    several = len(output.layers) > 1
    header = [
        f"{name}_{point}" if several else point for name in output.layers for point in output.points
    ]
    return _Table(world, output.every, file, header, row)


def _holdings(world: World, output: HoldingsTable, file: Path) -> _Table:
    """How much of the open ground each team holds, and nobody."""

    def row() -> list[float | int]:
        return [round(part, 6) for part in world.holdings(output.over_time)]

    teams = world.recipe.teams
    return _Table(world, output.every, file, [*(teams.names if teams else ()), "nobody"], row)


class _Plot(Collector):
    """The ground of each team as a picture: a line per team over the whole run."""

    def __init__(self, world: World, output: HoldingsPlot, file: Path) -> None:
        need_plots()
        seconds = world.recipe.run.seconds
        every = output.every or max(1.0, seconds / _MOST_MOMENTS)
        self.world, self.output, self.file = world, output, file
        self.times = _evenly(0.0, seconds, every)
        self._rows: dict[float, list[float]] = {}

    def collect(self) -> None:
        self._rows.setdefault(self.world.seconds, self.world.holdings(self.output.over_time))

    def finish(self) -> None:
        output, recipe = self.output, self.world.recipe
        columns = np.array([*self._rows.values()]).T
        assert recipe.teams is not None
        names, colors = (*recipe.teams.names, "nobody"), (*recipe.teams.colors, _NOBODY)
        curves = list(zip(names, columns, colors, strict=True))
        picture = plot_over_time(
            [*self._rows],
            curves if columns[-1].max() >= _LEAST else curves[:-1],
            title=output.title or f"{recipe.title}: who holds the ground",
            caption=output.caption or _MEANING[output.over_time],
            limits=output.limits or (0.0, 1.0),
            percent=True,
            width=output.size or STILL_SIZE,
        )
        save_png(self.file, picture)


def _collector(world: World, output: Output, file: Path) -> Collector:
    """Return the collector that makes an output at `file`, whose folder exists."""
    match output:
        case Still(at=at):
            return StillCollector(Painter([world], output, size=STILL_SIZE), at or 0.0, file)
        case FilmPart():
            painter = Painter([world], output, size=FILM_SIZE)
            return FilmCollector(painter, output, world.recipe.run, file)
        case TotalsTable():
            return _totals(world, output, file)
        case PointsTable():
            return _values(world, output, file)
        case HoldingsTable():
            return _holdings(world, output, file)
        case HoldingsPlot():
            return _Plot(world, output, file)
    raise TypeError(f"An output of another kind: {output!r}")


@dataclass(frozen=True)
class LayerReport:
    """The report on a layer: its updates, its sources at the end, and the strongest value then."""

    name: str
    updates: int
    sources: int
    peak: float


@dataclass(frozen=True)
class Report:
    """The report on a run: `seconds` of the world, `took` seconds in fact; `files` are all
    written.
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
    """Run a recipe and write its outputs. The files are put in place together when all are
    complete; a failed or stopped run leaves the folder as it was.

    Parameters
    ----------
    recipe : Recipe
        From `read_recipe`.
    out : str or Path, optional
        The folder of the outputs, made if absent.
    progress : text file, optional
        Where a progress bar is drawn if it is a terminal.

    Returns
    -------
    Report
        What was run, and the files.

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
    """Run worlds to the end of the first one's recipe, and let the collectors record and finish."""
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
