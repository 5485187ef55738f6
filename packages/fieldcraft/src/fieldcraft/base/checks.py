"""Checks of the arguments of public calls."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.spelling import most_similar
from fieldcraft.base.synonyms import VALUES

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "LARGEST",
    "amounts",
    "array",
    "array_of",
    "choice",
    "fields",
    "finite",
    "flag",
    "fraction",
    "function",
    "generator",
    "instance",
    "integer",
    "not_negative",
    "numbers",
    "optional",
    "pair",
    "path",
    "position",
    "positions",
    "positive",
    "sequence",
    "shaped",
    "short",
    "text",
    "threshold",
]

T = TypeVar("T")
Word = TypeVar("Word")
_HALVES = re.compile("[\ud800-\udfff]")

CONVERSION_ERRORS = (
    TypeError,
    ValueError,
    ArithmeticError,
    AttributeError,
    LookupError,
    RuntimeError,
)
"""What conversions to arrays, lists and texts raise, also those of other libraries' objects. Not
all exceptions: that of a signal handler passes through.
"""

# the largest size of a strength or a value: differences and sums of many stay within float32
LARGEST = 1e30


def finite(name: str, value: object) -> float:
    """Return the value as a finite float, or `InvalidValue`."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(
        value, (int, float, np.integer, np.floating)
    ):
        raise _refused(name, "is a number", value, "Pass an int or a float")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise _refused(
            name, "is a finite number", value, "Replace NaN and infinity before the call"
        )
    return number


def positive(name: str, value: object, *, maximum: float = math.inf) -> float:
    """Return the value as a float above 0, at most `maximum`."""
    number = finite(name, value)
    if number <= 0:
        raise _refused(name, "is above 0", value, f"Pass {name} above 0")
    if number > maximum:
        raise _refused(name, f"is at most {maximum:g}", value, f"Pass {maximum:g} or less")
    return number


def not_negative(name: str, value: object) -> float:
    """Return the value as a float of at least 0."""
    number = finite(name, value)
    if number < 0:
        raise _refused(name, "is at least 0", value, f"Pass 0 or more for {name}")
    return number


def threshold(name: str, value: object) -> float:
    """Return the value as a float32 number to compare float32 values with, so that 0.1 is not above
    0.1; infinite for more than float32 holds.
    """
    number = finite(name, value)
    with np.errstate(over="ignore"):
        return float(np.float32(number))


def fraction(name: str, value: object) -> float:
    """Return the value as a float in [0, 1]."""
    number = finite(name, value)
    if not 0 <= number <= 1:
        raise _refused(name, "is in [0, 1]", value, f"Pass {name} between 0 and 1")
    return number


def integer(name: str, value: object, *, minimum: int = 0, maximum: int = 2**63 - 1) -> int:
    """Return the value as an int from `minimum` to `maximum`."""
    if type(value) is not int and (
        isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer))
    ):
        raise _refused(name, "is a whole number", value, "Pass an int")
    number = int(value)
    if number < minimum:
        raise _refused(name, f"is at least {minimum}", number, f"Pass {minimum} or more")
    if number > maximum:
        raise _refused(name, f"is at most {maximum:,}", number, f"Pass {maximum} or less")
    return number


def cell(name: str, value: object, count: int) -> int:
    """Return the value as the id of one of `count` cells."""
    number = integer(name, value)
    if number >= count:
        rule = f"is below {count}, the number of cells"
        raise _refused(name, rule, number, "Use cell_at() for positions")
    return number


def flag(name: str, value: object) -> bool:
    """Return the value as a bool."""
    if not isinstance(value, (bool, np.bool_)):
        raise _refused(name, "is True or False", value, "Pass one of the two")
    return bool(value)


def function(name: str, value: object) -> Any:
    """Return the value if it can be called."""
    if not callable(value):
        raise _refused(name, "is a function", value, "Pass a function, or another thing to call")
    return value


def instance(value: T, kind: Any, rule: str, remedy: str) -> T:
    """Return the value if it is an instance of a class, or of a protocol."""
    if not isinstance(value, kind):
        raise InvalidValue(rule, got=type(value).__name__, remedy=remedy)
    return value


def fields(settings: object, **checks_of: Callable[[str, Any], Any]) -> None:
    """Replace fields of a frozen dataclass by the results of their checks."""
    for name, check in checks_of.items():
        object.__setattr__(settings, name, check(name, getattr(settings, name)))


def optional(check: Callable[[str, Any], T]) -> Callable[[str, Any], T | None]:
    """Return a check that accepts None as well."""
    return lambda name, value: None if value is None else check(name, value)


def generator(value: np.random.Generator) -> np.random.Generator:
    """Return the value as a random generator."""
    remedy = "Pass np.random.default_rng(seed)"
    return instance(value, np.random.Generator, "rng is a numpy.random.Generator", remedy)


def pair(name: str, value: ArrayLike) -> tuple[float, float]:
    """Return the value as two finite numbers."""
    try:
        array = _numeric(value)
    except CONVERSION_ERRORS:
        array = np.empty(0)
    if array.shape != (2,) or not np.isfinite(array).all():
        raise _refused(name, "is a pair of finite numbers", value, "Pass two numbers")
    return float(array[0]), float(array[1])


def key(name: str, value: Hashable) -> Hashable:
    """Return the value if it is hashable, such as a name."""
    try:
        hash(value)
    except CONVERSION_ERRORS:
        raise _refused(
            name, "is hashable", value, "Pass a number, a text or a tuple of these"
        ) from None
    return value


def sequence(name: str, value: object) -> list[Any]:
    """Return the items of a list or another collection; a text is none."""
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        return list(value)  # type: ignore[call-overload, no-any-return]
    except CONVERSION_ERRORS:
        raise _refused(name, "is a list", value, "Pass a list, or another collection") from None


def text(name: str, value: object) -> str:
    """Return the value as a text, without halves of characters."""
    if not isinstance(value, str) or _HALVES.search(value):
        raise _refused(name, "is a text", value, "Pass a str")
    return value


def path(name: str, value: object) -> Path:
    """Return the value as the path of a file."""
    if isinstance(value, (str, os.PathLike)):
        named = os.fspath(value)
    else:
        named = None
    if not isinstance(named, str) or not named:
        raise _refused(name, "is the path of a file", value, "Pass a str or a pathlib.Path")
    from pathlib import Path  # `import fieldcraft` is quicker without

    return Path(named)


def choice(name: str, value: Word, allowed: tuple[str, ...]) -> Word:
    """Return the value if it is one of the `allowed` words."""
    if not isinstance(value, str) or value not in allowed:
        words = ", ".join(repr(word) for word in allowed)
        near = ""
        if isinstance(value, str):
            near = most_similar(value, allowed)
        if isinstance(value, str) and value in VALUES.get(name, ()):
            remedy = VALUES[name][value]
        elif near:
            remedy = f"Perhaps {near!r} is meant"
        else:
            remedy = "Pass one of these words"
        raise _refused(name, f"is one of {words}", value, remedy)
    return value


def array(what: str, value: ArrayLike) -> NDArray[Any]:
    """Return the value as an array; rows of different lengths and masked entries are refused.

    Numbers of float16, which can't be compared with large ones, become float32; what is not aligned
    in memory, which kernels don't take, is copied.
    """
    if _is_masked(value):
        raise InvalidValue(
            f"{what} have no masked entries",
            got=short(value),
            remedy="Call its filled(...), or drop what is masked",
        )
    try:
        found = np.asarray(value)
    except CONVERSION_ERRORS:
        raise InvalidValue(
            f"{what} make one even array", got=short(value), remedy="Pass rows of the same length"
        ) from None
    if found.dtype.char == "e":  # float16, of any order of bytes
        return found.astype(np.float32)
    if not found.flags.aligned:
        return found.copy()
    return found


def shaped(what: str, value: ArrayLike, shape: tuple[int, ...], kinds: str = "iuf") -> NDArray[Any]:
    """Return the value as an array in the shape of a space, of one of some kinds of dtype."""
    kind = "numbers"
    example = ""
    if kinds == "b":
        kind = "bool"
        example = ", such as `array == 0`"
    order = ""
    if len(shape) > 1:
        order = ", indexed [row, column]"
    rule = f"{what} are an array of {kind} in the space's shape {shape}"
    remedy = f"Pass an array of {kind}{example}, one for each cell{order}"
    return array_of(array(what, value), shape, kinds, rule, remedy)


def array_of(
    value: ArrayLike, shape: tuple[int, ...], kinds: str, rule: str, remedy: str
) -> NDArray[Any]:
    """Return the value as an array of a shape, of one of the dtype kinds "b", "i", "u", "f"."""
    given = array("The values of an array", value)
    if given.shape != shape or given.dtype.kind not in kinds:
        hint = ""
        if len(shape) == 2 and given.shape == shape[::-1] != shape:
            hint = " (it looks like [x, y]: transpose it)"
        got = f"dtype {given.dtype}, shape {given.shape}{hint}"
        raise InvalidValue(rule, got=got, remedy=remedy)
    return given


def position(value: ArrayLike, rule: str, *, dimensions: int = 2) -> NDArray[np.float64]:
    """Return the value as one world position, (dimensions,)."""
    points, single = positions(value, dimensions=dimensions)
    if not single:
        got = f"an array of shape {np.shape(value)}"
        raise InvalidValue(rule, got=got, remedy="Call it for each position")
    return np.asarray(points[0])


def positions(
    value: ArrayLike, *, dimensions: int = 2, what: str = "Positions"
) -> tuple[NDArray[np.float64], bool]:
    """Return positions as float64 (N, dimensions), and whether `value` was a single one; errors say
    `what`.
    """
    given: object = value
    if (
        type(given) is tuple
        and len(given) == dimensions
        and {*map(type, given)} == {float}
        and all(map(math.isfinite, given))
    ):
        return np.array([given]), True
    if (
        type(given) is np.ndarray
        and given.dtype == np.float64
        and given.shape == (dimensions,)
        and all(map(math.isfinite, given.tolist()))
    ):
        return given[np.newaxis].copy(), True
    if dimensions == 2:
        axes = "(x, y)"
        group = "pair"
    else:
        axes = "(x, y, z)"
        group = "triple"
    remedy = f"Pass one {axes} {group} of numbers or an array of shape (N, {dimensions})"
    try:
        array = _numeric(_by_name(value, dimensions))
    except CONVERSION_ERRORS:
        raise InvalidValue(f"{what} are numbers {axes}", got=short(value), remedy=remedy) from None
    if array.shape == (0,) or (array.ndim == 2 and len(array) == 0):
        return np.empty((0, dimensions)), False
    single = array.ndim == 1
    if single:
        array = array[np.newaxis]
    if array.ndim != 2 or array.shape[1] != dimensions:
        shape = array.shape
        if single:
            shape = shape[1:]
        raise InvalidValue(
            f"{what} are {axes} {group}s", got=f"an array of shape {shape}", remedy=remedy
        )
    if not np.isfinite(array).all():
        bad = int(np.flatnonzero(~np.isfinite(array).all(axis=1))[0])
        raise InvalidValue(
            f"{what} are finite",
            got=f"{tuple(array[bad].tolist())} at index {bad}",
            remedy="Drop or correct that one before the call",
        )
    return array, single


def _by_name(value: Any, dimensions: int) -> Any:
    """Return the columns x, y (and z) of a data frame that has them, and the positions of objects
    that have a `position`, such as sources and units of a game; everything else unchanged.
    """
    if isinstance(value, np.ndarray):
        return value
    names = getattr(value, "columns", None)
    wanted = ("x", "y", "z")[:dimensions]
    if names is not None and set(wanted) <= set(names):
        return np.stack([np.asarray(value[name]) for name in wanted], axis=1)
    if isinstance(value, list) and value and hasattr(value[0], "position"):
        return [each.position for each in value]
    if isinstance(value, (list, tuple)):
        return value
    return getattr(value, "position", value)


def first(wrong: NDArray[np.bool_]) -> tuple[tuple[int, ...], str]:
    """Return the first index at which a mask is True, and its name for messages."""
    index = tuple(np.argwhere(wrong)[0].tolist())
    if len(index) > 1:
        return index, f"row {index[0]}, column {index[1]}"
    return index, f"vertex {index[0]}"


def numbers(name: str, value: ArrayLike, count: int) -> NDArray[np.float64]:
    """Return the value as `count` finite numbers; one number is for all."""
    try:
        wide = _numeric(value)
    except CONVERSION_ERRORS:
        raise InvalidValue(
            f"{name} are numbers", got=short(value), remedy="Pass one number, or one for each"
        ) from None
    if wide.ndim == 0:
        wide = np.full(count, wide)
    if wide.shape != (count,):
        raise InvalidValue(
            f"{name} are one number, or one for each",
            got=f"shape {wide.shape} for {count}",
            remedy=f"Pass {count} of them",
        )
    none_wrong(
        f"{name} are finite", wide, ~np.isfinite(wide), "Replace NaN and infinity before the call"
    )
    return wide


def none_wrong(rule: str, values: NDArray[Any], wrong: NDArray[np.bool_], remedy: str) -> None:
    """Refuse the first of some values (N,) that is `wrong` (N,)."""
    if wrong.any():
        bad = int(wrong.argmax())
        raise InvalidValue(rule, got=f"{values[bad]} at index {bad}", remedy=remedy)


def positives(name: str, value: ArrayLike, count: int) -> NDArray[np.float64]:
    """Return the value as `count` finite numbers above 0; one number is for all."""
    wide = numbers(name, value, count)
    none_wrong(f"{name} are above 0", wide, wide <= 0, f"Pass {name} above 0")
    return wide


def amounts(name: str, value: ArrayLike, count: int) -> NDArray[np.float32]:
    """Return the value as `count` float32 numbers within `LARGEST`; one is for all."""
    wide = numbers(name, value, count)
    rule = f"{name} are at most {LARGEST:g} in size"
    none_wrong(rule, wide, np.abs(wide) > LARGEST, "Pass smaller numbers")
    return wide.astype(np.float32)


def _numeric(value: ArrayLike) -> NDArray[np.float64]:
    """Return the value as float64; raises TypeError without numbers or with masked ones."""
    array: NDArray[Any] = np.asarray(value)
    if (array.dtype.kind not in "iuf" and array.size) or _is_masked(value):
        raise TypeError(f"dtype {array.dtype} is not a number")
    return array.astype(np.float64, order="C")  # kernels are compiled for rows


def _is_masked(value: object) -> bool:
    return (
        isinstance(value, np.ndarray)
        and type(value) is not np.ndarray
        and bool(np.any(getattr(value, "mask", False)))
    )


def _refused(name: str, rule: str, value: object, remedy: str) -> InvalidValue:
    return InvalidValue(f"{name} {rule}", got=f"{name}={short(value)}", remedy=remedy)


def short(value: object) -> str:
    """Return the text of a value for a message, at most 80 characters."""
    try:
        written = repr(value)
    except CONVERSION_ERRORS:
        written = f"a {type(value).__name__}"
    if len(written) > 80:
        return written[:77] + "..."
    return written
