"""Each kernel from a shared object against the same one compiled on the spot, with the arguments
that games and questions hand it.

`python -m bench ahead` compiles the object first, some minutes; FIELDCRAFT_OBJECT names a folder
where `fieldcraft compile --out` left one.
"""

from __future__ import annotations

import copy
import hashlib
import importlib
import os
import pickle
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import fieldcraft as fc
from bench.startup import fresh
from bench.table import Report, Table, at_most
from fieldcraft.kernels import prebuilt, warming

ASKED = 1.1
ADDRESSED = {
    "survey",
    "lead",
    "evaluate",
}  # their arguments are addresses, which mean nothing in another process
LEAST = 20e-6  # seconds: below, the call is all that is measured
STEPS = 40
ROUNDS = 100
SIDE = 256

TIMED = (
    "from bench import ahead; import json, sys; print(json.dumps(ahead.timed({path!r}, {folder!r},"
    " {rounds})))"
)


def recorded(path: Path, quick: bool) -> None:
    """Write the arguments of the largest call of each kernel that games and questions made."""
    largest: dict[str, tuple[int, bytes]] = {}

    def listening(name: str, kernel: Any) -> Any:
        def call(*arguments: Any) -> Any:
            size = sum(each.nbytes for each in arguments if isinstance(each, np.ndarray))
            if size > largest.get(name, (-1, b""))[0]:
                largest[name] = (size, pickle.dumps(arguments))
            return kernel(*arguments)

        return call

    fc.warm_up()  # kernels that call others must be ready before those are listened to
    ours = [
        module for name, module in sys.modules.items() if name.startswith("fieldcraft.kernels.")
    ]
    for kernel in warming.entries():
        name = kernel.py_func.__name__
        if name in ADDRESSED:
            continue
        listener = listening(f"{kernel.py_func.__module__}:{name}", kernel)
        for module in ours:  # a family may offer kernels of other files
            if vars(module).get(name) is kernel:
                setattr(module, name, listener)
    play(3 if quick else STEPS)
    question(64 if quick else SIDE)
    path.write_bytes(pickle.dumps({name: arguments for name, (_, arguments) in largest.items()}))


def play(steps: int) -> None:
    """Some steps of each game."""
    from fieldcraft_worlds.library import GAMES, find_game
    from fieldcraft_worlds.play.session import Session

    for name in GAMES:
        session = Session(find_game(name), seed=1)
        for _ in range(steps):
            session.step()


def question(side: int) -> None:
    """Layers, ways and questions on two grids of that side, all alive."""
    rng = np.random.default_rng(side)
    for neighbors in (4, 8):
        walls = rng.random((side, side)) < 0.2
        space = fc.Grid(side, side, walls=walls, neighbors=neighbors)
        imap = fc.InfluenceMap(space)
        places = space.position_of(rng.choice(np.flatnonzero(~walls), 300, replace=False))
        for number, spread in enumerate((fc.Spread(0.1, 0.5), fc.Spread(0.1, 0.5, "quadratic"))):
            layer = imap.add_layer(f"spread {number}", spread)
            layer.write(np.where(walls, 0, 1 + rng.random(walls.shape)).astype(np.float32))
        for metric in ("straight", "connected", "path"):
            imap.add_layer(metric, fc.Radial(8, metric=metric)).add_sources(places, 1.0)
        imap.step()
        imap.step(8)
        imap["spread 0"].settle()
        (imap["straight"] * 0.5 + imap["path"]).smooth(1).read()
        for cost in (None, 1 + rng.random(walls.shape)):
            ways = fc.distance_map(space, places[0], cost=cost)
            fc.flow_field(ways).sample(places)
            fc.shortest_path(space, places[1], places[2], cost=cost)
        fc.visible(space, places[0], 30.0)
        fc.peaks(imap["straight"])
        fc.regions(imap["straight"], 0.5)
        fc.best(imap["straight"], places, 8.0, walk=12.0)
        fc.sample(imap["straight"], places, how="bilinear")
        guess = fc.Belief(space, 1.0)
        guess.step(4)


def timed(path: str, folder: str, rounds: int) -> dict[str, tuple[float, float, bool]]:
    """Seconds of the shortest call of each kernel by its recorded arguments, compiled on the spot
    and from the object, and whether both answer the same.

    They take turns: what a shared machine does to one it does to the other.
    """
    place = prebuilt.fitting(Path(folder))
    if place is None:
        raise RuntimeError(f"{folder} holds no object of these sources for this machine")
    object_ = prebuilt.loaded(place)
    found: dict[str, tuple[float, float, bool]] = {}
    for name, data in pickle.loads(Path(path).read_bytes()).items():
        module, _, function = name.partition(":")
        kernel = getattr(importlib.import_module(module), function)
        tiers = (kernel, prebuilt.compiled(kernel.py_func, kernel.declared, object_))
        arguments = pickle.loads(data)
        taken, answers = [np.inf, np.inf], [b"", b""]
        for turn in range(2 * rounds):
            given = copy.deepcopy(arguments)
            begun = time.perf_counter()
            answer = tiers[turn % 2](*given)
            taken[turn % 2] = min(taken[turn % 2], time.perf_counter() - begun)
            answers[turn % 2] = hashlib.sha256(pickle.dumps((answer, given))).digest()
        found[name] = (float(taken[0]), float(taken[1]), answers[0] == answers[1])
    return found


def built(folder: Path) -> Path:
    """The folder of an object made of these sources."""
    named = os.environ.get("FIELDCRAFT_OBJECT")
    if named:
        return Path(named)
    subprocess.run(
        [sys.executable, "-m", "fieldcraft", "compile", "--out", str(folder)],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return folder


def run(quick: bool) -> Report:
    """The table of all kernels that take long enough to be told from their calls."""
    report = Report()
    with tempfile.TemporaryDirectory(prefix="fieldcraft-bench-") as scratch:
        path = Path(scratch) / "arguments"
        code = (
            "from bench import ahead; from pathlib import Path;"
            f" ahead.recorded(Path({str(path)!r}), {quick}); print(0)"
        )
        fresh(code)
        folder = built(Path(scratch) / "kernels")
        found = fresh(
            TIMED.format(path=str(path), folder=str(folder), rounds=3 if quick else ROUNDS)
        )
    table = Table(
        "Kernels from a shared object",
        ["kernel", "on the spot, us", "object, us", "ratio", f"asked {ASKED}"],
    )
    for name, (here, there, is_same) in sorted(found.items()):
        if not is_same:
            report.wrong.append(f"{name} answers something else from the object")
        if here >= LEAST:
            ratio = there / here
            told = name.rpartition(".")[2].replace(":", ".")
            table.add(
                told,
                f"{here * 1e6:.0f}",
                f"{there * 1e6:.0f}",
                f"{ratio:.2f}",
                at_most(ratio, ASKED),
            )
    report.tables.append(table)
    return report
