"""Builds the native library of kernels: `python tools/native/build.py` for this machine.

Numba translates the kernels and LLVM optimizes them for each target, file by file, in as many
processes as there are cores; zig compiles the C files and links. Objects are kept in the user's
cache folder, so that another build compiles only what has changed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import re
import subprocess
import sys
import tempfile
import zlib
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import llvmlite
import numba

sys.path.insert(0, str(Path(__file__).resolve().parent))

import cache
from lower import EMBEDDED, Entry, declared, lower
from target import TARGETS, Target, emit

from fieldcraft.kernels.compiling import native
from fieldcraft.kernels.compiling.signatures import Argument

HERE = Path(__file__).resolve().parent
_IMPORTED = re.compile(r"^from fieldcraft\.kernels\.(\w+\.?\w* import (?:\([^)]*\)|.*))$", re.M)


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


def link(folder: Path, target: Target, objects: list[Path], library: Path) -> None:
    """Compile the C files for a target, and link them and the kernels into a library for Python."""
    command = [*compiler(target), "-shared"]
    sources = [HERE / name for name in ("caller.c", "runtime.c", "vectors.c")]
    sources += [folder / "table.c", *objects]
    if target.platform == "win32":
        sources.append(_python_import(folder))
    elif target.platform == "darwin":
        command += ["-undefined", "dynamic_lookup"]
    else:
        command.append("-lm")
    subprocess.run([*command, *sources, "-o", library], check=True)


def compiler(target: Target) -> list[str]:
    """The command that compiles C for a target."""
    command = [sys.executable, "-m", "ziglang", "cc", "-target", target.zig, "-O3", "-g0", "-s"]
    command += ["-fPIC", "-fvisibility=hidden", "-fno-sanitize=all", "-ffp-contract=off"]
    features = [each[0] + each[1:].replace("-", "_") for each in target.features.split(",") if each]
    cpu = "".join([target.cpu.replace("-", "_"), *features])
    return [*command, f"-mcpu={cpu}", f"-I{HERE}"]


def _python_import(folder: Path) -> Path:
    """The import library of python3.dll, of the names that the caller and Numba's code use."""
    used = re.findall(r"\b_?Py_?[A-Z]\w*(?=\(|,|;)", (HERE / "caller.c").read_text())
    names = sorted({*used, "PyErr_SetString"})  # the latter is used by Numba's code
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
    files = [file for file in declared() if file != EMBEDDED]
    entries, objects = compiled(files, [name for name, _ in wanted])
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "table.c").write_text(table(entries))
        return [_made(name, folder, objects[name], out, made_of) for name, out in wanted]


def compiled(files: list[str], targets: list[str]) -> tuple[list[Entry], dict[str, list[Path]]]:
    """The entries of some files of kernels, and their objects for each target."""
    cache.prepare()
    entries: list[Entry] = []
    objects: dict[str, list[Path]] = {target: [] for target in targets}
    bar = Bar(len(files))
    with ProcessPoolExecutor() as pool:
        ordered = sorted(files, key=_effort, reverse=True)
        for part in as_completed([pool.submit(_compiled, file, targets) for file in ordered]):
            found, paths = part.result()
            entries += found
            for target, path in paths.items():
                objects[target].append(path)
            bar.add(1)
    return sorted(entries), {target: sorted(paths) for target, paths in objects.items()}


def _compiled(file: str, targets: list[str]) -> tuple[list[Entry], dict[str, Path]]:
    """The entries of a file of kernels and its object for each target, from the cache if there."""
    stem = f"{file}-{_key(file)}"
    note = cache.find(stem, ".json")
    paths = {target: cache.find(f"{stem}-{target}", ".o") for target in targets}
    found = {target: path for target, path in paths.items() if path}
    if note and len(found) == len(targets):
        return [_entry(*each) for each in json.loads(note.read_text())], found
    bitcode, entries = lower(file)
    exported = {entry.symbol for entry in entries}
    for target in targets:
        data = emit(bitcode, TARGETS[target], exported)
        found[target] = cache.store(f"{stem}-{target}", ".o", data)
    cache.store(stem, ".json", json.dumps(entries).encode())
    return entries, found


def _entry(kernel: str, symbol: str, arguments: list[Any], results: list[Any]) -> Entry:
    """An entry as JSON stores it."""
    return Entry(kernel, symbol, tuple(_argument(*each) for each in arguments), _argument(*results))


def _argument(*fields: Any) -> Argument:
    *plain, items = fields
    return Argument(*plain, items=tuple(_argument(*each) for each in items))


def _key(file: str) -> str:
    """The hash of all that an object is made from: the compilers and the sources."""
    names, found = [file], {"declare", "jit", "signatures"}
    while names:
        name = names.pop()
        path = _source(name)
        if name not in found and path.exists():
            found.add(name)
            names += re.findall(r"\w+", " ".join(_IMPORTED.findall(path.read_text())))
    digest = hashlib.sha256(f"{llvmlite.__version__} {numba.__version__} {sys.version}".encode())
    tools = [HERE / "lower.py", HERE / "target.py"]
    for path in [*tools, *map(_source, sorted(found))]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _effort(file: str) -> int:
    """About how long a file takes to translate."""
    versions = sum(len(kernel.declared) for kernel in declared()[file])
    return versions * _source(file).stat().st_size


def _source(file: str) -> Path:
    if file == EMBEDDED:
        return HERE / f"{file}.py"
    places = sorted(native.FOLDER.glob(f"*/{file}.py"))
    return places[0] if places else native.FOLDER / f"{file}.py"


def _made(name: str, folder: Path, objects: list[Path], out: Path, made_of: str) -> Path:
    """The library of a target, and the note beside it."""
    target = TARGETS[name]
    library = native.place(name.rpartition("-")[2], out, target.platform)
    linked = folder / "library"  # for Windows zig writes other files beside it
    link(folder, target, objects, linked)
    data = linked.read_bytes()
    note = {"sources": made_of, "size": len(data), "crc32": zlib.crc32(data)}
    library.with_suffix(".json").unlink(missing_ok=True)
    scratch = library.with_suffix(".part")
    scratch.write_bytes(data)
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
