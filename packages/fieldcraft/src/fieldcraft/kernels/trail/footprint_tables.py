"""Footprints that are drawn from tables, and where they are drawn."""

from __future__ import annotations

from typing import NamedTuple

from fieldcraft.kernels.shared.arrays import Floats, Ints

__all__ = ["FOOTPRINT_TABLES", "STAMP_PLACES", "FootprintTables", "StampPlaces"]

FOOTPRINT_TABLES = "FootprintTables(f8[::1], i8[:,::1])"
STAMP_PLACES = "StampPlaces(i8[::1], i8[::1], f8[::1], f8[::1])"
"""The types of the classes in declarations of kernels."""


class FootprintTables(NamedTuple):
    """Tables of weights one after the other, each in a margin of 0; `shapes` (S, 5) are the start,
    height and width of each, and the rows and columns from its cell to its first weight.
    """

    weights: Floats
    shapes: Ints


class StampPlaces(NamedTuple):
    """The row and column of each stamp, and how far beyond its cell it is drawn, in [0, 1)."""

    rows: Ints
    columns: Ints
    below: Floats
    right: Floats
