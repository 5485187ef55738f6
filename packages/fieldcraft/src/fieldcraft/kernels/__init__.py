"""Loops over raw arrays: one table of families, each named after what the public calls by it.

`kernels.peaks` is a family of functions over arrays and numbers. Each has two tiers of the same
name and the same arguments: a plain one in `reference/NAME.py`, which is the specification, and a
compiled one in `NAME.py`, which computes the same bits. Where a specification gives what the kernel
writes into arrays, `plain/NAME.py` calls it as the kernel is called. Where it would be the same
text there is one, `NAME.py`, run plain or compiled. This module decides which tier answers: the
plain one where `FIELDCRAFT_REFERENCE=1` is set or nothing compiled can be had; nobody outside of it
asks. A family is imported when it is first asked for, since importing Numba takes longer than all
the rest of fieldcraft.

Kernels check nothing and allocate only scratch.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import sys
from types import ModuleType
from typing import Any

from fieldcraft.kernels.table import FAMILIES
from fieldcraft.kernels.tier import compiled

__all__ = ["FAMILIES", "compiled", "load"]


def load(name: str) -> Any:
    """The family of that name in the tier that answers."""
    return _family(name, compiled())


@functools.cache
def _family(name: str, is_compiled: bool) -> ModuleType:
    places = [f"{__name__}.{name}"]
    if not is_compiled:
        places = [f"{__name__}.plain.{name}", f"{__name__}.reference.{name}", *places]
    return importlib.import_module(
        next(place for place in places if importlib.util.find_spec(place) is not None)
    )


def __getattr__(name: str) -> Any:
    if name not in FAMILIES:
        raise AttributeError(
            f"There is no family of kernels named {name!r}; kernels.FAMILIES lists them."
        )
    return load(name)


class _Table(ModuleType):
    """A package whose families are found by `load`, also after the import system has met one of
    their files.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in FAMILIES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Table
