"""Swarms, called as the compiled kernels are; see `fieldcraft.kernels.reference.swarm`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.reference import swarm as reference
from fieldcraft.kernels.reference.swarm import arrange, forage, leave

__all__ = ["arrange", "forage", "leave", "walk"]


def walk(
    agents: NDArray[np.int32],
    numbers: NDArray[np.uint32],
    seen: tuple[NDArray[Any], ...],
    _table: NDArray[np.int32],
    how: tuple[int, ...],
    _blank: bool,
    step: int,
    first: int,
    last: int,
) -> None:
    """One step of the agents [first, last) of (3, N), in place. The tuples are a Sights and a
    Rule.
    """
    reference.walk(
        agents, numbers, reference.Sights(*seen), reference.Rule(*how), step, first, last
    )
