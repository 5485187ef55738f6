"""Compiling all declared kernels into one shared object, for wheels, games and images: no Numba where it is used.

Numba's own compiler of extension modules does the work; what it forgets of a kernel's options, that it releases Python's lock and
how it divides, is put back.
"""

from __future__ import annotations

import contextlib
import importlib
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fieldcraft.kernels import prebuilt
from fieldcraft.kernels.warming import entries

__all__ = ["build"]


def build(folder: Path, level: str) -> Path:
    """Compile every declared kernel into a shared object in a folder, for processors from `level` on; the object's path.

    Takes one to two minutes. Raises RuntimeError if a kernel is missing from the object.
    """
    if prebuilt.serves():
        raise RuntimeError("These kernels are compiled already. Install fieldcraft from its sources to compile them anew.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that this compiler has a successor in sight
        pycc: Any = importlib.import_module("numba.pycc")
    from fieldcraft.kernels import calls, jit

    made_of = prebuilt.sources()
    made = pycc.CC(prebuilt.NAME)
    made.target_cpu = level
    options: dict[Any, dict[str, Any]] = {}
    names = []
    for kernel in entries():
        options[kernel.py_func] = kernel.targetoptions
        for version, types in enumerate(jit.versions(kernel)):
            names.append(prebuilt.symbol(kernel.py_func, version))
            made.export(names[-1], types)(kernel.py_func)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, _with_options(options), calls.remembered(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made.output_dir = scratch
        made.compile()
        (object_,) = Path(scratch).glob(f"{prebuilt.NAME}*")
        target = prebuilt.place(folder, level)
        shutil.copyfile(object_, target)
    target.with_suffix(".txt").write_text(made_of + "\n")
    _check(target, names)
    return target


def _check(path: Path, names: list[str]) -> None:
    module = prebuilt.loaded(path)
    missing = [name for name in names if not hasattr(module, name)]
    if missing:
        path.unlink()
        raise RuntimeError(f"Every declared kernel lies in the object. Missing: {', '.join(missing)}.")


@contextlib.contextmanager
def _with_options(options: dict[Any, dict[str, Any]]) -> Iterator[None]:
    """Numba's compiler of modules takes each kernel's own options."""
    compiler: Any = importlib.import_module("numba.pycc.compiler")
    plainly = compiler.compile_extra

    def compile_extra(typing: Any, context: Any, function: Any, arguments: Any, result: Any, flags: Any, **rest: Any) -> Any:
        flags = flags.copy()
        flags.release_gil = True
        flags.error_model = options[function].get("error_model", "python")
        return plainly(typing, context, function, arguments, result, flags, **rest)

    compiler.compile_extra = compile_extra
    try:
        yield
    finally:
        compiler.compile_extra = plainly
