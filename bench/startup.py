"""What a user pays before the first frame and in memory, each measured in a Python process of its
own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

OPTIONAL = (
    "pygame",
    "PIL",
    "av",
    "pytiled_parser",
    "cv2",
    "zstd",
    "trimesh",
    "matplotlib",
    "pandas",
    "tcod",
)
"""Libraries that `import fieldcraft` must not load."""

IMPORT = """
import json, sys, time
start = time.perf_counter()
import fieldcraft
spent = time.perf_counter() - start
print(json.dumps({"seconds": spent, "loaded": [name for name in %r if name in sys.modules]}))
"""

FIRST_STEP = """
import json, time
start = time.perf_counter()
import fieldcraft as fc
imported = time.perf_counter()
imap = fc.InfluenceMap(fc.Grid(256, 256))
layer = imap.add_layer("threat", fc.Spread(decay=0.26, momentum=0.3))
layer.add_source((40.5, 50.5), strength=5.0)
imap.step()
stepped = time.perf_counter()
print(json.dumps({"import": imported - start, "step": stepped - imported}))
"""

WARM_UP = """
import json, time
import numpy as np
import fieldcraft as fc
start = time.perf_counter()
fc.warm_up()
warm = time.perf_counter() - start

def first(space, steps, momentum=0.3, strength=5.0, everywhere=False):
    imap = fc.InfluenceMap(space)
    layer = imap.add_layer("threat", fc.Spread(decay=0.26, momentum=momentum))
    if everywhere:
        layer.write(np.where(space.walls, 0, 1).astype(np.float32))
    layer.add_source((40.5, 50.5), strength=strength)
    spent = []
    for _ in range(4):
        start = time.perf_counter()
        imap.step(steps)
        spent.append(time.perf_counter() - start)
    return spent[0] - min(spent[1:])

walls = np.zeros((300, 400), bool)
walls[10:200, 100] = True
spaces = {
    "256 x 256": fc.Grid(256, 256),
    "with walls": fc.Grid(400, 300, walls=walls),
    "8 neighbors": fc.Grid(400, 300, neighbors=8),
    "8 neighbors and walls": fc.Grid(400, 300, neighbors=8, walls=walls),
    "wrapped": fc.Grid(400, 300, wrap=True),
    "1500 x 1200": fc.Grid(1500, 1200),
}
stalls = {}
for name, space in spaces.items():
    for steps in (1, 16):
        stalls[f"{name}, step({steps})"] = first(space, steps)
        stalls[f"{name}, all alive, step({steps})"] = first(space, steps, everywhere=True)
    stalls[f"{name}, negative source"] = first(space, 1, strength=-5.0)
worst = max(stalls, key=stalls.get)
print(json.dumps({"warm_up": warm, "stall": stalls[worst], "where": worst}))
"""

MEMORY = """
import gc, json
from pathlib import Path
import numpy as np
import fieldcraft as fc

def resident(line):
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(entry.split()[1]) * 1024 for entry in status if entry.startswith(line))

def use(space, field):
    imap = fc.InfluenceMap(space)
    layer = imap.add_layer("threat", fc.Spread(decay=0.26, momentum=0.3))
    layer.write(field)
    layer.add_source((space.width / 2, space.height / 2), strength=5.0)
    imap.step()
    imap.step(16)
    total = float(layer.values[::7, ::5].sum())
    imap.step()
    return imap, total

use(fc.Grid(1100, 1050), np.full((1050, 1100), 3.0, np.float32))
gc.collect()
empty = resident("VmRSS")
space = fc.Grid(4096, 4096)
grid = resident("VmRSS")
field = np.full((4096, 4096), 3.0, np.float32)
gc.collect()
Path("/proc/self/clear_refs").write_text("5")
before = resident("VmRSS")
imap, total = use(space, field)
gc.collect()
print(json.dumps({"grid": grid - empty, "layer": resident("VmRSS") - before, "peak": resident("VmHWM") - before}))
"""


def fresh(script: str, **environment: str) -> dict[str, Any]:
    """Run a script in a new Python process and read what it printed as JSON.

    It stores and loads compiled modules, as an installed program does.
    """
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "", **environment},
    )
    if done.returncode:
        raise RuntimeError(
            f"a measuring process ended with exit code {done.returncode}:\n{done.stderr}"
        )
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def import_times(runs: int) -> tuple[list[float], list[str]]:
    """Seconds that `import fieldcraft` took in each of some processes, and the optional libraries
    it loaded.
    """
    found = [fresh(IMPORT % (OPTIONAL,)) for _ in range(runs + 1)][1:]
    return [each["seconds"] for each in found], sorted(
        {name for each in found for name in each["loaded"]}
    )


def first_steps(runs: int) -> tuple[list[dict[str, float]], list[dict[str, float]]]:
    """Times of the first step where Numba compiles, with nothing compiled, and with the native
    library.
    """
    compiling = []
    for _ in range(runs):
        with tempfile.TemporaryDirectory(prefix="fieldcraft-bench-") as folder:
            compiling.append(fresh(FIRST_STEP, **_compiling_in(folder)))
    return compiling, [fresh(FIRST_STEP) for _ in range(3 * runs)]


def warm_up() -> tuple[dict[str, Any], dict[str, Any]]:
    """Times of `fc.warm_up()` and the longest stall after it: where Numba compiles, and with the
    native library.
    """
    with tempfile.TemporaryDirectory(prefix="fieldcraft-bench-") as folder:
        return fresh(WARM_UP, **_compiling_in(folder)), fresh(WARM_UP)


def _compiling_in(folder: str) -> dict[str, str]:
    """The environment of a process in which Numba compiles, with a cache of its own."""
    return {"FIELDCRAFT_NUMBA": "1", "XDG_CACHE_HOME": folder}


def memory() -> dict[str, float] | None:
    """Bytes that a 4096 x 4096 grid and a layer on it keep resident, and the layer's peak; None
    where /proc is missing.
    """
    if Path("/proc/self/clear_refs").exists():
        return fresh(MEMORY)
    return None
