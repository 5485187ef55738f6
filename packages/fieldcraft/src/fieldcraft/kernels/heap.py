"""Heaps of keys with the cells that they belong to, the least first, and arrays that grow."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.declare import kernel

__all__ = ["TWICE", "longer", "sift_down", "sift_up"]

TWICE = np.int64(0)
"""What `longer` is told where twice as many are enough: for a number that stands in the code it
would be compiled anew.
"""


@kernel(inline="always")
def _before(key, cell, other, other_cell, in_order):
    return key < other or (key == other and (not in_order or cell <= other_cell))


@kernel
def sift_up(keys, cells, i, in_order):
    """Let the key at a place of the heap, with its cell, rise to where it belongs.

    With `in_order`, of equal keys that of the lower cell comes first.
    """
    key, cell = keys[i], cells[i]
    while i > 0:
        above = (i - 1) >> 1
        if _before(keys[above], cells[above], key, cell, in_order):
            break
        keys[i], cells[i] = keys[above], cells[above]
        i = above
    keys[i], cells[i] = key, cell


@kernel
def sift_down(keys, cells, size, in_order):
    """Let the first key of the heap sink to where it belongs; see `sift_up`."""
    key, cell = keys[0], cells[0]
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


@kernel
def longer(array, least):
    """A copy of an array with room for twice as many, and for `least`."""
    more = np.empty(max(2 * array.shape[0], least), array.dtype)
    for i in range(array.shape[0]):
        more[i] = array[i]
    return more
