"""The peers: the same influence map in C++, NumPy, SciPy and OpenCV, each written as somebody who
knows the tool would.

All of them pin their sources before a step, take the largest of four neighbors times
`exp(-decay)`, and move each cell towards it by `momentum`. None has a floor, so their far tails
differ from fieldcraft's by up to its floor.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from math import exp
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bench import machine

Values = NDArray[np.float32]
Cells = NDArray[np.int64]

SOURCE = Path(__file__).with_name("opponents.cpp")
LEVEL = os.environ.get("FIELDCRAFT_LEVEL")
FLAGS = (
    "-O3",
    f"-march=x86-64-{LEVEL}" if LEVEL else "-march=native",
    "-std=c++20",
    "-shared",
    "-fPIC",
)
"""Opponents use the same instructions as fieldcraft, also where `FIELDCRAFT_LEVEL` asks for less
than this machine has.
"""


class MissingCompilerError(RuntimeError):
    """g++ is not on the path, so the C++ opponents can't be built."""


@dataclass(frozen=True)
class Sites:
    """Where sources are: their cells, and the same places as world positions (N, 2) on a grid of
    unit cells.
    """

    cells: Cells
    positions: NDArray[np.float64]

    @classmethod
    def at(cls, cells: Cells, width: int) -> Sites:
        rows, columns = np.divmod(cells, width)
        return cls(
            np.ascontiguousarray(cells, np.int64), np.column_stack([columns + 0.5, rows + 0.5])
        )


class Contender(Protocol):
    """An influence map that takes part: `write` then `place` begins a batch, `step` is what gets
    timed.
    """

    name: str

    def write(self, values: Values) -> None:
        """Begin from these values, shape (height, width), without sources."""

    def place(self, sites: Sites, strength: float) -> None:
        """Have sources of one strength here from the next step on, and nowhere else."""

    def step(self, steps: int) -> None:
        """Make this many updates."""

    def read(self) -> Values:
        """A copy of the values, shape (height, width)."""


def built(
    source: Path, folder: Path = Path("out/bench"), flags: tuple[str, ...] = FLAGS
) -> ctypes.CDLL:
    """A C++ file as a library, built into `folder` unless a build of the same source for this
    processor lies there.
    """
    compiler = shutil.which("g++")
    if compiler is None:
        raise MissingCompilerError(
            "g++ is not on the path: the C++ opponents can't be built; install g++ 11 or newer"
        )
    identity = "\n".join([source.read_text(), *flags, machine.compiler(), machine.processor()])
    library = folder / f"{source.stem}-{hashlib.sha256(identity.encode()).hexdigest()[:12]}.so"
    if not library.exists():
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = library.with_suffix(f".{os.getpid()}")
        subprocess.run([compiler, *flags, str(source), "-o", str(unfinished)], check=True)
        unfinished.replace(library)
    return ctypes.CDLL(str(library.resolve()))


def compiled(folder: Path = Path("out/bench")) -> ctypes.CDLL:
    """The C++ opponents of Spread."""
    loaded = built(SOURCE, folder)
    pointer = ctypes.c_void_p
    number = ctypes.c_int
    real = ctypes.c_float
    loaded.map_new.restype = pointer
    loaded.map_new.argtypes = [number, number, real, real, ctypes.c_bool]
    loaded.map_delete.argtypes = [pointer]
    loaded.map_sources.argtypes = [pointer, pointer, number, real]
    for function in (loaded.map_walls, loaded.map_write, loaded.map_read):
        function.argtypes = [pointer, pointer]
    loaded.map_step.argtypes = [pointer, number]
    loaded.rows_in_cache.argtypes = [pointer, number, number, real, real, real]
    for function in (
        loaded.map_delete,
        loaded.map_sources,
        loaded.map_walls,
        loaded.map_write,
        loaded.map_read,
        loaded.map_step,
    ):
        function.restype = None
    loaded.rows_in_cache.restype = None
    return loaded


class Cpp:
    """The tutorial's loop: with `std::lerp`, or `written` out so that the compiler vectorizes
    it.
    """

    def __init__(
        self,
        shape: tuple[int, int],
        decay: float,
        momentum: float,
        walls: NDArray[np.bool_] | None,
        *,
        written: bool,
        library: ctypes.CDLL,
    ) -> None:
        if written:
            self.name = "(b) C++, lerp written out"
        else:
            self.name = "(a) C++, std::lerp"
        self.shape = shape
        self._library = library
        self._map = ctypes.c_void_p(library.map_new(shape[1], shape[0], decay, momentum, written))
        weakref.finalize(self, library.map_delete, self._map)
        if walls is not None:
            closed = np.ascontiguousarray(walls, np.uint8)
            library.map_walls(self._map, closed.ctypes.data)

    def write(self, values: Values) -> None:
        whole = np.ascontiguousarray(values, np.float32)
        self._library.map_write(self._map, whole.ctypes.data)

    def place(self, sites: Sites, strength: float) -> None:
        self._library.map_sources(self._map, sites.cells.ctypes.data, len(sites.cells), strength)

    def step(self, steps: int) -> None:
        self._library.map_step(self._map, steps)

    def read(self) -> Values:
        values = np.empty(self.shape, np.float32)
        self._library.map_read(self._map, values.ctypes.data)
        return values


class _Array:
    """What the NumPy, SciPy and OpenCV versions share: the values inside a rim of zeros, the
    sources, the walls.
    """

    def __init__(
        self, shape: tuple[int, int], decay: float, momentum: float, walls: NDArray[np.bool_] | None
    ) -> None:
        self.weight = np.float32(exp(-decay))
        self.momentum = np.float32(momentum)
        self.width = shape[1]
        self.padded = np.zeros((shape[0] + 2, shape[1] + 2), np.float32)
        self.values = self.padded[1:-1, 1:-1]
        self.target = np.empty(shape, np.float32)
        if walls is None:
            self.open = None
        else:
            self.open = (~walls).astype(np.float32)
        self.rows = self.columns = np.empty(0, np.int64)
        self.strength = 0.0

    def write(self, values: Values) -> None:
        self.values[...] = values
        self.rows = self.columns = np.empty(0, np.int64)

    def place(self, sites: Sites, strength: float) -> None:
        self.values[self.rows, self.columns] = self.strength
        self.rows, self.columns = np.divmod(sites.cells, self.width)
        self.strength = strength

    def step(self, steps: int) -> None:
        for _ in range(steps):
            self.values[self.rows, self.columns] = self.strength
            self._update()
            if self.open is not None:
                np.multiply(self.values, self.open, out=self.values)

    def _update(self) -> None:
        raise NotImplementedError

    def read(self) -> Values:
        return self.values.copy()


class NumPy(_Array):
    """Slices of a padded array, and not one temporary."""

    name = "NumPy, out="

    def _update(self) -> None:
        padded = self.padded
        target = self.target
        values = self.values
        np.maximum(padded[:-2, 1:-1], padded[2:, 1:-1], out=target)
        np.maximum(target, padded[1:-1, :-2], out=target)
        np.maximum(target, padded[1:-1, 2:], out=target)
        np.multiply(target, self.weight, out=target)
        np.subtract(target, values, out=target)
        np.multiply(target, self.momentum, out=target)
        np.add(values, target, out=values)


class Floored(_Array):
    """The same update with fieldcraft's floor: for comparing values, not for racing."""

    name = "NumPy with a floor"

    def __init__(self, shape: tuple[int, int], decay: float, momentum: float, floor: float) -> None:
        super().__init__(shape, decay, momentum, None)
        self.floor = np.float32(floor)

    def _update(self) -> None:
        padded = self.padded
        values = self.values
        vertical = np.maximum(padded[:-2, 1:-1], padded[2:, 1:-1])
        horizontal = np.maximum(padded[1:-1, :-2], padded[1:-1, 2:])
        target = np.maximum(vertical, horizontal) * self.weight
        values += self.momentum * (target - values)
        values[(values < self.floor) & (target < self.floor)] = 0


class SciPy(_Array):
    """`ndimage.maximum_filter` with a cross for a footprint."""

    name = "SciPy maximum_filter"

    def __init__(
        self, shape: tuple[int, int], decay: float, momentum: float, walls: NDArray[np.bool_] | None
    ) -> None:
        super().__init__(shape, decay, momentum, walls)
        from scipy import ndimage

        self._filter: Callable[..., object] = ndimage.maximum_filter
        self._cross = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], bool)

    def _update(self) -> None:
        target = self.target
        values = self.values
        self._filter(values, footprint=self._cross, mode="constant", cval=0.0, output=target)
        np.multiply(target, self.weight, out=target)
        np.subtract(target, values, out=target)
        np.multiply(target, self.momentum, out=target)
        np.add(values, target, out=values)


class OpenCV(_Array):
    """`dilate` with a cross for a kernel, then `addWeighted`, on as many threads as OpenCV
    likes.
    """

    name = "OpenCV dilate"

    def __init__(
        self, shape: tuple[int, int], decay: float, momentum: float, walls: NDArray[np.bool_] | None
    ) -> None:
        super().__init__(shape, decay, momentum, walls)
        import cv2

        self._cv2: Any = cv2
        self.values = np.zeros(shape, np.float32)
        self._cross = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], np.uint8)

    def _update(self) -> None:
        cv2 = self._cv2
        cv2.dilate(
            self.values,
            self._cross,
            dst=self.target,
            borderType=cv2.BORDER_CONSTANT,
            borderValue=0.0,
        )
        share = float(self.momentum)
        cv2.addWeighted(
            self.values, 1.0 - share, self.target, share * float(self.weight), 0.0, dst=self.values
        )


def peers(
    shape: tuple[int, int],
    decay: float,
    momentum: float,
    walls: NDArray[np.bool_] | None = None,
    library: ctypes.CDLL | None = None,
) -> list[Contender]:
    """One of each that can run here: the C++ two need `library`, OpenCV has to be installed."""
    found: list[Contender] = []
    if library is not None:
        found += [
            Cpp(shape, decay, momentum, walls, written=written, library=library)
            for written in (False, True)
        ]
    found += [NumPy(shape, decay, momentum, walls), SciPy(shape, decay, momentum, walls)]
    if (
        machine.version("opencv-python-headless") != "not installed"
        or machine.version("opencv-python") != "not installed"
    ):
        found.append(OpenCV(shape, decay, momentum, walls))
    return found
