"""Argument types as they are written above a kernel: `"u1[:,::1], f8, out f4[::1]"`.

`f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1` are floats, whole numbers and truth values by their size in
bytes. `f4[:,::1]` is an array of two axes without gaps, `f4[:,:]` one that may have gaps, `(i8,
f8)` a tuple, `none` is None. `out` precedes an array that the kernel writes to; all others may be
read-only.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["Argument", "parse"]

_ITEM = re.compile(
    r"(?P<out>out )?(?P<dtype>[fiub][1248])(?:\[(?P<axes>[:,1"
    r" ]+)\])?|(?P<none>none)|\((?P<items>.*)\)"
)


class Argument(NamedTuple):
    """The type of an argument: a number, an array, a tuple, or None.

    `dtype` is as NumPy writes it, "" for tuples and None; `axes` is 0 for numbers.
    """

    dtype: str
    axes: int = 0
    dense: bool = True
    written: bool = False
    items: tuple[Argument, ...] = ()


def parse(text: str) -> tuple[Argument, ...]:
    """Return the types that a text declares; raises ValueError for an invalid text."""
    return tuple(_argument(each.strip()) for each in _split(text))


def _split(text: str) -> list[str]:
    """Return the parts of a text between the commas outside of brackets."""
    found, depth, start = [], 0, 0
    for i, letter in enumerate(text):
        depth += (letter in "[(") - (letter in "])")
        if letter == "," and depth == 0:
            found.append(text[start:i])
            start = i + 1
    return [*found, text[start:]] if text[start:].strip() else found


def _argument(text: str) -> Argument:
    match = _ITEM.fullmatch(text)
    if match is None:
        raise ValueError(
            "An argument's type is written like 'f4', 'out f4[:,::1]', '(i8, i8)' or 'none'. Got"
            f" {text!r}."
        )
    if match["items"] is not None:
        return Argument("", items=parse(match["items"]))
    if match["none"]:
        return Argument("")
    axes = (match["axes"] or "").replace(" ", "")
    return Argument(
        match["dtype"],
        axes.count(",") + 1 if axes else 0,
        not axes or axes.endswith("::1"),
        bool(match["out"]),
    )
