"""Snapshots of beliefs as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import clock
from fieldcraft.pursuit.arguments import not_a_snapshot, plain_numbers, plain_whole
from fieldcraft.pursuit.target_belief import TargetBelief

__all__ = ["restore_from", "snapshot_of"]

_ROUNDED = 1e-6  # tolerance of sums of 1


def snapshot_of(beliefs: Sequence[TargetBelief], ticks: int) -> dict[str, Any]:
    """Return the beliefs about all targets as plain data."""
    cells = [-1 if belief.lost.cell is None else belief.lost.cell for belief in beliefs]
    return {
        "masses": np.stack([np.stack(belief.unscaled()) for belief in beliefs]),
        "scales": np.array([belief.scale for belief in beliefs]),
        "ticks": ticks,
        "weights": np.array([belief.weights for belief in beliefs]),
        "cells": np.array(cells),
        "ages": np.array([belief.age for belief in beliefs]),
        "velocities": np.stack([belief.lost.velocity for belief in beliefs]),
        # Nothing is feared; the field keeps the digests of games that save beliefs.
        "searchers": tuple(np.zeros((0, len(belief.lost.velocity))) for belief in beliefs),
    }


def restore_from(
    memory: Mapping[str, Any], beliefs: Sequence[TargetBelief], every: float
) -> tuple[NDArray[np.float64], int]:
    """Restore beliefs from a snapshot, and return its masses and ticks.

    Raises
    ------
    InvalidValue
        For anything but a snapshot of such beliefs; then nothing has changed.
    """
    space, hypotheses, targets = beliefs[0].lost.space, beliefs[0].hypotheses, len(beliefs)
    shape = (targets, len(hypotheses.stages), *space.shape)
    masses, scales = (
        plain_numbers(memory, "masses", shape),
        plain_numbers(memory, "scales", (targets,)),
    )
    ticks = plain_whole(memory, "ticks", below=clock.ticks("every", every))
    sums = masses.reshape(targets, -1).sum(axis=1) * scales
    in_range = float(masses.min()) >= 0 and float(masses.max()) <= 1 + _ROUNDED
    if not in_range or (np.abs(sums - 1) > _ROUNDED).any():
        raise not_a_snapshot("masses of a snapshot are at least 0 and sum to 1", "others")
    weights = plain_numbers(memory, "weights", (targets, len(hypotheses.names)))
    velocities = plain_numbers(memory, "velocities", (targets, space.dimensions))
    cells, ages = (plain_numbers(memory, name, (targets,), "i") for name in ("cells", "ages"))
    sound = (weights >= 0).all() and (np.abs(weights.sum(axis=1) - 1) <= _ROUNDED).all()
    if not sound or cells.min() < -1 or cells.max() >= len(space) or ages.min() < 0:
        raise not_a_snapshot(
            "weights, cells and ages of a snapshot are those of a belief on this map", "others"
        )
    for k, belief in enumerate(beliefs):
        belief.place(list(masses[k]))
        belief.scale = float(scales[k])
        cell = None if cells[k] < 0 else int(cells[k])
        belief.restore(tuple(weights[k].tolist()), cell, velocities[k], int(ages[k]))
    return masses, ticks
