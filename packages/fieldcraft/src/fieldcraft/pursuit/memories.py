"""The memory of a guess, as it comes back from a save."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue

__all__ = ["check_flood", "not_of_a_memory", "plain_numbers", "plain_whole"]


def not_of_a_memory(rule: str, got: str) -> InvalidValue:
    """The refusal of a memory that breaks a rule."""
    return InvalidValue(
        f"The {rule}",
        got=got,
        remedy="Pass what snapshot() gave, on the same space with the same parameters",
    )


def plain_numbers(
    memory: Mapping[str, Any], name: str, shape: tuple[int, ...], kinds: str = "f"
) -> NDArray[Any]:
    """A copy of an array out of a memory; `InvalidValue` unless it has this shape and finite
    numbers of one of these kinds.
    """
    found = np.array(memory.get(name)) if isinstance(memory, Mapping) else np.zeros(0)
    if found.shape != shape or found.dtype.kind not in kinds or not np.isfinite(found).all():
        raise not_of_a_memory(
            f"{name} of a memory are numbers of shape {shape}",
            f"{found.dtype} of shape {found.shape}",
        )
    return found


def plain_whole(memory: Mapping[str, Any], name: str, *, below: int = 2**62) -> int:
    """A whole number from 0 up to but not including `below` out of a memory, or `InvalidValue`."""
    found = memory.get(name)
    if isinstance(found, int) and found >= below:
        raise not_of_a_memory(f"{name} of a memory is below {below}", f"{found:g}")
    return checks.whole(name, found)


def check_flood(
    start: int,
    state: NDArray[np.int64],
    ignited: NDArray[np.int64],
    lit: NDArray[np.int64],
    shut: NDArray[np.int64],
    marks: NDArray[np.int64],
) -> None:
    """Refuse a memory of which the kernel would go beside its arrays."""
    count, (front, hot, tail, barred, steps) = len(state), marks.tolist()
    sound = 0 <= front <= hot <= count and 0 <= tail <= barred <= count and 0 <= steps < 2**31
    sound = sound and int(state.min()) >= 0 and int(state.max()) <= kernels.flood.BLOCKED
    sound = sound and int(ignited.min()) >= -1 and int(ignited.max()) <= steps
    behind = shut[:barred]
    lists = (lit[:hot], kernels.flood.HEAT), (behind[behind != start], kernels.flood.BARRIER)
    if (
        not sound
        or np.count_nonzero(behind == start) > 1
        or not all(_lists(listed, state == kind) for listed, kind in lists)
    ):
        raise not_of_a_memory(
            "state, lit, shut and marks of a memory are those of one flood", "others"
        )


def _lists(listed: NDArray[np.int64], cells: NDArray[np.bool_]) -> bool:
    """Whether these are the numbers of exactly those cells, each once."""
    if len(listed) != np.count_nonzero(cells) or (
        len(listed) and not 0 <= int(listed.min()) <= int(listed.max()) < len(cells)
    ):
        return False
    found = np.zeros(len(cells), dtype=np.bool_)
    found[listed] = True
    return bool((found == cells).all())
