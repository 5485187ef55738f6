"""How a kernel is declared: `@kernel("f4[:,::1], i8, out f4[::1]")` above a plain function over
arrays and numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fieldcraft.kernels import prebuilt, tier

__all__ = ["kernel"]


def kernel(*declared: Any, error_model: str = "python", inline: str = "") -> Any:
    """Let a function over raw arrays be compiled where compiled kernels serve. It releases Python's
    lock while it runs.

    `declared` are the types of its arguments, see `fieldcraft.kernels.signatures`, once for each
    version of it. A kernel without them is called by other kernels only, for whose types it is
    compiled. `error_model="numpy"` lets a division by zero give an infinity, `inline="always"`
    copies the code into each caller.
    """
    if declared and callable(declared[0]):
        return _made(declared[0], (), {})
    chosen: dict[str, Any] = {} if error_model == "python" else {"error_model": error_model}
    if inline == "always":
        chosen["forceinline"] = (
            # LLVM copies it: Numba's own copying takes three quarters of the time of such a kernel
            True
        )

    def compiled(function: Callable[..., Any]) -> Any:
        return _made(function, declared, chosen)

    return compiled


def _made(function: Callable[..., Any], declared: tuple[str, ...], options: dict[str, Any]) -> Any:
    if prebuilt.serves():
        return prebuilt.compiled(function, declared)
    if not tier.compiled():
        return function
    from fieldcraft.kernels import jit

    return jit.compiled(function, declared, options)
