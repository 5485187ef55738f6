"""Loops over raw arrays: one table of families, each named after what the public calls by it.

`kernels.peaks` is a family of functions over arrays and numbers. Each has up to two tiers of the same name: a plain one in
`reference/NAME.py`, which is the specification, and a compiled one in `NAME.py`, which computes the same bits. This module
decides which of them answers: the plain one where `FIELDCRAFT_REFERENCE=1` is set or nothing compiled can be had. A family is
imported when it is first asked for, since importing Numba takes longer than all the rest of fieldcraft.

Kernels check nothing and allocate only scratch.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
import sys
import warnings
from types import ModuleType
from typing import Any

from fieldcraft.kernels import prebuilt
from fieldcraft.kernels.table import FAMILIES

__all__ = ["FAMILIES", "compiled", "load"]


@functools.cache
def compiled() -> bool:
    """Whether the compiled kernels serve in this process."""
    if os.environ.get("FIELDCRAFT_REFERENCE", "") not in ("", "0"):
        return False
    if prebuilt.serves() or importlib.util.find_spec("numba") is not None:
        return True
    if sys.platform != "emscripten":
        warnings.warn(
            "This fieldcraft has neither compiled kernels nor Numba, so plain Python serves: the same results, hundreds of times slower. "
            "Install a wheel for this platform, or Numba: pip install 'fieldcraft[jit]'. FIELDCRAFT_REFERENCE=1 says that this is meant.",
            RuntimeWarning,
            stacklevel=3,
        )
    return False


def load(name: str) -> Any:
    """The family of that name in the tier that answers."""
    return _imported(f"{__name__}.{name}" if compiled() else f"{__name__}.reference.{name}")


_imported = functools.cache(importlib.import_module)


def __getattr__(name: str) -> Any:
    if name not in FAMILIES:
        raise AttributeError(f"There is no family of kernels named {name!r}; kernels.FAMILIES lists them.")
    return load(name)


class _Table(ModuleType):
    """A package whose families are found by `load`, also after the import system has met one of their files."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in FAMILIES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Table
