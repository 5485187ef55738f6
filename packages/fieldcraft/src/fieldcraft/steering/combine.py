"""From many wishes to one velocity."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.steering.arguments import limits, vectors

__all__ = ["accelerate", "combine"]

Wide = NDArray[np.float64]


def combine(
    forces: Sequence[ArrayLike],
    weights: ArrayLike | None = None,
    *,
    max_force: ArrayLike | None = None,
    priority: bool = False,
) -> Wide:
    """One acceleration out of several behaviours: (N, 2) world units per second squared, or (2,) if
    all are single vectors.

    Parameters
    ----------
    forces : Sequence[array_like]
        What behaviours want, each (N, 2), or one vector for all: changes of velocity, world units
        per second.
    weights : array_like, optional
        One number of at least 0 per behaviour, per second; 1 each if absent. A change weighted by 4
        is made in about 1/4 s.
    max_force : array_like, optional
        The longest acceleration; one number, or one per agent.
    priority : bool, optional
        With True the behaviours are served in turn, each with what those before it have left of
        `max_force`: the first ones are never drowned out by the last. Otherwise all are added up
        and the sum is shortened.

    Raises
    ------
    InvalidValue
        If an argument has a wrong value, shape or type.
    """
    if not isinstance(forces, (list, tuple)) or not forces:
        raise InvalidValue(
            "forces are a list of arrays, one per behaviour",
            got=repr(type(forces).__name__),
            remedy="Pass [seek(...), separation(...)]",
        )
    arrays = [checks.array("Forces", force) for force in forces]
    counts = sorted({len(array) for array in arrays if array.shape != (2,) and array.ndim})
    if len(counts) > 1:
        raise InvalidValue(
            "All behaviours steer the same agents",
            got=f"forces for {counts} agents",
            remedy="Pass arrays of one length",
        )
    count = counts[0] if counts else 1
    wide = [vectors("Forces", array, count) for array in arrays]
    scales = (
        np.ones(len(wide)) if weights is None else checks.numbers("weights", weights, len(wide))
    )
    if (scales < 0).any():
        raise InvalidValue(
            "weights are at least 0",
            got=f"{scales.min()}",
            remedy="Turn the behaviour round instead: flee for seek",
        )
    most = None if max_force is None else limits("max_force", max_force, count)
    priority = checks.flag("priority", priority)
    if priority and most is None:
        raise InvalidValue(
            "priority shares out max_force",
            got="priority=True without max_force",
            remedy="Pass max_force",
        )
    total = np.zeros((count, 2))
    left = most
    for force, scale in zip(wide, scales.tolist(), strict=True):
        part = force * scale
        if priority and left is not None:
            part, used = _shortened(part, left)
            left = np.maximum(left - used, 0.0)
        total += part
    if most is not None and not priority:
        total, _ = _shortened(total, most)
    return total if counts else total[0]


def accelerate(velocities: ArrayLike, force: ArrayLike, dt: float, *, max_speed: ArrayLike) -> Wide:
    """The velocities after `dt` seconds of a force: `velocities + force * dt`, shortened to
    `max_speed`; (N, 2), or (2,) for one.

    `velocities` in world units per second, `force` (from `combine`) per second squared, `max_speed`
    one number or one per agent.
    """
    moving = checks.array("Velocities", velocities)
    single = moving.shape == (2,)
    count = 1 if single else len(np.atleast_1d(moving))
    wide = vectors("Velocities", moving, count)
    step = checks.not_negative("dt", dt)
    after, _ = _shortened(
        wide + vectors("Forces", force, count) * step, limits("max_speed", max_speed, count)
    )
    return after[0] if single else after


def _shortened(found: Wide, most: Wide) -> tuple[Wide, Wide]:
    """Vectors of at most these lengths, and how long they are."""
    lengths = np.hypot(found[:, 0], found[:, 1])
    beyond = lengths > most
    scale = np.where(beyond, most / np.where(beyond, lengths, 1.0), 1.0)
    return found * scale[:, np.newaxis], np.minimum(lengths, most)
