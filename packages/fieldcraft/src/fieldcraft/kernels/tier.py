"""What runs kernels in a process: the native library, Numba or Python."""

from __future__ import annotations

import functools
import importlib.util
import os
import sys
import warnings
from types import ModuleType

from fieldcraft.kernels import native

__all__ = ["compiled", "library"]


def _asked(variable: str) -> bool:
    return os.environ.get(variable, "") not in ("", "0")


@functools.cache
def library() -> ModuleType | None:
    """The native library, if it serves in this process."""
    if _asked("FIELDCRAFT_REFERENCE") or _asked("FIELDCRAFT_NUMBA"):
        return None
    return native.load()


@functools.cache
def compiled() -> bool:
    """Whether compiled kernels serve in this process."""
    if _asked("FIELDCRAFT_REFERENCE"):
        return False
    if library() is not None or importlib.util.find_spec("numba") is not None:
        return True
    if sys.platform != "emscripten":
        warnings.warn(
            "This fieldcraft has neither compiled kernels nor Numba, so plain Python serves: the"
            " same results, hundreds of times slower. Install a wheel for this platform, or Numba:"
            " pip install 'fieldcraft[jit]'. FIELDCRAFT_REFERENCE=1 says that this is meant.",
            RuntimeWarning,
            stacklevel=3,
        )
    return False
