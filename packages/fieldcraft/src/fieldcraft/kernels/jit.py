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

from fieldcraft.kernels import native
from fieldcraft.kernels.signatures import Argument, parse

__all__ = ["OPTIONS", "Kernel", "compiled", "type_of"]

OPTIONS: dict[str, Any] = {"nogil": True, "boundscheck": False}
"""The options of every kernel."""
external: Callable[[str], Any] | None = None
"""Makes the call of a C function, while the native library is built."""
_settings: Any = numba.config
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
        self._answer: Any = None

    def dispatcher(self, **options: Any) -> Any:
        """Return Numba's dispatcher for this function."""
        return numba.njit(**OPTIONS, **self._options, **options)(self.py_func)

    @property
    def is_ready(self) -> bool:
        """Whether the declared versions are compiled, or loaded from the cache."""
        return self._answer is not None

    def prepare(self) -> None:
        """Compile the declared versions, or load them from the cache."""
        with _lock:
            if self._answer is None:
                line = f"fieldcraft compiles {self.py_func.__name__} for this machine"
                _log.info(line)
                made = self._cached()
                with _shown(line, sys.stderr):
                    for text in self.declared:
                        made.compile(tuple(type_of(argument) for argument in parse(text)))
                made.disable_compile()
                self._answer = made

    def _cached(self) -> Any:
        """Return a dispatcher that stores its machine code on disk."""
        folder, before = _folder(), _settings.CACHE_DIR
        try:
            _settings.CACHE_DIR = folder
            return self.dispatcher(cache=bool(folder))
        finally:
            _settings.CACHE_DIR = before

    def __call__(self, *arguments: Any) -> Any:
        """Call the version for these arguments."""
        if self._answer is None:
            self.prepare()
        return self._answer(*arguments)


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
    timer.daemon = True
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


def compiled(function: Callable[..., Any], native: str = "", **options: Any) -> Any:
    """Return what other kernels call for a function that declares no types."""
    return external(native) if native and external else numba.njit(**OPTIONS, **options)(function)
