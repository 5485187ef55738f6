"""Diffusion, spelled out: the specification of `fieldcraft.kernels.diffuse`.

All in float32. What a cell is given by its neighbours is added up in the order of these.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["AROUND", "exchange", "exchange_listed"]

AROUND = ((-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1))
"""The neighbours of a cell, (columns, rows) away, in the order in which they are added up."""

Numbers = NDArray[np.float32]


def exchange(
    offers: Numbers,
    links: NDArray[np.uint8],
    masks: NDArray[np.uint8],
    given: NDArray[np.uint8],
    keep: np.float32,
    floor: np.float32,
    first: int,
    last: int,
    values: Numbers,
) -> None:
    """The rows [first, last) of a grid after a step.

    `offers` (height + 2, width + 2) is what each cell offers to each of its neighbours, with a rim;
    `links` (height, width) says by the bits `masks` (8,), in the order of `AROUND`, from where an
    offer arrives, and `given` (height, width) how many neighbours take what a cell offers. Of all
    that a cell then holds it keeps the part `keep`, and nothing below `floor`.
    """
    bits = links[first:last]
    came: Numbers = np.zeros(bits.shape, dtype=np.float32)
    for (dx, dy), mask in zip(AROUND, masks, strict=True):
        came += np.where(
            bits & mask,
            offers[first + 1 + dy : last + 1 + dy, 1 + dx : 1 + dx + bits.shape[1]],
            np.float32(0),
        )
    _finish(
        values[first:last],
        offers[first + 1 : last + 1, 1:-1],
        came,
        given[first:last].astype(np.float32),
        keep,
        floor,
    )


def exchange_listed(
    starts: NDArray[np.int64],
    origins: NDArray[np.int32],
    offers: Numbers,
    given: Numbers,
    keep: np.float32,
    floor: np.float32,
    first: int,
    last: int,
    values: Numbers,
) -> None:
    """The cells [first, last) of any space after a step: cell `v` is given the offers of
    `origins[starts[v]:starts[v + 1]]`.

    `offers`, `given` and `values` are (N,); else as `exchange`.
    """
    came: Numbers = np.zeros(last - first, dtype=np.float32)
    counts = np.diff(starts)[first:last]
    for k in range(int(counts.max(initial=0))):
        cells = np.flatnonzero(counts > k)
        came[cells] += offers[origins[starts[first + cells] + k]]
    _finish(values[first:last], offers[first:last], came, given[first:last], keep, floor)


def _finish(
    values: Numbers,
    offers: Numbers,
    came: Numbers,
    given: Numbers,
    keep: np.float32,
    floor: np.float32,
) -> None:
    new = keep * ((values - given * offers) + came)
    values[...] = np.where(np.abs(new) < floor, np.float32(0), new)
