"""The files that a run makes, collected while the world moves on."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Protocol, TextIO

import numpy as np

from fieldcraft.recipe.parts import OutputPart, RunPart
from fieldcraft.recipe.pictures import SIZES, Painter
from fieldcraft.recipe.world import World
from fieldcraft.view import Film, save_png

__all__ = ["Collector", "collector_for", "film_times"]

_NEAR = 1e-9


class Collector(Protocol):
    """Something that takes a look at the world at its `times`, in seconds, and has a file at the end."""

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


class _Table:
    """A CSV file, one row per moment."""

    def __init__(self, output: OutputPart, run: RunPart, file: Path, header: list[str]) -> None:
        self.output = output
        self.times = _evenly(0.0, run.seconds, output.every or 1.0)
        self._file: TextIO = file.open("w", encoding="utf-8", newline="")
        self._rows = csv.writer(self._file, lineterminator="\n")
        self._rows.writerow(["seconds", *header])

    def look(self, world: World) -> None:
        self._rows.writerow(
            [f"{world.seconds:.6g}", *(str(value) if isinstance(value, int) else f"{value:.7g}" for value in self.row(world))]
        )

    def row(self, world: World) -> list[float | int]:
        raise NotImplementedError

    def finish(self) -> None:
        self._file.close()

    def drop(self) -> None:
        self._file.close()


class _Totals(_Table):
    """Sum, strongest value, cells above the threshold, and sources of each layer."""

    def __init__(self, output: OutputPart, run: RunPart, file: Path) -> None:
        super().__init__(output, run, file, [f"{name}_{what}" for name in output.layers for what in ("sum", "peak", "cells", "sources")])

    def row(self, world: World) -> list[float | int]:
        row: list[float | int] = []
        for name in self.output.layers:
            layer = world.imap[name]
            values = layer.values
            above = int(np.count_nonzero(np.abs(values) > self.output.look["threshold"]))
            row += [float(values.sum(dtype=np.float64)), float(values.flat[np.abs(values).argmax()]), above, len(layer.sources)]
        return row


class _Values(_Table):
    """The value of each layer at the points of the output."""

    def __init__(self, output: OutputPart, run: RunPart, file: Path) -> None:
        several = len(output.layers) > 1
        super().__init__(output, run, file, [f"{name}_{point}" if several else point for name in output.layers for point in output.points])

    def row(self, world: World) -> list[float | int]:
        points = np.array(list(self.output.points.values()))
        return [float(value) for name in self.output.layers for value in np.atleast_1d(world.imap[name].sample(points))]
