"""What a guess remembers, as it comes back from a save."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue

__all__ = ["plain_numbers", "plain_whole"]


def plain_numbers(memory: Mapping[str, Any], name: str, shape: tuple[int, ...], kinds: str = "f") -> NDArray[Any]:
    """A copy of an array out of a memory; `InvalidValue` unless it has this shape and finite numbers of one of these kinds."""
    found = np.array(memory.get(name)) if isinstance(memory, Mapping) else np.zeros(0)
    if found.shape != shape or found.dtype.kind not in kinds or not np.isfinite(found).all():
        raise InvalidValue(
            f"The {name} of a memory are numbers of shape {shape}",
            got=f"{found.dtype} of shape {found.shape}",
            remedy="Pass what memory() gave, on the same space with the same parameters",
        )
    return found


def plain_whole(memory: Mapping[str, Any], name: str) -> int:
    """A whole number out of a memory, or `InvalidValue`."""
    return checks.whole(name, memory.get(name))
