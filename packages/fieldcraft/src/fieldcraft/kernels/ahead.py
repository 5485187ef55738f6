"""Compiling all declared kernels into one shared object, for wheels, games and images: no Numba
where it is used.

Numba's own compiler of extension modules does the work; what it forgets of a kernel's options, that
it releases Python's lock and how it divides, is put back. What kernels call is compiled as by
`fieldcraft.kernels.pieces`, for the same processors as they are: each object is made by a process
of its own, which is told that this is its processor.
"""

from __future__ import annotations

import contextlib
import importlib
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from fieldcraft.kernels import prebuilt, warming

__all__ = ["build", "work"]

_WORK = "import sys; from fieldcraft.kernels import ahead; ahead.work(*sys.argv[1:])"
# the share of the time after which all kernels are translated, and machine code is made of them
_LAST = 0.75


def build(folder: Path, told: Callable[[float], None] = lambda share: None) -> list[Path]:
    """Compile every declared kernel into a shared object for each level of processors, side by
    side; the objects' paths.

    Takes one to two minutes of a core for each. `told` hears the share that is done. Raises
    RuntimeError if a kernel is missing from an object.
    """
    if prebuilt.serves():
        raise RuntimeError(
            "These kernels are compiled already. Install fieldcraft from its sources to compile"
            " them anew."
        )
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, tempfile.TemporaryFile("w+") as errors:
        # Callees are compiled for the processor that Numba believes to be on.
        told_so = [{"NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": ""} for level in prebuilt.LEVELS]
        common = {"FIELDCRAFT_KERNELS": scratch, "FIELDCRAFT_REFERENCE": ""}
        started = [
            warming.start(_WORK, [str(folder), level], errors.fileno(), **common, **own)
            for level, own in zip(prebuilt.LEVELS, told_so, strict=True)
        ]
        try:
            done, total = (
                0,
                len(started) * sum(len(kernel.declared) for kernel in warming.entries()),
            )
            for line in warming.lines(started):
                done += line.startswith("ready")
                told(_LAST * done / total)
        finally:
            warming.end(started)
        if any(process.returncode for process in started):
            errors.seek(0)
            raise RuntimeError(
                f"The kernels could not be compiled into one object.\n{errors.read()[-2000:]}"
            )
    return [prebuilt.place(folder, level) for level in prebuilt.LEVELS]


def work(folder: str, level: str) -> None:
    """Compile the object for processors from `level` on, and say after each kernel that it is
    ready.

    For a process of its own: Numba compiles nothing for this one any more.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that this compiler has a successor in sight
        pycc: Any = importlib.import_module("numba.pycc")
    from fieldcraft.kernels import jit

    made_of = prebuilt.sources()
    made = pycc.CC(prebuilt.NAME)
    made.target_cpu = level
    options: dict[Any, dict[str, Any]] = {}
    names = []
    for kernel in warming.entries():
        options[kernel.py_func] = kernel.targetoptions
        for version, types in enumerate(jit.versions(kernel)):
            names.append(prebuilt.symbol(kernel.py_func, version))
            made.export(names[-1], types)(kernel.py_func)
    with (
        tempfile.TemporaryDirectory() as scratch,
        _like_kernels(options),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        made.output_dir = scratch
        made.compile()
        (object_,) = Path(scratch).glob(f"{prebuilt.NAME}*")
        target = prebuilt.place(Path(folder), level)
        shutil.copyfile(object_, target)
    target.with_suffix(".txt").write_text(made_of + "\n")
    _check(target, names)


def _check(path: Path, names: list[str]) -> None:
    code = path.read_bytes()  # it is not loaded: this processor may be of a lower level
    missing = [name for name in names if name.encode() + b"\0" not in code]
    if missing:
        path.unlink()
        raise RuntimeError(
            f"Every declared kernel lies in the object. Missing: {', '.join(missing)}."
        )


@contextlib.contextmanager
def _like_kernels(options: dict[Any, dict[str, Any]]) -> Iterator[None]:
    """Within, Numba's compiler of modules takes each kernel's own options, and keeps what kernels
    call in pieces.
    """
    compiler: Any = importlib.import_module("numba.pycc.compiler")
    target: Any = importlib.import_module("numba.core.registry").cpu_target
    from fieldcraft.kernels import pieces

    plainly = compiler.compile_extra

    def compile_extra(
        typing: Any,
        context: Any,
        function: Any,
        arguments: Any,
        result: Any,
        flags: Any,
        **rest: Any,
    ) -> Any:
        flags = flags.copy()
        flags.release_gil = True
        flags.error_model = options[function].get("error_model", "python")
        pieces.let_enter(context)
        made = plainly(typing, context, function, arguments, result, flags, **rest)
        print("ready", flush=True)
        return made

    compiler.compile_extra = compile_extra
    try:
        with pieces.loose(target.target_context):
            yield
    finally:
        compiler.compile_extra = plainly
