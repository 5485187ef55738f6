"""Running a recipe: the files of a run, collected while the world advances."""

from __future__ import annotations

import csv
import math
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TextIO

import numpy as np

from fieldcraft.base.progress import Progress
from fieldcraft.base.staging import Staging
from fieldcraft.commands.recipe.pictures import FILM_SIZE, STILL_SIZE, Painter
from fieldcraft.commands.recipe.recipe_parts import (
    FilmPart,
    HoldingsPlot,
    HoldingsTable,
    Output,
    Recipe,
    RunPart,
    Still,
    TotalsTable,
)
from fieldcraft.commands.recipe.world import World
from fieldcraft.view import Film, plot_over_time, save_png
from fieldcraft.view.pages.legends import need_plots

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
        """Close open files."""


class StillCollector(Collector):
    """A picture of one moment."""

    def __init__(self, painter: Painter, time: float, file: Path) -> None:
        self.painter = painter
        self.file = file
        self.times = {time}

    def collect(self) -> None:
        """Draw and write the picture."""
        save_png(self.file, self.painter.draw())


class FilmCollector(Collector):
    """A film, with frames `run.speed / run.fps` seconds apart."""

    def __init__(self, painter: Painter, output: FilmPart, run: RunPart, file: Path) -> None:
        until = run.seconds
        if output.until is not None:
            until = min(output.until, run.seconds)
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


Row = Sequence[float | int]


class _Rows(Collector):
    """Rows of numbers, one per moment, by its seconds; `write` makes a file of them."""

    def __init__(
        self,
        world: World,
        every: float,
        row: Callable[[], Row],
        write: Callable[[dict[float, Row]], None],
    ) -> None:
        self.world = world
        self.row = row
        self.write = write
        self.times = _evenly(0.0, world.recipe.run.seconds, every)
        self._rows: dict[float, Row] = {}

    def collect(self) -> None:
        """Note a row."""
        self._rows.setdefault(self.world.seconds, self.row())

    def finish(self) -> None:
        """Write the file."""
        self.write(self._rows)


def _csv(file: Path, header: list[str]) -> Callable[[dict[float, Row]], None]:
    """Return a function that writes rows to a CSV file."""

    def write(rows: dict[float, Row]) -> None:
        with file.open("w", encoding="utf-8", newline="") as opened:
            table = csv.writer(opened, lineterminator="\n")
            table.writerow(["seconds", *header])
            for seconds, row in rows.items():
                cells = (str(each) if isinstance(each, int) else f"{each:.7g}" for each in row)
                table.writerow([f"{seconds:.6g}", *cells])

    return write


def _totals(world: World, output: TotalsTable, file: Path) -> Collector:
    """Return a table of the sum, the strongest value and the cells above the threshold of each map,
    and the sources of layers.
    """

    def row() -> Row:
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
    return _Rows(world, output.every, row, _csv(file, header))


def _plot(output: HoldingsPlot, recipe: Recipe, file: Path) -> Callable[[dict[float, Row]], None]:
    """Return a function that draws rows of the ground that teams hold, and of no team, as lines."""
    teams = recipe.teams
    assert teams is not None
    names = (*teams.names, "nobody")
    colors = (*teams.colors, _NOBODY)

    def write(rows: dict[float, Row]) -> None:
        columns = np.array([*rows.values()]).T
        curves = list(zip(names, columns, colors, strict=True))
        picture = plot_over_time(
            [*rows],
            curves if columns[-1].max() >= _LEAST else curves[:-1],
            title=output.title or f"{recipe.title}: who holds the ground",
            caption=output.caption or _MEANING[output.over_time],
            limits=output.limits or (0.0, 1.0),
            percent=True,
            width=output.size or STILL_SIZE,
        )
        save_png(file, picture)

    return write


def _collector(world: World, output: Output, file: Path) -> Collector:
    """Return the collector that makes an output at `file`, whose folder exists."""
    recipe = world.recipe
    match output:
        case Still(at=at):
            return StillCollector(Painter([world], output, size=STILL_SIZE), at or 0.0, file)
        case FilmPart():
            return FilmCollector(Painter([world], output, size=FILM_SIZE), output, recipe.run, file)
        case TotalsTable():
            return _totals(world, output, file)
        case HoldingsTable(over_time=what, every=every):
            header = [*(recipe.teams.names if recipe.teams else ()), "nobody"]
            return _Rows(world, every, partial(world.holdings, what), _csv(file, header))
        case HoldingsPlot(over_time=what, every=given):
            need_plots()
            every = given or max(1.0, recipe.run.seconds / _MOST_MOMENTS)
            return _Rows(world, every, partial(world.holdings, what), _plot(output, recipe, file))
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
        The run, and its files.

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
    if values.size:
        return float(values.flat[np.abs(values).argmax()])
    return 0.0
