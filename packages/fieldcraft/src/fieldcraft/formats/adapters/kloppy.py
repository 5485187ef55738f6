"""Timelines of football tracking data that kloppy reads, on a pitch in meters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, needs
from fieldcraft.formats.recordings import Timeline, TimelineBuilder

__all__ = ["timeline"]

_PITCH = (105.0, 68.0)


def timeline(
    dataset: Any,
    *,
    length: float = _PITCH[0],
    width: float = _PITCH[1],
    keep_every: int = 1,
    ball: bool = True,
) -> Timeline:
    """Return the timeline of a `TrackingDataset` of kloppy, in the groups home, away and ball.

    Players are named by group and shirt number, "home_7", or by the provider's id, "home_P1234", if
    the number is missing or not unique in the team. A player is absent in frames without it, or
    with NaN coordinates.

    Positions are in meters from the center spot, x along the pitch and y up. Periods follow each
    other in time.

    Parameters
    ----------
    dataset : kloppy.domain.TrackingDataset
        The result of a loader, such as `kloppy.skillcorner.load(...)`.
    length, width : float, optional
        Size of the pitch in meters.
    keep_every : int, optional
        Read only every n-th frame.
    ball : bool, optional
        Whether to include the ball.

    Raises
    ------
    InvalidValue
        For other data.
    MissingLibrary
        Without kloppy.
    """
    with needs("kloppy", "football", "fieldcraft.formats.adapters.kloppy.timeline"):
        from kloppy.domain import Provider, TrackingDataset
    if not isinstance(dataset, TrackingDataset):
        raise InvalidValue(
            "A timeline takes tracking data",
            got=type(dataset).__name__,
            remedy="Pass the result of a loader of kloppy",
        )
    size = np.array([checks.positive("length", length), checks.positive("width", width)])
    step = checks.integer("keep_every", keep_every, minimum=1)
    with_ball = checks.flag("ball", ball)
    builder = TimelineBuilder()
    present = dict[str, str]()
    offset = 0.0
    last = 0.0
    period = None
    for number, frame in enumerate(dataset.transform(to_coordinate_system=Provider.KLOPPY)):
        seconds = frame.timestamp.total_seconds()
        if frame.period.id != period:
            if period is None:
                offset = -seconds
            else:
                offset = last + 1 / (dataset.frame_rate or 25)
            period = frame.period.id
        last = seconds + offset
        if number % step:
            continue
        here: dict[str, tuple[str, Any]] = {}
        for player, point in frame.players_coordinates.items():
            if _is_known(point):
                here[_name_of(player)] = (player.team.ground.value, point)
        if with_ball and _is_known(frame.ball_coordinates):
            here["ball"] = ("ball", frame.ball_coordinates)
        for name, (group, point) in here.items():
            x, y = ((np.array([point.x, 1 - point.y]) - 0.5) * size).tolist()
            builder.add(last, name, group, (x, y))
        for name in present.keys() - here.keys():
            builder.add(last, name, present[name], None)
        present = {name: group for name, (group, _) in here.items()}
    return builder.build()


def _is_known(point: Any) -> bool:
    """Return whether a frame says where a player or the ball is."""
    return point is not None and math.isfinite(point.x) and math.isfinite(point.y)


def _name_of(player: Any) -> str:
    """Return the group and the shirt number of a player, or the provider's id if the number is not
    unique in the team.
    """
    team = player.team
    number = player.jersey_no
    is_unique = number is not None and [mate.jersey_no for mate in team.players].count(number) == 1
    if is_unique:
        return f"{team.ground.value}_{number}"
    return f"{team.ground.value}_{player.player_id}"
