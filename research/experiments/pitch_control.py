"""Pitch control: which team would have the ball if it were played to a place now."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["pitch_control"]

Floats = NDArray[np.float64]

_REACTION = 0.7  # seconds for which a player goes on as before
_TOP_SPEED = 5.0  # metres a second
_BALL_SPEED = 15.0
_DOUBT = 0.45  # seconds by which players are sooner or later than that
_CONTROL = 4.3  # a second: how soon who is there has the ball
_STEP = 0.1  # seconds
_LONGEST = 10.0
_ENOUGH = 0.99


def pitch_control(
    places: Floats, teams: tuple[Floats, Floats], velocities: tuple[Floats, Floats], ball: Floats
) -> Floats:
    """How likely the first of two teams would control the ball at each place, (C,) in [0, 1], if it
    were played there now.

    `places` are (C, 2) in metres, `teams` the positions of the players of each team, (N, 2), at
    least one in all, `velocities` theirs in metres a second, and `ball` is where the ball is.

    Source: W. Spearman, "Beyond Expected Goals", MIT Sloan Sports Analytics Conference 2018: a
        player goes on for a reaction time, then
    straight at top speed; who is there in time wins the ball at a rate; the ball flies at constant
    speed.
    """
    first = len(teams[0])
    there = _arrivals(places, np.concatenate(teams), np.concatenate(velocities))
    flight = np.hypot(*(places - ball).T) / _BALL_SPEED
    won = np.zeros((2, len(places)))
    for number in range(round(_LONGEST / _STEP)):
        late = (flight + (number + 0.5) * _STEP)[:, None] - there
        present = 1 / (1 + np.exp(np.clip(-math.pi / math.sqrt(3) / _DOUBT * late, -50, 50)))
        sums = np.stack([present[:, :first].sum(axis=1), present[:, first:].sum(axis=1)])
        both = sums.sum(axis=0)
        won += (1 - won.sum(axis=0)) * (1 - np.exp(-_CONTROL * _STEP * both)) * sums / both
        if won.sum(axis=0).min() > _ENOUGH:
            break
    return np.asarray(won[0] / won.sum(axis=0))


def _arrivals(places: Floats, players: Floats, velocities: Floats) -> Floats:
    """The seconds after which each player is at each place, (C, N)."""
    on = players + _REACTION * velocities
    gaps = places[:, None] - on[None]
    return np.asarray(_REACTION + np.hypot(gaps[..., 0], gaps[..., 1]) / _TOP_SPEED)
