"""How a kernel is declared: `@kernel("f4[:,::1], i8, out f4[::1]")` above a plain function over
arrays and numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, overload

import numpy as np

from fieldcraft.kernels import prebuilt, tier

__all__ = ["kernel"]

Function = TypeVar("Function", bound=Callable[..., Any])


@overload
def kernel(declared: Function, /) -> Function: ...
@overload
def kernel(
    *declared: str,
    error_model: str = ...,
    inline: str = ...,
    vectorized: Callable[..., Any] | None = ...,
) -> Callable[[Function], Function]: ...
def kernel(
    *declared: Any,
    error_model: str = "python",
    inline: str = "",
    vectorized: Callable[..., Any] | None = None,
) -> Any:
    """Compile a function over raw arrays where compiled kernels serve, else return it as it is. A
    compiled kernel releases Python's lock while it runs.

    `declared` are the types of its arguments, see `fieldcraft.kernels.signatures`, once for each
    version of it. A kernel without them is called by other kernels only, for whose types it is
    compiled. `error_model="numpy"` lets a division by zero give an infinity, `inline="always"`
    copies the code into each caller. `vectorized` is a function in NumPy with the same arguments
    and the same bits, which serves where nothing is compiled.
    """
    if declared and callable(declared[0]):
        return _made(declared[0], (), {}, None)
    options: dict[str, Any] = {} if error_model == "python" else {"error_model": error_model}
    if inline == "always":
        options["forceinline"] = (
            # LLVM copies it: Numba's own copying takes three quarters of the time of such a kernel
            True
        )
    return lambda function: _made(function, declared, options, vectorized)


def _made(
    function: Callable[..., Any],
    declared: tuple[str, ...],
    options: dict[str, Any],
    vectorized: Callable[..., Any] | None,
) -> Any:
    if prebuilt.serves():
        return prebuilt.compiled(function, declared)
    if not tier.compiled():
        text = vectorized or function
        # As compiled: numbers overflow and divisions by zero give infinities without a word.
        return np.errstate(all="ignore")(text) if declared else text
    from fieldcraft.kernels import jit

    return jit.compiled(function, declared, options)
