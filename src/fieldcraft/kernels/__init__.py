"""Loops over raw arrays.

Each kernel family has two files of the same name: `reference/NAME.py`, slow and plain, is the specification; `NAME.py`
computes the same bits with Numba. Where Numba cannot be had, or `FIELDCRAFT_REFERENCE=1` is set, the reference serves.
Kernels check nothing and allocate only scratch.
"""

from __future__ import annotations

import functools
import importlib.util
import os

__all__ = ["compiled"]


@functools.cache
def compiled() -> bool:
    """Whether the compiled kernels serve in this process."""
    return os.environ.get("FIELDCRAFT_REFERENCE", "") in ("", "0") and importlib.util.find_spec("numba") is not None
