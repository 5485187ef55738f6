"""Kernels compiled by Numba on this machine: the one place that knows Numba's dispatcher.

A kernel with declared argument types is compiled for these and for no others when Python calls it, so a read-only or
strided sister of an array never compiles it again. Its machine code comes from the store where it lies there.
"""

from __future__ import annotations

import functools
import pickle
import sys
from collections.abc import Callable
from typing import Any

import numba
from numba.core.registry import CPUDispatcher
from numba.core.serialize import dumps

from fieldcraft.kernels.fingerprint import fingerprint
from fieldcraft.kernels.store import Store, home

__all__ = ["Kernel", "compiled", "store"]


@functools.cache
def store() -> Store:
    """The folder of compiled kernels of this process."""
    return Store(home())


class _Kept:
    """What Numba asks of a cache, answered by the store."""

    cache_path = ""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    def load_overload(self, signature: Any, context: Any) -> Any:
        context.refresh()
        data = store().read(self._path(signature, context.codegen()))
        if data is None:
            return None
        try:
            parts = pickle.loads(data)
        except (pickle.UnpicklingError, EOFError, AttributeError, ImportError, IndexError, ValueError):
            return None  # a damaged file is written anew
        return numba.core.compiler.CompileResult._rebuild(context, *parts)

    def save_overload(self, signature: Any, result: Any) -> None:
        if not result.library.has_dynamic_globals and not result.lifted:
            store().write(self._path(signature, result.codegen), dumps(result._reduce()))

    def flush(self) -> None:
        pass

    def _path(self, signature: Any, codegen: Any) -> Any:
        function = self._kernel.py_func
        family = function.__module__.rpartition(".")[2]
        made_of = (
            self._kernel.fingerprint,
            str(signature),
            codegen.magic_tuple(),
            numba.__version__,
            sys.implementation.cache_tag,
        )
        return store().path(f"{family}.{function.__name__}", made_of)


class Kernel(CPUDispatcher):
    """A function that Numba compiles, kept in the store."""

    def __init__(self, py_func: Callable[..., Any], locals: Any = None, targetoptions: Any = None, pipeline_class: Any = None) -> None:
        super().__init__(py_func, locals, targetoptions, *(() if pipeline_class is None else (pipeline_class,)))
        self._cache = _Kept(self)

    @functools.cached_property
    def fingerprint(self) -> str:
        """The hash of all that this kernel is made of."""
        return fingerprint(self.py_func)


def compiled(function: Callable[..., Any], options: dict[str, Any]) -> Kernel:
    """The kernel of a plain function, with Numba's options."""
    return Kernel(function, targetoptions={"nopython": True, "nogil": True, "boundscheck": None, **options})
