"""Timelines of recorded worlds."""

from fieldcraft.formats.recordings.timeline import Timeline, TimelineBuilder

__all__ = ["Timeline", "TimelineBuilder"]
