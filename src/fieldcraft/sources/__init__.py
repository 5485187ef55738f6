"""The sources: strengths with places and lifetimes, and timelines of recorded worlds."""

from fieldcraft.sources.book import Sources
from fieldcraft.sources.football import pitch, read_football
from fieldcraft.sources.source import Source
from fieldcraft.sources.starcraft import read_starcraft
from fieldcraft.sources.timeline import Timeline, TimelineBuilder
from fieldcraft.sources.tracks import read_pedestrians, read_tracks

__all__ = [
    "Source",
    "Sources",
    "Timeline",
    "TimelineBuilder",
    "pitch",
    "read_football",
    "read_pedestrians",
    "read_starcraft",
    "read_tracks",
]
