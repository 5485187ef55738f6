"""Kernels as one piece of machine code each: what a kernel calls becomes machine code inside of it,
and nowhere else.

Numba optimizes each function that a kernel calls as a whole and makes machine code of it, with
entries for Python and C, and then once more inside of the caller. Within `loose` a function is
typed, translated and tidied up only, each of its own; `bound` makes the one
kernel that Python calls of it and of all that it calls, and optimizes that: code that is as fast,
in less time, but for what kernels of a few files call, which is optimized as a whole before. Code
of users that shares Numba's functions with ours is served as by Numba.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import weakref
from collections.abc import Iterator
from typing import Any

from numba.core import codegen
from numba.core.environment import lookup_environment

from fieldcraft.kernels.calls import remembered

__all__ = ["bound", "is_loose", "let_enter", "loose"]

_make_function: Any = importlib.import_module("numba._dynfunc").make_function
_Library: Any = codegen.JITCodeLibrary
_INSTEAD = ("create_cpython_wrapper", "create_cfunc_wrapper", "get_executable")
_ENVIRONMENT = "_ZN08NumbaEnv"
_TWICE = {f"fieldcraft.kernels.{name}" for name in ("flow", "moves", "peaks", "trail")}
"""The files of functions that are optimized before their callers, too, which are 4 to 11 % slower
otherwise.
"""
_open: weakref.WeakSet[Any] = weakref.WeakSet()


class _Piece(_Library):  # type: ignore[misc]
    """Code that waits for its callers. Numba's own library, were it not for what `finalize` leaves
    out.
    """

    is_bound = is_optimized = False

    def _optimize_final_module(self) -> None:
        if self.is_bound or self.is_optimized:
            super()._optimize_final_module()

    def _finalize_final_module(self) -> None:
        if self.is_bound:
            super()._finalize_final_module()
        else:
            self._finalize_dynamic_globals()
            self._finalized = True

    def _get_module_for_linking(self) -> Any:
        self._ensure_finalized()
        if not self.is_bound and self._codegen not in _open:  # a caller that is none of ours
            self.is_bound = True
            self._optimize_final_module()
            self._finalize_final_module()
            _set_environments(self)
        return super()._get_module_for_linking()

    def _set_compiled_object(self, value: bytes) -> None:
        self.is_bound = True  # it comes from the store
        super()._set_compiled_object(value)

    def get_pointer_to_function(self, name: str) -> Any:
        return super().get_pointer_to_function(name) if self.is_bound else 0


@contextlib.contextmanager
def loose(context: Any) -> Iterator[None]:
    """Within, what is compiled gets no machine code and no entries. The compiler's lock is held by
    the caller.
    """
    collects = gc.isenabled()
    executable = context.get_executable

    def get_executable(library: Any, description: Any, environment: Any) -> Any:
        if not isinstance(library, _Piece) or library.is_bound:
            return executable(library, description, environment)
        library.is_optimized = description.modname in _TWICE
        name = description.qualname.rpartition(".")[2]
        return _make_function(description.lookup_module(), name, "", 0, environment, (library,))

    def nothing(*arguments: Any, **options: Any) -> None:
        pass

    vars(context).update(zip(_INSTEAD, (nothing, nothing, get_executable), strict=True))
    gc.disable()  # a tenth of the time went into looking for circles
    try:
        with _pieces(context.codegen()), remembered():
            yield
    finally:
        if collects:
            gc.enable()
        for name in _INSTEAD:
            delattr(context, name)


def is_loose(result: Any) -> bool:
    """Whether the result of a compilation has no machine code."""
    return isinstance(result.library, _Piece) and not result.library.is_bound


def bound(result: Any) -> Any:
    """The result of a loose compilation with machine code and an entry for Python."""
    of, context = result.fndesc, result.target_context
    let_enter(context)
    with _pieces(context.codegen()):
        library = context.codegen().create_library(result.library.name)
        library.enable_object_caching()
        library.is_bound = True
        context.create_cpython_wrapper(
            library, of, result.environment, result.call_helper, release_gil=True
        )
        library.add_linking_library(result.library)
        library.finalize()
    entry = context.get_executable(library, of, result.environment)
    _set_environments(library)
    return result._replace(library=library, entry_point=entry)


def let_enter(context: Any) -> None:
    """Let a context that was copied within `loose` make entries again."""
    for name in _INSTEAD:
        vars(context).pop(name, None)


@contextlib.contextmanager
def _pieces(generator: Any) -> Iterator[None]:
    """Within, code is kept in pieces."""
    generator._library_class = _Piece
    _open.add(generator)
    try:
        yield
    finally:
        _open.discard(generator)
        del generator._library_class


def _set_environments(library: Any) -> None:
    """Let the code of a library find the constants of all functions in it."""
    for variable in library._final_module.global_variables:
        if variable.name.startswith(_ENVIRONMENT):
            environment = lookup_environment(variable.name)
            if environment is not None:
                library.codegen.set_env(variable.name, environment)
