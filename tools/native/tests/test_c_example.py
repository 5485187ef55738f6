"""The C example prints the digests of the same layers in Python, on each kind of machine that is
here or can be emulated.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.kernels import tier

pytest.importorskip("ziglang", reason="ziglang compiles the example")
ROOT = Path(__file__).resolve().parents[3]
SHAPE = HEIGHT, WIDTH = 40, 61
PLACES, STRENGTHS = np.array([5 * WIDTH + 5, 30 * WIDTH + 40]), (4.0, 2.5)
MACHINES = {
    "linux-x86-64-v2": ("x86_64-linux-musl", []),
    "linux-aarch64": ("aarch64-linux-musl", ["qemu-aarch64"]),
    "windows-x86-64-v2": ("x86_64-windows-gnu", ["wine"]),
    "wasm": ("wasm32-wasi", ["node", "run_wasi.mjs"]),
}
"""The targets, how zig calls them for a program without other libraries, and what runs them."""
WASI = """
import { readFileSync } from "node:fs";
import { WASI } from "node:wasi";
const wasi = new WASI({ version: "preview1" });
const module = await WebAssembly.compile(readFileSync(process.argv[2]));
wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));
"""


def digest(values: np.ndarray) -> int:
    """FNV-1a over the bytes of the values."""
    sum_ = 14695981039346656037
    for byte in values.astype("<f4").tobytes():
        sum_ = (sum_ ^ byte) * 1099511628211 & 0xFFFFFFFFFFFFFFFF
    return sum_


def said_by_python() -> str:
    """What the example prints, from the library's own layers."""
    walls = np.zeros(SHAPE, dtype=bool)
    for column in range(3, WIDTH, 7):
        walls[:, column] = True
        walls[column * 5 % HEIGHT, column] = False
    grid = fc.Grid(walls=walls, neighbors=8)
    imap = fc.InfluenceMap(grid)
    spread = imap.add_layer("spread", fc.Spread(decay=0.1, momentum=0.5, floor=0.001))
    radial = imap.add_layer("radial", fc.Radial(7, metric="straight", falloff="linear"))
    for place, strength in zip(grid.position_of(PLACES), STRENGTHS, strict=True):
        spread.add_source(place, strength)
        radial.add_source(place, strength)
    imap.step(50)
    distances = fc.distance_map(grid, grid.position_of(PLACES))
    rows = (("spread", spread), ("radial", radial), ("distance", distances))
    return "".join(f"{name:8} {digest(each.values):016x}\n" for name, each in rows)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The header and the libraries of all machines."""
    if not tier.library():
        pytest.skip("the native library is not built: make setup")
    out = tmp_path_factory.mktemp("c")
    command = [sys.executable, ROOT / "tools" / "native" / "api.py", *MACHINES, "--out", out]
    subprocess.run(command, check=True, capture_output=True)
    return out


@pytest.mark.parametrize("machine", MACHINES)
def test_the_c_example_prints_the_digests_of_python(library, machine, tmp_path):
    zig, runner = MACHINES[machine]
    if runner and shutil.which(runner[0]) is None:
        pytest.skip(f"{runner[0]} is not installed")
    archive = library / machine / "libfieldcraft.a"
    program = tmp_path / ("influence.exe" if machine.startswith("windows") else "influence")
    command = [sys.executable, "-m", "ziglang", "cc", "-target", zig, "-O2", f"-I{library}"]
    command += [ROOT / "examples" / "c" / "influence.c", archive, "-o", program]
    subprocess.run(command, check=True, capture_output=True)
    (tmp_path / "run_wasi.mjs").write_text(WASI)
    ran = subprocess.run(
        [*runner, program], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert ran.stdout.replace("\r", "") == said_by_python()
