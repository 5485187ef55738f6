"""Argument types as they are written above a kernel: `"u1[:,::1], f8, out f4[::1]"`.

`f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1` are floats, whole numbers and truth values by their size in
bytes. `f4[:,::1]` is an array of two axes without gaps, `f4[:,:]` one that may have gaps, `(i8,
f8)` a tuple, `none` is None. `out` precedes an array that the kernel writes to; all others may be
read-only.

`Frame(f8, f8)` is a record: a NamedTuple of the class `Frame`, which the module of the kernel knows
by this name. The kernel reads its fields by their names.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["Argument", "parse"]

_ARGUMENT = re.compile(
    r"\s*(?:(?P<out>out )?(?P<dtype>[fiub][1248])(?:\[(?P<axes>[:,1 ]+)\])?"
    r"|none|(?P<name>[A-Z]\w*)?\((?P<items>(?:[^()]|\([^()]*\))*)\))\s*(?:,|$)"
)


class Argument(NamedTuple):
    """The type of an argument: a number, an array, a tuple, a record, or None.

    `dtype` is as NumPy writes it, "" for tuples and None; `axes` is 0 for numbers. `name` is the
    class of a record.
    """

    dtype: str
    axes: int = 0
    dense: bool = True
    written: bool = False
    items: tuple[Argument, ...] = ()
    name: str = ""


def parse(text: str) -> tuple[Argument, ...]:
    """Return the types that a text declares; raises ValueError for an invalid text."""
    found, at = [], 0
    while at < len(text):
        match = _ARGUMENT.match(text, at)
        if match is None:
            raise ValueError(
                "An argument's type is written like 'f4', 'out f4[:,::1]', '(i8, i8)',"
                " 'Frame(f8, f8)' or 'none'."
                f" Got {text[at:]!r}."
            )
        found.append(_argument(match))
        at = match.end()
    return tuple(found)


def _argument(match: re.Match[str]) -> Argument:
    if match["items"] is not None:
        return Argument("", items=parse(match["items"]), name=match["name"] or "")
    axes = (match["axes"] or "").replace(" ", "")
    return Argument(
        match["dtype"] or "",
        axes.count(",") + 1 if axes else 0,
        not axes or axes.endswith("::1"),
        bool(match["out"]),
    )
