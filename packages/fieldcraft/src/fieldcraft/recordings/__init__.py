"""Timelines of recorded worlds, and the readers that recipes need."""

from fieldcraft.recordings.football import pitch, read_football
from fieldcraft.recordings.starcraft import ROOTED, read_starcraft
from fieldcraft.recordings.timeline import Timeline, TimelineBuilder
from fieldcraft.recordings.tracks import read_pedestrians, read_tracks

__all__ = [
    "ROOTED",
    "Timeline",
    "TimelineBuilder",
    "pitch",
    "read_football",
    "read_pedestrians",
    "read_starcraft",
    "read_tracks",
]
