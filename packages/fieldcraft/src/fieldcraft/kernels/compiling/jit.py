"""Kernels that Numba compiles on this machine when they are first called, kept in its cache."""

from __future__ import annotations

import contextlib
import functools
import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TextIO

import numba
import numpy as np
from numba.cpython.unsafe import numbers
from numba.extending import intrinsic, overload

from fieldcraft.kernels.compiling import low_level, native
from fieldcraft.kernels.compiling.signatures import Argument, parse

__all__ = ["OPTIONS", "Kernel", "compiled", "type_of"]

OPTIONS: dict[str, Any] = {"nogil": True, "boundscheck": False}
"""The options of every kernel."""
external: Callable[[str], Any] | None = None
"""Makes the call of a C function, while the native library is built."""
_numba: Any = numba
_bits: Any = numbers
_PATIENCE = 0.5  # seconds
_log = logging.getLogger("fieldcraft")
_lock = threading.RLock()


class Kernel:
    """A function that Numba compiles for its declared types when Python first calls it.

    Other kernels that call it compile it for the types that they need.
    """

    def __init__(
        self, function: Callable[..., Any], declared: tuple[str, ...], options: dict[str, Any]
    ) -> None:
        self.py_func = function
        self.declared = declared
        self._options = options
        self._inner = self.dispatcher()
        self._numba_type_ = numba.types.Dispatcher(self._inner)
        self._versions: Any = None

    def __call__(self, *arguments: Any) -> Any:
        """Call the version for these arguments."""
        if self._versions is None:
            self._prepare()
        return self._versions(*arguments)

    def dispatcher(self, **options: Any) -> Any:
        """Return Numba's dispatcher for this function."""
        return numba.njit(**OPTIONS, **self._options, **options)(self.py_func)

    def _prepare(self) -> None:
        """Compile the declared versions, or load them from the cache, in one thread only."""
        line = f"fieldcraft compiles {self.py_func.__name__} for this machine"
        with _lock:
            if self._versions is not None:
                return
            _log.info(line)
            with _shown(line, sys.stderr):
                made = self._cached()
                for text in self.declared:
                    made.compile(tuple(type_of(argument) for argument in parse(text)))
            made.disable_compile()
            self._versions = made

    def _cached(self) -> Any:
        """Return a dispatcher that stores its machine code on disk."""
        folder, before = _folder(), _numba.config.CACHE_DIR
        try:
            _numba.config.CACHE_DIR = folder
            return self.dispatcher(cache=bool(folder))
        finally:
            _numba.config.CACHE_DIR = before


@contextlib.contextmanager
def _shown(line: str, stream: TextIO | None) -> Iterator[None]:
    """Show a line on a terminal while work takes longer than half a second."""
    if stream is None or not stream.isatty():
        yield
        return

    shown = threading.Event()

    def show() -> None:
        print(end=f"{line} ...", file=stream, flush=True)
        shown.set()

    timer = threading.Timer(_PATIENCE, show)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        if shown.is_set():
            print(end="\r\x1b[K", file=stream, flush=True)


@functools.cache
def _folder() -> str:
    """Return the folder of machine code made of these sources, private to the user; "" if there can
    be none.

    The index of Numba covers only the file of a kernel, and would miss a change of what it calls.
    """
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = base / "fieldcraft" / native.sources()
    return str(folder) if native.is_private(folder) else ""


def type_of(argument: Argument) -> Any:
    """Return Numba's type of an argument."""
    if argument.items:
        return numba.types.Tuple([type_of(item) for item in argument.items])
    if not argument.dtype:
        return numba.types.none
    number = numba.from_dtype(np.dtype(argument.dtype))
    if not argument.axes:
        return number
    return numba.types.Array(
        number, argument.axes, "C" if argument.dense else "A", readonly=not argument.written
    )


def compiled(
    function: Callable[..., Any], declared: tuple[str, ...], native: str, options: dict[str, Any]
) -> Any:
    """Return what callers of a kernel call."""
    if declared:
        return Kernel(function, declared, options)
    if native and external:
        return external(native)
    return numba.njit(**OPTIONS, **options)(function)


@intrinsic
def _pointer(typing: Any, address: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    return numba.types.CPointer(numba.types.float32)(numba.types.int64), generate


@overload(low_level.floats_at, strict=False)
def _floats_at(address: Any, count: Any) -> Any:
    return lambda address, count: _numba.carray(_pointer(address), (count,))  # type: ignore[call-arg]


@overload(low_level.bit_length, strict=False)
def _bit_length(x: Any) -> Any:
    return lambda x: 64 - _bits.leading_zeros(np.int64(x))


@overload(low_level.lowest_bit, strict=False)
def _lowest_bit(x: Any) -> Any:
    return lambda x: _bits.trailing_zeros(np.int64(x))
