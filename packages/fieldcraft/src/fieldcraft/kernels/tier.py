"""The one place that decides whether compiled kernels serve in a process."""

from __future__ import annotations

import functools
import importlib.util
import os
import sys
import warnings

from fieldcraft.kernels import prebuilt

__all__ = ["compiled"]


@functools.cache
def compiled() -> bool:
    """Whether the compiled kernels serve in this process."""
    if os.environ.get("FIELDCRAFT_REFERENCE", "") not in ("", "0"):
        return False
    if prebuilt.serves() or importlib.util.find_spec("numba") is not None:
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
