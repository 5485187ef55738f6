"""How a kernel is declared: `@kernel("f4[:,::1], i8, out f4[::1]")` above a plain function over
arrays and numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, overload

import numpy as np

from fieldcraft.kernels import tier

__all__ = ["kernel"]

Function = TypeVar("Function", bound=Callable[..., Any])


@overload
def kernel(declared: Function, /) -> Function: ...
@overload
def kernel(
    *declared: str,
    error_model: str = ...,
    inline: str = ...,
    native: str = ...,
    vectorized: Callable[..., Any] | None = ...,
) -> Callable[[Function], Function]: ...
def kernel(
    *declared: Any,
    error_model: str = "python",
    inline: str = "",
    native: str = "",
    vectorized: Callable[..., Any] | None = None,
) -> Any:
    """Compile a function over raw arrays where compiled kernels serve, else return it as it is. A
    compiled kernel releases Python's lock while it runs.

    `declared` are the types of its arguments, see `fieldcraft.kernels.signatures`, once for each
    version of it. A kernel without them is called by other kernels only, for whose types it is
    compiled. `error_model="numpy"` lets a division by zero give an infinity, `inline="always"`
    copies the code into each caller. `native` is the C function that takes its place in the native
    library. `vectorized` is a function in NumPy with the same arguments
    and the same bits, which serves where nothing is compiled.
    """
    if declared and callable(declared[0]):
        return _made(declared[0], (), {}, None)
    options: dict[str, Any] = {} if error_model == "python" else {"error_model": error_model}
    if inline == "always":
        # LLVM copies it: Numba's own copying takes three quarters of the time of such a kernel
        options["forceinline"] = True
    if native:
        options["native"] = native
    return lambda function: _made(function, declared, options, vectorized)


def _made(
    function: Callable[..., Any],
    declared: tuple[str, ...],
    options: dict[str, Any],
    vectorized: Callable[..., Any] | None,
) -> Any:
    library = tier.library()
    if library is not None:
        family = function.__module__.rpartition(".")[2]
        return getattr(library, f"{family}_{function.__name__}") if declared else function
    if not tier.compiled():
        text = vectorized or function
        # As compiled: numbers overflow and divisions by zero give infinities without a word.
        return np.errstate(all="ignore")(text) if declared else text
    from fieldcraft.kernels import jit

    if declared:
        return jit.Kernel(function, declared, options)
    return jit.compiled(function, **options)
