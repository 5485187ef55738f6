"""The fingerprint of a compiled kernel: one hash of its own code, the code of all it calls, and the
constants they read.

Line numbers, file names, docstrings and comments are no part of it: a folder of compiled kernels
serves every clone, and an edited callee counts as an edit of all its callers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

__all__ = ["fingerprint"]


def fingerprint(function: Callable[..., Any], options: tuple[tuple[str, Any], ...] = ()) -> str:
    """The hash of a function's code, of its options and of everything of ours that it reads, as
    hexadecimal digits.
    """
    digest = hashlib.sha256()
    told = [f"options {options!r}"] if options else []
    for piece in (*told, *_function(function, {})):
        digest.update(piece.encode())
        digest.update(b"\0")
    return digest.hexdigest()


def _function(function: Any, seen: dict[int, int]) -> Iterator[str]:
    if id(function) in seen:
        yield f"again {seen[id(function)]}"
        return
    seen[id(function)] = len(seen)
    yield f"function {function.__name__} {function.__defaults__!r} {function.__kwdefaults__!r}"
    yield from _code(function.__code__, has_docstring=function.__doc__ is not None)
    for name in sorted(set(_names(function.__code__))):
        if name in function.__globals__:
            yield f"global {name}"
            yield from _value(function.__globals__[name], function.__code__, seen)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield f"cell {name}"
        yield from _value(cell.cell_contents, function.__code__, seen)


def _code(code: CodeType, has_docstring: bool = False) -> Iterator[str]:
    yield (
        f"code {code.co_code.hex()} {code.co_names} {code.co_varnames} {code.co_freevars}"
        f" {code.co_cellvars} {code.co_argcount}"
    )
    for constant in code.co_consts[1 if has_docstring else 0 :]:
        if isinstance(constant, CodeType):
            yield from _code(constant)
        else:
            yield f"{type(constant).__name__} {constant!r}"


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _value(value: Any, code: CodeType, seen: dict[int, int]) -> Iterator[str]:
    plain = getattr(value, "py_func", None) or getattr(value, "_defn", None)
    if plain is not None:  # a kernel or an intrinsic of Numba's
        yield (
            f"kernel {sorted((k, repr(v)) for k, v in getattr(value, 'targetoptions', {}).items())}"
        )
        yield from _function(plain, seen)
    elif isinstance(value, FunctionType) and value.__module__.startswith("fieldcraft"):
        yield from _function(value, seen)
    elif isinstance(value, ModuleType) and value.__name__.startswith("fieldcraft"):
        for name in sorted(set(_names(code))):
            if hasattr(value, name):
                yield f"{value.__name__}.{name}"
                yield from _value(getattr(value, name), code, seen)
    elif isinstance(value, np.ndarray):
        yield f"array {value.dtype.str} {value.shape} {value.tobytes().hex()}"
    elif isinstance(value, tuple):
        yield f"{type(value).__name__} of {len(value)}"
        for item in value:
            yield from _value(item, code, seen)
    elif isinstance(value, type):
        yield f"class {value.__module__}.{value.__qualname__} {getattr(value, '_fields', ())}"
    elif isinstance(value, (bool, int, float, complex, str, bytes, np.generic, type(None))):
        yield f"{type(value).__name__} {value!r}"
    else:
        yield (
            f"{type(value).__module__}.{type(value).__qualname__} {getattr(value, '__name__', '')}"
        )
