"""The recordings: who was where and when in worlds that others have recorded, as timelines;
forecasts of what came.
"""

from fieldcraft.recordings.football import pitch, read_football
from fieldcraft.recordings.forecasts import (
    Calibration,
    PlaceModel,
    PlaceScore,
    calibrate,
    fit_places,
    score_places,
)
from fieldcraft.recordings.losses import Losses, read_losses, read_turnovers
from fieldcraft.recordings.replay import write_replay_table
from fieldcraft.recordings.starcraft import ROOTED, read_starcraft
from fieldcraft.recordings.timeline import Timeline, TimelineBuilder
from fieldcraft.recordings.tracks import read_pedestrians, read_tracks

__all__ = [
    "ROOTED",
    "Calibration",
    "Losses",
    "PlaceModel",
    "PlaceScore",
    "Timeline",
    "TimelineBuilder",
    "calibrate",
    "fit_places",
    "pitch",
    "read_football",
    "read_losses",
    "read_pedestrians",
    "read_starcraft",
    "read_tracks",
    "read_turnovers",
    "score_places",
    "write_replay_table",
]
