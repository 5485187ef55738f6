"""Brushes: the cells under a stroke of the pointer."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import Grid
from fieldcraft.base import checks
from fieldcraft_worlds.games.game import InputEvent


def painted(event: InputEvent) -> tuple[tuple[float, float], ...]:
    """Return the stroke that a brush paints at an event, for `brushed`; empty if it paints nothing.

    A press and a hold paint at the pointer, a release only along its path since the last event.
    """
    if event.position is None or (event.phase == "release" and len(event.stroke) < 2):
        return ()
    return event.stroke or (event.position,)


def brushed(space: Grid, points: ArrayLike, radius: float) -> NDArray[np.int64]:
    """Return the cells under a round brush along straight lines between points: ids, ascending,
    int64 (C,).

    These are the cells with their center under the brush, and those under its middle, so they are
    connected however far apart the points are. Points outside the map count as the nearest cells,
    and the brush does not wrap. Raises `InvalidValue` for positions that are not finite and radii
    below 0.

    Parameters
    ----------
    space : Grid
        The grid.
    points : array_like
        One position (x, y) or several (N, 2), such as `InputEvent.stroke`.
    radius : float
        Of the brush in world units, 0 for single cells.
    """
    path, _ = checks.positions(points)
    radius = checks.not_negative("radius", radius)
    if not len(path):
        return np.zeros(0, dtype=np.int64)
    path = _on_map(space, path)
    if len(path) > 1:
        starts = path[:-1]
        ends = path[1:]
    else:
        starts = path
        ends = path
    found = [
        _under_segment(space, start, end, radius) for start, end in zip(starts, ends, strict=True)
    ]
    return np.unique(np.concatenate(found))


def _on_map(space: Grid, positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return positions, and for those outside the map the nearest ones on it."""
    low = np.array(space.origin)
    high = np.nextafter(low + np.array(space.size), low)
    return np.clip(positions, low, high)


def _under_segment(
    space: Grid, start: NDArray[np.float64], end: NDArray[np.float64], radius: float
) -> NDArray[np.int64]:
    """Return the cells under a brush along a segment: those under its middle, and those with their
    center within the radius.
    """
    along = end - start
    pieces = int(np.ceil(2 * np.abs(along).max() / space.cell_size)) + 1
    middles = start + np.linspace(0.0, 1.0, pieces)[:, np.newaxis] * along
    under = space.cell_at(middles, outside="clamp")
    low = np.minimum(start, end) - radius
    high = np.maximum(start, end) + radius
    corners = _on_map(space, np.stack([low, high]))
    rows, columns = np.divmod(space.cell_at(corners, outside="clamp"), space.width)
    down = np.arange(rows.min(), rows.max() + 1)
    across = np.arange(columns.min(), columns.max() + 1)
    near = (down[:, np.newaxis] * space.width + across).ravel()
    gaps = space.position_of(near) - start
    share = np.clip(gaps @ along / max(float(along @ along), 1e-300), 0.0, 1.0)
    offsets = gaps - share[:, np.newaxis] * along
    inside = near[np.hypot(offsets[:, 0], offsets[:, 1]) <= radius]
    return np.concatenate([np.atleast_1d(under), inside]).astype(np.int64)
