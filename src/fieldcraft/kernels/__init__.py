"""Loops over raw arrays.

Each kernel family has two files of the same name: `reference/NAME.py`, slow and plain, is the specification; `NAME.py`
computes the same bits with Numba. Where Numba cannot be had, or `FIELDCRAFT_REFERENCE=1` is set, the reference serves.
Kernels check nothing and allocate only scratch.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
from typing import Any

__all__ = ["compiled", "load"]


@functools.cache
def compiled() -> bool:
    """Whether the compiled kernels serve in this process."""
    return os.environ.get("FIELDCRAFT_REFERENCE", "") in ("", "0") and importlib.util.find_spec("numba") is not None


def load(name: str) -> Any:
    """The kernels of that name, or their reference where they can't be had.

    They are imported when they are needed: importing Numba takes longer than all the rest of fieldcraft.
    """
    return _loaded(f"fieldcraft.kernels.{name}" if compiled() else f"fieldcraft.kernels.reference.{name}")


_loaded = functools.cache(importlib.import_module)
