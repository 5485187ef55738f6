"""States as bytes and back, without running code.

Serialized are: None, bool, int, float, str, tuples, dicts with string keys, NumPy arrays of
numbers, `numpy.random.Generator`, spaces, and the frozen dataclasses that both sides list. Reading
calls no code but the constructors of these dataclasses, which check their fields.

Every value begins with a letter for its kind; lengths are 8 bytes, integers and floats big-endian,
arrays little-endian in C order, the keys of dicts sorted. So equal values have equal bytes, and
`digest` distinguishes states.

Bytes of strangers are bounded while they are read: the memory of all values together, counted
before each value is made; the levels; the digits of a number; and the keys of dicts, which are
compared with the known ones before their values are read.
"""

from __future__ import annotations

import hashlib
import math
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import BadSaveFile, FieldcraftError, InvalidValue
from fieldcraft.space.space_saves import KEYS, NAMES, Keys, restored, state_of

__all__ = [
    "MOST_BYTES",
    "Keys",
    "digest",
    "from_bytes",
    "from_compressed",
    "from_pieces",
    "to_bytes",
]

MOST_BYTES = 1 << 30
"""The memory that the values of a state may take, if the reader sets no other bound."""

_LENGTH = struct.Struct(">Q")
_FLOAT = struct.Struct(">d")
_DEEPEST = 40
_PIECE = 1 << 16  # bytes that are decompressed at once
_LONGEST_NUMBER = 1024  # bytes of a whole number: fewer digits than Python prints
_WIDEST_LETTER = 4  # bytes of a letter in memory, where it is one byte in a file

# What values count against the bound of memory beside their contents. Small values take more time
# than memory, so that they count more than they take: a state of the default bound is read within
# seconds, whatever it is made of.
_VALUE_COUNTS = 256
_CONTAINER_COUNTS = 512
_ARRAY_COUNTS = 4096
_OBJECT_COUNTS = 2048
_GENERATOR_COUNTS = 1 << 15
_SPACE_COUNTS = 1 << 16
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


def from_bytes(
    data: bytes,
    kinds: Iterable[type] = (),
    *,
    keys: Keys | None = None,
    most_bytes: int = MOST_BYTES,
) -> Any:
    """Return the value of bytes that `to_bytes` returned with the same `kinds`; its arrays are
    read-only.

    Parameters
    ----------
    data : bytes
        What `to_bytes` returned.
    kinds : iterable of type, optional
        The dataclasses that may occur in the value.
    keys : mapping, optional
        The known keys of the value, if it is a dict or a tuple of dicts, each with the known keys
        within it, or None for any. Others are refused before their values are read.
    most_bytes : int, optional
        The memory that the values may take. Each counts at least 256 bytes.

    Raises
    ------
    BadSaveFile
        For other bytes.
    """
    rule = "A serialized state is bytes"
    remedy = "Pass what to_bytes() returned"
    checks.instance(data, (bytes, bytearray, memoryview), rule, remedy)
    return from_pieces([bytes(data)], len(data), kinds, keys=keys, most_bytes=most_bytes)


def from_pieces(
    pieces: Iterable[bytes],
    size: int,
    kinds: Iterable[type] = (),
    *,
    keys: Keys | None = None,
    most_bytes: int = MOST_BYTES,
) -> Any:
    """Return the value of bytes that come in pieces, `size` bytes in all, as `from_bytes` does.

    A piece is requested when it is needed, so that a state which is refused is not unpacked whole.
    """
    reader = _Reader(iter(pieces), size, _named(kinds), most_bytes)
    try:
        value = reader.value(0, keys)
    except BadSaveFile:
        raise
    except _CONTENTS as error:
        raise _damaged(f"contents that don't fit together ({error})") from error
    if reader.left:
        raise _damaged(f"{reader.left} bytes too many")
    return value


def from_compressed(
    data: bytes,
    size: int,
    kinds: Iterable[type] = (),
    *,
    keys: Keys | None = None,
    most_bytes: int = MOST_BYTES,
) -> Any:
    """Return the value of bytes that zlib compressed, `size` bytes without compression, as
    `from_bytes` does. They are decompressed in pieces, and no farther than they are read.
    """
    if size > most_bytes:
        raise _too_large(most_bytes, f"{size:,} bytes")
    pieces = _decompressed(data)
    try:
        value = from_pieces(pieces, size, kinds, keys=keys, most_bytes=most_bytes)
        if next(pieces, b""):
            raise _damaged(f"more than the {size} bytes that it states")
    except zlib.error as error:
        raise _damaged(f"contents that cannot be unpacked ({error})") from error
    return value


def _decompressed(data: bytes) -> Iterator[bytes]:
    """Yield what zlib compressed in small pieces."""
    unpacking = zlib.decompressobj()
    while not unpacking.eof:
        piece = unpacking.decompress(data, _PIECE)
        data = unpacking.unconsumed_tail
        if not piece and not data:
            return
        if piece:
            yield piece


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
        write = self._write
        kind = type(value)
        if value is None:
            write(b"N")
        elif kind is bool:
            write(b"T" if value else b"F")
        elif kind is int:
            self._integer(value, where)
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
            name, parts = state_of(value)
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

    def _integer(self, value: int, where: str) -> None:
        length = value.bit_length() // 8 + 1
        if length > _LONGEST_NUMBER:
            raise InvalidValue(
                f"A whole number in a state has at most {_LONGEST_NUMBER} bytes",
                got=f"{length} bytes at {where}",
                remedy="Use an array",
            )
        self._sized(b"I", value.to_bytes(length, "big", signed=True))

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
    """Reads one value out of pieces of bytes; `left` is the number of bytes that are not read."""

    def __init__(
        self, pieces: Iterator[bytes], size: int, kinds: dict[str, type], most_bytes: int
    ) -> None:
        self.left = size
        self._size = size
        self._pieces = pieces
        self._piece = b""
        self._at = 0
        self._kinds = kinds
        self._most_bytes = most_bytes
        self._counted = 0

    def value(self, depth: int, keys: Keys | None) -> Any:
        """Return the next value; `keys` are the known keys of dicts in it."""
        if depth > _DEEPEST:
            raise _damaged(f"more than {_DEEPEST} levels")
        self._count(_VALUE_COUNTS)
        letter = self._next(1)
        if letter in _CONSTANTS:
            return _CONSTANTS[letter]
        if letter == b"I":
            return self._integer()
        if letter == b"D":
            return _FLOAT.unpack(self._next(8))[0]
        if letter == b"S":
            return self._text()
        if letter == b"U":
            self._count(_CONTAINER_COUNTS)
            return tuple([self.value(depth + 1, keys) for _ in range(self._length())])
        if letter == b"M":
            return self._pairs(depth, keys)
        if letter == b"A":
            return self._array()
        if letter == b"R":
            self._count(_GENERATOR_COUNTS)
            return _generator_in(self.value(depth + 1, None))
        if letter in _SPACES_BY_LETTER:
            self._count(_SPACE_COUNTS)
            name = _SPACES_BY_LETTER[letter]
            return restored(name, self._pairs(depth, KEYS[name]))
        if letter == b"K":
            return self._object(depth)
        raise _damaged(f"a value of kind {letter!r}")

    def _count(self, size: int) -> None:
        """Count memory against the bound before it is taken."""
        self._counted += size
        if self._counted > self._most_bytes:
            raise _too_large(self._most_bytes, "more")

    def _next(self, count: int) -> Any:
        """Return the next bytes, as `bytes` or, where they are many, as a `bytearray`."""
        if count > self.left:
            raise _damaged("a premature end")
        self.left -= count
        end = self._at + count
        if end > len(self._piece):
            return self._joined(count)
        found = self._piece[self._at : end]
        self._at = end
        return found

    def _joined(self, count: int) -> bytes | bytearray:
        """Return bytes that reach into the next pieces."""
        joined = bytearray(self._piece[self._at :])
        while len(joined) < count:
            piece = next(self._pieces, b"")
            if not piece:
                raise _damaged("a premature end")
            missing = count - len(joined)
            joined += piece[:missing]
            self._piece = piece
            self._at = min(missing, len(piece))
        if count <= _LONGEST_NUMBER:
            return bytes(joined)
        return joined

    def _length(self) -> int:
        count: int = _LENGTH.unpack(self._next(8))[0]
        if count > self._size:
            raise _damaged(f"a length of {count}")
        return count

    def _integer(self) -> int:
        length = self._length()
        if length > _LONGEST_NUMBER:
            raise _damaged(f"a whole number of {length} bytes")
        return int.from_bytes(self._next(length), "big", signed=True)

    def _text(self) -> str:
        length = self._length()
        self._count(length * _WIDEST_LETTER)
        text: str = self._next(length).decode()
        return text

    def _pairs(self, depth: int, keys: Keys | None) -> dict[str, Any]:
        self._count(_CONTAINER_COUNTS)
        pairs: dict[str, Any] = {}
        last = None
        for _ in range(self._length()):
            key = self._key()
            if last is not None and key <= last:
                raise _damaged(f"the key {key[:40]!r} out of order")
            if keys is not None and key not in keys:
                raise _damaged(f"an unknown key {key[:40]!r}")
            last = key
            pairs[key] = self.value(depth + 1, None if keys is None else keys[key])
        return pairs

    def _key(self) -> str:
        self._count(_VALUE_COUNTS)
        if self._next(1) != b"S":
            raise _damaged("a key that is no text")
        return self._text()

    def _object(self, depth: int) -> Any:
        self._count(_OBJECT_COUNTS)
        name = self._text()
        if name not in self._kinds or self._next(1) != b"M":
            raise _damaged(f"an object of the kind {name[:40]!r}, which is not known here")
        kind = self._kinds[name]
        known = {each.name: None for each in fields(kind) if each.init}
        return kind(**self._pairs(depth, known))

    def _array(self) -> NDArray[Any]:
        self._count(_ARRAY_COUNTS)
        name = self._text()
        dimensions = self._length()
        if name not in _ARRAYS or dimensions > 32:
            raise _damaged(f"an array of {name[:40]!r} with {dimensions} dimensions")
        shape = [_LENGTH.unpack(self._next(8))[0] for _ in range(dimensions)]
        dtype = np.dtype(name)
        size = math.prod(shape) * dtype.itemsize
        self._count(size)
        data = self._next(size)
        if name == "|b1" and data.strip(b"\0\1"):
            raise _damaged("bools that are neither")
        array = np.frombuffer(data, dtype=dtype).reshape(shape)
        array.flags.writeable = False
        return array


def _too_large(most_bytes: int, got: str) -> BadSaveFile:
    return BadSaveFile(
        f"The values of a save take at most {most_bytes:,} bytes in memory",
        got=got,
        remedy="If you trust it, and the call has most_bytes=, pass more",
    )


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
