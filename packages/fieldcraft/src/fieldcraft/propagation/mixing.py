"""Where endless mixing leads: values that neither rise nor fall any more."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.errors import InvalidValue
from fieldcraft.interruption import interruptible

__all__ = ["balance"]

Floats = NDArray[np.float64]


def balance(
    values: NDArray[np.float32],
    origins: NDArray[np.int64],
    ends: NDArray[np.int32],
    shares: NDArray[np.float32],
    takers: NDArray[np.int64],
    *,
    held: NDArray[np.int64],
    keep: float,
) -> Floats:
    """The values (N,) that steps of mixing leave as they are.

    Each cell gives `takers` (N,) times the part `shares` (N,) of its value away, which arrives from
    `origins` at `ends`, both (A,); of all that it has then it keeps the part `keep`. The cells
    `held` stay. Where nothing is held and nothing lost, the sum stays. Solved directly:
    `scipy.sparse.linalg.splu`.

    Raises `InvalidValue` where ways lead into a part of the map and not back, so that one balance
    after another would do.
    """
    from scipy.sparse import csr_array, diags_array
    from scipy.sparse.csgraph import connected_components

    count, size = len(values), shares.astype(np.float64)
    there = csr_array((np.ones(len(ends)), (ends, origins)), shape=(count, count))
    after = (keep * (diags_array(1 - takers * size) + there * size)).tocsr()
    _, parts = connected_components(there, directed=False)
    is_fed, loses = np.zeros(count, dtype=np.bool_), np.zeros(count, dtype=np.bool_)
    is_fed[parts[held]] = True
    loses[parts[np.asarray(after.sum(axis=0)).reshape(-1) < 1 - 1e-6]] = True  # shares are float32
    fed, empty = is_fed[parts], loses[parts] & ~is_fed[parts]
    result: Floats = np.where(empty, 0.0, values)
    fed[held] = False
    if fed.any():
        rows = after[fed]
        result[fed] = _solved(
            diags_array(np.ones(rows.shape[0])) - rows[:, fed], rows[:, held] @ result[held]
        )
    still = ~is_fed[parts] & ~empty & (size > 0)
    if still.any():
        if (there != there.T).nnz:
            raise _one_way("ways that lead one way only")
        room = np.where(
            still, 1 / np.where(still, size, 1), 0
        )  # in balance each cell gives every neighbour the same
        total, rooms = (
            np.bincount(parts, weights=part) for part in (np.where(still, result, 0), room)
        )
        result[still] = (total[parts] * room)[still] / rooms[parts][still]
    return result


def _solved(equations: Any, given: Floats) -> Floats:
    from scipy.sparse.linalg import splu

    try:
        columns = equations.tocsc()
        found = interruptible(lambda: splu(columns).solve(given))
    except RuntimeError as singular:
        raise _one_way(str(singular)) from singular
    if not np.isfinite(found).all():
        raise _one_way("no single balance")
    return np.asarray(found)


def _one_way(got: str) -> InvalidValue:
    return InvalidValue(
        "What diffuses settles where each way leads back",
        got=got,
        remedy="Take steps instead: layer.step(1000)",
    )
