"""Builds the native library of kernels: `python tools/native/build.py` for this machine.

Numba translates the kernels, in as many processes as there are cores; LLVM optimizes them for each
target; zig compiles the C files and links.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
import subprocess
import sys
import tempfile
import zlib
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from lower import Entry, declared, lower
from target import TARGETS, Target, emit, joined

from fieldcraft.kernels import native
from fieldcraft.kernels.signatures import Argument

HERE = Path(__file__).resolve().parent
_OBJECT = 30
"""How many files are translated in the time that one object takes."""


def here() -> str:
    """The target that fits this machine."""
    system = {"Linux": "linux", "Darwin": "macos", "Windows": "windows"}[platform.system()]
    processor = "x86-64" if platform.machine() in ("x86_64", "AMD64") else "aarch64"
    level = next(name for name, needed in native.LEVELS.items() if native.runs_here(needed))
    return f"{system}-{processor}" + (f"-{level}" if processor == "x86-64" else "")


def table(entries: list[Entry]) -> str:
    """The C file that lists the entries."""
    lines = ['#include "kernels.h"']
    kernels: dict[str, list[Entry]] = {}
    for entry in entries:
        kernels.setdefault(entry.kernel, []).append(entry)
        lines.append(f"int {entry.symbol}(int64_t *, const Error **);")
    for name, versions in kernels.items():
        for number, entry in enumerate(versions):
            listed = ", ".join(part for each in entry.arguments for part in _fields(each))
            lines.append(f"static const Argument a_{name}_{number}[] = {{{listed}}};")
            listed = ", ".join(_fields(entry.results))
            lines.append(f"static const Argument r_{name}_{number}[] = {{{listed}}};")
        listed = ", ".join(
            f"{{{entry.symbol}, a_{name}_{number}, r_{name}_{number},"
            f" {len(entry.arguments)}, {_slots(entry)}}}"
            for number, entry in enumerate(versions)
        )
        lines.append(f"static const Version v_{name}[] = {{{listed}}};")
    listed = ",\n".join(
        f'    {{"{name}", v_{name}, {len(versions)}}}' for name, versions in kernels.items()
    )
    lines.append(f"const Kernel fieldcraft_kernels[] = {{\n{listed}\n}};")
    lines.append(f"const int fieldcraft_kernel_count = {len(kernels)};")
    return "\n".join(lines) + "\n"


def _fields(argument: Argument) -> list[str]:
    if argument.items:
        inner = [part for item in argument.items for part in _fields(item)]
        return [f"{{TUPLE, 0, 0, 0, {len(argument.items)}}}", *inner]
    if not argument.dtype:
        return ["{NONE, 0, 0, 0, 0}"]
    kind = "NUMBER" if not argument.axes else "DENSE" if argument.dense else "STRIDED"
    code, size = argument.dtype
    return [f"{{{kind}, {int(argument.written)}, '{code}', {size}, {argument.axes}}}"]


def _slots(entry: Entry) -> int:
    """How many slots the arguments or the results take, whichever are more."""

    def count(argument: Argument) -> int:
        if argument.items:
            return sum(map(count, argument.items))
        return 5 + 2 * argument.axes if argument.axes else 1

    most = max(sum(map(count, entry.arguments)), count(entry.results))
    assert most <= 256, entry
    return most


def link(folder: Path, target: Target, object_: Path, library: Path) -> None:
    """Compile the C files for a target, and link them and the kernels into a library for Python."""
    command = [
        sys.executable,
        "-m",
        "ziglang",
        "cc",
        "-target",
        target.zig,
        "-O3",
        "-g0",
        "-shared",
    ]
    command += ["-fPIC", "-fvisibility=hidden", "-fno-sanitize=all", "-ffp-contract=off", "-s"]
    command += [f"-mcpu={target.cpu.replace('-', '_')}", f"-I{HERE}"]
    sources = [HERE / name for name in ("caller.c", "runtime.c", "vectors.c")]
    sources += [folder / "table.c", object_]
    if target.platform == "win32":
        sources.append(_python_import(folder))
    elif target.platform == "darwin":
        command += ["-undefined", "dynamic_lookup"]
    else:
        command.append("-lm")
    subprocess.run([*command, *sources, "-o", library], check=True)


def _python_import(folder: Path) -> Path:
    """The import library of python3.dll, of the names that the caller uses."""
    names = sorted(set(re.findall(r"_?Py[A-Z]\w*(?=\(|,|;)", (HERE / "caller.c").read_text())))
    data = {name for name in names if name.startswith(("PyExc", "_Py"))}
    lines = [f"    {name}{' DATA' if name in data else ''}" for name in names]
    definition = folder / "python3.def"
    definition.write_text("\n".join(["LIBRARY python3.dll", "EXPORTS", *lines]) + "\n")
    library = folder / "python3.lib"
    command = [sys.executable, "-m", "ziglang", "dlltool", "-m", "i386:x86-64"]
    subprocess.run([*command, "-d", definition, "-l", library], check=True)
    return library


def build(wanted: list[tuple[str, Path]]) -> list[Path]:
    """Build the libraries of some targets into folders; their paths."""
    made_of = native.sources()
    families = sorted(declared(), key=_effort, reverse=True)
    bar = Bar(len(families) + len(wanted) * _OBJECT)
    with ProcessPoolExecutor() as pool, tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        parts = []
        for part in as_completed([pool.submit(lower, family) for family in families]):
            parts.append(part.result())
            bar.add(1)
        entries = sorted(entry for _, found in parts for entry in found)
        (folder / "table.c").write_text(table(entries))
        (folder / "all.bc").write_bytes(joined([bitcode for bitcode, _ in parts]))
        exported = {entry.symbol for entry in entries}
        made = [pool.submit(_made, name, folder, exported, out, made_of) for name, out in wanted]
        for each in as_completed(made):
            each.result()
            bar.add(_OBJECT)
        return [each.result() for each in made]


def _effort(family: str) -> int:
    """About how long a file takes to translate."""
    versions = sum(len(kernel.declared) for kernel in declared()[family])
    return versions * (native.FOLDER / f"{family}.py").stat().st_size


def _made(name: str, folder: Path, exported: set[str], out: Path, made_of: str) -> Path:
    """The library of a target, and the note beside it."""
    target = TARGETS[name]
    (folder / f"{name}.o").write_bytes(emit((folder / "all.bc").read_bytes(), target, exported))
    library = native.place(name.rpartition("-")[2], out, target.platform)
    scratch = library.with_suffix(".part")
    link(folder, target, folder / f"{name}.o", scratch)
    data = scratch.read_bytes()
    note = {"sources": made_of, "size": len(data), "crc32": zlib.crc32(data)}
    library.with_suffix(".json").unlink(missing_ok=True)
    scratch.replace(library)
    library.with_suffix(".json").write_text(json.dumps(note) + "\n")
    return library


class Bar:
    """A progress bar on a terminal; a line for each tenth elsewhere."""

    def __init__(self, total: int) -> None:
        self._total, self._done, self._shown = total, 0, -1

    def add(self, count: int) -> None:
        """Take in that so much more is done."""
        self._done += count
        share = self._done * 100 // self._total
        if sys.stderr.isatty():
            filled = share * 40 // 100
            end = "\n" if share == 100 else ""
            print(f"\rkernels [{'#' * filled:40}] {share} %", end=end, file=sys.stderr, flush=True)
        elif share // 10 > self._shown:
            self._shown = share // 10
            print(f"kernels: {share} %", file=sys.stderr, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="default: this machine's")
    parser.add_argument("--out", type=Path, default=native.FOLDER, metavar="DIR")
    chosen = parser.parse_args()
    if unknown := [name for name in chosen.targets if name not in TARGETS]:
        parser.error(f"targets are {', '.join(TARGETS)}. Got {', '.join(unknown)}.")
    for path in build([(name, chosen.out) for name in chosen.targets or [here()]]):
        print(path)
