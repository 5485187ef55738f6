"""The C example prints the digests of the same layers in Python, on each kind of machine that is
here or can be emulated.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fieldcraft.kernels.compiling import tier
from support.native_example import said_by_python

pytest.importorskip("ziglang", reason="ziglang compiles the example")
ROOT = Path(__file__).resolve().parents[4]
MACHINES = {
    "linux-x86-64-v2": ("x86_64-linux-gnu.2.28", []),
    "linux-aarch64": ("aarch64-linux-musl", ["qemu-aarch64"]),
    "windows-x86-64-v2": ("x86_64-windows-gnu", ["wine"]),
    "wasm": ("wasm32-wasi", ["node", "run_wasi.mjs"]),
}
"""The targets, how zig calls them for a program without other libraries, and what runs them."""
EMULATED = {"linux-aarch64", "windows-x86-64-v2"}
WASI = """
import { readFileSync } from "node:fs";
import { WASI } from "node:wasi";
const wasi = new WASI({ version: "preview1" });
const module = await WebAssembly.compile(readFileSync(process.argv[2]));
wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));
"""


@pytest.mark.parametrize("machine", MACHINES)
def test_the_c_example_prints_the_digests_of_python(machine, tmp_path):
    zig, runner = MACHINES[machine]
    if not tier.library():
        pytest.skip("the native library is not built: make setup")
    if machine in EMULATED and not os.environ.get("FIELDCRAFT_EMULATED"):
        pytest.skip("another machine's libraries take minutes to compile: make machines")
    if runner and shutil.which(runner[0]) is None:
        pytest.skip(f"{runner[0]} is not installed")
    api = ROOT / "packages" / "fieldcraft" / "native" / "api.py"
    subprocess.run([sys.executable, api, machine, "--out", tmp_path], check=True)
    archive = tmp_path / machine / "libfieldcraft.a"
    program = tmp_path / ("influence.exe" if machine.startswith("windows") else "influence")
    command = [sys.executable, "-m", "ziglang", "cc", "-target", zig, "-O2", f"-I{tmp_path}"]
    command += [ROOT / "examples" / "c" / "influence.c", archive, "-lm", "-o", program]
    subprocess.run(command, check=True)
    (tmp_path / "run_wasi.mjs").write_text(WASI)
    ran = subprocess.run(
        [*runner, program], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert ran.stdout.replace("\r", "") == said_by_python()
