"""Ids of sources: the row of a source and the generation of the row, which grows when its source is
removed. The kernel `source_rows.rows_of` takes them apart in the same way.
"""

from __future__ import annotations

from fieldcraft.kernels.shared.arrays import Ints

_ROW_BITS = 32
_ROW = (1 << _ROW_BITS) - 1


def ids_of(rows: Ints, generations: Ints) -> Ints:
    """Return the ids of sources in some rows."""
    return rows | generations << _ROW_BITS


def rows_of(ids: Ints) -> Ints:
    """Return the rows of ids."""
    return ids & _ROW


def generations_of(ids: Ints) -> Ints:
    """Return the generations of ids."""
    return ids >> _ROW_BITS
