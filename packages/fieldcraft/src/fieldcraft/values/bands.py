"""Calls of kernels for many positions, on several threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fieldcraft.kernels.compiling import pool


def run_in_bands(
    kernel: Callable[..., object],
    inputs: tuple[Any, ...],
    outputs: tuple[Any, ...],
    count: int,
    least: int,
) -> None:
    """Call `kernel(*inputs, first, last, *outputs)` for `count` agents, on several threads with at
    least `least` agents each.
    """
    if count < 2 * least:
        kernel(*inputs, 0, count, *outputs)
    else:
        bands = pool.bands(count, count // least)
        pool.run([(kernel, (*inputs, *band, *outputs)) for band in bands])
