"""Declarations of kernels: `@kernel("f4[:,::1], i8, out f4[::1]")` above a plain function over
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
    *declared: str, error_model: str = ..., inline: str = ..., native: str = ...
) -> Callable[[Function], Function]: ...
def kernel(*declared: Any, error_model: str = "python", inline: str = "", native: str = "") -> Any:
    """Compile a function over raw arrays where compiled kernels are used, else return it as it is.

    A compiled kernel releases Python's lock while it runs.

    Parameters
    ----------
    declared : str
        The types of the arguments, see `fieldcraft.kernels.signatures`, once for each version of
        the kernel. A kernel without them is called by other kernels only, and is compiled for the
        types that they pass.
    error_model : str, optional
        With "numpy" a division by zero gives an infinity.
    inline : str, optional
        "always" copies the code into each caller.
    native : str, optional
        The C function that replaces the kernel in the native library.
    """
    if declared and callable(declared[0]):
        return _compiled(declared[0], (), {})
    options: dict[str, Any] = {} if error_model == "python" else {"error_model": error_model}
    if inline == "always":
        # LLVM copies it: Numba's own copying takes three quarters of the time of such a kernel
        options["forceinline"] = True
    if native:
        options["native"] = native
    return lambda function: _compiled(function, declared, options)


def _compiled(
    function: Callable[..., Any], declared: tuple[str, ...], options: dict[str, Any]
) -> Any:
    library = tier.library()
    if library is not None:
        family = function.__module__.rpartition(".")[2]
        return getattr(library, f"{family}_{function.__name__}") if declared else function
    if not tier.compiled():
        # As compiled: numbers overflow, and divisions by zero give infinities, without a warning.
        return np.errstate(all="ignore")(function) if declared else function
    from fieldcraft.kernels import jit

    if declared:
        return jit.Kernel(function, declared, options)
    return jit.compiled(function, **options)
