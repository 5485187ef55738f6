"""Heaps of keys with the cells that they belong to, the least first, and arrays that grow."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel

__all__ = ["TWICE", "longer", "pop", "push", "replace_first"]

TWICE = np.int64(0)
"""The argument of `longer` where twice the length is enough: a literal number would be compiled
again.
"""


@kernel(forceinline=True)
def _before(key, cell, other, other_cell, in_order):
    """Return whether a key comes before another, or may; see `push`."""
    return key < other or (key == other and (not in_order or cell <= other_cell))


@kernel
def push(keys, cells, size, key, cell, in_order):
    """Add a key and its cell to a heap; return the new size.

    With `in_order`, of equal keys the one with the lower cell comes first.
    """
    i = size
    while i > 0:
        above = (i - 1) >> 1
        if _before(keys[above], cells[above], key, cell, in_order):
            break
        keys[i], cells[i] = keys[above], cells[above]
        i = above
    keys[i], cells[i] = key, cell
    return size + 1


@kernel
def replace_first(keys, cells, size, key, cell, in_order):
    """Replace the first key and its cell; see `push`."""
    i = 0
    while True:
        below = 2 * i + 1
        if below >= size:
            break
        if below + 1 < size and not _before(
            keys[below], cells[below], keys[below + 1], cells[below + 1], in_order
        ):
            below += 1
        if _before(key, cell, keys[below], cells[below], in_order):
            break
        keys[i], cells[i] = keys[below], cells[below]
        i = below
    keys[i], cells[i] = key, cell


@kernel(forceinline=True)
def pop(keys, cells, size, in_order):
    """Remove the first key; return the new size."""
    replace_first(keys, cells, size - 1, keys[size - 1], cells[size - 1], in_order)
    return size - 1


@kernel
def longer(array, least):
    """Return a copy of an array with twice the length, and at least `least`."""
    more = np.empty(max(2 * array.shape[0], least), array.dtype)
    for i in range(array.shape[0]):
        more[i] = array[i]
    return more
