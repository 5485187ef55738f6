"""Timelines of recorded worlds."""

from fieldcraft.recordings.timeline import Timeline, TimelineBuilder

__all__ = ["Timeline", "TimelineBuilder"]
