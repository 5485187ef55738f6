"""Layers of a world as zarr arrays, for other programs. The only file that imports zarr."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from fieldcraft.errors import InvalidValue, MissingLibrary
from fieldcraft_cluster.plan import Box, Plan

__all__ = ["write_zarr"]


def write_zarr(
    path: str | os.PathLike[str],
    plan: Plan,
    blocks: Iterable[int],
    values_in: Callable[[Box], NDArray[np.float32]],
) -> None:
    """Write the values of some blocks as a zarr array, a chunk a block; chunks of the others are
    not written, and read as 0.
    """
    try:
        import zarr
    except ImportError:
        raise MissingLibrary("zarr", "cluster", "A zarr array") from None
    try:
        array = zarr.create_array(
            str(path),
            shape=(plan.height, plan.width),
            chunks=(min(plan.block, plan.height), min(plan.block, plan.width)),
            dtype="f4",
            fill_value=0.0,
            config={"write_empty_chunks": False},
        )
    except OSError as error:
        raise InvalidValue(
            "An array is written into a folder of its own",
            got=f"{str(path)[:80]}: {error}",
            remedy="Pass another",
        ) from error
    for number in blocks:
        top, bottom, left, right = interior = plan.interior(number)
        array[top:bottom, left:right] = values_in(interior)
