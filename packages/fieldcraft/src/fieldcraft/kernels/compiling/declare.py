"""Declarations of kernels: `@kernel("f4[:,::1], i8, out f4[::1]")` above a plain function over
arrays and numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, overload

import numpy as np

from fieldcraft.kernels.compiling import tier

__all__ = ["kernel"]

Function = TypeVar("Function", bound=Callable[..., Any])


@overload
def kernel(declared: Function, /) -> Function: ...
@overload
def kernel(
    *declared: str, error_model: str = ..., forceinline: bool = ..., native: str = ...
) -> Callable[[Function], Function]: ...
def kernel(*declared: Any, native: str = "", **options: Any) -> Any:
    """Compile a function over raw arrays where compiled kernels are used, else return it as it is.

    A compiled kernel releases Python's lock while it runs.

    Parameters
    ----------
    declared : str
        The types of the arguments, see `fieldcraft.kernels.compiling.signatures`, once for each
        version of
        the kernel. A kernel without them is called by other kernels only, and is compiled for the
        types that they pass.
    native : str, optional
        The C function that replaces the kernel in the native library.
    error_model : str, optional
        With "numpy" a division by zero gives an infinity.
    forceinline : bool, optional
        Let LLVM copy the code into each caller. To copy it by Numba's own `inline` takes three
        quarters of the time to compile a kernel.
    """
    if declared and callable(declared[0]):
        return kernel()(declared[0])
    return lambda function: _compiled(function, declared, native, options)


def _compiled(
    function: Callable[..., Any], declared: tuple[str, ...], native: str, options: dict[str, Any]
) -> Any:
    library = tier.library()
    if library is None and tier.compiled():
        from fieldcraft.kernels.compiling import jit

        return jit.compiled(function, declared, native, options)
    if not declared:
        return function
    if library is None:
        # As compiled: numbers overflow, and divisions by zero give infinities, without a warning.
        return np.errstate(all="ignore")(function)
    family = function.__module__.rpartition(".")[2]
    return getattr(library, f"{family}_{function.__name__}")
