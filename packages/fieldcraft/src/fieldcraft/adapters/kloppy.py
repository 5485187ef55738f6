"""Football by kloppy: tracking data of any provider that it reads, as a timeline on a pitch in
meters.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fieldcraft import checks
from fieldcraft.errors import InvalidValue, MissingLibrary
from fieldcraft.recordings import Timeline, TimelineBuilder

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
    """The timeline of a `TrackingDataset` of kloppy: players as "home_7", the ball as "ball", in
    the groups home, away and ball.

    A player without a shirt number, or with one that another of the team has, is named by the
    provider's id: "home_P1234". Points that are NaN count as absent.

    Positions are in meters from the center spot, x along the pitch and y up, as
    `fieldcraft.recordings.pitch()` has them; periods follow each other in time. A player who is not
    in a frame is not there.

    Parameters
    ----------
    dataset : object
        What a loader gives: `kloppy.skillcorner.load(...)`,
        `kloppy.metrica.load_tracking_csv(...)`, ...
    length, width : float, optional
        Of the pitch, meters; providers scale to it.
    keep_every : int, optional
        Every n-th frame only.
    ball : bool, optional
        Whether the ball is in it.

    Raises
    ------
    InvalidValue
        For other data.
    MissingLibrary
        Without kloppy.
    """
    try:
        from kloppy.domain import Provider, TrackingDataset
    except ImportError:
        raise MissingLibrary("kloppy", "football", "fieldcraft.adapters.kloppy.timeline") from None
    if not isinstance(dataset, TrackingDataset):
        raise InvalidValue(
            "A timeline is made of tracking data",
            got=type(dataset).__name__,
            remedy="Pass what a loader of kloppy gives",
        )
    size = np.array([checks.positive("length", length), checks.positive("width", width)])
    step, with_ball = checks.integer("keep_every", keep_every, minimum=1), checks.flag("ball", ball)
    builder, present, offset, last, period = TimelineBuilder(), dict[str, str](), 0.0, 0.0, None
    for number, frame in enumerate(dataset.transform(to_coordinate_system=Provider.KLOPPY)):
        seconds = frame.timestamp.total_seconds()
        if frame.period.id != period:
            offset, period = (
                (last + 1 / (dataset.frame_rate or 25) if period is not None else -seconds),
                frame.period.id,
            )
        last = seconds + offset
        if number % step:
            continue
        here: dict[str, tuple[str, Any]] = {}
        for player, point in frame.players_coordinates.items():
            if _is_known(point):
                here[_name_of(player)] = player.team.ground.value, point
        if with_ball and _is_known(frame.ball_coordinates):
            here["ball"] = "ball", frame.ball_coordinates
        for name, (group, point) in here.items():
            x, y = ((np.array([point.x, 1 - point.y]) - 0.5) * size).tolist()
            builder.add(last, name, group, (x, y))
        for name in present.keys() - here.keys():
            builder.add(last, name, present[name], None)
        present = {name: group for name, (group, _) in here.items()}
    return builder.build()


def _is_known(point: Any) -> bool:
    return point is not None and math.isfinite(point.x) and math.isfinite(point.y)


def _name_of(player: Any) -> str:
    """The group of a player and the number on the shirt, where only one player of the team has it;
    else the provider's id.
    """
    team, number = player.team, player.jersey_no
    is_own = number is not None and [mate.jersey_no for mate in team.players].count(number) == 1
    return f"{team.ground.value}_{number if is_own else player.player_id}"
