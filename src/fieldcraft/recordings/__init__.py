"""The recordings: who was where and when in worlds that others have recorded, as timelines."""

from fieldcraft.recordings.football import pitch, read_football
from fieldcraft.recordings.starcraft import read_starcraft
from fieldcraft.recordings.timeline import Timeline, TimelineBuilder
from fieldcraft.recordings.tracks import read_pedestrians, read_tracks

__all__ = [
    "Timeline",
    "TimelineBuilder",
    "pitch",
    "read_football",
    "read_pedestrians",
    "read_starcraft",
    "read_tracks",
]
