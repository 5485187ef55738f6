"""Values that nobody should pass, and that somebody will."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["HOSTILE"]


class Liar:
    """Says that it is a number, an array and a sequence, and raises when asked."""

    def __float__(self) -> float:
        raise RuntimeError("no float here")

    def __len__(self) -> int:
        raise RuntimeError("no length here")

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise RuntimeError("no array here")

    def __hash__(self) -> int:
        raise RuntimeError("no hash here")

    def __bool__(self) -> bool:
        raise RuntimeError("neither true nor false")

    def __repr__(self) -> str:
        return "<Liar>"


def _locked() -> Any:
    array = np.ones((3, 2))
    array.flags.writeable = False
    return array


HOSTILE: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "True": lambda: True,
    "False": lambda: False,
    "text": lambda: "x",
    "empty text": lambda: "",
    "long text": lambda: "abc" * 1000,
    "bytes": lambda: b"x",
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "-inf": lambda: float("-inf"),
    "-1": lambda: -1,
    "0": lambda: 0,
    "-0.0": lambda: -0.0,
    "1e-320": lambda: 1e-320,
    "1e308": lambda: 1e308,
    "-1e308": lambda: -1e308,
    "1e30": lambda: 1e30,
    "10**30": lambda: 10**30,
    "10**400": lambda: 10**400,
    "2**63": lambda: 2**63,
    "2**31": lambda: 2**31,
    "-2**63": lambda: -(2**63),
    "1.5": lambda: 1.5,
    "float16": lambda: np.float16(1.5),
    "longdouble": lambda: np.longdouble(1.5),
    "int8": lambda: np.int8(3),
    "5j": lambda: 5j,
    "Decimal": lambda: decimal.Decimal("1.5"),
    "date": lambda: datetime.datetime(2026, 1, 1),
    "array of no dimension": lambda: np.array(3.0),
    "empty array": lambda: np.array([]),
    "zeros (0, 2)": lambda: np.zeros((0, 2)),
    "zeros (3, 3)": lambda: np.zeros((3, 3)),
    "zeros (2, 2, 2)": lambda: np.zeros((2, 2, 2)),
    "[[nan, 1]]": lambda: [[float("nan"), 1]],
    "(inf, 1)": lambda: (float("inf"), 1),
    "[(1.5, 2.5)]": lambda: [(1.5, 2.5)],
    "[1, 2, 3]": lambda: [1, 2, 3],
    "ragged": lambda: [[1, 2], [3]],
    "words": lambda: ["a", "b"],
    "dict": lambda: {"a": 1},
    "set": lambda: {1, 2},
    "lambda": lambda: lambda *_: None,
    "generator": lambda: (n for n in range(2)),
    "object": object,
    "type": lambda: float,
    "Ellipsis": lambda: ...,
    "complex array": lambda: np.ones((2, 2), dtype=complex),
    "big endian": lambda: np.ones((2, 2), dtype=">f8"),
    "locked": _locked,
    "strided": lambda: np.ones((6, 4))[::2, ::2],
    "Fortran": lambda: np.asfortranarray(np.ones((3, 2))),
    "mask": lambda: np.zeros((14, 20), dtype=bool),
    "transposed mask": lambda: np.zeros((20, 14), dtype=bool),
    "map": lambda: np.ones((14, 20), dtype=np.float32),
    "nan map": lambda: np.full((14, 20), np.nan, dtype=np.float32),
    "huge map": lambda: np.full((14, 20), 1e300),
    "object array": lambda: np.array([object(), 1], dtype=object),
    "text array": lambda: np.array(["a", "b"]),
    "date array": lambda: np.array(["2026-01-01"], dtype="datetime64[D]"),
    "struct array": lambda: np.zeros(2, dtype=[("a", "f4"), ("b", "i4")]),
    "masked array": lambda: np.ma.masked_array([1.0, 2.0], mask=[True, False]),
    "far positions": lambda: np.full((2, 2), 1e18),
    "negative cells": lambda: np.array([-1, -2]),
    "far cells": lambda: np.array([10**9, 10**12]),
    "uint64": lambda: np.array([2**64 - 1], dtype=np.uint64),
    "deep list": lambda: [[[[[[1.0]]]]]],
    "Liar": Liar,
}
