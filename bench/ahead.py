"""Each kernel from a shared object against the same one compiled on the spot, with the arguments that games and questions hand it.

`python -m bench ahead` compiles the object first, some minutes; FIELDCRAFT_OBJECT names a folder where `fieldcraft compile --out` left one.
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
from fieldcraft.kernels import warming

ASKED = 1.1
ADDRESSED = {"survey", "lead", "evaluate"}  # their arguments are addresses, which mean nothing in another process
LEAST = 20e-6  # seconds: below, the call is all that is measured
STEPS = 40
SIDE = 256

TIMED = "from bench import ahead; import json, sys; print(json.dumps(ahead.timed({path!r}, {rounds})))"


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
    for kernel in warming.entries():
        module = sys.modules[f"fieldcraft.kernels.{kernel.py_func.__module__.rpartition('.')[2]}"]
        name = kernel.py_func.__name__
        if name in ADDRESSED:
            continue
        setattr(module, name, listening(f"{module.__name__}:{name}", kernel))
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


def timed(path: str, rounds: int) -> dict[str, tuple[float, str]]:
    """Seconds of the shortest call of each kernel by its recorded arguments, and the hash of what came."""
    found: dict[str, tuple[float, str]] = {}
    for name, data in pickle.loads(Path(path).read_bytes()).items():
        module, _, function = name.partition(":")
        kernel = getattr(importlib.import_module(module), function)
        arguments = pickle.loads(data)
        taken = np.inf
        for _ in range(rounds):
            given = copy.deepcopy(arguments)
            begun = time.perf_counter()
            answer = kernel(*given)
            taken = min(taken, time.perf_counter() - begun)
        found[name] = (float(taken), hashlib.sha256(pickle.dumps((answer, given))).hexdigest())
    return found


def built(folder: Path) -> Path:
    """The folder of an object made of these sources."""
    named = os.environ.get("FIELDCRAFT_OBJECT")
    if named:
        return Path(named)
    subprocess.run([sys.executable, "-m", "fieldcraft", "compile", "--out", str(folder)], check=True, stdout=subprocess.DEVNULL)
    return folder


def run(quick: bool) -> Report:
    """The table of all kernels that take long enough to be told from their calls."""
    report = Report()
    with tempfile.TemporaryDirectory(prefix="fieldcraft-bench-") as scratch:
        path = Path(scratch) / "arguments"
        code = f"from bench import ahead; from pathlib import Path; ahead.recorded(Path({str(path)!r}), {quick}); print(0)"
        fresh(code)
        script = TIMED.format(path=str(path), rounds=3 if quick else 30)
        folder = str(built(Path(scratch) / "kernels"))
        turns = [(fresh(script), fresh(script, FIELDCRAFT_KERNELS=folder)) for _ in range(1 if quick else 2)]
    table = Table("Kernels from a shared object", ["kernel", "on the spot, us", "object, us", "ratio", f"asked {ASKED}"])
    for name in sorted(turns[0][0]):
        here, there = (min(turn[i][name][0] for turn in turns) for i in (0, 1))
        if turns[0][0][name][1] != turns[0][1][name][1]:
            report.wrong.append(f"{name} answers something else from the object")
        if here >= LEAST:
            ratio = there / here
            table.add(
                name.rpartition(".")[2].replace(":", "."), f"{here * 1e6:.0f}", f"{there * 1e6:.0f}", f"{ratio:.2f}", at_most(ratio, ASKED)
            )
    report.tables.append(table)
    return report
