"""Kernels compiled by Numba on this machine: the one place that knows Numba's dispatcher.

A kernel with declared argument types is compiled for these and for no others when Python calls it,
so a read-only or strided sister of an array never compiles it again. Its machine code comes from
the store where it lies there.
"""

from __future__ import annotations

import functools
import logging
import pickle
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.core.serialize import dumps

from fieldcraft.kernels import pieces
from fieldcraft.kernels.fingerprint import fingerprint
from fieldcraft.kernels.signatures import Argument, parse
from fieldcraft.kernels.store import Store, home
from fieldcraft.kernels.versions import chooser

__all__ = ["Kernel", "compiled", "store", "versions"]


_Dispatcher: Any = CPUDispatcher
_log = logging.getLogger("fieldcraft")
_LATE = 0.5
_STALL = (
    "fieldcraft is compiling %s for this machine, once for all programs. fc.warm_up(%s) does it"
    " beforehand, fc.warm_up(background=True) behind a loading screen."
)
_settings: Any = numba.config


@functools.cache
def store() -> Store:
    """The folder of compiled kernels of this process."""
    return Store(home())


_SAME = {"nopython", "nogil", "boundscheck"}  # options that all kernels have
_fingerprint = functools.cache(fingerprint)


class _Kept:
    """The cache that Numba asks for, answered by the store."""

    cache_path = ""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    def load_overload(self, signature: Any, context: Any) -> Any:
        context.refresh()
        data = store().read(self.path(signature, context.codegen()))
        if data is None:
            return None
        try:
            parts = pickle.loads(data)
        except (
            pickle.UnpicklingError,
            EOFError,
            AttributeError,
            ImportError,
            IndexError,
            ValueError,
        ):
            return None  # a damaged file is written anew
        return numba.core.compiler.CompileResult._rebuild(context, *parts)

    def save_overload(self, signature: Any, result: Any) -> None:
        if not (pieces.is_loose(result) or result.library.has_dynamic_globals or result.lifted):
            store().write(self.path(signature, result.codegen), dumps(result._reduce()))

    def flush(self) -> None:
        pass

    def path(self, signature: Any, codegen: Any) -> Path:
        """The file of a version for a processor."""
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


class Kernel(_Dispatcher):  # type: ignore[misc]
    """A function that Numba compiles, kept in the store.

    With declared types, Python's calls are answered by the versions for these; other kernels that
    call it may have it in others. `overloads` are the versions that other kernels are compiled
    with; those that answer Python have machine code. `parts` are the versions that answer Python,
    each a kernel of its own where there are several, with its `number` among them.
    """

    def __init__(
        self,
        py_func: Callable[..., Any],
        locals: Any = None,
        targetoptions: Any = None,
        pipeline_class: Any = None,
        declared: tuple[str, ...] = (),
        number: int = 0,
    ) -> None:
        super().__init__(
            py_func, locals, targetoptions, *(() if pipeline_class is None else (pipeline_class,))
        )
        self._cache = _Kept(self)
        self.declared = declared
        self.number = number
        self._answers: list[Any] = []
        self._is_ready = False
        self.parts: tuple[Kernel, ...] = (self,) if declared else ()

    @property
    def fingerprint(self) -> str:
        """The hash of all that this kernel is made of."""
        return _fingerprint(
            self.py_func,
            tuple(sorted(each for each in self.targetoptions.items() if each[0] not in _SAME)),
        )

    def prepare(self) -> None:
        """Compile the declared versions, or load them."""
        with global_compiler_lock:
            if self._is_ready:
                return
            family = self.py_func.__module__.rpartition(".")[2]
            late = threading.Timer(_LATE, _log.info, (_STALL, family, repr(family)))
            late.daemon = True
            if not self.is_stored():
                late.start()
            try:
                for types in versions(self):
                    self._answer(types)
            finally:
                late.cancel()
            self._is_ready = True
            self.disable_compile()

    def _answer(self, types: tuple[Any, ...]) -> None:
        """Let Python's calls with arguments of these types be answered."""
        self._compilation_chain_init_hook()
        with pieces.loose(self.targetctx):
            self.compile(types)
        result = self.overloads[types]
        if pieces.is_loose(result):
            result = pieces.bound(result)
            self._cache.save_overload(types, result)
        self._insert([each._code for each in types], result.entry_point, result.objectmode)
        self._answers.append(result)  # Numba's table of them keeps nothing alive

    def is_stored(self) -> bool:
        """Whether all declared versions lie in the store."""
        with global_compiler_lock:  # another thread may be loading kernels
            self.targetctx.refresh()
            codegen = self.targetctx.codegen()
            return self._is_ready or all(
                self._cache.path(types, codegen).exists() for types in versions(self)
            )

    def add_overload(self, result: Any) -> None:
        """Take in a version that other kernels are compiled with."""
        self.overloads[tuple(result.signature.args)] = result

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """The template that the compiler asks for, for a caller among the kernels."""
        was_open = bool(self._can_compile)  # type: ignore[has-type]
        self._can_compile = True
        try:
            return super().get_call_template(args, kws)
        finally:
            self._can_compile = was_open

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        if self.declared:
            self.prepare()
        else:
            with global_compiler_lock:
                self._answer(tuple(self.typeof_pyval(each) for each in args))
        return self


class Variants(Kernel):
    """A kernel of several versions, each compiled when Python's calls first need it: `parts` are
    its versions.

    Other kernels that call it are compiled with whichever they need, as those of any kernel.
    """

    def __init__(
        self, py_func: Callable[..., Any], targetoptions: dict[str, Any], declared: tuple[str, ...]
    ) -> None:
        super().__init__(py_func, targetoptions=targetoptions, declared=declared)
        self.parts = tuple(
            Kernel(py_func, targetoptions=targetoptions, declared=(text,), number=number)
            for number, text in enumerate(declared)
        )
        for part in self.parts:
            part.overloads = self.overloads
        self._version = chooser([parse(text) for text in declared], self.parts)

    def __call__(self, *arguments: Any) -> Any:
        """Call the version for these arguments."""
        version = self._version(arguments)
        if version is None:
            raise TypeError(
                f"{self.py_func.__name__} has no version for arguments of types"
                f" {[type(each).__name__ for each in arguments]}"
            )
        return version(*arguments)

    def prepare(self) -> None:
        """Compile the declared versions, or load them."""
        for part in self.parts:
            part.prepare()

    def is_stored(self) -> bool:
        """Whether all declared versions lie in the store."""
        return all(part.is_stored() for part in self.parts)


def compiled(
    function: Callable[..., Any], declared: tuple[str, ...], options: dict[str, Any]
) -> Any:
    """The kernel of a plain function, with Numba's options."""
    if _settings.DISABLE_JIT:
        return function
    settings = {"nopython": True, "nogil": True, "boundscheck": None, **options}
    if len(declared) > 1:
        return Variants(function, settings, declared)
    return Kernel(function, targetoptions=settings, declared=declared)


def versions(kernel: Kernel) -> list[tuple[Any, ...]]:
    """Numba's types of the arguments of each declared version."""
    return [tuple(_type(argument) for argument in parse(text)) for text in kernel.declared]


def _type(argument: Argument) -> Any:
    if argument.items:
        return numba.types.Tuple([_type(item) for item in argument.items])
    if not argument.dtype:
        return numba.types.none
    number = numba.from_dtype(np.dtype(argument.dtype))
    if not argument.axes:
        return number
    return numba.types.Array(
        number, argument.axes, "C" if argument.dense else "A", readonly=not argument.written
    )
