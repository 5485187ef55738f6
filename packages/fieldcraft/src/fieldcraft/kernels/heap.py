"""Heaps of keys with the cells that they belong to, the least first, and arrays that grow."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.declare import kernel

__all__ = ["TWICE", "longer", "sift_down", "sift_down_in_order", "sift_up", "sift_up_in_order"]

TWICE = np.int64(0)
"""What `longer` is told where twice as many are enough: for a number that stands in the code it
would be compiled anew.
"""


@kernel
def sift_up(keys, cells, i):
    """Let the key at a place of the heap, with its cell, rise to where it belongs."""
    key, cell = keys[i], cells[i]
    while i > 0:
        above = (i - 1) >> 1
        if keys[above] <= key:
            break
        keys[i], cells[i] = keys[above], cells[above]
        i = above
    keys[i], cells[i] = key, cell


@kernel
def sift_down(keys, cells, size):
    """Let the first key of the heap sink to where it belongs."""
    key, cell = keys[0], cells[0]
    i = 0
    while True:
        below = 2 * i + 1
        if below >= size:
            break
        if below + 1 < size and keys[below + 1] < keys[below]:
            below += 1
        if key <= keys[below]:
            break
        keys[i], cells[i] = keys[below], cells[below]
        i = below
    keys[i], cells[i] = key, cell


@kernel(inline="always")
def _before(keys, cells, i, key, cell):
    return keys[i] < key or (keys[i] == key and cells[i] <= cell)


@kernel
def sift_up_in_order(keys, cells, i):
    """Let the key at a place of the heap rise; of equal keys that of the lower number comes
    first.
    """
    key, cell = keys[i], cells[i]
    while i > 0:
        above = (i - 1) >> 1
        if _before(keys, cells, above, key, cell):
            break
        keys[i], cells[i] = keys[above], cells[above]
        i = above
    keys[i], cells[i] = key, cell


@kernel
def sift_down_in_order(keys, cells, size):
    """Let the first key of the heap sink; of equal keys that of the lower number comes first."""
    key, cell = keys[0], cells[0]
    i = 0
    while True:
        below = 2 * i + 1
        if below >= size:
            break
        if below + 1 < size and not _before(keys, cells, below, keys[below + 1], cells[below + 1]):
            below += 1
        if not _before(keys, cells, below, key, cell):
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
