"""The choice of what runs the kernels in this process: the native library, Numba or plain
Python. It is made at the first kernel: `import fieldcraft` alone loads none of them.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import sys
import warnings
from types import ModuleType

__all__ = ["compiled", "library"]


def _is_set(variable: str) -> bool:
    """Return whether an environment variable is set, to anything but 0."""
    return os.environ.get(variable, "") not in ("", "0")


@functools.cache
def library() -> ModuleType | None:
    """Return the native library, or None if it is not used in this process."""
    if _is_set("FIELDCRAFT_REFERENCE") or _is_set("FIELDCRAFT_NUMBA"):
        return None
    from fieldcraft.kernels.compiling import native

    return native.load()


@functools.cache
def compiled() -> bool:
    """Return whether this process runs compiled kernels."""
    if _is_set("FIELDCRAFT_REFERENCE"):
        return False
    if library() is not None or importlib.util.find_spec("numba") is not None:
        return True
    if sys.platform != "emscripten":
        warnings.warn(
            "This fieldcraft has neither compiled kernels nor Numba: kernels run as plain Python,"
            " with the same results, up to thousands of times slower. Install a wheel for this"
            " platform, or Numba: pip install 'fieldcraft[jit]'. FIELDCRAFT_REFERENCE=1 hides this"
            " warning.",
            RuntimeWarning,
            stacklevel=3,
        )
    return False
