"""Drifts: the wind or the current that moves what diffuses, one for all cells or one for each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.space import Space

Floats = NDArray[np.float64]
Vector = tuple[float, ...]


class Drifts:
    """A drift for each cell: an array of shape (height, width, 2), or (N, 2) on a graph. Equal
    arrays are equal drifts.
    """

    def __init__(self, vectors: Floats) -> None:
        self.vectors = read_only(np.array(vectors, dtype=np.float64))
        """World units a second, read-only."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Drifts) and np.array_equal(self.vectors, other.vectors)

    def __hash__(self) -> int:
        return hash(self.vectors.tobytes())

    def __repr__(self) -> str:
        return f"<Drifts of shape {self.vectors.shape}>"

    def state(self) -> dict[str, Floats]:
        """Return what `restored` needs."""
        return {"drifts": self.vectors}

    @classmethod
    def restored(cls, state: Mapping[str, Any]) -> Drifts:
        """Return the drifts of a `state`."""
        return cls(state["drifts"])


def drift_of(name: str, value: Any) -> Vector | Drifts:
    """Return a drift as it is stored, a tuple for all cells or `Drifts`; refuses other values."""
    if isinstance(value, Drifts):
        return value
    vectors = checks.array(f"The {name}", value)
    if vectors.dtype.kind not in "iuf" or not vectors.ndim or vectors.shape[-1] not in (2, 3):
        raise InvalidValue(
            f"A {name} is a vector (x, y) for all cells, or one for each cell",
            got=f"{vectors.dtype} of shape {vectors.shape}",
            remedy=f"Pass {name}=(1.5, 0), in world units a second, or an array of shape"
            " (height, width, 2)",
        )
    if not (np.abs(vectors.astype(np.float64)) <= checks.LARGEST).all():
        raise InvalidValue(
            f"A {name} is finite and at most {checks.LARGEST:g} in size",
            got=checks.short(value),
            remedy="Pass world units a second",
        )
    if vectors.ndim == 1:
        return tuple(vectors.astype(np.float64).tolist())
    return Drifts(vectors)


def vectors_on(drift: Vector | Drifts | NDArray[np.float64], space: Space) -> Floats:
    """Return the drift of each cell of a space, (N, D); refuses one of another shape."""
    wanted = (*space.shape, space.dimensions)
    if isinstance(drift, Drifts):
        vectors = drift.vectors
    else:
        vectors = np.array(drift, dtype=np.float64)
    if vectors.shape not in (wanted, (space.dimensions,)):
        raise InvalidValue(
            f"A drift is one vector with {space.dimensions} numbers, or an array of shape {wanted}"
            f" with one for each {space.cell_name}",
            got=f"shape {vectors.shape}",
            remedy="Pass an array indexed like the values of the layer, with world vectors",
            about="drift",
        )
    return np.broadcast_to(vectors, wanted).reshape(len(space), space.dimensions)
