"""Kernels that Numba compiles on this machine when they are first called, kept in its cache."""

from __future__ import annotations

import contextlib
import functools
import glob
import hashlib
import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

import numba
import numpy as np
from numba.cpython.unsafe import numbers
from numba.extending import intrinsic, overload

from fieldcraft.kernels.compiling import low_level, native
from fieldcraft.kernels.compiling.signatures import Argument, parse
from fieldcraft.kernels.shared.arrays import read_only

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
        self._records: dict[int, list[Argument]] = {}
        for text in declared:
            for index, argument in enumerate(parse(text)):
                if argument.name:
                    self._records.setdefault(index, []).append(argument)

    def __call__(self, *arguments: Any) -> Any:
        """Call the version for these arguments."""
        if self._versions is None:
            self._prepare()
        if self._records:
            arguments = self._with_records(arguments)
        return self._versions(*arguments)

    def types(self, text: str) -> tuple[Any, ...]:
        """Return Numba's types of the arguments of a declared version."""
        known = self.py_func.__globals__
        return tuple(type_of(argument, known) for argument in parse(text))

    def _with_records(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return arguments with records of exactly the declared types: Numba converts the items of
        tuples, but not those of NamedTuples.
        """
        exact = list(arguments)
        for index, versions in self._records.items():
            for declared in versions:
                if _fits(declared, exact[index]):
                    exact[index] = _exact(declared, exact[index], self.py_func.__globals__)
                    break
        return tuple(exact)

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
                files = _StoredFiles(made)
                files.delete_damaged()
                for text in self.declared:
                    made.compile(self.types(text))
                files.write_checksums()
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


class _StoredFiles:
    """The files in which Numba stores the machine code of a kernel, and beside them a file with
    their checksums. Numba loads damaged files without a check.
    """

    def __init__(self, dispatcher: Any) -> None:
        stored = getattr(dispatcher._cache, "_cache_file", None)  # None if nothing is stored
        self._index = None if stored is None else Path(stored._index_path)

    def delete_damaged(self) -> None:
        """Delete all files if one of them differs from its checksum, so that they are made anew."""
        if self._index is None:
            return
        checksums = self._checksums()
        if checksums is None:
            return
        try:
            listed = self._list().read_text()
        except (OSError, ValueError):
            listed = ""
        if listed == checksums:
            return
        if listed:
            lines = set(listed.splitlines())
            differing = [line for line in checksums.splitlines() if line not in lines]
            name = differing[0].partition(" ")[2] if differing else self._index.name
            _log.warning(
                "The stored machine code of a kernel is damaged: %s. It is deleted and compiled"
                " again.",
                self._index.parent / name,
            )
        for path in (self._list(), *self._files()):
            path.unlink(missing_ok=True)

    def write_checksums(self) -> None:
        """Write the checksums of the files, unless they are written."""
        if self._index is None:
            return
        checksums = self._checksums()
        if checksums is None:
            return
        path = self._list()
        with contextlib.suppress(OSError, ValueError):
            if path.exists() and path.read_text() == checksums:
                return
        part = path.with_name(f"{path.name}.{os.getpid()}")
        with contextlib.suppress(OSError):  # without checksums they are made anew next time
            part.write_text(checksums)
            part.replace(path)

    def _list(self) -> Path:
        assert self._index is not None
        return self._index.with_suffix(".sums")

    def _files(self) -> list[Path]:
        assert self._index is not None
        parts = self._index.parent.glob(glob.escape(self._index.stem) + ".*.nbc")
        return [self._index, *sorted(parts)]

    def _checksums(self) -> str | None:
        """Return the checksums and names of all files as lines; None where there are no files."""
        lines = []
        for path in self._files():
            with contextlib.suppress(OSError):
                lines.append(f"{hashlib.sha256(path.read_bytes()).hexdigest()} {path.name}\n")
        return "".join(lines) or None


@contextlib.contextmanager
def _shown(line: str, stream: TextIO | None) -> Iterator[None]:
    """Show a line while work takes longer than half a second; a terminal forgets it afterwards."""
    if stream is None:
        yield
        return

    passing = stream.isatty()
    shown = threading.Event()

    def show() -> None:
        print(end=f"{line} ..." if passing else f"{line} ...\n", file=stream, flush=True)
        shown.set()

    timer = threading.Timer(_PATIENCE, show)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        if passing and shown.is_set():
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


def type_of(argument: Argument, known: Mapping[str, Any]) -> Any:
    """Return Numba's type of an argument; `known` holds the classes of records by their names."""
    if argument.items:
        items = [type_of(item, known) for item in argument.items]
        if argument.name:
            return numba.types.BaseTuple.from_types(items, known[argument.name])
        return numba.types.Tuple(items)
    if not argument.dtype:
        return numba.types.none
    number = numba.from_dtype(np.dtype(argument.dtype))
    if not argument.axes:
        return number
    return numba.types.Array(
        number, argument.axes, "C" if argument.dense else "A", readonly=not argument.written
    )


def _fits(declared: Argument, value: Any) -> bool:
    """Return whether a value can be given a declared type."""
    if declared.items:
        if not isinstance(value, tuple) or len(value) != len(declared.items):
            return False
        return all(_fits(*each) for each in zip(declared.items, value, strict=True))
    if declared.axes:
        return isinstance(value, np.ndarray) and value.dtype == np.dtype(declared.dtype)
    return (value is None) == (not declared.dtype)


def _exact(declared: Argument, value: Any, known: Mapping[str, Any]) -> Any:
    """Return a value that fits with exactly the declared type."""
    if declared.items:
        pairs = zip(declared.items, value, strict=True)
        items = tuple(_exact(item, part, known) for item, part in pairs)
        if declared.name:
            return known[declared.name]._make(items)
        return items
    if declared.axes:
        return value if declared.written else read_only(value)
    if declared.dtype:
        return np.dtype(declared.dtype).type(value)
    return value


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
