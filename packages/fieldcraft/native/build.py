"""Builds the native library of kernels: `python build.py` for this machine.

zig compiles the bitcode of the kernels and the C files, and links them. Nothing else is needed,
unless a kernel has changed: then Numba makes its bitcode anew, and that of the module for programs
without Python if it uses the kernel; see `lower.py`. zig keeps what it has compiled in its own
cache, so that another build compiles only what has changed.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from bitcode import EMBEDDED, FOLDER, described, families, plain_module, stale
from target import HERE, TARGETS, Target, compiler, here, zig

native = plain_module("native")
signatures = plain_module("signatures")


def build(wanted: list[tuple[str, Path]]) -> list[Path]:
    """Build the libraries of some targets into folders; their paths.

    Raises RuntimeError where the bitcode was made from other sources.
    """
    names = families()
    changed = stale(names)
    if changed:
        raise RuntimeError(
            f"The bitcode of kernels is made from their sources. These have changed since:"
            f" {', '.join(changed)}. Run, in a clone with Numba: make kernels"
        )
    made_of = native.sources()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "table.c").write_text(table(names))
        return [_made(name, folder, names, out, made_of) for name, out in wanted]


def update_bitcode() -> None:
    """Make the bitcode of all changed sources anew."""
    changed = stale([*families(), EMBEDDED])
    if changed:
        from lower import update  # it imports Numba

        update(changed)


def is_built(name: str, folder: Path) -> bool:
    """Whether a folder has a sound library of the present sources for a target."""
    library = native.place(name.rpartition("-")[2], folder, TARGETS[name].platform)
    return library.exists() and not native.fault(library)


def table(names: list[str]) -> str:
    """The C file that lists the entries of some files of kernels."""
    lines = ['#include "kernels.h"']
    listed = []
    for name in names:
        for kernel, versions in described(name)["kernels"].items():
            rows = []
            for number, version in enumerate(versions):
                symbol = f"fc_{kernel}_{number}"
                arguments = signatures.parse(version["takes"])
                results = signatures.parse(version["returns"])
                lines.append(f"int {symbol}(int64_t *, const Error **);")
                lines.append(f"static const Argument a_{symbol}[] = {{{_fields(arguments)}}};")
                lines.append(f"static const Argument r_{symbol}[] = {{{_fields(results)}}};")
                slots = max(_slots(arguments), _slots(results))
                assert slots <= 256, symbol
                rows.append(f"{{{symbol}, a_{symbol}, r_{symbol}, {len(arguments)}, {slots}}}")
            lines.append(f"static const Version v_{kernel}[] = {{{', '.join(rows)}}};")
            listed.append(f'    {{"{kernel}", v_{kernel}, {len(versions)}}}')
    lines += ["const Kernel fieldcraft_kernels[] = {", ",\n".join(listed), "};"]
    lines.append(f"const int fieldcraft_kernel_count = {len(listed)};")
    return "\n".join(lines) + "\n"


def _fields(arguments: tuple[Any, ...]) -> str:
    """Types of arguments as the table in C spells them; the items of a tuple follow it."""
    found = []
    for argument in arguments:
        if argument.items:
            found.append(f"{{TUPLE, 0, 0, 0, {len(argument.items)}}}")
            found.append(_fields(argument.items))
        elif not argument.dtype:
            found.append("{NONE, 0, 0, 0, 0}")
        else:
            kind = "NUMBER"
            if argument.axes:
                kind = "DENSE" if argument.dense else "STRIDED"
            code, size = argument.dtype
            rest = f"{int(argument.written)}, '{code}', {size}, {argument.axes}"
            found.append(f"{{{kind}, {rest}}}")
    return ", ".join(found)


def _slots(arguments: tuple[Any, ...]) -> int:
    """How many slots arguments take."""
    taken = 0
    for argument in arguments:
        if argument.items:
            taken += _slots(argument.items)
        elif argument.axes:
            taken += 5 + 2 * argument.axes
        else:
            taken += 1
    return taken


def link(folder: Path, target: Target, modules: list[Path], library: Path) -> None:
    """Compile the C files and the kernels for a target, and link them into a library for Python."""
    command = [*compiler(target), "-shared"]
    sources = [HERE / name for name in ("caller.c", "runtime.c", "vectors.c")]
    sources += [folder / "table.c", *modules]
    if target.platform == "win32":
        sources.append(_python_import(folder))
    elif target.platform == "darwin":
        command += ["-undefined", "dynamic_lookup"]
    else:
        command.append("-lm")
    subprocess.run([*command, *sources, "-o", library], check=True)


def _python_import(folder: Path) -> Path:
    """The import library of python3.dll, of the names that the caller and Numba's code use."""
    used = re.findall(r"\b_?Py_?[A-Z]\w*(?=\(|,|;)", (HERE / "caller.c").read_text())
    names = sorted({*used, "PyErr_SetString"})  # the latter is used by Numba's code
    data = {name for name in names if name.startswith(("PyExc", "_Py"))}
    lines = [f"    {name}{' DATA' if name in data else ''}" for name in names]
    definition = folder / "python3.def"
    definition.write_text("\n".join(["LIBRARY python3.dll", "EXPORTS", *lines]) + "\n")
    library = folder / "python3.lib"
    command = zig("dlltool", "-m", "i386:x86-64")
    subprocess.run([*command, "-d", definition, "-l", library], check=True)
    return library


def _made(name: str, folder: Path, names: list[str], out: Path, made_of: str) -> Path:
    """The library of a target, and the note beside it."""
    target = TARGETS[name]
    out.mkdir(parents=True, exist_ok=True)
    library: Path = native.place(name.rpartition("-")[2], out, target.platform)
    linked = folder / "library"  # for Windows zig writes other files beside it
    modules = [FOLDER / f"{each}.bc" for each in names if described(each)["kernels"]]
    print(f"{name}: zig compiles {len(modules)} files of kernels", file=sys.stderr, flush=True)
    link(folder, target, modules, linked)
    data = linked.read_bytes()
    note = {"sources": made_of, "size": len(data), "crc32": zlib.crc32(data)}
    library.with_suffix(".json").unlink(missing_ok=True)
    scratch = library.with_suffix(".part")
    scratch.write_bytes(data)
    scratch.replace(library)
    library.with_suffix(".json").write_text(json.dumps(note) + "\n")
    return library


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="default: this machine's")
    parser.add_argument("--out", type=Path, default=native.FOLDER, metavar="DIR")
    chosen = parser.parse_args()
    if unknown := [name for name in chosen.targets if name not in TARGETS]:
        parser.error(f"targets are {', '.join(TARGETS)}. Got {', '.join(unknown)}.")
    update_bitcode()
    try:
        for path in build([(name, chosen.out) for name in chosen.targets or here()[:1]]):
            print(path)
    except RuntimeError as error:
        sys.exit(str(error))
    except subprocess.CalledProcessError as error:
        sys.exit(f"zig could not compile the kernels, see above (exit status {error.returncode}).")
