"""How a kernel is declared: `@kernel` above a plain function over arrays and numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["kernel"]


def kernel(*arguments: Any, **options: Any) -> Any:
    """Let a function over raw arrays be compiled. It releases Python's lock while it runs.

    `error_model="numpy"` lets a division by zero give an infinity, `inline` is Numba's.
    """
    if arguments and callable(arguments[0]):
        return _made(arguments[0], {})

    def declared(function: Callable[..., Any]) -> Any:
        return _made(function, options)

    return declared


def _made(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    from fieldcraft.kernels import jit

    return jit.compiled(function, options)
