"""States as bytes and back, without running code.

Serialized are: None, bool, int, float, str, tuples, dicts with string keys, NumPy arrays of
numbers, `numpy.random.Generator`, spaces, and the frozen dataclasses that both sides list. Reading
calls no code but the constructors of these dataclasses, which check their fields.

Every value begins with a letter for its kind; lengths are 8 bytes, integers and floats big-endian,
arrays little-endian in C order, the keys of dicts sorted. So equal values have equal bytes, and
`digest` distinguishes states.
"""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import BadSaveFile, FieldcraftError, InvalidValue
from fieldcraft.space.saves import NAMES, from_parts, to_parts

__all__ = ["digest", "from_bytes", "to_bytes"]

_LENGTH = struct.Struct(">Q")
_FLOAT = struct.Struct(">d")
_DEEPEST = 40
_MOST_POSITION = 624  # of MT19937, in words
_ARRAYS = ("|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8")
_GENERATORS = {
    kind.__name__: kind
    for kind in (
        np.random.PCG64,
        np.random.PCG64DXSM,
        np.random.MT19937,
        np.random.Philox,
        np.random.SFC64,
    )
}

_SPACES = {"grid": b"G", "graph": b"H", "hexes": b"X"}
"""The letters of kinds of space."""
_SPACES_BY_LETTER = {letter: name for name, letter in _SPACES.items()}
_CONTENTS = (FieldcraftError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""The errors of constructors for contents that don't fit together."""
_CONSTANTS = {b"N": None, b"T": True, b"F": False}


def to_bytes(value: Any, kinds: Iterable[type] = ()) -> bytes:
    """Return a value as bytes.

    Parameters
    ----------
    value : object
        Of a dataclass the fields that its constructor takes are stored; others must follow from
        these.
    kinds : iterable of type, optional
        The dataclasses that may occur in the value.

    Raises
    ------
    InvalidValue
        For anything that cannot be stored, with its place in the value.
    """
    parts: list[bytes] = []
    _Writer(_named(kinds), parts.append).write_value(value, "value", 0)
    return b"".join(parts)


def digest(value: Any, kinds: Iterable[type] = ()) -> str:
    """Return the SHA-256 of `to_bytes(value, kinds)`, in hexadecimal."""
    state = hashlib.sha256()
    _Writer(_named(kinds), state.update).write_value(value, "value", 0)
    return state.hexdigest()


def from_bytes(data: bytes, kinds: Iterable[type] = ()) -> Any:
    """Return the value of bytes that `to_bytes` returned with the same `kinds`; its arrays are
    read-only.

    Raises
    ------
    BadSaveFile
        For other bytes.
    """
    rule, remedy = "A serialized state is bytes", "Pass what to_bytes() returned"
    checks.instance(data, (bytes, bytearray, memoryview), rule, remedy)
    reader = _Reader(data, _named(kinds))
    try:
        value = reader.value(0)
    except BadSaveFile:
        raise
    except _CONTENTS as error:
        raise _damaged(f"contents that don't fit together ({error})") from error
    if reader.at != len(data):
        raise _damaged(f"{len(data) - reader.at} bytes too many")
    return value


def _named(kinds: Iterable[type]) -> dict[str, type]:
    """Return dataclasses by their names."""
    named: dict[str, type] = {}
    for kind in checks.sequence("kinds", kinds):
        is_known = isinstance(kind, type) and is_dataclass(kind)
        if not is_known or named.setdefault(kind.__name__, kind) is not kind:
            raise InvalidValue(
                "The kinds of a state are dataclasses of different names",
                got=getattr(kind, "__name__", repr(kind)),
                remedy="Pass each dataclass once, and rename duplicates",
            )
    return named


class _Writer:
    def __init__(self, kinds: dict[str, type], write: Callable[[bytes], object]) -> None:
        self._kinds = kinds
        self._write = write

    def write_value(self, value: Any, where: str, depth: int) -> None:
        if depth > _DEEPEST:
            raise InvalidValue(
                f"States are at most {_DEEPEST} deep", got=where, remedy="Flatten it into arrays"
            )
        write, kind = self._write, type(value)
        if value is None:
            write(b"N")
        elif kind is bool:
            write(b"T" if value else b"F")
        elif kind is int:
            self._sized(b"I", value.to_bytes(value.bit_length() // 8 + 1, "big", signed=True))
        elif kind is float:
            write(b"D" + _FLOAT.pack(value))
        elif kind is str:
            self._text(b"S", value, where)
        elif kind is tuple:
            write(b"U" + _LENGTH.pack(len(value)))
            for i, item in enumerate(value):
                self.write_value(item, f"{where}[{i}]", depth + 1)
        elif kind is dict:
            self._pairs(b"M", value, where, depth)
        elif kind is np.ndarray:
            self._array(value, where)
        elif kind is np.random.Generator:
            self._generator(value, where, depth)
        elif kind in NAMES:
            name, parts = to_parts(value)
            self._pairs(_SPACES[name], parts, where, depth)
        elif self._kinds.get(kind.__name__) is kind:
            self._text(b"K", kind.__name__, where)
            pairs = {each.name: getattr(value, each.name) for each in fields(value) if each.init}
            self._pairs(b"M", pairs, where, depth)
        else:
            raise InvalidValue(
                "States and orders are made of plain data",
                got=f"{kind.__name__} at {where}",
                remedy="Use int(), float(), tuples, arrays, or a frozen dataclass listed in kinds",
            )

    def _sized(self, letter: bytes, data: bytes) -> None:
        self._write(letter + _LENGTH.pack(len(data)) + data)

    def _text(self, letter: bytes, text: str, where: str) -> None:
        try:
            self._sized(letter, text.encode())
        except UnicodeEncodeError:
            raise InvalidValue(
                "Strings are Unicode text",
                got=f"{text!r} at {where}",
                remedy="Drop lone surrogates",
            ) from None

    def _pairs(self, letter: bytes, pairs: dict[str, Any], where: str, depth: int) -> None:
        self._write(letter + _LENGTH.pack(len(pairs)))
        if not all(type(key) is str for key in pairs):
            raise InvalidValue(
                "The keys of a dict are strings",
                got=f"{next(iter(pairs))!r} at {where}",
                remedy="Use str(key), or arrays",
            )
        for key in sorted(pairs):
            self._text(b"S", key, where)
            self.write_value(pairs[key], f"{where}.{key}", depth + 1)

    def _array(self, array: NDArray[Any], where: str) -> None:
        little = array.dtype.newbyteorder("<").str
        if little not in _ARRAYS:
            raise InvalidValue(
                "Arrays hold bools, whole numbers or floats of at most 64 bits",
                got=f"dtype {array.dtype} at {where}",
                remedy="Convert it with astype",
            )
        self._sized(b"A", little.encode())
        self._write(b"".join(map(_LENGTH.pack, (array.ndim, *array.shape))))
        self._write(np.ascontiguousarray(array, dtype=little).tobytes())

    def _generator(self, rng: np.random.Generator, where: str, depth: int) -> None:
        name = type(rng.bit_generator).__name__
        if name not in _GENERATORS:
            raise InvalidValue(
                "A random generator is one of NumPy's",
                got=f"{name} at {where}",
                remedy="Use np.random.default_rng(seed)",
            )
        self._write(b"R")
        self.write_value(rng.bit_generator.state, where, depth + 1)


class _Reader:
    def __init__(self, data: bytes, kinds: dict[str, type]) -> None:
        self.at = 0
        self._data = data
        self._kinds = kinds

    def value(self, depth: int) -> Any:
        if depth > _DEEPEST:
            raise _damaged(f"more than {_DEEPEST} levels")
        letter = self._next(1)
        if letter in _CONSTANTS:
            return _CONSTANTS[letter]
        if letter == b"I":
            return int.from_bytes(self._sized(), "big", signed=True)
        if letter == b"D":
            return _FLOAT.unpack(self._next(8))[0]
        if letter == b"S":
            return self._sized().decode()
        if letter == b"U":
            return tuple([self.value(depth + 1) for _ in range(self._length())])
        if letter == b"M":
            return self._pairs(depth)
        if letter == b"A":
            return self._array()
        if letter == b"R":
            return _generator_in(self.value(depth + 1))
        if letter in _SPACES_BY_LETTER:
            return from_parts(_SPACES_BY_LETTER[letter], self._pairs(depth))
        if letter == b"K":
            name = self._sized().decode()
            if name not in self._kinds or self._next(1) != b"M":
                raise _damaged(f"an object of the kind {name!r}, which is not known here")
            return self._kinds[name](**self._pairs(depth))
        raise _damaged(f"a value of kind {letter!r}")

    def _next(self, count: int) -> bytes:
        if count > len(self._data) - self.at:
            raise _damaged("a premature end")
        self.at += count
        return self._data[self.at - count : self.at]

    def _length(self) -> int:
        count: int = _LENGTH.unpack(self._next(8))[0]
        if count > len(self._data):
            raise _damaged(f"a length of {count}")
        return count

    def _sized(self) -> bytes:
        return self._next(self._length())

    def _pairs(self, depth: int) -> dict[str, Any]:
        pairs: dict[str, Any] = {}
        for _ in range(self._length()):
            key = self.value(depth + 1)
            if not isinstance(key, str):
                raise _damaged(f"a key {key!r}")
            pairs[key] = self.value(depth + 1)
        return pairs

    def _array(self) -> NDArray[Any]:
        name, dimensions = self._sized().decode(), self._length()
        if name not in _ARRAYS or dimensions > 32:
            raise _damaged(f"an array of {name!r} with {dimensions} dimensions")
        shape = [_LENGTH.unpack(self._next(8))[0] for _ in range(dimensions)]
        dtype = np.dtype(name)
        data = self._next(math.prod(shape) * dtype.itemsize)
        if name == "|b1" and data.strip(b"\0\1"):
            raise _damaged("bools that are neither")
        return np.frombuffer(data, dtype=dtype).reshape(shape)


def _damaged(got: str) -> BadSaveFile:
    return BadSaveFile(
        "A serialized state is complete, and of this game",
        got=got,
        remedy="Use another copy of it",
    )


def _generator_in(state: dict[str, Any]) -> np.random.Generator:
    bits: Any = _GENERATORS[state["bit_generator"]]()
    if not _is_alike(state, bits.state):
        raise _damaged("the state of a random generator of another form")
    # NumPy accepts any position, and reads memory that is not its own for one beyond the buffer.
    if not state["state"].get("pos", 0) <= _MOST_POSITION or not state.get("buffer_pos", 0) <= 4:
        raise _damaged("a random generator with a position beyond its buffer")
    bits.state = state
    return np.random.Generator(bits)


def _is_alike(value: Any, model: Any) -> bool:
    """Return whether a generator's state has the keys, types and shapes of another one's."""
    if type(value) is not type(model):
        return False
    if isinstance(model, dict):
        return value.keys() == model.keys() and all(
            _is_alike(value[name], part) for name, part in model.items()
        )
    if isinstance(model, np.ndarray):
        return bool(value.dtype == model.dtype and value.shape == model.shape)
    return not isinstance(model, int) or 0 <= value < 1 << 128
