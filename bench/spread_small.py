"""Spread on maps as small as games have them, with 4 and 8 neighbors, against C++ that an expert
wrote by hand.

Every cell is alive, a fifth of them are walls, and fieldcraft makes one step a call, so that the
whole of Python's share is in its time; only the expert steps many times a call. Values are compared
bit for bit: with 8 neighbors on open ground, since the expert cuts corners.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import fieldcraft as fc
from bench import machine, opponents
from bench.race import most_threads, nothing, race, repeats
from bench.table import Table, at_least, at_most, target, times

SOURCE = Path(__file__).with_name("spread_grid.cpp")
DECAY = 0.001
MOMENTUM = 0.05
FLOOR = 1e-3
SEED = 20261122
LAYERS = 12
CELLS = 4_000_000
"""Cell updates in a batch of each contender, at least."""
STEPS = 64
"""Steps in a batch, at least: what the last contender left in the caches is forgotten in the first
of them.
"""


@dataclass(frozen=True)
class Case:
    """Maps of `size` cells a side, and what is asked of fieldcraft's time: the expert's divided by
    it.
    """

    size: int
    neighbors: int
    asked: float
    threads: int = 1


CASES = (
    Case(128, 4, 0.6),
    Case(128, 8, 0.7),
    Case(256, 4, 1.0),
    Case(256, 8, 1.0),
    Case(512, 4, 1.3),
    Case(512, 8, 1.2),
    Case(1024, 4, 2.0),
    Case(1024, 8, 1.5),
    Case(1024, 4, 2.5, threads=2),
    Case(1024, 8, 2.5, threads=2),
)


class Expert:
    """The C++."""

    def __init__(self, library: ctypes.CDLL, size: int, neighbors: int) -> None:
        self._library = library
        self._size = size
        real = ctypes.c_float
        library.layer_new.restype = ctypes.c_void_p
        self._layer = ctypes.c_void_p(
            library.layer_new(size, size, neighbors == 8, real(DECAY), real(MOMENTUM), real(FLOOR))
        )

    def __del__(self) -> None:
        self._library.layer_delete(self._layer)

    def write(self, values: NDArray[np.float32], walls: NDArray[np.bool_]) -> None:
        """Begin with these values."""
        ground = np.ascontiguousarray(~walls, np.float32)
        self._library.layer_write(
            self._layer, ctypes.c_void_p(values.ctypes.data), ctypes.c_void_p(ground.ctypes.data)
        )

    def step(self, steps: int) -> None:
        """Make this many updates."""
        self._library.layer_step(self._layer, steps)

    def read(self) -> NDArray[np.float32]:
        """The values."""
        values = np.empty((self._size, self._size), np.float32)
        self._library.layer_read(self._layer, ctypes.c_void_p(values.ctypes.data))
        return values


def alive(size: int, share: float) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Values of at least 1 in all open cells, and walls of this share of a map, each where chance
    put it.
    """
    rng = np.random.default_rng(SEED)
    walls = rng.random((size, size)) < share
    return np.where(walls, 0, 1 + 0.65 * rng.random((size, size))).astype(np.float32), walls


def one_by_one(imap: fc.InfluenceMap, steps: int) -> None:
    """Steps of a map, one a call, as a game makes them."""
    for _ in range(steps):
        imap.step()


def layered(
    size: int, neighbors: int, falloff: str = "exponential", layers: int = 1, share: float = 0.2
) -> fc.InfluenceMap:
    """A map whose layers are alive in every open cell."""
    values, walls = alive(size, share)
    imap = fc.InfluenceMap(fc.Grid(size, size, walls=walls, neighbors=neighbors))
    for number in range(layers):
        imap.add_layer(
            f"layer {number}", fc.Spread(DECAY, MOMENTUM, falloff=falloff, floor=FLOOR)
        ).write(values)
    return imap


def differing(library: ctypes.CDLL, size: int, neighbors: int) -> int:
    """In how many cells fieldcraft and the expert differ by a bit after 24 steps."""
    share = 0.2 if neighbors == 4 else 0.0
    imap = layered(size, neighbors, share=share)
    expert = Expert(library, size, neighbors)
    expert.write(*alive(size, share))
    one_by_one(imap, 24)
    expert.step(24)
    return int((imap["layer 0"].values != expert.read()).sum())


def pair(
    expert: Callable[[], None], own: Callable[[], None], steps: int, rounds: int
) -> tuple[float, float]:
    """The best microseconds a step of both, taking turns."""
    found = race(
        {"expert": (nothing, expert), "own": (nothing, own)},
        steps,
        {"expert": rounds, "own": rounds},
    )
    return found["expert"].best * 1e6, found["own"].best * 1e6


def sizes(library: ctypes.CDLL, quick: bool) -> tuple[Table, list[str]]:
    """One step, all cells alive, a fifth walls; and many layers at once."""
    columns = ("map, neighbors", "expert us", "fieldcraft us", "ratio", "asked", "verdict")
    table = Table("One step, all cells alive, 20 % walls, against an expert's C++", columns)
    wrong = []
    rounds = repeats(quick, 3, 60)
    for case in CASES:
        if case.threads > most_threads():
            table.notes.append(
                f"Not measured with {case.threads} threads: at most {most_threads()} here."
            )
            continue
        differ = differing(library, case.size, case.neighbors)
        if differ:
            wrong.append(
                f"{case.size} x {case.size}, {case.neighbors} neighbors: {differ} cells differ"
                " from the expert's"
            )
        if quick:
            steps = 4
        else:
            steps = max(CELLS // case.size**2, STEPS)
        imap = layered(case.size, case.neighbors)
        expert = Expert(library, case.size, case.neighbors)
        expert.write(*alive(case.size, 0.2))
        fc.set_threads(case.threads)
        one_by_one(imap, 40)
        theirs, ours = pair(
            partial(expert.step, steps), partial(one_by_one, imap, steps), steps, rounds
        )
        name = f"{case.size} x {case.size}, {case.neighbors}"
        if case.threads > 1:
            name += f", {case.threads} threads"
        ratio = theirs / ours
        verdict = at_least(ratio, case.asked)
        table.add(name, f"{theirs:.1f}", f"{ours:.1f}", times(ratio), f"{case.asked:g}x", verdict)
    fc.set_threads(1)
    imap = layered(128, 8, layers=LAYERS)
    expert = Expert(library, 128, 8)
    expert.write(*alive(128, 0.2))
    steps = repeats(quick, 4, 24)
    one_by_one(imap, 40)
    theirs, ours = pair(
        partial(expert.step, steps * LAYERS), partial(one_by_one, imap, steps), steps, rounds
    )
    name = f"{LAYERS} layers of 128 x 128, 8, one imap.step()"
    table.add(
        name,
        f"{theirs:.1f}",
        f"{ours:.1f}",
        times(theirs / ours),
        "0.5x",
        at_least(theirs / ours, 0.5),
    )
    fc.set_threads(most_threads())
    spoken = ("less than AVX", "AVX", "AVX2", "AVX-512")[library.instructions()]
    table.notes.append(
        f"Best of {rounds} rounds, in turn. The expert was compiled for {spoken}, fieldcraft for"
        f" {machine.kernel_units()}. Values agree bit for bit after 24 steps, with 8 neighbors on"
        " open ground: the expert cuts corners."
    )
    return table, wrong


def falloffs(quick: bool) -> Table:
    """Linear and quadratic falloff beside exponential."""
    table = Table(
        "Falloffs, 256 x 256, 20 % walls, one thread",
        ("falloff, neighbors", "us", "times exponential", "allowed", "verdict"),
    )
    fc.set_threads(1)
    rounds, steps = (3, 8) if quick else (60, 60)
    for neighbors in (4, 8):
        imaps = {
            name: layered(256, neighbors, name) for name in ("exponential", "linear", "quadratic")
        }
        for imap in imaps.values():
            one_by_one(imap, 40)
        found = race(
            {
                name: (partial(one_by_one, imap, 1), partial(one_by_one, imap, steps))
                for name, imap in imaps.items()
            },
            steps,
            dict.fromkeys(imaps, rounds),
        )
        base = found["exponential"].best
        for name, allowed in (("exponential", None), ("linear", 1.5), ("quadratic", 2.0)):
            ratio = found[name].best / base
            bound = target(allowed)
            table.add(
                f"{name}, {neighbors}",
                f"{found[name].best * 1e6:.1f}",
                times(ratio),
                bound,
                at_most(ratio, allowed),
            )
    fc.set_threads(most_threads())
    return table


def run(quick: bool) -> tuple[list[Table], list[str]]:
    """The tables, and what was wrong."""
    library = opponents.built(SOURCE, flags=(*opponents.FLAGS, "-ffp-contract=off"))
    table, wrong = sizes(library, quick)
    return [table, falloffs(quick)], wrong
