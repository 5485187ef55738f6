"""What kernels of Spread take: ground, rules, and the tiles and blocks that can change.

The library imports this file, and no file of kernels, when it is imported.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.shared.arrays import Bytes, Ints

__all__ = [
    "ANY_GROUND_1",
    "ANY_GROUND_8",
    "ANY_RULE",
    "ARC_ROWS",
    "BLOCK",
    "GRAPH_RULE",
    "LANES",
    "TILE_ACTIVITY",
    "TILE_SCRATCH",
    "AnyGround",
    "AnyRule",
    "ArcRows",
    "BlockReaches",
    "GraphRule",
    "NearRule",
    "TileActivity",
    "TileScratch",
]

LANES = 16
"""The vertices in a slice of a graph, which are updated side by side."""
BLOCK = 512
"""The vertices in a block of a graph, which is active or at rest as a whole."""

ANY_GROUND_1 = "AnyGround(u1[:,::1], u1[:,::1], u1[::1], f4[:,::1], i8[:,::1], f4[::1])"
ANY_GROUND_8 = "AnyGround(u1[:,::1], u8[:,::1], u8[::1], f4[:,::1], i8[:,::1], f4[::1])"
ANY_RULE = "AnyRule(i8, b1, f4, f4, f4, i8)"
ARC_ROWS = "ArcRows(u1[::1], i4[::1], f4[::1], i8[::1])"
GRAPH_RULE = "GraphRule(b1, i8, f4, f4, f4)"
TILE_ACTIVITY = "TileActivity(out u1[:,::1], out u1[::1], out u1[:,::1], out u1[::1])"
TILE_SCRATCH = "TileScratch(out f4[:,:,:,::1], out i8[:,::1], out i8[::1])"
"""The types of the classes in declarations of kernels; of ground with up to 8 and up to 64 steps
into a cell.
"""


class NearRule(NamedTuple):
    """The rule of kernels for 4 or 8 neighbors, see `spread_rows.near`: losses of straight and of
    diagonal steps (None for 4 neighbors), the root that falls off (None for exponential falloff),
    momentum, floor, and the axes along which the grid wraps: see `grid_frame.WRAP_X`.
    """

    straight: np.float32
    diagonal: np.float32 | None
    power: int | None
    momentum: np.float32
    floor: np.float32
    wrap: int


class AnyGround(NamedTuple):
    """The ground of kernels for any neighborhood, in arrays (height, width).

    A step may enter a cell if the bits of its mask are in the cell's links; `through` is how cells
    attenuate what arrives in them, or (1, 0).
    """

    blocked: Bytes
    links: NDArray[np.unsignedinteger]
    masks: NDArray[np.unsignedinteger]
    through: NDArray[np.float32]
    steps: Ints
    losses: NDArray[np.float32]


class AnyRule(NamedTuple):
    """The rule of kernels for any neighborhood: the exponent of the falloff, 0 for an exponential
    one; whether values have both signs; momentum; the part that a falling value keeps, below 0 for
    momentum both ways; floor; and the axes along which the grid wraps: see `grid_frame.WRAP_X`.
    """

    exponent: int
    signed: bool
    momentum: np.float32
    keep: np.float32
    floor: np.float32
    wrap: int


class ArcRows(NamedTuple):
    """The vertices of a graph, and its arcs in rows: see `graph_spread`."""

    blocked: Bytes
    origins: NDArray[np.int32]
    losses: NDArray[np.float32]
    offsets: Ints


class GraphRule(NamedTuple):
    """Whether a step is plain: exponential decay, values of one sign and momentum both ways. The
    rest as in `AnyRule`.
    """

    plain: bool
    exponent: int
    momentum: np.float32
    keep: np.float32
    floor: np.float32


class BlockReaches(NamedTuple):
    """The other blocks that arcs from vertex v lead into: `blocks` from `outer[v]` up to
    `outer[v + 1]`.
    """

    outer: Ints
    blocks: NDArray[np.int32]


class TileActivity(NamedTuple):
    """The active tiles, the rows of tiles that have any, and both for the next step."""

    active: Bytes
    bands: Bytes
    next_active: Bytes
    next_bands: Bytes


class TileScratch(NamedTuple):
    """New values of tiles until they are stored: (bands that a step reaches, and one; tiles across;
    TILE_ROWS; TILE_COLUMNS), the columns of these tiles, and their number in each band.
    """

    new: NDArray[np.float32]
    pending: Ints
    counts: Ints
